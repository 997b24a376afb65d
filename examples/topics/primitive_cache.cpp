// SPDX-License-Identifier: Apache-2.0
// The primitive cache: creating what was created before costs microseconds.
//
// The library keeps problems (kind, descriptors, attributes, engine) with their code, 1024 unless told otherwise, and
// drops what was used least recently. Equal problems share one implementation, whichever threads create them. It prints
// the library's own lines about three creations: new, equal, and equal after the cache was turned off and on; then the
// time of a first and a second creation.

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using clock_type = std::chrono::steady_clock;

// [create]
// A softmax over rows; returns microseconds.
double create(const dnnl::engine& cpu, memory::dim columns) {
    const memory::desc md({64, columns}, memory::data_type::f32, memory::format_tag::ab);
    const auto begin = clock_type::now();
    const dnnl::softmax_forward::primitive_desc desc(cpu, dnnl::prop_kind::forward_inference,
                                                     dnnl::algorithm::softmax_accurate, md, md, 1);
    const dnnl::softmax_forward softmax(desc);
    return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}
// [/create]

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const int capacity = dnnl::get_primitive_cache_capacity();
    std::printf("capacity: %d problems\n", capacity);

    dnnl::set_verbose(2); // lines of creations, too
    create(cpu, 1000);    // create:cache_miss
    create(cpu, 1000);    // create:cache_hit
    // [capacity]
    dnnl::set_primitive_cache_capacity(0);        // empties the cache and turns it off
    dnnl::set_primitive_cache_capacity(capacity); // on again, still empty
    // [/capacity]
    create(cpu, 1000); // create:cache_miss
    dnnl::set_verbose(0);

    const double first = create(cpu, 500);
    double second = create(cpu, 500);
    for (int i = 0; i < 10; ++i) second = std::min(second, create(cpu, 500)); // other programs take time, too
    std::printf("first: %.0f us, second: %.1f us\n", first, second);
    if (dnnl::get_primitive_cache_capacity() == capacity && second < first) return 0;
    std::printf("the second creation was not faster\n");
    return 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
