// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelt words in messages.
//
//   did_you_mean("--stga", {"--stag", "--sdt"}) == "; did you mean --stag?"
//   did_you_mean("--what", {"--stag", "--sdt"}) == ""
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

// Edit distance with insertion, deletion, replacement and exchange of neighbours (optimal string alignment).
inline size_t edit_distance(std::string_view a, std::string_view b) {
    // rows[i][j]: from the first i letters of a to the first j of b; three rows, for exchanged neighbours look back
    // two.
    std::vector<size_t> before, last(b.size() + 1), now(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) now[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(last, now);
        now[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + size_t(a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
    }
    return now[b.size()];
}

// The nearest of `known`; "" if none is within a third of the word's letters or begins with the word.
inline std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
    const std::string_view bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    std::string_view best;
    size_t least = std::max<size_t>(bare.size() / 3, 1) + 1;
    for (const std::string_view candidate : known) {
        const size_t longer = std::max(word.size(), candidate.size()),
                     shorter = std::min(word.size(), candidate.size());
        if (longer - shorter >= least) continue; // as many letters at least are inserted or deleted
        const size_t distance = edit_distance(word, candidate);
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    if (!best.empty() || bare.size() < 2) return best;
    for (const std::string_view candidate : known)
        if (candidate.starts_with(word)) return candidate;
    return best;
}

inline std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
    const std::string_view found = nearest(word, known);
    return found.empty() ? std::string() : "; did you mean " + std::string(found) + "?";
}

} // namespace tessera
