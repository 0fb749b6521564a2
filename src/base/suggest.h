// "Did you mean": the known name nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treaty::base {

// Number of single-character insertions, deletions, substitutions and swaps of neighbours between a
// and b; gives limit + 1 as soon as it is certain to exceed limit.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidate nearest to word within a third of its length (at least 1), the first such on a tie;
// empty if there is none. Cost: O(candidates * length * 3).
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace treaty::base
