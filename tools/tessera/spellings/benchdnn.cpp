// SPDX-License-Identifier: Apache-2.0
// Command lines of benchdnn: a table from its options to what they set.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/nearest.hpp"
#include "line/problem_line_options.hpp"
#include "primitives/row.hpp"
#include "spellings.hpp"

namespace tessera::spellings {
namespace {

using primitives::Sources;

// What else there is; they belong to primitives that are not built.
constexpr Text others[] = {"--graph", "--zeropad", "--brgemm"};

struct Command {
    Foreign foreign;
    std::string bias_type, dir;

    const primitives::Row& row() const { return primitives::row(foreign.kind); }
};

// A list over the sources: one entry stands for all.
Result<void> each_source(Foreign& f, Text value, std::string Tensor::*field) {
    const auto parts = split(value, ':');
    if (f.sources.size() < parts.size()) {
        if (primitives::row(f.kind).sources != Sources::by_factors)
            return invalid("{:entry|entries} for {:source}; give one, or one each", counted(parts.size()),
                           counted(f.sources.size()));
        f.sources.resize(parts.size(), f.sources[0]);
    }
    if (parts.size() > 1 && parts.size() < f.sources.size())
        return invalid("{} entries for {} sources; give one, or one each", parts.size(), f.sources.size());
    for (size_t i = 0; i < f.sources.size(); ++i) f.sources[i].*field = parts[parts.size() == 1 ? 0 : i];
    return {};
}

Result<void> read_types(Command& c, Text value, Text) { // of all tensors
    Foreign& f = c.foreign;
    const auto parts = split(value, ':');
    if (parts.size() == 1) {
        f.dst.type = value;
        return each_source(f, value, &Tensor::type);
    }
    if (!c.row().multiplies || parts.size() != 3)
        return invalid("'{}' is neither one type nor those of src, weights and dst, like u8:s8:f32", value);
    f.sources[0].type = parts[0];
    f.sources[1].type = parts[1];
    f.dst.type = parts[2];
    return {};
}

Result<void> read_source_types(Command& c, Text value, Text) { return each_source(c.foreign, value, &Tensor::type); }

Result<void> read_tag(Command& c, Text value, Text) {
    c.foreign.dst.tag = value;
    return each_source(c.foreign, value, &Tensor::tag);
}

Result<void> read_source_tags(Command& c, Text value, Text) {
    if (!c.row().multiplies) return each_source(c.foreign, value, &Tensor::tag);
    c.foreign.sources[0].tag = value;
    return {};
}

Result<void> read_weights_tag(Command& c, Text value, Text) {
    c.foreign.sources[1].tag = value;
    return {};
}

Result<void> read_dst_tag(Command& c, Text value, Text) {
    const bool optional = c.row().sources == Sources::by_factors || c.row().sources == Sources::by_shapes;
    c.foreign.dst.tag = optional && value == "undef" ? "omit" : std::string(value);
    return {};
}

// SRC[:WEIGHTS]:DST, entries may be empty.
Result<void> read_strides(Command& c, Text value, Text) {
    Foreign& f = c.foreign;
    const auto parts = split(value, ':');
    if (parts.size() > f.sources.size() + 1)
        return invalid("'{}' has {:list of strides|lists of strides} for {:tensor}", value, counted(parts.size()),
                       counted(f.sources.size() + 1));
    for (size_t i = 0; i < parts.size(); ++i) (i < f.sources.size() ? f.sources[i] : f.dst).strides = parts[i];
    return {};
}

Result<void> read_alg(Command& c, Text value, Text) {
    std::string word(value);
    for (char& letter : word) letter = char(std::tolower(static_cast<unsigned char>(letter)));
    const std::string prefix = std::string(name(c.foreign.kind)) + "_";
    c.foreign.alg = word.starts_with(prefix) ? word.substr(prefix.size()) : word;
    return {};
}

Result<void> read_flags(Command& c, Text value, Text) { // s8s8_comp:1+zp_comp:1
    std::string text;
    for (const Text item : split(value, '+')) {
        const size_t colon = item.find(':');
        const Text word = item.substr(0, colon);
        const Text ours = word == "s8s8_comp" ? "s8s8" : word == "zp_comp" ? "asymm" : word;
        text += fmt::format("{}{}{}", text.empty() ? "" : "+", ours, colon == Text::npos ? ":0" : item.substr(colon));
    }
    c.foreign.add("--flags", text);
    return {};
}

Result<void> read_mask_of_bias(Command& c, Text value, Text) {
    if (!is_number(value)) return invalid("'{}' is no mask", value);
    c.foreign.bias_mask = std::atoi(std::string(value).c_str());
    return {};
}

Result<void> read_factors(Command& c, Text value, Text) {
    for (const Text part : split(value, ':')) c.foreign.factors.emplace_back(part);
    return {};
}

Result<void> read_in_place(Command& c, Text value, Text) {
    if (value == "true" || value == "1") c.foreign.options.emplace_back("--inplace");
    return {};
}

Result<void> read_batch(Command&, Text value, Text) { return invalid("a file of problems is given with -f {}", value); }

Result<void> pass(Command& c, Text value, Text ours) {
    c.foreign.add(ours, value);
    return {};
}

struct Key {
    Text name; // '-' also stands for '_'
    Result<void> (*read)(Command&, Text value, Text ours);
    bool owned = false; // by the primitives whose rows list it; else all have it
    Text ours = "";
};
constexpr Key keys[] = {
    {"--dt", read_types},
    {"--sdt", read_source_types},
    {"--ddt", [](Command& c, Text v, Text) -> Result<void> { return c.foreign.dst.type = v, Result<void>(); }},
    {"--bia-dt", [](Command& c, Text v, Text) -> Result<void> { return c.bias_type = v, Result<void>(); }, true},
    {"--bia-mask", read_mask_of_bias, true},
    {"--tag", read_tag},
    {"--stag", read_source_tags},
    {"--wtag", read_weights_tag, true},
    {"--dtag", read_dst_tag},
    {"--strides", read_strides, true},
    {"--dir", [](Command& c, Text v, Text) -> Result<void> { return c.dir = v, Result<void>(); }},
    {"--alg", read_alg, true},
    {"--alpha", pass, true, "--alpha"},
    {"--beta", pass, true, "--beta"},
    {"--p", pass, true, "--p"},
    {"--eps", pass, true, "--eps"},
    {"--flags",
     [](Command& c, Text v, Text ours) -> Result<void> {
         return v == "undef" || v.empty() ? Result<void>() : pass(c, v, ours);
     },
     true, "--flags"},
    {"--prop", [](Command& c, Text v, Text) -> Result<void> { return c.dir = v, Result<void>(); }, true},
    {"--cfg", [](Command& c, Text v, Text) { return read_configuration(c.foreign, v); }, true},
    {"--direction", [](Command& c, Text v, Text) { return read_direction(c.foreign, v); }, true},
    {"--activation", [](Command& c, Text v, Text) { return read_activation(c.foreign, v); }, true},
    {"--with-peephole", pass, true, "--with-peephole"},
    {"--with-projection", pass, true, "--with-projection"},
    {"--trivial-strides", pass, true, "--trivial-strides"},
    {"--axis", pass, true, "--axis"},
    {"--group", pass, true, "--group"},
    {"--scales", read_factors, true},
    {"--inplace", read_in_place, true},
    {"--runtime-dims-masks", [](Command& c, Text v, Text) { return read_open_dims(c.foreign, v); }, true},
    {"--runtime-dim-mask", [](Command& c, Text v, Text) { return read_open_dims(c.foreign, v); }, true},
    {"--oflag", read_flags, true},
    {"--engine", pass, false, "--engine"},
    {"--batch", read_batch},
};

// Options that say how benchdnn runs a problem, not which problem.
constexpr Text read_over[] = {
    "--mode",
    "--mode-modifier",
    "--skip-impl",
    "--impl",
    "--match",
    "--reset",
    "--memory-kind",
    "--perf-template",
    "--ctx-init",
    "--ctx-exec",
    "--max-ms-per-prb",
    "--num-streams",
    "--cold-cache",
    "--check-ref-impl",
    "--global-impl",
    "--summary",
    "--fix-times-per-prb",
    "--execution-mode",
    "--fast-ref",
    "--fast-ref-gpu",
    "--start",
    "--canonical",
    "--repeats-per-prb",
    "--stream-kind",
    "--attr-same-pd-check",
    "--allow-enum-tags-only",
    "--verbose",
    "--cpu-isa-hints",
    "--min-times-per-prb",
};

std::string with_dashes(Text name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

const primitives::Row* driver_of(Text word) {
    for (const primitives::Row* row : primitives::rows())
        if (row->driver == word || "--" + with_dashes(name(row->kind)) == word) return row;
    return nullptr;
}

Result<void> read_option(Command& c, Text token) {
    const size_t equals = token.find('=');
    const std::string name = with_dashes(token.substr(0, equals));
    const Text value = equals == Text::npos ? Text() : token.substr(equals + 1);
    for (const Text ignored : read_over)
        if (ignored == name) return {};
    if (value.find(',') != Text::npos)
        return invalid("{}: {} values; a line is one problem, give one", token, split(value, ',').size());
    std::vector<Text> known(std::begin(read_over), std::end(read_over));
    for (const Key& key : keys) {
        known.push_back(key.name);
        if (key.name != name) continue;
        if (key.owned && !c.row().has(name))
            return invalid("{} belongs to {}, not to {}", name, primitives::owners(name, true), c.row().driver);
        if (equals == Text::npos) return invalid("{} needs a value: {}=...", name, name);
        if (auto done = key.read(c, value, key.ours); !done) return invalid("{}: {}", name, done.error().reason);
        return {};
    }
    const auto attribute = read_attribute(c.foreign, name.substr(2), value);
    if (!attribute) return Refusal(attribute.error());
    if (*attribute) return {};
    std::vector<std::string> attributes;
    for (const Text a : attribute_names()) attributes.push_back("--" + std::string(a));
    known.insert(known.end(), attributes.begin(), attributes.end());
    return invalid("unknown option '{}' of {}{}", name, c.row().driver, did_you_mean(name, known));
}

// Direction, bias and the number of sources, which depend on each other.
Result<void> complete(Command& c) {
    Foreign& f = c.foreign;
    const primitives::Row& row = c.row();
    bool bias = !c.bias_type.empty() && c.bias_type != "undef";
    if (row.bias_of) bias = row.bias_of(c.dir);
    if (bias) {
        const Text like = f.sources[0].type;
        const bool integers = like == "u8" || like == "s8" || like == "s4" || like == "u4";
        f.bias.emplace();
        f.bias->type = !c.bias_type.empty() ? c.bias_type : integers ? "f32" : std::string(like);
        f.bias->tag = row.bias_tag;
    }
    if (row.directed()) f.dir = c.dir == "FWD_B" || c.dir.empty() ? "FWD_D" : c.dir == "BWD_WB" ? "BWD_W" : c.dir;
    return complete(f);
}

} // namespace

bool begins_driver(Text token) {
    return driver_of(token) || std::find(std::begin(others), std::end(others), token) != std::end(others);
}

bool is_benchdnn(Text line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const Text first = line.substr(0, line.find_first_of(" \t\r"));
    return first.starts_with("--") || first.ends_with("benchdnn");
}

const std::vector<Text>& known_words() {
    static const std::vector<std::string>& attributes = *new std::vector<std::string>([] {
        std::vector<std::string> all;
        for (const Text a : attribute_names()) all.push_back("--" + std::string(a));
        return all;
    }());
    static const std::vector<Text> words = [] {
        std::vector<Text> all(std::begin(read_over), std::end(read_over));
        for (const Key& key : keys) all.push_back(key.name);
        for (const primitives::Row* row : primitives::rows()) all.push_back(row->driver);
        all.insert(all.end(), std::begin(others), std::end(others));
        all.insert(all.end(), attributes.begin(), attributes.end());
        return all;
    }();
    return words;
}

Result<std::string> from_benchdnn(Text line) {
    std::vector<Text> tokens;
    for (const Text token : split(line, ' '))
        if (!token.empty()) tokens.push_back(token);
    if (!tokens.empty() && tokens[0].ends_with("benchdnn")) tokens.erase(tokens.begin());
    if (tokens.empty()) return invalid("no driver; a line of benchdnn begins with one, like --matmul");
    const primitives::Row* row = driver_of(tokens[0]);
    if (!row) {
        const std::vector<Text>& ours = option_names();
        if (std::find(ours.begin(), ours.end(), tokens[0].substr(0, tokens[0].find('='))) != ours.end())
            return invalid("'{}' comes before the primitive; a line is PRIMITIVE [--OPTION=VALUE...] DIMS, like "
                           "reorder {} 2x3",
                           tokens[0], tokens[0]);
        std::vector<Text> known;
        std::string list;
        for (const primitives::Row* r : primitives::rows())
            known.push_back(r->driver), list += " " + std::string(r->driver);
        const bool unbuilt = begins_driver(tokens[0]);
        return invalid("'{}' {}; there are{}{}", tokens[0],
                       unbuilt ? "belongs to a primitive that is not built" : "is no driver of benchdnn", list,
                       unbuilt ? "" : did_you_mean(tokens[0], known));
    }
    Command c;
    Foreign& f = c.foreign;
    f.kind = row->kind;
    std::vector<Text> options;
    for (size_t t = 1; t < tokens.size(); ++t) {
        if (tokens[t].starts_with("--") || tokens[t].starts_with("-v")) {
            if (tokens[t].starts_with("--")) options.push_back(tokens[t]);
            continue;
        }
        if (!f.dims.empty()) return invalid("'{}': the dims were given already; a line is one problem", tokens[t]);
        if (auto ok = read_shape(f, tokens[t]); !ok) return Refusal(ok.error());
    }
    if (f.dims.empty()) return invalid("the line has no dims; they come last, like 16x32:32x64");
    const bool pairs = row->sources == Sources::two || row->sources == Sources::with_bias;
    f.sources.resize(row->sources == Sources::by_shapes ? f.dims.size()
                     : row->sources == Sources::of_cell ? 5
                     : pairs                            ? 2
                                                        : 1);
    for (Tensor& t : f.sources) t.tag = row->tag;
    f.dst.tag = row->dtag;
    for (const Text option : options)
        if (auto ok = read_option(c, option); !ok) return Refusal(ok.error());
    if (auto ok = complete(c); !ok) return Refusal(ok.error());
    return print(f);
}

} // namespace tessera::spellings
