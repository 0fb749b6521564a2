#include "base/suggest.h"

#include <algorithm>
#include <cctype>

namespace treaty::base {

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    std::size_t longer = std::max(a.size(), b.size());
    if (longer - std::min(a.size(), b.size()) > limit) return limit + 1;
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        std::size_t best = now[0];
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            now[j] = std::min({substitute, last[j] + 1, now[j - 1] + 1});
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
            best = std::min(best, now[j]);
        }
        if (best > limit) return limit + 1;
        before.swap(last);
        last.swap(now);
    }
    return std::min(last[b.size()], limit + 1);
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
    std::string_view best;
    for (std::string_view candidate : candidates) {
        bool same_but_for_case =
            std::equal(word.begin(), word.end(), candidate.begin(), candidate.end(),
                       [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
        if (same_but_for_case && word != candidate) return candidate;
        std::size_t distance = edit_distance(word, candidate, limit);
        if (distance == 0 || distance > limit) continue;
        best = candidate;
        limit = distance - 1;
        if (limit == 0) break;
    }
    return best;
}

}  // namespace treaty::base
