// SPDX-License-Identifier: Apache-2.0
// Two libraries of one interface within one process: the calls of dnnl.h go to the one that is in use.
//
//   const Library ours("build/libdnnl.so.3"), peer("build/peer/venv-3.2/lib/libdnnl.so.3");
//   peer.use();                       // from here on dnnl_memory_create() and cpu() are the peer's
//
// Each entry point of the headers is defined here as a jump through a slot; use() fills the slots. An entry point that
// a library lacks returns dnnl_unimplemented. What one library made, it alone may be given: an object's calls, its
// destruction included, belong between use() of its library and use() of the other.
#pragma once
#include <string>
#include <vector>

#include "tests/differential/answer.hpp"

namespace hunt {

class Library {
public:
    explicit Library(const std::string& path); // throws std::runtime_error
    void use() const;

private:
    std::vector<void*> entry_points_;
    differential::Cpu cpu_;
};

} // namespace hunt
