#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "row.hpp"

namespace differential {
namespace {

void generate(const Generator&, Random&, Problem& p) { p.src.dims = {1, 1, 2, 8, 8, 8, 8}; }

} // namespace

constinit const Row rnn_row = {.name = "rnn", .directed = true, .has_algorithm = true, .generate = generate};

} // namespace differential
