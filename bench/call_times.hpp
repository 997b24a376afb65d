// SPDX-License-Identifier: Apache-2.0
// How calls are timed: creations with descriptors that are there already, and short calls in groups.
//
//   timed("run relu of 8 floats", 50, 200, [&](int) { relu.execute(stream, args); });
//   each_new("create reorder, new shape", 300, reorder_of, create_reorder);
//   each_known("create reorder, known", reorder_of(5000), create_reorder);
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "copy_limit.hpp"
#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {

inline Call summary(std::string name, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return {std::move(name), "us", times.front(), times[times.size() / 2], times[times.size() * 9 / 10], ""};
}

// Time of one f(i), where `samples` clock readings stand around `group` calls each. A counter makes each call's i new.
template <typename F> Call timed(const char* name, int samples, int group, F f) {
    try {
        int i = 0;
        while (i < 3) f(i++); // loads what the first calls load
        std::vector<double> times;
        for (int s = 0; s < samples; ++s) {
            const auto start = std::chrono::steady_clock::now();
            for (int g = 0; g < group; ++g) f(i++);
            times.push_back(seconds_since(start) / group);
        }
        return summary(name, times);
    } catch (const dnnl::error& e) { return {name, "us", 0, 0, 0, e.what()}; }
}

// Creations of `descriptors_of(i)` for i below `count`, each timed alone; descriptors and destruction are not.
template <typename Descriptors> Call each_new(const char* name, int count, Descriptors (*descriptors_of)(int),
                                              dnnl_primitive_t (*create)(const Descriptors&)) {
    std::vector<double> times;
    std::string refusal;
    for (int i = 0; i < count; ++i) {
        const Descriptors of = descriptors_of(i);
        try {
            const auto start = std::chrono::steady_clock::now();
            dnnl_primitive_t primitive = create(of);
            times.push_back(seconds_since(start));
            dnnl_primitive_destroy(primitive);
        } catch (const dnnl::error& e) { refusal = e.what(); } // of some types only: the others are timed
    }
    return times.empty() ? Call{name, "us", 0, 0, 0, refusal} : summary(name, times);
}

// The same descriptors again and again: what a look-up in the primitive cache costs.
template <typename Descriptors>
Call each_known(const char* name, const Descriptors& of, dnnl_primitive_t (*create)(const Descriptors&)) {
    return timed(name, 100, 200, [&](int) { dnnl_primitive_destroy(create(of)); });
}

} // namespace tessera::bench
