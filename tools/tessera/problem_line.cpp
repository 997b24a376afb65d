// Parsing and printing of problem lines: one table of options, each with the field it sets.
#include "problem_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace tessera {
namespace {

using Text = std::string_view;

std::vector<Text> split(Text text, char separator) {
    std::vector<Text> parts;
    for (size_t from = 0;;) {
        const size_t to = text.find(separator, from);
        parts.push_back(text.substr(from, to == Text::npos ? to : to - from));
        if (to == Text::npos) return parts;
        from = to + 1;
    }
}

template <typename T> Result<T> number(Text text, Text what) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return invalid("{}: '{}' is not a number in the range of its type", what, text);
    return value;
}

Result<DataType> data_type(Text text, Text what) {
    if (const auto type = parse_data_type(text)) return *type;
    return invalid("{}: unknown data type '{}'; known are f64 f32 f16 bf16 f8_e5m2 f8_e4m3 f4_e2m1 f4_e3m0 e8m0 s64 "
                   "s32 s8 u8 s4 u4 boolean",
                   what, text);
}

Result<void> read_into(std::vector<int64_t>& target, Text value) {
    auto dims = parse_dims(value);
    if (!dims) return Refusal(dims.error());
    target = std::move(*dims);
    return {};
}

Result<void> read_into(DataType& target, Text value, Text option) {
    const auto type = data_type(value, option);
    if (!type) return Refusal(type.error());
    target = *type;
    return {};
}

template <typename T> Result<void> read_number(T& target, Text value, Text option) {
    const auto parsed = number<T>(value, option);
    if (!parsed) return Refusal(parsed.error());
    target = *parsed;
    return {};
}

// OFFSETS@PARENT
Result<void> read_view(LineTensor& tensor, Text value, Text option) {
    const auto parts = split(value, '@');
    if (parts.size() != 2) return invalid("{}: '{}' is not OFFSETS@PARENT, for example 0x1x0@2x20x5", option, value);
    if (auto done = read_into(tensor.view_offsets, parts[0]); !done) return done;
    return read_into(tensor.parent_dims, parts[1]);
}

// src:MASK[:TYPE[:GxG]]+...
Result<void> read_quants(std::vector<LineQuant>& target, Text value, Text option, DataType default_type) {
    for (const Text item : split(value, '+')) {
        const auto parts = split(item, ':');
        if (parts.size() < 2 || parts.size() > 4 || (parts[0] != "src" && parts[0] != "dst"))
            return invalid("{}: '{}' is not src:MASK[:TYPE[:GxG]] or dst:...", option, item);
        LineQuant entry;
        entry.arg = parts[0] == "src" ? arg::src : arg::dst;
        entry.quant.type = default_type;
        entry.quant.on_host = parts[1] == "host";
        if (!entry.quant.on_host)
            if (auto done = read_number(entry.quant.mask, parts[1], option); !done) return done;
        if (parts.size() > 2)
            if (auto done = read_into(entry.quant.type, parts[2], option); !done) return done;
        if (parts.size() > 3)
            if (auto done = read_into(entry.quant.groups, parts[3]); !done) return done;
        target.push_back(std::move(entry));
    }
    return {};
}

Result<void> read_post_ops(std::vector<LinePostOp>& target, Text value, Text option) {
    for (const Text item : split(value, '+')) {
        const auto parts = split(item, ':');
        LinePostOp entry;
        entry.kind = std::string(parts[0]);
        if (entry.kind != "sum" && entry.kind != "relu")
            return invalid("{}: '{}' is neither sum:BETA[:ZERO_POINT[:TYPE]] nor relu", option, item);
        if (entry.kind == "sum" && parts.size() > 1)
            if (auto done = read_number(entry.beta, parts[1], option); !done) return done;
        if (parts.size() > 2)
            if (auto done = read_number(entry.zero_point, parts[2], option); !done) return done;
        if (parts.size() > 3)
            if (auto done = read_into(entry.type, parts[3], option); !done) return done;
        target.push_back(std::move(entry));
    }
    return {};
}

