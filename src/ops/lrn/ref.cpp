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
    Reference(const Problem& problem, const Buffers& buffers) : problem_(problem), buffers_(buffers), l_(problem) {}

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
    double value(int id, std::span<const int64_t> at) const {
        const MemoryDesc& md = problem_.md(id);
        return read<float>(md.type, buffers_.at(id), layout_of(md).at(at));
    }
    double omega(std::span<const int64_t> at) const {
        double sum = 0;
        l_.each_neighbour(at, [&](auto place) { sum += value(arg::src, place) * value(arg::src, place); });
        return double(l_.parameters.k) + double(l_.parameters.alpha) / l_.divisor * sum;
    }
    double normalized(std::span<const int64_t> at) const {
        return value(arg::src, at) * std::pow(omega(at), -double(l_.parameters.beta));
    }
    double gradient(std::span<const int64_t> at) const {
        const double beta = l_.parameters.beta;
        double sum = 0;
        l_.each_neighbour(at, [&](auto place) {
            sum += value(arg::diff_dst, place) * value(arg::src, place) * std::pow(omega(place), -beta - 1);
        });
        return value(arg::diff_dst, at) * std::pow(omega(at), -beta) -
               2 * double(l_.parameters.alpha) * beta / l_.divisor * value(arg::src, at) * sum;
    }

    const Problem& problem_;
    const Buffers& buffers_;
    const Lrn l_;
};

} // namespace

void ref_lrn(const Problem& problem, const Buffers& buffers) { Reference(problem, buffers).run(); }

} // namespace tessera::ops
