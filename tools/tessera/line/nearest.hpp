// The word that was meant: what messages suggest for one that does not exist.
//
//   did_you_mean("--stga", {"--stag", "--sdt"}) == "; did you mean --stag?"
//   did_you_mean("--what", {"--stag", "--sdt"}) == ""
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Letters to insert, leave out, replace, or exchange with their neighbour to get from one word to the other.
size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, "" if none is as near as a slip of the fingers: a third of the word's letters, or all of
// them being the beginning of one that is known.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

} // namespace tessera
