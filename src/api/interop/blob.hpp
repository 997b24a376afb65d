// SPDX-License-Identifier: Apache-2.0
// Cache blobs (CCH-03): compiled kernels of a device, for the caller to keep. The engine knows what is in them; here
// they get two lines in front: the version of the library, and the problem that they were compiled for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine.hpp"
#include "core/problem/problem.hpp"

namespace tessera {

// Blobs fit where this is the same; `kernels_id` is the engine's.
std::vector<uint8_t> blob_id(std::span<const uint8_t> kernels_id);
// Of one executable and its problem, or, with null for both, of all that the engine has compiled.
Result<std::vector<uint8_t>> blob_of(const Engine& engine, const Executable* executable, const Problem* problem);
// Refuses a blob of another version, problem, device or driver, and a damaged one.
Result<void> add_blob(const Engine& engine, std::span<const uint8_t> blob, const Problem* problem);

// The two calls of the C interface: with `to` null the number of bytes, then the bytes.
Result<void> hand_out(std::span<const uint8_t> bytes, size_t* size, uint8_t* to);

} // namespace tessera
