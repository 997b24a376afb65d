// Epilogue: what a kernel of the dot tile does to its sums behind the loop over k, by panels and rows of them.
//
//   Epilogue epilogue(code, spec);                  // constants
//   epilogue.panel(0);                              // addresses of its first row
//   epilogue.row(sums, columns, tail);              // one row of the panel; the next one's addresses
#pragma once

#include <map>
#include <span>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

class Epilogue {
public:
    Epilogue(jit::Code& code, const DotSpec& spec);

    static bool supports(const DotSpec& spec); // few operations, of operands whose addresses have registers
    static int registers(const DotSpec& spec); // besides the sums; at most
    void panel(int number);
    void row(std::span<const jit::Vec> sums, int columns, const jit::Mask* tail);

private:
    using Loaded = std::map<std::pair<int, ValueType>, std::vector<jit::Vec>>; // an operand's vectors of a row

    bool varies(int operand) const; // along rows
    jit::Vec load(int operand, ValueType type, size_t vector, int columns, const jit::Mask* tail, Loaded& of_row);
    jit::Mem at(int operand, size_t vector) const;
    jit::Mem slot(size_t operand, size_t member) const {
        return {operands_, int64_t(operand * sizeof(DotOperand) + member)};
    }

    const DotSpec& spec_;
    jit::Code& c_;
    jit::Codec codec_;
    jit::ProgramCode program_;
    std::vector<int> numbers_;
    jit::Gpr operands_;
    std::map<int, jit::Gpr> at_; // by number
    // What all rows read stays in registers where there are 32: elements of a column for its panel, others for all.
    Loaded of_panel_, of_all_;
};

} // namespace tessera::cpu
