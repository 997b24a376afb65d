// SPDX-License-Identifier: Apache-2.0
// Elements of a descriptor never overlap (MEM-14), so an offset is a number in the mixed radix of its strides.
#include "drawing/memory_map.hpp"

#include <algorithm>

namespace tessera {

MemoryMap::MemoryMap(const MemoryDesc& md) : md_(md), layout_(layout_of(md)) {
    layout_.offset = 0;
    int64_t last = 0;
    for (size_t d = 0; d < layout_.dims.size(); ++d) {
        int64_t weight = 1;
        const Modes& modes = layout_.dims[d];
        for (size_t m = modes.size(); m-- > 0; weight *= modes[m].extent) {
            if (modes[m].extent <= 1 || modes[m].stride == 0) continue;
            digits_.push_back({int(d), modes[m].extent, modes[m].stride, weight});
            last += (modes[m].extent - 1) * modes[m].stride;
        }
    }
    std::sort(digits_.begin(), digits_.end(), [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
    places_ = last + 1;
}

Place MemoryMap::at(int64_t offset) const {
    Place place;
    if (offset < 0 || offset >= places_) return place;
    int64_t rest = offset;
    for (size_t k = digits_.size(); k-- > 0;) {
        const Digit& digit = digits_[k];
        const int64_t value = rest / digit.stride;
        if (value >= digit.extent) return place;
        place.at[size_t(digit.dim)] += value * digit.weight;
        rest -= value * digit.stride;
    }
    if (rest != 0) return place;
    place.kind = Place::element;
    for (int d = 0; d < md_.ndims; ++d)
        if (place.at[size_t(d)] >= md_.dims[size_t(d)]) place.kind = Place::padding;
    return place;
}

} // namespace tessera
