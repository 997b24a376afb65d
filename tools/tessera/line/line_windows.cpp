// SPDX-License-Identifier: Apache-2.0
// Windows of a line: in full, for a call, and as short as they can be, so that equal problems have equal text.
#include <algorithm>

#include "core/desc/checked.hpp"
#include "line/problem_line.hpp"

namespace tessera {

namespace {

// What the last output reads behind src; 0 where that leaves 64 bits, and the call refuses the line's numbers.
int64_t reached_behind(const LineWindows& w, size_t k, int64_t inputs, int64_t outputs) {
    int64_t distance = w.dilation[k], reach = w.kernel[k], end = outputs;
    const bool fits = checked_add(distance, 1) && checked_add(reach, -1) && checked_mul(reach, distance) &&
                      checked_add(end, -1) && checked_mul(end, w.stride[k]) && checked_add(end, reach) &&
                      checked_add(end, 1) && !__builtin_sub_overflow(end, inputs, &end) &&
                      !__builtin_sub_overflow(end, w.padding[k], &end);
    return fits ? std::max<int64_t>(end, 0) : 0;
}

} // namespace

LineWindows windows_in_full(const ProblemLine& line) {
    const size_t spatial = std::clamp<size_t>(line.dims.size(), 2, 5) - 2;
    const auto spread = [&](const std::vector<int64_t>& list, int64_t otherwise) {
        std::vector<int64_t> full(spatial, otherwise);
        for (size_t k = 0; k < spatial && !list.empty(); ++k) full[k] = list[std::min(k, list.size() - 1)];
        return full;
    };
    const LineWindows& given = line.windows;
    LineWindows w{spread(given.kernel, 1), spread(given.stride, 1), spread(given.dilation, 0), spread(given.padding, 0),
                  spread(given.padding_r.empty() && line.dst_dims.empty() ? given.padding : given.padding_r, 0)};
    for (size_t k = 0; given.padding_r.empty() && k < spatial && k + 2 < line.dst_dims.size(); ++k)
        w.padding_r[k] = reached_behind(w, k, line.dims[k + 2], line.dst_dims[k + 2]);
    return w;
}

void shorten_windows(ProblemLine& line) {
    const LineWindows full = windows_in_full(line);
    LineWindows& w = line.windows;
    w.padding_r.clear();
    if (windows_in_full(line).padding_r != full.padding_r) w.padding_r = full.padding_r;
    const auto shorten = [](std::vector<int64_t>& list, const std::vector<int64_t>& each, int64_t otherwise) {
        list = each;
        const auto is = [&](int64_t value) { return std::ranges::all_of(list, [&](int64_t v) { return v == value; }); };
        if (is(otherwise))
            list.clear();
        else if (is(list[0]))
            list.resize(1);
    };
    shorten(w.kernel, full.kernel, 1), shorten(w.stride, full.stride, 1), shorten(w.dilation, full.dilation, 0);
    shorten(w.padding, full.padding, 0);
}

} // namespace tessera
