// SPDX-License-Identifier: Apache-2.0
// Thread pools of the caller: the library's work on threads it does not own. A build whose run time is another has
// nothing but refusals to show.
// covers: THR-01 THR-04 THR-05 API-177 API-178 API-179 API-180 IOP-06 RUN-05
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

#include "c_objects.hpp"
#include "cpu/runtime/threads.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"
#include "this_runtime.hpp"

namespace tessera::test {
namespace {

using dnnl::threadpool_interop::threadpool_iface;

TEST(Threadpool, VersionNamesTheRuntime) { EXPECT_EQ(dnnl_version()->cpu_runtime, built_for()); }

TEST(Threadpool, OtherBuildsSayWhichBuildTakesPools) {
    if (built_for() == DNNL_RUNTIME_THREADPOOL) GTEST_SKIP() << "this build takes pools";
    const std::string option = "-DDNNL_CPU_RUNTIME=THREADPOOL";
    dnnl_stream_t made = nullptr;
    void* pool = nullptr;
    int value = 7;
    const Stream stream;
    const auto refused = [&](dnnl_status_t status) {
        EXPECT_EQ(status, dnnl_unimplemented);
        EXPECT_NE(last_error().find(option), std::string::npos) << last_error();
    };
    refused(dnnl_threadpool_interop_stream_create(&made, cpu(), &value));
    refused(dnnl_threadpool_interop_stream_get_threadpool(stream, &pool));
    refused(dnnl_threadpool_interop_set_max_concurrency(2));
    refused(dnnl_threadpool_interop_get_max_concurrency(&value));
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(pool, nullptr);
    EXPECT_EQ(value, 7);
    EXPECT_THROW(dnnl::threadpool_interop::make_stream(dnnl::engine(dnnl::engine::kind::cpu, 0), nullptr), dnnl::error);
}

thread_local bool inside = false;

// A pool of real threads. Synchronous: parallel_for returns when all is done. Asynchronous: at once, and wait() waits;
// only a reference to the function is kept until then, so that the library must keep it alive.
class Pool final : public threadpool_iface {
public:
    Pool(int threads, bool asynchronous) : asynchronous_(asynchronous) {
        for (int t = 0; t < threads; ++t) threads_.emplace_back([this] { work(); });
    }
    ~Pool() override {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        for (std::thread& t : threads_) t.join();
    }
    int get_num_threads() const override { return reported ? *reported : int(threads_.size()); }
    bool get_in_parallel() const override { return inside; }
    uint64_t get_flags() const override { return asynchronous_ ? ASYNCHRONOUS : 0; }
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        ++calls;
        widest = std::max(widest.load(), n);
        {
            const std::lock_guard lock(mutex_);
            fn_ = &fn;
            next_ = 0;
            count_ = left_ = n;
        }
        changed_.notify_all();
        if (!asynchronous_) finish();
    }
    void wait() override {
        ++waits;
        finish();
    }

    std::atomic<int> calls{0}, waits{0}, widest{0};
    const int* reported = nullptr; // a pool that says something else about its size

private:
    void work() {
        inside = true;
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return stop_ || next_ < count_; });
            if (stop_) return;
            const int i = next_++, n = count_;
            const auto& fn = *fn_;
            lock.unlock();
            fn(i, n);
            lock.lock();
            if (--left_ == 0) changed_.notify_all();
        }
    }
    void finish() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return left_ == 0; });
    }

    const bool asynchronous_;
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(int, int)>* fn_ = nullptr;
    int next_ = 0, count_ = 0, left_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

struct PoolStream : Owner<dnnl_stream_t, dnnl_stream_destroy> {
    explicit PoolStream(Pool& pool) {
        EXPECT_EQ(dnnl_threadpool_interop_stream_create(&handle_, cpu(), &pool), dnnl_success) << last_error();
    }
};

// f32 of 4x67x61x54 (3.5 MB: parallel), as the library sees it: turned, blocked with padding, converted.
struct Job {
    const char* what;
    dnnl_data_type_t type;
    dnnl_format_tag_t tag;
};
constexpr Job jobs[] = {{"copy", dnnl_f32, dnnl_abcd},       {"turned", dnnl_f32, dnnl_acdb},
                        {"blocked", dnnl_f32, dnnl_aBcd16b}, {"blocked s8", dnnl_s8, dnnl_aBcd16b},
                        {"packed s4", dnnl_s4, dnnl_cdba},   {"bf16", dnnl_bf16, dnnl_dcab}};

// Sets max_concurrency of this thread, and puts it back.
struct Concurrency {
    explicit Concurrency(int value) {
        EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&before_), dnnl_success);
        EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(value), dnnl_success);
    }
    ~Concurrency() { EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(before_), dnnl_success); }
    int before_ = 0;
};

class Pools : public testing::Test {
protected:
    void SetUp() override {
        if (built_for() != DNNL_RUNTIME_THREADPOOL) GTEST_SKIP() << "this build has threads of its own";
        auto* values = reinterpret_cast<float*>(from_.bytes.data());
        for (size_t i = 0; i < from_.bytes.size() / sizeof(float); ++i) values[i] = float(int(i * 7919 % 401) - 200);
    }

