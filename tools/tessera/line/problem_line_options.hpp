// SPDX-License-Identifier: Apache-2.0
// One option of a problem line into the fields it sets.
#pragma once

#include "line/problem_line.hpp"

namespace tessera {

// A line during parsing: lists over the sources, whose entries are assigned to the sources at the end.
struct ReadLine {
    ProblemLine line;
    std::vector<DataType> types;
    std::vector<std::string> tags;
    std::vector<std::vector<int64_t>> strides, dims;
    std::vector<std::string_view> given; // names of the options so far

    bool is_given(std::string_view name) const;
};

const std::vector<std::string_view>& option_names(); // "--sdt", ...

// `token`: --NAME=VALUE or --NAME.
Result<void> read_option(ReadLine& read, std::string_view token);

// "2x3:2x4"
Result<std::vector<std::vector<int64_t>>> parse_dims_list(std::string_view text);

} // namespace tessera
