// SPDX-License-Identifier: Apache-2.0
#include "ops/sides.hpp"

#include <algorithm>

#include "core/desc/tags.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

using Types = std::vector<DataType>;

std::string list_of(const Types& types) {
    std::string text;
    for (const DataType type : types) text += (text.empty() ? "" : ", ") + std::string(name(type));
    return text;
}

Result<void> check_type(const Sides& s, int id, DataType type, const Types& possible, int of, DataType of_type) {
    if (std::ranges::find(possible, type) != possible.end()) return {};
    return unimplemented("{}: {} is {} where {} is {}; possible are {}", s.primitive(), s.name(id), name(type),
                         s.name(of), name(of_type), list_of(possible));
}

// Types that the other factor may have beside `type`, which is a supported one.
Types factors_of(DataType type, bool forward) {
    if (is_integer(type)) return {DataType::s8};
    if (forward && type == DataType::f32) return {type, DataType::bf16, DataType::f16}; // CNV-50
    if (bits(type) == 8) return {DataType::f8_e5m2, DataType::f8_e4m3};
    return {type};
}

// Types of outputs and bias: the type itself and wider ones.
Types results_of(DataType type) {
    Types types{type};
    if (bits(type) == 8) types.insert(types.end(), {DataType::f16, DataType::bf16});
    if (type != DataType::f32) types.push_back(DataType::f32);
    return types;
}

} // namespace

SideArgs side_args(PropKind prop) {
    if (prop == PropKind::backward_data) return {arg::diff_src, arg::weights, 0, arg::diff_dst};
    if (prop == PropKind::backward_weights) return {arg::src, arg::diff_weights, arg::diff_bias, arg::diff_dst};
    return {arg::src, arg::weights, arg::bias, arg::dst};
}

std::vector<std::pair<int, MemoryDesc*>> Sides::tensors() {
    std::vector<std::pair<int, MemoryDesc*>> all{{args.src, &src}, {args.weights, &weights}};
    if (!bias.is_zero()) all.push_back({args.bias, &bias});
    all.push_back({args.dst, &dst});
    return all;
}

Result<void> check_layouts(Sides& s) {
    Findings findings;
    for (const auto& [id, md] : s.tensors())
        findings.add(check_layout(s.primitive().data(), s.name(id).c_str(), *md, true));
    return findings.result();
}

Result<void> check_written_sides(Sides& s) {
    Findings findings;
    for (const auto& [id, md] : s.tensors()) {
        if (md->type == DataType::undef) findings.add(invalid("{}: {} has no data type", s.primitive(), s.name(id)));
        if (s.writes(id)) findings.add(check_written(s.primitive().data(), s.name(id).c_str(), *md));
    }
    return findings.result();
}

Result<void> check_types(Sides& s) {
    const bool back_to_src = s.prop == PropKind::backward_data, forward = s.forward();
    // The type of one input decides: of src, or of weights if src is the output.
    const int first = back_to_src ? s.args.weights : s.args.src;
    const DataType type = back_to_src ? s.weights.type : s.src.type;
    const Types floats{DataType::f32, DataType::bf16, DataType::f16, DataType::f8_e5m2, DataType::f8_e4m3};
    const bool possible = std::ranges::find(floats, type) != floats.end();
    if (!possible && !(forward && (type == DataType::u8 || type == DataType::s8)))
        return unimplemented("{}: {} is {}; {}{} of all tensors{}", s.primitive(), s.name(first), name(type),
                             forward ? "possible are " : "gradients are of ", list_of(floats),
                             forward ? ", and u8, s8 beside weights of s8" : "");
    Types written = results_of(type), bias = written;
    if (is_integer(type)) {
        written = {DataType::u8, DataType::s8, DataType::s32, DataType::f32, DataType::bf16, DataType::f16};
        bias = written;
    } else if (forward) {
        written.insert(written.end(), {DataType::u8, DataType::s8});
    }
    Findings findings;
    const auto add = [&](int id, const MemoryDesc& md, const Types& possible) {
        if (!md.is_zero() && id != first) findings.add(check_type(s, id, md.type, possible, first, type));
    };
    add(s.args.src, s.src, s.writes(s.args.src) ? written : factors_of(type, forward));
    add(s.args.weights, s.weights, s.writes(s.args.weights) ? written : factors_of(type, forward));
    add(s.args.dst, s.dst, s.writes(s.args.dst) ? written : factors_of(type, forward));
    add(s.args.bias, s.bias, bias);
    return findings.result();
}

Result<Problem> problem_of(Sides s, const Attr& attr, Result<void> (*choose)(Sides&)) {
    Problem p;
    p.kind = s.kind;
    p.prop = s.prop;
    p.attr = attr;
    for (const auto& [id, md] : s.tensors()) p.tensors.push_back({id, {}, s.writes(id), md->kind == FormatKind::any});
    if (auto ok = choose(s); !ok) return Refusal(ok.error());
    if (s.bias.kind == FormatKind::any) {
        auto made = make_desc_with_tag(s.bias.dims_span(), s.bias.type, "a");
        if (!made) return Refusal(made.error());
        s.bias = *made;
    }
    const auto tensors = s.tensors();
    for (size_t i = 0; i < tensors.size(); ++i) p.tensors[i].md = *tensors[i].second;
    if (s.forward())
        if (auto ok = add_attribute_tensors(p, s.dst); !ok) return Refusal(ok.error());
    return p;
}

std::vector<VerboseToken> tokens_of_sides(const Problem& p) {
    const SideArgs args = side_args(p.prop);
    std::vector<VerboseToken> all;
    for (const Tensor& t : p.tensors) {
        if (t.attribute) continue;
        const std::string_view word = t.arg == args.src       ? "src"
                                      : t.arg == args.weights ? "wei"
                                      : t.arg == args.bias    ? "bia"
                                                              : "dst";
        all.push_back({word, t.arg, true});
    }
    return all;
}

} // namespace tessera::ops
