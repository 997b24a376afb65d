// SPDX-License-Identifier: Apache-2.0
// Which products have kernels of their own, and which kernel.
#include "gpu/products/view.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

Launch launch_on_gpu(const ProductView& view) {
    if (auto launch = launch_of_few(view)) return std::move(*launch);
    if (auto launch = launch_on_tensors(view)) return std::move(*launch);
    return launch_in_registers(view);
}

} // namespace

bool has_product_kernel(const DeviceRow& row, const Plan& plan, const Step& step) {
    constexpr int64_t most_table = 1 << 20; // entries
    const auto m = matrices_of(plan, step);
    if (!m || m->batches == 0 || m->rows == 0 || m->columns == 0 || m->depth == 0) return false;
    const auto is_wide = [&](const MatrixFactor& f) { return bits(plan.operands[size_t(f.factor.operand)].type) > 32; };
    if (!row.processor() && (is_wide(m->left) || is_wide(m->right))) return false;
    return m->batches + m->rows + m->columns + m->depth <= most_table && row.local_bytes >= 24 << 10;
}

Launch launch_of_product(const DeviceRow& row, const Plan& plan, const Step& step) {
    const ProductView view = view_of(row, plan, step);
    if (row.processor()) return launch_in_vectors(view);
    Launch launch = launch_on_gpu(view);
    constexpr std::string_view unroll = "#pragma unroll\n";
    if (!row.unrolls)
        for (size_t at = 0; (at = launch.source.find(unroll, at)) != std::string::npos;)
            launch.source.erase(at, unroll.size());
    return launch;
}

} // namespace tessera::gpu
