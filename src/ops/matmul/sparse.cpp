// SPDX-License-Identifier: Apache-2.0
// Matmul with a sparse factor (MAT-60, MAT-61): validation and plan. The tests compare it with the dense product of the
// same elements (tests/api/sparse_matmul_test.cpp), because Row::ref takes one buffer per argument.
#include <limits>

#include <fmt/format.h>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::ops {

namespace {

Result<void> check_lists(const char* side, const MemoryDesc& md) {
    if (md.encoding == SparseEncoding::packed)
        return unimplemented("matmul: {} is sparse with the encoding packed, which weights can have; csr and coo are "
                             "possible here",
                             side);
    if (md.ndims != 2)
        return unimplemented("matmul: {} is sparse and has {:dimension} ({}); matrices are possible", side,
                             counted(md.ndims), to_string(md.dims_span()));
    if (md.indices_type != DataType::s32)
        return unimplemented("matmul: {} is sparse with indices of {}; s32 is possible", side, name(md.indices_type));
    if (md.encoding == SparseEncoding::csr && md.pointers_type != DataType::s32)
        return unimplemented("matmul: {} is sparse with row pointers of {}; s32 is possible", side,
                             name(md.pointers_type));
    if (md.encoding == SparseEncoding::coo && md.nnz > std::numeric_limits<int32_t>::max())
        return unimplemented("matmul: {} has {} elements as coo; 2147483647 are possible", side, md.nnz);
    return {};
}

Result<void> check_dense(const char* side, const MemoryDesc& md) {
    if (auto ok = check_layout(matmul_name, side, md, true); !ok) return ok;
    if (md.kind == FormatKind::any || md.is_plain()) return {};
    return unimplemented("matmul: {} is {} beside a sparse factor; plain layouts are possible", side, to_token(md));
}

Result<void> check_shapes(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& dst) {
    const bool matrices = src.ndims == 2 && weights.ndims == 2 && dst.ndims == 2;
    if (matrices && src.dims[1] == weights.dims[0] && dst.dims[0] == src.dims[0] && dst.dims[1] == weights.dims[1])
        return {};
    return invalid("matmul: src {}, weights {}, dst {}: they need to be MxK, KxN, MxN", to_string(src.dims_span()),
                   to_string(weights.dims_span()), to_string(dst.dims_span()));
}

Result<void> check_types(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& dst) {
    const bool alike = src.type == weights.type && src.type == dst.type;
    if (alike && (src.type == DataType::f32 || src.type == DataType::f16)) return {};
    return unimplemented("matmul: {} of src, {} of weights, {} of dst where one is sparse; all f32 or all f16 are "
                         "possible",
                         name(src.type), name(weights.type), name(dst.type));
}

Result<void> check_attributes_of_lists(const MemoryDesc& bias, const MemoryDesc& dst, const Attr& attr) {
    if (!bias.is_zero())
        return unimplemented("matmul: bias {} beside a sparse factor; a binary add behind it does the same",
                             to_string(bias.dims_span()));
    if (!attr.scales.empty())
        return unimplemented("matmul: scales of {} are not possible; multiply dst by them, with the primitive binary",
                             arg_name(attr.scales.begin()->first));
    if (!attr.zero_points.empty())
        return unimplemented("matmul: zero points of {} are not possible; f32 and f16 need none",
                             arg_name(attr.zero_points.begin()->first));
    return check_attributes(matmul_name, attr, dst, {});
}

Result<void> lay_out(MemoryDesc& open) {
    if (open.kind != FormatKind::any) return {};
    auto plain = make_desc_with_tag(open.dims_span(), open.type, "ab");
    if (!plain) return Refusal(plain.error());
    open = *plain;
    return {};
}

// What only a sparse factor makes impossible says so: "matmul: src is sparse (csr): post-ops are not possible; ...".
Refusal beside_lists(Error&& error, bool src_listed, const MemoryDesc& list) {
    constexpr std::string_view start = "matmul: ";
    if (error.status == Status::unimplemented && error.reason.starts_with(start) &&
        error.reason.find("sparse") == error.reason.npos)
        error.reason.insert(start.size(), fmt::format("{} sparse ({}): ", src_listed ? "src is" : "weights are",
                                                      list.encoding == SparseEncoding::csr ? "csr" : "coo"));
    return Refusal(std::move(error));
}

const MemoryDesc& listed(const Problem& p) {
    const MemoryDesc& src = p.md(arg::src);
    return src.kind == FormatKind::sparse ? src : p.md(arg::weights);
}

} // namespace

