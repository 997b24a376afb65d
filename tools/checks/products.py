#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms of products: how much there is to know for somebody who changes how a product runs.

Counted over all files of ROOMS but tests and benchmarks:

    lines              of all files
    named constants    constexpr of arithmetic type (or arrays of one), wherever it stands, each name
    other numbers      literals that are no value of a named constant, but for 0, 1, 2 and -1
    members            data members of the class that has the most
    longest function   lines from its head to its closing brace

LIMITS are what the tree has. They only go down: a change that needs more of one takes it from somewhere else.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Folders, some of which a tree may lack.
ROOMS = ["src/cpu/tiles/dot", "src/cpu/products", "src/cpu/tiles/few", "src/cpu/tiles/amx"]
LIMITS = {"lines": 6811, "named constants": 97, "other numbers": 659, "members": 35, "longest function": 54}

NOT_COUNTED = re.compile(r"(^|_)test\.cpp$|^bench\.cpp$")
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE)
ARITHMETIC = r"(?:bool|char|short|int|long|unsigned|float|double|size_t|std::size_t|u?int(?:8|16|32|64)_t)"
CONSTANT = re.compile(rf"\bconstexpr\s+(?:(?:static|inline|const)\s+)*(?:{ARITHMETIC}\s+)+(?=\w+\s*(?:=|\{{|\[))"
                      rf"|\bconstexpr\s+(?:(?:static|inline|const)\s+)*auto\s+(?=\w+\s*=\s*-?\d)")
NUMBER = re.compile(r"(?<![\w.])(?:0[xXbB][0-9a-fA-F']+|\d[\d']*(?:\.[\d']*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)\w*")
OF_NO_ACCOUNT = {0, 1, 2}  # and -1, which is a sign and a 1
TYPE = re.compile(r"\b(class|struct|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)[^;{}()=]*$")
NO_MEMBER = re.compile(r"^(?:using|friend|static|typedef|template|enum|constexpr|public|private|protected)\b")


def code_of(path):
    """The text of a file without comments, directives and what is between quotes; lines stay where they are."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return BLANKED.sub(blank, path.read_text())


def end_of_statement(code, at):
    """Where the declaration that goes on at `at` ends, and the commas between its names."""
    depth, commas = 0, 0
    for i in range(at, len(code)):
        c = code[i]
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c == ";":
            return i, commas
        commas += depth == 0 and c == ","
    return len(code), commas


def value_of(number):
    """None of what is no number of C++."""
    digits = number.replace("'", "").rstrip("uUlLzZ")
    try:
        return int(digits, 0) if re.fullmatch(r"0[xXbB][\da-fA-F]+|\d+", digits) else float(digits.rstrip("fF"))
    except ValueError:
        return None


def numbers(code):
    """How many constants have names, and how many other numbers there are."""
    named, rest, at = 0, [], 0
    for match in CONSTANT.finditer(code):
        end, commas = end_of_statement(code, match.end())
        named += 1 + commas
        rest.append(code[at:match.start()])
        # A table has a name, the numbers in it have none.
        rest.append(code[match.start():end] if re.match(r"\w+\s*\[", code[match.end():]) else "")
        at = end
    rest.append(code[at:])
    values = [value_of(n[0]) for n in NUMBER.finditer("\n".join(rest))]
    return named, sum(v is not None and v not in OF_NO_ACCOUNT for v in values)


def blocks(code):
    """Each block of braces: (the text before it, where that begins, where the block begins and ends, depth of functions)."""
    open_blocks, start, functions = [], 0, 0
    for i, c in enumerate(code):
        if c == "{":
            head = code[start:i]
            is_function = "(" in head and not re.search(r"\bnamespace\b", head) and not TYPE.search(head)
            open_blocks.append((head, start, i, functions, is_function))
            functions += is_function
        elif c == "}" and open_blocks:
            head, begin, at, depth, is_function = open_blocks.pop()
            functions -= is_function
            yield head, begin, at, i, depth, is_function
        if c in "{};":
            start = i + 1


def longest_function(code):
    """Lines, and the line that it begins in."""
    found = [(0, 0)]
    for head, begin, _, end, depth, is_function in blocks(code):
        if is_function and depth == 0:
            first = begin + len(head) - len(head.lstrip())
            found.append((code.count("\n", first, end) + 1, code.count("\n", 0, first) + 1))
    return max(found)


def flat(text):
    """Without what is within braces, parentheses and the angles of templates."""
    out, depth = [], 0
    for c in text:
        if c == "}":
            depth -= 1
        if depth == 0:
            out.append(c)
        if c == "{":
            depth += 1
    text, before = re.sub(r"\(\s*\*\s*(\w+)\s*\)\s*\([^()]*\)", r" \1", "".join(out)), None  # a pointer to a function
    while text != before:
        text, before = re.sub(r"(?<=\w)<[^<>;{}]*>", "", text), text
    before = None
    while text != before:
        text, before = re.sub(r"\([^()]+\)", "()", text), text
    return re.sub(r"\b(?:public|private|protected)\s*:", "", text)


def members(body):
    """Data members of a class whose body this is."""
    count = 0
    for piece in re.split(r";|(?<=\}\n)", flat(body)):
        # What ends with a block and no semicolon is a function; a declaration may follow it.
        piece = re.sub(r"^.*\(\)[^;]*\{\}", "", piece.strip(), flags=re.DOTALL).strip()
        piece = re.sub(r"^(?:struct|class|union|enum)\b[^;{]*\{\}", "type", piece)  # a type of its own, with names or none
        piece = re.sub(r"\{\}|\[[^\]]*\]", "", piece)
        piece = re.sub(r"=[^,]*", "", piece)
        if not piece or NO_MEMBER.match(piece) or "()" in piece or "operator" in piece or piece == "type":
            continue
        if re.match(r"(?:struct|class|union)\s+\w+$", piece):
            continue
        count += 1 + piece.count(",")
    return count


def fullest_class(code):
    found = [(0, "")]
    for head, _, at, end, _, _ in blocks(code):
        match = TYPE.search(head)
        if match:
            found.append((members(code[at + 1:end]), match[2]))
    return max(found)


def main():
    files = [path for room in ROOMS if (ROOT / room).is_dir() for path in sorted((ROOT / room).rglob("*"))
             if path.suffix in {".cpp", ".hpp", ".def", ".inc"} and not NOT_COUNTED.search(path.name)]
    counts = dict.fromkeys(LIMITS, 0)
    where = {}
    for path in files:
        name, code = path.relative_to(ROOT).as_posix(), code_of(path)
        counts["lines"] += code.count("\n")
        named, others = numbers(code)
        counts["named constants"] += named
        counts["other numbers"] += others
        most, of_class = fullest_class(code)
        if most > counts["members"]:
            counts["members"], where["members"] = most, f"{of_class} in {name}"
        lines, at = longest_function(code)
        if lines > counts["longest function"]:
            counts["longest function"], where["longest function"] = lines, f"{name}:{at}"
    failed = False
    for what, count in counts.items():
        place = f" ({where[what]})" if what in where else ""
        if count > LIMITS[what]:
            print(f"products: {what}: {count}{place}; {LIMITS[what]} is the limit, which only goes down", file=sys.stderr)
            failed = True
        elif count < LIMITS[what]:
            print(f"products: {what}: {count}{place}, {LIMITS[what] - count} under the limit: lower it")
    print(f"products: {len(files)} files, " + ", ".join(f"{what} {count}" for what, count in counts.items()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
