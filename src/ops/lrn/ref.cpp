// SPDX-License-Identifier: Apache-2.0
// The reference of lrn: LRN-01..05 in double, element by element; padding zero (FMT-06).
#include <algorithm>
#include <cmath>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/lrn/lrn.hpp"

namespace tessera::ops {

namespace {

class Reference {
public:
    Reference(const Problem& problem, const Buffers& buffers) : problem_(problem), buffers_(buffers), l_(problem) {
        const auto dims = l_.src.dims_span();
        src_ = values(arg::src);
        omega_ = {dims, [&](auto at) { return omega(at); }};
        if (!l_.backward) return;
        diff_dst_ = values(arg::diff_dst);
        const double exponent = -double(l_.parameters.beta) - 1;
        terms_ = {dims, [&](auto at) { return diff_dst_.at(at) * src_.at(at) * std::pow(omega_.at(at), exponent); }};
    }

    void run() {
        const MemoryDesc& to = problem_.md(l_.backward ? arg::diff_src : arg::dst);
        void* const out = buffers_.at(l_.backward ? arg::diff_src : arg::dst);
        const Layout layout = layout_of(to);
        zero_padding(to, out);
        for_each_coordinate(to.dims_span(), [&](auto at) {
            write<float>(to.type, out, layout.at(at), float(l_.backward ? gradient(at) : normalized(at)));
        });
    }

private:
    Dense<double> values(int id) const {
        const MemoryDesc& md = problem_.md(id);
        const Layout layout = layout_of(md);
        return {md.dims_span(), [&](auto at) { return read<float>(md.type, buffers_.at(id), layout.at(at)); }};
    }
    double omega(std::span<const int64_t> at) const {
        double sum = 0;
        l_.each_neighbour(at, [&](auto place) { sum += src_.at(place) * src_.at(place); });
        return double(l_.parameters.k) + double(l_.parameters.alpha) / l_.divisor * sum;
    }
    double normalized(std::span<const int64_t> at) const {
        return src_.at(at) * std::pow(omega_.at(at), -double(l_.parameters.beta));
    }
    double gradient(std::span<const int64_t> at) const {
        const double beta = l_.parameters.beta;
        double sum = 0;
        l_.each_neighbour(at, [&](auto place) { sum += terms_.at(place); });
        return diff_dst_.at(at) * std::pow(omega_.at(at), -beta) -
               2 * double(l_.parameters.alpha) * beta / l_.divisor * src_.at(at) * sum;
    }

    const Problem& problem_;
    const Buffers& buffers_;
    const Lrn l_;
    Dense<double> src_, omega_, diff_dst_, terms_;
};

} // namespace

void ref_lrn(const Problem& problem, const Buffers& buffers) { Reference(problem, buffers).run(); }

} // namespace tessera::ops
