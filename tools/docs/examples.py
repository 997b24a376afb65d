#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page for each example, and their list, from the comments at the top of the programs.

    tools/docs/examples.py DESTINATION [EXAMPLES]

A program of one file begins with the line of its licence and a comment, whose first sentence stands in the list. Its page
includes the source and, where it is there, the text that it prints. EXAMPLES: the folder, examples/ unless given. A program
without such a comment, or too long to be read at once, is named, and the exit code is 1.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GROUPS = [
    ("primitives", "cpp", "", "Primitives", "One for each primitive: its typical use, checked against a plain loop."),
    ("topics", "cpp", "", "Topics", "What programs do beyond one primitive."),
    ("c", "c", "c_", "C", "The same interface from C."),
]
LINES = 120  # programs of one file have fewer
LARGER = ["digits", "sequences", "cross_engine", "sycl_interop"]  # folders of several files or with needs of their own


def first_sentence(source):
    """Of the first comment that is not the licence; its lines joined. A line that ends with a colon is a whole one."""
    lines = []
    for line in source.splitlines():
        if line.startswith("// SPDX"):
            continue
        if not line.startswith("// "):
            break
        lines.append(line.removeprefix("// ").strip())
        if re.search(r"[.:]$", line):
            break
    return re.match(r".*?[.](?=\s|$)|.*", re.sub(r":$", ".", " ".join(lines)))[0]


def escaped(text):
    """Outside of `code` nothing is markup, and a table has no more columns."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_<>\[\]|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def page(path, sentence, examples):
    target = path.relative_to(examples).as_posix()
    parts = [f"# {target}\n", sentence + "\n",
             f"```{{literalinclude}} ../../examples/{target}\n:language: {'c' if path.suffix == '.c' else 'cpp'}\n```\n"]
    if (path.with_suffix(".txt")).exists():
        printed = path.with_suffix(".txt").relative_to(examples).as_posix()
        parts.append(f"It prints (`…` stands for what differs from run to run):\n\n"
                     f"```{{literalinclude}} ../../examples/{printed}\n:language: text\n```\n")
    return "\n".join(parts)


def main(destination, examples=ROOT / "examples"):
    destination, examples = Path(destination), Path(examples)
    destination.mkdir(parents=True, exist_ok=True)
    parts, names, faults = ["# Examples\n", "Programs to read and to copy. Those of one file need nothing but the header and the "
                            "library:\n", "```sh\ng++ -std=c++17 softmax.cpp -ldnnl -o softmax && ./softmax\n```\n"], [], []
    for folder, suffix, prefix, title, words in GROUPS:
        rows = []
        for path in sorted((examples / folder).glob("*." + suffix)):
            source = path.read_text(encoding="utf-8")
            sentence = escaped(first_sentence(source))
            if not sentence:
                faults.append(f"{path}: no comment at its top says what it shows")
            if (lines := len(source.splitlines())) >= LINES:
                faults.append(f"{path}: {lines} lines; examples have fewer than {LINES}: show less, or make two of it")
            names.append(prefix + path.stem)
            (destination / f"{names[-1]}.md").write_text(page(path, sentence, examples), encoding="utf-8")
            rows.append(f"| [{path.stem}]({names[-1]}.md) | {sentence} |")
        parts += [f"## {title}\n", words + "\n", "\n".join(["| program | |", "|---|---|", *rows]) + "\n"]
    rows = [f"| `examples/{name}` | {escaped(first_sentence((examples / name / 'main.cpp').read_text(encoding='utf-8')))} |"
            for name in LARGER if (examples / name / "main.cpp").exists()]
    parts += ["## Larger programs\n", "\n".join(["| folder | |", "|---|---|", *rows]) + "\n",
              "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"]
    (destination / "index.md").write_text("\n".join(parts), encoding="utf-8")
    print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
