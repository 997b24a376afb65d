// SPDX-License-Identifier: Apache-2.0
// What creating these primitives costs where nothing is cached: no primitive, and no generated code of another one.
#pragma once

#include <string>
#include <vector>

#include "../calls.hpp"

namespace tessera::bench::reduce {

std::vector<Call> time_creations(const std::string& filter);

} // namespace tessera::bench::reduce
