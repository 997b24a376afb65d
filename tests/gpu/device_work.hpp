// SPDX-License-Identifier: Apache-2.0
// Small pieces of work on a device through the public API, from engines to results, for tests in which something fails.
#pragma once

#include <vector>

namespace tessera::test {

// Makes everything that it needs but the engine's own parts, and answers bytes that depend on nothing else. Throws what
// the API throws.
struct DeviceWork {
    const char* name;
    std::vector<unsigned char> (*run)();
};
const std::vector<DeviceWork>& device_work();

} // namespace tessera::test
