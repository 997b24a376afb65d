// SPDX-License-Identifier: Apache-2.0
// coalesce: the same function with as few modes as possible.
//
// Neighbouring modes (E, S) (e, s) with S == e * s become (E * e, s); modes of extent 1 are dropped, unless only one
// mode is left. Law: for all i in [0, extent): offset_in(coalesce(m), i) == offset_in(m, i); the extent is the same;
// there are not more modes.
//
//   [2:400 1:7 4:100 5:20]  ->  40:20
#pragma once

#include "core/layout/layout.hpp"

namespace tessera {

Modes coalesce(const Modes& modes);
Layout coalesce(const Layout& layout);

} // namespace tessera
