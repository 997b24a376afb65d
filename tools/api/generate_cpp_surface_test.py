#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes two tests: one compile-time check per row of the table of C++ names.

Reads cpp-api.tsv (see generate_cpp_enums.py for its columns). tests/api/cpp/surface_test.cpp gets the present
interface, tests/api/cpp/v2_spelling_test.cpp the rows of the old version alone (checked by a call, since
arguments may have got defaults). Prints what has no mechanical check - cpp_surface_templates_test.cpp has
those, by hand - and what of the old version is not offered, with the reason.

    tools/api/generate_cpp_surface_test.py FACTS_DIR
"""
import argparse
import csv
import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "api"
SURFACE = """\
// SPDX-License-Identifier: Apache-2.0
// One compile-time check per name of the C++ interface: it exists, with its signature, access and value.
// Written by tools/api/generate_cpp_surface_test.py from the table of names; do not edit.
// covers: CPP-010 CPP-200 CPP-201 CPP-202 CPP-203 CPP-204 CPP-205 CPP-206 CPP-207 CPP-208 CPP-210
// covers: ENU-01 ENU-02 ENU-03 ENU-04 ENU-05 ENU-06 ENU-07 ENU-08 ENU-09 ENU-10 ENU-11 ENU-12 ENU-13 IOP-06
"""
SPELLING = """\
// SPDX-License-Identifier: Apache-2.0
// One compile-time check per name that only the previous version of the C++ interface had: it still compiles.
// Written by tools/api/generate_cpp_surface_test.py from the table of names; do not edit.
// covers: CPP-209 SHU-15 RNN-67
"""
HEAD = """
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#define DNNL_EXPERIMENTAL_PROFILING
#define DNNL_EXPERIMENTAL_UKERNEL

#include <cstdio>
#include <type_traits>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"
#include "oneapi/dnnl/dnnl_ukernel.hpp"
#if __has_include(<CL/cl.h>)
#include "oneapi/dnnl/dnnl_ocl.hpp"
#endif
#if __has_include(<sycl/sycl.hpp>)
#include "oneapi/dnnl/dnnl_sycl.hpp"
#endif
#if __has_include(<level_zero/ze_api.h>)
#include "oneapi/dnnl/dnnl_ze.hpp"
#endif

"""
DEVICE_HEADERS = {"dnnl::ocl_interop": "CL/cl.h", "dnnl::sycl_interop": "sycl/sycl.hpp",
                  "dnnl::ze_interop": "level_zero/ze_api.h"}
NESTED = {  # short names the table uses inside a scope
    "dnnl::memory": ["desc", "dims", "dim", "data_type", "format_tag", "format_kind", "sparse_encoding"],
    "dnnl::memory::desc": ["desc", "dims", "dim", "data_type", "format_tag", "format_kind", "sparse_encoding"],
    "dnnl::engine": ["kind"], "dnnl::stream": ["flags"], "dnnl::threadpool_interop": ["threadpool_iface"],
    "dnnl::ocl_interop": ["memory_kind"], "dnnl::sycl_interop": ["memory_kind"],
    "dnnl::ukernel::attr_params": [], "dnnl::ukernel::brgemm": ["attr_params"], "dnnl::ukernel::transform": ["pack_type"],
}


NOT_OFFERED = [  # (pattern of "scope kind signature", reason)
    (r" field .* data$", "C structs of the old ABI do not exist any more"),
    (r"dnnl_primitive_desc_iterator_t", "the iterator does not exist any more; primitive_desc::next_impl()"),
    (r"dnnl::primitive_desc constructor .*const_dnnl_op_desc_t", "C operation structs do not exist any more"),
    (r"std::vector<dnnl_memory_desc_t> convert_to_c", "descriptors are handles now; convert_to_c gives a list of them"),
    (r"dnnl::query enumerator \w+_d = ", "asked for C operation structs, which do not exist any more"),
    (r"dnnl::cpu_isa enumerator avx512_mic", "the instruction sets of Knights processors have no number any more"),
    (r"primitive_attr method .*get_(scales|zero_points)\(", "values are execution arguments now; there is no C call to read them"),
]
NOT_NUMBERS = {  # old enumerators whose number moved or whose meaning is translated: what they equal now
    "logsoftmax": "softmax", "softmax_v2": "softmax", "pooling_v2": "pooling", "forward_scoring": "forward_inference",
    "eltwise_gelu": "eltwise_gelu_tanh", "pooling_avg": "pooling_avg_exclude_padding", "unidirectional":
    "unidirectional_left2right", "wino": "opaque", "packed": "opaque", "iterator_ends": "last_impl_reached",
    "all": "isa_default",
}


def split_top(text, separator):
    """Splits at separators that are outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "<({"
        depth -= c in ">)}"
        if c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def qualified(text, scope):
    owner = {"dnnl::memory::desc": "dnnl::memory", "dnnl::ukernel::brgemm": "dnnl::ukernel",
             "dnnl::ukernel::transform": "dnnl::ukernel"}.get(scope, scope)
    for name in NESTED.get(scope, []):
        text = re.sub(rf"(?<![\w:]){name}\b(?!::)", f"{owner}::{name}", text)
    if scope not in ("dnnl", "dnnl::primitive") and "primitive_desc" in text and not scope.endswith("primitive_desc"):
        text = re.sub(r"(?<![\w:])primitive_desc\b", f"{scope}::primitive_desc", text)
    if scope.endswith("::primitive_desc"):
        text = re.sub(r"(?<![\w:])desc\b", scope.replace("::primitive_desc", "::desc"), text)
    if scope.startswith("dnnl::handle"):
        text = text.replace("handle<T, traits>", "handle").replace("handle", "dnnl::handle<dnnl_engine_t>")
        text = re.sub(r"\bT\b", "dnnl_engine_t", text)
    return text.replace("cl::sycl::", "sycl::")


