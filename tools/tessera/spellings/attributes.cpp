// SPDX-License-Identifier: Apache-2.0
// Attributes: a table from their names to the options of problem lines.
#include <algorithm>

#include "core/types/types.hpp"
#include "primitives/row.hpp"
#include "spellings.hpp"

namespace tessera::spellings {
namespace {

// "per_dim_02" -> dims 0 and 2; also numbers.
Result<int> mask_of(const Foreign& f, Text argument, Text policy) {
    if (const auto number = number_of<int>(policy)) return *number;
    int mask = 0;
    const int rank = int(f.rank(argument));
    const bool matrix = primitives::row(f.kind).matrices, weights = argument.ends_with("wei");
    const int out = matrix ? rank - 1 : weights ? 0 : 1, in = matrix ? rank - 2 : weights ? 1 : 0;
    constexpr Text per_dim = "per_dim_";
    if (policy == "common") return 0;
    if (policy == "per_tensor") return (1 << rank) - 1;
    if (rank >= 2 && policy == "per_oc") return 1 << out;
    if (rank >= 2 && policy == "per_ocic") return 1 << out | 1 << in;
    if (policy.starts_with(per_dim) && policy.size() > per_dim.size()) {
        for (const char digit : policy.substr(per_dim.size())) {
            if (digit < '0' || digit >= '0' + rank)
                return invalid("'{}' of {}: there are {:dim}", policy, argument, counted(rank));
            mask |= 1 << (digit - '0');
        }
        return mask;
    }
    return invalid("'{}' of {} is no mask, and none of common, per_oc, per_ocic, per_tensor, per_dim_0, per_dim_01 ... "
                   "for {} dims",
                   policy, argument, rank);
}

Text our_argument(const Foreign& f, Text word) {
    if (word == "src0") return "src";
    if (word == "weights") return "wei";
    if (word == "src" && primitives::row(f.kind).sources == primitives::Sources::by_shapes) return "msrc0";
    return word;
}

// ARG:POLICY[:VALUE][:TYPE[:GROUPS[:MODE]]]+...
Result<void> read_quants(Foreign& f, Text ours, Text value) {
    std::string text;
    for (const Text item : split(value, '+')) {
        const auto parts = split(item, ':');
        if (parts.size() < 2 && value.empty()) continue;
        const Text argument = our_argument(f, parts[0]);
        std::string mask = "0", type, groups, mode;
        const Text policy = parts.size() > 1 ? parts[1] : "common";
        if (policy == "host_scalar") {
            mask = "host";
        } else {
            const auto number = mask_of(f, argument, policy);
            if (!number) return Refusal(number.error());
            mask = fmt::format("{}", *number);
        }
        for (size_t i = 2; i < parts.size(); ++i) {
            Text part = parts[i];
            if (part.ends_with('*')) part.remove_suffix(1); // "given at execution", which all scales are
            const bool list = part.find('x') != Text::npos && part.find_first_not_of("0123456789x") == Text::npos;
            if (part.empty() || is_number(part) || part == "static_sazp") continue;
            if (part == "host_scalar")
                mask = "host";
            else if (list)
                groups = part;
            else if (part == "dynamic_mx" || part == "mx")
                mode = "mx";
            else if (part == "dynamic_fp" || part == "fp")
                mode = "fp";
            else
                type = part;
        }
        const bool zeros = ours == "--attr-zero-points" || ours == "--attr-precomputed-reductions";
        if (type.empty() && !(groups.empty() && mode.empty())) type = zeros ? "s32" : "f32";
        text += fmt::format("{}{}:{}{}{}{}", text.empty() ? "" : "+", argument, mask, type.empty() ? "" : ":" + type,
                            groups.empty() && mode.empty() ? "" : ":" + groups, mode.empty() ? "" : ":" + mode);
    }
    if (!text.empty()) f.add(ours, text);
    return {};
}

Text without_prefix(Text word) {
    for (const Text prefix : {"eltwise_", "binary_"})
        if (word.starts_with(prefix)) return word.substr(prefix.size());
    return word;
}

// A binary operation: TYPE[:POLICY[:TAG]]; a function: numbers; anything else is passed on to the problem line.
Result<std::string> read_post_op(const Foreign& f, Text item) {
    const auto parts = split(item, ':');
    std::string text(without_prefix(parts[0]));
    if (text == "sum" || text == "dw") return std::string(item);
    const bool prelu = text == "prelu";
    const size_t policy = prelu ? 1 : 2;
    const bool values = prelu || (parts.size() > 1 && parse_data_type(parts[1]));
    if (!values) {
        for (size_t i = 1; i < parts.size(); ++i) {
            if (i < 3)
                text += ":" + std::string(parts[i]);
            else if (parts[i] != "1")
                return invalid("'{}': a scale of {} behind a function; this version of the interface has none", item,
                               parts[i]);
        }
        return text;
    }
    for (size_t i = 1; i < parts.size(); ++i) {
        std::string part(parts[i]);
        if (i == policy) {
            const auto mask = mask_of(f, "dst", parts[i]);
            if (!mask) return Refusal(mask.error());
            part = fmt::format("{}", *mask);
        }
        if (prelu && i > policy) continue; // weights of prelu are always f32
        text += ":" + part;
    }
    return text;
}

Result<void> read_post_ops(Foreign& f, Text ours, Text value) {
    std::string text, plain(value);
    std::erase(plain, '\'');
    std::replace(plain.begin(), plain.end(), ';', '+'); // as versions before 2.3 joined them
    for (const Text item : split(plain, '+')) {
        if (item.empty()) continue;
        const auto read = read_post_op(f, item);
        if (!read) return Refusal(read.error());
        text += (text.empty() ? "" : "+") + *read;
    }
    if (!text.empty()) f.add(ours, text);
    return {};
}

// benchdnn: P[:SEED[:TAG]]. A verbose line tells that there is one and what its mask is.
Result<void> read_dropout(Foreign& f, Text ours, Text value) {
    const auto parts = split(value, ':');
    const bool told = is_number(parts[0]);
    const std::string seed = told && parts.size() > 1 && is_number(parts[1]) ? std::string(parts[1]) : "1";
    const bool mask = told ? parts.size() < 3 || parts[2] != "undef" : parts[0] != "undef" && !parts[0].empty();
    f.add(ours, fmt::format("{}:{}{}", told ? parts[0] : "0.5", seed, mask ? "" : "+nomask"));
    return {};
}

// ARG:stochastic[:SEED]+...
Result<void> read_rounding(Foreign& f, Text ours, Text value) {
    std::string arguments, seed = "1";
    for (const Text item : split(value, '+')) {
        const auto parts = split(item, ':');
        if (parts.size() > 1 && parts[1] == "environment") continue;
        if (parts.size() < 2 || parts[1] != "stochastic")
            return invalid("'{}' is not ARGUMENT:stochastic[:SEED]", item);
        if (parts.size() > 2) seed = parts[2];
        arguments +=
            fmt::format("{}{}", arguments.empty() ? "" : "+", parts[0] == "diff_wei" ? "diff_weights" : parts[0]);
    }
    if (!arguments.empty()) f.add(ours, arguments + ":" + seed);
    return {};
}

Result<void> read_output_scales(Foreign& f, Text ours, Text value) {
    const auto parts = split(value, ':');
    const auto mask = mask_of(f, "dst", parts[0]);
    if (!mask) return Refusal(mask.error());
    f.add(ours, fmt::format("{}{}", *mask, value.ends_with('*') ? ":rt" : ""));
    return {};
}

Result<void> read_truth(Foreign& f, Text ours, Text value) {
    f.add(ours, value == "1" || value == "true" ? "true" : "false");
    return {};
}

Result<void> read_fpmath(Foreign& f, Text ours, Text value) {
    const size_t end = value.rfind(":false");
    f.add(ours, value.substr(0, end));
    return {};
}

Result<void> read_as_it_is(Foreign& f, Text ours, Text value) {
    f.add(ours, value);
    return {};
}

struct Attribute {
    Text name, ours;
    Result<void> (*read)(Foreign&, Text ours, Text value);
};
constexpr Attribute attributes[] = {
    {"attr-scales", "--attr-scales", read_quants},
    {"attr-zero-points", "--attr-zero-points", read_quants},
    {"attr-precomputed-reductions", "--attr-precomputed-reductions", read_quants},
    {"attr-post-ops", "--attr-post-ops", read_post_ops},
    {"attr-scratchpad", "--attr-scratchpad", read_as_it_is},
    {"attr-fpmath", "--attr-fpmath", read_fpmath},
    {"attr-acc-mode", "--attr-acc-mode", read_as_it_is},
    {"attr-deterministic", "--attr-deterministic", read_truth},
    {"attr-dropout", "--attr-dropout", read_dropout},
    {"attr-rounding-mode", "--attr-rounding", read_rounding},
    {"attr-oscale", "--oscale", read_output_scales},
    {"attr-rnn-qparams", "--attr-rnn", read_as_it_is},
    {"rnn_data_qparams", "--attr-rnn",
     [](Foreign& f, Text ours, Text value) { return read_as_it_is(f, ours, value.substr(0, value.find(';'))); }},
};

} // namespace

Result<bool> read_attribute(Foreign& f, Text name, Text value) {
    for (const Attribute& a : attributes)
        if (a.name == name) {
            if (auto done = a.read(f, a.ours, value); !done) return invalid("{}: {}", name, done.error().reason);
            return true;
        }
    return false;
}

const std::vector<Text>& attribute_names() {
    static const std::vector<Text> names = [] {
        std::vector<Text> all;
        for (const Attribute& a : attributes) all.push_back(a.name);
        return all;
    }();
    return names;
}

} // namespace tessera::spellings
