#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes: no source over 700 lines and none over 400 unreported; the fullest folder; lines per folder.

Tables (.def, .inc) and generated files do not count: nobody reads them from top to bottom.
"""
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT, LOOK_AGAIN, FULL_FOLDER = 700, 400, 15
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".py", ".sh", ".cmake"}
GENERATED = re.compile(r"(generated|written) by tools/", re.IGNORECASE)


def main():
    lines, in_folder = {}, Counter()
    for top in ("src", "include", "tools", "tests", "bench", "examples", "cmake"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            text = path.read_text().splitlines()
            name = path.relative_to(ROOT).as_posix()
            in_folder[path.parent.relative_to(ROOT).as_posix()] += 1
            if not GENERATED.search("\n".join(text[:3])):
                lines[name] = len(text)
    by_folder = Counter()
    for name, count in lines.items():
        by_folder["/".join(name.split("/")[:2]) if name.startswith("src") else name.split("/")[0]] += count
    print("lines: " + ", ".join(f"{folder} {count}" for folder, count in sorted(by_folder.items())))
    folder, most = max(in_folder.items(), key=lambda item: item[1])
    print(f"fullest folder: {folder}, {most} files")
    for folder, count in sorted(in_folder.items()):
        if count > FULL_FOLDER and folder.startswith("src"):
            print(f"look again: {folder} holds {count} files")
    sizes = sorted(((count, name) for name, count in lines.items()), reverse=True)
    for count, name in sizes:
        # Public headers follow the interface's own division into files.
        if LOOK_AGAIN < count and (count <= LIMIT or name.startswith("include/")):
            print(f"look again: {name} has {count} lines")
    too_large = [(c, n) for c, n in sizes if c > LIMIT and not n.startswith("include/")]
    for count, name in too_large:
        print(f"{name} has {count} lines; {LIMIT} is the limit: divide it by concept", file=sys.stderr)
    median = sizes[len(sizes) // 2][0]
    print(f"sizes: {len(lines)} files, median {median} lines, largest {sizes[0][0]}, {len(too_large)} over {LIMIT}")
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
