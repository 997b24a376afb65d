// Suggestions for misspelt words in messages.
//
//   did_you_mean("--stga", {"--stag", "--sdt"}) == "; did you mean --stag?"
//   did_you_mean("--what", {"--stag", "--sdt"}) == ""
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Edit distance with insertion, deletion, replacement and exchange of neighbours (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`; "" if none is within a third of the word's letters or begins with the word.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

} // namespace tessera
