// SPDX-License-Identifier: Apache-2.0
// Lines that ONEDNN_VERBOSE makes: fields between commas, the descriptors among them tokens of their own.
//
//   onednn_verbose[,v1][,TIMESTAMP][,primitive],exec,cpu,KIND,IMPL,PROP,TENSORS,ATTRIBUTES,AUXILIARY,SHAPE,TIME
#include <algorithm>
#include <array>

#include "core/types/types.hpp"
#include "line/problem_line_words.hpp"
#include "primitives/row.hpp"
#include "spellings.hpp"

namespace tessera::spellings {
namespace {

constexpr Text markers[] = {"onednn_verbose,", "dnnl_verbose,"};

size_t start_of(Text line) {
    for (const Text marker : markers)
        if (const size_t at = line.find(marker); at != Text::npos) return at;
    return Text::npos;
}

struct Token {
    std::string name;
    bool any = false, padded = false;
    Text kind, flags;
    Tensor tensor;
};

// NAME:TYPE:PROPERTIES:KIND:TAG[:STRIDES]:FLAGS; until 3.3 NAME_TYPE, until 3.0 without strides.
Result<Token> read_token(Text text) {
    auto parts = split(text, ':');
    Token token;
    if (parts.size() > 1 && (parse_data_type(parts[1]) || parts[1] == "undef")) {
        token.name = parts[0];
        parts.erase(parts.begin());
    } else {
        // The name and the type may both hold a '_': diff_wei_f8_e5m2.
        for (size_t at = 0; token.name.empty() && (at = parts[0].find('_', at)) != Text::npos; ++at)
            if (parse_data_type(parts[0].substr(at + 1)) || parts[0].substr(at + 1) == "undef") {
                token.name = parts[0].substr(0, at);
                parts[0].remove_prefix(at + 1);
            }
    }
    if (token.name.empty() || parts.size() < 5)
        return invalid("'{}' is no descriptor like src:f32::blocked:ab::f0", text);
    token.tensor.type = parts[0];
    token.any = parts[1].find('a') != Text::npos;
    token.kind = parts[2];
    token.tensor.tag = token.any || token.kind == "any" ? "any" : std::string(parts[3]);
    if (parts.size() > 5 && !token.any) token.tensor.strides = parts[4];
    token.flags = parts[parts.size() > 5 ? 5 : 4];
    if (token.tensor.type == "undef") return token;
    if (token.kind != "blocked" && token.kind != "any")
        return invalid("'{}': a problem line has layouts of blocks and strides alone, no {}", text, token.kind);
    if (!token.tensor.strides.empty() && token.tensor.tag.find_first_of("0123456789") != std::string::npos)
        return invalid("'{}': a problem line has strides of plain layouts alone, not of {}", text, token.tensor.tag);
    if (token.tensor.tag == "*")
        return invalid("'{}': an open layout; paste the line of an execution that tells it", text);
    return token;
}

// f3:s8m1:zpm2 of a reorder's dst
Result<void> read_flags(Foreign& f, Text token) {
    const auto parts = split(token, ':');
    std::string text;
    for (const Text part : parts) {
        const bool s8 = part.starts_with("s8m"), zero = part.starts_with("zpm");
        if (s8 || zero) text += fmt::format("{}{}:{}", text.empty() ? "" : "+", s8 ? "s8s8" : "asymm", part.substr(3));
    }
    if (text.empty()) return {};
    if (!primitives::row(f.kind).has("--oflag"))
        return invalid("'{}': only a reorder of a problem line has compensation", token);
    f.add("--flags", text);
    return {};
}

// Vectors of normalizations, whose shapes follow; false if the token is none of them.
struct Vectors {
    std::string type, diff_type, statistics;

