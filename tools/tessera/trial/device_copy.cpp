// SPDX-License-Identifier: Apache-2.0
#include "trial/device_copy.hpp"

#include <algorithm>

#include "api/objects/handles.hpp"
#ifdef TESSERA_OPENCL
#include "gpu/opencl.hpp"
#endif

namespace tessera {

#ifdef TESSERA_OPENCL
Result<std::function<void()>> copy_on_device(const dnnl::engine& engine, int64_t bytes) {
    const size_t half = size_t(std::max<int64_t>(bytes / 2, 1));
    const dnnl::memory::desc md({dnnl::memory::dim(half)}, dnnl::memory::data_type::u8, dnnl::memory::format_tag::a);
    return [half, from = dnnl::memory(md, engine), to = dnnl::memory(md, engine), stream = dnnl::stream(engine)] {
        const gpu::OpenCl& cl = *gpu::opencl();
        const auto queue = static_cast<cl_command_queue>(stream.get()->queue->handle());
        const auto buffer = [](const dnnl::memory& m) { return static_cast<cl_mem>(m.get_data_handle()); };
        cl_int error = cl.clEnqueueCopyBuffer(queue, buffer(from), buffer(to), 0, 0, half, 0, nullptr, nullptr);
        if (error == CL_SUCCESS) error = cl.clFinish(queue);
        if (error != CL_SUCCESS) throw dnnl::error(dnnl_runtime_error, "a copy on the device failed");
    };
}
#else
Result<std::function<void()>> copy_on_device(const dnnl::engine&, int64_t) {
    return unimplemented("this build has no engines of devices");
}
#endif

} // namespace tessera
