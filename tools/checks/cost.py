#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What adding something costs: the files that somebody would have to edit by hand, counted in the tree as it is.

For each kind of addition the tables are read (types.def, tags.def, isa.def, ops.def, primitives.def, the folders of
tiles), and the tree is searched for places that list their rows once more. A file beyond the allowed ones is a
violation: either the knowledge moves to its table, or the price below is raised on purpose. Primitives are counted over
src, tools, bench and tests, the others over src.

    add            files  limit  largest example
    data type          4      4  types.def, core/types/convert.cpp, cpu/lanes/lanes.cpp, cpu/jit/codec.cpp
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
errors, table = [], []


CODE = {".cpp", ".hpp", ".def", ".inc", ".c", ".h"}
SCRIPTS = {".py", ".sh", ".txt", ".cmake", ""}


def read(path):
    """The text of a file without its comments, so that examples in them do not count; None of generated files."""
    try:
        text = path.read_text()
    except UnicodeDecodeError:  # data
        return None
    if re.search(r"(generated|written) by tools/", "\n".join(text.splitlines()[:3]), re.IGNORECASE):
        return None
    if path.suffix in CODE:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        return re.sub(r"(?m)(^|\s)//.*$", "", text)
    return re.sub(r"(?m)(^|\s)#.*$", "", text)


def sources():
    """Files of src/, tables included."""
    texts = {}
    for path in sorted(SRC.rglob("*")):
        if path.suffix in {".cpp", ".hpp", ".def", ".inc"} and not re.search(r"(^|_)(test|bench)\.cpp$", path.name):
            text = read(path)
            if text is not None:
                texts[path.relative_to(SRC).as_posix()] = text
    return texts


