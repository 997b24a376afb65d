// SPDX-License-Identifier: Apache-2.0
// What every part needs of the library: one engine, one stream, tensors in row-major order, and conversions.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace digits {

using dnnl::memory;
using Type = memory::data_type;
using Arguments = std::unordered_map<int, memory>;

const dnnl::engine& cpu();
dnnl::stream& stream();

memory::desc rows_of(const memory::dims& dims, Type type); // row-major
memory::desc any(const memory::dims& dims, Type type);     // whatever layout the library likes
memory tensor(const memory::desc& desc);
memory tensor(const memory::dims& dims, Type type);
memory tensor(const std::vector<float>& values); // f32, of one dimension

std::span<float> floats(const memory& f32); // of a row-major tensor
void convert(const memory& from, const memory& to);

// A tensor in the type and layout that a primitive wants; the tensor itself where it has both already.
class Converted {
public:
    Converted() = default;
    Converted(const memory& from, const memory::desc& to);
    void update(); // after `from` has changed
    const memory& get() const { return to_; }

private:
    memory from_, to_;
    dnnl::reorder reorder_; // empty: none is needed
};

} // namespace digits
