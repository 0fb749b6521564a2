// For tests: every nesting of choice, loop and parallel block up to depth three, with four roles, and
// something that follows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace treaty::choreo::testing {

// One level of nesting. A decides and tells everyone; parallel branches use channels of their own.
inline std::string nest(const std::string& kinds, bool inner_second) {
    if (kinds.empty()) return "B->C:leaf";
    std::string n = std::to_string(kinds.size());
    auto tell = [&](const std::string& m) {
        return "A->B:" + m + n + " ; A->C:" + m + n + " ; A->D:" + m + n;
    };
    std::string inner =
        nest(kinds.substr(1), inner_second) + " ; " + (kinds.size() > 1 ? "B->A:t" + n : "B->A:v");
    const std::string side[] = {"", "D->C:z", "C->B:z", "B->D:z"};
    switch (kinds[0]) {
        case 'c': {
            std::string x = tell("p") + " ; " + inner, y = tell("q") + " ; D->A:k" + n;
            return "ch A { " + (inner_second ? y : x) + " } { " + (inner_second ? x : y) + " }";
        }
        case 'l': return "rep A { " + tell("r") + " ; " + inner + " } ; " + tell("e");
        default:
            return inner_second ? "par { " + side[kinds.size()] + n + " } { " + inner + " }"
                                : "par { " + inner + " } { " + side[kinds.size()] + n + " }";
    }
}

inline void for_all_nestings(const std::function<void(const std::string&)>& use) {
    std::vector<std::string> all{""};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].size() < 3)
            for (char kind : {'c', 'l', 'p'}) all.push_back(all[i] + kind);
        for (bool second : {false, true})
            for (const char* follow : {"A->B:f", "B->C:f", "C->D:f", "D->A:f", "D->B:f ; B->A:g"})
                use(nest(all[i], second) + " ; " + follow);
    }
}

}  // namespace treaty::choreo::testing
