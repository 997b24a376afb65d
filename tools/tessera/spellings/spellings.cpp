// SPDX-License-Identifier: Apache-2.0
// Common to the other notations: shapes, and the conversion to problem lines.
#include "spellings.hpp"

#include <charconv>

#include "line/problem_line_options.hpp"
#include "line/problem_line_words.hpp"
#include "primitives/row.hpp"

namespace tessera::spellings {
namespace {

std::optional<int64_t> value_of(const std::vector<std::pair<std::string, int64_t>>& letters, Text word) {
    for (const auto& [name, value] : letters)
        if (name == word) return value;
    return std::nullopt;
}

// "mb2ic16_ih5oh10" into letters and numbers.
Result<std::vector<std::pair<std::string, int64_t>>> read_letters(Text text) {
    std::vector<std::pair<std::string, int64_t>> found;
    for (size_t at = 0; at < text.size();) {
        if (text[at] == '_') {
            ++at;
            continue;
        }
        const size_t digits = text.find_first_of("0123456789", at);
        const Text letters = text.substr(at, digits == Text::npos ? digits : digits - at);
        if (letters.starts_with("n\"") || letters == "n") break; // the name
        if (letters == "g" && value_of(found, "oc")) break;      // a depthwise post-op's, which attributes tell
        int64_t value = 0;
        if (digits == Text::npos || letters.empty())
            return invalid("'{}' is no shape like mb2ic16ih5iw5oc32: '{}' has no number", text, letters);
        const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), value);
        if (error != std::errc{}) return invalid("'{}': the number behind '{}' is too large", text, letters);
        found.emplace_back(letters, value);
        at = size_t(end - text.data());
    }
    return found;
}

// Spatial extents id, ih, iw; a missing one equals its neighbour (square images).
std::vector<int64_t> pixels(const std::vector<std::pair<std::string, int64_t>>& letters, char side) {
    const auto of = [&](char axis) { return value_of(letters, std::string{side, axis}); };
    const auto d = of('d'), h = of('h'), w = of('w');
    if (d) return {*d, h.value_or(*d), w.value_or(h.value_or(*d))};
    if (h) return {*h, w.value_or(*h)};
    if (w) return {*w};
    return {};
}

// The shape of an lrn in front of its numbers with fractions, those of benchdnn in any order: ...ls5alpha0.1beta0.75k1
Text without_numbers(Foreign& f, Text text) {
    constexpr Text words[] = {"alpha", "beta", "k"}, otherwise[] = {"1.220703125e-4", "0.75", "1"};
    text = text.substr(0, text.find("n\""));
    const size_t end = std::min({text.find("alpha"), text.find("beta"), text.find('k')});
    for (size_t i = 0; i < std::size(words); ++i) {
        const size_t at = text.find(words[i]), from = at + words[i].size();
        if (at == Text::npos)
            f.add("--" + std::string(words[i]), otherwise[i]);
        else
            f.add("--" + std::string(words[i]),
                  text.substr(from, text.find_first_not_of("0123456789.-+", from) - from));
    }
    return text.substr(0, end);
}

using Letters = std::vector<std::pair<std::string, int64_t>>;

// Kernel, strides, dilations and paddings: kh3sh2dh0ph1. Those of a square or cube are given once.
std::vector<int64_t> window_values(const Letters& letters, char what, size_t rank, int64_t otherwise) {
    std::vector<int64_t> values = pixels(letters, what);
    if (values.size() != rank) values.assign(rank, values.empty() ? otherwise : values.back());
    return values;
}

void read_windows(Foreign& f, const Letters& letters) {
    const size_t rank = pixels(letters, 'i').size();
    if (primitives::row(f.kind).has("--kernel")) f.add("--kernel", join_dims(window_values(letters, 'k', rank, 1)));
    f.add("--stride", join_dims(window_values(letters, 's', rank, 1)));
    f.add("--dilation", join_dims(window_values(letters, 'd', rank, 0)));
    f.add("--padding", join_dims(window_values(letters, 'p', rank, 0)));
}

