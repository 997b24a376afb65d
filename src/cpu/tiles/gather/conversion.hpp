// SPDX-License-Identifier: Apache-2.0
// Conversion: what a gather kernel does to values on their way through registers.
//
//   program             where                      what
//   none                                           nothing
//   clamp of bytes      store()                    one minimum or maximum a line
//   narrows             load()                     W/4 elements of src at a time, joined to a register of codes of dst
//   keeps, or widens    store()                    a line of src's type becomes one, two or four stores of dst's
//
//   GatherConversion conversion(code, spec);   // constants, before any loop
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/gather/choose.hpp"

namespace tessera::cpu {

class GatherConversion {
public:
    GatherConversion(jit::Code& code, const GatherSpec& spec);

    // Codes of dst's type for the elements of src that are permuted bytes `at` .. at + bytes - 1 of the register; of
    // those of `parts` vectors of values whose bit is set. starts: by part, bytes of src from `from` on.
    struct Part {
        int64_t src = 0;  // bytes of src
        int elements = 0; // none: nothing of it is used
    };
    int part_bytes() const { return codec_.lanes() * spec_.element; } // of a register, filled by one part
    jit::Vec load(jit::Gpr from, std::span<const Part> parts);

    // Before the loops: the zeros of these stores.
    void prepare(const GatherGroup& group);
    // A line of src's type, to dst at m.
    void store(jit::Mem m, jit::Vec line, const GatherGroup& group);

private:
    struct Values {
        ValueType type{};
        jit::Vec vec[4];
    };
    template <typename F> void compute(Values& values, int part, const F& loaded);
    jit::Vec joined(DataType to, const Values& values);
    std::string kept(const GatherGroup& group, int first) const; // bytes of a register of dst; empty: all
    int joins() const { return 4 / (bits(spec_.types[1]) / 8); } // vectors of values that fill a register

    jit::Code& code_;
    const GatherSpec& spec_;
    jit::Codec codec_;
    std::optional<jit::ProgramCode> program_; // unless it is a clamp
    std::map<std::pair<int, ValueType>, jit::Vec> broadcast_;
    std::map<std::string, jit::Vec> masks_; // by bytes
};

} // namespace tessera::cpu
