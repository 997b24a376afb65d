// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "../primitives/row.hpp"

namespace differential {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::stringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

Dims dims_of(const std::string& text) {
    Dims dims;
    for (const auto& part : split(text, 'x')) dims.push_back(std::strtoll(part.c_str(), nullptr, 10));
    return dims;
}

std::string text_of(const Dims& dims) {
    std::string text;
    for (const int64_t d : dims) text += (text.empty() ? "" : "x") + std::to_string(d);
    return text;
}

std::string text_of(double number) {
    std::ostringstream text;
    text << number;
    return text.str();
}

std::string part(const std::vector<std::string>& parts, size_t i) { return i < parts.size() ? parts[i] : ""; }

std::vector<Quantization> quantizations_of(const std::string& text) {
    std::vector<Quantization> all;
    for (const auto& item : split(text, '+')) {
        const auto p = split(item, ':');
        all.push_back({part(p, 0), std::atoi(part(p, 1).c_str()), part(p, 2), dims_of(part(p, 3))});
    }
    return all;
}

std::string text_of(const std::vector<Quantization>& all, const char* default_type) {
    std::string text;
    for (const auto& q : all) {
        text += (text.empty() ? "" : "+") + q.argument + ":" + std::to_string(q.mask);
        if (!q.type.empty() || !q.groups.empty()) text += ":" + (q.type.empty() ? default_type : q.type);
        if (!q.groups.empty()) text += ":" + text_of(q.groups);
    }
    return text;
}

std::vector<PostOp> post_ops_of(const std::string& text) {
    std::vector<PostOp> all;
    for (const auto& item : split(text, '+')) {
        const auto p = split(item, ':');
        all.push_back({part(p, 0), p.size() > 1 ? std::atof(p[1].c_str()) : 1.0, std::atof(part(p, 2).c_str()),
                       part(p, 3), part(p, 4)});
    }
    return all;
}

std::string text_of(const std::vector<PostOp>& all) {
    std::ostringstream text;
    for (const auto& op : all) {
        text << (text.tellp() > 0 ? "+" : "") << op.kind << ":" << op.first;
        if (op.second != 0 || !op.type.empty()) text << ":" << op.second;
        if (!op.type.empty()) text << ":" << op.type;
        if (!op.tag.empty()) text << ":" << op.tag;
    }
    return text.str();
}

std::vector<Source> sources_of(const std::string& text) {
    std::vector<Source> all;
    for (const auto& item : split(text, '+')) {
        const auto p = split(item, ':');
        Source source{{part(p, 0), part(p, 1), dims_of(part(p, 2)), {}, {}, {}}, 1};
        if (p.size() > 3) source.scale = std::atof(p[3].c_str());
        all.push_back(source);
    }
    return all;
}

std::string text_of(const std::vector<Source>& all) {
    std::string text;
    for (const auto& [side, scale] : all) {
        text += (text.empty() ? "" : "+") + side.type + ":" + side.tag + ":" + text_of(side.dims);
        if (scale != 1) text += ":" + text_of(scale);
    }
    return text;
}

bool set_side(Side& side, const std::string& key, const std::string& value) {
    if (key == "dt")
        side.type = value;
    else if (key == "tag")
        side.tag = value;
    else if (key == "strides")
        side.strides = dims_of(value);
    else if (key == "sub") {
        const auto p = split(value, '@');
        side.offsets = dims_of(part(p, 0));
        side.parent = dims_of(part(p, 1));
    } else
        return false;
    return true;
}

bool set(Problem& p, const std::string& key, const std::string& value) {
    if (key == "alg")
        p.algorithm = value;
    else if (key == "alpha")
        p.alpha = std::atof(value.c_str());
    else if (key == "beta")
        p.beta = std::atof(value.c_str());
    else if (key == "odims")
        p.other.dims = dims_of(value);
    else if (key == "dir")
        p.direction = value;
    else if (key == "axis")
        p.axis = std::atoi(value.c_str());
    else if (key == "group")
        p.group = std::strtoll(value.c_str(), nullptr, 10);
    else if (key == "seed")
        p.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (key == "rt")
        p.runtime_mask = std::atoi(value.c_str());
    else if (key == "special")
        p.special = true;
    else if (key == "attr-scales")
        p.scales = quantizations_of(value);
    else if (key == "attr-zero-points")
        p.zero_points = quantizations_of(value);
    else if (key == "attr-post-ops")
        p.post_ops = post_ops_of(value);
    else if (key == "attr-fpmath")
        p.converts_integers = value == "strict:true";
    else if (key == "attr-scratchpad")
        p.user_scratchpad = value == "user";
    else if (key == "sources")
        p.sources = sources_of(value);
    else if (key == "factors")
        for (const auto& factor : split(value, 'x')) p.factors.push_back(std::atof(factor.c_str()));
    else if (key == "windows")
        for (const auto& window : split(value, '+')) p.windows.push_back(dims_of(window));
    else if (key == "want")
        p.want = value;
    else if (key == "inplace")
        p.in_place = true;
    else if (key == "oscale" || key == "flags")
        p.extension = key + "=" + value;
    else if (key[0] == 's')
        return set_side(p.src, key.substr(1), value);
    else if (key[0] == 'o')
        return set_side(p.other, key.substr(1), value);
    else if (key[0] == 'd')
        return set_side(p.dst, key.substr(1), value);
    else
        return false;
    return true;
}

std::string text_of(const Side& side, const std::string& letter) {
    std::string text = " --" + letter + "dt=" + side.type;
    if (!side.tag.empty()) text += " --" + letter + "tag=" + side.tag;
    if (!side.strides.empty()) text += " --" + letter + "strides=" + text_of(side.strides);
    if (!side.parent.empty()) text += " --" + letter + "sub=" + text_of(side.offsets) + "@" + text_of(side.parent);
    return text;
}

} // namespace

