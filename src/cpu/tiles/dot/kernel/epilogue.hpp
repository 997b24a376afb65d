// SPDX-License-Identifier: Apache-2.0
// Epilogue: what a kernel of the dot tile does to its sums behind the loop over k, by rows of panels, or, where what
// all rows of a panel share stays in registers, by panels of rows.
//
//   Epilogue epilogue(code, spec);                                            // constants
//   epilogue.apply(rows, panels, [&](int row, int panel, int count) { return sums; }); // columns, tail beside them
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
    struct Sums {
        std::span<const jit::Vec> values; // of a row of some panels
        int columns;
        const jit::Mask* tail; // of the last vector
    };
    template <typename SumsOf> void apply(int rows, int panels, const SumsOf& sums) {
        if (spec_.epilogue_dense) {
            start(0);
            for (int r = 0; r < rows; ++r) begin_row(false), emit(sums(r, 0, panels)), end_row();
        } else if (by_rows()) {
            start(0);
            for (int r = 0; r < rows; ++r, end_row())
                for (int p = 0; p < panels; ++p) {
                    p ? next_panel() : begin_row(panels > 1);
                    emit(sums(r, p, 1));
                }
        } else {
            for (int p = 0; p < panels; ++p) {
                start(p);
                for (int r = 0; r < rows; ++r) begin_row(false), emit(sums(r, p, 1)), end_row();
            }
        }
    }

private:
    using Loaded = std::map<std::pair<int, ValueType>, std::vector<jit::Vec>>; // an operand's vectors of a row

    bool varies(int operand) const;                                                        // along rows
    bool moves(int operand) const { return spec_.epilogue->column[size_t(operand)] != 0; } // along columns
    // In registers where there are 32: whole rows load what their columns share again.
    bool held(int operand) const {
        return c_.target().vectors == 32 && !varies(operand) && !(spec_.epilogue_dense && moves(operand));
    }
    bool by_rows() const;
    void start(int panel); // addresses of its first row
    void begin_row(bool panels_follow);
    void next_panel();
    void end_row();
    void emit(const Sums& sums);
    void store(int operand, ValueType type, std::span<const jit::Vec> values, const Sums& sums);
    jit::Vec load(int operand, ValueType type, size_t vector, const Sums& sums);
    static const jit::Mask* tail_of(size_t vector, const Sums& sums) {
        return vector + 1 == sums.values.size() ? sums.tail : nullptr;
    }
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
    std::map<int, jit::Gpr> row_, at_; // of the row, and of a panel in it; by number
    // Of the row at hand; and what is held: elements of a column for its panel, others for all.
    Loaded of_row_, of_panel_, of_all_;
};

} // namespace tessera::cpu
