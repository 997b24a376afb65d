// SPDX-License-Identifier: Apache-2.0
// Every object that a program creates and destroys is freed: allocations of the whole program, the library's included,
// are counted here by operators new and delete of its own.
// covers: OBJ-01
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "c_objects.hpp"

namespace {

std::atomic<int64_t> live{0};
std::atomic<size_t> largest{0}; // of all allocations since it was set to 0

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
    void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment + (bytes ? 0 : alignment));
    live += p != nullptr;
    for (size_t known = largest; bytes > known && !largest.compare_exchange_weak(known, bytes);) {}
    return p;
}
void* or_throw(void* p) {
    if (!p) throw std::bad_alloc();
    return p;
}
void release(void* p) noexcept {
    live -= p != nullptr;
    std::free(p);
}

} // namespace

void* operator new(std::size_t n) { return or_throw(counted(n, 16)); }
void* operator new(std::size_t n, std::align_val_t a) { return or_throw(counted(n, std::size_t(a))); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(n, 16); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted(n, std::size_t(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }

namespace tessera::test {
namespace {

// The first rounds fill what is kept for good: the cache, kernels, the text of the last error.
void expect_no_leak(const char* what, const std::function<void()>& create_and_destroy) {
    for (int i = 0; i < 3; ++i) create_and_destroy();
    const int64_t before = live;
    for (int i = 0; i < 20; ++i) create_and_destroy();
    EXPECT_EQ(live - before, 0) << what;
}

TEST(Leaks, Memory) {
    const Desc md({4, 5}, dnnl_f32, dnnl_ab);
    const auto create = [&](const_dnnl_memory_desc_t desc, void* handle) {
        dnnl_memory_t memory = nullptr;
        ASSERT_EQ(dnnl_memory_create(&memory, desc, cpu(), handle), dnnl_success) << last_error();
        EXPECT_EQ(dnnl_memory_destroy(memory), dnnl_success);
    };
    float own[20];
    expect_no_leak("with its own buffer", [&] { create(md, DNNL_MEMORY_ALLOCATE); });
    expect_no_leak("with the caller's buffer", [&] { create(md, own); });
    expect_no_leak("without a buffer", [&] { create(md, DNNL_MEMORY_NONE); });
    expect_no_leak("host scalar", [] { const HostScalar scalar(dnnl_f32, 1.f); });
    expect_no_leak("of several buffers", [&] {
        const dnnl_dim_t dims[] = {4, 5};
        dnnl_memory_desc_t csr = nullptr;
        ASSERT_EQ(dnnl_memory_desc_create_with_csr_encoding(&csr, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32),
                  dnnl_success);
        void* handles[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
        dnnl_memory_t memory = nullptr;
        ASSERT_EQ(dnnl_memory_create_v2(&memory, csr, cpu(), 3, handles), dnnl_success) << last_error();
        EXPECT_EQ(dnnl_memory_destroy(memory), dnnl_success);
        EXPECT_EQ(dnnl_memory_desc_destroy(csr), dnnl_success);
    });
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success); // what follows is refused, and would be said 23 times
    expect_no_leak("more than there is", [&] {
        const Desc huge({dnnl_dim_t(1) << 50}, dnnl_f32, dnnl_a);
        dnnl_memory_t memory = nullptr;
        EXPECT_EQ(dnnl_memory_create(&memory, huge, cpu(), DNNL_MEMORY_ALLOCATE), dnnl_out_of_memory);
    });
}

// get_size() leaves out where a view begins; the buffer that the library allocates for one reaches to its end.
TEST(Leaks, BuffersOfViewsReachTheirEnd) {
    const Desc parent({80, 100}, dnnl_f32, dnnl_ab);
    const dnnl_dim_t dims[] = {40, 50}, offsets[] = {40, 50};
    dnnl_memory_desc_t view = nullptr;
    ASSERT_EQ(dnnl_memory_desc_create_submemory(&view, parent, dims, offsets), dnnl_success) << last_error();
    largest = 0;
    dnnl_memory_t memory = nullptr;
    ASSERT_EQ(dnnl_memory_create(&memory, view, cpu(), DNNL_MEMORY_ALLOCATE), dnnl_success) << last_error();
    EXPECT_GE(largest, sizeof(float) * 80 * 100);
    EXPECT_EQ(dnnl_memory_destroy(memory), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_destroy(view), dnnl_success);
}

TEST(Leaks, DescriptorsAndAttributes) {
    const Desc md({4, 5}, dnnl_f32, dnnl_ab);
    expect_no_leak("clone", [&] {
        dnnl_memory_desc_t clone = nullptr;
        ASSERT_EQ(dnnl_memory_desc_clone(&clone, md), dnnl_success);
        EXPECT_EQ(dnnl_memory_desc_destroy(clone), dnnl_success);
    });
    expect_no_leak("attributes", [&] {
        const PostOps chain;
        EXPECT_EQ(dnnl_post_ops_append_sum(chain, 2.f, 0, dnnl_data_type_undef), dnnl_success);
        EXPECT_EQ(dnnl_post_ops_append_binary(chain, dnnl_binary_add, md), dnnl_success);
        const Attr attr;
        EXPECT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
        EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 1), dnnl_success);
        dnnl_primitive_attr_t clone = nullptr;
        ASSERT_EQ(dnnl_primitive_attr_clone(&clone, attr), dnnl_success);
        EXPECT_EQ(dnnl_primitive_attr_destroy(clone), dnnl_success);
    });
}

TEST(Leaks, PrimitivesAndWhatTheyRunOn) {
    const Desc src({4, 5}, dnnl_f32, dnnl_ab), dst({4, 5}, dnnl_s8, dnnl_ba), other({3, 5}, dnnl_f32, dnnl_ab);
    expect_no_leak("engine and stream", [] {
        dnnl_engine_t engine = nullptr;
        ASSERT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success);
        dnnl_stream_t stream = nullptr;
        ASSERT_EQ(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), dnnl_success);
        EXPECT_EQ(dnnl_stream_destroy(stream), dnnl_success);
        EXPECT_EQ(dnnl_engine_destroy(engine), dnnl_success);
    });
    expect_no_leak("primitive", [&] {
        PrimitiveDesc pd, clone;
        ASSERT_EQ(make_reorder(pd, src, dst), dnnl_success);
        ASSERT_EQ(dnnl_primitive_desc_clone(clone.out(), pd), dnnl_success);
        Memory from(src), to(dst);
        EXPECT_EQ(execute(Primitive(clone), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success);
    });
    expect_no_leak("refusal", [&] {
        PrimitiveDesc pd;
        EXPECT_EQ(make_reorder(pd, src, other), dnnl_invalid_arguments);
    });
    for (const int capacity : {0, 1}) { // every creation makes a primitive, and evicts the one before
        ASSERT_EQ(dnnl_set_primitive_cache_capacity(capacity), dnnl_success);
        expect_no_leak("evicted", [&] {
            for (const Desc* from : {&src, &other}) {
                PrimitiveDesc pd;
                ASSERT_EQ(make_reorder(pd, *from, *from), dnnl_success);
                const Primitive p(pd);
            }
        });
    }
    ASSERT_EQ(dnnl_set_primitive_cache_capacity(1024), dnnl_success);
}

} // namespace
} // namespace tessera::test
