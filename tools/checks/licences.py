#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in its first lines: SPDX-License-Identifier: Apache-2.0.

    licences.py          names the files that do not, and ends with 1
    licences.py --fix    writes the line

Documents, inputs of tests and data have no such line: LICENSE holds for them.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINE = "SPDX-License-Identifier: Apache-2.0"
SIGNS = {".c": "//", ".h": "//", ".cpp": "//", ".hpp": "//", ".def": "//", ".inc": "//", ".cmake": "#", ".py": "#", ".sh": "#"}
NAMED = {"CMakeLists.txt": "#", "Makefile": "#"}


def sign_of(path):
    if path.name in NAMED:
        return NAMED[path.name]
    if path.suffix == ".in":
        path = path.with_suffix("")
    if path.suffix in SIGNS:
        return SIGNS[path.suffix]
    if path.suffix == "":  # scripts without a suffix
        with open(path, "rb") as file:
            return "#" if file.read(2) == b"#!" else None
    return None


def main():
    # Of a tree that is no checkout (an archive), every file but those of a build.
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [
        str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file() and p.relative_to(ROOT).parts[0] != "build"]
    missing = []
    for name in sorted(names):
        path = ROOT / name
        if not path.is_file() or path.is_symlink():
            continue
        sign = sign_of(path)
        if not sign:
            continue
        lines = path.read_text().splitlines(keepends=True)
        if any(LINE in line for line in lines[:3]):
            continue
        if "--fix" in sys.argv[1:]:
            lines.insert(1 if lines and lines[0].startswith("#!") else 0, f"{sign} {LINE}\n")
            path.write_text("".join(lines))
        else:
            missing.append(name)
    for name in missing:
        print(f"licences: {name} does not say '{LINE}' in its first lines: run tools/checks/licences.py --fix", file=sys.stderr)
    if not missing:
        print("licences: every source names its licence")
    sys.exit(bool(missing))


main()
