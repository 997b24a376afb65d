#include <algorithm>

#include "generate.hpp"
#include "pointwise.hpp"
#include "random.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

bool whole(const std::string& t) { return type(t)->kind != Kind::floating; }

// A tensor of the dims in `mask`, as the second operand of a post-op; exact comparisons would make a rounding a 1.
PostOp post_op(Random& random, size_t rank) {
    static const std::vector<std::string> kinds = {"add", "mul", "max", "min", "sub", "div"};
    static const std::vector<std::string> operands = {"f32", "f32", "bf16", "s8", "u8", "s32"};
    const std::vector<int> masks = {0, 2, (1 << rank) - 1, int(random.below(1u << rank))};
    return {random.pick(kinds), double(random.pick(masks) & ((1 << rank) - 1)), 0, random.pick(operands)};
}

} // namespace

std::string Generator::pointwise_tag(Random& random, size_t rank) const {
    if (rank == 4 && random.percent(60))
        return random.pick(std::vector<std::string>{"abcd", "acdb", "aBcd16b", "aBcd8b"});
    return tag(random, rank);
}

void Generator::eltwise(Random& random, Problem& p) const {
    p.primitive = "eltwise";
    p.algorithm = random.pick(eltwise_algorithms()).name;
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD_D"});
    p.src.type = random.pick(types);
    if (whole(p.src.type) && random.percent(85)) {
        p.algorithm = random.pick(std::vector<std::string>{"relu", "linear", "clip"});
        p.direction = random.one_in(20) ? "BWD_D" : "FWD_D";
    }
    static constexpr double numbers[] = {0, 0, 1, .5, -.5, .25, 2, -1, .125, 3, -2, 1.5};
    p.alpha = random.pick(numbers);
    p.beta = random.pick(numbers);
    if (p.algorithm == "soft_relu" && p.alpha == 0) p.alpha = 1; // 0/0 (ELT-30)
    if (p.algorithm.rfind("clip", 0) == 0 && p.beta < p.alpha && !random.one_in(10)) std::swap(p.alpha, p.beta);
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    p.src.tag = pointwise_tag(random, rank);
    p.src.dims = dims(random, {p.src.tag}, rank);
    p.dst = p.src;
    if (random.one_in(8)) p.dst.tag = "any";
    if (random.percent(p.direction == "BWD_D" ? 2 : 20)) p.post_ops.push_back(post_op(random, rank));
    p.special = random.one_in(8);
}

void Generator::binary(Random& random, Problem& p) const {
    p.primitive = "binary";
    p.algorithm = random.pick(binary_algorithms()).name;
    const bool mixed = random.one_in(2);
    p.src.type = random.pick(types);
    p.other.type = mixed ? random.pick(types) : p.src.type;
    p.dst.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    p.src.tag = pointwise_tag(random, rank);
    p.other.tag = random.percent(70) ? p.src.tag : pointwise_tag(random, rank);
    p.dst.tag = random.percent(80) ? p.src.tag : random.one_in(2) ? "any" : pointwise_tag(random, rank);
    p.dst.dims = dims(random, {p.src.tag, p.other.tag, p.dst.tag}, rank);
    p.src.dims = p.other.dims = p.dst.dims;
    const bool by_channel = random.one_in(3), by_dim = random.one_in(3), left_too = random.one_in(5);
    for (size_t d = 0; d < rank && p.dst.dims[d] > 0; ++d) {
        if (by_channel ? d != 1 : by_dim && random.one_in(2)) p.other.dims[d] = 1;
        if (left_too && random.one_in(3)) p.src.dims[d] = 1;
        p.dst.dims[d] = std::max(p.src.dims[d], p.other.dims[d]);
    }
    if (random.one_in(30)) p.other.dims[random.below(rank)] += 1;
    if (random.one_in(10)) p.post_ops.push_back(post_op(random, rank));
    p.special = random.one_in(8);
}

} // namespace differential
