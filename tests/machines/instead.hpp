// SPDX-License-Identifier: Apache-2.0
// interpret_what_cannot_run: kernels whose instructions this processor lacks become a jump into the interpreter of
// vcode; all others are emitted as ever. What cannot be emitted cannot be interpreted either.
#pragma once

namespace tessera {

void interpret_what_cannot_run();

} // namespace tessera
