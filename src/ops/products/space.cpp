// SPDX-License-Identifier: Apache-2.0
#include "ops/products/space.hpp"

namespace tessera::ops {

Layout spread(const Layout& own, const Places& places, std::span<const int64_t> dims) {
    Layout layout;
    layout.offset = own.offset;
    for (const int64_t extent : dims) layout.dims.push_back({{extent, 0}});
    for (size_t d = 0; d < places.size(); ++d)
        if (places[d] >= 0) layout.dims[size_t(places[d])] = own.dims[d];
    return layout;
}

void spread_behind(std::vector<Layout>& layouts, std::span<const int64_t> dims) {
    for (Layout& layout : layouts)
        for (size_t d = layout.dims.size(); d < dims.size(); ++d) layout.dims.push_back({{dims[d], 0}});
}

void add_product(Product product, int program, Plan& plan) {
    Step step;
    step.kind = StepKind::product;
    step.program = program;
    step.product = std::make_shared<const Product>(std::move(product));
    plan.steps.push_back(std::move(step));
}

} // namespace tessera::ops
