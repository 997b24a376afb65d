// SPDX-License-Identifier: Apache-2.0
// Images of memory descriptors with forged fields and a right checksum. Those that are taken describe tensors like any
// others: memory of exactly their size, beside pages that cannot be touched, is read and written by primitives without
// a fault, and elements come back from it. TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats a failure.
// covers: DER-06
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/objects/handles.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "problems/random_problem.hpp"
#include "seeds.hpp"
#include "trial/faults.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::fuzz {

namespace {

using dnnl::memory;
using Blob = std::vector<uint8_t>;
using Placement = GuardedBuffer::Placement;

uint64_t field_of(const Blob& blob, size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, &blob[at], 8);
    return value;
}

// The checksum of the format, made anew, so that damage reaches the checks behind it.
void seal(Blob& blob) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t k = 0; k + 8 < blob.size(); ++k) hash = (hash ^ blob[k]) * 0x100000001b3;
    std::memcpy(&blob[blob.size() - 8], &hash, 8);
}

// Most fields are small, and most forgeries that come far are near to what was there.
uint64_t forged(Random& r, uint64_t value) {
    static constexpr uint64_t some[] = {0,
                                        1,
                                        2,
                                        3,
                                        4,
                                        5,
                                        8,
                                        12,
                                        16,
                                        17,
                                        64,
                                        0x7fffffff,
                                        uint64_t(1) << 40,
                                        uint64_t(1) << 61,
                                        (uint64_t(1) << 63) - 1,
                                        (uint64_t(1) << 63) - 20,
                                        uint64_t(1) << 63,
                                        ~uint64_t(0)};
    switch (below(r, 6)) {
    case 0:
        return value + 1;
    case 1:
        return value - 1;
    case 2:
        return value * 2;
    case 3:
        return value / 2;
    case 4:
        return uint64_t(below(r, 40));
    default:
        return some[below(r, int64_t(std::size(some)))];
    }
}

MemoryDesc start(Random& r) {
    static constexpr DataType types[] = {DataType::f32,  DataType::f32, DataType::s8, DataType::s32,
                                         DataType::bf16, DataType::u8,  DataType::s4, DataType::f64};
    if (chance(r, 3)) {
        const int64_t dims[] = {1 + below(r, 9), 1 + below(r, 9)};
        return chance(r, 50) ? *make_csr_desc(dims, DataType::f32, 3, DataType::s32, DataType::s32)
                             : *make_coo_desc(dims, DataType::f32, 3, DataType::s32);
    }
    std::vector<int64_t> dims;
    for (int64_t rank = 1 + below(r, chance(r, 80) ? 4 : 8); rank-- > 0;)
        dims.push_back(1 + below(r, chance(r, 20) ? 70 : 9));
    const MemoryDesc md = random_desc(r, dims, types[below(r, int64_t(std::size(types)))]);
    if (md.type != DataType::s8 || !chance(r, 30)) return md;
    Extra extra;
    extra.flags = chance(r, 50) ? Extra::s8s8 : Extra::s8s8 | Extra::asymmetric_src;
    extra.compensation_mask = extra.asymmetric_compensation_mask = 1;
    return *with_extra(md, extra);
}

struct Counts {
    int taken = 0, refused = 0, moved = 0, returned = 0;
};

// What a program can do with a descriptor: ask for its size, give it memory, read and write it.
class Trial {
public:
    Trial(Random& r, const memory::desc& md, std::string text) : r_(r), md_(md), text_(std::move(text)) {}

    void run(Counts& counts) {
        const MemoryDesc& inner = md_.get()->md;
        if (!inner.is_blocked() || inner.has_runtime() || inner.has_zero_dim()) return create_alone();
        const auto size = int64_t(md_.get_size());
        int64_t elements = 1;
        for (const int64_t d : md_.get_dims())
            if (__builtin_mul_overflow(elements, d, &elements)) return create_alone();
        const int64_t offset = inner.offset0;
        if (size > most || offset > most || elements > most || md_.get_data_type() == memory::data_type::undef)
            return create_alone();
        buffer_ = GuardedBuffer(size_t(size + bytes_of(inner.type, offset)), side());
        for (uint8_t& byte : buffer_) byte = uint8_t(r_());
        const auto type = chance(r_, 50) || is_sub_byte(inner.type) ? memory::data_type::f32 : md_.get_data_type();
        const memory::desc plain(md_.get_dims(), type, tag(md_.get_ndims()));
        GuardedBuffer from(plain.get_size(), side()), back(plain.get_size(), side());
        for (uint8_t& byte : from) byte = type == memory::data_type::f32 ? 0 : uint8_t(below(r_, 7));
        std::fill(back.begin(), back.end(), uint8_t(0));
        bool all = reorder(plain, from, md_, buffer_);
        all = reorder(md_, buffer_, plain, back) && all;
        counts.moved += all;
        bool repeats = inner.extra.flags != 0;
        for (int d = 0; d < inner.ndims; ++d)
            repeats = repeats || (inner.padded_dims[size_t(d)] > inner.block_of(d) && inner.strides[size_t(d)] == 0);
        if (all && !repeats && type == md_.get_data_type()) {
            ++counts.returned;
            ASSERT_TRUE(from == back) << "elements do not come back; " << text_;
        }
        relu();
        ASSERT_TRUE(buffer_.intact() && from.intact() && back.intact()) << text_;
    }

private:
    static constexpr int64_t most = 1 << 16;

