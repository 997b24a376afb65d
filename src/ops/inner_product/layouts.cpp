// SPDX-License-Identifier: Apache-2.0
// Layouts of inner products that the caller leaves open (INP-05).
//
// dst is row-major. src is plain, its channels and pixels in the order of weights; channels last if weights are open,
// too. Weights of forward and backward data are panels of 16 columns, so that one step of K is one vector: one row of
// f32, a pair of rows of bf16, a quad of rows of int8 (VNNI). They depend on types and shapes alone, never on the batch
// or the machine; weights that are small or do not divide into panels are plain, in the order of src.
//
//   forward,  f32  src nhwc     Acdb16a           backward data,  f32  diff_src nhwc   cdBa16b
//             bf16 src nc       AB16b16a2b                        bf16 diff_src nc     BA16a16b2a
//             s8   src nChw16c  ABcd4b16a4b
#include <algorithm>

#include "core/desc/tags.hpp"
#include "ops/descriptors.hpp"
#include "ops/inner_product/inner_product.hpp"
#include "ops/products/panels.hpp"

namespace tessera::ops {

namespace {

// Letters of the channels and pixels in the order of a layout.
std::string inner_order(const MemoryDesc& md) {
    const Tag tag = closest_tag(md);
    std::string order;
    for (int i = 0; i < tag.ndims; ++i)
        if (const int d = tag.order[size_t(i)]; d != 0) order += char('a' + d);
    return order;
}

// The blocks of src as a tag suffix if only channels are blocked: "16b".
std::string block_of_channels(const MemoryDesc& src) {
    if (src.inner_nblks != 1 || src.inner_idxs[0] != 1) return "";
    return fmt::format("{}b", src.inner_blks[0]);
}

// Weights in the order and blocks of src.
std::string plain_weights(const MemoryDesc& src) {
    std::string order = inner_order(src);
    const std::string block = block_of_channels(src);
    if (!block.empty()) std::ranges::replace(order, 'b', 'B');
    return "a" + order + block;
}

std::string forward_weights(const MemoryDesc& src, const MemoryDesc& weights) {
    const std::string order = inner_order(src);
    const int64_t q = vnni_factor(weights.type, false);
    int64_t block = src.inner_nblks == 1 && src.inner_idxs[0] == 1 ? src.inner_blks[0] : 0;
    const char last = block ? 'b' : order.back();
    if (!block && q > 1) { // tiles of 16 x q rows; a single summed dimension is padded to them, several are not
        const int64_t extent = weights.dims[size_t(last - 'a')];
        if (order.size() == 1 || extent % (tile_steps * q) == 0) block = tile_steps * q;
    }
    if (block % q != 0) return plain_weights(src);
    if (!block) return tag_of({.n = 'a', .k = order});
    return tag_of({.n = 'a', .k = order, .blocked = last, .rows = block / q, .vnni = q});
}

// Backward data: the columns are channels and pixels, K is dimension a.
std::string backward_weights(const MemoryDesc& diff_src, const MemoryDesc& weights) {
    const std::string order = inner_order(diff_src);
    const char last = order.back();
    const bool divides = order.size() == 1 || weights.dims[size_t(last - 'a')] % panel_columns == 0;
    if (diff_src.inner_nblks != 0 || !divides) return plain_weights(diff_src);
    const int64_t q = vnni_factor(weights.type, false);
    return tag_of(
        {.outer = order.substr(0, order.size() - 1), .n = last, .k = "a", .rows = q > 1 ? tile_steps : 1, .vnni = q});
}

std::string weights_tag(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights) {
    const int64_t outputs = weights.dims[0], inputs = weights.nelems() / outputs;
    const bool back = prop == PropKind::backward_data;
    const bool few = back ? are_few(outputs, inputs) : are_few(inputs, outputs);
    if (few || prop == PropKind::backward_weights) return plain_weights(src);
    return back ? backward_weights(src, weights) : forward_weights(src, weights);
}

} // namespace

Result<void> choose_inner_product_layouts(Sides& s) {
    MemoryDesc &src = s.src, &weights = s.weights, &dst = s.dst;
    const auto open = [](const MemoryDesc& md) { return md.kind == FormatKind::any; };
    if (open(dst))
        if (auto ok = choose_tag(dst, "ab"); !ok) return ok;
    if (open(src))
        if (auto ok = choose_tag(src, "a" + (open(weights) ? letters(2, src.ndims) + "b" : inner_order(weights))); !ok)
            return ok;
    return open(weights) ? choose_tag(weights, weights_tag(s.prop, src, weights)) : Result<void>();
}

std::string shape_of_inner_product(const Problem& p) {
    const MemoryDesc &src = p.tensors[0].md, &weights = p.tensors[1].md;
    constexpr const char* pixels[] = {"id", "ih", "iw"};
    std::string text = fmt::format("mb{}ic{}", src.dims[0], src.dims[1]);
    for (int d = 2; d < src.ndims; ++d) text += fmt::format("{}{}", pixels[3 - src.ndims + d], src.dims[size_t(d)]);
    return text + fmt::format("oc{}", weights.dims[0]);
}

} // namespace tessera::ops
