#include <algorithm>

#include "../pointwise.hpp"
#include "generate.hpp"
#include "random.hpp"
#include "vary.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

bool whole(const std::string& t) { return type(t)->kind != Kind::floating; }

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

std::string Generator::pointwise_tag(Random& random, size_t rank) const {
    if (rank == 4 && random.percent(60))
        return random.pick(std::vector<std::string>{"abcd", "acdb", "aBcd16b", "aBcd8b"});
    return tag(random, rank);
}

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
    vary_layout(random, p.src, false);
    p.dst = p.src;
    if (random.one_in(8)) p.dst = {p.src.type, "any", p.src.dims, {}, {}, {}};
    if (random.percent(p.direction == "BWD_D" ? 2 : 20)) add_post_ops(random, p, !random.one_in(10));
    p.in_place = p.dst.tag == p.src.tag && random.one_in(8);
    p.user_scratchpad = random.one_in(8);
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
    if (random.one_in(10)) p.algorithm = "select";
    if (p.algorithm == "select" && random.percent(95)) p.other.dims = p.src.dims = p.dst.dims;
    if (random.one_in(3)) add_post_ops(random, p, false);
    if (random.one_in(3)) vary_layout(random, p.src, p.algorithm != "select");
    if (random.one_in(3)) vary_layout(random, p.other, true);
    if (random.one_in(3) && p.dst.tag != "any") vary_layout(random, p.dst, false);
    const bool dense = p.src.parent.empty() && p.dst.parent.empty() && !p.src.tag.empty();
    const bool alike = dense && p.dst.tag == p.src.tag && p.dst.type == p.src.type && p.dst.dims == p.src.dims;
    p.in_place = alike && random.one_in(6);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(8);
    if (random.one_in(4)) {
        if (random.percent(70)) p.scales.push_back({"src", 0, "", {}});
        if (random.percent(60)) p.scales.push_back({"src1", 0, "", {}});
        if (random.one_in(20)) p.scales.push_back({"dst", 0, "", {}});
        if (random.one_in(30) && !p.scales.empty()) p.scales[0].mask = 2;
        p.seed &= ~uint64_t(1); // a rounded product decides a comparison
    }
}

void Generator::prelu(Random& random, Problem& p) const {
    p.primitive = "prelu";
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD", "BWD"});
    const bool mixed = random.one_in(4);
    p.src.type = p.dst.type = random.pick(types);
    p.other.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(random.one_in(10) ? 6 : 5);
    p.src.tag = pointwise_tag(random, rank);
    p.other.tag = random.percent(50) ? "any" : random.one_in(2) ? p.src.tag : pointwise_tag(random, rank);
    p.dst.tag = random.percent(75) ? p.src.tag : random.percent(90) ? "any" : pointwise_tag(random, rank);
    p.src.dims = p.other.dims = dims(random, {p.src.tag, p.other.tag, p.dst.tag}, rank);
    p.dst.dims = p.src.dims;
    const uint64_t mask = random.one_in(3) ? 2 : random.below(1u << rank);
    for (size_t d = 0; d < rank; ++d)
        if (!(mask >> d & 1)) p.other.dims[d] = 1;
    if (random.one_in(30)) p.other.dims[random.below(rank)] += 1;
    if (is_backward(p) && random.one_in(2)) p.want = "diff_weights";
    const bool alike = p.dst.tag == p.src.tag;
    if (random.one_in(3)) vary_layout(random, p.src, false);
    if (random.one_in(3) && p.other.tag != "any") vary_layout(random, p.other, false);
    p.in_place = !is_backward(p) && alike && p.src.parent.empty() && !p.src.tag.empty() && random.one_in(10);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(8);
}

} // namespace differential
