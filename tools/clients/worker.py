# SPDX-License-Identifier: Apache-2.0
"""Runs networks of one program on one library, as compare.py says: a line of JSON in, a line of JSON out.

    worker.py torch|paddle LOG
    {"do": "names"}                     {"names": [...], "foreword": "PyTorch 2.6.0", "library": "/...so of libdnnl"}
    {"do": "make", "name": ...}         {}
    {"do": "run"}                       {"ms": of one run}
    {"do": "save", "file": ...}         {}: the outputs of the last run
    {"do": "differ", "file": ...}       {"difference": the largest of any output from the file's, of its largest value}

What libraries print goes to LOG: verbose lines, of which each is there before the answer. An exception is an answer
{"error": ...}.
"""
import ctypes
import importlib
import json
import os
import sys
import time

import numpy


def library():
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if "libdnnl" in line or "libmkldnn" in line})


def difference(ours, theirs):
    worst = 0.0
    for mine, other in zip(ours, theirs, strict=True):
        if mine.shape != other.shape or not numpy.isfinite(mine).all():
            return float("inf")
        worst = max(worst, float(numpy.abs(mine - other).max() / max(numpy.abs(other).max(), 1e-30)))
    return worst


def main():
    program, log = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND), 1)
    networks = importlib.import_module("networks_" + program)
    flush, run, outputs = ctypes.CDLL(None).fflush, None, None
    for line in sys.stdin:
        ask, answer = json.loads(line), {}
        try:
            if ask["do"] == "names":
                answer = {"names": [name for name in networks.NETWORKS if "f64" not in name],
                          "foreword": networks.FOREWORD, "library": library()}
            elif ask["do"] == "make":
                run = outputs = None
                run = networks.make(ask["name"])
            elif ask["do"] == "run":
                start = time.perf_counter()
                outputs = run()
                answer = {"ms": 1000 * (time.perf_counter() - start)}
            elif ask["do"] == "save":
                numpy.savez(ask["file"], *outputs)
            elif ask["do"] == "differ":
                with numpy.load(ask["file"]) as saved:
                    answer = {"difference": difference(outputs, [saved[key] for key in saved.files])}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": f"{type(error).__name__}: {error}".split("\n")[0]}
        flush(None)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
