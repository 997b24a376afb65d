// SPDX-License-Identifier: Apache-2.0
// The threads of the program do the library's work: a pool that comes with the stream.
//
// For builds with ONEDNN_CPU_RUNTIME=THREADPOOL, whose library makes no threads of its own. The pool here starts its
// threads anew for each call, which is enough to show what the library asks for; a real one keeps them. It prints how
// many parts the library handed out, and compares a product with the one of the calling thread alone. In builds with
// other threads it prints why there is nothing to show.

#include <cstdio>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "oneapi/dnnl/dnnl_threadpool.hpp"

using dnnl::memory;

// [pool]
class Pool : public dnnl::threadpool_interop::threadpool_iface {
public:
    int parts = 0;
    int get_num_threads() const override { return 4; }
    bool get_in_parallel() const override { return inside; }
    // Calls fn(i, n) for each i below n, on any threads, and returns when all calls have.
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        parts += n;
        std::vector<std::thread> threads;
        for (int i = 0; i < n; ++i)
            threads.emplace_back([&fn, i, n] {
                inside = true; // a call of the library from here works alone
                fn(i, n);
            });
        for (std::thread& t : threads) t.join();
    }
    uint64_t get_flags() const override { return 0; } // ASYNCHRONOUS: parallel_for returns at once
    void wait() override {}

private:
    static inline thread_local bool inside = false;
};
// [/pool]

constexpr int M = 300, K = 200, N = 100;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    Pool pool;
    dnnl::stream stream;
    try {
        // [stream]
        stream = dnnl::threadpool_interop::make_stream(cpu, &pool); // the pool outlives the stream
        // [/stream]
    } catch (const dnnl::error& e) {
        std::printf("nothing to show: %s\n", e.what());
        return e.status == dnnl_unimplemented || e.status == dnnl_invalid_arguments ? 0 : 1;
    }
    const auto md = [](int rows, int columns) {
        return memory::desc({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
    };
    std::mt19937 bits(1);
    std::vector<float> src(M * K), weights(K * N), by_pool(M * N), alone(M * N);
    for (auto* values : {&src, &weights})
        for (float& v : *values) v = float(bits()) / 2147483648.f - 1;

    dnnl_threadpool_interop_set_max_concurrency(pool.get_num_threads()); // what creation plans for
    const dnnl::matmul product({cpu, md(M, K), md(K, N), md(M, N)});
    const auto run = [&](dnnl::stream& s, std::vector<float>& dst) {
        product.execute(s, {{DNNL_ARG_SRC, memory(md(M, K), cpu, src.data())},
                            {DNNL_ARG_WEIGHTS, memory(md(K, N), cpu, weights.data())},
                            {DNNL_ARG_DST, memory(md(M, N), cpu, dst.data())}});
        s.wait();
    };
    run(stream, by_pool);
    dnnl::stream caller(cpu); // without a pool: the calling thread
    run(caller, alone);
    std::printf("parts on the threads of the pool: %d\n", pool.parts);
    std::printf("compared with the calling thread alone: %s\n", by_pool == alone ? "the same bits" : "OTHER BITS");
    return by_pool == alone && pool.parts > 1 ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