    Placement side() { return chance(r_, 60) ? Placement::end_at_guard : Placement::start_at_guard; }
    static memory::format_tag tag(int ndims) {
        static constexpr memory::format_tag tags[] = {
            memory::format_tag::a,          memory::format_tag::ab,          memory::format_tag::abc,
            memory::format_tag::abcd,       memory::format_tag::abcde,       memory::format_tag::abcdef,
            memory::format_tag::abcdefg,    memory::format_tag::abcdefgh,    memory::format_tag::abcdefghi,
            memory::format_tag::abcdefghij, memory::format_tag::abcdefghijk, memory::format_tag::abcdefghijkl};
        return tags[ndims - 1];
    }
    // Refusals have a reason; everything else is an error of the library.
    template <typename Do> bool possible(const char* what, Do act) {
        doing(fmt::format("{} {}", what, text_));
        try {
            act();
            return true;
        } catch (const dnnl::error& e) {
            const bool refused =
                e.status == dnnl_invalid_arguments || e.status == dnnl_unimplemented || e.status == dnnl_out_of_memory;
            EXPECT_TRUE(refused && std::strlen(e.what()) > 20) << what << " " << e.what() << " " << text_;
            return false;
        }
    }
    bool reorder(const memory::desc& a, const GuardedBuffer& src, const memory::desc& b, const GuardedBuffer& dst) {
        return possible("reorder", [&] {
            dnnl::stream stream(engine_);
            memory x(a, engine_, src.data()), y(b, engine_, dst.data());
            dnnl::reorder(dnnl::reorder::primitive_desc(engine_, a, engine_, b)).execute(stream, x, y);
            stream.wait();
        });
    }
    void relu() {
        possible("eltwise", [&] {
            dnnl::stream stream(engine_);
            const memory x(md_, engine_, buffer_.data());
            const dnnl::eltwise_forward::primitive_desc pd(engine_, dnnl::prop_kind::forward_inference,
                                                           dnnl::algorithm::eltwise_relu, md_, md_);
            dnnl::eltwise_forward(pd).execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
            stream.wait();
        });
    }
    // Too much for memory, or none: primitives are made, as far as they can be.
    void create_alone() {
        possible("creation", [&] { (void)dnnl::reorder(dnnl::reorder::primitive_desc(engine_, md_, engine_, md_)); });
        possible("creation", [&] {
            const dnnl::eltwise_forward::primitive_desc pd(engine_, dnnl::prop_kind::forward_inference,
                                                           dnnl::algorithm::eltwise_relu, md_, md_);
            (void)dnnl::eltwise_forward(pd);
        });
    }

    Random& r_;
    const memory::desc& md_;
    const std::string text_;
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    GuardedBuffer buffer_;
};

std::string words(const Blob& blob, const Blob& before) {
    std::string text;
    for (size_t at = 0; at + 8 < blob.size(); at += 8)
        if (field_of(blob, at) != field_of(before, at))
            text +=
                fmt::format(", field {} {} for {}", at / 8, int64_t(field_of(blob, at)), int64_t(field_of(before, at)));
    return text;
}

} // namespace

TEST(BlobFuzz, taken_images_are_safe_to_use) {
    Counts counts;
    const uint64_t count = each_seed(6000, [&](uint64_t seed) {
        Random r(seed);
        const MemoryDesc md = start(r);
        const Blob before = to_blob(md);
        Blob blob = before;
        for (int64_t changes = 1 + below(r, 3); changes-- > 0;) {
            const size_t at = 8 * size_t(1 + below(r, int64_t(blob.size() / 8) - 2));
            const uint64_t value = forged(r, field_of(blob, at));
            std::memcpy(&blob[at], &value, 8);
        }
        seal(blob);
        const std::string text = fmt::format("{} {}{}, TESSERA_FUZZ_SEED={}", to_token(md), to_string(md.dims_span()),
                                             words(blob, before), seed);
        doing(text);
        dnnl_memory_desc_t handle = nullptr;
        if (const dnnl_status_t status = dnnl_memory_desc_create_with_blob(&handle, blob.data())) {
            ++counts.refused;
            EXPECT_EQ(status, dnnl_invalid_arguments) << text;
            EXPECT_GT(std::strlen(dnnl_tessera_last_error()), 20u) << text;
            return;
        }
        const memory::desc taken(handle);
        ++counts.taken;
        if (!taken.is_zero()) Trial(r, taken, text).run(counts);
    });
    std::printf("%d taken, %d refused, %d moved to and fro, %d compared\n", counts.taken, counts.refused, counts.moved,
                counts.returned);
    if (count < 6000) GTEST_SKIP() << count << " images are too few to count what became of them";
    EXPECT_GT(counts.refused, 1000);
    EXPECT_GT(counts.moved, 1000);
    EXPECT_GT(counts.returned, 500);
}

} // namespace tessera::fuzz
