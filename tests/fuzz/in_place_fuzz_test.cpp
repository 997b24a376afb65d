// SPDX-License-Identifier: Apache-2.0
// Random problems executed with one buffer for an input and an output, every pair of them: refused with nothing
// written, or with the results that two buffers have. TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats one problem.
// covers: SHU-12 BIN-12 ELT-36 SOF-12 LNO-13
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/objects/handles.hpp"
#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "ops/coordinates.hpp"
#include "problems/random_problem.hpp"
#include "seeds.hpp"
#include "trial/faults.hpp"

namespace tessera::fuzz {

namespace {

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(Random& r, const MemoryDesc& md) {
    Bytes bytes(reach_of(md) + 1);
    for (int64_t i = 0; i < int64_t(reach_of(md)) * 8 / bits(md.type); ++i)
        write<double>(md.type, bytes.data(), i, double(below(r, 400)) / 8 - 25);
    return bytes;
}

// An execution whose arguments are copies of `contents`; `shared` (an input) has the buffer of `output`, or is -1.
struct Run {
    std::map<int, Bytes> bytes;
    dnnl_status_t status;

    Run(const ImplementationPtr& impl, const std::map<int, Bytes>& contents, int shared, int output) : bytes(contents) {
        std::map<int, dnnl_memory> memories;
        const auto add = [&](int id, const MemoryDesc& md) {
            dnnl_memory& m = memories[id];
            m.desc.md = md, m.engine = cpu_engine();
            if (md.kind == FormatKind::host_scalar)
                std::memcpy(&m.scalar, bytes.at(id).data(), size_of(md));
            else
                m.handles = {bytes.at(id == shared ? output : id).data()};
        };
        for (const Tensor& t : impl->problem.tensors) add(t.arg, t.md);
        for (size_t i = 0; i < impl->quants.size(); ++i) add(impl->quants[i].id, impl->quant_mds[i]);
        std::vector<dnnl_exec_arg_t> args;
        for (auto& [id, memory] : memories) args.push_back({id, &memory});
        const dnnl_primitive primitive({cpu_engine(), cpu_engine(), impl, cpu_engine()});
        dnnl_stream stream{cpu_engine(), 0, {}};
        status = dnnl_primitive_execute(&primitive, &stream, int(args.size()), args.data());
    }
};

// Elements alone: what lies between those of a view is not the primitive's.
bool same_elements(const MemoryDesc& md, const Bytes& a, const Bytes& b) {
    bool same = true;
    const Layout layout = layout_of(md);
    ops::for_each_coordinate(md.dims_span(), [&](auto at) {
        same = same && read_bits(md.type, a.data(), layout.at(at)) == read_bits(md.type, b.data(), layout.at(at));
    });
    return same;
}

void check(Problem&& problem, uint64_t seed, Random& r, long& taken) {
    for (const Tensor& t : problem.tensors)
        if (t.md.kind == FormatKind::sparse) return; // several buffers a tensor
    const std::string text = fmt::format("TESSERA_FUZZ_SEED={}, {}", seed, describe(problem));
    auto impl = find_implementation(std::move(problem), *cpu_engine()->impl);
    if (!impl && impl.error().status == Status::unimplemented) return;
    ASSERT_TRUE(impl) << impl.error().reason << text;
    const Implementation& made = **impl;
    if (made.nothing_to_do) return;
    std::map<int, Bytes> contents;
    for (const Tensor& t : made.problem.tensors) contents[t.arg] = random_bytes(r, t.md);
    for (size_t i = 0; i < made.quants.size(); ++i) {
        const Quant& q = made.quants[i].quant;
        Bytes& bytes = contents[made.quants[i].id];
        bytes.resize(std::max<size_t>(size_t(bytes_of(q.type, made.quants[i].count)), 8));
        for (int64_t v = 0; v < made.quants[i].count; ++v)
            write<float>(q.type, bytes.data(), v, float(1 + below(r, 16)) / 4);
    }
    for (const Tensor& o : made.problem.tensors)
        for (const Tensor& i : made.problem.tensors) {
            if (!o.output || i.arg == o.arg || size_of(i.md) == 0 || size_of(o.md) == 0) continue;
            if (i.md.offset0 != o.md.offset0) continue; // views may move a part of a buffer to another (decision 005)
            const std::string pair = fmt::format("{} in the buffer of {}, {}", arg_name(o.arg), arg_name(i.arg), text);
            doing(pair);
            std::map<int, Bytes> start = contents; // both runs find the same in the output
            Bytes& both = start.at(o.arg);
            both.resize(std::max(both.size(), start.at(i.arg).size()));
            std::copy(start.at(i.arg).begin(), start.at(i.arg).end(), both.begin());
            const Run apart(*impl, start, -1, o.arg), shared(*impl, start, i.arg, o.arg);
            ASSERT_EQ(apart.status, dnnl_success) << dnnl_tessera_last_error() << "\n" << pair;
            if (shared.status != dnnl_success) {
                ASSERT_EQ(shared.status, dnnl_invalid_arguments) << dnnl_tessera_last_error() << "\n" << pair;
                ASSERT_EQ(shared.bytes, start) << pair;
                continue;
            }
            ++taken;
            for (const Tensor& t : made.problem.tensors)
                if (t.output) {
                    ASSERT_TRUE(same_elements(t.md, apart.bytes.at(t.arg), shared.bytes.at(t.arg)))
                        << arg_name(t.arg) << " differs: " << pair;
                }
        }
}

void fuzz(Result<Problem> (*make)(Random&)) {
    long taken = 0;
    each_problem(100, make,
                 [&](Problem&& problem, uint64_t seed, Random& r) { check(std::move(problem), seed, r, taken); });
    testing::Test::RecordProperty("taken", int(taken));
}

} // namespace

#define PRIMITIVE(name, number)                                                                                        \
    TEST(InPlaceFuzz, name) { fuzz(random_##name); }
#include "core/problem/primitives.def"
#undef PRIMITIVE

} // namespace tessera::fuzz
