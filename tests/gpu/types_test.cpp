// SPDX-License-Identifier: Apache-2.0
// Stored types where kernels take the device's own conversions: every code of f16 is that of core/types.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "core/types/codecs.hpp"
#include "first_device.hpp"
#include "gpu/device.hpp"
#include "gpu/header.hpp"

namespace tessera {

namespace {

constexpr size_t codes = 1 << 16, halves = 8; // numbers around each code that are converted to f16

// All codes, and for each of them floats at it, halfway to the next one and a bit beside both.
std::vector<uint32_t> floats_around(uint32_t code) {
    const float at = f16_to_f32(uint16_t(code)), next = f16_to_f32(uint16_t(code + 1));
    const float middle = at / 2 + next / 2;
    std::vector<uint32_t> all;
    for (const float x : {at, middle}) {
        all.push_back(std::bit_cast<uint32_t>(x));
        for (const int by : {-1, 1, 4096}) all.push_back(std::bit_cast<uint32_t>(x) + uint32_t(by));
    }
    return all;
}

} // namespace

TEST(TypesOnDevices, f16_by_the_conversions_of_the_device) {
    const auto made = test::first_device();
    if (!made) GTEST_SKIP() << "no device of OpenCL";
    gpu::Device& device = *made;
    const gpu::OpenCl* const cl = &device.cl;
    const auto program = device.program(gpu::source_in_front(false, true) + R"cl(
kernel void convert(global const uint* floats, global uint* narrow, global uint* wide) {
    const size_t code = get_global_id(0);
    for (int n = 0; n < 8; ++n) narrow[code * 8 + n] = narrow_f16(as_float(floats[code * 8 + n]));
    wide[code] = as_uint(widen_f16((uint)code));
}
)cl");
    ASSERT_TRUE(program) << program.error().reason;
    const auto kernel = device.kernel(program->get(), "convert");
    ASSERT_TRUE(kernel) << kernel.error().reason;
    std::vector<uint32_t> floats, narrow(codes * halves), wide(codes);
    for (uint32_t code = 0; code < codes; ++code) {
        const auto some = floats_around(code);
        floats.insert(floats.end(), some.begin(), some.end());
    }
    std::vector<gpu::Owned<cl_mem>> buffers;
    for (const auto* numbers : {&floats, &narrow, &wide}) {
        auto buffer = device.buffer(numbers->size() * sizeof(uint32_t), numbers->data());
        ASSERT_TRUE(buffer) << buffer.error().reason;
        buffers.push_back(std::move(*buffer));
        const cl_mem memory = buffers.back().get();
        ASSERT_EQ(cl->clSetKernelArg(kernel->get(), cl_uint(buffers.size() - 1), sizeof memory, &memory), CL_SUCCESS);
    }
    ASSERT_EQ(
        cl->clEnqueueNDRangeKernel(device.queue(), kernel->get(), 1, nullptr, &codes, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    const auto read = [&](size_t buffer, std::vector<uint32_t>& to) {
        return cl->clEnqueueReadBuffer(device.queue(), buffers[buffer].get(), CL_TRUE, 0, to.size() * sizeof(uint32_t),
                                       to.data(), 0, nullptr, nullptr);
    };
    ASSERT_EQ(read(1, narrow), CL_SUCCESS);
    ASSERT_EQ(read(2, wide), CL_SUCCESS);
    const auto is_same = [](float got, float expected) { // a NaN is any
        return expected != expected ? got != got : std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(expected);
    };
    for (uint32_t code = 0; code < codes; ++code)
        ASSERT_TRUE(is_same(std::bit_cast<float>(wide[code]), f16_to_f32(uint16_t(code)))) << std::hex << code;
    for (size_t i = 0; i < floats.size(); ++i)
        ASSERT_TRUE(is_same(f16_to_f32(uint16_t(narrow[i])), f16_to_f32(f32_to_f16(std::bit_cast<float>(floats[i])))))
            << std::hex << floats[i];
}

} // namespace tessera
