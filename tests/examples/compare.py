#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program and compares what it prints with a text.

    tests/examples/compare.py EXPECTED.txt PROGRAM [ARGUMENT...]

In the text, `…` stands for any run of characters within a line, and a line of `…` alone for any number of lines:

    expected                    printed
    layout: … (chosen)          layout: AcdB16a (chosen)          equal
    …                           a line
    done                        another line
                                done                              equal

Exits with 0 if the text fits and the program succeeds; with 77 (ctest: skipped) if the program does, which says that
something is missing on this machine; else with 1, after both texts around the first line that differs.
"""
import re
import subprocess
import sys
from pathlib import Path

ANY, AROUND, SKIPPED = "…", 3, 77


def fits(pattern, line):
    return re.fullmatch(".*".join(map(re.escape, pattern.split(ANY))), line) is not None


def first_difference(expected, printed):
    """None if the lines fit; else the furthest (index of expected, index of printed) that do not."""
    furthest, seen, open_states = (0, 0), set(), [(0, 0)]
    while open_states:
        at = e, p = open_states.pop()
        if at in seen:
            continue
        seen.add(at)
        furthest = max(furthest, at)
        if e == len(expected):
            if p == len(printed):
                return None
        elif expected[e] == ANY:
            open_states += [(e, p + 1)] if p < len(printed) else []
            open_states.append((e + 1, p))  # taken first: as few lines as possible
        elif p < len(printed) and fits(expected[e], printed[p]):
            open_states.append((e + 1, p + 1))
    return furthest


def around(lines, index):
    """The lines about one of them, which an arrow marks."""
    for i in range(max(0, index - AROUND), min(len(lines) + 1, index + AROUND + 1)):
        yield f"  {'>' if i == index else ' '} {i + 1:4} {lines[i] if i < len(lines) else '(end)'}"


def main(expected_path, *command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    path, printed = Path(expected_path), ran.stdout.splitlines()
    if ran.returncode == SKIPPED:
        print(ran.stdout + ran.stderr, end="")
        return SKIPPED
    why = []
    if ran.returncode != 0:
        why += [f"the program ends with {ran.returncode}", *ran.stderr.splitlines()]
    if not path.is_file():
        why += [f"{path} is missing: it belongs beside the program's source and holds what the program prints:", *printed]
    elif difference := first_difference(expected := path.read_text(encoding="utf-8").splitlines(), printed):
        why += [f"{path}:{difference[0] + 1} differs. Expected:", *around(expected, difference[0]),
                "Printed:", *around(printed, difference[1])]
    elif ran.returncode != 0:
        why += ["and printed, as expected:", *printed]
    print("\n".join(why), end="\n" if why else "")
    return 1 if why else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
