// Common to the other notations: shapes, and the conversion to problem lines.
#include "spellings.hpp"

#include <charconv>

#include "line/problem_line_options.hpp"
#include "line/problem_line_words.hpp"
#include "primitives/row.hpp"

namespace tessera::spellings {
namespace {

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

std::optional<int64_t> value_of(const std::vector<std::pair<std::string, int64_t>>& letters, Text word) {
    for (const auto& [name, value] : letters)
        if (name == word) return value;
    return std::nullopt;
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

Result<void> read_lettered_shape(Foreign& f, Text text) {
    const auto letters = read_letters(text);
    if (!letters) return Refusal(letters.error());
    const primitives::Row& row = primitives::row(f.kind);
    const bool outputs = row.letters.find(" oc ") != Text::npos; // the second shape is that of weights
    for (const auto& [name, value] : *letters)
        if (row.letters.find(" " + name + " ") == Text::npos)
            return invalid("'{}': '{}' is none of{}", text, name, row.letters);
    const auto ic = value_of(*letters, "ic"), oc = value_of(*letters, "oc");
    if (!ic || (outputs && !oc))
        return invalid("'{}' names no {}; a shape is like {}", text, !ic ? "ic" : "oc", row.example);
    const int64_t mb = value_of(*letters, "mb").value_or(2);
    std::vector<int64_t> src{mb, *ic}, other{outputs ? *oc : mb, *ic};
    const auto in = pixels(*letters, 'i'), out = outputs ? in : pixels(*letters, 'o');
    src.insert(src.end(), in.begin(), in.end());
    other.insert(other.end(), out.begin(), out.end());
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

size_t Foreign::rank(Text argument) const {
    const size_t of_src = dims.empty() ? 0 : dims[0].size();
    if (argument == "dst") return primitives::row(kind).dst_rank(of_src);
    if (dims.empty()) return 0;
    return dims[argument == "wei" && dims.size() > 1 ? 1 : 0].size();
}

Result<void> read_shape(Foreign& f, Text text) {
    const primitives::Row& row = primitives::row(f.kind);
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
    const bool one_shape = row.sources == Sources::one || row.sources == Sources::by_factors;
    if (one_shape && !row.second_shape_is_dst) dims.resize(1);
    std::vector<std::string> types, tags, strides, shapes;
    for (const Tensor& t : all) {
        types.push_back(t.type);
        tags.push_back(t.strides.empty() ? t.tag : "");
        strides.push_back(t.strides);
    }
    for (const auto& d : dims) shapes.push_back(join_dims(d));
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
