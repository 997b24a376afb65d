// SPDX-License-Identifier: Apache-2.0
// Descriptors, attributes, and primitive descriptors of the public API from a problem line; and the same as a Problem.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "line/problem_line.hpp"

namespace tessera {

// `whole`: the descriptor of the buffer; a view shares that of its parent.
struct MadeTensor {
    MemoryDesc md, whole;
};
struct LineTensors {
    std::vector<MadeTensor> srcs;
    MadeTensor dst;
};
enum class RuntimeDims { open, filled }; // wildcards as in the line, or the extents of the execution
Result<LineTensors> make_tensors(const ProblemLine& line, RuntimeDims dims);

// Output scales of the older interface, as many as the mask asks for; none without the option.
int64_t output_scale_count(const ProblemLine& line);
Result<dnnl::primitive_attr> make_attr(const ProblemLine& line, const std::vector<float>& output_scales);

dnnl::memory::desc wrap(const MemoryDesc& md);
// Throws dnnl::error.
dnnl::primitive_desc_base make_primitive_desc(const ProblemLine& line, const LineTensors& tensors,
                                              const dnnl::engine& engine, const dnnl::primitive_attr& attr);
Result<Problem> make_problem(const ProblemLine& line, const LineTensors& tensors, const dnnl::primitive_attr& attr);

// What a call of the public API throws, as a refusal.
template <typename F> Result<void> outcome(F&& work) {
    try {
        work();
        return {};
    } catch (const dnnl::error& e) {
        return Refusal(Error{Status(e.status), e.what()});
    } catch (const std::bad_alloc&) { return out_of_memory("the buffers of this problem do not fit into memory"); }
}

} // namespace tessera
