// judge: executes one problem line through the public API and compares every byte with the reference.
#pragma once

#include <string>

namespace tessera {

enum class Verdict { passed, failed, refused, skipped };
struct Outcome {
    Verdict verdict;
    std::string reason; // empty where it passed
};

// `refused`: as its --expect asks. `skipped`: it needs more memory than there is for experiments.
Outcome judge(const std::string& text);

} // namespace tessera
