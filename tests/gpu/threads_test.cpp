// SPDX-License-Identifier: Apache-2.0
// Threads that use the device at once, beginning with its engine: each makes its own primitives and memory.
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device_work.hpp"
#include "gpu/opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"
#include "settled.hpp"

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

// Engines over contexts of the caller, made and destroyed by every thread: its own, and one that all share.
TEST(DeviceThreads, MakeAndDestroyEngines) {
    if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
    using namespace dnnl;
    const gpu::OpenCl& cl = *gpu::opencl();
    cl_device_id device = ocl_interop::get_device(engine(engine::kind::gpu, 0));
    const auto make_context = [&] {
        cl_int error = CL_SUCCESS;
        return cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    };
    const cl_context common = make_context();
    std::atomic<int> right = 0;
    std::vector<std::thread> team;
    for (int t = 0; t < 6; ++t)
        team.emplace_back([&] {
            for (int i = 0; i < 4; ++i) {
                const cl_context own = make_context();
                for (const cl_context context : {common, own}) {
                    const engine e = ocl_interop::make_engine(device, context);
                    const memory::desc md({3, 5}, memory::data_type::s32, memory::format_tag::ab);
                    memory m(md, e);
                    auto* values = m.map_data<int32_t>();
                    for (int k = 0; k < 15; ++k) values[k] = k;
                    m.unmap_data(values);
                    stream s(e);
                    eltwise_forward(eltwise_forward::primitive_desc(e, prop_kind::forward_inference,
                                                                    algorithm::eltwise_linear, md, md, 2.f, 1.f))
                        .execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
                    s.wait();
                    values = m.map_data<int32_t>();
                    right += values[14] == 29;
                    m.unmap_data(values);
                }
                cl.clReleaseContext(own);
            }
        });
    for (std::thread& t : team) t.join();
    EXPECT_EQ(right, 6 * 4 * 2);
    const auto users = [&] {
        cl_uint count = 0;
        cl.clGetContextInfo(common, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
        return count;
    };
    EXPECT_EQ(settled(users, 1), 1u);
    cl.clReleaseContext(common);
}

} // namespace tessera::test
