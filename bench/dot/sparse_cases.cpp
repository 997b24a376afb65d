// SPDX-License-Identifier: Apache-2.0
// Products with a list of elements (CSR, COO). Reading is that of the lists and of both matrices, once; what an element
// multiplies comes from the caches again and again, which no limit of this benchmark knows.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "dot/cases.hpp"

namespace tessera::bench::dot {
namespace {

struct Sparse {
    bool is_src, csr;
    Named<Type> type;
    int64_t m, k, n;
    double density; // 0 to 1
    std::string dense = "ab", dst = "ab";

    int64_t rows() const { return is_src ? m : k; }
    int64_t columns() const { return is_src ? k : n; }
    double elements() const { return double(rows()) * double(columns()) * density; } // about
};

struct List {
    std::vector<int32_t> rows, columns, starts{0};
    std::vector<char> values;
    memory listed;
};

// Gaps between elements are random, rows alike.
std::shared_ptr<List> list_of(const Sparse& s) {
    const auto list = std::make_shared<List>();
    std::mt19937 random(1);
    std::geometric_distribution<int64_t> gap(s.density);
    for (int64_t r = 0; r < s.rows(); ++r) {
        for (int64_t c = gap(random); c < s.columns(); c += 1 + gap(random))
            list->rows.push_back(int32_t(r)), list->columns.push_back(int32_t(c));
        list->starts.push_back(int32_t(list->columns.size()));
    }
    const auto count = memory::dim(list->columns.size());
    const Type type = s.type.second;
    const Desc desc = s.csr ? Desc::csr({s.rows(), s.columns()}, type, count, Type::s32, Type::s32)
                            : Desc::coo({s.rows(), s.columns()}, type, count, Type::s32);
    const float one = 1;
    list->values.resize(desc.get_size());
    for (size_t i = 0; type == Type::f32 && i < list->values.size(); i += 4) std::memcpy(&list->values[i], &one, 4);
    for (size_t i = 0; type == Type::f16 && i < list->values.size(); i += 2) list->values[i + 1] = 0x3c; // 1
    list->listed = s.csr ? memory(desc, engine(), {list->values.data(), list->columns.data(), list->starts.data()})
                         : memory(desc, engine(), {list->values.data(), list->rows.data(), list->columns.data()});
    return list;
}

Work make(const Sparse& s) {
    const auto* v = dnnl_version();
    if (v->major * 100 + v->minor < 306) throw dnnl::error(dnnl_unimplemented, "no lists before version 3.6");
    const auto list = list_of(s);
    const auto matrix = [&](int64_t rows, int64_t columns, const std::string& tag) {
        return Desc({rows, columns}, s.type.second, tag == "ab" ? Tag::ab : Tag::ba);
    };
    const Desc dense = s.is_src ? matrix(s.k, s.n, s.dense) : matrix(s.m, s.k, s.dense), dst = matrix(s.m, s.n, s.dst),
               listed = list->listed.get_desc();
    const dnnl::matmul::primitive_desc desc(engine(), s.is_src ? listed : dense, s.is_src ? dense : listed, dst);
    Work work = run_on(dnnl::matmul(desc), {{s.is_src ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS, listed, false, list->listed},
                                            {s.is_src ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC, dense},
                                            {DNNL_ARG_DST, dst, true}});
    work.bytes = int64_t(list->values.size() + 4 * (list->columns.size() + (s.csr ? list->starts : list->rows).size()) +
                         dense.get_size() + dst.get_size());
    work.run = [list, run = std::move(work.run)] { run(); };
    return work;
}

Case sparse_case(const Sparse& s) {
    const std::string name =
        fmt::format("{} {} {} {}:{} {}x{}x{} {:g}%", s.csr ? "csr" : "coo", s.is_src ? "src" : "weights", s.type.first,
                    s.dense, s.dst, s.m, s.k, s.n, 100 * s.density);
    return {
        "sparse", name, kind_of({s.type, s.type, s.type}), 2 * s.elements() * double(s.is_src ? s.n : s.m), {}, [s] {
            return make(s);
        }};
}

} // namespace

std::vector<Case> sparse_cases() {
    std::vector<Case> cases;
    constexpr int64_t side = 4096;
    for (const Named<Type>& type : {f32, f16})
        for (const bool csr : {true, false})
            for (const double density : {0.01, 0.1})
                for (const int64_t columns : {1, 4, 16, 17, 64, 256, 1024}) {
                    if (columns == 1024 && density > 0.01) continue;
                    cases.push_back(sparse_case({true, csr, type, side, side, columns, density}));
                    cases.push_back(sparse_case({false, csr, type, columns, side, side, density}));
                }
    for (const bool is_src : {true, false})
        for (const auto& [dense, dst] : {std::pair{"ba", "ab"}, {"ab", "ba"}, {"ba", "ba"}})
            for (const int64_t columns : {16, 256})
                cases.push_back(sparse_case(
                    {is_src, true, f32, is_src ? side : columns, side, is_src ? columns : side, 0.01, dense, dst}));
    // Graphs: ten elements a row.
    for (const int64_t columns : {1, 16, 64})
        cases.push_back(sparse_case({true, true, f32, 100000, 100000, columns, 1e-4}));
    for (const int64_t n : {8, 64, 512}) cases.push_back(sparse_case({true, true, f32, n, n, n, 0.1}));
    return cases;
}

} // namespace tessera::bench::dot
