// SPDX-License-Identifier: Apache-2.0
// What the other notations say of recurrent cells.
#include <algorithm>
#include <cctype>

#include "spellings.hpp"

namespace tessera::spellings {
namespace {

enum Slot : size_t { layer, iter, iter_c, weights, bias }; // of the sources of a line

struct Configuration {
    Text name, iter, layer, dst;
};
// Of integers benchdnn names src_iter, src_layer, dst_iter, dst_layer.
constexpr Configuration integers[] = {
    {"u8u8u8u8", "u8", "u8", "u8"},      {"u8u8u8f32", "u8", "u8", "f32"},    {"f32u8f32u8", "f32", "u8", "u8"},
    {"f32u8f32f32", "f32", "u8", "f32"}, {"s8s8s8s8", "s8", "s8", "s8"},      {"s8s8s8f32", "s8", "s8", "f32"},
    {"f32s8f32s8", "f32", "s8", "s8"},   {"f32s8f32f32", "f32", "s8", "f32"},
};

void set_types(Foreign& f, Text of_layer, Text of_iter, Text of_weights, Text others, Text dst) {
    f.sources[layer].type = of_layer, f.sources[iter].type = of_iter, f.sources[weights].type = of_weights;
    f.sources[iter_c].type = f.sources[bias].type = others;
    f.dst.type = dst;
}

std::string lower(Text text) {
    std::string word(text);
    for (char& letter : word) letter = char(std::tolower(static_cast<unsigned char>(letter)));
    return word;
}

} // namespace

Result<void> read_configuration(Foreign& f, Text value) {
    if (value == "f32" || value == "bf16" || value == "f16") {
        set_types(f, value, value, value, value, value);
        return {};
    }
    if (value == "bf16f32") { // states of the cell and bias stay wide
        set_types(f, "bf16", "bf16", "bf16", "f32", "bf16");
        return {};
    }
    for (const Configuration& c : integers)
        if (c.name == value) {
            set_types(f, c.layer, c.iter, "s8", "f32", c.dst);
            f.add("--attr-rnn", c.layer == "u8" ? "64:128" : "64:0");
            return {};
        }
    return invalid("'{}' is none of f32, bf16, bf16f32, f16, u8u8u8u8, u8u8u8f32, f32u8f32u8, f32u8f32f32 and the same "
                   "with s8",
                   value);
}

Result<void> read_activation(Foreign& f, Text value) {
    const std::string word = lower(value);
    if (word != "undef") f.add("--activation", word.starts_with("eltwise_") ? word.substr(8) : word);
    return {};
}

Result<void> read_direction(Foreign& f, Text value) {
    constexpr Text start = "unidirectional_", both = "bidirectional_";
    if (value.starts_with(start)) value.remove_prefix(start.size());
    if (value.starts_with(both)) value.remove_prefix(both.size());
    f.add("--direction", value);
    return {};
}

void begin_cell(Foreign& f) {
    f.sources.assign(5, Tensor());
    for (Tensor& t : f.sources) t.tag = "any";
    f.dst.tag = "any";
    f.add("--with-src-iter", "false");
    f.add("--with-dst-iter", "false");
}

bool read_cell_tensor(Foreign& f, Text name, const Tensor& tensor) {
    const auto put = [&](Tensor& to) {
        to = tensor;
        if (!tensor.strides.empty()) f.add("--trivial-strides", "false");
        to.strides.clear();
        return true;
    };
    if (name == "src_layer") {
        f.sources[iter].type = tensor.type; // if there is none
        return put(f.sources[layer]);
    }
    if (name == "dst_layer") return put(f.dst);
    if (name == "src_iter" || name == "dst_iter") {
        f.add(name == "src_iter" ? "--with-src-iter" : "--with-dst-iter", "true");
        return put(f.sources[iter]);
    }
    if (name == "src_iter_c" || name == "dst_iter_c") return put(f.sources[iter_c]);
    if (name == "wei_layer" || name == "wei_iter") {
        f.sources[weights] = tensor;
        f.sources[weights].strides.clear();
        return true;
    }
    if (name == "bias") {
        f.sources[bias] = tensor;
        return true;
    }
    if (name == "wei_peephole" || name == "wei_proj") {
        f.add(name == "wei_proj" ? "--with-projection" : "--with-peephole", "true");
        return true;
    }
    if (name == "diff_wei_layer") {
        if (tensor.strides.empty() && tensor.tag != "any") f.add("--diff-wtag", tensor.tag);
        return true;
    }
    return name == "attention" || name == "workspace" || name.starts_with("diff_");
}

} // namespace tessera::spellings
