#!/usr/bin/env python3
"""What adding something costs: the files that somebody would have to edit by hand, counted in the tree as it is.

For each kind of addition the tables are read (types.def, tags.def, isa.def, ops.def, the folders of src/ops), and the
sources are searched for places that list their rows once more. A file beyond the allowed ones is a violation: either
the knowledge moves to its table, or the price below is raised on purpose.

    add            files  limit  largest example
    data type          4      4  types.def, core/types/convert.cpp, cpu/lanes/lanes.cpp, cpu/jit/codec.cpp
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
errors, table = [], []


def sources():
    """Files of src/ with comments taken out, so that examples in comments do not count. Tables are included."""
    texts = {}
    for path in sorted(SRC.rglob("*")):
        if path.suffix in {".cpp", ".hpp", ".def", ".inc"} and not re.search(r"(^|_)(test|bench)\.cpp$", path.name):
            text = path.read_text()
            if re.search(r"(generated|written) by tools/", "\n".join(text.splitlines()[:3]), re.IGNORECASE):
                continue
            text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            texts[path.relative_to(SRC).as_posix()] = re.sub(r"(?m)(^|\s)//.*$", "", text)
    return texts


TEXTS = sources()


def rows(table_file, macro):
    """First arguments of the rows of a table: TYPE(f16, 1, ...) gives f16."""
    return re.findall(rf"(?m)^{macro}\((\w+)", (SRC / table_file).read_text())


def naming(pattern):
    return {name for name, text in TEXTS.items() if re.search(pattern, text)}


def price(what, cost_of_each, limit, table_file=None):
    """cost_of_each: row -> files. The dearest row is the price."""
    own = {table_file} if table_file else set()
    row, files = max(cost_of_each.items(), key=lambda item: len(item[1] | own), default=("-", set()))
    files = sorted(files | own)
    table.append((what, len(files), limit, f"{row}: {', '.join(files)}"))
    if len(files) > limit:
        errors.append(f"{what} '{row}' costs {len(files)} files, {limit} allowed: {', '.join(files)}")


def forbid(what, pattern, allowed):
    for name in sorted(naming(pattern) - set(allowed)):
        line = next(l.strip() for l in TEXTS[name].splitlines() if re.search(pattern, l))
        errors.append(f"src/{name} {what}: {line}")


def format_tags():
    spelled = re.findall(r"(?m)^(?:TAG|ALIAS)\(\d+, (\w+)\)", (SRC / "core/desc/tags.def").read_text())
    # Names of one or two letters are also words, and the alphabet is also a tag. tags.cpp holds the families of letters
    # ("nchw") by which it reads every other name.
    others = {t for t in spelled if len(t) > 2} - {"any", "undef", "abcdefghijkl"}
    names = "|".join(sorted(others, key=len, reverse=True))
    pattern = rf'"(?:{names})"|\bdnnl_(?:{names})\b|FormatTag::(?:{names})\b'
    forbid("names a format tag outside tags.def", pattern, {"core/desc/tags.cpp"})
    price("format tag", {"any row": naming(pattern) - {"core/desc/tags.cpp"}}, 1, "core/desc/tags.def")
    return len(spelled)


def data_types():
    types = rows("core/types/types.def", "TYPE")
    allowed = {"core/types/convert.cpp", "cpu/lanes/lanes.cpp", "cpu/jit/codec.cpp"}
    forbid("switches over data types outside core/types and the portable loads and stores",
           rf"case DataType::(?:{'|'.join(types)})\b", allowed | {"core/types/types.cpp"})
    price("data type", {t: naming(rf"case DataType::{t}\b") for t in types}, 4, "core/types/types.def")
    return len(types)


def primitives():
    found = sorted(p.name for p in (SRC / "ops").iterdir() if p.is_dir())
    cost = {}
    for p in found:
        own = {f"src/ops/{p}/{part}.cpp" for part in ("desc", "ref", "lower")} | {f"src/api/primitives/{p}.cpp",
                                                                                 f"tests/inputs/{p}.txt"}
        errors.extend(f"primitive '{p}' has no {name}" for name in sorted(own) if not (ROOT / name).is_file())
        # Some are post-ops, too, under the same word: there the quoted name says nothing about the primitive.
        word = "" if p in post_op_kinds() else rf"|\"{p}\""
        shared = naming(rf"PrimitiveKind::{p}\b|\b(?:make|lower|ref)_{p}\b{word}") | {"core/problem/problem.hpp"}
        cost[p] = {name for name in shared if not name.startswith(f"ops/{p}/") and name != f"api/primitives/{p}.cpp"}
    # Beside its own five files: the kind's number and name, and the row with lower and ref. Reorder takes three more,
    # because its arguments have names of their own, its tensors may live on two engines, and it may run in place.
    price("primitive, beside its own 5", cost, 5)
    return len(found)


def instruction_sets():
    names = [n for n in rows("cpu/isa.def", "ISA")]
    pattern = rf"\b(?:{'|'.join(names)})\b"
    # portable/levels.hpp asks the compiler for the portable loops once more per vector length.
    allowed = {n for n in TEXTS if n in ("cpu/isa.def", "cpu/isa.cpp", "cpu/lanes/levels.hpp")
               or n.startswith("cpu/jit/emit/")}
    forbid("names an instruction set outside isa.def and the emitters", pattern, allowed)
    price("ISA, beside its emitter", {"any row": {n for n in naming(pattern) | {"cpu/isa.cpp"} if "emit_" not in n}}, 3,
          "cpu/isa.def")
    return len(names)


def program_ops():
    ops = rows("core/program/ops.def", "OP")
    # print and verify are fed by the table; eval gives the meaning, the engines their code.
    price("program op", {op: naming(rf"case OpCode::{op}\b") for op in ops}, 4, "core/program/ops.def")
    return len(ops)


def post_op_kinds():
    kinds = re.search(r"enum class PostOpKind[^{]*\{([^}]*)\}", TEXTS["core/attr/attr.hpp"])
    return [n for n in re.findall(r"(\w+)\s*(?:=\s*\d+)?\s*(?:,|$)", kinds[1].strip()) if n != "undef"]


def post_ops():
    names = post_op_kinds()
    shared = {n: {f for f in naming(rf"PostOpKind::{n}\b") if not f.startswith("ops/")} for n in names}
    price("post-op kind", shared, 5, "core/attr/attr.hpp")
    return len(names)


def main():
    counts = {"tags": format_tags(), "types": data_types(), "primitives": primitives(), "ISAs": instruction_sets(),
              "program ops": program_ops(), "post-op kinds": post_ops()}
    print("rows: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    print(f"{'add':<28} files limit  dearest row")
    for what, count, limit, example in table:
        print(f"{what:<28} {count:>5} {limit:>5}  {example}")
    for error in errors:
        print(f"cost: {error}", file=sys.stderr)
    print(f"cost: {len(table)} kinds of addition, {len(errors)} violations")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
