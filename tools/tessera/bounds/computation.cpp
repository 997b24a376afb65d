// SPDX-License-Identifier: Apache-2.0
#include "bounds/computation.hpp"

#include "core/program/binary.hpp"
#include "ops/epilogue.hpp"

namespace tessera {

float Computation::start(std::span<const int64_t> at) const {
    if (starts_.empty()) {
        const MemoryDesc& dst = problem.md(arg::dst);
        const std::string_view letters("abcdefghijkl", size_t(dst.ndims));
        const auto plain = make_desc_with_tag(dst.dims_span(), DataType::f32, letters);
        Problem bare = problem;
        bare.attr.post_ops.entries.clear();
        bare.attr.dropout.reset();
        std::erase_if(bare.tensors, [](const Tensor& t) { return t.arg == arg::dropout_mask; });
        bare.attr.scales.erase(arg::dst);
        bare.attr.zero_points.erase(arg::dst);
        for (Tensor& t : bare.tensors)
            if (t.arg == arg::dst) t.md = *plain;
        starts_.resize(size_t(plain->nelems(false)));
        starts_layout_ = layout_of(*plain);
        ops::Buffers buffers = before;
        buffers[arg::dst] = starts_.data();
        ops::row(problem.kind).ref(bare, buffers);
    }
    return starts_[size_t(starts_layout_.at(at))];
}

float Computation::value(int id, std::span<const int64_t> at) const {
    Problem bare;
    bare.tensors = {*problem.find(id)};
    return ops::ref_load(bare, before, id, at);
}

Interval Computation::post_op(size_t i, Interval x, std::span<const int64_t> at) const {
    const PostOp& op = problem.attr.post_ops.entries[i];
    const int base = arg::post_op(int(i));
    switch (op.kind) {
    case PostOpKind::sum: {
        if (op.scale == 0.f) return x;
        Problem bare;
        bare.tensors = {*problem.find(arg::dst)};
        if (op.type != DataType::undef) bare.tensors[0].md.type = op.type;
        const float term = op.scale * (ops::ref_load(bare, before, arg::dst, at) - float(op.zero_point));
        return x.through([&](Interval& image, float v) { image.add(v + term); });
    }
    case PostOpKind::eltwise: {
        const Interval image = function_image(x, op.alg, op.alpha, op.beta);
        return image.through([&](Interval& scaled, float v) { scaled.add(v * op.scale); });
    }
    case PostOpKind::binary: {
        const float other = value(base | arg::src_1, at);
        if (op.alg != binary::select) return binary_image(x, op.alg, other);
        if (value(base | arg::src_2, at) != 0) return x;
        Interval exact;
        exact.add(other);
        return exact;
    }
    default: {
        const float weight = value(base | arg::weights, at);
        return x.through([&](Interval& image, float v) { image.add(v > 0 ? v : v * weight); });
    }
    }
}

Interval Computation::finished(Interval x, std::span<const int64_t> at) const {
    if (problem.attr.dropout)
        x = x.through(
            [&](Interval& image, float v) { image.add(ops::ref_drop_out(problem, before, v, arg::dst, at)); });
    for (size_t i = 0; i < problem.attr.post_ops.entries.size(); ++i) x = post_op(i, x, at);
    return x;
}

// Each factor of f32 is within 2^-8 of itself where the fpmath mode lets it be rounded to bf16 (FPM-01), which has 8
// significant bits: 1 + 2^-8 lies half way between two neighbours. Both roundings of a product together come to 2^-7 +
// 2^-16. f16 and tf32 have 11, and tensor cores cut off what tf32 lacks: 2^-10. So is what integers become that the
// mode applies to, with their scales and zero points (FPM-02): oneDNN 3.13 makes 3 of an s8 of 3 with a scale of 1 +
// 2^-10, too. Otherwise factors are exact. The library has a function that says when; a tolerance that asked it would
// follow its mistakes.
double Computation::of_factors(int a, int b) const {
    const FpmathMode mode = problem.attr.fpmath;
    if (mode == FpmathMode::strict) return 0;
    int rounded = 0;
    for (const int id : {a, b}) {
        const DataType type = problem.md(id).type;
        const bool quantized = problem.attr.scales.contains(id) || problem.attr.zero_points.contains(id);
        rounded += type == DataType::f32 || (is_integer(type) && problem.attr.fpmath_apply_to_int && quantized);
    }
    return rounded * (mode == FpmathMode::bf16 || mode == FpmathMode::any ? 0x1.01p-8 : 0x1.01p-10);
}

} // namespace tessera
