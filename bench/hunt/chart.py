#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a hunt found, as a picture: a row a primitive, a dot a problem, at the rival's time by ours.

    bench/hunt/chart.py build/bench/hunt.tsv --machine "AMD EPYC 7003" > doc/plots/hunt.svg

The file is that of `hunt --results`. Dots beyond the ends of the scale lie on them.
"""
import argparse
import math
import statistics
from collections import defaultdict

from page import read

LEFT, TOP, WIDTH, ROW = 170, 62, 600, 22  # pixels
LEAST, MOST = 0.1, 100  # of the scale
FASTER, SLOWER, TEXT = "#2a7f62", "#c2553a", "#444"


def x(speed):
    at = math.log(min(max(speed, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + at * WIDTH


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results")
    parser.add_argument("--machine", required=True)
    parser.add_argument("--rival", default="oneDNN 3.2")
    options = parser.parse_args()
    rows = [r for r in read(options.results) if r.both]
    by = defaultdict(list)
    for r in rows:
        by[r.primitive].append(r.speed)
    names = sorted(by, key=lambda n: statistics.median(by[n]))
    height = TOP + ROW * len(names) + 44
    speeds = [r.speed for r in rows]
    faster = sum(s > 1 for s in speeds) / len(speeds)

    # A background of its own: pages may be dark.
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {height}" '
          f'font-family="sans-serif" font-size="13" fill="{TEXT}">')
    print(f"<title>Speed of Tessera against {options.rival}</title>")
    print('<rect width="100%" height="100%" fill="#fff"/>')
    print(f'<text x="{LEFT}" y="20" font-size="15" font-weight="bold">{len(rows)} random problems: faster than '
          f"{options.rival} in {100 * faster:.0f} %, median {statistics.median(speeds):.2g} times</text>")
    print(f'<text x="{LEFT}" y="40">a dot is a problem; time of {options.rival} by ours, one thread, {options.machine}</text>')
    bottom = TOP + ROW * len(names)
    for value in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100):
        dash = "" if value == 1 else ' stroke-dasharray="2 4"'
        print(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{TOP - 8}" y2="{bottom}" stroke="#bbb"{dash}/>')
        print(f'<text x="{x(value):.1f}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>')
    print(f'<text x="{x(1) - 8:.1f}" y="{bottom + 36}" text-anchor="end" fill="{SLOWER}">slower</text>')
    print(f'<text x="{x(1) + 8:.1f}" y="{bottom + 36}" fill="{FASTER}">faster</text>')
    for number, name in enumerate(reversed(names)):
        y = TOP + ROW * number + ROW / 2
        print(f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{name.replace("_", " ")}</text>')
        for index, speed in enumerate(by[name]):
            shift = (index * 7 % 11 - 5) * 1.3  # so that neighbours do not hide each other
            print(f'<circle cx="{x(speed):.1f}" cy="{y + shift:.1f}" r="2.6" fill="{FASTER if speed >= 1 else SLOWER}" '
                  'fill-opacity="0.55"/>')
        median = statistics.median(by[name])
        print(f'<line x1="{x(median):.1f}" x2="{x(median):.1f}" y1="{y - 8:.1f}" y2="{y + 8:.1f}" stroke="#111" stroke-width="2"/>')
        print(f'<text x="{LEFT + WIDTH + 10}" y="{y + 4:.1f}">{median:.3g}</text>')
    print("</svg>")


main()
