#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the API reference: Markdown with breathe's directives.

    tools/docs/api.py XML DESTINATION

XML is Doxygen's folder of the public headers. doc/api/pages.toml says which names stand on which page, and
doc/primitives/table.toml names the classes and calls of each primitive. Every public name stands on exactly one page: a name
that no page takes, and a pattern that takes nothing, are errors. The 1,674 enumerators of format tags, which would fill
hundreds of screens twice, are taken out of the XML and listed by themselves (format_tags.md).
"""
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIRECTIVE = {"class": "doxygenstruct", "struct": "doxygenstruct", "namespace": "doxygennamespace", "enum": "doxygenenum",
             "typedef": "doxygentypedef", "function": "doxygenfunction", "define": "doxygendefine", "variable": "doxygenvariable"}
OPTIONS = {"class": [":members:"], "struct": [":members:"], "namespace": [":content-only:"]}
# On a page: what a reader of C++ looks up, then the types and calls of C.
ORDER = ["namespace", "class", "struct", "enum", "typedef", "define", "function"]


def public_names(xml):
    """{(name, kind)}: what the headers declare, in the order of Doxygen's index; members of classes go with their class."""
    names = {}
    for compound in ET.parse(xml / "index.xml").getroot():
        kind, name = compound.get("kind"), compound.findtext("name")
        if kind in ("class", "struct") and name.count("::") <= 1:
            names[name, kind] = None
        elif kind == "namespace" and name != "dnnl":
            names[name, kind] = None
        if kind == "file" or name == "dnnl":
            scope = "dnnl::" if kind == "namespace" else ""
            for member in compound.findall("member"):
                if member.get("kind") in DIRECTIVE:
                    names[scope + member.findtext("name"), member.get("kind")] = None
    return list(names)


def introduction(header):
    """The comment at the top of a header as Markdown."""
    lines = []
    for line in (ROOT / "include/oneapi/dnnl" / header).read_text().splitlines():
        if not line.startswith("//"):
            break
        if "SPDX-License-Identifier" not in line:
            lines.append(re.sub(r"^///? ?", "", line))
    text, code = [], False
    for at, line in enumerate(lines):
        indented = line.startswith("    ") and not (code is False and text and re.match(r"\s+[-\S]", text[-1]) and in_list(text))
        if line.strip() in ("@code", "@endcode"):
            continue
        if indented and not code:
            text += ["", "```"]
            code = True
        elif code and line.strip() and not line.startswith("    "):
            text += ["```", ""]
            code = False
        text.append(line[4:] if code else line)
    return "\n".join(text + (["```"] if code else [])).replace("\n\n```\n\n", "\n```\n\n")


def in_list(text):
    """Whether the last lines are an item of a list, whose further lines are indented."""
    for line in reversed(text):
        if re.match(r"\s+- ", line):
            return True
        if not line.startswith("  "):
            return False
    return False


def block(name, kind):
    options = "\n".join(OPTIONS.get(kind, []))
    return f"```{{{DIRECTIVE[kind]}}} {name}\n" + (options + "\n" if options else "") + "```\n"


def page(title, text, headers, entries):
    """Markdown of a page."""
    parts = [f"# {title}\n", text.strip() + "\n" if text else ""]
    for header in headers:
        parts.append(f"`oneapi/dnnl/{header}`\n\n" + introduction(header) + "\n")
    cpp = [entry for entry in entries if entry[0].startswith("dnnl::")]
    c = [entry for entry in entries if not entry[0].startswith("dnnl::")]
    for heading, some in (("C++", cpp), ("C", c)):
        if some:
            parts.append(f"## {heading}\n")
            parts += [block(*entry) for entry in sorted(some, key=lambda entry: (ORDER.index(entry[1]), "backward" in entry[0]))]
    return "\n".join(part for part in parts if part)


def take(patterns, left, page_name):
    """The entries of `left` that match, in the order of the patterns; takes them out of it."""
    taken = []
    for pattern in patterns:
        here = [entry for entry in left if fnmatchcase(entry[0], pattern)]
        if not here:
            raise SystemExit(f"api: page {page_name}: no public name matches '{pattern}'")
        for entry in here:
            left.remove(entry)
        taken += here
    return taken