def whole_tree():
    """Files of src, tools, bench and tests, scripts and lists of problems included; golden texts are written by tests."""
    texts = {}
    for folder in ("src", "tools", "bench", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            golden = name == "tools/checks/cost.py" or name.startswith("tests/golden/") and not name.endswith(("problems.txt", ".cpp"))
            if path.is_file() and path.suffix in CODE | SCRIPTS and "__pycache__" not in name and not golden:
                text = read(path)
                if text is not None:
                    texts[name] = text
    return texts


TEXTS = sources()
TREE = whole_tree()


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


# Lists of primitives that a new one need not join.
NOT_JOINED = {
    "tests/differential/quirks.cpp": "results of another library that are wrong; none are known of a new primitive",
    "tests/api/runtime/attributes_test.cpp": "the attributes' own calls; primitives are examples of who takes what",
    "tests/api/suggestions_test.cpp": "what refusals of some suggest, as examples",
    "tests/api/enumerations_test.cpp": "enumerators of the families that there are; hostile_test has every call",
    "tools/api/generate_cpp_surface_test.py": "names of version 2 for those whose names have changed",
    "bench/devices/networks.txt": "problems whose time on a GPU is predicted, as examples",
    "bench/movers/pointwise_cases.cpp": "benchmarks of some; those of a new one are a file of their own",
}


# A primitive whose rules, plans and problem lines are those of another one, which has a file for both.
OTHER_SIDES = {"deconvolution": "convolution"}


def is_own(file, primitive):
    family = {primitive} | {p for pair in OTHER_SIDES.items() if primitive in pair for p in pair}
    return any(re.search(rf"(?:^|[/_.]){p}s?(?:[/_.]|$)", file) for p in family)


def primitives():
    found = rows("core/problem/primitives.def", "PRIMITIVE")
    naming_of = {}
    for p in found:
        parts = (p,) if p in OTHER_SIDES else (p, "desc", "ref", "lower")
        own = {f"src/ops/{p}/{part}.cpp" for part in parts}
        own |= {f"{folder}/{p}.cpp" for folder in ("src/api/primitives", "tools/tessera/primitives",
                                                   "tests/fuzz/problems", "tests/differential/primitives",
                                                   "tests/differential/calls")}
        own |= {f"tests/{folder}/{p}.txt" for folder in ("inputs", "system/out_of_memory", "system/creation_cost")}
        errors.extend(f"primitive '{p}' has no {name}" for name in sorted(own) if not (ROOT / name).is_file())
        # Some are post-ops, too, under the same word: there the quoted name says nothing about the primitive.
        word = "" if p in post_op_kinds() else rf'|"{p}"'
        directions = "(?:_forward|_backward|_backward_data|_backward_weights)?"
        pattern = (rf"PrimitiveKind::{p}\b|\b(?:make|lower|ref|random|add)_{p}{directions}\b|\b{p}_(?:row|work)\b"
                   rf"|\bPRIMITIVE\({p}\b|\bdnnl(?:_|::){p}{directions}(?:_primitive_desc_create)?\b"
                   rf"|(?m:^{p} --){word}")
        line = rf'|"{p} -'  # in a help it is an example
        naming_of[p] = {file for file, text in TREE.items() if not is_own(file, p)
                        and p in text  # as in every alternative; most files are done
                        and re.search(pattern + (line if file.startswith("tests/") else ""), text)}
    # In tests and benchmarks one primitive is an example of many; what names more than half of them is a list.
    half = len(found) // 2
    def shared(file):
        if file in NOT_JOINED:
            return False
        if file.startswith(("src/", "tools/")):
            return True
        return sum(file in files for files in naming_of.values()) > half
    cost = {p: {file for file in files if shared(file)} for p, files in naming_of.items()}
    for p in ("shuffle", "matmul"):
        table.append((f"  {p}", len(cost[p]), 6, ", ".join(sorted(cost[p]))))
    price("primitive, beside its own 12", cost, 6)
    return len(found)


def tiles():
    # Executors ask each tile in turn for its job.
    names = [d.name for d in (SRC / "cpu/tiles").iterdir() if d.is_dir()]
    price("tile, beside its folder", {n: {f for f in naming(rf"\bmake_\w*{n}\w*_job\b")
                                          if not f.startswith(("cpu/tiles/", "cpu/products/"))} for n in names}, 2)
    return len(names)


def engines():
    names = {"portable/executable": "src/cpu/portable/", "executor/generated": "src/cpu/executor/"}
    price("engine, beside its folder",
          {name: {file for file, text in TREE.items() if file.startswith("src/") and not file.startswith(folder)
                  and f'#include "cpu/{name}' in text} for name, folder in names.items()}, 2)
    return len(names)


def algorithms():
    # Of eltwise, which have the most: their definition, forward and backward programs and errors. relu has one more, the
    # rules of normalizations, because it is the post-op of batch normalization. Recurrent cells are made of three of them,
    # and another one is none of theirs.
    names = re.findall(r"ALG\((eltwise_\w+),", (SRC / "core/attr/alg_kinds.def").read_text())
    names = [n for n in names if not n.endswith("_use_dst_for_bwd")]
    price("eltwise algorithm", {n: {f for f in naming(rf"\b{n}\b") if not f.startswith("ops/rnn/")} for n in names},
          7, "core/attr/alg_kinds.def")
    return len(names)


def processors():
    # Another row of machines is a combination of features: where they are named, and where the tests find machines.
    names = rows("cpu/isa.def", "ISA")
    pattern = rf"\b(?:{'|'.join(names)})\b"
    price("processor", {"any row": {f for f, text in TREE.items() if not re.search(r"/jit/emit/|/(tiles|products)/.*test\.cpp|_test\.cpp", f)
                                    and f.startswith(("src/cpu/", "tests/machines/", "tools/"))
                                    and re.search(pattern, text)}}, 2)
    return len(names)



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
    # print and verify are fed by the table; eval gives the meaning; portable, generated and device code have a case each.
    price("program op", {op: naming(rf"case OpCode::{op}\b") for op in ops}, 5, "core/program/ops.def")
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
              "program ops": program_ops(), "post-op kinds": post_ops(),
              "tiles": tiles(), "engines": engines(), "algorithms": algorithms(), "processors": processors()}
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
