// SPDX-License-Identifier: Apache-2.0
// The reference of the normalizations: BNO-01, BNO-02, LNO-01..03, GNO-01, GNO-02, element by element; padding zero
// (FMT-06). Everything between load and store is double; sums go over the elements in logical order.
#include <cmath>

#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/normalization/normalization.hpp"

namespace tessera::ops {

namespace {

using Coordinates = std::span<const int64_t>;

MemoryDesc plain(const std::vector<int64_t>& dims) {
    std::string tag;
    for (size_t d = 0; d < dims.size(); ++d) tag += char('a' + d);
    return *make_desc_with_tag(dims, DataType::f32, tag);
}

struct Reference {
    Reference(const Problem& problem, Sets of, const Buffers& bytes) : n(problem, of), buffers(bytes) {
        for (const Tensor& t : problem.tensors) tensors[t.arg] = {t.md.type, layout_of(t.md), bytes.at(t.arg)};
    }

    double get(int id, Coordinates at) const {
        const Data& t = tensors.at(id);
        return read<float>(t.type, t.buffer, t.layout.at(at));
    }
    void put(int id, Coordinates at, double value) const {
        const Data& t = tensors.at(id);
        write<float>(t.type, t.buffer, t.layout.at(at), float(value));
    }
    size_t set(Coordinates at) const { return size_t(sets.at(at)); }
    double scale(Coordinates at) const {
        return n.has(norm::use_scale) ? get(arg::scale, at.subspan(n.channel(), 1)) : 1;
    }
    template <typename F> void each(F&& f) const { for_each_coordinate(n.dims(), f); }
    std::vector<double> per_set() const {
        int64_t count = 1;
        for (const int64_t extent : n.dims_of_sets()) count *= extent;
        return std::vector<double>(size_t(count), 0.);
    }

    void statistics();
    void forward();
    void backward();

    struct Data {
        DataType type;
        Layout layout;
        void* buffer;
    };
    const Normalization n;
    const Buffers& buffers;
    std::map<int, Data> tensors;
    const Layout sets = n.over_data(plain(n.dims_of_sets())); // the number of an element's set
    std::vector<double> mean, variance;                       // by set
    double normalized(Coordinates at) const {
        const size_t k = set(at);
        return (get(arg::src, at) - mean[k]) / std::sqrt(variance[k] + double(n.epsilon));
    }
};

void Reference::statistics() {
    mean = per_set(), variance = per_set();
    const bool centred = !n.has(norm::rms);
    if (n.given()) {
        for_each_coordinate(n.dims_of_sets(), [&, k = size_t(0)](Coordinates at) mutable {
            if (centred) mean[k] = get(arg::mean, at);
            variance[k++] = get(arg::variance, at);
        });
        return;
    }
    if (centred) each([&](Coordinates at) { mean[set(at)] += get(arg::src, at); });
    for (double& sum : mean) sum /= n.count();
    each([&](Coordinates at) {
        const double x = get(arg::src, at) - mean[set(at)];
        variance[set(at)] += x * x;
    });
    for (double& sum : variance) sum /= n.count();
    for_each_coordinate(n.dims_of_sets(), [&, k = size_t(0)](Coordinates at) mutable {
        if (centred && n.problem.find(arg::mean)) put(arg::mean, at, mean[k]);
        if (n.problem.find(arg::variance)) put(arg::variance, at, variance[k]);
        ++k;
    });
}

void Reference::forward() {
    for (const Tensor& t : n.problem.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    each([&](Coordinates at) {
        double y = normalized(at) * scale(at);
        if (n.has(norm::use_shift)) y += get(arg::shift, at.subspan(n.channel(), 1));
        if (n.has(norm::fuse_relu)) {
            if (n.problem.find(arg::workspace)) put(arg::workspace, at, !(float(y) <= 0));
            y = y <= 0 ? 0 : y;
        }
        y *= double(ref_scale(n.problem, buffers, arg::src, at));
        ref_finish(n.problem, buffers, float(y), arg::dst, at);
    });
}

void Reference::backward() {
    const auto gradient = [&](Coordinates at) {
        const bool passes = !n.problem.find(arg::workspace) || get(arg::workspace, at) != 0;
        return passes ? get(arg::diff_dst, at) : 0.;
    };
    const auto channels = size_t(n.dims()[n.channel()]);
    std::vector<double> plain = per_set(), along = per_set(), shift(channels, 0.), slope(channels, 0.);
    each([&](Coordinates at) {
        const double y = gradient(at), x = normalized(at);
        shift[size_t(at[n.channel()])] += y, slope[size_t(at[n.channel()])] += y * x;
        plain[set(at)] += scale(at) * y / n.count(), along[set(at)] += scale(at) * y * x / n.count();
    });
    const MemoryDesc& to = n.problem.md(arg::diff_src);
    std::vector<float> results; // diff_src may be in the buffer of diff_dst
    each([&](Coordinates at) {
        double y = scale(at) * gradient(at);
        const size_t k = set(at);
        if (!n.has(norm::use_global_stats)) y -= (n.has(norm::rms) ? 0 : plain[k]) + normalized(at) * along[k];
        results.push_back(float(y / std::sqrt(variance[k] + double(n.epsilon))));
    });
    zero_padding(to, buffers.at(arg::diff_src));
    each([&, i = size_t(0)](Coordinates at) mutable { put(arg::diff_src, at, double(results[i++])); });
    for (int64_t c = 0; c < int64_t(channels); ++c) {
        if (n.problem.find(arg::diff_scale)) put(arg::diff_scale, {&c, 1}, slope[size_t(c)]);
        if (n.problem.find(arg::diff_shift)) put(arg::diff_shift, {&c, 1}, shift[size_t(c)]);
    }
}

} // namespace

void ref_normalization(const Problem& p, Sets sets, const Buffers& buffers) {
    Reference r(p, sets, buffers);
    r.statistics();
    r.n.forward() ? r.forward() : r.backward();
}

} // namespace tessera::ops
