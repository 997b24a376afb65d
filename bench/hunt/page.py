#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a hunt found, as a page: a table by primitive, and the problems at which ours is slower, with reasons.

    bench/hunt/page.py build/bench/hunt.tsv [--before OLDER.tsv] [--reasons bench/hunt/reasons.tsv] > doc/benchmarks-hunt.md

The files are those of `hunt --results`; several runs may follow each other in one, each number of threads is a table.
Reasons are a regular expression over the problem line, a tab and the reason; the first that matches counts.
"""
import argparse
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

HALF, LOSER, LATE = 0.5, 0.8, 100  # speeds; microseconds of a creation


class Row:
    def __init__(self, line):
        cells = line.rstrip("\n").split("\t")
        self.threads, self.primitive, self.outcome = int(cells[0]), cells[1], cells[2]
        self.speed, self.ours, self.peer, self.creation, self.created, self.peer_created = map(float, cells[3:9])
        self.problem = cells[9].replace(" --seed=0", "")
        self.both = self.outcome == "both"


def read(path):
    return [Row(line) for line in Path(path).read_text().splitlines()] if path else []


def mean(values):
    values = [max(v, 1e-3) for v in values]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def figures(rows):
    both = [r for r in rows if r.both]
    return {
        "speed": mean(r.speed for r in both),
        "half": sum(r.speed < HALF for r in both),
        "loser": sum(r.speed < LOSER for r in both),
        "creation": mean(r.creation for r in both),
        "late": sum(r.created > LATE and r.creation < 1 for r in both),
        "count": len(both),
    }


def pair(before, after, key, form):
    new = form.format(after[key]) if after[key] is not None else ""
    old = form.format(before[key]) if before and before[key] is not None else ""
    return f"{old} -> {new}" if old and old != new else new


def table(rows, before):
    by, old = defaultdict(list), defaultdict(list)
    for r in rows:
        by[r.primitive].append(r)
    for r in before:
        old[r.primitive].append(r)
    print("| | problems | speed | below 0.5 | below 0.8 | creation | above 100 us and slower |\n|---|---|---|---|---|---|---|")
    for name in [*sorted(by), "all"]:
        now = figures(rows if name == "all" else by[name])
        then = figures(before if name == "all" else old[name]) if before else None
        if now["count"] == 0:
            continue
        print(f"| {name} | {now['count']} | {pair(then, now, 'speed', '{:.2f}')} | {pair(then, now, 'half', '{}')} "
              f"| {pair(then, now, 'loser', '{}')} | {pair(then, now, 'creation', '{:.2f}')} "
              f"| {pair(then, now, 'late', '{}')} |")
    print()


def losers(rows, reasons):
    def reason(r):
        return next((text for expression, text in reasons if re.search(expression, r.problem)), "")

    slow = sorted((r for r in rows if r.both and r.speed < LOSER), key=lambda r: (r.primitive, r.speed))
    if not slow:
        return print("None.\n")
    print("| speed | us, ours and the peer | problem | reason |\n|---|---|---|---|")
    for r in slow:
        bold = "**" if r.speed < HALF else ""
        print(f"| {bold}{r.speed:.2f}{bold} | {r.ours:.1f} {r.peer:.1f} | `{r.problem}` | {reason(r)} |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("--before", default="")
    parser.add_argument("--reasons", default=str(Path(__file__).with_name("reasons.tsv")))
    options = parser.parse_args()
    rows, before = read(options.results), read(options.before)
    reasons = [line.split("\t", 1) for line in Path(options.reasons).read_text().splitlines()
               if line and not line.startswith("#")]
    print((Path(__file__).with_name("page.md.in")).read_text())
    for threads in sorted({r.threads for r in rows}):
        mine = [r for r in rows if r.threads == threads]
        print(f"## {threads} thread{'s' if threads > 1 else ''}\n")
        table(mine, [r for r in before if r.threads == threads])
        others = Counter((r.primitive, r.outcome) for r in mine if not r.both)
        print("Not compared: " + "; ".join(f"{n} {p} ({what})" for (p, what), n in sorted(others.items())) + ".\n")
        print(f"### Below {LOSER}\n")
        losers(mine, reasons)


if __name__ == "__main__":
    main()
