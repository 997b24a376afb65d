#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables by which numbers of the C API become words (dnnl_debug.h, verbose lines) from the fact tables.

    tools/api/names_of_enums.py <folder with v3-enums.tsv>

Output: src/core/attr/alg_kinds.def (ALG rows), src/api/log/debug_names.def (NAMES, NAME, END rows) and
src/api/log/query_names.def (NAME rows). All are committed; run it again when an enumerator is added. Of several enumerators
with one number the first is the word.
"""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# function of dnnl_debug.h, enumeration, word used in "unknown <word>"
FUNCTIONS = [
    ("status", "dnnl_status_t", "status"),
    ("dt", "dnnl_data_type_t", "dt"),
    ("fpmath_mode", "dnnl_fpmath_mode_t", "fpmath_mode"),
    ("accumulation_mode", "dnnl_accumulation_mode_t", "accumulation_mode"),
    ("engine_kind", "dnnl_engine_kind_t", "engine_kind"),
    ("sparse_encoding", "dnnl_sparse_encoding_t", "sparse_encoding"),
    ("fmt_kind", "dnnl_format_kind_t", "fmt_kind"),
    ("fmt_tag", "dnnl_format_tag_t", "fmt_tag"),
    ("prop_kind", "dnnl_prop_kind_t", "prop_kind"),
    ("prim_kind", "dnnl_primitive_kind_t", "prim_kind"),
    ("rnn_flags", "dnnl_rnn_flags_t", "rnn_flags"),
    ("rnn_direction", "dnnl_rnn_direction_t", "rnn_direction"),
    ("scratchpad_mode", "dnnl_scratchpad_mode_t", "scratchpad_mode"),
    ("rounding_mode", "dnnl_rounding_mode_t", "rounding_mode"),
    ("quantization_mode", "dnnl_quantization_mode_t", "quantization_mode"),
    ("cpu_isa", "dnnl_cpu_isa_t", "cpu_isa"),
    ("cpu_isa_hints", "dnnl_cpu_isa_hints_t", "cpu_isa_hints"),
]

# Prefixes that are not part of the word.
PREFIXES = {
    "dnnl_fpmath_mode_t": "dnnl_fpmath_mode_",
    "dnnl_accumulation_mode_t": "dnnl_accumulation_mode_",
    "dnnl_scratchpad_mode_t": "dnnl_scratchpad_mode_",
    "dnnl_rounding_mode_t": "dnnl_rounding_mode_",
    "dnnl_quantization_mode_t": "dnnl_quantization_mode_",
    "dnnl_format_kind_t": "dnnl_format_kind_",
    "dnnl_format_tag_t": "dnnl_format_tag_",
}


def word(enum, enumerator):
    if "undef" in enumerator:
        return "undef"
    if enum == "dnnl_engine_kind_t" and enumerator == "dnnl_any_engine":
        return "any"
    prefix = PREFIXES.get(enum, "dnnl_")
    return enumerator.removeprefix(prefix if enumerator.startswith(prefix) else "dnnl_")


def main():
    facts = pathlib.Path(sys.argv[1]) / "v3-enums.tsv"
    rows = {}
    for row in csv.DictReader(open(facts), delimiter="\t", quoting=csv.QUOTE_NONE):
        if not row["condition"]:
            first = rows.setdefault(row["enum"], {})
            first.setdefault(int(row["value"]), word(row["enum"], row["enumerator"]))
    head = "// SPDX-License-Identifier: Apache-2.0\n// Written by tools/api/names_of_enums.py.\n"
    lines = [f"ALG({name}, {value})" for value, name in rows["dnnl_alg_kind_t"].items()]
    (ROOT / "src/core/attr/alg_kinds.def").write_text(
        head + "// ALG(word, number in dnnl_alg_kind_t)\n" + "\n".join(lines) + "\n")
    out = [head + "// NAMES(function, enumeration, word of unknown numbers) NAME(number, word)... END"]
    for function, enum, unknown in FUNCTIONS:
        out.append(f"NAMES({function}, {enum}, {unknown})")
        out += [f'NAME({value}, "{name}")' for value, name in rows[enum].items()]
        out.append("END")
    (ROOT / "src/api/log/debug_names.def").write_text("\n".join(out) + "\n")
    queries = [f'NAME({value}, "{name.removeprefix("query_")}")' for value, name in rows["dnnl_query_t"].items()]
    (ROOT / "src/api/log/query_names.def").write_text(
        head + "// NAME(number in dnnl_query_t, word)\n" + "\n".join(queries) + "\n")


if __name__ == "__main__":
    main()
