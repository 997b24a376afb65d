#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what a library exports with symbols.txt and with what the installed headers declare.

Usage: check_symbols.py libdnnl.so.3, or libdnnl.a
Missing and surplus symbols are listed by name and make the exit status 1. Declarations behind the switches of
experimental builds count like all others. Every other exported symbol, also one of C++, is surplus. A static
library has C++ names besides: of namespaces of its own, or weak, as what compilers make in every program.
"""

import pathlib
import re
import subprocess
import sys


def declared(folder):
    """Names of calls in C headers: "DNNL_API dnnl_status_t dnnl_brgemm_create(", of any return type."""
    names = set()
    for header in folder.rglob("*.h"):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        names |= set(re.findall(r"\bDNNL(?:_TESSERA)?_API\b[^;(]*?\b(dnnl_\w+)\s*\(", text))
    return names


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    here = pathlib.Path(__file__).parent
    lines = (here / "symbols.txt").read_text(encoding="utf-8").splitlines()
    headers = declared(here.parents[2] / "include")
    if len(headers) < 200:
        print(f"only {len(headers)} calls are found in the headers: the search is broken")
        return 2
    required = {line for line in lines if line and line[0] != "#"} | headers
    static = sys.argv[1].endswith(".a")
    kind = "-g" if static else "-D"
    nm = subprocess.run(["nm", kind, "--defined-only", sys.argv[1]], capture_output=True, text=True)
    if nm.returncode:
        print(f"nm {kind} {sys.argv[1]} failed: {nm.stderr.strip()}")
        return 2
    # A line is "address kind name[@version]"; kind A is the version itself.
    fields = [line.split() for line in nm.stdout.splitlines()]
    exported = {field[2].split("@")[0] for field in fields if len(field) == 3 and field[1] != "A"}
    if static:
        shared = {field[2] for field in fields if len(field) == 3 and field[1] in "VWu"}
        own = {name for name in exported if re.match("_Z.*(7tessera|11tessera_fmt|dnnl_)", name)}
        exported -= shared | own
    missing, surplus = sorted(required - exported), sorted(exported - required)
    for name in missing:
        print("missing:", name)
    for name in surplus:
        print("surplus:", name)
    print(f"{len(required)} required, {len(exported)} exported, {len(missing)} missing, {len(surplus)} surplus")
    return 1 if missing or surplus else 0


if __name__ == "__main__":
    sys.exit(main())
