// SPDX-License-Identifier: Apache-2.0
#include "gpu/steps.hpp"

namespace tessera::gpu {

Launch launch_of(const DeviceRow& row, const Plan& plan, const Step& step) {
    if (step.product) {
        const Plan* const one[] = {&plan};
        return launches_of_products(row, one)[0];
    }
    return step.kind == StepKind::reduce ? launch_of_reduction(row, plan, step) : launch_of_map(row, plan, step);
}

} // namespace tessera::gpu
