// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

namespace {

constexpr const char* names[] = {
#define VCODE(name, meaning) #name,
#include "cpu/jit/vcode.def"
#undef VCODE
};

} // namespace

std::string to_string(const Code& code) {
    std::string out = fmt::format("{} (W {})\n", code.name(), code.width());
    auto reg = [&](Reg r) {
        const RegClass c = code.classes()[size_t(r)];
        const char letter = c == RegClass::vec ? 'v' : c == RegClass::mask ? 'k' : c == RegClass::gpr ? 'r' : 't';
        return fmt::format("{}{}", letter, r);
    };
    int depth = 1;
    for (const Inst& i : code.insts()) {
        if (i.op == VOp::end_loop || i.op == VOp::end_if) --depth;
        std::string line = fmt::format("{:{}}{}", "", depth * 2, names[size_t(i.op)]);
        if (i.es) line += fmt::format(".{}", i.es);
        if (i.bytes && i.bytes != code.width() && i.op != VOp::gload && i.op != VOp::gstore)
            line += fmt::format("/{}", i.bytes);
        for (Reg r : {i.d, i.a, i.b, i.c, i.k})
            if (r >= 0) line += " " + reg(r);
        if (i.base >= 0) {
            line += fmt::format(" [{}", reg(i.base));
            if (i.index >= 0) line += fmt::format(" + {}*{}", reg(i.index), i.scale);
            line += i.disp ? fmt::format(" {:+}]", i.disp) : "]";
        }
        if (i.imm) line += fmt::format(" #{}", i.imm);
        out += line + "\n";
        if (i.op == VOp::loop || i.op == VOp::if_positive || i.op == VOp::if_less) ++depth;
    }
    return out;
}

} // namespace tessera::cpu::jit
