// SPDX-License-Identifier: Apache-2.0
// Kept: what executions of the same problems on several machines have in common. Data and oracles are functions of what
// is compared here and by Oracle::answers; machines that choose other layouts get their own.
#pragma once

#include <memory>
#include <vector>

#include "core/desc/memory_desc.hpp"
#include "trial/experiment_data.hpp"
#include "trial/oracle.hpp"

namespace tessera {

// A tensor's buffer of hostile data.
struct HostileFill {
    MemoryDesc md;
    size_t bytes;
    uint64_t seed;
    Values values;
    bool zero_padding;
    bool operator==(const HostileFill&) const = default;

    void write(uint8_t* to) const;
};

class Kept {
public:
    void write(uint8_t* to, const HostileFill& fill); // as fill.write does; the bytes are made once
    // The one of these bytes; made of them if there is none yet.
    const Oracle& oracle(const Problem& problem, const Oracle::BufferOf& buffer_of, std::vector<GuardedBuffer> before);

private:
    std::vector<std::pair<HostileFill, std::vector<uint8_t>>> fills_;
    std::vector<std::unique_ptr<Oracle>> oracles_;
};

} // namespace tessera
