// SPDX-License-Identifier: Apache-2.0
#include "../answer.hpp"

namespace differential {

const Cpu& cpu() {
    static const Cpu one;
    return one;
}

} // namespace differential
