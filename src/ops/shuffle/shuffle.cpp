// SPDX-License-Identifier: Apache-2.0
#include "ops/shuffle/shuffle.hpp"

namespace tessera::ops {

namespace {

// Both sides in one, where they agree.
std::vector<VerboseToken> tokens(const Problem& p) {
    if (p.tensors[0].md != p.tensors[1].md) return {};
    return {{"data", p.tensors[0].arg}};
}

} // namespace

constinit const Row shuffle_row = {
    .kind = PrimitiveKind::shuffle,
    .lower = lower_shuffle,
    .ref = ref_shuffle,
    .has_prop = true,
    .tokens = tokens,
};

} // namespace tessera::ops
