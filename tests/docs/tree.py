#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of doc/ and the README without Sphinx: what they name exists.

    tests/docs/tree.py [ROOT]

- A relative link leads to a file of the repository or to a page that is generated, and its anchor to a heading there.
- A `literalinclude` names a file, and markers (`:start-after:`, `:end-before:`) that stand in it once, in this order.
- Pages for users contain no C or C++ of their own: it is included from an example, which is compiled and run. What the README
  shows of C++ and of output (```text) are lines of an example or of what one prints.
- The table of primitives (doc/primitives/table.toml) has an entry for every row of src/core/problem/primitives.def.
- Every page is named by a `toctree`, by name or by a pattern.
"""
import re
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```+|:::+)(.*)$")
NATIVE = {"c", "cpp", "c++", "cc", "cxx"}
CONTRIBUTORS = ("doc/decisions/", "doc/tour.md", "doc/adding.md", "doc/coverage-notes.md", "doc/benchmarks", "doc/clients.md", "README.md")
# rows of primitives.def that share a page, or whose page has another name
PAGE_OF = {"rnn": ("vanilla_rnn", "lstm", "gru")}


def anchor(heading):
    """As GitHub and MyST make it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def blocks(text):
    """(line number, argument of the fence or None, lines): fenced blocks, and each line outside of them."""
    fence, opened = None, None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if fence is None and match:
            fence, opened, lines = match[1], (number, match[2].strip()), []
        elif fence is None:
            yield number, None, [line]
        elif line.strip() == fence:
            yield *opened, lines
            fence = None
        else:
            lines.append(line)


def anchors(path):
    return {anchor(re.sub(r"[`*]", "", line[0].lstrip("#"))) for _, fence, line in blocks(path.read_text(encoding="utf-8"))
            if fence is None and line[0].startswith("#")}


def generated(root):
    """Pages that exist on the site alone."""
    table = tomllib.loads((root / "doc/primitives/table.toml").read_text(encoding="utf-8"))
    api = tomllib.loads((root / "doc/api/pages.toml").read_text(encoding="utf-8"))
    return ({root / f"doc/primitives/{name}.md" for name in [*table, "index"]}
            | {root / f"doc/api/{name}.md" for name in [*table, "index", "format_tags", *(row["file"] for row in api["page"])]}
            | {root / "doc/topics/error_list.md"})


def link_errors(root, page, line, target, made):
    if re.match(r"[a-z]+:", target):
        return
    path, _, part = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    if there in made and page != root / "README.md":
        return
    if not there.exists():
        yield f"{target} does not exist"
    elif part and there.suffix == ".md" and part not in anchors(there):
        yield f"{target}: no such heading"


def include_errors(root, page, name, options):
    path = (page.parent / name).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        yield f"{name} does not exist"
        return
    text, at = path.read_text(encoding="utf-8"), 0
    for line in options:
        option = re.match(r":(start-after|end-before):\s*(.*)", line)
        if option:
            if text.count(option[2]) != 1:
                yield f"{name} has '{option[2]}' {text.count(option[2])} times"
            elif text.index(option[2]) < at:
                yield f"{name}: '{option[2]}' comes before the start"
            else:
                at = text.index(option[2])


def tree_errors(root, pages, made):
    named = set()
    for page in pages:
        for number, fence, lines in blocks(page.read_text(encoding="utf-8")):
            if fence == "{toctree}":
                patterns = [re.sub(r".*<(.*)>", r"\1", line.strip()) for line in lines if line.strip() and not line.startswith(":")]
                for pattern in patterns:
                    full = (page.parent / pattern).as_posix() + ".md"
                    here = {other for other in [*pages, *made] if fnmatchcase(other.as_posix(), full)}
                    named |= here
    for page in pages:
        if page not in named and page not in (root / "doc/index.md", root / "README.md"):
            yield f"{page.relative_to(root)}: no toctree names this page"


def problems(root):
    made = generated(root)
    pages = [root / "README.md", *sorted((root / "doc").rglob("*.md"))]
    for page in pages:
        name = page.relative_to(root).as_posix()
        users = not name.startswith(CONTRIBUTORS)
        for number, fence, lines in blocks(page.read_text(encoding="utf-8")):
            where = f"{name}:{number}: "
            if fence is None:
                text = re.sub(r"`[^`]*`", "", lines[0])
                yield from (where + error for target in LINK.findall(text) for error in link_errors(root, page, number, target, made))
            elif fence.startswith("{literalinclude}"):
                yield from (where + error for error in include_errors(root, page, fence.split(maxsplit=1)[1], lines))
            elif page == root / "README.md" and fence in {*NATIVE, "text"}:
                shown = "\n".join(lines).strip()
                if not any(shown in path.read_text(encoding="utf-8") for path in (root / "examples").rglob("*.*")):
                    yield where + "these are not lines of an example"
            elif users and fence in NATIVE:
                yield where + "code on a page for users; include it from an example that is compiled and run"
    yield from tree_errors(root, pages, made)
    table = tomllib.loads((root / "doc/primitives/table.toml").read_text(encoding="utf-8"))
    for row in re.findall(r"^PRIMITIVE\((\w+),", (root / "src/core/problem/primitives.def").read_text(), re.MULTILINE):
        for entry in PAGE_OF.get(row, (row,)):
            if entry not in table:
                yield f"doc/primitives/table.toml: no entry {entry}, which src/core/problem/primitives.def has"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    found = list(problems(root))
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    print(f"docs: {len(list((root / 'doc').rglob('*.md')))} pages, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