def format_tags(xml):
    """Takes the enumerators of format tags out of the XML; their names, those of C, in order."""
    names = []
    for file, enum in (("dnnl__types_8h.xml", "dnnl_format_tag_t"), ("structdnnl_1_1memory.xml", "format_tag")):
        tree = ET.parse(xml / file)
        for member in tree.getroot().iter("memberdef"):
            if member.get("kind") == "enum" and member.findtext("name") == enum:
                for value in member.findall("enumvalue"):
                    names.append((enum, value.findtext("name"), (value.findtext("initializer") or "").strip("= ")))
                    member.remove(value)
        tree.write(xml / file)
    tags = [(name.removeprefix("dnnl_"), value.removeprefix("dnnl_")) for enum, name, value in names if enum == "dnnl_format_tag_t"]
    if len(tags) < 1000:
        raise SystemExit(f"api: {len(tags)} format tags found: dnnl_format_tag_t is not where it was")
    return tags


def tags_page(tags):
    aliases = [(name, value) for name, value in tags if re.fullmatch(r"[a-z]\w*", value)]
    own = [name for name, value in tags if not re.fullmatch(r"[a-z]\w*", value) and not name.startswith(("format_tag_", "undef", "any"))]
    text = ["# Format tags\n",
            "All names of layouts, without their prefix: `dnnl::memory::format_tag::nchw` in C++, `dnnl_nchw` in C. How a name "
            "says where an element lies is told in [formats](../concepts/formats.md). `undef` and `any` are no layouts. Layouts "
            "without a name here are made by strides, or by their spelling with `dnnl_memory_desc_create_with_string_tag`.\n",
            "## Names by use\n", "| dimensions | name = letters |", "|---|---|"]
    text += [f"| {ndims} | " + ", ".join(f"`{name}` = `{value}`" for name, value in aliases if len(value) == ndims) + " |"
             for ndims in sorted({len(value) for _, value in aliases})]
    text.append("\n## Names by dimensions\n")
    for ndims in range(1, 13):
        letter = chr(ord("a") + ndims - 1)
        some = [name for name in own if max(re.sub("[^A-La-l]", "", name).lower()) == letter]
        if some:
            text.append(f"### {ndims} dimension{'s' if ndims > 1 else ''}\n\n" + " ".join(f"`{name}`" for name in some) + "\n")
    return "\n".join(text)


def without_derived(xml):
    """Takes the lists of derived classes out: every primitive is derived from one."""
    for file in xml.glob("*.xml"):
        text = file.read_text()
        if "<derivedcompoundref" in text:
            file.write_text(re.sub(r" *<derivedcompoundref.*</derivedcompoundref>\n", "", text))


def main():
    xml, destination = Path(sys.argv[1]), Path(sys.argv[2])
    destination.mkdir(parents=True, exist_ok=True)
    tags = format_tags(xml)
    without_derived(xml)
    (destination / "format_tags.md").write_text(tags_page(tags))
    left = public_names(xml)
    pages = tomllib.loads((ROOT / "doc/api/pages.toml").read_text())
    table = tomllib.loads((ROOT / "doc/primitives/table.toml").read_text())
    take(pages["left_out"], left, "left_out")
    for name, row in table.items():
        entries = take(row["cpp"] + row["c"], left, name)
        text = f"What it computes, its arguments, types and limits: [{row['title']}](../primitives/{name}.md)."
        (destination / f"{name}.md").write_text(page(f"API: {row['title']}", text, [], entries))
    for row in pages["page"]:
        entries = take(row["names"], left, row["file"])
        (destination / f"{row['file']}.md").write_text(page(row["title"], row.get("text"), row.get("headers", []), entries))
    if left:
        raise SystemExit("api: no page takes " + ", ".join(name for name, _ in left))
    subjects = "\n".join(row["file"] for row in pages["page"])
    primitives = "\n".join(f"{row['title']} <{name}>" for name, row in table.items())
    (destination / "index.md").write_text(
        "# API reference\n\nThe public headers, by subject. C++ is `oneapi/dnnl/dnnl.hpp`, C is `oneapi/dnnl/dnnl.h`; both are the "
        "oneDNN interface of version 3.13, and the members that are marked v2 are that of version 2.\n\n## By subject\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{subjects}\nformat_tags\n```\n\n## Primitives\n\n```{{toctree}}\n:maxdepth: 1\n\n{primitives}\n```\n")


if __name__ == "__main__":
    main()
