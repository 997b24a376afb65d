// SPDX-License-Identifier: Apache-2.0
// Layouts of convolutions and deconvolutions that the caller leaves open (CNV-26..28): functions of types and shapes
// alone, the same for neighbours of a network, whatever the batch, the image and the machine.
//
//   src, dst   channels last (acdb); with channels in blocks if the other one is given so
//   weights    the columns of the product in panels of 16, so that one step of K is one vector: a row of f32, a pair of
//              rows of bf16 and f16, a quad of rows of bytes (VNNI). Columns are what the result is dense along: output
//              channels forward, input channels backward.
//
//                      forward              backward data
//              f32     Acdb16a              Bcda16b
//              bf16    AcdB16a2b            BcdA16b2a
//              s8      AcdB16a4b
//
//   The last panel is padded, so that few columns are read in place, too. Plain, acdb and bcda, are what pairs and
//   quads do not divide, and up to 4 columns of a single tap, which dots read along K. Groups come in front; groups of
//   one channel are last (depthwise: cdab): results are dense along them.
#include <algorithm>

#include "ops/convolution/convolution.hpp"
#include "ops/descriptors.hpp"
#include "ops/products/panels.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t most_columns_of_dots = 4;

std::string channels_last(const MemoryDesc& md) { return "a" + letters(2, md.ndims) + "b"; }

// A tensor of pixels next to `other`, which is given or open as well.
Result<void> choose_pixels(MemoryDesc& md, const MemoryDesc& other) {
    if (md.kind != FormatKind::any) return {};
    const bool blocks = other.is_blocked() && other.inner_nblks == 1 && other.inner_idxs[0] == 1;
    std::string tag = channels_last(md);
    if (blocks) tag = "aB" + letters(2, md.ndims) + fmt::format("{}b", other.inner_blks[0]);
    return choose_tag(md, tag);
}

std::string weights_tag(const Sides& s) {
    const MemoryDesc& w = s.weights;
    const int first = w.ndims - s.src.ndims; // 1 with groups
    const std::string group = letters(0, first), taps = letters(first + 2, w.ndims);
    const int64_t out = w.dims[size_t(first)], in = w.dims[size_t(first) + 1];
    if (first && out == 1 && in == 1) return taps + letters(first, first + 2) + group;
    // Rows of K, and columns.
    const bool back = s.prop == PropKind::backward_data;
    const char k = char('a' + first + !back), n = char('a' + first + back);
    const std::string plain = group + n + taps + k;
    // PyTorch reads groups and input channels of a deconvolution's gradient as one dimension (in, out / groups), which
    // they are where groups lie outside of input channels.
    if (s.prop == PropKind::backward_weights && s.kind == PrimitiveKind::deconvolution) return group + k + taps + n;
    const int64_t rows = back ? out : in, cols = back ? in : out, q = vnni_factor(w.type, true);
    const auto kernel = w.dims_span().subspan(size_t(first) + 2);
    const bool dots = cols <= most_columns_of_dots && std::ranges::all_of(kernel, [](int64_t n) { return n == 1; });
    if (dots || rows % q || s.prop == PropKind::backward_weights) return plain;
    return tag_of({.outer = group, .n = n, .k = taps + k, .vnni = q});
}

} // namespace

Result<void> choose_convolution_layouts(Sides& s) {
    // A deconvolution is dense along the same dims: its src has the role of a convolution's src, whatever the windows.
    const bool open = s.weights.kind == FormatKind::any;
    if (auto ok = choose_pixels(s.src, s.dst); !ok) return ok;
    if (auto ok = choose_pixels(s.dst, s.src); !ok) return ok;
    return open ? choose_tag(s.weights, weights_tag(s)) : Result<void>();
}

} // namespace tessera::ops
