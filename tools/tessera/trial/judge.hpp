// SPDX-License-Identifier: Apache-2.0
// judge: executes one problem line on its engine through the public API and compares every byte with the reference.
#pragma once

#include <string>

#include "line/problem_line.hpp"
#include "trial/kept.hpp"

namespace tessera {

enum class Verdict { passed, failed, refused, skipped };
struct Outcome {
    Verdict verdict;
    std::string reason; // empty where it passed
};

// `refused`: as its --expect asks. `skipped`: it needs more memory than there is for experiments, or a device has not
// what it asks for. `otherwise`: the engine of lines that name none. `kept`: for the same line on the next machine.
Outcome judge(const std::string& text, LineEngine otherwise = {}, Kept* kept = nullptr);

} // namespace tessera
