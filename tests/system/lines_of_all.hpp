// SPDX-License-Identifier: Apache-2.0
// Problem lines of every primitive: FOLDER/PRIMITIVE.txt of this folder. Each has to have some.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "line/problem_line.hpp"
#include "line/problem_line_words.hpp"

namespace tessera::test {

inline std::vector<std::string> lines_of_all(const std::string& folder) {
    std::vector<std::string> all;
    for (const words::Word& kind : words::kinds) {
        const auto lines = read_problem_file(fmt::format("{}/{}/{}.txt", LINES_FOLDER, folder, kind.text));
        if (!lines || lines->empty()) { // tests are made of them: there is no test yet that could fail
            std::fprintf(stderr, "%s: no problems of %s\n", folder.c_str(), std::string(kind.text).c_str());
            std::exit(1);
        }
        for (const NumberedLine& line : *lines) all.push_back(line.text);
    }
    return all;
}

} // namespace tessera::test
