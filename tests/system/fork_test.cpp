// SPDX-License-Identifier: Apache-2.0
// fork() while other threads create, execute and evict primitives: the child has a library that works, and neither side
// overwrites code that the other one runs. (THR-05 is about the library's helpers, src/cpu/runtime/pool_test.cpp.)
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/jit/code/code_memory.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "this_runtime.hpp"

namespace tessera::test {
namespace {

using dnnl::memory;

// dst = n * src by a linear function behind a transposition: n is a part of the program, so of the kernel's key.
class Scaling {
public:
    explicit Scaling(int n, int64_t rows = 33) : n_(n), rows_(rows) {
        dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
        const memory::desc src({rows, 40}, memory::data_type::f32, memory::format_tag::ab);
        const memory::desc dst({rows, 40}, memory::data_type::f32, memory::format_tag::ba);
        dnnl::post_ops post_ops;
        post_ops.append_eltwise(dnnl::algorithm::eltwise_linear, float(n), 0.f);
        dnnl::primitive_attr attr;
        attr.set_post_ops(post_ops);
        primitive_ = dnnl::eltwise_forward(
            {cpu, dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_abs, src, dst, 0.f, 0.f, attr});
        src_.assign(size_t(rows * 40), 0.f);
        for (size_t i = 0; i < src_.size(); ++i) src_[i] = -float(i % 101);
        dst_.assign(src_.size(), 0.f);
        stream_ = dnnl::stream(cpu);
        from_ = memory(src, cpu, src_.data());
        to_ = memory(dst, cpu, dst_.data());
    }
    bool right() {
        std::fill(dst_.begin(), dst_.end(), -1.f);
        primitive_.execute(stream_, {{DNNL_ARG_SRC, from_}, {DNNL_ARG_DST, to_}});
        stream_.wait();
        for (int64_t r = 0; r < rows_; ++r)
            for (int64_t c = 0; c < 40; ++c)
                if (dst_[size_t(c * rows_ + r)] != float(n_) * -src_[size_t(r * 40 + c)]) return false;
        return true;
    }

private:
    int n_;
    int64_t rows_;
    dnnl::primitive primitive_;
    dnnl::stream stream_;
    std::vector<float> src_, dst_;
    memory from_, to_;
};

void empty_cache() {
    dnnl_set_primitive_cache_capacity(0);
    dnnl_set_primitive_cache_capacity(1024);
}

// The exit status of a child that runs `body`, 0 for true; a signal's number if it hung for 30 s or crashed.
template <typename Body> pid_t start_child(const Body& body) {
    const pid_t child = fork();
    if (child) return child;
    alarm(30);
    int status = 1;
    try {
        status = body() ? 0 : 1;
    } catch (...) { status = 2; }
    _exit(status); // what the other threads of the parent held is nobody's here: a leak to leak checkers
}

int end_of(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

class Fork : public testing::Test {
protected:
    void SetUp() override { set_threads(2); }
};

TEST_F(Fork, ChildrenOfAProcessThatCreates) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer's own allocator is not made for fork() beside other threads";
#endif
    // Lines of the log have a lock as well; nobody reads them.
    const int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dnnl_set_verbose(2);

    Scaling from_parent(3), large(5, 3000); // large: threads take part
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0}, created{0};
    std::vector<std::thread> busy;
    for (int t = 0; t < 3; ++t)
        busy.emplace_back([&, t] {
            for (int i = 0; !stop; ++i) {
                Scaling one(10 + t * 1000 + i % 500, 20 + i % 7);
                wrong += !one.right();
                wrong += !Scaling(7).right(); // what all three want
                if (i % 16 == 15) empty_cache();
                ++created;
            }
        });
    while (created < 20) std::this_thread::yield();
    int bad = 0;
    std::string first;
    for (int i = 0; i < 200; ++i) {
        const int status = end_of(start_child([&] {
            bool fine = from_parent.right();    // the parent's code
            fine = fine && Scaling(7).right();  // from the cache, or what somebody was making
            fine = fine && Scaling(-2).right(); // code of its own
            fine = fine && large.right();       // threads of its own
            empty_cache();                      // lets go of the parent's
            for (int n = 0; n < 4; ++n) fine = fine && Scaling(100 + n).right();
            return fine && from_parent.right();
        }));
        bad += status != 0;
        if (status != 0 && first.empty()) first = "child " + std::to_string(i) + ": status " + std::to_string(status);
    }
    stop = true;
    for (std::thread& t : busy) t.join();
    dnnl_set_verbose(0);
    std::fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out), close(null);
    EXPECT_EQ(bad, 0) << first;
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(from_parent.right());
}

