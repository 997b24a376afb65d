#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cases of bench/dot in which Tessera is not clearly ahead: a line each, set and case with a tab between them.

    bench/report/behind.py build/bench [CAP]      of NAME+dot.tsv, or NAME@CAP+dot.tsv

Not clearly: less than 1.05 of the fastest peer's speed. What is a little ahead is printed as what is a little behind, so that
whoever measures them again favours none.
"""
import sys
from pathlib import Path

from results import TURNS, read_run

CLEARLY = 1.05


def main(folder, cap=""):
    paths = [Path(folder) / f"{name}{'@' + cap if cap else ''}+dot.tsv" for name in TURNS]
    ours, *peers = [read_run(path) for path in paths if path.exists()]
    for case in ours.measured():
        times = [peer.by_key[case.key].best for peer in peers
                 if case.key in peer.by_key and not peer.by_key[case.key].refusal]
        if times and min(times) < CLEARLY * case.best:
            print(case.set, case.name, sep="\t")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
