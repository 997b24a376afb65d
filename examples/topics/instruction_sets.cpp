// SPDX-License-Identifier: Apache-2.0
// Which instructions generated code may use: what the processor has, a limit that a program sets, and when it is too
// late.
//
// The limit belongs to the process and is taken when the first primitive descriptor is made. A program sets it to see
// what it does on older processors, or to get the same bits on all machines of a cluster. It prints which calls took
// effect.

#include <cstdio>
#include <string>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"

using dnnl::memory;

int main() try {
    // [limit]
    const dnnl::status set = dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41); // before any other call
    const dnnl::cpu_isa limited = dnnl::get_effective_cpu_isa();
    // [/limit]
    std::printf("a limit before all else: %s\n", set == dnnl::status::success ? "accepted" : "refused");
    std::printf("in effect: %s\n", limited == dnnl::cpu_isa::sse41 ? "sse41" : "another set");

    // [what runs]
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const memory::desc md({64, 64}, memory::data_type::f32, memory::format_tag::ab);
    const dnnl::matmul::primitive_desc pd(cpu, md, md, md);
    std::printf("matmul: %s\n", pd.impl_info_str()); // generated code needs AVX2
    // [/what runs]

    // [late]
    dnnl_set_verbose(0); // a setting that comes too late is a line of the log
    const dnnl::status late = dnnl::set_max_cpu_isa(dnnl::cpu_isa::isa_default);
    std::printf("a limit afterwards: %s\n", late == dnnl::status::success ? "accepted" : dnnl_tessera_last_error());
    // [/late]
    const bool good = set == dnnl::status::success && limited == dnnl::cpu_isa::sse41 &&
                      std::string(pd.impl_info_str()) == "portable" && late != dnnl::status::success;
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