Result<void> read_flags(Extra& extra, Text value, Text option) {
    for (const Text item : split(value, '+')) {
        const auto parts = split(item, ':');
        if (parts.size() != 2) return invalid("{}: '{}' is not NAME:VALUE", option, item);
        Result<void> done;
        if (parts[0] == "s8s8") {
            extra.flags |= Extra::s8s8;
            done = read_number(extra.compensation_mask, parts[1], option);
        } else if (parts[0] == "asymm") {
            extra.flags |= Extra::asymmetric_src;
            done = read_number(extra.asymmetric_compensation_mask, parts[1], option);
        } else if (parts[0] == "adjust") {
            extra.flags |= Extra::scale_adjust;
            done = read_number(extra.scale_adjust_factor, parts[1], option);
        } else
            return invalid("{}: '{}' is none of s8s8, asymm, adjust", option, parts[0]);
        if (!done) return done;
    }
    return {};
}

Result<void> read_output_scales(ProblemLine& line, Text value, Text option) {
    const auto parts = split(value, ':');
    LineOutputScales scales;
    if (auto done = read_number(scales.mask, parts[0], option); !done) return done;
    if (parts.size() > 2 || (parts.size() == 2 && parts[1] != "rt"))
        return invalid("{}: '{}' is not MASK or MASK:rt", option, value);
    scales.at_execution = parts.size() == 2;
    line.output_scales = scales;
    return {};
}

struct Word {
    Text text;
    int value;
};
constexpr Word directions[] = {{"FWD_D", int(PropKind::forward_training)},
                               {"FWD_I", int(PropKind::forward_inference)},
                               {"BWD_D", int(PropKind::backward_data)}};
constexpr Word statuses[] = {{"success", 0},       {"out_of_memory", 1},     {"invalid_arguments", 2},
                             {"unimplemented", 3}, {"last_impl_reached", 4}, {"runtime_error", 5},
                             {"not_required", 6}};
constexpr Word fpmath_modes[] = {{"strict", 0}, {"bf16", 1}, {"f16", 2}, {"any", 3}, {"tf32", 4}};
constexpr Word scratchpads[] = {{"library", 0}, {"user", 1}};

template <size_t N> Result<int> read_word(const Word (&words)[N], Text value, Text option) {
    std::string known;
    for (const Word& word : words) {
        if (word.text == value) return word.value;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", word.text);
    }
    return invalid("{}: '{}' is none of {}", option, value, known);
}

template <size_t N> Text word_of(const Word (&words)[N], int value) {
    const auto* found =
        std::find_if(std::begin(words), std::end(words), [&](const Word& w) { return w.value == value; });
    return found == std::end(words) ? Text("?") : found->text;
}

struct Option {
    Text name;
    Result<void> (*read)(ProblemLine&, Text value, Text option);
};

constexpr Option options[] = {
    {"--sdt", [](ProblemLine& l, Text v, Text o) { return read_into(l.src.type, v, o); }},
    {"--ddt", [](ProblemLine& l, Text v, Text o) { return read_into(l.dst.type, v, o); }},
    {"--stag", [](ProblemLine& l, Text v, Text) -> Result<void> { return l.src.tag = v, Result<void>(); }},
    {"--dtag", [](ProblemLine& l, Text v, Text) -> Result<void> { return l.dst.tag = v, Result<void>(); }},
    {"--sstrides", [](ProblemLine& l, Text v, Text) { return read_into(l.src.strides, v); }},
    {"--dstrides", [](ProblemLine& l, Text v, Text) { return read_into(l.dst.strides, v); }},
    {"--ssub", [](ProblemLine& l, Text v, Text o) { return read_view(l.src, v, o); }},
    {"--dsub", [](ProblemLine& l, Text v, Text o) { return read_view(l.dst, v, o); }},
    {"--attr-scales", [](ProblemLine& l, Text v, Text o) { return read_quants(l.scales, v, o, DataType::f32); }},
    {"--attr-zero-points",
     [](ProblemLine& l, Text v, Text o) { return read_quants(l.zero_points, v, o, DataType::s32); }},
    {"--attr-post-ops", [](ProblemLine& l, Text v, Text o) { return read_post_ops(l.post_ops, v, o); }},
    {"--attr-scratchpad",
     [](ProblemLine& l, Text v, Text o) {
         return read_word(scratchpads, v, o).map([&](int mode) { l.user_scratchpad = mode == 1; });
     }},
    {"--attr-fpmath",
     [](ProblemLine& l, Text v, Text o) {
         return read_word(fpmath_modes, v, o).map([&](int mode) { l.fpmath = FpmathMode(mode); });
     }},
    {"--oscale", [](ProblemLine& l, Text v, Text o) { return read_output_scales(l, v, o); }},
    {"--rt", [](ProblemLine& l, Text v, Text o) { return read_number(l.runtime_mask, v, o); }},
    {"--flags", [](ProblemLine& l, Text v, Text o) { return read_flags(l.extra, v, o); }},
    {"--dir", [](ProblemLine& l, Text v,
                 Text o) { return read_word(directions, v, o).map([&](int prop) { l.prop = PropKind(prop); }); }},
    {"--axis", [](ProblemLine& l, Text v, Text o) { return read_number(l.axis, v, o); }},
    {"--group", [](ProblemLine& l, Text v, Text o) { return read_number(l.group, v, o); }},
    {"--expect", [](ProblemLine& l, Text v,
                    Text o) { return read_word(statuses, v, o).map([&](int status) { l.expect = Status(status); }); }},
    {"--seed",
     [](ProblemLine& l, Text v, Text o) { return number<uint64_t>(v, o).map([&](uint64_t seed) { l.seed = seed; }); }},
};

