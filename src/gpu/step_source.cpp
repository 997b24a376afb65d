// SPDX-License-Identifier: Apache-2.0
#include "gpu/steps.hpp"

namespace tessera::gpu {

Launch launch_of(const DeviceRow& row, const Plan& plan, const Step& step) {
    if (step.product) return launch_of_product(row, plan, step);
    return step.kind == StepKind::reduce ? launch_of_reduction(row, plan, step) : launch_of_map(row, plan, step);
}

} // namespace tessera::gpu
