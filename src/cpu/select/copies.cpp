#include "cpu/select/copies.hpp"

#include <algorithm>

#include "core/plan/moves.hpp"
#include "cpu/select/compile.hpp"

namespace tessera::cpu {

std::shared_ptr<const Executable> compile_copy(const Place& from, const Place& to, std::span<const int64_t> dims,
                                               Machine machine) {
    auto plan = std::make_shared<Plan>();
    plan->title = "copy";
    plan->operands = {{"from", from.type}, {"to", to.type}};
    Program program;
    program.store(1, program.load(0, ValueType::f32));
    if (from.type == to.type)
        for (Op& op : program.ops) op.type = ValueType::bits;
    plan->programs.push_back(std::move(program));
    const Layout layouts[] = {from.layout, to.layout};
    add_moves({.layouts = layouts, .dims = dims, .program = 0, .order_by = 1}, *plan);
    machine.threads = 1;
    auto run = compile(std::move(plan), machine);
    return run ? std::move(*run) : nullptr;
}

std::vector<int64_t> lengths(const EvenParts& parts) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < parts.parts; ++i)
        if (std::find(all.begin(), all.end(), parts.length(i)) == all.end()) all.push_back(parts.length(i));
    return all;
}

} // namespace tessera::cpu