def parameter_type(parameter):
    """The type of a parameter, without its name."""
    if re.fullmatch(r"[\w:]+|const [\w:]+ ?[&*]|[\w:]+ &&|handle<T, traits> ?&&?|const handle<T, traits> ?&", parameter):
        return parameter  # unnamed
    return re.sub(r"\b\w+$", "", parameter).strip() if re.search(r"[\w>&*]\s*[&*\s]\w+$", parameter) else parameter


class Row:
    def __init__(self, row):
        self.__dict__.update(row)
        self.public_scope = "dnnl::handle<dnnl_engine_t>" if self.scope == "dnnl::handle" else self.scope

    def parts(self):
        """(return type, [parameter types], [parameters with defaults], suffix)"""
        text = self.signature.replace("static ", "", 1).replace("virtual ", "", 1).replace("explicit ", "", 1)
        at = text.index(self.name + "(") if self.name + "(" in text else -1
        if at < 0:
            return None
        result = qualified(text[:at].strip(), self.scope)
        depth, end = 0, at + len(self.name)
        for end in range(at + len(self.name), len(text)):
            depth += text[end] == "("
            depth -= text[end] == ")"
            if depth == 0:
                break
        parameters = split_top(text[at + len(self.name) + 1:end], ",")
        types, optional = [], 0
        for p in parameters:
            bare = split_top(p, "=")[0] if "=" in p else p
            optional += "=" in p
            types.append(qualified(parameter_type(bare), self.scope))
        return result, types, optional, text[end + 1:].strip()


