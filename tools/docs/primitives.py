#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one page a primitive and their index from doc/primitives/table.toml and types.tsv.

    tools/docs/primitives.py DESTINATION

A part of a page whose field is not in the table is left out. An example and its output are included where they exist:
examples/primitives/NAME.cpp and NAME.txt.
"""
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 84  # characters of a code block on a page
KINDS = {
    "forward": "`forward_training`, `forward_inference` (the same here)",
    "forward_training": "`forward_training`", "forward_inference": "`forward_inference`", "backward": "`backward`",
    "backward_data": "`backward_data`", "backward_weights": "`backward_weights`", "none": "none: there is one kind of descriptor",
}

SIGNS = {"generated": "●", "AMX": "▲", "mixed": "◐", "portable": "○"}
LEGEND = """
● code generated for the problem, ▲ with products on the tiles of AMX, ◐ with some portable steps, ○ portable C++. A processor
without AVX2 has portable code for all of them. In a gradient the columns are those of diff_src, diff_weights and diff_dst.
"""


def text_block(text):
    """As it is; a remark behind a line that is too wide for a page goes into a line of its own."""
    lines = []
    for line in text.strip("\n").splitlines():
        remark = re.fullmatch(r"(.*\S) {6,}(\S.*)", line) if len(line) > WIDTH else None
        lines += [remark[1], "    " + remark[2]] if remark else [line]
    return "```text\n" + "\n".join(lines) + "\n```\n"


def bullets(lines):
    return "\n".join(f"- {line}" for line in lines) + "\n"


def arguments(rows):
    lines = ["| tensor | index at execution | shape |", "|---|---|---|"]
    return "\n".join(lines + [f"| {name} | {f'`{index}`' if index else ''} | {shape} |" for name, index, shape in rows]) + "\n"


def types(name):
    """The table of types of a primitive (tools/docs/types.cpp writes types.tsv), or nothing."""
    rows = [line.split("\t") for line in (ROOT / "doc/primitives/types.tsv").read_text().splitlines() if line.startswith(name + "\t")]
    if not rows:
        return ""
    first = 1 if any(row[1] != "-" for row in rows[1:]) else 2  # a primitive without directions needs no column of them
    if first == 1 and not any(re.match("forward|backward", row[1]) for row in rows[1:]):
        rows[0][1] = "attributes"
    rows[1:] = [[SIGNS.get(cell, cell) for cell in row] for row in rows[1:]]
    lines = ["| " + " | ".join(row[first:]) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * (len(rows[0]) - first) + "|", *lines[1:]]) + "\n" + LEGEND


def example(name):
    parts = []
    for suffix, language, words in ((".cpp", "cpp", ""), (".txt", "text", "It prints:\n\n")):
        path = f"examples/primitives/{name}{suffix}"
        if (ROOT / path).exists():
            parts.append(f"{words}```{{literalinclude}} ../../{path}\n:language: {language}\n```\n")
    if parts:
        parts.insert(0, f"`examples/primitives/{name}.cpp`, a whole program:\n")
    return "\n".join(parts)


def page(name, row):
    parts = [f"# {row['title']}\n", row["summary"] + "\n",
             f"Classes and calls: [API: {row['title']}](../api/{name}.md).\n"]

    def section(heading, text):
        if text:
            parts.extend([f"## {heading}\n", text])

    section("What it computes", text_block(row["formula"]) + ("\n" + row["meaning"].strip() + "\n" if "meaning" in row else "")
            if "formula" in row else "")
    section("Gradients", text_block(row["gradients"]) if "gradients" in row else "")
    section("Propagation kinds", ", ".join(KINDS[kind] for kind in row["kinds"]) + ".\n" if "kinds" in row else "")
    section("Arguments", arguments(row["arguments"]) if "arguments" in row else "")
    section("Data types", types(name))
    section("Attributes", bullets(row["attributes"]) if "attributes" in row else "")
    section("Layouts", row["layouts"].strip() + "\n" if "layouts" in row else "")
    section("Limits", bullets(row["limits"]) if "limits" in row else "")
    section("Differences from oneDNN", bullets(row["differences"]) if "differences" in row else "")
    if "line" in row:
        section("From a shell", "`run` computes a problem and compares it with the formula, `explain` shows the plan and what runs it, "
                f"`bench` times it:\n\n```sh\ntessera run \"{row['line']}\"\ntessera explain \"{row['line']}\"\n```\n")
    section("Example", example(name))
    return "\n".join(parts)


def main():
    destination = Path(sys.argv[1])
    destination.mkdir(parents=True, exist_ok=True)
    table = tomllib.loads((ROOT / "doc/primitives/table.toml").read_text())
    for name, row in table.items():
        (destination / f"{name}.md").write_text(page(name, row))
    rows = "\n".join(f"| [{row['title']}]({name}.md) | {row['summary']} |" for name, row in table.items())
    tree = "\n".join(table)
    (destination / "index.md").write_text(
        "# Primitives\n\nAll primitives, what each computes, its arguments, types, attributes and limits.\n\n"
        f"| primitive | |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n")


if __name__ == "__main__":
    main()