bool shuffle_only(Text name) { return name == "--dir" || name == "--axis" || name == "--group"; }

Result<void> read_option(ProblemLine& line, Text token) {
    const size_t equals = token.find('=');
    const Text name = token.substr(0, equals);
    for (const Option& option : options)
        if (option.name == name) {
            if (equals == Text::npos) return invalid("{} needs a value: {}=...", name, name);
            if (shuffle_only(name) && line.kind != PrimitiveKind::shuffle)
                return invalid("{} belongs to shuffle, not to reorder", name);
            return option.read(line, token.substr(equals + 1), name);
        }
    return invalid("unknown option '{}'; known are --sdt --ddt --stag --dtag --sstrides --dstrides --ssub --dsub "
                   "--attr-scales --attr-zero-points --attr-post-ops --attr-scratchpad --attr-fpmath --oscale --rt "
                   "--flags --dir --axis --group --expect --seed",
                   name);
}

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

std::string quants_text(const std::vector<LineQuant>& quants, DataType default_type) {
    std::string text;
    for (const LineQuant& q : quants) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : "+", q.arg == arg::src ? "src" : "dst",
                            q.quant.on_host ? "host" : fmt::format("{}", q.quant.mask));
        if (q.quant.type != default_type || !q.quant.groups.empty()) text += fmt::format(":{}", name(q.quant.type));
        if (!q.quant.groups.empty()) text += ":" + join_dims(q.quant.groups);
    }
    return text;
}

std::string post_ops_text(const std::vector<LinePostOp>& post_ops) {
    std::string text;
    for (const LinePostOp& p : post_ops) {
        text += (text.empty() ? "" : "+") + p.kind;
        if (p.kind != "sum") continue;
        text += fmt::format(":{}", p.beta);
        if (p.zero_point != 0 || p.type != DataType::undef) text += fmt::format(":{}", p.zero_point);
        if (p.type != DataType::undef) text += fmt::format(":{}", name(p.type));
    }
    return text;
}

std::string flags_text(const Extra& extra) {
    std::string text;
    const auto add = [&](Extra::Flag flag, Text name, auto value) {
        if (extra.flags & flag) text += fmt::format("{}{}:{}", text.empty() ? "" : "+", name, value);
    };
    add(Extra::s8s8, "s8s8", extra.compensation_mask);
    add(Extra::asymmetric_src, "asymm", extra.asymmetric_compensation_mask);
    add(Extra::scale_adjust, "adjust", extra.scale_adjust_factor);
    return text;
}

} // namespace

Result<std::vector<int64_t>> parse_dims(Text text) {
    std::vector<int64_t> dims;
    if (text.empty()) return dims;
    for (const Text part : split(text, 'x')) {
        const auto value = number<int64_t>(part, "dims");
        if (!value) return invalid("'{}' is not a list like 2x17x5x5", text);
        dims.push_back(*value);
    }
    return dims;
}

std::string join_dims(const std::vector<int64_t>& dims) { return fmt::format("{}", fmt::join(dims, "x")); }

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

