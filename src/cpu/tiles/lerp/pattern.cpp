#include "cpu/tiles/lerp/pattern.hpp"

#include <algorithm>

namespace tessera::cpu {

namespace {

class Matcher {
public:
    Matcher(const Plan& plan, const Program& program) : plan_(plan), program_(program) {}

    std::optional<LerpPattern> match() {
        std::vector<int> member_of(program_.ops.size(), -1);
        for (size_t v = 0; v < program_.ops.size(); ++v) {
            LerpPattern one;
            if (!is_lerp(program_.ops[v], one)) continue;
            if (pattern_.members.empty())
                pattern_ = one;
            else if (one.weight != pattern_.weight || one.left_same != pattern_.left_same ||
                     one.right_same != pattern_.right_same)
                return {};
            else
                pattern_.members.push_back(one.members[0]);
            member_of[v] = int(pattern_.members.size()) - 1;
        }
        if (pattern_.members.empty()) return {};
        make_rest(member_of);
        return std::move(pattern_);
    }

private:
    const Op& op(int value) const { return program_.ops[size_t(value)]; }
    bool is_constant(const Op& o) const {
        return o.code == OpCode::load && plan_.operands[size_t(o.operand)].constant >= 0;
    }
    // 1 - a weight; which operand's.
    int complement_of(const Op& o) const {
        if (o.code != OpCode::sub || o.type != ValueType::f32 || op(o.a).code != OpCode::constant ||
            op(o.a).constant != 1 || !is_constant(op(o.b)))
            return -1;
        return op(o.b).operand;
    }
    bool is_lerp(const Op& sum, LerpPattern& found) const {
        if (sum.code != OpCode::fma || sum.type != ValueType::f32) return false;
        const Op &right = op(sum.b), &product = op(sum.c);
        if (right.code != OpCode::load || product.code != OpCode::mul) return false;
        const Op& left = op(product.b);
        if (left.code != OpCode::load || left.operand == right.operand) return false;
        const Operand &l = plan_.operands[size_t(left.operand)], &r = plan_.operands[size_t(right.operand)];
        if (l.arg != r.arg || l.type != r.type || l.bytes != r.bytes || l.constant >= 0 || r.constant >= 0)
            return false;
        found.members = {{left.operand, right.operand}};
        const Op &a = op(sum.a), &b = op(product.a);
        if (a.code == OpCode::constant && b.code == OpCode::constant) {
            found.right_same = float(a.constant), found.left_same = float(b.constant);
            return true;
        }
        found.weight = a.operand;
        return is_constant(a) && complement_of(b) == a.operand;
    }

    void make_rest(const std::vector<int>& member_of) {
        Program& rest = pattern_.rest;
        std::vector<int> value(program_.ops.size(), -1);
        for (size_t v = 0; v < program_.ops.size(); ++v) {
            Op o = program_.ops[v];
            if (member_of[v] >= 0) {
                value[v] = rest.load(pattern_.members[size_t(member_of[v])].left, ValueType::f32);
                continue;
            }
            const int weight = complement_of(o);
            if (const size_t k = pattern_.complements.size();
                weight >= 0 && weight != pattern_.weight && k < pattern_.members.size()) {
                pattern_.complements.push_back({pattern_.members[k].right, weight});
                value[v] = rest.load(pattern_.members[k].right, ValueType::f32);
                continue;
            }
            for (int* argument : {&o.a, &o.b, &o.c})
                if (*argument >= 0) *argument = value[size_t(*argument)];
            rest.ops.push_back(o);
            value[v] = int(rest.ops.size()) - 1;
        }
        rest = simplify(rest); // without the loads of members
    }

    const Plan& plan_;
    const Program& program_;
    LerpPattern pattern_;
};

} // namespace

std::optional<LerpPattern> lerp_pattern(const Plan& plan, const Program& program) {
    return Matcher(plan, program).match();
}

} // namespace tessera::cpu
