// SPDX-License-Identifier: Apache-2.0
// Conversions: what a transpose tile does to values on their way through registers.
//
//   program             where                        what
//   none                                             nothing
//   clamp of bytes      between loads and stages     one minimum or maximum a register
//   narrows, or keeps   loads (load())               rows of W/4 elements, joined by Join: 1, 2 or 4 in a register
//   widens (late)       stores (store())             a line of src's type becomes two or four stores of dst's
//
// f32 to bf16 has an instruction that takes denormals for zeros (Join::normal). A tile is converted by it while the
// least magnitude is noted, and once more in integers if that was a denormal: nhwc -> nchw 0.49 -> 0.75 of memcpy.
//
//   Conversions conversions(code, spec, network, from);      // constants, before any loop
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/transpose/kernel/network.hpp"
#include "cpu/tiles/transpose/kernel/walker.hpp"

namespace tessera::cpu {

class Conversions {
public:
    // `from` walks src; used by load().
    Conversions(jit::Code& code, const TransposeSpec& spec, const Network& network, Walker& from);

    bool on_loads() const { return program_ && !spec_.late; }
    bool on_stores() const { return program_ && spec_.late; }
    // The tile at src, a register of codes of dst's type for each number that network.reg_bits count; none where
    // nothing exists.
    std::vector<jit::Vec> load(jit::Gpr src);
    // `elements` of a line of src's type, to dst at m.
    void store(jit::Mem m, jit::Vec line, int elements);
    void clamp(jit::Vec& r); // if the program is one

private:
    struct Value {
        ValueType type{};
        jit::Vec vec;
    };
    template <typename F> Value computed(const F& loaded);
    void load_rows(jit::Gpr src, std::vector<jit::Vec>& registers, bool into);
    jit::Vec joined(const Coordinates& c);
    jit::Vec split(const Coordinates& c);
    void put(jit::Mem m, jit::Vec x) { spec_.stream ? code_.stream(m, x) : code_.store(m, x); }

    jit::Code& code_;
    const TransposeSpec& spec_;
    const Network& network_;
    Walker& from_;
    int bytes_; // of a register
    jit::Codec codec_;
    std::optional<jit::ProgramCode> program_; // unless it is a clamp
    std::map<std::pair<int, ValueType>, jit::Vec> broadcast_;
    bool table_ = false; // whole lines are looked up
    jit::Vec least_;     // exists while denormals are noted
};

} // namespace tessera::cpu
