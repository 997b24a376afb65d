# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG: sorted curves on a logarithmic axis, and grouped bars. No scripts, no external fonts."""
import math
from collections import namedtuple
from xml.sax.saxutils import escape

Curve = namedtuple("Curve", "title color values cases")   # values ascending; cases: the refused ones too
Series = namedtuple("Series", "title color values")       # one value a row, None: nothing

STYLE = """text { font-family: "DejaVu Sans", "Helvetica", sans-serif; font-size: 12px; fill: #1c2230 }
.title { font-size: 17px; font-weight: bold }
.tick { fill: #5b6472 }
.end { text-anchor: end }
.middle { text-anchor: middle }
.value { font-size: 10px; fill: #5b6472 }
"""


def text(x, y, content, style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}">{escape(content)}</text>\n'


def line(x1, y1, x2, y2, color="#e3e6eb", extra=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" {extra}/>\n'


def document(width, height, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}">\n<style>\n{STYLE}</style>\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}</svg>\n')


def legend(entries, x, y):
    out = ""
    for title, color in entries:
        out += f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="14" height="10" rx="2" fill="{color}"/>\n'
        out += text(x + 20, y, title)
        y += 18
    return out


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def sorted_curves(title, curves, yardstick):
    """y: fraction of the yardstick, logarithmic; x: the share of the cases."""
    width, left, right, plot_height = 860, 56, 20, 300
    top = 58 + 18 * len(curves)
    lowest = min(min(c.values) for c in curves)
    highest = max(max(c.values) for c in curves)
    low, high = math.log(min(lowest, 0.5) * 0.9), math.log(max(highest, 1) * 1.1)
    ticks = [t for t in (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.65, 1, 2, 3, 5, 10)
             if low <= math.log(t) <= high]

    def at(value):
        return top + plot_height * (high - math.log(value)) / (high - low)

    body = text(left, 30, title, "title")
    body += legend([(f"{c.title}: mean {geomean(c.values):.2f}, {c.cases - len(c.values)} of {c.cases} refused", c.color)
                    for c in curves], left, 54)
    for tick in ticks:
        strong = tick == 1
        body += line(left, at(tick), width - right, at(tick), "#1c2230" if strong else "#e3e6eb",
                     'stroke-dasharray="4 3"' if strong else "")
        body += text(left - 8, at(tick) + 4, f"{tick:g}", "tick end")
    plot_width = width - left - right
    for share in range(0, 101, 20):
        x = left + plot_width * share / 100
        body += line(x, top, x, top + plot_height)
        body += text(x, top + plot_height + 18, f"{share} %", "tick middle")
    body += text(left + plot_width / 2, top + plot_height + 38, f"of the cases, slowest first; 1 is {yardstick}", "tick middle")
    for curve in reversed(curves):  # the first lies on top
        skipped = curve.cases - len(curve.values)
        points = [(left + plot_width * (skipped + i + 0.5) / curve.cases, at(v)) for i, v in enumerate(curve.values)]
        if len(points) == 1:
            body += f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3" fill="{curve.color}"/>\n'
        body += (f'<polyline fill="none" stroke="{curve.color}" stroke-width="2" stroke-linejoin="round" points="'
                 + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>\n')
    return document(width, top + plot_height + 52, body)


def bars(title, rows, series):
    """A group of horizontal bars a row, one a series; numbers at their ends."""
    thickness, gap, left, scale = 9, 8, 150, 320
    group = thickness * len(series) + gap
    top = 66 + 18 * len(series)
    longest = max(v for s in series for v in s.values if v is not None)
    width = max(left + scale * max(longest, 1) + 60, 9.5 * len(title) + 60)
    body = text(24, 30, title, "title") + legend([(s.title, s.color) for s in series], 24, 54)
    bottom = top + group * len(rows)
    tick = 0.0
    while tick <= max(longest, 1):
        x = left + scale * tick
        strong = tick == 1
        body += line(x, top - 4, x, bottom, "#1c2230" if strong else "#e3e6eb", 'stroke-dasharray="4 3"' if strong else "")
        body += text(x, top - 10, f"{tick:g}", "tick middle")
        tick += 0.25
    for r, row in enumerate(rows):
        y = top + group * r
        body += text(left - 8, y + thickness * len(series) / 2 + 4, row, "end")
        for s in series:
            if s.values[r] is not None:
                body += (f'<rect x="{left}" y="{y:.1f}" width="{scale * s.values[r]:.1f}" height="{thickness - 1}" '
                         f'fill="{s.color}"/>\n')
                body += text(left + scale * s.values[r] + 4, y + thickness - 1, f"{s.values[r]:.2f}", "value")
            else:
                body += text(left + 4, y + thickness - 1, "refused", "value")
            y += thickness
    return document(width, bottom + 20, body)
