#include "ops/inner_product/inner_product.hpp"

namespace tessera::ops {

namespace {

// Gradients have the names of what they belong to.
std::vector<VerboseToken> tokens(const Problem& p) {
    const InnerProductArgs args = inner_product_args(p.prop);
    std::vector<VerboseToken> all;
    for (const Tensor& t : p.tensors) {
        if (t.attribute) continue;
        const std::string_view word = t.arg == args.src       ? "src"
                                      : t.arg == args.weights ? "wei"
                                      : t.arg == args.bias    ? "bia"
                                                              : "dst";
        all.push_back({word, t.arg, true});
    }
    return all;
}

} // namespace

constinit const Row inner_product_row = {
    .kind = PrimitiveKind::inner_product,
    .lower = lower_inner_product,
    .ref = ref_inner_product,
    .has_prop = true,
    .reads_post_ops_last = true,
    .shape = shape_of_inner_product,
    .tokens = tokens,
};

} // namespace tessera::ops
