// SPDX-License-Identifier: Apache-2.0
// The C calls of streams. CPU work is done when dnnl_primitive_execute returns, so there is nothing to wait for, and
// submission order is execution order whatever the flags (STR-01..03). The stream of a device has a queue, in order.
#define DNNL_EXPERIMENTAL_PROFILING // declares the two calls of STR-04, which every build exports
#include <algorithm>

#include "api/guard.hpp"
#include "api/objects/handles.hpp"

using namespace tessera;

dnnl_status_t dnnl_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, unsigned int flags) {
    return guarded("dnnl_stream_create", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "engine", engine); !ok) return ok;
        constexpr unsigned in_order = 1, out_of_order = 2, profiling = 4;
        if (flags & ~(in_order | out_of_order | profiling))
            return invalid("flags {:#x} has unknown bits; in_order (1), out_of_order (2) and profiling (4) exist",
                           flags);
        const unsigned order = flags & (in_order | out_of_order);
        if (order != in_order && order != out_of_order)
            return invalid("flags {:#x} must have one of in_order (1) and out_of_order (2)", flags);
        DeviceMemory* const memory = engine->memory;
        if ((flags & profiling) && !memory)
            return unimplemented("a profiling stream needs a GPU engine; on the CPU an execution can be timed around "
                                 "the call, which returns when it is done");
        if ((flags & profiling) && order == out_of_order)
            return invalid("flags {:#x}: profiling (4) needs in_order (1), so that there is an order of the times",
                           flags);
        std::shared_ptr<DeviceQueue> queue;
        if (memory) {
            auto made = memory->make_queue(flags);
            if (!made) return Refusal(made.error());
            queue = std::move(*made);
        }
        *stream = new dnnl_stream{engine, flags, nullptr, std::move(queue)};
        return {};
    });
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t* engine) {
    return guarded("dnnl_stream_get_engine", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "engine", engine); !ok) return ok;
        *engine = stream->engine;
        return {};
    });
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
    return guarded("dnnl_stream_wait", [&]() -> Result<void> {
        if (auto ok = need(stream, "stream"); !ok) return ok;
        if (!stream->queue) return {};
        return stream->queue->wait({});
    });
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
    delete stream; // null is nothing to destroy
    return dnnl_success;
}

namespace {

Result<void> check_profiling(const dnnl_stream* stream) {
    if (auto ok = need(stream, "stream"); !ok) return ok;
    if (stream->queue && (stream->flags & dnnl_stream_profiling)) return {};
    return invalid("the stream was created without dnnl_stream_profiling, which GPU engines have");
}

} // namespace

dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream) {
    return guarded("dnnl_reset_profiling", [&]() -> Result<void> {
        if (auto ok = check_profiling(stream); !ok) return ok;
        stream->queue->forget_times();
        return {};
    });
}

dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind, int* num_entries,
                                        uint64_t* data) {
    return guarded("dnnl_query_profiling_data", [&]() -> Result<void> {
        if (auto ok = check_profiling(stream); !ok) return ok;
        if (auto ok = need(num_entries, "num_entries"); !ok) return ok;
        if (data_kind != dnnl_profiling_data_kind_time)
            return invalid("data_kind {}: there is dnnl_profiling_data_kind_time, in nanoseconds", int(data_kind));
        const auto times = stream->queue->times();
        if (!times) return Refusal(times.error());
        if (data && *num_entries < int(times->size()))
            return invalid("room for {:entry|entries}, and there are {}; a call with data NULL says how many",
                           counted(*num_entries), times->size());
        if (data) std::ranges::copy(*times, data);
        *num_entries = int(times->size());
        return {};
    });
}
