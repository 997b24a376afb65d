// SPDX-License-Identifier: Apache-2.0
#include "gpu/engine.hpp"

#include <algorithm>
#include <mutex>

#include "core/at_fork.hpp"
#include "core/made_once.hpp"
#include "gpu/executable.hpp"
#include "gpu/memory.hpp"
#include "gpu/queue.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

constinit std::mutex first_use;
const bool first_use_is_known = at_fork(first_use);

struct Devices {
    std::vector<cl_device_id> all;
    std::string why_none;
};

// Kept once they were found, or once it is sure that there are none: a driver may be out of memory for a moment.
Devices devices() {
    static constinit MadeOnce<Devices> once;
    if (const Devices* const known = once.if_made()) return *known;
    const std::lock_guard guard(first_use); // PoCL 3.1 crashes where several threads are the first
    if (const Devices* const known = once.if_made()) return *known;
    auto found = device_ids();
    if (!found && found.error().status != Status::unimplemented) return {{}, found.error().reason};
    return once.get([&] { return found ? Devices{std::move(*found), ""} : Devices{{}, found.error().reason}; });
}

class OnDevice final : public Executable {
public:
    explicit OnDevice(std::shared_ptr<const DevicePlan> plan) : plan_(std::move(plan)) {}
    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        auto done = plan_->run(pointers, *threads.device);
        if (done) return Status::success;
        if (done.error().reason.empty()) return done.error().status; // of lists of elements: the caller has the words
        threads.device->failure = std::move(done.error());
        return threads.device->failure->status;
    }
    std::string_view name() const override { return "opencl"; }
    std::string text() const override { return plan_->text(); }
    std::vector<GeneratedCode> code() const override {
        std::vector<GeneratedCode> all;
        for (std::string& source : plan_->sources()) all.push_back({std::string(kernel_name), std::move(source), {}});
        return all;
    }
    const Plan* runs() const override { return &plan_->plan(); }
    std::vector<cl_program> programs() const { return plan_->programs(); }

private:
    std::shared_ptr<const DevicePlan> plan_;
};

class GpuEngine final : public Engine {
public:
    explicit GpuEngine(std::shared_ptr<Device> device) : device_(std::move(device)), memory_(device_) {
        machine_.name = device_->name;
    }
    EngineKind kind() const override { return EngineKind::gpu; }
    const Machine& machine() const override { return machine_; }
    int threads() const override { return 1; } // of the host
    Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan) const override {
        auto made = DevicePlan::make(device_, *plan);
        if (!made) return Refusal(made.error());
        return std::make_shared<const OnDevice>(std::move(*made));
    }
    DeviceMemory* memory() const override { return &memory_; }
    Result<std::vector<uint8_t>> kernels(const Executable* executable) const override {
        if (!executable) return device_->kernels(nullptr);
        const auto programs = static_cast<const OnDevice*>(executable)->programs();
        return device_->kernels(&programs);
    }
    Result<void> add_kernels(std::span<const uint8_t> blob) const override { return device_->add_kernels(blob); }
    std::vector<uint8_t> kernels_id() const override {
        return {device_->id_of_kernels().begin(), device_->id_of_kernels().end()};
    }
    const std::shared_ptr<Device>& device() const { return device_; }

private:
    std::shared_ptr<Device> device_;
    mutable Memory memory_;
    Machine machine_;
};

} // namespace

size_t device_count() { return devices().all.size(); }

std::string why_no_device() { return devices().why_none; }

Result<std::shared_ptr<Engine>> make_engine(size_t index) {
    const Devices found = devices();
    if (index >= found.all.size())
        return runtime_error("there are {} devices now; {} is none of them", found.all.size(), index);
    auto device = Device::make(*opencl(), found.all[index]);
    if (!device) return Refusal(device.error());
    return std::make_shared<GpuEngine>(std::move(*device));
}

Result<std::shared_ptr<Engine>> make_engine(void* device, void* context) {
    const OpenCl* const cl = opencl();
    if (!cl) return unimplemented("{}", opencl_reason());
    const auto of = static_cast<cl_context>(context);
    const auto id = static_cast<cl_device_id>(device);
    size_t bytes = 0;
    cl_int error = cl->clGetContextInfo(of, CL_CONTEXT_DEVICES, 0, nullptr, &bytes);
    std::vector<cl_device_id> of_context(bytes / sizeof id);
    if (error == CL_SUCCESS) error = cl->clGetContextInfo(of, CL_CONTEXT_DEVICES, bytes, of_context.data(), nullptr);
    if (error != CL_SUCCESS) return invalid("no cl_context: clGetContextInfo says {}", name_of_error(error));
    if (std::ranges::find(of_context, id) == of_context.end())
        return invalid("the device is none of the {} of the context", of_context.size());
    auto made = Device::make(*cl, id, of);
    if (!made) return Refusal(made.error());
    return std::make_shared<GpuEngine>(std::move(*made));
}

bool sums_as_defined(const Engine& engine) {
    const auto* const on = dynamic_cast<const GpuEngine*>(&engine);
    return !on || row_of(*on->device()).processor();
}

Result<std::shared_ptr<DeviceQueue>> make_queue(const Engine& engine, void* queue, unsigned& flags) {
    const auto* const on = dynamic_cast<const GpuEngine*>(&engine);
    if (!on) return invalid("the engine is not of OpenCL");
    return Queue::over(on->device(), static_cast<cl_command_queue>(queue), flags);
}

void release_context(void* context) { opencl()->clReleaseContext(static_cast<cl_context>(context)); }
void release_queue(void* queue) { opencl()->clReleaseCommandQueue(static_cast<cl_command_queue>(queue)); }

DeviceHandles handles_of(const Engine& engine) {
    const auto* const on = dynamic_cast<const GpuEngine*>(&engine);
    return on ? DeviceHandles{on->device()->id, on->device()->context()} : DeviceHandles{};
}

Result<std::vector<uint8_t>> kernels_id_of(void* device) {
    const OpenCl* const cl = opencl();
    if (!cl) return unimplemented("{}", opencl_reason());
    const std::string id = id_of_kernels(*cl, static_cast<cl_device_id>(device));
    return std::vector<uint8_t>(id.begin(), id.end());
}

Result<void*> take_event(const std::shared_ptr<void>& event) {
    const cl_int error = opencl()->clRetainEvent(static_cast<cl_event>(event.get()));
    if (error != CL_SUCCESS) return failed("clRetainEvent", error);
    return event.get();
}

} // namespace tessera::gpu
