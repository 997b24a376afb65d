// SPDX-License-Identifier: Apache-2.0
// The common part of `reorder` and `shuffle` of files: execute into the output file, check, time, report.
#pragma once

#include <memory>

#include "commands/commands.hpp"
#include "core/problem/problem.hpp"
#include "files/tensor_file.hpp"

namespace tessera::commands {

struct TransformOptions {
    std::string in, out, dims, tile;
    LoadOptions load;
    bool check = false, time = false, brief = false;
    int turns = 5;
    ColorChoice color = ColorChoice::automatic;

    void add(Arguments& command);
    // --dims and --tile into `load`, the name of the output; a refusal is wrong usage. The standard output as a file is
    // reserved here, before anything prints.
    Result<void> prepare();
};

// One value for every element: execution-time memory of a scale or zero point.
struct SingleValue {
    int arg; // arg::scales | arg::src ...
    float scale = 1.f;
    int32_t zero_point = 0;
};

// A primitive that was created, as a call; `execute` may throw dnnl::error.
struct Transform {
    Problem problem;
    std::string out_tag;
    std::string title; // of a table row; empty: types and tags of both sides
    std::vector<SingleValue> values;
    std::function<void(void* from, void* to)> execute;
};
Result<int> perform(const TransformOptions& options, const LoadedTensor& in, Transform& transform);

// A tag that no rank has is wrong usage; one that does not fit the file's rank is not.
Result<void> possible_tag(const char* option, const std::string& tag);

// dnnl::error as a refusal.
Result<void> outcome_of(const std::function<void()>& work);

} // namespace tessera::commands
