// SPDX-License-Identifier: Apache-2.0
// Random problems executed with memories whose descriptors are not those of the primitive: taken exactly where their
// bytes cover what the primitive reaches, with the results that memories of its own descriptors have, and then not a
// byte beyond; refused otherwise, with nothing written. Every buffer has exactly the bytes that its memory vouches for,
// beside a page that cannot be touched. TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats one problem.
// covers: RUN-05 OBJ-09
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
#include "trial/guarded_buffer.hpp"

namespace tessera::fuzz {

namespace {

constexpr uint8_t untouched = 0xc3; // bytes of a buffer that the primitive does not reach

// At the end only if elements of the type begin at multiples of their width then, as they do in every program.
GuardedBuffer placed(Random& r, size_t bytes, DataType type) {
    const bool aligned = bytes % size_t(bytes_of(type, 1)) == 0;
    using Placement = GuardedBuffer::Placement;
    return {bytes, aligned && chance(r, 70) ? Placement::end_at_guard : Placement::start_at_guard};
}

DataType any_type(Random& r) { return all_types[size_t(below(r, int64_t(std::size(all_types))))]; }

// What a program may hold where `needed` bytes in the layout of `own` are wanted.
MemoryDesc foreign(Random& r, const MemoryDesc& own, int64_t needed) {
    const auto or_own = [&](Result<MemoryDesc> md) { return md ? *md : own; };
    const std::vector<int64_t> dims(own.dims_span().begin(), own.dims_span().end());
    switch (below(r, 8)) {
    case 0:
        return own;
    case 1: // as many bytes, a few more or a few less
        return or_own(
            make_desc_with_tag(std::vector{std::max<int64_t>(needed + below(r, 7) - 3, 0)}, DataType::u8, "a"));
    case 2: // the same shape, lying and typed in another way
        return dims.empty() ? own : random_desc(r, dims, chance(r, 50) ? own.type : any_type(r));
    case 3:
        return random_desc(r, random_dims(r), any_type(r));
    case 4: { // a part that ends where the bytes do, a little before or behind
        const int64_t from = below(r, 9), length = needed + below(r, 5) - 2 - from;
        if (length < 1) return own;
        const auto parent = make_desc_with_tag(std::vector{from + length + 40}, DataType::s8, "a");
        return or_own(submemory(*parent, std::vector{length}, std::vector{from}));
    }
    case 5:
        return or_own(make_csr_desc(std::vector<int64_t>{3, 50}, any_type(r), needed / 4 + below(r, 3), any_type(r),
                                    DataType::s32));
    case 6:
        return needed <= 16 ? or_own(make_host_scalar_desc(any_type(r))) : own;
    default: // rows with a gap behind the last, which belongs to the buffer
        return or_own(make_desc_with_strides(std::vector<int64_t>{2, 3}, DataType::u8,
                                             std::vector<int64_t>{std::max<int64_t>(needed / 2 + below(r, 3), 3), 1}));
    }
}

size_t vouched_for(const MemoryDesc& md) { return md.offset0 == 0 ? size_of(md) : reach_of(md); }

// Whether the memory says that values lie elsewhere than in `own`, densely from the start of the buffer: over the same
// dims by the place of any element, over others by bytes that are not those of its elements.
bool contradicts(const MemoryDesc& md, const MemoryDesc& own) {
    if (!md.is_blocked() || md.nelems() == 0 || (own.nelems() == 1 && md.offset0 == 0)) return false;
    const auto shape = [](const MemoryDesc& m) {
        std::vector<int64_t> dims;
        std::ranges::copy_if(m.dims_span(), std::back_inserter(dims), [](int64_t e) { return e != 1; });
        return dims;
    };
    const auto places = [](const MemoryDesc& m) {
        std::vector<int64_t> all;
        const Layout layout = layout_of(m);
        ops::for_each_coordinate(m.dims_span(), [&](auto at) { all.push_back(layout.at(at)); });
        return all;
    };
    std::vector<int64_t> given = places(md);
    if (md.is_padded()) return true;
    if (shape(md) == shape(own)) return given != places(own);
    std::ranges::sort(given);
    for (size_t i = 0; i < given.size(); ++i)
        if (given[i] != int64_t(i)) return true;
    return false;
}

// One argument twice: as the primitive describes it, and as a stranger holds it.
struct Argument {
    int id;
    size_t needed;
    GuardedBuffer own_bytes, bytes;
    dnnl_memory own, memory;
    bool contradicted = false;
};

dnnl_memory memory_over(const MemoryDesc& md, const GuardedBuffer& bytes) {
    dnnl_memory m;
    m.desc.md = md, m.engine = cpu_engine();
    if (md.kind != FormatKind::host_scalar) {
        m.handles.assign(size_t(handle_count(md)), nullptr); // indices of sparse ones are never read
        m.handles[0] = bytes.data();
        return m;
    }
    std::memcpy(&m.scalar, bytes.data(), bytes.size());
    return m;
}

Argument argument(Random& r, int id, const MemoryDesc& own, size_t needed, auto&& fill) {
    Argument a{.id = id,
               .needed = needed,
               .own_bytes = placed(r, needed, own.type),
               .bytes = {},
               .own = {},
               .memory = {},
               .contradicted = false};
    fill(a.own_bytes);
    const MemoryDesc md = foreign(r, own, int64_t(needed));
    a.bytes = placed(r, vouched_for(md), own.type);
    std::fill(a.bytes.begin(), a.bytes.end(), untouched);
    std::memcpy(a.bytes.data(), a.own_bytes.data(), std::min(a.bytes.size(), needed));
    a.own = memory_over(own, a.own_bytes);
    a.memory = memory_over(md, a.bytes);
    return a;
}

// Values whose sums stay finite.
void fill_tensor(Random& r, const MemoryDesc& md, GuardedBuffer& bytes) {
    for (int64_t i = 0; i < int64_t(bytes.size()) * 8 / bits(md.type); ++i)
        write<double>(md.type, bytes.data(), i, double(below(r, 400)) / 8 - 25);
}

void fill_values(Random& r, const Quant& q, int64_t count, GuardedBuffer& bytes) {
    for (int64_t i = 0; i < count; ++i) write<float>(q.type, bytes.data(), i, float(1 + below(r, 16)) / 4);
}

void check(Problem&& problem, uint64_t seed, Random& r, long& taken) {
    const std::string text = fmt::format("TESSERA_FUZZ_SEED={}, {}", seed, describe(problem));
    auto impl = find_implementation(std::move(problem), *cpu_engine()->impl);
    if (!impl && impl.error().status == Status::unimplemented) return;
    ASSERT_TRUE(impl) << impl.error().reason << text;
    const Implementation& made = **impl;
    std::vector<Argument> arguments;
    for (const Tensor& t : made.problem.tensors) {
        arguments.push_back(argument(r, t.arg, t.md, reach_of(t.md), [&](auto& b) { fill_tensor(r, t.md, b); }));
        const bool slopes =
            t.attribute && t.arg % arg::post_op(0) == arg::weights; // of prelu: the primitive lays them out
        arguments.back().contradicted = slopes && contradicts(arguments.back().memory.desc.md, t.md);
    }
    for (size_t i = 0; i < made.quants.size(); ++i) {
        const QuantArg& q = made.quants[i];
        arguments.push_back(argument(r, q.id, made.quant_mds[i], size_t(bytes_of(q.quant.type, q.count)),
                                     [&](auto& b) { fill_values(r, q.quant, q.count, b); }));
        const MemoryDesc dense =
            *make_desc_with_tag(q.dims, DataType::s8, std::string_view("abcdefghijkl", q.dims.size()));
        arguments.back().contradicted = q.count > 0 && contradicts(arguments.back().memory.desc.md, dense);
    }
    const bool covered = made.nothing_to_do || std::ranges::all_of(arguments, [](const Argument& a) {
                             return a.bytes.size() >= a.needed && !a.contradicted;
                         });
    std::vector<dnnl_exec_arg_t> own, given;
    std::vector<GuardedBuffer> before;
    for (Argument& a : arguments) {
        own.push_back({a.id, &a.own});
        given.push_back({a.id, &a.memory});
        before.push_back(a.bytes);
    }
    const dnnl_primitive_desc pd{cpu_engine(), cpu_engine(), *impl, cpu_engine()};
    const dnnl_primitive primitive(pd);
    dnnl_stream stream{cpu_engine(), 0, {}};
    doing(text);
    ASSERT_EQ(dnnl_primitive_execute(&primitive, &stream, int(own.size()), own.data()), dnnl_success) << text;
    const dnnl_status_t status = dnnl_primitive_execute(&primitive, &stream, int(given.size()), given.data());
    ASSERT_EQ(status, covered ? dnnl_success : dnnl_invalid_arguments) << dnnl_tessera_last_error() << "\n" << text;
    taken += covered;
    for (size_t i = 0; i < arguments.size(); ++i) {
        Argument& a = arguments[i];
        ASSERT_TRUE(a.bytes.intact() && a.own_bytes.intact()) << "bytes beside " << a.id << ", " << text;
        if (a.memory.handles.empty()) std::memcpy(a.bytes.data(), &a.memory.scalar, a.bytes.size());
        const size_t same = covered ? std::min(a.needed, a.bytes.size()) : 0; // the rest is as it was
        ASSERT_EQ(std::memcmp(a.bytes.data(), a.own_bytes.data(), same), 0) << a.id << ", " << text;
        ASSERT_TRUE(std::equal(a.bytes.begin() + same, a.bytes.end(), before[i].begin() + same))
            << a.id << ", " << text;
    }
}

void fuzz(Result<Problem> (*make)(Random&)) {
    long taken = 0;
    const auto made = long(each_problem(
        300, make, [&](Problem&& problem, uint64_t seed, Random& r) { check(std::move(problem), seed, r, taken); }));
    if (made < 100) return;
    EXPECT_GT(taken, made / 20);
    EXPECT_LT(taken, made * 19 / 20);
}

} // namespace

#define PRIMITIVE(name, number)                                                                                        \
    TEST(ExecutionFuzz, name) { fuzz(random_##name); }
#include "core/problem/primitives.def"
#undef PRIMITIVE

} // namespace tessera::fuzz
