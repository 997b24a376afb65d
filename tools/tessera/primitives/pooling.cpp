// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling.hpp"

#include <algorithm>

#include "bounds/sums.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::pooling {
namespace {

ops::PoolingWindows windows_of(const ProblemLine& line) {
    const LineWindows full = windows_in_full(line);
    ops::PoolingWindows w;
    std::ranges::copy(full.kernel, w.kernel.begin()), std::ranges::copy(full.stride, w.strides.begin());
    std::ranges::copy(full.dilation, w.dilation.begin());
    std::ranges::copy(full.padding, w.padding_l.begin()), std::ranges::copy(full.padding_r, w.padding_r.begin());
    return w;
}

bool keeps_workspace(const ProblemLine& line) { return line.alg == alg::pooling_max; }

// The forward computation whose gradient the line is; of its own layouts, where those are open.
Result<Problem> hint_of(const Asked& a) {
    MemoryDesc src = a.src();
    if (src.kind == FormatKind::any) {
        const auto plain = make_desc_with_tag(src.dims_span(), src.type, expand_tag("abx", size_t(src.ndims)));
        if (!plain) return Refusal(plain.error());
        src = *plain;
    }
    return ops::make_pooling_forward(PropKind::forward_training, a.line.alg, src, a.dst, windows_of(a.line), {});
}

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const ops::PoolingWindows w = windows_of(a.line);
    if (!a.line.backward())
        return dnnl_pooling_forward_primitive_desc_create(made, engine, a.prop(), a.alg(), a.handle(0), a.dst_handle(),
                                                          w.strides.data(), w.kernel.data(), w.dilation.data(),
                                                          w.padding_l.data(), w.padding_r.data(), attr);
    dnnl_primitive_desc_t hint = nullptr;
    if (keeps_workspace(a.line)) {
        const auto forward = hint_of(a);
        const MemoryDesc& src = forward ? forward->md(arg::src) : a.src();
        const dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
            &hint, engine, dnnl_forward_training, a.alg(), as_handle(src), a.dst_handle(), w.strides.data(),
            w.kernel.data(), w.dilation.data(), w.padding_l.data(), w.padding_r.data(), nullptr);
        if (status != dnnl_success) return status;
    }
    const dnnl_status_t status = dnnl_pooling_backward_primitive_desc_create(
        made, engine, a.alg(), a.handle(0), a.dst_handle(), w.strides.data(), w.kernel.data(), w.dilation.data(),
        w.padding_l.data(), w.padding_r.data(), hint, attr);
    dnnl_primitive_desc_destroy(hint);
    return status;
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    const ops::PoolingWindows w = windows_of(a.line);
    if (!a.line.backward()) return ops::make_pooling_forward(a.line.prop, a.line.alg, a.src(), a.dst, w, attr);
    if (!keeps_workspace(a.line)) return ops::make_pooling_backward(a.line.alg, a.src(), a.dst, w, nullptr, attr);
    const auto hint = hint_of(a);
    if (!hint) return hint;
    return ops::make_pooling_backward(a.line.alg, a.src(), a.dst, w, &*hint, attr);
}

Values values(const Problem& p, DataType) {
    return ops::Pooling(p).is_max() && !ops::Pooling(p).backward() ? Values::hostile : Values::ordinary;
}

// The image under a division that is rounded once, or so many times.
Interval divided(const Interval& x, double divisor, int roundings = 1) {
    return x.through([&](Interval& image, float v) {
        const double exact = double(v) / divisor;
        image.add(exact, roundings * ulp_of(exact)); // of the quotient, and of a divisor beyond 2^24
    });
}

