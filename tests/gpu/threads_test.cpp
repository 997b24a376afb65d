// Threads that use the device at once, beginning with its engine: each makes its own primitives and memory.
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device_work.hpp"
#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::test {

TEST(DeviceThreads, AgreeWithOne) {
    constexpr size_t threads = 8, turns = 4;
    std::map<std::string, std::vector<unsigned char>> first[threads];
    std::atomic<int> different = 0, refused = 0;
    std::vector<std::thread> team;
    for (size_t t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) return;
            const auto& all = device_work();
            for (size_t i = 0; i < turns * all.size(); ++i) {
                const DeviceWork& work = all[(i + t) % all.size()]; // every thread begins with another one
                try {
                    const auto bytes = work.run();
                    auto& known = first[t][work.name];
                    if (known.empty()) known = bytes;
                    different += known != bytes;
                } catch (const dnnl::error& e) { refused += std::puts(e.what()) >= 0; }
            }
        });
    for (std::thread& t : team) t.join();
    if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
    EXPECT_EQ(refused, 0);
    EXPECT_EQ(different, 0);
    for (const DeviceWork& work : device_work())
        for (size_t t = 0; t < threads; ++t)
            EXPECT_EQ(first[t][work.name], work.run()) << work.name << ", thread " << t;
}

} // namespace tessera::test
