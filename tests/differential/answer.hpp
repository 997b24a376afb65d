// SPDX-License-Identifier: Apache-2.0
// The words of a worker's answer (execute.hpp), and the one engine and stream they come from.
// Example: answer_of(to, hash(before), true) == "ok 85944171f73967e8 f7b4a9c2e2a3ab10 0000803f".
#pragma once
#include <cstdint>
#include <string>

#include "oneapi/dnnl/dnnl.h"
#include "work/data.hpp"

namespace differential {

struct Cpu {
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    Cpu();
};

const Cpu& cpu();
std::string refused(const char* stage, dnnl_status_t status);
uint64_t hash(Buffer& buffer);
std::string answer_of(Buffer& dst, uint64_t hash_before, bool with_bytes);

} // namespace differential