Result<ProblemLine> parse_problem_line(Text text) {
    const auto tokens = tokens_of(text);
    if (tokens.empty()) return invalid("an empty problem line; try: reorder --sdt=f32 --ddt=s8 2x16x5x5");
    ProblemLine line;
    if (tokens[0] == "shuffle") {
        line.kind = PrimitiveKind::shuffle;
        line.prop = PropKind::forward_training;
    } else if (tokens[0] != "reorder")
        return invalid("'{}' is no primitive; a line starts with reorder or shuffle", tokens[0]);

    bool has_dims = false;
    std::vector<Text> given; // names of the options so far
    const auto is_given = [&](Text name) { return std::find(given.begin(), given.end(), name) != given.end(); };
    for (size_t t = 1; t < tokens.size(); ++t) {
        if (tokens[t].starts_with("--")) {
            const Text name = tokens[t].substr(0, tokens[t].find('='));
            if (is_given(name)) return invalid("'{}': {} was given already; give it once", tokens[t], name);
            if (auto done = read_option(line, tokens[t]); !done) return Refusal(done.error());
            given.push_back(name);
            continue;
        }
        if (has_dims) return invalid("'{}': the dims were given already ({})", tokens[t], join_dims(line.dims));
        if (auto done = read_into(line.dims, tokens[t]); !done) return Refusal(done.error());
        has_dims = true;
    }
    if (!has_dims) return invalid("the line has no dims; they come last, like 2x17x5x5");
    if (!is_given("--ddt")) line.dst.type = line.src.type;
    for (const auto& [tensor, what] : {std::pair(&line.src, "source"), std::pair(&line.dst, "destination")})
        if (auto ok = check_tensor(*tensor, what); !ok) return Refusal(ok.error());
    const bool reorder = line.kind == PrimitiveKind::reorder, backward = line.prop == PropKind::backward_data;
    if (line.src.strides.empty() && line.src.tag.empty()) line.src.tag = backward ? "any" : "abx";
    if (line.dst.strides.empty() && line.dst.tag.empty()) line.dst.tag = reorder || backward ? "abx" : "any";
    // Tags are kept expanded, so that equal problems have equal text.
    for (LineTensor* tensor : {&line.src, &line.dst}) tensor->tag = expand_tag(tensor->tag, line.dims.size());
    return line;
}

std::string to_string(const ProblemLine& line) {
    const bool shuffle = line.kind == PrimitiveKind::shuffle;
    std::string text = shuffle ? "shuffle" : "reorder";
    const auto add = [&](Text option, const auto& value) { text += fmt::format(" {}={}", option, value); };
    const auto add_tensor = [&](const LineTensor& t, char side) {
        if (!t.strides.empty())
            text += fmt::format(" --{}strides={}", side, join_dims(t.strides));
        else
            text += fmt::format(" --{}tag={}", side, t.tag);
        if (!t.parent_dims.empty())
            text += fmt::format(" --{}sub={}@{}", side, join_dims(t.view_offsets), join_dims(t.parent_dims));
    };
    if (shuffle) add("--dir", word_of(directions, int(line.prop)));
    add("--sdt", name(line.src.type));
    if (!shuffle || line.dst.type != line.src.type) add("--ddt", name(line.dst.type));
    add_tensor(line.src, 's');
    add_tensor(line.dst, 'd');
    if (!line.scales.empty()) add("--attr-scales", quants_text(line.scales, DataType::f32));
    if (!line.zero_points.empty()) add("--attr-zero-points", quants_text(line.zero_points, DataType::s32));
    if (!line.post_ops.empty()) add("--attr-post-ops", post_ops_text(line.post_ops));
    if (line.user_scratchpad) add("--attr-scratchpad", "user");
    if (line.fpmath != FpmathMode::strict) add("--attr-fpmath", word_of(fpmath_modes, int(line.fpmath)));
    if (line.output_scales)
        text += fmt::format(" --oscale={}{}", line.output_scales->mask, line.output_scales->at_execution ? ":rt" : "");
    if (line.runtime_mask != 0) add("--rt", line.runtime_mask);
    if (line.extra.flags != Extra::none) add("--flags", flags_text(line.extra));
    if (shuffle) text += fmt::format(" --axis={} --group={}", line.axis, line.group);
    if (line.expect) add("--expect", status_name(*line.expect));
    if (line.seed) add("--seed", *line.seed);
    return text + " " + join_dims(line.dims);
}

uint64_t seed_of(const ProblemLine& line) {
    if (line.seed) return *line.seed;
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : to_string(line)) hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
    return hash;
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

Text status_name(Status status) { return word_of(statuses, int(status)); }

} // namespace tessera