bool is_sparse(const Problem& p) { return listed(p).kind == FormatKind::sparse; }

Result<Problem> make_sparse_matmul(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                                   const MemoryDesc& dst, const Attr& attr) {
    const bool src_listed = src.kind == FormatKind::sparse, weights_listed = weights.kind == FormatKind::sparse;
    Findings findings;
    if (src_listed && weights_listed)
        findings.add(unimplemented("matmul: src and weights are sparse; one of them can be"));
    if (src_listed) findings.add(check_lists("src", src));
    if (weights_listed) findings.add(check_lists("weights", weights));
    if (!src_listed) findings.add(check_dense("src", src));
    if (!weights_listed) findings.add(check_dense("weights", weights));
    findings.add(check_dense("dst", dst));
    findings.add(check_shapes(src, weights, dst));
    findings.add(check_types(src, weights, dst));
    findings.add(check_written(matmul_name, "dst", dst));
    findings.add(check_attributes_of_lists(bias, dst, attr));
    if (auto ok = findings.result(); !ok)
        return beside_lists(std::move(ok.error()), src_listed, src_listed ? src : weights);
    Problem p;
    p.kind = PrimitiveKind::matmul;
    p.attr = attr;
    p.tensors = {{arg::src, src, false, src.kind == FormatKind::any},
                 {arg::weights, weights, false, weights.kind == FormatKind::any},
                 {arg::dst, dst, true, dst.kind == FormatKind::any}};
    for (Tensor& t : p.tensors)
        if (auto ok = lay_out(t.md); !ok) return Refusal(ok.error());
    return p;
}

Result<Plan> lower_sparse_matmul(const Problem& p) {
    const MemoryDesc &src = p.md(arg::src), &weights = p.md(arg::weights), &dst = p.md(arg::dst), &list = listed(p);
    const bool is_src = &list == &src, has_pointers = list.encoding == SparseEncoding::csr;
    const int id = is_src ? arg::src : arg::weights;
    const MemoryDesc& dense = is_src ? weights : src;
    Plan plan;
    plan.title = fmt::format("matmul {} {} -> {}, {}", to_token(src), to_token(weights), to_token(dst), p.shapes());
    const auto add = [&](std::string name, DataType type, int arg, int buffer, int64_t offset) {
        plan.operands.push_back({std::move(name), type, arg, bytes_of(type, offset), -1, false, buffer});
        return int(plan.operands.size()) - 1;
    };
    SparseProduct s{};
    s.is_src = is_src, s.has_pointers = has_pointers, s.elements = list.nnz;
    s.rows = dst.dims[0], s.columns = dst.dims[1], s.depth = src.dims[1];
    // Buffers of csr: values, column indices, row pointers; of coo: values, row indices, column indices.
    s.values = add(arg_name(id), list.type, id, 0, 0);
    s.column_numbers = add("columns of " + arg_name(id), DataType::s32, id, has_pointers ? 1 : 2, 0);
    s.row_numbers = add("rows of " + arg_name(id), DataType::s32, id, has_pointers ? 2 : 1, 0);
    const int dense_id = is_src ? arg::weights : arg::src;
    s.dense = add(arg_name(dense_id), dense.type, dense_id, 0, dense.offset0);
    s.dst = add(arg_name(arg::dst), dst.type, arg::dst, 0, dst.offset0);
    s.dense_strides = {dense.strides[0], dense.strides[1]};
    s.dst_strides = {dst.strides[0], dst.strides[1]};
    Step step;
    step.kind = StepKind::sparse;
    step.sparse = std::make_shared<const SparseProduct>(s);
    if (!dst.has_zero_dim()) plan.steps.push_back(std::move(step));
    return plan;
}

} // namespace tessera::ops
