// SPDX-License-Identifier: Apache-2.0
// The C calls for thread pools of the caller (THR-04).
#include "oneapi/dnnl/dnnl_threadpool.h"

#include "api/objects/threadpool.hpp"

#include "api/guard.hpp"
#include "api/objects/handles.hpp"
#include "cpu/runtime/threads.hpp"

using namespace tessera;

Result<void> tessera::need_pools() {
    if (cpu::runtime() == cpu::Runtime::threadpool) return {};
    return unimplemented("this build has its own threads, which streams and calls without a pool use; a build with "
                         "-DDNNL_CPU_RUNTIME=THREADPOOL takes pools");
}

dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, void* threadpool) {
    return guarded("dnnl_threadpool_interop_stream_create", [&]() -> Result<void> {
        if (auto ok = need_pools(); !ok) return ok;
        if (auto ok = need("stream", stream, "engine", engine, "threadpool", threadpool); !ok) return ok;
        *stream = new dnnl_stream{engine, unsigned(dnnl_stream_in_order), threadpool};
        return {};
    });
}

dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t stream, void** threadpool) {
    return guarded("dnnl_threadpool_interop_stream_get_threadpool", [&]() -> Result<void> {
        if (auto ok = need_pools(); !ok) return ok;
        if (auto ok = need("stream", stream, "threadpool", threadpool); !ok) return ok;
        if (!stream->pool)
            return invalid("the stream has no thread pool; dnnl_threadpool_interop_stream_create makes one that has");
        *threadpool = stream->pool;
        return {};
    });
}

dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int value) {
    return guarded("dnnl_threadpool_interop_set_max_concurrency", [&]() -> Result<void> {
        if (auto ok = need_pools(); !ok) return ok;
        if (value < 1) return invalid("max_concurrency {} must be at least 1", value);
        cpu::set_max_threads(value);
        return {};
    });
}

dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int* value) {
    return guarded("dnnl_threadpool_interop_get_max_concurrency", [&]() -> Result<void> {
        if (auto ok = need_pools(); !ok) return ok;
        if (auto ok = need(value, "max_concurrency"); !ok) return ok;
        *value = cpu::max_threads();
        return {};
    });
}