def check(row, number):
    """The C++ text of a row's check, or None."""
    s, kind, sig = row.public_scope, row.kind, row.signature
    if kind == "macro":
        return f"#ifndef {row.name}\n#error \"{row.name} is not defined\"\n#endif"
    if kind == "enumerator":
        if row.version == "v2":
            now = NOT_NUMBERS.get(row.name)
            return (f"static_assert({s}::{row.name} == {s}::{now}, \"\");" if now else
                    f"static_assert(int({s}::{row.name}) != 0, \"\");")
        return f"static_assert(int({s}::{row.name}) == {row.value_v3}, \"\");"
    if kind == "enum":
        base = sig.split(":")[-1].strip()
        return (f"static_assert(std::is_same<std::underlying_type<{s}::{row.name}>::type, {base}>::value"
                f" && !std::is_convertible<{s}::{row.name}, {base}>::value, \"\");")
    if kind == "namespace alias":
        return "static_assert(std::is_same<oneapi::dnnl::engine, dnnl::engine>::value, \"\");"
    if kind == "constant":
        return f"static_assert({s}::{row.name} == 1, \"\");"
    if kind == "field":
        return f"static_assert(std::is_same<decltype({s}::{row.name}), {sig.rsplit('*', 1)[0] + '*' if '*' in sig else sig.rsplit(' ', 1)[0]}>::value, \"\");"
    if kind == "conversion":
        return f"static_assert(std::is_constructible<{'bool' if 'bool' in sig else 'dnnl_engine_t'}, {s}>::value, \"\");"
    if kind == "class":
        found = re.match(r"struct ([\w<>]+)(?: : public (.*))?$", sig)
        if not found:
            return None
        name = f"{s}::{found[1]}"
        if found[2] and "std::" not in found[2]:
            base = found[2] if found[2].startswith("dnnl::") else f"dnnl::{found[2]}"
            return f"static_assert(std::is_base_of<{base}, {name}>::value, \"\");"
        return f"static_assert(sizeof({name}) > 0, \"\");"
    if kind in ("using", "type alias"):
        if "=" in sig:
            name, target = sig.replace("using ", "", 1).split(" = ")
            target = re.sub(r"<dim>", "<dnnl_dim_t>", target)
            if row.access == "protected":
                return f"struct check_{number} : {s} {{ static_assert(std::is_same<{name}, {target}>::value, \"\"); }};"
            return f"static_assert(std::is_same<{s}::{name}, {target}>::value, \"\");"
        handles = {"dnnl::engine": "dnnl_engine_t", "dnnl::stream": "dnnl_stream_t", "dnnl::memory": "dnnl_memory_t",
                   "dnnl::primitive": "dnnl_primitive_t", "dnnl::memory::desc": "dnnl_memory_desc_t",
                   "dnnl::post_ops": "dnnl_post_ops_t", "dnnl::primitive_attr": "dnnl_primitive_attr_t"}
        if row.name == "execute" or sig == "using primitive::execute":
            return (f"static_assert(sizeof(static_cast<void (dnnl::primitive::*)(const dnnl::stream &, const "
                    f"std::unordered_map<int, dnnl::memory> &) const>(&{s}::execute)) > 0, \"\");")
        return f"static_assert(std::is_constructible<{s}, {handles.get(s, 'dnnl_primitive_desc_t')}, bool>::value, \"\");"
    if "template" in sig:
        return None
    parts = row.parts()
    if not parts:
        return None
    result, types, optional, suffix = parts
    if kind == "destructor":
        return f"static_assert(std::has_virtual_destructor<{s}>::value, \"\");"
    if kind == "constructor":
        if s == "dnnl":
            s = f"dnnl::{row.name}"
        if row.access == "protected":
            arguments = ", ".join(f"{t} a{i}" for i, t in enumerate(types))
            names = ", ".join(f"a{i}" for i in range(len(types)))
            return f"struct check_{number} : {s} {{ check_{number}({arguments}) : {s}({names}) {{}} }};"
        lists = [", ".join([s] + types[:len(types) - drop]) for drop in range(optional + 1)]
        return "\n".join(f"static_assert(std::is_constructible<{x}>::value, \"\");" for x in lists)
    if row.version == "v2":
        const = "const " if re.search(r"\bconst\b", suffix) else ""
        static = kind == "function" or sig.startswith("static")
        target = f"{s}::{row.name}" if static else f"std::declval<{const}{s} &>().{row.name}"
        tests = []
        for drop in range(optional + 1):
            arguments = ", ".join(f"std::declval<{t}>()" for t in types[:len(types) - drop])
            call = f"decltype({target}({arguments}))"
            tests.append(f"static_assert(std::is_{'same' if result == 'void' else 'convertible'}<{call}, {result}>::value, \"\");")
        return "\n".join(tests)
    pointer = f"{s}::*" if kind == "method" and not sig.startswith("static") else "*"
    const = " const" if re.search(r"\bconst\b", suffix) and pointer != "*" else ""
    where = f"check_{number}" if row.access == "protected" else s
    cast = f"sizeof(static_cast<{result} ({pointer})({', '.join(types)}){const}>(&{where}::{row.name})) > 0"
    if row.access == "protected":
        return f"struct check_{number} : {s} {{ static void use() {{ static_assert({cast}, \"\"); }} }};"
    return f"static_assert({cast}, \"\");"


def write(path, head, rows):
    """Writes one test; returns the rows without a mechanical check."""
    groups, by_hand, done = {}, [], 0
    for number, row in enumerate(rows):
        text = check(row, number)
        if text is None:
            by_hand.append(f"{row.scope}: {row.signature}")
            continue
        done += 1
        device = next((h for s, h in DEVICE_HEADERS.items() if row.scope.startswith(s)), "")
        groups.setdefault(device, []).append(text)
    macros = [t for t in groups[""] if t.startswith("#")]
    out = [head, HEAD, "\n".join(macros) + "\n\n" if macros else "", "// clang-format off\nnamespace dnnl {\n"]
    for device, texts in sorted(groups.items()):
        body = "\n".join(t for t in texts if not t.startswith("#"))
        out.append(f"#if __has_include(<{device}>)\n{body}\n#endif\n" if device else body + "\n")
    out.append("} // namespace dnnl\n// clang-format on\n\n")
    out.append(f"int main() {{\n    std::puts(\"{done} names of the C++ interface checked by the compiler\");\n}}\n")
    path.write_text("".join(out))
    print(f"{path.name}: {done} rows")
    return by_hand


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=pathlib.Path)
    options = parser.parse_args()
    with open(options.facts / "cpp-api.tsv", newline="") as file:
        rows = [Row(r) for r in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    old, dropped = [], []
    for row in rows:
        if row.version != "v2":
            continue
        text = f"{row.scope} {row.kind} {row.signature}"
        reason = next((why for pattern, why in NOT_OFFERED if re.search(pattern, text)), None)
        old.append(row) if reason is None else dropped.append(f"{text}: {reason}")
    by_hand = write(TESTS / "cpp" / "surface_test.cpp", SURFACE, [r for r in rows if r.version != "v2"])
    by_hand += write(TESTS / "cpp" / "v2_spelling_test.cpp", SPELLING, old)
    print("by hand:", *by_hand, sep="\n  ")
    print("not offered:", *dropped, sep="\n  ")


if __name__ == "__main__":
    main()
