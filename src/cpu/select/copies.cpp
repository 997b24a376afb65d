// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/copies.hpp"

#include "core/plan/moves.hpp"
#include "cpu/select/compile.hpp"

namespace tessera::cpu {

std::shared_ptr<const Executable> compile_copy(const Place& from, const Place& to, std::span<const int64_t> dims,
                                               const Context& context) {
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
    auto run = compile(std::move(plan), with_one_thread(context));
    return run ? std::move(*run) : nullptr;
}

std::vector<int64_t> lengths(const EvenParts& parts) {
    const int64_t grains = ceil_div(parts.all, parts.grain), each = grains / parts.parts, more = grains % parts.parts;
    const int64_t longest = (more ? each + 1 : each) * parts.grain, last = parts.length(parts.parts - 1);
    const int64_t longest_parts = more ? more : parts.parts; // the last is one of them, or a shorter one
    std::vector<int64_t> all{last};
    if (last != longest && longest_parts > 1) all.push_back(longest);
    if (more && each * parts.grain != last) all.push_back(each * parts.grain);
    return all;
}

} // namespace tessera::cpu
