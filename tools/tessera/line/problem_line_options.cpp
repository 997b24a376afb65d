// SPDX-License-Identifier: Apache-2.0
// The table of options, each with the field it sets and the primitives that have it.
#include "line/problem_line_options.hpp"

#include <fmt/ranges.h>

#include "core/nearest.hpp"
#include "line/problem_line_words.hpp"
#include "line/text.hpp"
#include "primitives/row.hpp"

namespace tessera {
namespace {

using Text = std::string_view;

// "--dir: 'FWD' is none of FWD_D, ...; did you mean FWD_D?"
template <size_t N> Refusal none_of(const words::Word (&list)[N], Text value, Text option) {
    return invalid("{}: '{}' is none of {}{}", option, value, words::list_of(list),
                   did_you_mean(value, words::texts_of(list)));
}

std::string did_you_mean_function(Text value, const std::vector<std::string>& functions) {
    return did_you_mean(value, {functions.begin(), functions.end()});
}

template <typename T> Result<void> read_number(T& target, Text value, Text option) {
    const auto parsed = number_of<T>(value);
    if (!parsed) return invalid("{}: '{}' is not a number in the range of its type", option, value);
    target = *parsed;
    return {};
}

Result<void> read_into(std::vector<int64_t>& target, Text value) {
    auto dims = parse_dims(value);
    if (!dims) return Refusal(dims.error());
    target = std::move(*dims);
    return {};
}

Result<void> read_into(DataType& target, Text value, Text option) {
    const auto type = words::read_type(option, value);
    if (!type) return Refusal(type.error());
    target = *type;
    return {};
}

Result<void> read_types(std::vector<DataType>& target, Text value, Text option) {
    for (const Text part : split(value, ':'))
        if (auto done = read_into(target.emplace_back(), part, option); !done) return done;
    return {};
}

Result<void> read_tags(std::vector<std::string>& target, Text value) {
    for (const Text part : split(value, ':')) target.emplace_back(part);
    return {};
}

Result<void> read_dims_list(std::vector<std::vector<int64_t>>& target, Text value) {
    auto list = parse_dims_list(value);
    if (!list) return Refusal(list.error());
    target = std::move(*list);
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
        const auto argument = words::argument_of(parts[0]);
        if (parts.size() < 2 || parts.size() > 5 || !argument)
            return invalid("{}: '{}' is not src:MASK[:TYPE[:GxG[:MODE]]], src1:..., wei:..., msrc0:... or dst:...",
                           option, item);
        LineQuant entry;
        entry.arg = *argument;
        entry.quant.type = default_type;
        entry.quant.on_host = parts[1] == "host";
        if (!entry.quant.on_host)
            if (auto done = read_number(entry.quant.mask, parts[1], option); !done) return done;
        if (parts.size() > 2)
            if (auto done = read_into(entry.quant.type, parts[2], option); !done) return done;
        if (parts.size() > 3)
            if (auto done = read_into(entry.quant.groups, parts[3]); !done) return done;
        if (parts.size() > 4) {
            const auto mode = words::value_of(words::quant_modes, parts[4]);
            if (!mode) return none_of(words::quant_modes, parts[4], option);
            entry.quant.mode = QuantizationMode(*mode);
        }
        target.push_back(std::move(entry));
    }
    return {};
}

Result<void> read_sum(LinePostOp& entry, const std::vector<Text>& parts, Text option) {
    entry.kind = PostOpKind::sum;
    if (parts.size() > 1)
        if (auto done = read_number(entry.scale, parts[1], option); !done) return done;
    if (parts.size() > 2)
        if (auto done = read_number(entry.zero_point, parts[2], option); !done) return done;
    return parts.size() > 3 ? read_into(entry.type, parts[3], option) : Result<void>();
}

Result<void> read_eltwise(LinePostOp& entry, const std::vector<Text>& parts, Text option) {
    entry.kind = PostOpKind::eltwise;
    if (parts.size() > 1)
        if (auto done = read_number(entry.alpha, parts[1], option); !done) return done;
    return parts.size() > 2 ? read_number(entry.beta, parts[2], option) : Result<void>();
}

Result<void> read_binary(LinePostOp& entry, const std::vector<Text>& parts, Text option) {
    entry.kind = PostOpKind::binary;
    entry.type = DataType::f32;
    entry.tag = parts.size() > 3 ? std::string(parts[3]) : "any";
    if (parts.size() > 1)
        if (auto done = read_into(entry.type, parts[1], option); !done) return done;
    return parts.size() > 2 ? read_number(entry.mask, parts[2], option) : Result<void>();
}

// dw:k3s1p1[:DST[:BIAS[:WEIGHTS]]]
Result<void> read_depthwise(LinePostOp& entry, const std::vector<Text>& parts, Text item, Text option) {
    entry.kind = PostOpKind::convolution;
    entry.type = DataType::f32;
    Text window = parts.size() > 1 ? parts[1] : Text();
    for (const auto& [letter, target] : {std::pair{'k', &entry.kernel}, {'s', &entry.stride}, {'p', &entry.padding}}) {
        const size_t end = window.find_first_not_of("0123456789", 1);
        const auto number = window.starts_with(letter) ? number_of<int64_t>(window.substr(1, end - 1)) : std::nullopt;
        if (!number)
            return invalid("{}: '{}' is not dw:kKERNELsSTRIDEpPADDING[:DST[:BIAS[:WEIGHTS]]], for example dw:k3s1p1:u8",
                           option, item);
        *target = *number;
        window = end == Text::npos ? Text() : window.substr(end);
    }
    if (!window.empty() || parts.size() > 5)
        return invalid("{}: '{}' has more than dw:kKERNELsSTRIDEpPADDING[:DST[:BIAS[:WEIGHTS]]]", option, item);
    if (parts.size() > 2)
        if (auto done = read_into(entry.type, parts[2], option); !done) return done;
    if (parts.size() > 3 && parts[3] == "undef")
        entry.bias_type = DataType::undef;
    else if (parts.size() > 3)
        if (auto done = read_into(entry.bias_type.emplace(), parts[3], option); !done) return done;
    return parts.size() > 4 ? read_into(entry.weights_type.emplace(), parts[4], option) : Result<void>();
}

Result<void> read_post_op(LinePostOp& entry, const std::vector<Text>& parts, Text item, Text option) {
    if (parts[0] == "sum") return read_sum(entry, parts, option);
    if (parts[0] == "dw") return read_depthwise(entry, parts, item, option);
    if (parts[0] == "prelu") {
        entry.kind = PostOpKind::prelu;
        return parts.size() > 1 ? read_number(entry.mask, parts[1], option) : Result<void>();
    }
    if (const auto alg = words::alg_of("eltwise_", parts[0])) {
        entry.alg = *alg;
        return read_eltwise(entry, parts, option);
    }
    if (const auto alg = words::alg_of("binary_", parts[0])) {
        entry.alg = *alg;
        return read_binary(entry, parts, option);
    }
    std::vector<std::string> known = words::functions_of("eltwise_");
    for (std::string& function : words::functions_of("binary_")) known.push_back(std::move(function));
    for (const Text word : {"sum", "prelu", "dw"}) known.emplace_back(word);
    return invalid("{}: '{}' is none of sum[:SCALE[:ZERO_POINT[:TYPE]]], relu[:ALPHA[:BETA]] and the like, "
                   "add:TYPE[:MASK[:TAG]] and the like, prelu[:MASK], dw:k3s1p1[:DST[:BIAS[:WEIGHTS]]]{}",
                   option, item, did_you_mean_function(parts[0], known));
}

Result<void> read_post_ops(std::vector<LinePostOp>& target, Text value, Text option) {
    for (const Text item : split(value, '+'))
        if (auto done = read_post_op(target.emplace_back(), split(item, ':'), item, option); !done) return done;
    return {};
}

Result<void> read_dropout(LineDropout& dropout, Text value, Text option) {
    const auto parts = split(value, '+'), numbers = split(parts[0], ':');
    if (numbers.size() < 2 || numbers.size() > 3)
        return invalid("{}: '{}' is not P:SEED[:OFFSET][+s64][+host][+nomask]", option, value);
    if (auto done = read_number(dropout.probability, numbers[0], option); !done) return done;
    if (auto done = read_number(dropout.seed, numbers[1], option); !done) return done;
    if (numbers.size() == 3)
        if (auto done = read_number(dropout.offset.emplace(), numbers[2], option); !done) return done;
    for (size_t i = 1; i < parts.size(); ++i) {
        if (parts[i] == "s64")
            dropout.wide_seed = true;
        else if (parts[i] == "host")
            dropout.on_host = true;
        else if (parts[i] == "nomask")
            dropout.mask = false;
        else
            return invalid("{}: '{}' is none of s64, host, nomask", option, parts[i]);
    }
    return {};
}

Result<void> read_rounding(LineRounding& rounding, Text value, Text option) {
    const auto parts = split(value, ':');
    if (parts.size() != 2) return invalid("{}: '{}' is not diff_src+diff_weights:SEED", option, value);
    for (const Text word : split(parts[0], '+')) {
        const auto argument = words::value_of(words::rounded, word);
        if (!argument) return none_of(words::rounded, word, option);
        rounding.arguments.push_back(*argument);
    }
    return read_number(rounding.seed, parts[1], option);
}

Result<void> read_flags(Extra& extra, Text value, Text option) {
    for (const Text item : split(value, '+')) {
        const auto parts = split(item, ':');
        if (parts.size() != 2) return invalid("{}: '{}' is not NAME:VALUE", option, item);
        Result<void> done;
        if (parts[0] == "s8s8") {
            extra.flags |= Extra::s8s8;
            done = read_number(extra.compensation_mask, parts[1], option);
        } else if (parts[0] == "rnn") {
            extra.flags |= Extra::rnn_u8s8;
            done = read_number(extra.compensation_mask, parts[1], option);
        } else if (parts[0] == "asymm") {
            extra.flags |= Extra::asymmetric_src;
            done = read_number(extra.asymmetric_compensation_mask, parts[1], option);
        } else if (parts[0] == "adjust") {
            extra.flags |= Extra::scale_adjust;
            done = read_number(extra.scale_adjust_factor, parts[1], option);
        } else
            return invalid("{}: '{}' is none of s8s8, rnn, asymm, adjust", option, parts[0]);
        if (!done) return done;
    }
    return {};
}

Result<void> read_flags_of_normalization(unsigned& flags, Text value, Text option) {
    constexpr Text letters = "GCHRAM";
    for (const char letter : value) {
        const size_t bit = letters.find(letter);
        if (bit == Text::npos) return invalid("{}: '{}' in '{}' is none of {}", option, letter, value, letters);
        flags |= 1u << bit;
    }
    return {};
}

Result<void> read_flags_of_cell(unsigned& flags, Text value, Text option) {
    if (value != "O") return invalid("{}: '{}' is not O, gradients that overwrite", option, value);
    flags = 1;
    return {};
}

Result<void> read_cell_scales(LineCellScales& s, Text value, Text option) {
    const auto parts = split(value, ':');
    if (parts.size() < 2 || parts.size() > 4)
        return invalid("{}: '{}' is not SCALE:SHIFT[:MASK[:MASK_OF_PROJECTION]]", option, value);
    if (auto done = read_number(s.scale, parts[0], option); !done) return done;
    if (auto done = read_number(s.shift, parts[1], option); !done) return done;
    if (parts.size() > 2)
        if (auto done = read_number(s.mask, parts[2], option); !done) return done;
    return parts.size() > 3 ? read_number(s.projection_mask, parts[3], option) : Result<void>();
}

Result<void> read_scale_types(ProblemLine& line, Text value, Text option) {
    const auto parts = split(value, ':');
    if (parts.size() > 2) return invalid("{}: '{}' is not TYPE or TYPE:TYPE", option, value);
    auto done = read_into(line.scale_type, parts[0], option);
    return done ? read_into(line.diff_scale_type, parts.back(), option) : done;
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

Result<void> read_factors(std::vector<float>& factors, Text value, Text option) {
    for (const Text part : split(value, ':'))
        if (auto done = read_number(factors.emplace_back(), part, option); !done) return done;
    return {};
}

Result<void> read_alg(ProblemLine& line, Text value, Text option) {
    const std::string prefix = std::string(words::word_of(words::kinds, int(line.kind))) + "_";
    auto alg = words::alg_of(prefix, value);
    for (const Text other : {"vanilla_", ""}) // of cells
        if (!alg && primitives::row(line.kind).has("--direction")) alg = words::alg_of(other, value);
    if (!alg) {
        std::vector<std::string> known = words::functions_of(prefix);
        if (primitives::row(line.kind).has("--direction"))
            for (std::string& cell : words::cells()) known.push_back(std::move(cell));
        return invalid("{}: '{}' is no function of {}; there are {}{}", option, value, name(line.kind),
                       fmt::join(known, ", "), did_you_mean_function(value, known));
    }
    line.alg = *alg;
    return {};
}

template <size_t N> Result<int> read_word(const words::Word (&list)[N], Text value, Text option) {
    if (const auto found = words::value_of(list, value)) return *found;
    return none_of(list, value, option);
}

template <bool LineCell::*member, bool meaning = true> Result<void> read_truth(ReadLine& r, Text value, Text option) {
    return read_word(words::truths, value, option).map([&](int truth) {
        r.line.cell.*member = (truth == 1) == meaning;
    });
}

constexpr Text of_integers = ":true";

struct Option {
    Text name;
    Result<void> (*read)(ReadLine&, Text value, Text option);
    bool owned = false; // by the primitives whose rows list it; else all have it
};

constexpr Option options[] = {
    {"--sdt", [](ReadLine& r, Text v, Text o) { return read_types(r.types, v, o); }},
    {"--ddt", [](ReadLine& r, Text v, Text o) { return read_into(r.line.dst.type, v, o); }},
    {"--dt",
     [](ReadLine& r, Text v, Text o) {
         auto done = read_types(r.types, v, o);
         return done ? read_into(r.line.dst.type, v, o) : done;
     }},
    {"--stag", [](ReadLine& r, Text v, Text) { return read_tags(r.tags, v); }},
    {"--dtag", [](ReadLine& r, Text v, Text) -> Result<void> { return r.line.dst.tag = v, Result<void>(); }},
    {"--tag",
     [](ReadLine& r, Text v, Text) {
         r.line.dst.tag = v;
         return read_tags(r.tags, v);
     }},
    {"--sstrides", [](ReadLine& r, Text v, Text) { return read_dims_list(r.strides, v); }},
    {"--dstrides", [](ReadLine& r, Text v, Text) { return read_into(r.line.dst.strides, v); }},
    {"--ssub", [](ReadLine& r, Text v, Text o) { return read_view(r.line.src, v, o); }},
    {"--dsub", [](ReadLine& r, Text v, Text o) { return read_view(r.line.dst, v, o); }},
    {"--alg", [](ReadLine& r, Text v, Text o) { return read_alg(r.line, v, o); }, true},
    {"--alpha", [](ReadLine& r, Text v, Text o) { return read_number(r.line.alpha, v, o); }, true},
    {"--beta", [](ReadLine& r, Text v, Text o) { return read_number(r.line.beta, v, o); }, true},
    {"--p", [](ReadLine& r, Text v, Text o) { return read_number(r.line.p, v, o); }, true},
    {"--eps", [](ReadLine& r, Text v, Text o) { return read_number(r.line.eps, v, o); }, true},
    {"--size", [](ReadLine& r, Text v, Text o) { return read_number(r.line.size, v, o); }, true},
    {"--k", [](ReadLine& r, Text v, Text o) { return read_number(r.line.k, v, o); }, true},
    {"--kernel", [](ReadLine& r, Text v, Text) { return read_into(r.line.windows.kernel, v); }, true},
    {"--stride", [](ReadLine& r, Text v, Text) { return read_into(r.line.windows.stride, v); }, true},
    {"--dilation", [](ReadLine& r, Text v, Text) { return read_into(r.line.windows.dilation, v); }, true},
    {"--padding", [](ReadLine& r, Text v, Text) { return read_into(r.line.windows.padding, v); }, true},
    {"--padding-r", [](ReadLine& r, Text v, Text) { return read_into(r.line.windows.padding_r, v); }, true},
    {"--scales", [](ReadLine& r, Text v, Text o) { return read_factors(r.line.factors, v, o); }, true},
    {"--inplace", [](ReadLine& r, Text, Text) -> Result<void> { return r.line.in_place = true, Result<void>(); }, true},
    {"--attr-scales", [](ReadLine& r, Text v, Text o) { return read_quants(r.line.scales, v, o, DataType::f32); }},
    {"--attr-zero-points",
     [](ReadLine& r, Text v, Text o) { return read_quants(r.line.zero_points, v, o, DataType::s32); }},
    {"--attr-post-ops", [](ReadLine& r, Text v, Text o) { return read_post_ops(r.line.post_ops, v, o); }},
    {"--attr-dropout", [](ReadLine& r, Text v, Text o) { return read_dropout(r.line.dropout.emplace(), v, o); }},
    {"--attr-rounding", [](ReadLine& r, Text v, Text o) { return read_rounding(r.line.rounding.emplace(), v, o); }},
    {"--attr-precomputed-reductions",
     [](ReadLine& r, Text v, Text o) { return read_quants(r.line.reductions, v, o, DataType::s32); }, true},
    {"--attr-scratchpad",
     [](ReadLine& r, Text v, Text o) {
         return read_word(words::scratchpads, v, o).map([&](int mode) { r.line.user_scratchpad = mode == 1; });
     }},
    {"--attr-fpmath",
     [](ReadLine& r, Text v, Text o) {
         r.line.fpmath_of_integers = v.ends_with(of_integers);
         if (r.line.fpmath_of_integers) v.remove_suffix(of_integers.size());
         return read_word(words::fpmath_modes, v, o).map([&](int mode) { r.line.fpmath = FpmathMode(mode); });
     }},
    {"--attr-deterministic",
     [](ReadLine& r, Text v, Text o) {
         return read_word(words::truths, v, o).map([&](int truth) { r.line.deterministic = truth == 1; });
     }},
    {"--attr-acc-mode",
     [](ReadLine& r, Text v, Text o) {
         return read_word(words::accumulations, v, o).map([&](int m) { r.line.accumulation = AccumulationMode(m); });
     }},
    {"--oscale", [](ReadLine& r, Text v, Text o) { return read_output_scales(r.line, v, o); }, true},
    {"--rt", [](ReadLine& r, Text v, Text o) { return read_number(r.line.runtime_mask, v, o); }, true},
    {"--flags",
     [](ReadLine& r, Text v, Text o) {
         const primitives::Row& row = primitives::row(r.line.kind);
         if (row.has("--direction")) return read_flags_of_cell(r.line.flags, v, o);
         const bool letters = row.has("--eps");
         return letters ? read_flags_of_normalization(r.line.flags, v, o) : read_flags(r.line.extra, v, o);
     },
     true},
    {"--ss-dt", [](ReadLine& r, Text v, Text o) { return read_scale_types(r.line, v, o); }, true},
    {"--stat-tag", [](ReadLine& r, Text v, Text) -> Result<void> { return r.line.statistics_tag = v, Result<void>(); },
     true},
    {"--dir",
     [](ReadLine& r, Text v, Text o) {
         return read_word(words::directions, v, o).map([&](int prop) { r.line.prop = PropKind(prop); });
     },
     true},
    {"--direction",
     [](ReadLine& r, Text v, Text o) {
         return read_word(words::cell_directions, v, o).map([&](int d) { r.line.cell.direction = d; });
     },
     true},
    {"--activation",
     [](ReadLine& r, Text v, Text o) -> Result<void> {
         const auto alg = words::alg_of("eltwise_", v);
         if (!alg) {
             const std::vector<std::string> known{"relu", "tanh", "logistic"};
             return invalid("{}: '{}' is no function of a cell; there are relu, tanh and logistic{}", o, v,
                            did_you_mean_function(v, known));
         }
         r.line.cell.activation = *alg;
         return {};
     },
     true},
    {"--with-peephole", read_truth<&LineCell::peephole>, true},
    {"--with-projection", read_truth<&LineCell::projection>, true},
    {"--with-src-iter", read_truth<&LineCell::src_iter>, true},
    {"--with-dst-iter", read_truth<&LineCell::dst_iter>, true},
    {"--trivial-strides", read_truth<&LineCell::gaps, false>, true},
    {"--diff-wtag",
     [](ReadLine& r, Text v, Text) -> Result<void> { return r.line.cell.diff_weights_tag = v, Result<void>(); }, true},
    {"--attr-rnn", [](ReadLine& r, Text v, Text o) { return read_cell_scales(r.line.cell.scales.emplace(), v, o); },
     true},
    {"--axis", [](ReadLine& r, Text v, Text o) { return read_number(r.line.axis, v, o); }, true},
    {"--group", [](ReadLine& r, Text v, Text o) { return read_number(r.line.group, v, o); }, true},
    {"--engine",
     [](ReadLine& r, Text v, Text) { return parse_engine(v).map([&](LineEngine engine) { r.line.engine = engine; }); }},
    {"--expect",
     [](ReadLine& r, Text v, Text o) {
         return read_word(words::statuses, v, o).map([&](int status) { r.line.expect = Status(status); });
     }},
    {"--seed", [](ReadLine& r, Text v, Text o) { return read_number(r.line.seed.emplace(), v, o); }},
};

std::string known_options() { return fmt::format("{}", fmt::join(option_names(), " ")); }

} // namespace

const std::vector<Text>& option_names() {
    static const std::vector<Text> names = [] {
        std::vector<Text> all;
        for (const Option& option : options) all.push_back(option.name);
        return all;
    }();
    return names;
}

bool ReadLine::is_given(Text name) const { return std::find(given.begin(), given.end(), name) != given.end(); }

Result<std::vector<std::vector<int64_t>>> parse_dims_list(Text text) {
    std::vector<std::vector<int64_t>> list;
    for (const Text part : split(text, ':'))
        if (auto done = read_into(list.emplace_back(), part); !done) return Refusal(done.error());
    return list;
}

Result<void> read_option(ReadLine& read, Text token) {
    const size_t equals = token.find('=');
    const Text name = token.substr(0, equals);
    if (read.is_given(name)) return invalid("'{}': {} was given already; give it once", token, name);
    for (const Option& option : options)
        if (option.name == name) {
            const bool flag = name == "--inplace";
            if (equals == Text::npos && !flag) return invalid("{} needs a value: {}=...", name, name);
            if (option.owned && !primitives::row(read.line.kind).has(name))
                return invalid("{} belongs to {}, not to {}", name, primitives::owners(name),
                               tessera::name(read.line.kind));
            read.given.push_back(name);
            return option.read(read, flag ? Text() : token.substr(equals + 1), name);
        }
    return invalid("unknown option '{}'; known are {}{}", name, known_options(), did_you_mean(name, option_names()));
}

Result<LineEngine> parse_engine(Text text) {
    const size_t colon = text.find(':');
    const auto kind = words::value_of(words::engines, text.substr(0, colon));
    const auto index = colon == Text::npos ? std::optional<size_t>(0) : number_of<size_t>(text.substr(colon + 1));
    if (!kind || !index) return invalid("--engine: '{}' is no engine; there are cpu, gpu and gpu:INDEX", text);
    return LineEngine{EngineKind(*kind), *index};
}

Result<std::vector<int64_t>> parse_dims(Text text) {
    std::vector<int64_t> dims;
    if (text.empty()) return dims;
    for (const Text part : split(text, 'x'))
        if (!read_number(dims.emplace_back(), part, "dims")) return invalid("'{}' is not a list like 2x17x5x5", text);
    return dims;
}

} // namespace tessera
