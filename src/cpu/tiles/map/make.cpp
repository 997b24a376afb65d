// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

MapSpec map_spec(const Program& program, std::span<const Operand> operands, std::initializer_list<DataType> buffers) {
    MapSpec spec;
    spec.program = program;
    for (const Operand& o : operands) spec.types.push_back(o.type);
    spec.types.insert(spec.types.end(), buffers);
    return spec;
}

bool set_column(MapSpec& spec, size_t operand, int64_t stride) {
    const bool advances =
        operand < map_operands && (stride == 0 || stride == 1 || is_counted(spec.program, int(operand)));
    if (advances) spec.column[operand] = stride;
    return advances;
}

std::shared_ptr<const jit::Kernel> map_kernel(const jit::Target& target, const MapSpec& spec) {
    if (!can_build_map(spec)) return nullptr;
    return jit::kernel(target, key(spec), [&] { return build_map(target, spec); });
}

} // namespace tessera::cpu
