// SPDX-License-Identifier: Apache-2.0
// Which data types each primitive takes, and what runs them on which machine: the tables of the pages of primitives.
//
//   docs_types PROBES           prints them, tab-separated
//   docs_types PROBES FILE      compares them with a file; exits with 1 if they differ
//
// with doc/primitives/probes.tsv and types.tsv. Nothing there or here says what is supported: every combination of the
// 16 types is tried as a problem line, a refusal leaves it out, and the plans of the others are compiled for each
// machine of the columns, which need not be there. `generated`: every step runs generated code, `AMX`: products on its
// tiles; `portable`: no step does; `mixed`: some. Combinations with equal results are joined, first over the last
// tensor: {f32, bf16} x {f32} is a row.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/jit/target.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera {
namespace {

constexpr const char* all_types[] = {
#define TYPE(name, ...) #name,
#include "core/types/types.def"
#undef TYPE
};

struct Probe {
    std::string page, direction;
    std::vector<std::string> tensors; // {0}, {1}... of the line are their types; one that it has not is as the first
    std::string line;
};

Result<std::vector<Probe>> read_probes(const char* file) {
    std::ifstream from(file);
    std::vector<Probe> probes;
    for (std::string line; std::getline(from, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        Probe probe;
        std::string tensors;
        for (std::string* field : {&probe.page, &probe.direction, &tensors, &probe.line})
            std::getline(fields, *field, '\t');
        for (size_t at = 0, end; at < tensors.size(); at = end + 2) {
            end = std::min(tensors.find(", ", at), tensors.size());
            probe.tensors.push_back(tensors.substr(at, end - at));
        }
        if (probe.line.empty() || probe.tensors.size() > 4)
            return invalid("{}: '{}' is not page, direction, up to four tensors and a problem line", file, line);
        probes.push_back(probe);
    }
    if (probes.empty()) return invalid("{}: no probes", file);
    return probes;
}

struct Column {
    const char* title;
    Machine machine;
};

std::vector<Column> columns() {
    return {{"AVX2", cpu::machine_of(0x7, true, false)},
            {"AVX-512", cpu::machine_of(0x27, false, false)},
            {"AVX-512 BF16, FP16", cpu::machine_of(0x1ef, true, false)},
            {"AMX", cpu::machine_of(0x1fef, true, false)}};
}

std::string how(const Plan& plan, const Machine& machine) {
    const auto executable = cpu::make_generated(std::make_shared<const Plan>(plan), Context(machine));
    if (!executable) return "portable";
    const std::string text = executable->text();
    if (!executable->fallback().empty()) return "mixed";
    return text.find("amx") != std::string::npos ? "AMX" : "generated";
}

// The tensors' types and the cells of the columns.
using Set = std::set<size_t>; // places in all_types
struct Row {
    std::vector<Set> types;
    std::string cells;
};

constexpr size_t as_first = std::size(all_types); // in place of a type: that of the first tensor

// Rows that differ in one tensor alone become one.
std::vector<Row> joined(std::vector<Row> rows) {
    for (size_t t = 1; !rows.empty() && t < rows[0].types.size(); ++t)
        if (std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return row.types[t] == row.types[0]; }))
            for (Row& row : rows) row.types[t] = {as_first};
    for (size_t t = rows.empty() ? 0 : rows[0].types.size(); t-- > 0;) {
        std::vector<Row> fewer;
        std::map<std::pair<std::vector<Set>, std::string>, size_t> seen;
        for (Row& row : rows) {
            std::vector<Set> others = row.types;
            others[t].clear();
            const auto [at, added] = seen.try_emplace({others, row.cells}, fewer.size());
            if (added)
                fewer.push_back(row);
            else
                fewer[at->second].types[t].insert(row.types[t].begin(), row.types[t].end());
        }
        rows = std::move(fewer);
    }
    return rows;
}

std::string names(const Set& types) {
    if (types.size() == std::size(all_types)) return "all types";
    std::string text;
    for (const size_t t : types)
        text += (text.empty() ? "" : ", ") + std::string(t == as_first ? "as the first" : all_types[t]);
    return text;
}

// Without those of `before`, types that need no attribute; with its own added to it.
std::vector<Row> rows_of(const Probe& probe, std::set<std::vector<size_t>>& before) {
    std::vector<Row> rows;
    size_t combinations = 1;
    for (size_t t = 0; t < probe.tensors.size(); ++t) combinations *= std::size(all_types);
    for (size_t c = 0; c < combinations; ++c) {
        std::vector<size_t> types;
        for (size_t rest = c, t = 0; t < probe.tensors.size(); ++t, rest /= std::size(all_types))
            types.push_back(rest % std::size(all_types));
        bool as_probed = true;
        for (size_t t = 1; t < types.size(); ++t)
            as_probed &= types[t] == types[0] ||
                         std::string_view(probe.line).find(fmt::format("{{{}}}", t)) != std::string_view::npos;
        if (!as_probed) continue;
        const auto type = [&](size_t t) { return t < types.size() ? all_types[types[t]] : ""; };
        const std::string text = fmt::format(fmt::runtime(probe.line), type(0), type(1), type(2), type(3));
        const auto line = parse_problem_line(text);
        if (!line) throw std::runtime_error(text + ": " + line.error().reason);
        const auto problem = problem_of(*line);
        if (!problem) continue;
        const auto plan = ops::row(problem->kind).lower(*problem);
        if (!plan) continue;
        if (!before.insert(types).second) continue;
        Row row;
        for (const size_t t : types) row.types.push_back({t});
        for (const Column& column : columns()) row.cells += "\t" + how(*plan, column.machine);
        rows.push_back(std::move(row));
    }
    return joined(std::move(rows));
}

std::string table(const std::vector<Probe>& probes) {
    std::string text, page;
    std::set<std::vector<size_t>> before;
    for (const Probe& probe : probes) {
        if (!probe.direction.starts_with("with ")) before.clear();
        if (page != probe.page) {
            page = probe.page;
            text += fmt::format("{}\tdirection\t{}", page, fmt::join(probe.tensors, "\t"));
            for (const Column& column : columns()) text += fmt::format("\t{}", column.title);
            text += "\n";
        }
        const std::vector<Row> rows = rows_of(probe, before);
        if (rows.empty()) throw std::runtime_error(fmt::format("{}: all types are refused: {}", page, probe.line));
        for (const Row& row : rows) {
            text += fmt::format("{}\t{}", page, probe.direction);
            for (const Set& types : row.types) text += "\t" + names(types);
            text += row.cells + "\n";
        }
    }
    return text;
}

} // namespace
} // namespace tessera

int main(int count, char** words) try {
    if (count < 2) {
        std::fprintf(stderr, "usage: docs_types PROBES [FILE]\n");
        return 2;
    }
    const auto probes = tessera::read_probes(words[1]);
    if (!probes) throw std::runtime_error(probes.error().reason);
    const std::string found = tessera::table(*probes);
    if (count == 2) {
        std::printf("%s", found.c_str());
        return 0;
    }
    std::stringstream kept;
    kept << std::ifstream(words[2]).rdbuf();
    if (kept.str() == found) return 0;
    std::fprintf(stderr, "%s is not what the library does now; `docs_types %s > %s` writes it anew\n", words[2],
                 words[1], words[2]);
    std::istringstream was(kept.str()), is(found);
    for (std::string x, y; std::getline(is, y);)
        if (!std::getline(was, x) || x != y) {
            std::fprintf(stderr, "- %s\n+ %s\n", x.c_str(), y.c_str());
            break;
        }
    return 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "docs_types: %s\n", error.what());
    return 1;
}