// [G x] O x I x K.. of a kernel, and the padding behind: what the outputs need, or as much as in front.
std::vector<int64_t> weights_of(Foreign& f, const Letters& letters, int64_t ic, int64_t oc) {
    const auto in = pixels(letters, 'i'), out = pixels(letters, 'o');
    const size_t rank = in.size();
    const auto k = window_values(letters, 'k', rank, 1), s = window_values(letters, 's', rank, 1);
    const auto d = window_values(letters, 'd', rank, 0), p = window_values(letters, 'p', rank, 0);
    const bool transposed = f.kind == PrimitiveKind::deconvolution;
    std::vector<int64_t> behind;
    for (size_t i = 0; i < rank && out.size() == rank; ++i) {
        const int64_t windows = transposed ? in[i] : out[i], elements = transposed ? out[i] : in[i];
        behind.push_back((windows - 1) * s[i] + (k[i] - 1) * (d[i] + 1) + 1 - p[i] - elements);
        if (!transposed) behind.back() = std::max<int64_t>(behind.back(), 0);
    }
    if (!behind.empty()) f.add("--padding-r", join_dims(behind));
    const auto groups = value_of(letters, "g");
    const int64_t g = std::max<int64_t>(groups.value_or(1), 1);
    std::vector<int64_t> weights{oc / g, ic / g};
    if (groups) weights.insert(weights.begin(), g);
    weights.insert(weights.end(), k.begin(), k.end());
    return weights;
}

// What benchdnn computes where a shape names no outputs: with as much padding behind as before.
std::vector<int64_t> outputs_of(const Letters& letters, const std::vector<int64_t>& inputs) {
    const size_t rank = inputs.size();
    const auto k = window_values(letters, 'k', rank, 1), s = window_values(letters, 's', rank, 1);
    const auto d = window_values(letters, 'd', rank, 0), p = window_values(letters, 'p', rank, 0);
    std::vector<int64_t> outputs;
    for (size_t i = 0; i < rank; ++i)
        outputs.push_back((inputs[i] - ((k[i] - 1) * (d[i] + 1) + 1) + 2 * p[i]) / std::max<int64_t>(s[i], 1) + 1);
    return outputs;
}

Result<void> read_lettered_shape(Foreign& f, Text text) {
    const primitives::Row& row = primitives::row(f.kind);
    if (row.has("--size")) text = without_numbers(f, text);
    const auto letters = read_letters(text);
    if (!letters) return Refusal(letters.error());
    if (row.has("--size")) f.add("--size", fmt::format("{}", value_of(*letters, "ls").value_or(5)));
    const bool outputs = row.letters.find(" oc ") != Text::npos; // the second shape is that of weights
    for (const auto& [name, value] : *letters)
        if (row.letters.find(" " + name + " ") == Text::npos)
            return invalid("'{}': '{}' is none of{}", text, name, row.letters);
    const auto ic = value_of(*letters, "ic"), oc = value_of(*letters, "oc");
    if (!ic || (outputs && !oc))
        return invalid("'{}' names no {}; a shape is like {}", text, !ic ? "ic" : "oc", row.example);
    if (row.has("--stride")) read_windows(f, *letters);
    const int64_t mb = value_of(*letters, "mb").value_or(2);
    if (const auto groups = value_of(*letters, "g"); groups && !row.has("--stride"))
        f.add("--group", fmt::format("{}", *groups));
    std::vector<int64_t> src{mb, *ic}, other{outputs ? *oc : mb, *ic};
    const auto in = pixels(*letters, 'i');
    auto out = outputs ? in : pixels(*letters, 'o');
    if (row.has("--kernel") && out.empty()) out = outputs_of(*letters, in);
    src.insert(src.end(), in.begin(), in.end());
    other.insert(other.end(), out.begin(), out.end());
    if (outputs && row.has("--stride")) other = weights_of(f, *letters, *ic, *oc);
    f.dims = {src, other};
    return {};
}

std::string joined(const std::vector<std::string>& entries) {
    std::string text;
    bool given = false;
    for (size_t i = 0; i < entries.size(); ++i) {
        given |= !entries[i].empty();
        text += (i > 0 ? ":" : "") + entries[i];
    }
    return given ? text : "";
}

} // namespace

void Foreign::add(Text option, Text value) {
    const std::string start = std::string(option) + "=";
    std::erase_if(options, [&](const std::string& given) { return given.starts_with(start); });
    options.push_back(start + std::string(value));
}

