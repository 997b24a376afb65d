// SPDX-License-Identifier: Apache-2.0
// Validation of sum: rows SUM-01..09.
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/sum/sum.hpp"

namespace tessera::ops {

namespace {

Result<void> check_same_dims(const MemoryDesc& md, const char* side, const MemoryDesc& first) {
    if (!std::ranges::equal(md.dims_span(), first.dims_span()))
        return invalid("sum: {} is {}, src 0 is {}; all shapes must be equal, nothing is broadcast", side,
                       to_string(md.dims_span()), to_string(first.dims_span()));
    return {};
}

// The source whose layout an open dst takes: the first blocked one, else the first one.
const MemoryDesc& leader(std::span<const MemoryDesc> srcs) {
    for (const MemoryDesc& src : srcs)
        if (src.inner_nblks) return src;
    return srcs[0];
}

} // namespace

Result<Problem> make_sum(const MemoryDesc* dst_given, std::span<const float> scales, std::span<const MemoryDesc> srcs,
                         const Attr& attr) {
    if (srcs.empty()) return invalid("sum: there are no sources; 1 to {} are possible", most_sources);
    if (scales.size() != srcs.size())
        return invalid("sum: {:scale} for {:source}; give one each", counted(scales.size()), counted(srcs.size()));
    Findings findings;
    if (srcs.size() > size_t(most_sources))
        findings.add(unimplemented("sum: {} sources; up to {} are possible, and a sum of sums beyond", srcs.size(),
                                   most_sources));
    for (size_t i = 0; i < srcs.size(); ++i) {
        const std::string side = fmt::format("src {}", i);
        findings.add(check_layout("sum", side.c_str(), srcs[i], false));
        findings.add(check_computed_type("sum", side.c_str(), srcs[i]));
        findings.add(check_same_dims(srcs[i], side.c_str(), srcs[0]));
    }
    if (dst_given) {
        findings.add(check_layout("sum", "dst", *dst_given, true));
        findings.add(check_computed_type("sum", "dst", *dst_given));
        findings.add(check_same_dims(*dst_given, "dst", srcs[0]));
        findings.add(check_written("sum", "dst", *dst_given));
    }
    findings.add(check_attributes("sum", attr, dst_given ? *dst_given : srcs[0], {}));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    Problem p;
    p.kind = PrimitiveKind::sum;
    p.attr = attr;
    for (size_t i = 0; i < srcs.size(); ++i) {
        const int id = arg::multiple_src + int(i);
        p.tensors.push_back({id, srcs[i]});
        p.float_params[id] = scales[i];
    }
    const bool open = !dst_given || dst_given->kind == FormatKind::any;
    if (open) {
        const DataType type = dst_given ? dst_given->type : srcs[0].type;
        auto layout = layout_after(leader(srcs), srcs[0].dims_span(), type);
        if (!layout) return Refusal(layout.error());
        p.tensors.push_back({arg::dst, *layout, true, true});
    } else {
        p.tensors.push_back({arg::dst, *dst_given, true, false});
    }
    return p;
}

} // namespace tessera::ops