// The terms of an output, those of its window that lie inside; of an element of diff_src, those of the windows that
// hold it.
struct Terms {
    std::vector<Interval> values, divided; // the latter each by the divisor of its own output
    bool whole = true;                     // which is that of a whole kernel
};
Terms terms_of(const Computation& c, const ops::Pooling& p, std::span<const int64_t> at) {
    std::vector<int64_t> kernel;
    for (const ops::Window& w : p.windows) kernel.push_back(w.kernel);
    std::vector<int64_t> other(at.begin(), at.end());
    Terms terms;
    int64_t number = -1;
    ops::for_each_coordinate(kernel, [&](auto tap) {
        ++number;
        for (size_t k = 0; k < tap.size(); ++k) {
            const ops::Window& w = p.windows[k];
            if (!p.backward()) {
                other[k + 2] = at[k + 2] * w.stride + tap[k] * w.step - w.left;
                if (other[k + 2] < 0 || other[k + 2] >= w.inputs) return;
                continue;
            }
            const int64_t place = at[k + 2] + w.left - tap[k] * w.step;
            other[k + 2] = place / w.stride;
            if (place < 0 || place % w.stride || other[k + 2] >= w.outputs) return;
        }
        Interval x;
        x.add(c.value(p.backward() ? arg::diff_dst : arg::src, other));
        if (p.workspace && p.backward() && c.value(arg::workspace, other) != float(number)) return;
        terms.values.push_back(x);
        if (p.is_max() || !p.backward()) return;
        const double divisor = p.divisor(std::span<const int64_t>(other).subspan(2));
        // Divided at once; or multiplied by rounded weights, 3 / 2 where 2 of 3 taps are inside, of one dimension after
        // the other, and divided by the volume in the end.
        const bool weighted = p.excludes() && divisor != p.volume;
        terms.divided.push_back(divided(x, divisor, weighted ? 1 + 2 * int(p.windows.size()) : 1));
        terms.whole = terms.whole && divisor == p.volume;
    });
    return terms;
}

std::vector<Interval> bounds(const Computation& c, int output, std::span<const int64_t> at) {
    const ops::Pooling p(c.problem);
    if (output == arg::workspace) return {}; // exact
    const Terms terms = terms_of(c, p, at);
    if (p.backward()) {
        if (p.is_max()) return {sum_of(terms.values)};
        // Divided before the addition, or behind it, which is rounded otherwise; but no sum overflows.
        std::vector<Interval> either{sum_of(terms.divided)};
        const Interval sum = sum_of(terms.values);
        if (terms.whole && std::isfinite(sum.low) && std::isfinite(sum.high)) either.push_back(divided(sum, p.volume));
        return either;
    }
    std::vector<Interval> results = p.is_max() ? extremes_of(true, terms.values, float(range(p.dst.type).lowest))
                                               : std::vector{divided(sum_of(terms.values), p.divisor(at.subspan(2)))};
    for (Interval& result : results) result = c.finished(result, at);
    return results;
}

Result<void> complete(spellings::Foreign& f) {
    if (f.alg.empty()) f.alg = "max";
    if (f.alg == "avg_np") f.alg = "avg_exclude_padding";
    if (f.alg == "avg_p") f.alg = "avg_include_padding";
    if (f.dims.size() != 2) return invalid("a pooling has a shape like mb2ic16_ih5oh3kh3sh2dh0ph1");
    return {};
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::pooling,
    .help = "  pooling --alg=max|avg_include_padding|avg_exclude_padding [--dir=...] [--kernel=KxK] [--stride=SxS]\n"
            "          [--dilation=DxD] [--padding=PxP] [--padding-r=PxP] [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG]\n"
            "          [--dtag=TAG|any] SRC:DST\n",
    .options = "--alg --dir --kernel --stride --dilation --padding --padding-r",
    .second_shape_is_dst = true,
    .dims_of_dst = [](const ProblemLine& line) { return line.dst_dims; },
    .create = create,
    .make = make,
    .adds = true,
    .view_of_gradients = true,
    .values = values,
    .bounds = bounds,
    .driver = "--pool",
    .letters = " mb ic id ih iw od oh ow kd kh kw sd sh sw dd dh dw pd ph pw ",
    .example = "mb2ic16_ih5oh3kh3sh2dh0ph1",
    .complete = complete,
};

} // namespace tessera::primitives::pooling
