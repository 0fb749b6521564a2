#include "complete/sut.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::complete {

using explore::Acceptance;
using explore::NormalId;
using model::LabelId;

std::vector<std::string_view> names_of(const Verdicts& v) {
    std::vector<std::string_view> names;
    if (v.inconclusive) names.push_back("inc");
    if (v.pass) names.push_back("pass");
    if (v.fail) names.push_back("fail");
    return names;
}

std::string to_string(const Verdicts& v) {
    return v.inconclusive || v.pass || v.fail ? fmt::format("{}", fmt::join(names_of(v), ", ")) : "none";
}

bool GraphSut::refusable(NormalId node, const Acceptance& offer) {
    const auto& least = normal_.acceptances(node);
    return std::any_of(least.begin(), least.end(), [&](const Acceptance& a) {
        return std::none_of(offer.begin(), offer.end(),
                            [&](LabelId l) { return std::binary_search(a.begin(), a.end(), l); });
    });
}

void GraphSut::follow(const Test& test) {
    if (places_.empty()) places_.push_back({normal_.initial(), false});
    bool stuck = places_.size() <= test.same;  // already in what both tests have
    if (stuck) return;
    places_.resize(test.same + 1, places_.front());
    for (std::size_t i = test.same; i < test.trace.size(); ++i) {
        Place at = places_.back();
        LabelId label = map_(test.trace[i]);
        NormalId next = label ? normal_.after(at.node, label) : NormalId();
        if (!next || normal_.broken()) return;
        places_.push_back({next, at.refusable || refusable(at.node, {label})});
    }
}

Verdicts GraphSut::run(const Test& test) {
    Verdicts seen;
    follow(test);
    if (normal_.broken()) {
        seen.fault = WorldFault::gone;
        seen.why = "the model cannot be followed any further: " + normal_.why();
        places_.clear();
        return seen;
    }
    seen.done = places_.size() - 1;
    Place at = places_.back();
    seen.inconclusive = at.refusable || seen.done < test.trace.size();
    if (seen.done < test.trace.size()) return seen;
    Acceptance offer;
    bool possible = false;
    for (LabelId event : test.offer)
        if (LabelId label = map_(event)) {
            offer.push_back(label);
            possible = possible ||
                       (label.index == 0 ? normal_.final(at.node) : normal_.after(at.node, label).valid());
        }
    bool refused = refusable(at.node, offer);
    if (test.kind == TestKind::trace) {
        seen.fail = possible;
        seen.pass = !possible || refused;
    } else {
        // Neither taking nor refusing anything, it never comes to rest: failures refinement allows that.
        seen.pass = possible || !refused;
        seen.fail = refused;
        seen.silent_for_ever = normal_.diverges(at.node);
    }
    return seen;
}

}  // namespace treaty::complete