int64_t volume(const Dims& dims) {
    int64_t product = 1;
    for (const int64_t d : dims) product *= d;
    return product;
}

bool has_rough_scales(const Problem& p) { return !p.scales.empty() && (p.seed & 1); }

bool is_backward(const Problem& p) { return p.direction.rfind("BWD", 0) == 0; }

bool multiplies(const Problem& p) { return row_of(p).multiplies; }

bool has_formula(const Problem& p) { return row_of(p).formula != nullptr; }

const Side& output(const Problem& p) {
    if (p.want == "diff_bias" && !p.sources.empty()) return p.sources[0].side;
    if (!p.want.empty()) return p.other;
    return p.direction == "BWD_D" && row_of(p).gradient_of_src ? p.src : p.dst;
}

std::optional<Problem> parse(const std::string& line, std::string& complaint) {
    Problem p;
    std::istringstream in(line);
    in >> p.primitive;
    const Row* row = find_row(p.primitive);
    if (!row) {
        complaint = "unknown primitive '" + p.primitive + "'; known are";
        for (const Row* known : rows()) complaint += std::string(" ") + known->name;
        return std::nullopt;
    }
    bool other_dims = false;
    for (std::string word; in >> word;) {
        if (word.rfind("--", 0) != 0) {
            const auto both = split(word, ':');
            p.src.dims = dims_of(part(both, 0));
            p.dst.dims = both.size() > 1 ? dims_of(both[1]) : p.src.dims;
            continue;
        }
        const auto equals = word.find('=');
        const std::string key = word.substr(2, equals - 2);
        if (key.empty() || !set(p, key, equals == std::string::npos ? "" : word.substr(equals + 1))) {
            complaint = "unknown option '" + word + "'";
            return std::nullopt;
        }
        other_dims |= key == "odims";
    }
    if (p.src.dims.empty() || p.src.dims.size() > 12 || p.dst.dims.size() > 12) {
        complaint = "1 to 12 dims are needed at the end of the line, as in 2x17x5x5";
        return std::nullopt;
    }
    if (row->has_sources && !p.sources.empty()) p.src.type = p.sources[0].side.type;
    if (row->windowed && p.windows.size() + 2 != std::max<size_t>(p.src.dims.size(), 2)) {
        complaint = "a window is needed for each spatial dim, as in --windows=3x2x0x1x1+3x2x0x1x1";
        return std::nullopt;
    }
    if (row->has_other && !other_dims) p.other.dims = p.dst.dims;
    if (row->dst_follows) {
        const Dims dims = p.dst.dims; // dst follows src in everything that was not said
        const std::string tag = p.dst.tag.empty() ? p.src.tag : p.dst.tag;
        p.dst = tag == p.src.tag ? p.src : Side{};
        p.dst.type = p.src.type;
        p.dst.tag = tag;
        p.dst.dims = dims;
    }
    return p;
}

std::string print(const Problem& p) {
    std::string text = p.primitive;
    const Row& row = row_of(p);
    if (row.directed) text += " --dir=" + p.direction;
    if (row.has_algorithm) text += " --alg=" + p.algorithm;
    if (p.alpha != 0) text += " --alpha=" + text_of(p.alpha);
    if (p.beta != 0) text += " --beta=" + text_of(p.beta);
    if (!p.want.empty()) text += " --want=" + p.want;
    text += row.has_sources ? " --sources=" + text_of(p.sources) : text_of(p.src, "s");
    if (row.has_other) text += text_of(p.other, "o");
    if (row.has_other && p.other.dims != p.dst.dims) text += " --odims=" + text_of(p.other.dims);
    if (!row.dst_follows) text += text_of(p.dst, "d");
    if (row.multiplies && !p.sources.empty()) text += " --sources=" + text_of(p.sources);
    if (row.dst_follows && p.dst.tag != p.src.tag) text += " --dtag=" + p.dst.tag;
    if (row.has_axis) text += " --axis=" + std::to_string(p.axis);
    if (row.has_group) text += " --group=" + std::to_string(p.group);
    for (size_t i = 0; i < p.factors.size(); ++i) text += (i ? "x" : " --factors=") + text_of(p.factors[i]);
    for (size_t i = 0; i < p.windows.size(); ++i) text += (i ? "+" : " --windows=") + text_of(p.windows[i]);
    if (p.in_place) text += " --inplace";
    if (!p.scales.empty()) text += " --attr-scales=" + text_of(p.scales, "f32");
    if (!p.zero_points.empty()) text += " --attr-zero-points=" + text_of(p.zero_points, "s32");
    if (!p.post_ops.empty()) text += " --attr-post-ops=" + text_of(p.post_ops);
    if (p.converts_integers) text += " --attr-fpmath=strict:true";
    if (p.user_scratchpad) text += " --attr-scratchpad=user";
    if (p.runtime_mask) text += " --rt=" + std::to_string(p.runtime_mask);
    if (p.special) text += " --special";
    text += " --seed=" + std::to_string(p.seed) + " " + text_of(p.src.dims);
    if (p.dst.dims != p.src.dims) text += ":" + text_of(p.dst.dims);
    return text;
}

} // namespace differential
