// SPDX-License-Identifier: Apache-2.0
// Implementation: a problem with its plan and executable. Made once for equal problems, shared by their primitive
// descriptors and primitives (CCH-01).
//
//   find_implementation(problem, engine):  the cache, else  lower -> Plan -> compile -> Executable
//
// A problem with run-time dims has neither plan nor executable; execution makes an implementation for the dims of the
// memory objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/problem/problem.hpp"

namespace tessera {

struct Implementation {
    // An argument that execution must be given: a tensor or, if `quant` is not negative, quants[quant].
    struct Slot {
        int arg;
        int tensor = -1, quant = -1;
        int in_place = -1; // of an input: the output (a tensor) that may have its buffer, see written_over()
    };

    explicit Implementation(std::shared_ptr<const Problem> p)
        : shared_problem(std::move(p)), problem(*shared_problem) {}

    const std::shared_ptr<const Problem> shared_problem; // shared with the key in the cache
    const Problem& problem;
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const Executable> executable;
    std::string name; // impl_info_str
    EngineKind engine = EngineKind::cpu;
    std::vector<QuantArg> quants;
    std::vector<MemoryDesc> quant_mds; // answers to dnnl_query_exec_arg_md, one for each of quants
    std::vector<Slot> slots;           // first those of the tensors, in their order
    std::vector<int> slot_of_operand;  // of the plan; -1 for constants
    bool nothing_to_do = false;        // no output has elements
    std::vector<uint8_t> blob_id;      // CCH-03: of engines that keep their kernels
    double creation_ms = 0;
    mutable std::atomic<bool> used{false}; // by a primitive: further ones are logged as cache hits (CCH-02)
};

using ImplementationPtr = std::shared_ptr<const Implementation>;

Result<ImplementationPtr> find_implementation(Problem&& problem, const Engine& engine);

// Drops the cache's entries of an engine that is destroyed: they would keep its context alive.
void forget_implementations(const Engine& engine);

int cache_capacity();
void set_cache_capacity(int capacity);
int cache_size();

} // namespace tessera
