// SPDX-License-Identifier: Apache-2.0
// Memory that an execution cannot reach where it is: host scalars, and one side of a reorder between engines. It has a
// place on the engine of the primitive while that runs, but for scalars that the engine takes from the host.
//
//   Staged staged(engine);
//   auto place = staged.add(memory, bytes, written);  // its contents are there
//   ... run, and wait if anything_written() ...
//   staged.finish();                                  // what was written, at its memory again
#pragma once

#include <vector>

#include "api/objects/handles.hpp"

namespace tessera {

class Staged {
public:
    explicit Staged(const Engine& on) : here_(on.memory()) {}
    // What is queued on the memory's own device must have ended.
    Result<DeviceBuffer> add(const dnnl_memory& memory, size_t bytes, bool written);
    bool anything_written() const;
    Result<void> finish() const; // the primitive must have ended

private:
    struct Place {
        const dnnl_memory* memory;
        std::shared_ptr<void> host, device; // null: the memory is on the host; the primitive runs there
        void* on_host;
        size_t bytes;
        bool written;
    };
    DeviceMemory* const here_; // null: the host
    std::vector<Place> places_;
};

} // namespace tessera
