#!/usr/bin/env python3
"""Compares what a shared library exports with abi_symbols.txt.

Usage: check_symbols.py libdnnl.so.3
Missing and surplus symbols are listed by name and make the exit status 1. Symbols of experimental builds, marked
with '?' in the list, may be there or not. Every other exported symbol, also one of C++, is surplus.
"""

import pathlib
import subprocess
import sys


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    lines = (pathlib.Path(__file__).parent / "abi_symbols.txt").read_text(encoding="utf-8").splitlines()
    optional = {line[2:] for line in lines if line.startswith("? ")}
    required = {line for line in lines if line and line[0] not in "#?"}
    nm = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], capture_output=True, text=True)
    if nm.returncode:
        print(f"nm -D {sys.argv[1]} failed: {nm.stderr.strip()}")
        return 2
    # A line is "address kind name[@version]"; kind A is the version itself.
    fields = [line.split() for line in nm.stdout.splitlines()]
    exported = {field[2].split("@")[0] for field in fields if len(field) == 3 and field[1] != "A"}
    missing, surplus = sorted(required - exported), sorted(exported - required - optional)
    for name in missing:
        print("missing:", name)
    for name in surplus:
        print("surplus:", name)
    print(f"{len(required)} required, {len(exported)} exported, {len(missing)} missing, {len(surplus)} surplus")
    return 1 if missing or surplus else 0


if __name__ == "__main__":
    sys.exit(main())