// Each thread reads the reason of its own last call, beside others that are refused at the same time, and so does a
// child.
TEST_F(Fork, ReasonsBelongToTheirThreads) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer's own allocator is not made for fork() beside other threads";
#endif
    const auto right = [](int number) {
        const dnnl_dims_t dims = {-number};
        dnnl_memory_desc_t none = nullptr;
        const dnnl_status_t status = dnnl_memory_desc_create_with_tag(&none, 1, dims, dnnl_f32, dnnl_a);
        const std::string in_cpp = dnnl_tessera_last_error_cpp(), in_c = dnnl_tessera_last_error();
        return status == dnnl_invalid_arguments && in_c == "dnnl_memory_desc_create_with_tag: " + in_cpp &&
               in_cpp.starts_with("dims -" + std::to_string(number) + ": -" + std::to_string(number) + " is negative");
    };
    std::atomic<int> wrong{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> refused;
    for (int t = 1; t <= 16; ++t)
        refused.emplace_back([&, t] {
            for (int i = 0; !stop; ++i) wrong += !right(t * 1000000 + i % 1000000);
        });
    int bad = 0;
    ASSERT_TRUE(right(77));
    for (int i = 0; i < 40; ++i)
        bad += end_of(start_child([&] {
                   bool fine = std::string(dnnl_tessera_last_error()).find("-77 is negative") != std::string::npos;
                   std::thread([&] { fine = fine && *dnnl_tessera_last_error() == 0 && right(5); }).join();
                   return fine && right(78);
               })) != 0;
    stop = true;
    for (std::thread& t : refused) t.join();
    EXPECT_EQ(bad, 0);
    EXPECT_EQ(wrong, 0);
}

// A child has code of its own in place before it releases the parent's.
TEST_F(Fork, AChildLetsGoOfTheParentsCode) {
    empty_cache();
    auto released = std::make_unique<Scaling>(3);
    Scaling kept(4);
    EXPECT_EQ(end_of(start_child([&] {
                  bool fine = Scaling(5).right();
                  released.reset();
                  empty_cache();
                  std::vector<std::unique_ptr<Scaling>> more;
                  for (int n = 0; n < 20; ++n) more.push_back(std::make_unique<Scaling>(20 + n));
                  for (auto& one : more) fine = fine && one->right();
                  return fine && kept.right();
              })),
              0);
    EXPECT_TRUE(released->right());
    EXPECT_TRUE(kept.right());
}

// A parent releases code that its child still runs, and makes other code.
TEST_F(Fork, AParentLeavesTheChildsCodeAlone) {
    empty_cache();
    std::vector<std::unique_ptr<Scaling>> shared;
    for (int n = 0; n < 20; ++n) shared.push_back(std::make_unique<Scaling>(50 + n));
    std::array<int, 2> go{};
    ASSERT_EQ(pipe(go.data()), 0);
    const pid_t child = start_child([&] {
        char letter;
        if (read(go[0], &letter, 1) != 1) return false;
        bool fine = true;
        for (auto& one : shared) fine = fine && one->right();
        return fine;
    });
    shared.clear();
    empty_cache();
    for (int n = 0; n < 40; ++n) {
        shared.push_back(std::make_unique<Scaling>(200 + n));
        EXPECT_TRUE(shared.back()->right());
    }
    ASSERT_EQ(write(go[1], "x", 1), 1);
    EXPECT_EQ(end_of(child), 0);
    close(go[0]), close(go[1]);
}

int code_mappings() {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);) count += line.find("tessera code") != std::string::npos;
    return count;
}

// A child releases the parent's code and gives none of those places to its own, which the parent would run. Segments in
// which a child may run code are not used again, but they do not pile up either.
TEST_F(Fork, CodeMemoryGoesBackToTheSystem) {
    using cpu::jit::place, cpu::jit::release, cpu::jit::code_bytes;
    const std::vector<uint8_t> code(300000, 0xc3);
    const void* probe = place(code);
    if (!probe) GTEST_SKIP() << "no executable memory on this system";
    release(probe);
    const size_t bytes = code_bytes();
    const int mappings = code_mappings();
    for (int round = 0; round < 30; ++round) {
        std::vector<const void*> places;
        for (int i = 0; i < 10; ++i) places.push_back(place(code));
        const int status = end_of(start_child([&] {
            bool fine = place(code) != nullptr; // of its own
            for (const void* p : places) release(p);
            for (int i = 0; i < 20; ++i) // more than its first segment holds; not over the parent's
                fine = fine && std::find(places.begin(), places.end(), place(code)) == places.end();
            return fine;
        }));
        EXPECT_EQ(status, 0);
        for (const void* p : places) release(p);
        EXPECT_EQ(code_bytes(), bytes);
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_LE(code_mappings(), mappings + 10); // 3 or 4 segments of two views are in use at a time
}

} // namespace
} // namespace tessera::test
