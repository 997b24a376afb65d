// SPDX-License-Identifier: Apache-2.0
#include "on_sycl/inner.hpp"

#include <cstdlib>
#include <string_view>

#include <sycl/backend/opencl.hpp>

#include "cpu/engine.hpp"
#ifdef TESSERA_OPENCL
#include "gpu/engine.hpp"
#endif

namespace tessera::on_sycl {

bool is_for_opencl(const sycl::device& device) {
    if (!device.is_cpu()) return true;
    const char* asked = std::getenv("TESSERA_OPENCL_DEVICES"); // as src/gpu asks it
    return asked && std::string_view(asked) == "all" && device.get_backend() == sycl::backend::opencl;
}

#ifdef TESSERA_OPENCL

Result<std::shared_ptr<Engine>> make_inner(const Device& device) {
    if (device.on_host) return cpu::make_engine();
    if (device.device.get_backend() != sycl::backend::opencl)
        return unimplemented("{} is not a device of SYCL's OpenCL backend; ONEAPI_DEVICE_SELECTOR=opencl:* shows those",
                             device.name());
    // get_native retains for its caller, as make_engine does for itself.
    const cl_context context = sycl::get_native<sycl::backend::opencl>(device.context);
    auto made = gpu::make_engine(sycl::get_native<sycl::backend::opencl>(device.device), context);
    if (made) gpu::release_context(context);
    return made;
}

Result<void> run_on_native_queue(const Engine& inner, const Executable& executable, sycl::interop_handle& interop,
                                 std::span<void* const> handles, std::span<const MemoryKind> kinds) {
    const cl_command_queue native = interop.get_native_queue<sycl::backend::opencl>(); // retained
    unsigned flags = 0;
    auto over = gpu::make_queue(inner, native, flags);
    gpu::release_queue(native);
    if (!over) return Refusal(over.error());
    Submission submission;
    submission.queue = over->get(), submission.kinds = kinds;
    Threads threads;
    threads.device = &submission;
    const Status status = executable.run(handles, threads);
    const auto waited = (*over)->wait({}); // also for what was queued before something failed
    if (status != Status::success) return Refusal(submission.failure ? *submission.failure : Error{status, ""});
    return waited;
}

#else

Result<std::shared_ptr<Engine>> make_inner(const Device& device) {
    if (device.on_host) return cpu::make_engine();
    return unimplemented("{}: this build has engines of CPUs alone; headers of OpenCL (opencl-c-headers) were missing",
                         device.name());
}

Result<void> run_on_native_queue(const Engine&, const Executable&, sycl::interop_handle&, std::span<void* const>,
                                 std::span<const MemoryKind>) {
    return runtime_error("this build has engines of CPUs alone");
}

#endif

} // namespace tessera::on_sycl
