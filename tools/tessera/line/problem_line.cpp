// SPDX-License-Identifier: Apache-2.0
// Parsing of problem lines: tokens into options (problem_line_options.*), list entries assigned to the sources.
#include "line/problem_line.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>

#include <fmt/ranges.h>

#include "core/nearest.hpp"
#include "line/problem_line_options.hpp"
#include "line/problem_line_words.hpp"
#include "primitives/row.hpp"
#include "spellings/spellings.hpp"

namespace tessera {
namespace {

using Text = std::string_view;

std::vector<Text> tokens_of(Text text) {
    std::vector<Text> tokens;
    for (size_t at = 0; (at = text.find_first_not_of(" \t\r", at)) != Text::npos;) {
        const size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

Result<void> check_tensor(const LineTensor& tensor, Text name) {
    if (!tensor.tag.empty() && !tensor.strides.empty())
        return invalid("{}: both a tag ({}) and strides ({}) are given; one says the layout", name, tensor.tag,
                       join_dims(tensor.strides));
    return {};
}

Result<size_t> source_count(const ReadLine& r, const primitives::Row& row) {
    using primitives::Sources;
    const size_t shapes = r.dims.size(), factors = r.line.factors.size();
    switch (row.sources) {
    case Sources::one:
        return 1;
    case Sources::two:
        return 2;
    case Sources::with_bias:
        if (shapes != 2 && shapes != 3) return invalid("{}; {} are given", row.three_shapes, shapes);
        return shapes;
    case Sources::of_cell:
        return 5;
    case Sources::by_shapes:
        return shapes;
    case Sources::by_factors:
        if (factors == 0) return invalid("a {} needs --scales, one factor a source: --scales=1:0.5", name(r.line.kind));
        return factors;
    }
    return 1;
}

// Entry i of a list over the sources: a single entry applies to all, an empty list means the default.
template <typename T> const T& entry(const std::vector<T>& list, size_t i, const T& otherwise) {
    return list.empty() ? otherwise : list.size() == 1 ? list[0] : list[i];
}

Result<void> check_length(Text option, size_t given, size_t sources) {
    if (given <= 1 || given == sources) return {};
    return invalid("{} has {:entry|entries} for {:source}; give one, or one each", option, counted(given),
                   counted(sources));
}

Result<void> deal_out(ReadLine& r) {
    ProblemLine& line = r.line;
    const primitives::Row& row = primitives::row(line.kind);
    const auto count = source_count(r, row);
    if (!count) return Refusal(count.error());
    const size_t sources = *count;
    for (const auto& [option, given] : {std::pair{"--sdt", r.types.size()}, std::pair{"--stag", r.tags.size()},
                                        std::pair{"--sstrides", r.strides.size()}})
        if (auto ok = check_length(option, given, sources); !ok) return ok;
    if (row.second_shape_is_dst && r.dims.size() != 2)
        return invalid("a {} has two shapes, SRC:DST, like 1x1x3:1x1x6; {} are given", name(line.kind), r.dims.size());
    if (!row.second_shape_is_dst)
        if (auto ok = check_length("DIMS", r.dims.size(), sources); !ok) return ok;

    line.sources.resize(sources - 1);
    for (size_t i = 0; i < sources; ++i) {
        LineTensor& tensor = i == 0 ? line.src : line.sources[i - 1].tensor;
        std::vector<int64_t>& dims = i == 0 ? line.dims : line.sources[i - 1].dims;
        dims = row.second_shape_is_dst ? r.dims[0] : entry(r.dims, i, {});
        tensor.type = entry(r.types, i, DataType::f32);
        tensor.tag = entry(r.tags, i, std::string());
        tensor.strides = entry(r.strides, i, {});
    }
    if (row.second_shape_is_dst) line.dst_dims = r.dims[1];
    return {};
}

// Fills in the defaults. Tags are kept expanded, so that equal problems have equal text.
Result<void> complete(ReadLine& r) {
    ProblemLine& line = r.line;
    if (!r.is_given("--ddt") && !r.is_given("--dt")) line.dst.type = line.src.type;
    if (auto ok = check_tensor(line.src, "source"); !ok) return ok;
    if (auto ok = check_tensor(line.dst, "destination"); !ok) return ok;
    for (const LineSource& source : line.sources)
        if (auto ok = check_tensor(source.tensor, "source"); !ok) return ok;
    const primitives::Row& row = primitives::row(line.kind);
    const bool opens_src = row.opens_diff_src && line.backward();
    if (row.sources == primitives::Sources::of_cell) { // its tensors have other ranks than its list of extents
        for (LineSource& source : line.sources)
            if (source.tensor.tag.empty()) source.tensor.tag = "any";
        if (line.src.tag.empty()) line.src.tag = "any";
        if (line.dst.tag.empty()) line.dst.tag = "any";
    }
    const bool opens_dst =
        row.dst_layout == primitives::Open::always || (row.dst_layout == primitives::Open::forward && !line.backward());
    const auto lay_out = [](LineTensor& tensor, size_t rank, Text otherwise) {
        if (tensor.strides.empty() && tensor.tag.empty()) tensor.tag = otherwise;
        tensor.tag = expand_tag(tensor.tag, rank);
    };
    lay_out(line.src, line.dims.size(), opens_src ? "any" : "abx");
    const size_t rank_of_dst = row.dst_rank(line.dims.size());
    lay_out(line.dst, rank_of_dst, opens_dst ? "any" : "abx");
    for (LineSource& source : line.sources) lay_out(source.tensor, source.dims.size(), "abx");
    for (LinePostOp& p : line.post_ops) p.tag = expand_tag(p.tag, rank_of_dst);
    for (LinePostOp& p : line.post_ops) {
        const auto of_line = [&](size_t source) {
            return source < line.sources.size() ? line.sources[source].tensor.type : DataType::undef;
        };
        if (p.weights_type == of_line(0)) p.weights_type.reset();
        if (!p.weights_type && p.bias_type == of_line(1)) p.bias_type.reset();
    }
    if (!line.alg) line.alg = row.usual_alg;
    if (!line.alg && row.has("--alg"))
        return invalid("--alg is missing: the functions of {} are {}", name(line.kind),
                       fmt::join(words::functions_of(std::string(name(line.kind)) + "_"), ", "));
    if (!line.backward()) line.diff_scale_type = line.scale_type; // it has no gradients
    if (row.has("--stride")) shorten_windows(line);
    return {};
}

Result<ProblemLine> parse_our_line(Text text) {
    const auto tokens = tokens_of(text);
    if (tokens.empty()) return invalid("an empty problem line; try: reorder --sdt=f32 --ddt=s8 2x16x5x5");
    ReadLine read;
    const auto kind = words::value_of(words::kinds, tokens[0]);
    if (!kind) {
        const std::string meant = words::primitive_like(tokens[0]);
        return invalid("'{}' is no primitive; a line starts with one of {}{}", tokens[0], words::list_of(words::kinds),
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
    }
    read.line.kind = PrimitiveKind(*kind);
    if (primitives::row(read.line.kind).directed()) read.line.prop = PropKind::forward_training;
    for (size_t t = 1; t < tokens.size(); ++t) {
        if (tokens[t].starts_with("--")) {
            if (auto done = read_option(read, tokens[t]); !done) return Refusal(done.error());
            continue;
        }
        if (!read.dims.empty()) return invalid("'{}': the dims were given already", tokens[t]);
        const auto read_dims = primitives::row(read.line.kind).read_dims;
        auto dims = read_dims ? read_dims(tokens[t]) : parse_dims_list(tokens[t]);
        if (!dims) return Refusal(dims.error());
        read.dims = std::move(*dims);
    }
    if (read.dims.empty()) return invalid("the line has no dims; they come last, like 2x17x5x5");
    if (auto done = deal_out(read); !done) return Refusal(done.error());
    if (auto done = complete(read); !done) return Refusal(done.error());
    return read.line;
}

} // namespace

std::string expand_tag(Text tag, size_t rank) {
    const bool plain = tag == "abx"; // also of rank 1, where it is not literally true
    const size_t at = plain ? 0 : tag.find('x');
    if (at == Text::npos || tag == "x") return std::string(tag);
    std::string rest;
    for (char letter = 'a'; letter < char('a' + rank); ++letter)
        if (plain || (tag.find(letter) == Text::npos && tag.find(char(letter - 'a' + 'A')) == Text::npos))
            rest += letter;
    return plain ? rest : fmt::format("{}{}{}", tag.substr(0, at), rest, tag.substr(at + 1));
}

Result<ProblemLine> parse_problem_line(Text given) {
    const auto text = spellings::in_our_words(given);
    if (!text) return Refusal(text.error());
    auto line = parse_our_line(*text);
    if (!line && *text != given) return invalid("{} (of the line in our words: {})", line.error().reason, *text);
    return line;
}

Result<std::vector<NumberedLine>> read_problem_file(const std::string& path) {
    std::ifstream file;
    if (path != "-") {
        file.open(path);
        if (!file) return invalid("{}: cannot be opened", path);
    }
    std::istream& in = path == "-" ? std::cin : file;
    std::vector<NumberedLine> lines;
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
        text.erase(std::min(text.find('#'), text.size()));
        if (text.find_first_not_of(" \t\r") != std::string::npos) lines.push_back({number, text});
    }
    if (in.bad()) return invalid("{}: cannot be read", path);
    return lines;
}

} // namespace tessera
