#include "ops/rnn/rnn.hpp"
namespace tessera::ops {
void ref_rnn(const Problem&, const Buffers&) {}
} // namespace tessera::ops
