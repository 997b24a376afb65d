#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public headers: every function and constructor is described, parameter by parameter.

Functions are the calls of the C headers and, in the C++ headers, free functions and public or protected members. Each has
a comment of /// lines just before it whose @param names are its parameters, each once and in their order, and, where it
returns a value, a @returns. Private members, namespaces called detail, destructors and defaulted or deleted functions
need none. No public header names a row of a table that its readers do not have (REO-07), or leaves to an "Errors:"
paragraph what @returns should say. A C call says "dnnl_unimplemented whatever the arguments" if and only if it is a row of
src/api/primitives/unbuilt_*.inc for all builds.
"""
import re
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"\b(?!AVX-)[A-Z]{2,4}-\d{2,3}\b")
PARAM = re.compile(r"^@param(?:\[[a-z,]+\])?[ \t]+(\w+)[ \t]+\S", re.M)
OF_SOME_BUILDS = {"unbuilt_opencl", "unbuilt_sycl"}  # others have these calls
UNBUILT = "dnnl_unimplemented whatever the arguments"
PARAM_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*$")

# line: of the declaration; scope: of the classes around it; parameters: their names; value: whether there is one to
# describe; doc: text of the comment
Function = namedtuple("Function", "line scope name parameters value doc")


def blank(text):
    """The text with comments, literals and preprocessor lines as spaces: the same length, the same lines."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', spaces, text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)
    return re.sub(r"^[ \t]*[A-Z_]+\([\w:]*\)[ \t]*$", spaces, text, flags=re.M)  # a macro on a line of its own


def closing(text, start):
    """Where the bracket at `start` is closed."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    raise ValueError("unbalanced brackets")


def split(parameters):
    """Parameters at the commas outside brackets; angle brackets count, as no default value compares."""
    parts, depth = [""], 0
    for letter in parameters:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def names_of(parameters):
    """Names of the parameters that have one."""
    names = []
    for part in split(parameters):
        declared = part.split("=")[0].strip()
        name = PARAM_NAME.search(declared)
        if name and len(re.findall(r"[\w>*&]+", declared)) > 1:  # not a type alone
            names.append(name[1])
    return names


def without_template(head):
    """A declaration behind its template<...>."""
    head = head.strip()
    while head.startswith("template"):
        depth = 0
        for at in range(head.index("<"), len(head)):
            depth += (head[at] == "<") - (head[at] == ">")
            if depth == 0:
                break
        head = head[at + 1:].strip()
    return head


def doc_before(lines, line):
    """The /// comment that ends just above `line` (0-based)."""
    found = []
    while line > 0 and re.match(r"\s*///(?!<)", lines[line - 1]):
        line -= 1
        found.insert(0, lines[line].strip()[3:].strip())
    return "\n".join(found)


def function_of(head, class_name):
    """(name, parameter list, has a value) of a declaration, None if it declares no function that needs a text."""
    head = without_template(head)
    if "(" not in head or re.match(r"(typedef|using|friend|static_assert|enum|extern)\b", head):
        return None
    head = re.sub(r"__attribute__\s*\(\(.*?\)\)|decltype\s*\(\w+\)", "", head)
    operator = re.search(r"\boperator\s*(\(\)|\[\]|[^\w\s(]+|\s\w+)", head)
    start = head.index("(", operator.end() if operator else 0)
    name = "operator" + operator[1].strip() if operator else re.search(r"([~\w:]+)\s*$", head[:start])[1]
    before = head[:operator.start() if operator else start - len(name)].strip()
    end = closing(head, start)
    if name.startswith("~") or re.search(r"=\s*(default|delete)\s*$", head[end:]) or "::" in name:
        return None  # of the three, the last is defined elsewhere and described where it is declared
    if "=" in before:  # a variable's first value is a call
        return None
    value = name != class_name and not re.search(r"\bvoid$", before) and not re.match(r"operator[\w ]*=$", name)
    return name, head[start + 1:end], value


def functions(text):
    """Every function of a header that its readers may call."""
    code, lines, found = blank(text), text.split("\n"), []
    scopes = []  # (class name or "", hidden)
    at = start = 0
    hidden = lambda: any(scope[1] for scope in scopes)

    def declare(end):
        head = code[start:end]
        made = function_of(head, scopes[-1][0] if scopes else "")
        if made and not hidden():
            first = start + len(head) - len(head.lstrip())
            line = code.count("\n", 0, first)
            name, parameters, value = made
            scope = "::".join(outer for outer, _ in scopes if outer)
            found.append(Function(line + 1, scope, name, names_of(parameters), value, doc_before(lines, line)))
        return made

    while at < len(code):
        letter = code[at]
        if letter in "([":
            at = closing(code, at)
        elif letter == ";":
            declare(at)
            start = at + 1
        elif letter == ":" and re.search(r"\b(public|protected|private)\s*$", code[start:at]):
            scopes[-1] = (scopes[-1][0], code[start:at].strip() == "private")
            start = at + 1
        elif letter == "}":
            if scopes:
                scopes.pop()
            start = at + 1
        elif letter == "{":
            head = without_template(code[start:at])
            kind = re.match(r"(?:typedef\s+)?(namespace|struct|class|enum|union|extern)\b\s*(?:class\s+)?(\w*)", head)
            if kind and kind[1] in ("namespace", "struct", "class", "extern") and "(" not in head:
                traits = re.match(r"struct handle_traits<", head)
                scopes.append((kind[2], kind[2] == "detail" or bool(traits)))
                start = at + 1
            else:
                declare(at)
                at = closing(code, at)
                start = at + 1
        at += 1
    return found


def unbuilt_calls():
    """Names of the C calls without an implementation."""
    tables = (t for t in (ROOT / "src/api/primitives").glob("unbuilt_*.inc") if t.stem not in OF_SOME_BUILDS)
    return {name for table in tables for name in re.findall(r"^UNBUILT\(\w+, (\w+),", table.read_text(), re.M)}


def complaints(text, unbuilt=frozenset()):
    """(line, what is wrong) of a header."""
    for number, line in enumerate(text.split("\n"), 1):
        for row in ROW.findall(line):
            yield number, f"{row} names a row of a table that readers of a public header do not have"
        if re.match(r"\s*///\s*Errors:", line):
            yield number, "say errors with @returns"
    for function in functions(text):
        if not function.doc:
            yield function.line, f"{function.name} has no /// comment"
            continue
        said = PARAM.findall(function.doc)
        if said != function.parameters:
            yield function.line, (f"{function.name}: @param says ({', '.join(said)}), "
                                  f"the declaration ({', '.join(function.parameters)})")
        if function.value != ("@returns" in function.doc):
            yield function.line, (f"{function.name}: " + ("no @returns" if function.value else "@returns, but no value"))
        if (function.name in unbuilt) != (UNBUILT in function.doc):
            why = f'does not say "{UNBUILT}"' if function.name in unbuilt else f'says "{UNBUILT}", but is implemented'
            yield function.line, f"{function.name} {why}"


def main():
    headers = sorted(p for p in (ROOT / "include").rglob("*") if p.suffix in {".h", ".hpp", ".in"})
    failed = described = 0
    unbuilt = unbuilt_calls()
    for path in headers:
        described += len(functions(path.read_text()))
        for line, why in complaints(path.read_text(), unbuilt):
            print(f"{path.relative_to(ROOT)}:{line}: {why}", file=sys.stderr)
            failed += 1
    print(f"headers: {described} functions in {len(headers)} headers, {failed} badly described")
    return 1 if failed or not described else 0


if __name__ == "__main__":
    sys.exit(main())
