// SPDX-License-Identifier: Apache-2.0
#include "machines.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

#include "cpu/engine.hpp"
#include "instead.hpp"
#include "oneapi/dnnl/dnnl.h"

namespace tessera {

using cpu::jit::Code;
using cpu::jit::Target;
using cpu::jit::VOp;

namespace {

constexpr uint32_t fp16 = 0x100;

// This processor, whatever stands in for it.
const Machine& host() {
    static const Machine machine = cpu::this_machine();
    return machine;
}

bool same(const Machine& x, const Machine& y) {
    if (cpu::jit::has_target(x) != cpu::jit::has_target(y)) return false;
    if (!cpu::jit::has_target(x)) return true;
    return cpu::jit::target_of(x) == cpu::jit::target_of(y) && x.fast_bf16_products == y.fast_bf16_products &&
           x.two_shuffles == y.two_shuffles && x.spare_vector_pipes == y.spare_vector_pipes &&
           x.follows_rows == y.follows_rows && (x.isa & fp16) == (y.isa & fp16);
}

std::vector<Context> make_machines() {
    std::vector<Context> all{Context()};
    all[0].name = "portable";
    const auto add = [&](uint32_t isa, bool byte_permute, bool fast_bf16_products) {
        Context m(cpu::machine_of(isa, byte_permute, fast_bf16_products));
        m.two_shuffles = m.spare_vector_pipes = m.follows_rows =
            m.fast_bf16_products; // Zen 5; what Zen 4 runs without them, others run as well
        if (std::any_of(all.begin(), all.end(), [&](const Machine& x) { return same(x, m); })) return;
        if (m.vector_bytes == 64 && !m.byte_permute) m.name += " without byte permutes";
        if (m.fast_bf16_products) m.name += " with fast bf16";
        all.push_back(m);
    };
    constexpr uint32_t rows[] = {
#define ISA(name, bits) bits,
#include "cpu/isa.def"
#undef ISA
    };
    for (const uint32_t isa : rows) {
        if (!(isa & fp16)) add(isa, false, false); // all processors with FP16 have byte permutes
        add(isa, true, false);
        if (!(isa & fp16)) add(isa, true, true); // AMD's
    }
    for (Context& m : all) m.threads = 2;
    return all;
}

template <typename Ops> bool uses(const Code& code, const Ops& is) {
    return std::any_of(code.insts().begin(), code.insts().end(), [&](const auto& inst) { return is(inst.op); });
}

bool is_of_tiles(VOp op) { return op >= VOp::tile_configure && op <= VOp::tile_dot_bytes; }

// What is left of a target without the instructions that single ops of vcode stand for.
Target without(Target t, bool bf16, bool vnni, bool amx) {
    t.bf16 &= !bf16, t.vnni &= !vnni, t.amx &= !amx, t.amx_f16 &= !amx;
    return t;
}

} // namespace

const std::vector<Context>& machines() {
    static const std::vector<Context> all = [] {
        host(); // before anything stands in for it
        interpret_what_cannot_run();
        return make_machines();
    }();
    return all;
}

std::vector<Context> generating_machines() {
    std::vector<Context> some;
    for (const Context& m : machines())
        if (cpu::jit::has_target(m)) some.push_back(m);
    return some;
}

const Context& machine_named(std::string_view name) {
    for (const Context& m : machines())
        if (m.name == name) return m;
    throw std::out_of_range(fmt::format("no machine is named '{}'", name));
}

Execution execution_of(const Machine& machine) {
    if (!cpu::jit::has_target(machine)) return Execution::machine_code;
    const Target target = cpu::jit::target_of(machine);
    if (cpu::jit::runs_here(target)) return Execution::machine_code;
    return cpu::jit::runs_here(without(target, false, false, true)) ? Execution::tiles_interpreted
                                                                    : Execution::interpreted;
}

std::string coverage() {
    std::string text;
    for (const Context& m : machines()) {
        const Execution how = execution_of(m);
        text += fmt::format("  {:<45} {}\n", m.name,
                            !cpu::jit::has_target(m)              ? "portable code"
                            : how == Execution::machine_code      ? "machine code"
                            : how == Execution::tiles_interpreted ? "machine code, tiles interpreted"
                                                                  : "interpreted");
    }
    return text;
}

std::string test_name(const Machine& machine) {
    std::string name = machine.name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

StandIn::StandIn(const Context& machine) : machine_(machine) {
    machines(); // this processor is read, the interpreter in place
    dnnl_get_primitive_cache_capacity(&capacity_);
    dnnl_set_primitive_cache_capacity(0);
    cpu::set_stand_in(&machine_);
}

StandIn::~StandIn() {
    cpu::set_stand_in(nullptr);
    dnnl_set_primitive_cache_capacity(capacity_);
}

namespace cpu::jit {

bool runs_here(const Target& target) {
    if (!has_target(host())) return false;
    const Target best = target_of(host());
    const bool narrow = target.vector_bytes == 32 && !target.masks;
    if (!narrow && best.vector_bytes < target.vector_bytes) return false;
    const bool avx_vnni = (host().isa & 0xf) == 0xf;
    return (best.byte_permute || !target.byte_permute) && (best.bf16 || !target.bf16) &&
           ((narrow ? avx_vnni : best.vnni) || !target.vnni) && (best.amx || !target.amx) &&
           (best.amx_f16 || !target.amx_f16);
}

bool runs_here(const Code& code) {
    return runs_here(without(code.target(),
                             !uses(code, [](VOp op) { return op == VOp::dot_bf16 || op == VOp::f32_to_bf16; }),
                             !uses(code, [](VOp op) { return op == VOp::dot_u8s8; }), !uses(code, is_of_tiles)));
}

std::vector<Target> vector_targets() {
    std::vector<Target> all;
    for (const Context& m : generating_machines()) {
        const Target target = without(target_of(m), false, false, true);
        if (std::find(all.begin(), all.end(), target) == all.end()) all.push_back(target);
    }
    return all;
}

std::vector<Target> host_targets() {
    std::vector<Target> all = vector_targets();
    std::erase_if(all, [](const Target& t) { return !runs_here(t); });
    return all;
}

} // namespace cpu::jit

} // namespace tessera
