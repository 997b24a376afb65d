// SPDX-License-Identifier: Apache-2.0
// The reference of pooling: POO-02..07, element by element; padding zero (FMT-06). Sums are kept in double, accurate
// enough to judge any order of additions in f32.
#include <algorithm>
#include <cmath>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/pooling/pooling.hpp"

namespace tessera::ops {

namespace {

// Visits the taps of the window of output `at` that lie inside: (coordinates in src, number of the tap).
template <typename F> void each_tap(const Pooling& p, std::span<const int64_t> at, F&& visit) {
    std::vector<int64_t> kernel;
    for (const Window& w : p.windows) kernel.push_back(w.kernel);
    std::vector<int64_t> from(at.begin(), at.end());
    int64_t number = -1;
    for_each_coordinate(kernel, [&](auto tap) {
        ++number;
        for (size_t k = 0; k < tap.size(); ++k) {
            const Window& w = p.windows[k];
            from[k + 2] = at[k + 2] * w.stride + tap[k] * w.step - w.left;
            if (from[k + 2] < 0 || from[k + 2] >= w.inputs) return;
        }
        visit(std::span<const int64_t>(from), number);
    });
}

double loaded(const Pooling& p, const MemoryDesc& md, const void* buffer, int64_t i) {
    return p.value_type() == ValueType::s32 ? double(read<int32_t>(md.type, buffer, i))
                                            : double(read<float>(md.type, buffer, i));
}

void forward(const Problem& problem, const Pooling& p, const Buffers& buffers) {
    const Layout from = layout_of(p.src);
    const void* src = buffers.at(arg::src);
    for_each_coordinate(p.dst.dims_span(), [&](auto at) {
        double sum = 0, most = range(p.dst.type).lowest; // of no tap
        int64_t best = 0;
        bool some = false;
        each_tap(p, at, [&](auto place, int64_t number) {
            const double x = loaded(p, p.src, src, from.at(place));
            sum += x;
            if (!some || x > most || (std::isnan(x) && !std::isnan(most))) most = x, best = number;
            some = true;
        });
        if (p.workspace)
            write<int32_t>(p.workspace->type, buffers.at(arg::workspace), layout_of(*p.workspace).at(at),
                           int32_t(best));
        if (!p.is_max())
            return ref_finish(problem, buffers, float(double(float(sum)) / p.divisor(at.subspan(2))), arg::dst, at);
        if (p.value_type() == ValueType::s32 && problem.attr.post_ops.entries.empty())
            return write<double>(p.dst.type, buffers.at(arg::dst), layout_of(p.dst).at(at), most);
        ref_finish(problem, buffers, float(most), arg::dst, at);
    });
}

void backward(const Pooling& p, const Buffers& buffers) {
    const Layout from = layout_of(p.dst), to = layout_of(p.src);
    const void* diff_dst = buffers.at(arg::diff_dst);
    void* diff_src = buffers.at(arg::diff_src);
    std::vector<double> sums(size_t(p.src.nelems(false)));
    const auto place_of = [&](std::span<const int64_t> at) {
        int64_t place = 0;
        for (size_t d = 0; d < at.size(); ++d) place = place * p.src.dims[d] + at[d];
        return size_t(place);
    };
    for_each_coordinate(p.dst.dims_span(), [&](auto at) {
        const double gradient = read<float>(p.dst.type, diff_dst, from.at(at));
        const int64_t best =
            p.workspace ? read<int32_t>(p.workspace->type, buffers.at(arg::workspace), layout_of(*p.workspace).at(at))
                        : 0;
        const double each = p.excludes() ? gradient / p.divisor(at.subspan(2)) : gradient;
        each_tap(p, at, [&](auto place, int64_t number) {
            if (!p.is_max() || number == best) sums[place_of(place)] += each;
        });
    });
    for_each_coordinate(p.src.dims_span(), [&](auto at) {
        const auto sum = float(sums[place_of(at)]);
        const bool divides = !p.is_max() && !p.excludes();
        write<float>(p.src.type, diff_src, to.at(at), divides ? float(double(sum) / p.volume) : sum);
    });
}

} // namespace

void ref_pooling(const Problem& problem, const Buffers& buffers) {
    const Pooling p(problem);
    for (const Tensor& t : problem.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    if (p.backward())
        backward(p, buffers);
    else
        forward(problem, p, buffers);
}

} // namespace tessera::ops
