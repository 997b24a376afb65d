// SPDX-License-Identifier: Apache-2.0
// Cache blobs (CCH-03): compiled kernels of a device, for the caller to keep. The engine knows what is in them; here
// they get the version of the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine.hpp"

namespace tessera {

// Blobs fit where this is the same; `kernels_id` is the engine's.
std::vector<uint8_t> blob_id(std::span<const uint8_t> kernels_id);
Result<std::vector<uint8_t>> blob_of(const Engine& engine, const Executable* executable); // null: of all
Result<void> add_blob(const Engine& engine, std::span<const uint8_t> blob);

// The two calls of the C interface: with `to` null the number of bytes, then the bytes.
Result<void> hand_out(std::span<const uint8_t> bytes, size_t* size, uint8_t* to);

} // namespace tessera
