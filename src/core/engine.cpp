// SPDX-License-Identifier: Apache-2.0
#include "core/engine.hpp"

#include <atomic>

namespace tessera {

uint64_t Engine::next_id() {
    static std::atomic<uint64_t> last{0};
    return ++last;
}

Result<std::vector<uint8_t>> Engine::kernels(const Executable*) const {
    return unimplemented("a CPU engine keeps no cache blob; creating its primitives anew is quick");
}
Result<void> Engine::add_kernels(std::span<const uint8_t>) const {
    return unimplemented("a CPU engine takes no cache blob; dnnl_primitive_create makes its primitives");
}

} // namespace tessera
