#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the messages of the library: the templates of all refusals in src/, by the families of doc/topics/errors.md.

    tools/docs/errors.py PAGE       write the page
    tools/docs/errors.py --check    say what is wrong with templates: one of no family, a family that the page does not have,
                                    a name of C that C++ programs would read (src/api/log/cpp_spellings.def), a "(s)"

In the list `…` stands for a value and N for a number.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPELLINGS = ROOT / "src/api/log/cpp_spellings.def"
PAGE = ROOT / "doc/topics/errors.md"

# Family: the sources whose messages are of it, first match.
FAMILIES = {
    "A pointer is null": ["src/api/guard.hpp"],
    "Memory descriptors": ["src/core/desc/", "src/api/objects/memory_desc.cpp"],
    "Memory objects": ["src/api/objects/memory.cpp"],
    "Engines, streams and threads": ["src/api/objects/engine.cpp", "src/api/objects/stream.cpp", "src/core/engine.cpp",
                                     "src/api/objects/threadpool.cpp", "src/api/execute.hpp"],
    "Attributes and post-ops": ["src/core/attr/", "src/api/objects/attr.cpp", "src/api/objects/post_ops.cpp",
                                "src/ops/epilogue_check.cpp"],
    "Descriptors of tensors": ["src/ops/descriptors.cpp", "src/ops/sides.cpp", "src/api/objects/primitive_desc.cpp"],
    "Problems of primitives": ["src/ops/", "src/api/primitives/"],
    "Queries": ["src/api/objects/query.cpp"],
    "Executions": ["src/api/arguments.cpp", "src/api/execute.cpp", "src/api/objects/primitive.cpp", "src/api/implementation.cpp",
                   "src/api/staged.cpp"],
    "Settings and variables": ["src/api/settings.cpp", "src/cpu/machine_row.cpp", "src/gpu/device_row.cpp"],
    "Devices": ["src/gpu/", "src/on_sycl/", "src/api/interop/"],
    "Calls that are not built": ["src/api/primitives/unbuilt"],
    "Errors of the library itself": ["src/core/plan/", "src/core/program/", "src/core/cache/", "src/cpu/",
                                     "src/api/guard.cpp"],
}
ORDER = ["Calls that are not built"] + [f for f in FAMILIES if f != "Calls that are not built"] # unbuilt before primitives
STATUS = {"invalid": "invalid_arguments", "unimplemented": "unimplemented", "out_of_memory": "out_of_memory",
          "runtime_error": "runtime_error"}
CALL = re.compile(r"\b(invalid|unimplemented|out_of_memory|runtime_error)\(\s*(\"(?:[^\"\\\n]|\\.)*\"(?:\s*\"(?:[^\"\\\n]|\\.)*\")*)"
                  r"|Status::(\w+),\s*(?:fmt::format\(\s*)?(\"(?:[^\"\\\n]|\\.)*\"(?:\s*\"(?:[^\"\\\n]|\\.)*\")*)")


def templates():
    """(file, status, template) of every refusal, in the order of the sources."""
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        if re.search(r"(^|_)(test|bench)\.cpp$", path.name):
            continue
        text = re.sub(r"(?m)^\s*//.*$", "", path.read_text())
        for match in CALL.finditer(text):
            literals = match[2] or match[4]
            whole = "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", literals)).replace('\\"', '"').replace("\\\\", "\\")
            yield path.relative_to(ROOT).as_posix(), STATUS.get(match[1], match[3]), whole


def family_of(file):
    for family in ORDER:
        if file.startswith(tuple(FAMILIES[family])):
            return family
    return None


def shown(template):
    """`{:dimension}` as "N dimensions", other values as an ellipsis."""
    text = re.sub(r"\{:([a-zA-Z][^{}|]*)(?:\|([^{}]*))?\}", lambda m: f"N {m[2] or m[1] + 's'}", template)
    return re.sub(r"\{[^{}]*\}", "…", text.replace("{{", "{").replace("}}", "}"))


def section_of(file):
    """Of a primitive's messages its name, of others nothing."""
    match = re.match(r"src/ops/(\w+)/", file) or re.match(r"src/api/primitives/(\w+)\.cpp", file)
    return match[1].replace("_", " ") if match else ""


def page():
    found = {}
    for file, status, template in templates():
        lines = found.setdefault(family_of(file), {}).setdefault(section_of(file), [])
        if (line := (status, shown(template))) not in lines:
            lines.append(line)
    out = ["---", "orphan: true", "---", "", "# All messages", "",
           "Every reason that the library gives, as it stands in the sources; `…` stands for a value, N for a number. What the "
           "families mean, and what to do, says [Errors](errors.md).", ""]
    for family in FAMILIES:
        if family not in found:
            continue
        out += [f"## {family}", ""]
        for section, lines in sorted(found[family].items()):
            if section:
                out += [f"### {section}", ""]
            for status in dict.fromkeys(s for s, _ in lines):
                out += [f"`{status}`:", "", "```text", *(text for s, text in lines if s == status), "```", ""]
    return "\n".join(out)


def wrong():
    known = set(re.findall(r"^SPELLING\((\w+)", SPELLINGS.read_text(), re.MULTILINE))
    headings = set(re.findall(r"(?m)^## (.*)$", PAGE.read_text()))
    count = 0
    for file, _, template in templates():
        count += 1
        if not family_of(file):
            yield f"{file}: no family of tools/docs/errors.py has its messages: {template}"
        for name in re.findall(r"\bdnnl_\w+", template):
            if name not in known:
                yield f"{file}: {name} has no spelling of C++ in {SPELLINGS.relative_to(ROOT)}: {template}"
        if "(s)" in template:
            yield f"{file}: {{:noun}} and counted() choose between one and many: {template}"
    for family in FAMILIES:
        if family not in headings:
            yield f"{PAGE.relative_to(ROOT)} has no section '{family}'"
    if count < 400:
        yield f"only {count} messages are found: the search is broken"


def main():
    if sys.argv[1:] == ["--check"]:
        lines = list(wrong())
        print(*(f"errors: {line}" for line in lines), sep="\n", end="\n" if lines else "")
        print(f"errors: {sum(1 for _ in templates())} messages, {len(lines)} violations")
        return 1 if lines else 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
