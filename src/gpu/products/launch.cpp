// SPDX-License-Identifier: Apache-2.0
// Which kernels run some products.
#include <algorithm>

#include "gpu/products/view.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

Launch launch_on_gpu(const ProductView& view) {
    auto launch = launch_of_few(view);
    if (!launch) launch = launch_on_tensors(view);
    if (!launch) launch = launch_in_registers(view);
    // A unit of NVIDIA's has 65536, so that two groups of 256 work-items share one: alone, a group waits at each
    // barrier and for all memory. Compilers take 126 to 217 by themselves and 128 with 0 to 36 words spilled for each
    // chunk of k; the blocks of fewer work-items would spill 180.
    constexpr int64_t most_lanes = 512, registers = 65536;
    if (view.row.ptx && launch->lanes >= 128) launch->registers = registers / most_lanes;
    launch->source = unrolled_as(view.row, std::move(launch->source));
    return std::move(*launch);
}

} // namespace

std::vector<Launch> launches_of_products(const DeviceRow& row, std::span<const Plan* const> plans) {
    std::vector<ProductView> views, kernels;
    std::vector<const ProductView*> sorted;
    for (const Plan* plan : plans) views.push_back(view_of(row, *plan, plan->steps[0]));
    for (const ProductView& view : views) sorted.push_back(&view);
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const ProductView* view) {
        const Matrices& m = view->matrices;
        return m.batches * m.rows * m.columns * m.depth;
    });
    for (const ProductView* view : sorted)
        if (std::ranges::none_of(kernels, [&](ProductView& kernel) { return join(kernel, *view); }))
            kernels.push_back(*view);
    std::vector<Launch> launches;
    for (const ProductView& kernel : kernels)
        launches.push_back(row.processor() ? launch_in_vectors(kernel) : launch_on_gpu(kernel));
    return launches;
}

} // namespace tessera::gpu