size_t Foreign::rank(Text argument) const {
    const size_t of_src = dims.empty() ? 0 : dims[0].size();
    if (argument == "dst") return primitives::row(kind).dst_rank(of_src);
    if (dims.empty()) return 0;
    return dims[argument == "wei" && dims.size() > 1 ? 1 : 0].size();
}

Result<void> read_shape(Foreign& f, Text text) {
    const primitives::Row& row = primitives::row(f.kind);
    if (row.read_dims) {
        const auto dims = row.read_dims(text.substr(0, text.find("_n")));
        if (!dims) return Refusal(dims.error());
        f.dims = *dims;
        return {};
    }
    if (!row.letters.empty() && !text.empty() && text[0] >= 'a' && text[0] <= 'z') return read_lettered_shape(f, text);
    text = text.substr(0, text.find("_n"));
    if (text.find('*') != Text::npos)
        return invalid("'{}': open dims; paste the line of an execution that tells them", text);
    const auto dims = parse_dims_list(text);
    if (!dims) return Refusal(dims.error());
    f.dims = *dims;
    if (row.third_shape_follows && f.dims.size() == 3) f.dims.pop_back();
    return {};
}

Result<void> read_open_dims(Foreign& f, Text value) {
    const bool matrices = primitives::row(f.kind).matrices;
    int64_t ours = 0;
    const auto parts = split(value, ':');
    for (size_t side = 0; side < parts.size() && side < 2; ++side) {
        const auto mask = number_of<int64_t>(parts[side]);
        if (!mask) return invalid("'{}' is no mask of open dims, like 1:0 for those of src and weights", value);
        const size_t n = f.rank("src");
        const size_t k = n - (side == 0 ? 1 : 2);
        for (size_t d = 0; d < n; ++d)
            if (*mask >> d & 1) ours |= int64_t(1) << (matrices && d == k ? n : d);
    }
    if (ours != 0) f.add("--rt", fmt::format("{}", ours));
    return {};
}

Result<void> complete(Foreign& f) {
    const primitives::Row& row = primitives::row(f.kind);
    return row.complete ? row.complete(f) : Result<void>();
}

Result<std::string> print(const Foreign& f) {
    const primitives::Row& row = primitives::row(f.kind);
    std::vector<Tensor> all = f.sources;
    std::vector<std::vector<int64_t>> dims = f.dims;
    if (all.empty()) return invalid("no type or layout of a source is given");
    if (dims.empty() || dims[0].empty()) return invalid("no dims are given");
    if (f.bias) {
        const std::vector<int64_t> bias = row.bias_dims ? row.bias_dims(f) : std::vector<int64_t>{f.dims.back()[0]};
        all.push_back(*f.bias);
        dims.push_back(bias);
    }
    using primitives::Sources;
    const bool one_shape =
        row.sources == Sources::one || row.sources == Sources::by_factors || row.sources == Sources::of_cell;
    if (one_shape && !row.second_shape_is_dst) dims.resize(1);
    std::vector<std::string> types, tags, strides, shapes;
    for (const Tensor& t : all) {
        types.push_back(t.type);
        tags.push_back(t.strides.empty() ? t.tag : "");
        strides.push_back(t.strides);
    }
    for (const auto& d : dims) shapes.push_back(row.print_dims ? row.print_dims(d) : join_dims(d));
    std::string text(words::word_of(words::kinds, int(f.kind)));
    const auto add = [&](Text option, const std::string& value) {
        if (!value.empty()) text += fmt::format(" {}={}", option, value);
    };
    add("--dir", f.dir);
    add("--alg", f.alg);
    add("--sdt", joined(types));
    add("--ddt", f.dst.type);
    add("--stag", joined(tags));
    add("--sstrides", joined(strides));
    if (f.dst.strides.empty())
        add("--dtag", f.dst.tag);
    else
        add("--dstrides", f.dst.strides);
    for (const std::string& option : f.options) text += " " + option;
    return text + " " + joined(shapes);
}

Result<std::string> in_our_words(Text line) {
    if (is_verbose(line)) return from_verbose(line);
    if (is_benchdnn(line)) return from_benchdnn(line);
    return std::string(line);
}

} // namespace tessera::spellings