    std::vector<unsigned char> run(const Job& job, dnnl_stream_t stream, int concurrency) {
        const Concurrency setting(concurrency);
        const Desc dst({4, 67, 61, 54}, job.type, job.tag);
        PrimitiveDesc pd;
        EXPECT_EQ(make_reorder(pd, src_, dst), dnnl_success) << last_error();
        const Primitive primitive(pd);
        const Memory to(dst, 0x5a);
        const std::vector<dnnl_exec_arg_t> args{{DNNL_ARG_FROM, from_}, {DNNL_ARG_TO, to}};
        EXPECT_EQ(dnnl_primitive_execute(primitive, stream, int(args.size()), args.data()), dnnl_success)
            << last_error();
        EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
        return to.bytes;
    }

    Desc src_{{4, 67, 61, 54}, dnnl_f32, dnnl_abcd};
    Memory from_{src_};
};

TEST_F(Pools, ResultsAreThoseOfOneThread) {
    for (const bool asynchronous : {false, true}) {
        Pool pool(4, asynchronous);
        const PoolStream many(pool);
        const Stream one; // without a pool: the calling thread
        for (const Job& job : jobs) {
            const int calls = pool.calls, waits = pool.waits;
            const auto want = run(job, one, 1);
            EXPECT_EQ(pool.calls, calls);
            for (int again = 0; again < 3; ++again)
                EXPECT_EQ(run(job, many, 4), want) << job.what << (asynchronous ? ", asynchronous" : "");
            EXPECT_GE(pool.calls, calls + 3) << job.what << " must use the pool";
            EXPECT_EQ(pool.waits - waits, asynchronous ? pool.calls - calls : 0) << job.what;
        }
        EXPECT_EQ(pool.widest, 4);
    }
}

TEST_F(Pools, MaxConcurrencyAtCreationLimitsTheTeam) {
    Pool pool(4, false);
    const PoolStream stream(pool);
    const auto want = run(jobs[1], Stream(), 1);
    for (const int most : {1, 2, 3, 4, 100}) {
        pool.widest = pool.calls = 0;
        EXPECT_EQ(run(jobs[1], stream, most), want);
        EXPECT_EQ(pool.widest, most == 1 ? 0 : std::min(most, 4)) << "max_concurrency " << most;
        EXPECT_EQ(pool.calls == 0, most == 1);
    }
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(0), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("max_concurrency 0"), std::string::npos) << last_error();
}

TEST_F(Pools, MaxConcurrencyIsOfTheThread) {
    const Concurrency setting(3);
    int here = 0, there = 0;
    std::thread([&] {
        const Concurrency other(2);
        EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&there), dnnl_success);
    }).join();
    EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&here), dnnl_success);
    EXPECT_EQ(here, 3);
    EXPECT_EQ(there, 2);
}

TEST_F(Pools, CallsFromInsideOfThePoolStayOnTheirThread) {
    Pool pool(2, false);
    const PoolStream stream(pool);
    const auto want = run(jobs[1], Stream(), 1);
    std::vector<unsigned char> results[2];
    pool.parallel_for(2, [&](int i, int) { results[i] = run(jobs[1], stream, 2); });
    EXPECT_EQ(pool.calls, 1) << "the test's own";
    EXPECT_EQ(results[0], want);
    EXPECT_EQ(results[1], want);
}

TEST_F(Pools, WithoutThreadsTheCallerWorks) {
    Pool pool(2, false);
    const PoolStream stream(pool);
    const auto want = run(jobs[2], Stream(), 1);
    for (const int size : {1, 0, -5}) {
        pool.reported = &size;
        EXPECT_EQ(run(jobs[2], stream, 4), want) << "a pool that says it has " << size << " threads";
    }
    EXPECT_EQ(pool.calls, 0);
}

// The pool has no idea of exceptions: one that reached its threads would end the process.
TEST_F(Pools, ChunksThatThrowThrowAtTheCaller) {
    for (const bool asynchronous : {false, true}) {
        Pool pool(3, asynchronous);
        std::atomic<int> chunks{0};
        const auto body = [&](int64_t c) {
            ++chunks;
            if (c % 5 == 2) throw std::bad_alloc();
        };
        EXPECT_THROW(cpu::for_chunks(20, 3, Threads{&pool}, body), std::bad_alloc);
        chunks = 0;
        cpu::for_chunks(20, 3, Threads{&pool}, [&](int64_t) { ++chunks; });
        EXPECT_EQ(chunks, 20);
        EXPECT_EQ(pool.calls, 2);
    }
}

TEST_F(Pools, StreamsKnowTheirPool) {
    Pool pool(2, false);
    const PoolStream stream(pool);
    void* answer = nullptr;
    ASSERT_EQ(dnnl_threadpool_interop_stream_get_threadpool(stream, &answer), dnnl_success);
    EXPECT_EQ(answer, static_cast<void*>(&pool));
    EXPECT_EQ(dnnl_threadpool_interop_stream_get_threadpool(Stream(), &answer), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("no thread pool"), std::string::npos) << last_error();
    dnnl_stream_t none = nullptr;
    EXPECT_EQ(dnnl_threadpool_interop_stream_create(&none, cpu(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(none, nullptr);

    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    EXPECT_EQ(dnnl::threadpool_interop::get_threadpool(dnnl::threadpool_interop::make_stream(engine, &pool)), &pool);
}

} // namespace
} // namespace tessera::test
