// SPDX-License-Identifier: Apache-2.0
// Whether times that are measured on this machine can be believed: the same work, over and over between measurements,
// takes the same time where nothing disturbs it.
//
//   Noise noise;
//   noise.probe();                        // before and after what is measured: some milliseconds
//   if (noise.too_much()) warn(noise.text());   // "41 of 64 probes took more than 1.2 times the best, 1.87 on average"
#pragma once

#include <string>
#include <vector>

namespace tessera {

class Noise {
public:
    void probe();             // 16 times a millisecond of work on each thread of the library at once
    void add(double seconds); // of one probe
    int disturbed() const;    // probes that took more than 1.2 times the best: clocks that follow the load change less
    double average() const;   // over the best
    // A quarter of the probes. Of seven turns, as `bench` takes, the median is a disturbed one in 7 of 100 runs then,
    // the best in 1 of 16,000; with half of them disturbed in 50 and 0.8 of 100.
    bool too_much() const { return 4 * disturbed() >= int(seconds_.size()) && !seconds_.empty(); }
    std::string text() const;

private:
    std::vector<double> seconds_;
};

} // namespace tessera
