// SPDX-License-Identifier: Apache-2.0
// sort_few: a stable sort in place, for lists of some loops or dims, which are short and mostly in order already.
// std::stable_sort asks for memory each time.
#pragma once

#include <algorithm>
#include <iterator>

namespace tessera {

template <typename Iterator, typename Less> void sort_few(Iterator first, Iterator last, Less less) {
    for (Iterator at = first; at != last; ++at) std::rotate(std::upper_bound(first, at, *at, less), at, std::next(at));
}

} // namespace tessera
