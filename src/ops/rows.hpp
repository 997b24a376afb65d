// SPDX-License-Identifier: Apache-2.0
// Steps that go along one axis of a tensor, for every row: all elements that differ in their coordinate there alone.
//
//   Rows rows(dims, axis, plan, layouts);                  // layouts of all operands, as in Operands
//   rows.lay_out_like(layouts[dst]);                       // the order of temporaries
//   int sum = rows.add_temporary("sum", true);             // an f32 for each row
//   rows.reduce(OpCode::reduce_add, sum, load_src, as_it_is);
//   rows.map(program);                                     // loads src and sum, stores to dst
//   rows.add_steps();                                      // a group over the rows
//
// Few long rows are no group: threads share each step, reductions in two levels (core/plan/rewrite/two_levels.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"

namespace tessera::ops {

class Rows {
public:
    Rows(std::span<const int64_t> dims, size_t axis, Plan& plan, std::vector<Layout>& layouts);

    // False where temporaries like this, in f32, would have more than 2^62 bytes.
    bool lay_out_like(const Layout& layout);
    // Scratch memory for an f32 of each row, or of each element; the number of its operand.
    int add_temporary(std::string name, bool of_rows);

    void map(const Program& program);
    // to[row] = finished(sum of point over the row), or with reduce_max the maximum; both append to a program.
    using Point = std::function<int(Program&)>;
    using Finished = std::function<int(Program&, int)>;
    void reduce(OpCode code, int to, const Point& point, const Finished& finished);

    void add_steps(); // after all of them

private:
    struct RowStep {
        int program = -1, reduce_mask = 0;
        std::vector<int> operands;
        std::vector<Layout> layouts; // of these
        std::vector<int64_t> dims;   // a piece of the axis
        std::vector<std::vector<int64_t>> first;
    };
    void add(const Program& program, int reduce_mask, int64_t begin, int64_t end);
    std::vector<int64_t> cuts(const Program& program) const;
    bool are_few() const;
    int64_t extent() const { return dims_[axis_]; }

    const std::vector<int64_t> dims_;
    const size_t axis_;
    Plan& plan_;
    std::vector<Layout>& layouts_;
    Layout like_;
    std::vector<RowStep> steps_;
};

} // namespace tessera::ops
