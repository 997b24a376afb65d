// SPDX-License-Identifier: Apache-2.0
// Random problems whose tensors have rows, planes or single elements gigabytes apart, so that offsets lie beyond 2^31
// and 2^32, in bytes or in elements: an offset, stride or size that goes through 32 bits on its way is off. They give
// what the same problems give with their elements side by side. Memory that nothing touches is mapped and never there.
// TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats one problem.
// covers: MEM-13 DER-01
#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "arena.hpp"
#include "bounds/bounds.hpp"
#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "fuzzed_machines.hpp"
#include "ops/coordinates.hpp"
#include "ops/ops.hpp"
#include "ops/resampling/resampling.hpp"
#include "seeds.hpp"
#include "trial/faults.hpp"

namespace tessera::fuzz {

namespace {

// Zeros; pages that nothing has touched take no memory. Shared, for private ones would count as the process's data.
class Mapped {
public:
    explicit Mapped(size_t bytes) : bytes_(std::max<size_t>(bytes, 1)) {
        at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at_ == MAP_FAILED) throw std::runtime_error(fmt::format("no {} bytes to map", bytes_));
    }
    Mapped(Mapped&& other) noexcept : at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}
    Mapped& operator=(Mapped&&) = delete;
    ~Mapped() {
        if (at_) munmap(at_, bytes_);
    }
    void* data() const { return at_; }

private:
    void* at_;
    size_t bytes_;
};

int64_t blocks(const MemoryDesc& md, int d) { return md.padded_dims[size_t(d)] / md.block_of(d); }

// Some outer dims, mostly the outermost alone, as far apart as makes the last element's offset exceed 2^31 or 2^32
// bytes or elements: their strides times one factor, so that order and gaps stay.
void spread(MemoryDesc& md, Random& r) {
    constexpr int64_t few_pages = 600;
    std::vector<int> moving;
    for (int d = 0; d < md.ndims; ++d)
        if (blocks(md, d) > 1 && md.strides[size_t(d)] > 0) moving.push_back(d);
    if (moving.empty()) return;
    const auto stride = [&](int d) { return md.strides[size_t(d)]; };
    std::ranges::sort(moving, std::ranges::greater{}, stride);
    size_t dims = chance(r, 50) ? 1 : 1 + size_t(below(r, int64_t(moving.size())));
    int64_t pages = 1, span = 0;
    for (size_t i = 0; i < dims; ++i) {
        if (i > 0 && pages * blocks(md, moving[i]) > few_pages) dims = i;
        if (i < dims) pages *= blocks(md, moving[i]);
    }
    const int64_t least = stride(moving[dims - 1]);
    for (const int d : moving)
        if (stride(d) >= least) span += (blocks(md, d) - 1) * stride(d);
    const int64_t wanted = chance(r, 50) ? (int64_t(1) << 31) : (int64_t(1) << 32);
    const int64_t elements = chance(r, 50) ? wanted : wanted * 8 / bits(md.type);
    const int64_t factor = elements / std::max<int64_t>(span, 1) + 1;
    for (const int d : moving)
        if (stride(d) >= least) md.strides[size_t(d)] *= factor;
}

Problem farther(const Problem& near, Random& r) {
    Problem far = near;
    for (Tensor& t : far.tensors)
        if (!t.md.has_zero_dim() && chance(r, 70) && !(t.arg == arg::workspace && ops::row(near.kind).forward_of))
            spread(t.md, r);
    for (size_t i = 0; i < far.attr.post_ops.entries.size(); ++i) {
        PostOp& p = far.attr.post_ops.entries[i];
        for (auto [id, md] : {std::pair{arg::src_1, &p.src1}, {arg::src_2, &p.src2}})
            if (const Tensor* t = far.find(arg::post_op(int(i)) | id)) *md = t->md;
    }
    return far;
}

// Where an element, padding included, is in `near` and in `far`. They are found once a problem: to ask the layouts in
// every comparison was half of this test's time.
struct Place {
    int64_t near, far;
};
using Places = std::vector<ops::Dense<Place>>; // of each tensor

Places places_of(const Problem& near, const Problem& far) {
    Places all;
    for (size_t i = 0; i < far.tensors.size(); ++i) {
        const MemoryDesc& md = near.tensors[i].md;
        const Layout a = layout_of(md), b = layout_of(far.tensors[i].md);
        all.emplace_back(std::span(md.padded_dims.data(), size_t(md.ndims)), [&](auto at) {
            return Place{a.at(at), b.at(at)};
        });
    }
    return all;
}

// The tensors of `far` with the elements, padding included, that `near` has.
class FarArena {
public:
    FarArena(const Problem& far, const Places& places, Arena& from) : from_(from) {
        for (size_t i = 0; i < far.tensors.size(); ++i) {
            const Tensor& t = far.tensors[i];
            const auto& to = mapped_.try_emplace(t.arg, reach_of(t.md)).first->second;
            const void* const elements = from.bytes.at(t.arg).data();
            for (const Place& p : places[i].values())
                write_bits(t.md.type, to.data(), p.far, read_bits(t.md.type, elements, p.near));
        }
    }
    ops::Buffers buffers() {
        ops::Buffers all = from_.buffers(); // scales, zero points
        for (const auto& [id, m] : mapped_) all[id] = m.data();
        return all;
    }
    std::vector<void*> operands(const Plan& plan, bool with_bytes) {
        const ops::Buffers all = buffers();
        std::vector<void*> result;
        scratch_.clear();
        for (const int64_t bytes : plan.scratch) scratch_.emplace_back(size_t(bytes));
        for (const Operand& o : plan.operands) {
            char* base = nullptr;
            if (o.constant >= 0)
                base = reinterpret_cast<char*>(const_cast<float*>(plan.constants[size_t(o.constant)].data()));
            else if (o.scratch >= 0)
                base = scratch_[size_t(o.scratch)].data();
            else if (!o.counted)
                base = static_cast<char*>(all.at(o.arg));
            result.push_back(base && with_bytes ? base + o.bytes : base);
        }
        return result;
    }

private:
    Arena& from_;
    std::map<int, Mapped> mapped_;
    std::vector<std::vector<char>> scratch_;
};

