// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, forward and backward: all cells, directions and options. The gradients of those with attention, and
// without src_iter, are left out: oneDNN 3.13 has others than the derivatives.
#include "rnn.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "row.hpp"

namespace differential {

using Names = std::vector<std::string>;

Cell::Cell(const Problem& p) {
    std::stringstream in(p.algorithm);
    for (std::string word; std::getline(in, word, '.');) words.push_back(word);
    if (words.empty()) words.emplace_back();
    Dims d = p.src.dims;
    d.resize(7, 1);
    layers = d[0], steps = d[1], batch = d[2], sic = d[3], slc = d[4], dhc = d[5], dic = d[6];
    directions = has("concat") || has("sum") ? 2 : 1;
    gates = is("rnn") ? 1 : is("lstm") ? 4 : 3;
}

bool Cell::has(const std::string& word) const { return std::find(words.begin(), words.end(), word) != words.end(); }

namespace {

// Numbers of DNNL_ARG_*; gradients are these and 128.
std::vector<CellTensor> sources(const Cell& c) {
    const int64_t l = c.layers, d = c.directions, n = c.batch;
    std::vector<CellTensor> all{{"src_layer", 1, {c.steps, n, c.slc}}};
    if (!c.has("no_src_iter")) all.push_back({"src_iter", 2, {l, d, n, c.sic}});
    if (!c.has("no_src_iter") && c.is("lstm")) all.push_back({"src_iter_c", 3, {l, d, n, c.dhc}});
    if (c.has_attention()) all.push_back({"attention", 4, {c.steps, n, 1}});
    all.push_back({"weights_layer", 33, {l, d, c.slc, c.gates, c.dhc}});
    all.push_back({"weights_iter", 34, {l, d, c.sic, c.gates, c.dhc}});
    if (c.has("peephole")) all.push_back({"weights_peephole", 35, {l, d, 3, c.dhc}});
    if (c.has("projection")) all.push_back({"weights_projection", 36, {l, d, c.dhc, c.dic}});
    all.push_back({"bias", 41, {l, d, c.gates + c.is_lbr(), c.dhc}});
    return all;
}

std::vector<CellTensor> results(const Cell& c) {
    std::vector<CellTensor> all{{"dst_layer", 17, {c.steps, c.batch, c.dic * (c.has("concat") ? 2 : 1)}}};
    if (c.has("no_dst_iter")) return all;
    all.push_back({"dst_iter", 18, {c.layers, c.directions, c.batch, c.dic}});
    if (c.is("lstm")) all.push_back({"dst_iter_c", 19, {c.layers, c.directions, c.batch, c.dhc}});
    return all;
}

std::vector<CellTensor> gradients(std::vector<CellTensor> all) {
    for (CellTensor& t : all) t.name = "diff_" + t.name, t.argument += 128;
    return all;
}

} // namespace

std::vector<CellTensor> cell_inputs(const Problem& p) {
    const Cell c(p);
    std::vector<CellTensor> all = sources(c);
    if (!is_backward(p)) return all;
    for (const auto& more : {results(c), gradients(results(c))}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::vector<CellTensor> cell_outputs(const Problem& p) {
    const Cell c(p);
    std::vector<CellTensor> all = is_backward(p) ? gradients(sources(c)) : results(c);
    for (CellTensor& t : all)
        if (t.name == p.want) std::swap(t, all[0]);
    return all;
}

namespace {

// ---- the formula, on a tape: each number knows what it was made of, so gradients are the chain rule alone

struct Tape {
    struct Node {
        double value;
        int a = -1, b = -1;
        double by_a = 0, by_b = 0; // partial derivatives
    };
    std::vector<Node> nodes;
    const char* type = "f32"; // of states

    int put(double value, int a = -1, double by_a = 0, int b = -1, double by_b = 0) {
        nodes.push_back({value, a, b, by_a, by_b});
        return int(nodes.size()) - 1;
    }
    double at(int x) const { return nodes[size_t(x)].value; }
    int add(int x, int y) { return put(at(x) + at(y), x, 1, y, 1); }
    int mul(int x, int y) { return put(at(x) * at(y), x, at(y), y, at(x)); }
    int rest(int x) { return put(1 - at(x), x, -1); } // of 1
    int logistic(int x) {
        const double y = 1 / (1 + std::exp(-at(x)));
        return put(y, x, y * (1 - y));
    }
    int tanh(int x) {
        const double y = std::tanh(at(x));
        return put(y, x, 1 - y * y);
    }
    int relu(int x, double slope) { return put(at(x) > 0 ? at(x) : slope * at(x), x, at(x) > 0 ? 1 : slope); }
    int state(int x) { // to nearest, as types of 16 bits have it
        if (std::string(type) == "f32" || at(x) == 0) return x;
        const int digits = std::string(type) == "bf16" ? 8 : 11;
        int exponent = 0;
        std::frexp(at(x), &exponent);
        const double unit = std::ldexp(1.0, exponent - digits);
        return put(std::nearbyint(at(x) / unit) * unit, x, 1);
    }
    std::vector<double> gradient(const std::map<int, double>& of_results) const {
        std::vector<double> g(nodes.size(), 0);
        for (const auto& [node, value] : of_results) g[size_t(node)] += value;
        for (size_t i = nodes.size(); i-- > 0;) {
            const Node& n = nodes[i];
            if (n.a >= 0) g[size_t(n.a)] += g[i] * n.by_a;
            if (n.b >= 0) g[size_t(n.b)] += g[i] * n.by_b;
        }
        return g;
    }
};

using Nodes = std::vector<int>;

struct Run {
    const Cell& c;
    Tape& tape;
    double alpha;
    std::map<std::string, Nodes> nodes; // of the inputs and of the results, in logical order

    int in(const std::string& name, int64_t i) { return nodes.at(name)[size_t(i)]; }
    bool has(const std::string& name) const { return nodes.count(name) > 0; }

    int product(const std::string& weights, int64_t ld, int64_t gate, int64_t j, const Nodes& x) {
        int sum = tape.put(0);
        for (size_t k = 0; k < x.size(); ++k)
            sum = tape.add(
                sum, tape.mul(x[k], in(weights, ((ld * int64_t(x.size()) + int64_t(k)) * c.gates + gate) * c.dhc + j)));
        return sum;
    }
    int bias(int64_t ld, int64_t gate, int64_t j) {
        return in("bias", (ld * (c.gates + c.is_lbr()) + gate) * c.dhc + j);
    }
    int peephole(int64_t ld, int64_t which, int64_t j, int sum, int state) {
        if (!has("weights_peephole")) return sum;
        return tape.add(sum, tape.mul(in("weights_peephole", (ld * 3 + which) * c.dhc + j), state));
    }

    // One row of one step: h' of it, and c' in `memory`.
    Nodes step(int64_t ld, const Nodes& x, const Nodes& h, Nodes& memory, int attention) {
        const auto sum = [&](int64_t g, int64_t j) {
            return tape.add(tape.add(product("weights_layer", ld, g, j, x), bias(ld, g, j)),
                            product("weights_iter", ld, g, j, h));
        };
        Nodes out;
        if (c.is("rnn"))
            for (int64_t j = 0; j < c.dhc; ++j) {
                const int a = sum(0, j);
                out.push_back(c.has("relu")       ? tape.relu(a, alpha)
                              : c.has("logistic") ? tape.logistic(a)
                                                  : tape.tanh(a));
            }
        else if (c.is("lstm"))
            for (int64_t j = 0; j < c.dhc; ++j) {
                int& state = memory[size_t(j)];
                const int i = tape.logistic(peephole(ld, 0, j, sum(0, j), state));
                const int f = tape.logistic(peephole(ld, 1, j, sum(1, j), state));
                state = tape.add(tape.mul(f, state), tape.mul(i, tape.tanh(sum(2, j))));
                out.push_back(tape.mul(tape.logistic(peephole(ld, 3 - 1, j, sum(3, j), state)), tape.tanh(state)));
            }
        else {
            Nodes u, r, reset;
            for (int64_t j = 0; j < c.dhc; ++j) {
                u.push_back(tape.logistic(sum(0, j)));
                r.push_back(tape.logistic(sum(1, j)));
                if (attention >= 0) u.back() = tape.mul(tape.rest(attention), u.back());
            }
            for (int64_t j = 0; j < c.dhc; ++j) reset.push_back(tape.state(tape.mul(r[size_t(j)], h[size_t(j)])));
            for (int64_t j = 0; j < c.dhc; ++j) {
                const int of_layer = tape.add(product("weights_layer", ld, 2, j, x), bias(ld, 2, j));
                const int of_state =
                    c.is_lbr() ? tape.mul(r[size_t(j)], tape.add(product("weights_iter", ld, 2, j, h), bias(ld, 3, j)))
                               : product("weights_iter", ld, 2, j, reset);
                const int o = tape.tanh(tape.add(of_layer, of_state));
                out.push_back(tape.add(tape.mul(u[size_t(j)], h[size_t(j)]), tape.mul(tape.rest(u[size_t(j)]), o)));
            }
        }
        if (has("weights_projection")) {
            Nodes projected;
            for (int64_t m = 0; m < c.dic; ++m) {
                int total = tape.put(0);
                for (int64_t j = 0; j < c.dhc; ++j)
                    total = tape.add(total, tape.mul(tape.state(out[size_t(j)]),
                                                     in("weights_projection", (ld * c.dhc + j) * c.dic + m)));
                projected.push_back(total);
            }
            out = projected;
        }
        for (int& y : out) y = tape.state(y);
        return out;
    }

    Nodes slice(const std::string& name, int64_t number, int64_t length) {
        Nodes row;
        for (int64_t i = 0; i < length; ++i) row.push_back(has(name) ? in(name, number * length + i) : tape.put(0));
        return row;
    }

    void all() {
        const int64_t rows = c.steps * c.batch;
        std::vector<std::vector<Nodes>> read(size_t(c.directions)), wrote;
        for (auto& rows_of : read)
            for (int64_t i = 0; i < rows; ++i) rows_of.push_back(slice("src_layer", i, c.slc));
        for (int64_t l = 0; l < c.layers; ++l, read = wrote) {
            wrote.assign(size_t(c.directions), std::vector<Nodes>(size_t(rows)));
            for (int64_t d = 0; d < c.directions; ++d)
                for (int64_t n = 0; n < c.batch; ++n) {
                    const int64_t ld = l * c.directions + d, state = ld * c.batch + n;
                    Nodes h = slice("src_iter", state, c.sic), memory = slice("src_iter_c", state, c.dhc);
                    for (int64_t i = 0; i < c.steps; ++i) {
                        const int64_t row = (c.reversed(d) ? c.steps - 1 - i : i) * c.batch + n;
                        h = step(ld, read[size_t(d)][size_t(row)], h, memory,
                                 c.has_attention() ? in("attention", row) : -1);
                        wrote[size_t(d)][size_t(row)] = h;
                    }
                    append("dst_iter", h), append("dst_iter_c", memory);
                }
        }
        for (int64_t i = 0; i < rows; ++i) {
            Nodes row = wrote[0][size_t(i)];
            const Nodes* second = c.directions == 2 ? &wrote[1][size_t(i)] : nullptr;
            if (second && c.has("sum"))
                for (size_t j = 0; j < row.size(); ++j) row[j] = tape.add(row[j], (*second)[j]);
            append("dst_layer", row);
            if (second && !c.has("sum")) append("dst_layer", *second);
        }
    }
    void append(const std::string& name, const Nodes& row) {
        nodes[name].insert(nodes[name].end(), row.begin(), row.end());
    }
};

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const Cell c(p);
    Tape tape;
    tape.type = p.src.type == "bf16" ? "bf16" : p.src.type == "f16" ? "f16" : "f32";
    Run run{c, tape, p.alpha, {}};
    const std::vector<CellTensor> names = cell_inputs(p);
    std::map<std::string, const Tensor*> given;
    for (size_t i = 0; i < names.size(); ++i) given[names[i].name] = &inputs[i];
    for (const CellTensor& t : sources(c))
        for (const double v : given.at(t.name)->values) run.nodes[t.name].push_back(tape.put(v));
    run.all();

    const std::string judged = cell_outputs(p)[0].name;
    const double digits = p.src.type == "f32" ? half_ulp : p.src.type == "bf16" ? 0x1p-8 : 0x1p-11;
    // Of a chain of so many roundings; of 16 bits only states are rounded, of f32 each of a gate's terms is.
    const auto terms = double(std::max({c.slc, c.sic, c.dhc}) + 8);
    const double chain = double(c.steps * c.layers + 1) * (p.src.type == "f32" ? terms : 2);
    std::vector<Expected> out;
    if (!is_backward(p)) {
        for (const int node : run.nodes[judged])
            out.push_back({tape.at(node), chain * digits * (1 + std::fabs(tape.at(node))), false});
        return out;
    }
    std::map<int, double> seeds;
    for (const CellTensor& t : results(c)) {
        const Tensor& g = *given.at("diff_" + t.name);
        for (size_t i = 0; i < g.values.size(); ++i) seeds[run.nodes[t.name][i]] += g.values[i];
    }
    const std::vector<double> gradient = tape.gradient(seeds);
    for (const int node : run.nodes[judged.substr(5)]) {
        const double value = gradient[size_t(node)];
        out.push_back({value, 4 * chain * double(c.steps * c.batch) * digits * (1 + std::fabs(value)), false});
    }
    return out;
}

void generate(const Generator&, Random& random, Problem& p) {
    p.direction = random.pick(Names{"FWD_D", "FWD_I", "FWD_I", "BWD", "BWD"});
    const bool backward = p.direction == "BWD";
    std::string alg = random.pick(Names{"rnn", "lstm", "lstm", "gru", "lbr_gru", "augru", "lbr_augru"});
    if (backward && (alg == "augru" || alg == "lbr_augru")) alg = "gru";
    const bool lstm = alg == "lstm", attention = alg == "augru" || alg == "lbr_augru";
    if (!attention) alg += "." + random.pick(Names{"left2right", "right2left", "concat", "sum"});
    if (alg.rfind("rnn", 0) == 0) alg += random.pick(Names{"", ".relu", ".logistic"});
    const bool projection = lstm && random.one_in(4);
    if (lstm && random.one_in(4)) alg += ".peephole";
    if (projection) alg += ".projection";
    if (backward) alg += ".overwrite";
    if (!backward && random.one_in(4)) alg += ".no_src_iter";
    if (random.one_in(4)) alg += ".no_dst_iter";
    p.algorithm = alg;
    const int64_t layers = attention || random.one_in(2) ? 1 : 2, steps = random.between(1, 4);
    const int64_t batch = random.between(1, 5), cell = random.between(1, 20);
    const int64_t state = projection ? random.between(1, 20) : cell;
    const int64_t layer = layers > 1 ? state : random.between(1, 20);
    p.src.dims = {layers, steps, batch, state, layer, cell, state};
    if (random.one_in(40)) p.src.dims[6] += 1; // refused
    p.src.type = backward ? "f32" : random.pick(Names{"f32", "f32", "bf16"});
    p.dst.type = p.src.type;
    p.src.tag = "abcdefg", p.dst.tag = "abc", p.other.tag = "a";
    p.dst.dims = results(Cell(p))[0].dims;
    const auto outputs = cell_outputs(p);
    const CellTensor& judged = outputs[random.below(outputs.size())];
    p.other.type = backward || judged.name == "dst_iter_c" ? "f32" : p.src.type;
    p.other.dims = judged.dims;
    if (judged.name != "dst_layer") p.want = judged.name;
    p.user_scratchpad = random.one_in(8);
}

} // namespace

constinit const Row rnn_row = {
    .name = "rnn",
    .directed = true,
    .has_algorithm = true,
    .has_other = true,
    .has_fractions = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
