#include "gpu/engine.hpp"

#include <mutex>

#include "core/at_fork.hpp"
#include "core/device.hpp"
#include "core/made_once.hpp"
#include "gpu/device.hpp"
#include "gpu/executable.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

constinit std::mutex first_use;
const bool first_use_is_known = at_fork(first_use);

// Kept once they were found, or once it is sure that there are none: a driver may be out of memory for a moment.
Result<std::vector<cl_device_id>> devices() {
    static constinit MadeOnce<Result<std::vector<cl_device_id>>> once;
    if (const auto* const known = once.if_made()) return *known;
    const std::lock_guard guard(first_use); // PoCL 3.1 crashes where several threads are the first
    if (const auto* const known = once.if_made()) return *known;
    auto found = device_ids();
    if (!found && found.error().status != Status::unimplemented) return found;
    return once.get([&] { return std::move(found); });
}

class Memory final : public DeviceMemory {
public:
    explicit Memory(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    Result<std::shared_ptr<void>> allocate(size_t bytes) override {
        auto made = device_->buffer(bytes);
        if (!made) return Refusal(made.error());
        return std::shared_ptr<void>(*made, made->get());
    }
    std::shared_ptr<void> share(void* handle) override {
        device_->cl.clRetainMemObject(static_cast<cl_mem>(handle));
        return {handle, [device = device_](void* h) { device->cl.clReleaseMemObject(static_cast<cl_mem>(h)); }};
    }
    Result<void> write(void* handle, const void* from, size_t bytes) override {
        if (bytes == 0) return {};
        const cl_int error = device_->cl.clEnqueueWriteBuffer(device_->queue(), static_cast<cl_mem>(handle), CL_TRUE, 0,
                                                              bytes, from, 0, nullptr, nullptr);
        return error == CL_SUCCESS ? Result<void>{} : failed("clEnqueueWriteBuffer", error);
    }
    Result<void> read(void* handle, void* to, size_t bytes) override {
        if (bytes == 0) return {};
        const cl_int error = device_->cl.clEnqueueReadBuffer(device_->queue(), static_cast<cl_mem>(handle), CL_TRUE, 0,
                                                             bytes, to, 0, nullptr, nullptr);
        return error == CL_SUCCESS ? Result<void>{} : failed("clEnqueueReadBuffer", error);
    }
    Result<std::shared_ptr<void>> make_queue() override {
        auto made = device_->make_queue();
        if (!made) return Refusal(made.error());
        return std::shared_ptr<void>(*made, made->get());
    }
    Result<void> wait(void* queue) override {
        const cl_int error = device_->cl.clFinish(static_cast<cl_command_queue>(queue));
        return error == CL_SUCCESS ? Result<void>{} : failed("clFinish", error);
    }

private:
    std::shared_ptr<Device> device_;
};

class OnDevice final : public Executable {
public:
    explicit OnDevice(std::shared_ptr<const DevicePlan> plan) : plan_(std::move(plan)) {}
    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        std::vector<cl_mem> buffers;
        for (void* const p : pointers) buffers.push_back(static_cast<cl_mem>(p));
        const auto done = plan_->run(buffers, static_cast<cl_command_queue>(threads.queue));
        return done ? Status::success : done.error().status;
    }
    std::string_view name() const override { return "opencl"; }
    std::string text() const override { return plan_->text(); }
    std::vector<GeneratedCode> code() const override {
        std::vector<GeneratedCode> all;
        for (std::string& source : plan_->sources()) all.push_back({std::string(kernel_name), std::move(source), {}});
        return all;
    }
    const Plan* runs() const override { return &plan_->plan(); }

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

private:
    std::shared_ptr<Device> device_;
    mutable Memory memory_;
    Machine machine_;
};

} // namespace

size_t device_count() {
    const auto all = devices();
    return all ? all->size() : 0;
}

std::string why_no_device() {
    const auto all = devices();
    return all ? "" : all.error().reason;
}

Result<std::shared_ptr<Engine>> make_engine(size_t index) {
    const auto all = devices();
    if (!all) return Refusal(all.error());
    if (index >= all->size()) return invalid("there is no device {}; there are {}", index, all->size());
    auto device = Device::make(*opencl(), (*all)[index]);
    if (!device) return Refusal(device.error());
    return std::make_shared<GpuEngine>(std::move(*device));
}

} // namespace tessera::gpu
