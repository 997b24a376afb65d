// SPDX-License-Identifier: Apache-2.0
// Nest: loops from outer to inner. Each loop has an extent, a kind and, per operand, a stride or an offset table.
//
// Strides and table entries count elements of the operand. The address of operand o at point (i0, i1, ...) is
//   base[o] + sum over loops k of (table ? table[i_k] : i_k * stride[o])
// A loop with a table is "indexed": no stride exists there (shuffle of blocked layouts, clashing block sizes).
//
//   2:425,800 . 25:1,16 . 16:25,1      extent:stride of src, stride of dst; "sum 16:25,1" is a reduce loop
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/per_operand.hpp"

namespace tessera {

enum class LoopKind : uint8_t { map, reduce }; // points of map loops may run in any order and on any thread
using Table = std::shared_ptr<const std::vector<int64_t>>;

// The offset tables of a loop, by operand. Most loops have none and cost one null pointer.
class Tables {
public:
    const Table& operator[](size_t operand) const { return all().tables[operand]; } // null: there is a stride
    void set(size_t operand, std::vector<int64_t> offsets);
    void set(size_t operand, Table offsets); // shared
    bool any() const { return all_ != nullptr; }
    size_t operands() const { return all().operands; } // operands from this number on have no table
    bool operator==(const Tables& other) const;        // by value

private:
    struct All {
        PerOperand<Table> tables;
        size_t operands = 0;
    };
    static const All none;
    const All& all() const { return all_ ? *all_ : none; }

    std::shared_ptr<const All> all_;
};

struct Loop {
    int64_t extent = 1;
    LoopKind kind = LoopKind::map;
    PerOperand<int64_t> stride = {};
    Tables table = {};

    bool indexed() const { return table.any(); } // any operand has one
    int64_t offset(int operand, int64_t i) const {
        return table[size_t(operand)] ? (*table[size_t(operand)])[size_t(i)] : i * stride[size_t(operand)];
    }
    bool operator==(const Loop&) const = default;
};

struct Nest {
    PerOperand<int64_t> base = {};
    std::vector<Loop> loops;
    // The product of the extents, saturated at 2^48: an estimate of cost need not be exact beyond a day of work.
    int64_t points() const;
    static constexpr int64_t most = int64_t(1) << 48;
    bool operator==(const Nest&) const = default;
};

// Drops loops of extent 1 and fuses neighbours of one kind where outer stride == extent * inner stride for all
// operands. Law: the joined nest visits the same tuples of addresses in the same order.
Nest coalesce(const Nest& nest, int operands);
// Sorts map loops by descending stride of `operand` (ties: of the other operands); reduce loops stay innermost.
// Law: the same set of address tuples.
Nest order(const Nest& nest, int operands, int operand);

std::string to_string(const Nest& nest, int operands);

} // namespace tessera
