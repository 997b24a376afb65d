#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a copy of doc/ ready for Sphinx, in place.

    tools/docs/pages.py SOURCE

Markers of `literalinclude` get quotes, because `[name]` is a list in YAML. Links to programs under examples/ become links to their
pages (examples.py); those to other files of the repository that are not pages of the site become the path, as code. In a
`toctree` a line with `*` becomes the pages that no other line names, sorted, and lines whose page does not exist are left out:
pages appear when they are written.
"""
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
MARKER = re.compile(r"^:(start-after|end-before): *(\[.*\]) *$", re.MULTILINE)
EXAMPLE = re.compile(r"examples/(primitives|topics|c)/(\w+)[.]c(?:pp)?")
TOCTREE = re.compile(r"(```\{toctree\}\n)(.*?)(\n```)", re.DOTALL)


def without_foreign_links(text, page, source):
    def replaced(match):
        words, target, _ = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        here = (page.parent / target).resolve()
        if here.is_relative_to(source) and here.exists():
            return match[0]
        path = os.path.relpath(ROOT / "doc" / page.relative_to(source).parent / target, ROOT)
        if example := EXAMPLE.fullmatch(path):
            its_page = source / "examples" / f"{'c_' if example[1] == 'c' else ''}{example[2]}.md"
            if its_page.exists():
                return f"[{words}]({os.path.relpath(its_page, page.parent)})"
        return f"`{path}`" if words.strip("`") in ("", path, target, Path(path).name) else f"{words} (`{path}`)"
    return LINK.sub(replaced, text)


def with_trees(text, page, source):
    def pages_of(pattern):
        return sorted(os.path.relpath(path, page.parent).removesuffix(".md") for path in page.parent.glob(pattern + ".md"))

    def name_of(line):
        """`name` of a line `name` or `title <name>`."""
        return re.sub(r".*<(.*)>", r"\1", line.strip())

    named = {name_of(line) for match in TOCTREE.finditer(text) for line in match[2].splitlines() if "*" not in line}

    def replaced(match):
        lines = []
        for line in match[2].splitlines():
            if "*" in line:
                lines += [name for name in pages_of(line.strip()) if name not in named and name != page.stem]
            elif not line.strip() or line.startswith(":") or (page.parent / (name_of(line) + ".md")).exists():
                lines.append(line)
        return match[1] + "\n".join(lines) + match[3]
    return TOCTREE.sub(replaced, text)


def main():
    source = Path(sys.argv[1]).resolve()
    for page in sorted(source.rglob("*.md")):
        text = page.read_text()
        text = MARKER.sub(r':\1: "\2"', text)
        page.write_text(with_trees(without_foreign_links(text, page, source), page, source))


if __name__ == "__main__":
    main()
