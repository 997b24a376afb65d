#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the program and its own help name the same commands and options.

    tests/docs/program.py PROGRAM PAGE.md

Each command has a section of its name. An option of its help stands in the section, or above the first one where it is said what all
have; and a section names no option that the program does not have. Options of problem lines are the lines', not the program's.
"""
import re
import subprocess
import sys
from pathlib import Path

OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def help_of(program, *command):
    return subprocess.run([program, "help", *command], capture_output=True, text=True, check=True).stdout


def listed(text, title):
    """The first words of the lines below a title, up to an empty line."""
    part = text.split(f"{title}:\n", 1)[1].split("\n\n", 1)[0]
    return [line.split()[0] for line in part.splitlines() if re.match(r"  \S", line)]


def sections(text):
    """{title: text} of the headings of level 2; "" is what stands above them."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2]))


def in_prose(text):
    """Without blocks of code: sessions use options of problem lines as well."""
    return set(OPTION.findall(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)))


def faults(page, program_help, help_of_command):
    of = sections(page)
    found = []
    for command in listed(program_help, "Subcommands"):
        if command not in of:
            found.append(f"no section `{command}`")
            continue
        options = set()
        for names in listed(help_of_command(command), "Options"):
            names = [name.split("=")[0] for name in names.split(",")]
            options.update(names)
            if not set(names) & (in_prose(of[command]) | in_prose(of[""]) | {"--help"}):
                found.append(f"{command}: the page does not say {names[-1]}")
        found += [f"{command}: the program has no {option}" for option in sorted(in_prose(of[command]) - options)]
    return found


def main(program, page):
    found = faults(Path(page).read_text(encoding="utf-8"), help_of(program), lambda command: help_of(program, command))
    for fault in found:
        print(f"{page}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