    bool read(const Token& token) {
        const Text name = token.name;
        if (name == "scale" || name == "shift")
            type = token.tensor.type;
        else if (name == "diff_scale" || name == "diff_shift")
            diff_type = token.tensor.type;
        else if (name == "stats" || name == "mean" || name == "variance")
            statistics = token.tensor.tag;
        else
            return false;
        return true;
    }
    void add_to(Foreign& f) const {
        const primitives::Row& row = primitives::row(f.kind);
        if (row.has("--ss-dt") && !(type + diff_type).empty())
            f.add("--ss-dt", (type.empty() ? "f32" : type) + (diff_type.empty() ? "" : ":" + diff_type));
        if (row.has("--stat-tag") && !statistics.empty() && statistics != "any") f.add("--stat-tag", statistics);
    }
};

Result<void> read_tensors(Foreign& f, Text field) {
    const primitives::Row& row = primitives::row(f.kind);
    bool dst = false;
    Vectors vectors;
    std::optional<Tensor> weights;
    const bool cell = row.sources == primitives::Sources::of_cell;
    if (cell) begin_cell(f);
    for (const Text text : split(field, ' ')) {
        if (text.empty()) continue;
        auto token = read_token(text);
        if (!token) return Refusal(token.error());
        if (token->tensor.type == "undef") continue;
        Text name = token->name;
        if (cell) {
            if (read_cell_tensor(f, name, token->tensor)) continue;
            return invalid("'{}': '{}' is none of src_layer, src_iter, wei_layer, wei_iter, bias, dst_layer and the "
                           "like",
                           text, name);
        }
        const Text masked = "f0_mask";
        if (name == "src" || name == "data" || name.starts_with("src_") || name == "src0" || name == "src1") {
            f.sources.push_back(token->tensor);
        } else if (name == "wei" || name == "diff_wei") {
            if (!weights) weights = token->tensor;
        } else if (name == "bia" || name == "diff_bia") {
            f.bias = token->tensor;
            if (token->flags.starts_with(masked))
                f.bias_mask = std::atoi(std::string(token->flags.substr(masked.size())).c_str());
        } else if (name == "diff_src" || name == "diff_data") {
            if (f.sources.empty() || row.second_shape_is_dst) f.sources.assign(1, token->tensor);
        } else if (name == "dst" || name == "diff_dst" || name == "diff") {
            if (!dst) f.dst = token->tensor;
            dst = true;
        } else if (!vectors.read(*token) && name != "workspace" && name != "ws") {
            return invalid("'{}': '{}' is none of src, wei, bia, dst, data, diff and the like", text, name);
        }
        if (auto ok = read_flags(f, text); !ok) return ok;
    }
    if (cell) return {};
    if (f.sources.empty()) return invalid("'{}' names no source", field);
    if (!dst) f.dst = f.sources[0];
    // The third of a select is its condition, of which nothing is open.
    if (row.sources == primitives::Sources::two && f.sources.size() == 3) f.sources.pop_back();
    if (weights) f.sources.push_back(*weights);
    vectors.add_to(f);
    return {};
}

Result<void> read_auxiliary(Foreign& f, Text field) {
    for (const Text item : split(field, ' ')) {
        if (item.empty()) continue;
        const size_t colon = item.find(':');
        const Text name = item.substr(0, colon), value = colon == Text::npos ? Text() : item.substr(colon + 1);
        if (name == "alg") {
            f.alg = value.starts_with("lbr_") ? value : value.substr(value.find('_') + 1);
        } else if (name == "direction" || name == "activation") {
            if (auto ok = name == "direction" ? read_direction(f, value) : read_activation(f, value); !ok) return ok;
        } else if (name == "flags" && value.empty()) {
            continue;
        } else if (name == "alpha" || name == "beta" || name == "p" || name == "eps" || name == "k" || name == "axis" ||
                   name == "group" || name == "flags") {
            f.add("--" + std::string(name), value);
        } else if (name == "runtime_dims_masks" || name == "runtime-dim-mask") {
            if (auto ok = read_open_dims(f, value); !ok) return ok;
        } else {
            return invalid("'{}' says nothing that is known; alg, alpha, beta, p, eps, k, axis, "
                           "group, flags, runtime_dims_masks do",
                           item);
        }
    }
    return {};
}

Result<void> read_attributes(Foreign& f, Text field) {
    for (const Text item : split(field, ' ')) {
        if (item.empty()) continue;
        const size_t colon = item.find(':');
        const auto known =
            read_attribute(f, item.substr(0, colon), colon == Text::npos ? Text() : item.substr(colon + 1));
        if (!known) return Refusal(known.error());
        if (!*known) {
            std::string list;
            for (const Text name : attribute_names()) list += " " + std::string(name);
            return invalid("'{}' is no attribute of a problem line; there are{}", item, list);
        }
    }
    return {};
}

constexpr std::array<std::pair<Text, Text>, 6> props = {{{"undef", ""},
                                                         {"forward_training", "FWD_D"},
                                                         {"forward_inference", "FWD_I"},
                                                         {"backward_data", "BWD_D"},
                                                         {"backward_weights", "BWD_W"},
                                                         {"backward", "BWD_DW"}}};

} // namespace

bool is_verbose(Text line) { return start_of(line) != Text::npos; }

Result<std::string> from_verbose(Text line) {
    line.remove_prefix(start_of(line));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    auto fields = split(line, ',');
    size_t at = 1;
    if (at < fields.size() && fields[at] == "v1") ++at;
    if (at < fields.size() && is_number(fields[at])) ++at; // the time stamp
    if (at < fields.size() && fields[at] == "primitive") ++at;
    // Nothing but an execution or a creation that came to its end holds a problem.
    const Text operation = at < fields.size() ? fields[at] : Text();
    constexpr Text made = "create:cache_";
    if (operation != "exec" && operation != "create" && !operation.starts_with(made) &&
        operation != "create:nested_cache_hit" && operation != "create:persistent_cache_hit" &&
        !(operation == "create:dispatch" && fields.size() > at + 1 && fields[at + 1] == "cpu")) // not of refusals
        return invalid("'{}' in a verbose line: it tells of no problem; lines with exec, create:cache_miss or "
                       "create:cache_hit do",
                       operation);
    if (fields.size() - at < 9)
        return invalid("a verbose line of {} fields; those of a problem have 9 from '{}' on, then the time: operation,"
                       "engine,primitive,implementation,prop_kind,memory_descriptors,attributes,auxiliary,problem_desc",
                       fields.size(), operation);
    const Text kind_word = fields[at + 2];
    const auto kind = words::value_of(words::kinds, kind_word);
    if (!kind)
        return invalid("'{}' in a verbose line is no primitive that is built; there are {}", kind_word,
                       words::list_of(words::kinds));
    Foreign f;
    f.kind = PrimitiveKind(*kind);
    const auto prop =
        std::find_if(props.begin(), props.end(), [&](const auto& p) { return p.first == fields[at + 4]; });
    if (prop == props.end()) return invalid("'{}' in a verbose line is no kind of propagation", fields[at + 4]);
    f.dir = prop->second;
    if (auto ok = read_shape(f, fields[at + 8]); !ok) return Refusal(ok.error());
    if (auto ok = read_tensors(f, fields[at + 5]); !ok) return Refusal(ok.error());
    if (auto ok = read_attributes(f, fields[at + 6]); !ok) return Refusal(ok.error());
    if (auto ok = read_auxiliary(f, fields[at + 7]); !ok) return Refusal(ok.error());
    if (auto ok = complete(f); !ok) return Refusal(ok.error());
    return print(f);
}

} // namespace tessera::spellings
