#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the enumerators of the C++ interface from the table of its names.

Reads cpp-api.tsv (columns: version scope kind name signature access header_v2 header_v3 value_v2
value_v3 condition) and rewrites two things in place, so that the table stays the one source:
  - between `// enumerators: SCOPE` and `// end of enumerators` in the headers: one line per enumerator
    of dnnl::SCOPE. A trailing `///<` comment that is already there is kept.
  - all of cpp/format_tags.inc, the body of memory::format_tag.
Enumerators of the old version alone are written by hand after the marked region.

    tools/api/generate_cpp_enums.py FACTS_DIR [--check]     # --check: write nothing, exit 1 on a difference
"""
import argparse
import csv
import pathlib
import re
import sys

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include" / "oneapi" / "dnnl"
REGION = re.compile(r"^(?P<indent> *)// enumerators: (?P<scope>\S+)\n(?P<body>.*?)^ *// end of enumerators\n", re.S | re.M)
ZERO_OR_ONE = {"DNNL_EXPERIMENTAL_GROUPED_MEMORY"}  # always defined; the other switches are defined or not
TAGS_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// The enumerators of dnnl::memory::format_tag; included inside the body of that enumeration.
// Written by tools/api/generate_cpp_enums.py. A tag spells dimensions from slowest to fastest varying:
// letters a b c ... (or n c d h w, g o i, t l) in logical order; a capital letter is blocked as well;
// after the letters come the inner blocks, outermost first: aBcd16b = outer a, b/16, c, d, then 16 of b.
"""


def read_enumerators(facts):
    """{scope: [(name, C name, condition)]}, in the order of declaration."""
    scopes = {}
    with open(facts / "cpp-api.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] != "enumerator" or row["version"] == "v2":
                continue
            name, c_name = [part.strip() for part in row["signature"].split("=")]
            scope = row["scope"].replace("dnnl::", "", 1)
            condition = row["condition"] or ""
            if condition == "DNNL_EXPERIMENTAL_UKERNEL":
                condition = ""  # all of that header is behind the switch
            scopes.setdefault(scope, []).append((name, c_name, condition))
    return scopes


def lines_of(enumerators, indent, docs):
    out = []
    for name, c_name, condition in enumerators:
        line = f"{indent}{name} = {c_name},{docs.get(name, '')}\n"
        test = "#if" if condition in ZERO_OR_ONE else "#ifdef"
        out.append(f"{test} {condition}\n{line}#endif\n" if condition else line)
    return "".join(out)


def listed(body):
    """The enumerators a region already has, as read_enumerators() gives them."""
    condition, out = "", []
    for line in body.splitlines():
        if line.startswith("#"):
            condition = line.partition(" ")[2]
        elif found := re.match(r" *(\w+) = (\w+),", line):
            out.append((found[1], found[2], condition))
    return out


def rewritten(text, scopes):
    def region(match):
        if listed(match["body"]) == scopes[match["scope"]]:
            return match[0]  # nothing to do: keep the formatting
        docs = dict(re.findall(r"^ *(\w+) = \w+,( +///<.*)$", match["body"], re.M))
        body = lines_of(scopes[match["scope"]], match["indent"], docs)
        return f"{match['indent']}// enumerators: {match['scope']}\n{body}{match['indent']}// end of enumerators\n"

    return REGION.sub(region, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    scopes = read_enumerators(options.facts)
    wanted = {path: rewritten(path.read_text(), scopes) for path in sorted(INCLUDE.rglob("*.hpp"))}
    wanted[INCLUDE / "cpp" / "format_tags.inc"] = TAGS_HEAD + lines_of(scopes["memory::format_tag"], "", {})
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{'differs' if options.check else 'wrote'}: {path.relative_to(INCLUDE)}")
        if not options.check:
            path.write_text(wanted[path])
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
