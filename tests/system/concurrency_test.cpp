// SPDX-License-Identifier: Apache-2.0
// Threads that create, execute and evict at the same time, the same primitives and different ones: each computes what
// it would alone. `make races` runs it under ThreadSanitizer. covers: THR-05
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "this_runtime.hpp"

namespace tessera::test {
namespace {

using dnnl::memory;
using Type = memory::data_type;
using Tag = memory::format_tag;

constexpr int threads = 4;

// On `threads` threads at once; body(thread, turn) answers whether it was right.
void on_threads(int turns, const std::function<bool(int, int)>& body) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            set_threads(1 + t % 3);
            for (int i = 0; i < turns; ++i) wrong += !body(t, i);
        });
    for (std::thread& t : all) t.join();
    EXPECT_EQ(wrong, 0);
}

struct Buffer {
    Buffer(const memory::dims& dims, Tag tag, float value) {
        size_t n = 1;
        for (const int64_t d : dims) n *= size_t(d);
        values.assign(n, value);
        mem = memory({dims, Type::f32, tag}, dnnl::engine(dnnl::engine::kind::cpu, 0), values.data());
    }
    bool all(float value) const {
        for (const float v : values)
            if (v != value) return false;
        return true;
    }
    std::vector<float> values;
    memory mem;
};

dnnl::engine cpu() { return dnnl::engine(dnnl::engine::kind::cpu, 0); }

bool multiplies(int64_t m, int64_t k, int64_t n, int factor) {
    Buffer a({m, k}, Tag::ab, 1.f), b({k, n}, Tag::ba, 2.f), c({m, n}, Tag::ab, -1.f);
    dnnl::post_ops post_ops;
    post_ops.append_eltwise(dnnl::algorithm::eltwise_linear, float(factor), 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(post_ops);
    dnnl::stream stream(cpu());
    dnnl::matmul({cpu(), a.mem.get_desc(), b.mem.get_desc(), c.mem.get_desc(), attr})
        .execute(stream, {{DNNL_ARG_SRC, a.mem}, {DNNL_ARG_WEIGHTS, b.mem}, {DNNL_ARG_DST, c.mem}});
    stream.wait();
    return c.all(float(factor) * 2.f * float(k));
}

bool transposes(int64_t rows, int64_t columns) {
    Buffer from({rows, columns}, Tag::ab, 0.f), to({rows, columns}, Tag::ba, -1.f);
    for (size_t i = 0; i < from.values.size(); ++i) from.values[i] = float(i);
    dnnl::stream stream(cpu());
    dnnl::reorder(from.mem, to.mem).execute(stream, from.mem, to.mem);
    stream.wait();
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
            if (to.values[size_t(c * rows + r)] != float(r * columns + c)) return false;
    return true;
}

TEST(Concurrency, CreationExecutionEviction) {
    dnnl_set_primitive_cache_capacity(6); // less than there are problems
    on_threads(120, [](int t, int i) {
        const int n = (t + i) % 5; // neighbours in time ask for the same
        bool right = multiplies(16 + n, 70, 40 + n, 1 + n);
        right &= transposes(30 + n, 70);
        right &= transposes(200, 500 + 8 * n); // large enough for several threads
        if (i % 40 == 39) {
            dnnl_set_primitive_cache_capacity(0);
            dnnl_set_primitive_cache_capacity(6);
        }
        return right;
    });
    dnnl_set_primitive_cache_capacity(1024);
}

// One primitive whose dims come with the memories, so that threads make and replace what is made for them.
TEST(Concurrency, RuntimeDimsOfOnePrimitive) {
    const memory::dims open = {DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL};
    const dnnl::matmul shared({cpu(), memory::desc(open, Type::f32, Tag::ab), memory::desc(open, Type::f32, Tag::ab),
                               memory::desc(open, Type::f32, Tag::ab)});
    on_threads(200, [&](int t, int i) {
        const int64_t m = 1 + (t + i) % 7, k = 20 + i % 3;
        Buffer a({m, k}, Tag::ab, 1.f), b({k, 33}, Tag::ab, 3.f), c({m, 33}, Tag::ab, 0.f);
        dnnl::stream stream(cpu());
        shared.execute(stream, {{DNNL_ARG_SRC, a.mem}, {DNNL_ARG_WEIGHTS, b.mem}, {DNNL_ARG_DST, c.mem}});
        stream.wait();
        return c.all(3.f * float(k));
    });
}

TEST(Concurrency, CallsWithoutPrimitives) {
    on_threads(200, [](int t, int i) {
        const int64_t m = 8 + (t + i) % 9, n = 64 + i % 5, k = 100;
        const std::vector<float> a(size_t(m * k), 1.f), b(size_t(k * n), 2.f);
        std::vector<float> c(size_t(m * n), 0.f);
        if (dnnl_sgemm('N', 'N', m, n, k, 1.f, a.data(), k, b.data(), n, 0.f, c.data(), n) != dnnl_success)
            return false;
        for (const float x : c)
            if (x != 2.f * float(k)) return false;
        return true;
    });
}

// What is of the whole process is read and set while others work; the log has its lines one by one.
TEST(Concurrency, Settings) {
    const int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    std::fflush(stdout);
    dup2(null, STDOUT_FILENO);
    on_threads(60, [](int t, int i) {
        if (t == 0) {
            int capacity = 0;
            dnnl_set_verbose(i % 3);
            dnnl_get_primitive_cache_capacity(&capacity);
            dnnl_set_default_fpmath_mode(i % 2 ? dnnl_fpmath_mode_strict : dnnl_fpmath_mode_any);
            dnnl_set_jit_profiling_jitdumpdir(i % 2 ? "/tmp" : nullptr);
            dnnl_get_effective_cpu_isa();
            dnnl_get_cpu_isa_hints();
        }
        memory::desc refused;
        try {
            refused = memory::desc({2, 3}, Type::f32, Tag::abc); // a text for each thread
            return false;
        } catch (const dnnl::error& e) {
            if (e.status != dnnl_invalid_arguments) return false;
        }
        return multiplies(8, 16, 24 + i % 4, 1) && transposes(40, 41 + t);
    });
    dnnl_set_verbose(0);
    dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict);
    std::fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out), close(null);
}

} // namespace
} // namespace tessera::test
