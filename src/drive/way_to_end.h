// Which of several messages brings a conversation nearer to its end: a rough guide through a net.
//
// A place is as far from the end as the nearest final place along transitions, whatever else they need. Not a
// shortest way, but it never leads round a loop that has a way out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/net.h"

namespace treaty::drive {

class WayToEnd {
public:
    explicit WayToEnd(const model::Net& net);

    // How far from the end one is behind this transition.
    std::uint32_t after(model::TransitionId transition) const;

    template <class Possible>
    void sort(std::vector<Possible>& choices) const {
        std::stable_sort(choices.begin(), choices.end(), [this](const Possible& a, const Possible& b) {
            return after(a.transition) < after(b.transition);
        });
    }

private:
    static constexpr std::uint32_t far = UINT32_MAX / 2;
    const model::Net& net_;
    std::vector<std::uint32_t> distance_;  // by place
};

}  // namespace treaty::drive
