#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matmuls of bench/dot by two libraries in one process, in turns (bench/duel): the tables of doc/benchmarks-amx.md
and of doc/benchmarks-avx512.md.

    bench/report/duels.py build/bench OURS PEER [--filter REGEX] [--turns 15] [--rounds 3]
                          [--tsv FILE] [--reasons FILE]

    bench/report/duels.py build/bench build/libdnnl.so.3 build/peer/venv-3.2/lib/libdnnl.so.3 --tsv build/bench/duels.tsv

On a machine whose cores change between two speeds within a second (a neighbour on the other thread of the core), times of
different processes differ by a factor of three; ratios of neighbouring turns on the same pages move by 3 %. Which of two
libraries is faster may depend on the state, too, so each case is asked in `--rounds`, minutes apart, and the median round
counts. Threads and caps are those of the environment (OMP_NUM_THREADS, ONEDNN_MAX_CPU_ISA), which both libraries read.
Left out are decompressed weights, and cases that take longer than half a minute (dst `ba` by a peer that has no kernel for
it).
Reasons, as those of page.py, stand beside the cases that are slower than the peer.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from page import HERE, NOISE, geomean, known_reason, read_reasons, summary, table

SETS = ("squares", "llm", "batch", "skinny", "tiny", "layouts")
LINE = re.compile(r"([\d.]+) us +([\d.]+) Gop/s +([\d.]+) \(([\d.]+) to ([\d.]+)\)")


def duel(program, libraries, words, turns):
    """The first library's speed over the second's: median and quartiles of turns, and its best time in us."""
    types, tags, shape = words
    command = [program, *libraries, "--shape", shape, "--types", types, "--tags", tags, "--turns", str(turns)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return None
    found = [LINE.search(line) for line in done.stdout.splitlines()]
    if len(found) != 2 or not all(found):
        print(f"duels: {' '.join(words)}: {done.stderr.strip() or 'no result'}", file=sys.stderr)
        return None
    speed, low, high = (max(float(found[1][n]), 1e-3) for n in (3, 4, 5))
    return 1 / speed, 1 / high, 1 / low, float(found[0][1])


def cases(folder, pattern):
    listed = subprocess.run([folder / "dot", "--list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        words = line.split()
        if words[0] in SETS and words[1] != "decompress" and re.search(pattern, line):
            yield words[0], " ".join(words[1:]), words[2:5]


def report(results, reasons):
    found = {of: sorted((result[0], name) for set_of, name, result in results if set_of == of) for of in SETS}
    rows = [[of, *summary(ratios)] for of, ratios in found.items() if ratios]
    mean = geomean(result[0] for _, _, result in results)
    print(f"{len(results)} products, geometric mean of all {mean:.2f}:", end="\n\n")
    print(table(["set", "cases", "least", "mean", f"below {NOISE}", "the slowest"], rows), end="\n\n")
    slow = sorted((median, low, high, f"{of} {name}") for of, name, (median, low, high, _) in results if median < NOISE)
    print(table(["median", "quartiles", "case", "reason"],
                [[f"{median:.2f}", f"{low:.2f} to {high:.2f}", label, known_reason(reasons, label)]
                 for median, low, high, label in slow]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=Path, help="where dot and duel are")
    parser.add_argument("libraries", nargs=2, help="files of libdnnl.so.3: ours, the peer's")
    parser.add_argument("--filter", default="", help="only cases that this regular expression is found in")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tsv", type=argparse.FileType("w"), help="every case")
    parser.add_argument("--reasons", type=Path, default=HERE / "reasons-amx.tsv")
    options = parser.parse_args()
    asked = list(cases(options.programs, options.filter))
    rounds = {case[:2]: [] for case in asked}
    for _ in range(options.rounds):
        for of, name, words in asked:
            result = duel(options.programs / "duel", options.libraries, words, options.turns)
            if result is None:
                continue
            rounds[of, name].append(result)
            if options.tsv:
                print(of, name, *(f"{value:.3f}" for value in result), sep="\t", file=options.tsv, flush=True)
    results = [(of, name, sorted(found)[(len(found) - 1) // 2]) for (of, name), found in rounds.items() if found]
    report(results, read_reasons(options.reasons))


if __name__ == "__main__":
    main()
