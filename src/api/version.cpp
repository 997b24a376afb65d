// SPDX-License-Identifier: Apache-2.0
// Versions: of the interface, which programs for oneDNN ask, and of this library. A file of its own: it alone is
// compiled again for another commit.
#include <cstdlib>
#include <iterator>

#include "cpu/runtime/threads.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_tessera.h"

using namespace tessera;

const dnnl_version_t* dnnl_version() {
#ifndef TESSERA_COMMIT
#define TESSERA_COMMIT "N/A"
#endif
    // One constant per run time: a static initialised at run time would have a lock (core/at_fork.hpp).
#define VERSION_OF(runtime)                                                                                            \
    { DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, TESSERA_COMMIT, unsigned(runtime), DNNL_GPU_RUNTIME }
    using cpu::Runtime;
    static constexpr dnnl_version_t versions[] = {VERSION_OF(Runtime::omp), VERSION_OF(Runtime::tbb),
                                                  VERSION_OF(Runtime::threadpool), VERSION_OF(Runtime::seq)};
#undef VERSION_OF
    const dnnl_version_t* version = versions;
    while (version != std::prev(std::end(versions)) && version->cpu_runtime != unsigned(cpu::runtime())) ++version;
    return version;
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
const char* dnnl_tessera_version() {
    return VERSION_TEXT(TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH);
}
