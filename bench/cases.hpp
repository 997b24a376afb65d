// The cases of the mover benchmark, each a primitive on buffers of its own, made through the public interface.
//
//   for (const Case& c : reorder_cases()) measure_in_turns(c.make().run, ...);
//
// make() throws dnnl::error where the library refuses the problem. Bytes are those of the elements read plus those
// written, padding of the destination included; elements are those of the tensor.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::bench {

struct Work {
    std::function<void()> run;
    int64_t bytes = 0, elements = 0;
};

struct Case {
    std::string set, name;
    std::function<Work()> make;
};

std::vector<Case> reorder_cases();   // 6x6 types x {abcd, acdb, aBcd16b}^2 at 8x64x56x56: 324
std::vector<Case> shuffle_cases();   // 6 types x {nchw, nhwc, nChw16c} x ten layers of published networks: 180
std::vector<Case> transpose_cases(); // squares, odd and thin matrices, reversals, weights, padded channels: 28

// Calls without the work: microseconds to create a primitive of a new shape, of a known one, and to run a tiny one.
struct Call {
    std::string name;
    double best = 0, median = 0; // seconds
    std::string refusal;         // why not, if it was refused
};
std::vector<Call> time_calls();

} // namespace tessera::bench
