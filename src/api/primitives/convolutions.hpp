// SPDX-License-Identifier: Apache-2.0
// What the calls that create convolutions and deconvolutions share.
#pragma once

#include <algorithm>

#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"
#include "ops/convolution/convolution.hpp"

namespace tessera {

// The lists of a call, an entry for each spatial dimension of `md`; those of descriptors without as many are not read.
// No dilates: dense kernels. No padding behind: as much as in front.
inline ops::ConvolutionWindows windows_of_lists(const MemoryDesc& md, const int64_t* strides, const int64_t* dilates,
                                                const int64_t* padding_l, const int64_t* padding_r) {
    ops::ConvolutionWindows w;
    if (md.ndims < 3 || md.ndims > 5) return w;
    const auto copy = [&](const int64_t* from, Dims& to) { std::copy_n(from, md.ndims - 2, to.begin()); };
    copy(strides, w.strides), copy(padding_l, w.padding_l), copy(padding_r ? padding_r : padding_l, w.padding_r);
    if (dilates) copy(dilates, w.dilation);
    return w;
}

inline MemoryDesc desc_or_none(const_dnnl_memory_desc_t desc) { return desc ? desc->md : MemoryDesc(); }

} // namespace tessera
