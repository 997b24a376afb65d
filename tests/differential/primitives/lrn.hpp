// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../formula/pointwise.hpp"

namespace differential {

const std::vector<Algorithm>& lrn_algorithms();

} // namespace differential
