// SPDX-License-Identifier: Apache-2.0
// Products in blocks of vectors.
#pragma once

#include "cpu/products/run/blocked.hpp"

namespace tessera::cpu {

class VectorsJob final : public BlockedJob {
public:
    Kernels kernel;    // that leave sums
    Kernels streaming; // the same past the caches, where the choice says so; none of columns that end within a panel
    Kernels finishing; // with the epilogue, where the choice says so
    std::vector<int> in_registers;                             // operands of the epilogue, in the order of these
    std::array<std::shared_ptr<const jit::Kernel>, 2> summing; // sums of B's columns beside the products, or null

    void prepare(int64_t products_of_byte) override;
    std::vector<const jit::Kernel*> kernels() const override;

private:
    void blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const override;
    void whole_products(Unit& unit, int64_t products) const override;
    void bare_finishing(Unit& unit, DotArgs& args, const RowBlock& rows) const;
    void row_of_blocks(Unit& unit, DotArgs& args, const RowBlock& rows, const Places& at, int64_t i, int64_t count,
                       DotOperand* operands, class NextLines& next) const;
    const jit::Kernel* set_sums(const Unit& unit, DotArgs& args, int64_t i, size_t variant, int64_t j, KPart k) const;
    // The epilogue's operands at a block, for kernels that apply it.
    void place(const Unit& unit, int64_t row, int64_t column, DotOperand* operands) const;
    void call(size_t variant, DotArgs& args) const {
        const bool passes = streaming[variant] && reinterpret_cast<uintptr_t>(args.c) % cache_line == 0;
        (passes ? *streaming[variant] : *kernel[variant])(&args);
    }

    // A part of k of a block of rows is a call for each register block; so is the last part, where kernels apply the
    // epilogue.
    bool bare_blocks_ = false, bare_finishing_ = false;
};

} // namespace tessera::cpu
