#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the shell sessions of pages and compares what they print.

    tests/docs/consoles.py PROGRAM PAGE.md...
    tests/docs/consoles.py PROGRAM --lines TABLE.toml

A session is a block ```console: lines that begin with `$ ` are commands (one that ends with a backslash goes on in the next
line), the lines up to the next command are what it prints, errors included, `…` as in tests/examples/compare.py. The commands
of a page run in one shell, in order, in an empty folder, with the folder of PROGRAM on the path and no variable of the library
set. `--lines` instead runs the field `line` of every entry of the table with `tessera run` and `tessera explain`, which must
succeed. Exits with 1 after naming each page, line and difference.
"""
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from compare import around, first_difference  # noqa: E402

MARK = "=*= end of command"


def commands(text):
    """[(line number, command, expected lines)] of the sessions of a page."""
    found, fence, going_on = [], None, False
    for number, line in enumerate(text.splitlines(), 1):
        start = re.match(r"(```+)(\S*)", line)
        if fence is None:
            if start:
                fence, session, going_on = start[1], start[2] == "console", False
        elif line.strip() == fence:
            fence = None
        elif session and going_on:
            found[-1][1] += "\n" + line
            going_on = line.endswith("\\")
        elif session and line.startswith("$ "):
            found.append([number, line[2:], []])
            going_on = line.endswith("\\")
        elif session and found:
            found[-1][2].append(line.rstrip())
        elif session:
            raise ValueError(f"line {number}: a session begins with a command, `$ ...`")
    return found


def environment(program):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ONEDNN_", "DNNL_", "TESSERA_"))}
    return clean | {"PATH": f"{Path(program).resolve().parent}:{clean['PATH']}", "LC_ALL": "C.UTF-8"}


def check_page(program, page):
    """What is wrong with the sessions of a page, as lines of text; and how many commands it has."""
    try:
        session = commands(Path(page).read_text(encoding="utf-8"))
    except ValueError as error:
        return [f"{page}: {error}"], 0
    if not session:
        return [], 0
    script = "".join(f"{command}\necho\necho '{MARK}'\n" for _, command, _ in session)
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["bash", "-c", f"exec 2>&1\n{script}"], cwd=folder, env=environment(program), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    outputs = ran.stdout.split(f"\n{MARK}\n")
    wrong = []
    for (number, command, expected), output in zip(session, outputs):
        printed = [line.rstrip() for line in output.rstrip("\n").splitlines()]
        while expected and not expected[-1].strip():
            expected.pop()  # an empty line before the next command
        if difference := first_difference(expected, printed):
            wrong += [f"{page}:{number}: $ {command}", "expected:", *around(expected, difference[0]),
                      "printed:", *around(printed, difference[1])]
    if len(outputs) != len(session) + 1:
        wrong.append(f"{page}: the shell ended in the command of line {session[min(len(outputs), len(session)) - 1][0]}")
    return wrong, len(session)


def check_lines(program, table):
    """What is wrong with the problem lines of the table; and how many it has."""
    wrong, count = [], 0
    for name, row in tomllib.loads(Path(table).read_text(encoding="utf-8")).items():
        if "line" not in row:
            wrong.append(f"{table}: {name} has no line")
            continue
        for command in ("run", "explain"):
            count += 1
            ran = subprocess.run([program, command, row["line"]], env=environment(program), stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)
            if ran.returncode:
                wrong += [f"{table}: {name}: tessera {command} \"{row['line']}\" ends with {ran.returncode}:", ran.stdout]
    return wrong, count


def main(program, *pages):
    if pages[0] == "--lines":
        results = [check_lines(program, pages[1])]
    else:
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda page: check_page(program, page), pages))
    wrong = [line for some, _ in results for line in some]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    print(f"consoles: {sum(count for _, count in results)} commands, {'some differ' if wrong else 'all as expected'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
