// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"
#include "generate.hpp"
#include "random.hpp"

namespace differential {
namespace {

// A tensor of the dims in `mask`, as the second operand of a post-op.
PostOp binary_post_op(Random& random, const Side& dst) {
    static const std::vector<std::string> kinds = {"add", "mul", "max", "min", "sub", "div", "ge", "lt", "ne"};
    static const std::vector<std::string> operands = {"f32", "f32", "bf16", "s8", "u8", "s32"};
    const size_t rank = dst.dims.size();
    const int full = (1 << rank) - 1;
    const std::vector<int> masks = {0, 2, full, int(random.below(1u << rank))};
    PostOp op{random.pick(kinds), double(random.pick(masks) & full), 0, random.pick(operands), ""};
    if (random.one_in(8)) op.kind = "select";
    if (int(op.first) == full && random.one_in(2)) op.tag = random.one_in(2) ? "any" : dst.tag;
    return op;
}

PostOp eltwise_post_op(Random& random) {
    static const std::vector<PostOp> all = {
        {"relu", 0, 0, "", ""},         {"relu", .5, 0, "", ""},    {"tanh", 0, 0, "", ""},
        {"elu", 1, 0, "", ""},          {"square", 0, 0, "", ""},   {"abs", 0, 0, "", ""},
        {"linear", 2, 1, "", ""},       {"logistic", 0, 0, "", ""}, {"clip", -4, 4, "", ""},
        {"hardswish", .25, .5, "", ""}, {"swish", 1, 0, "", ""},    {"gelu_erf", 0, 0, "", ""},
        {"exp", 0, 0, "", ""},          {"round", 0, 0, "", ""},    {"mish", 0, 0, "", ""},
        {"gelu_tanh", 0, 0, "", ""}};
    return random.pick(all);
}

} // namespace

void Generator::add_post_ops(Random& random, Problem& p, bool binary_only) const {
    const uint64_t n = random.one_in(12) ? 5 : 1 + random.below(2);
    for (uint64_t i = 0; i < n; ++i) {
        const uint64_t choice = binary_only ? 60 + random.below(41) : random.below(101);
        static constexpr double scales[] = {1, 1, .5, 2, -1};
        if (choice < 30)
            p.post_ops.push_back({"sum", random.pick(scales), 0, "", ""});
        else if (choice < 60)
            p.post_ops.push_back(eltwise_post_op(random));
        else if (choice < 100)
            p.post_ops.push_back(binary_post_op(random, p.dst));
        else // refused where sums, other types or prelu have no place
            p.post_ops.push_back(random.one_in(2) ? PostOp{"prelu", 2, 0, "", ""} : PostOp{"sum", 1, 1, "s8", ""});
    }
}

} // namespace differential
