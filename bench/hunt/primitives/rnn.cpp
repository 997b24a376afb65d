#include "../realistic.hpp"

namespace hunt {

void rnn_habit(Random&, Problem& p) { p.src.dims = {1, 1, 2, 8, 8, 8, 8}; }

} // namespace hunt