// That `far` gives what `near` does, the same problem in other layouts.
void compare(const Problem& near, const Problem& far, uint64_t seed, Random& r) {
    const auto lowered = ops::row(far.kind).lower(far);
    if (!lowered && lowered.error().status == Status::unimplemented) return;
    const std::string text = fmt::format("TESSERA_FUZZ_SEED={}, {}", seed, describe(far));
    ASSERT_TRUE(lowered) << lowered.error().reason << ", " << text;
    const auto plan = std::make_shared<const Plan>(*lowered);
    for (const int64_t bytes : plan->scratch)
        ASSERT_LT(bytes, int64_t(1) << 28) << "temporary values with the gaps of a tensor, " << text;
    Arena from = make_arena(near, seed, r), expected = from;
    ops::row(near.kind).ref(near, expected.buffers());
    const Places places = places_of(near, far);
    FarArena before(far, places, from);
    const ops::Buffers inputs = before.buffers();
    const Bounds bounds(far, inputs);
    const auto holds = [&](const std::string& way, const ops::Buffers& got) {
        for (size_t i = 0; i < far.tensors.size(); ++i) {
            const Tensor& t = far.tensors[i];
            const void *const want = expected.bytes.at(t.arg).data(), *const has = got.at(t.arg);
            const std::vector<Place>& all = places[i].values();
            for (size_t n = 0; n < all.size(); ++n) {
                const Place& p = all[n];
                if (read_bits(t.md.type, want, p.near) == read_bits(t.md.type, has, p.far)) continue;
                const double should = read<double>(t.md.type, want, p.near), is = read<double>(t.md.type, has, p.far);
                if (should != should && is != is) continue;
                const auto at = places[i].coordinates(n);
                const bool there = !ops::is_padding(at, t.md.dims_span());
                ASSERT_TRUE(t.output && there && bounds.any() && bounds.hold(t.arg, at, has, p.far))
                    << arg_name(t.arg) << " at " << p.far << ": " << should << " expected, " << is << " found, " << way
                    << ", " << text << "\n"
                    << to_string(*plan);
            }
        }
    };
    const auto by = [&](const std::string& way, const std::function<void(FarArena&)>& run) {
        if (testing::Test::HasFailure()) return;
        doing(fmt::format("{}, {}", way, text));
        FarArena arena(far, places, from);
        run(arena);
        holds(way, arena.buffers());
    };
    by("reference", [&](FarArena& a) { ops::row(far.kind).ref(far, a.buffers()); });
    by("interpreter", [&](FarArena& a) { interpret(*plan, a.operands(*plan, true)); });
    Context machine;
    machine.threads = 2;
    const auto portable = cpu::make_portable(plan, machine);
    ASSERT_TRUE(portable) << portable.error().reason;
    by("portable", [&](FarArena& a) { ASSERT_EQ((*portable)->run(a.operands(*plan, false), {}), Status::success); });
    for (const Context& generating : machines_of(seed))
        if (const auto generated = cpu::make_generated(plan, generating))
            by(generating.name,
               [&](FarArena& a) { ASSERT_EQ(generated->run(a.operands(*plan, false), {}), Status::success); });
}

void check(const Problem& near, uint64_t seed, Random& r) {
    if (std::ranges::all_of(near.tensors, [](const Tensor& t) { return t.md.is_blocked(); }))
        compare(near, farther(near, r), seed, r);
}

MemoryDesc strided(std::vector<int64_t> dims, std::vector<int64_t> strides) {
    return *make_desc_with_strides(dims, DataType::f32, strides);
}

} // namespace

// Few channels, whose neighbours the lerp tile packs by offsets of 32 bits.
TEST(Far, pixels_of_few_channels) {
    const auto resampling = [](const MemoryDesc& src) {
        const MemoryDesc dst = strided({2, 5, 24}, {120, 1, 5});
        return *ops::make_resampling(PropKind::forward_inference, ops::resampling_linear, {}, src, dst, {});
    };
    for (const int64_t apart : {int64_t(1) << 29, (int64_t(1) << 30) - 8, int64_t(1) << 30, int64_t(3) << 30})
        for (uint64_t seed = 1; seed <= 8; ++seed) {
            Random r(seed);
            compare(resampling(strided({2, 5, 3}, {40, 1, 5})), resampling(strided({2, 5, 3}, {40, 1, apart})), seed,
                    r);
        }
}

#define PRIMITIVE(name, number)                                                                                        \
    TEST(FarFuzz, name) { each_problem(150, random_##name, check); }
#include "core/problem/primitives.def"
#undef PRIMITIVE

} // namespace tessera::fuzz
