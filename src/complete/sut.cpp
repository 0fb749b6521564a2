#include "complete/sut.h"

#include <algorithm>

namespace treaty::complete {

using explore::Acceptance;
using explore::NormalId;
using model::LabelId;

std::string to_string(const Verdicts& v) {
    std::string out;
    auto add = [&](bool seen, std::string_view name) {
        if (seen) out += (out.empty() ? "" : ", ") + std::string(name);
    };
    add(v.inconclusive, "inc");
    add(v.pass, "pass");
    add(v.fail, "fail");
    return out.empty() ? "none" : out;
}

Verdicts GraphSut::run(const Test& test) {
    Verdicts seen;
    NormalId at = normal_.initial();
    auto refusable = [&](NormalId node, const Acceptance& offer) {
        const auto& least = normal_.acceptances(node);
        return std::any_of(least.begin(), least.end(), [&](const Acceptance& a) {
            return std::none_of(offer.begin(), offer.end(),
                                [&](LabelId l) { return std::binary_search(a.begin(), a.end(), l); });
        });
    };
    for (LabelId event : test.trace) {
        LabelId label = map_(event);
        NormalId next = label ? normal_.after(at, label) : NormalId();
        if (normal_.broken()) break;
        if (!next || refusable(at, {label})) seen.inconclusive = true;
        if (!next) return seen;
        at = next;
        ++seen.done;
    }
    if (normal_.broken()) {
        seen.fault = WorldFault::gone;
        seen.why = "the model cannot be followed any further: " + normal_.why();
        return seen;
    }
    Acceptance offer;
    bool possible = false;
    for (LabelId event : test.offer)
        if (LabelId label = map_(event)) {
            offer.push_back(label);
            possible = possible || normal_.after(at, label).valid();
        }
    bool refused = refusable(at, offer);
    if (test.kind == TestKind::trace) {
        seen.fail = possible;
        seen.pass = !possible || refused;
    } else {
        seen.pass = possible;
        seen.fail = refused || !possible;
    }
    return seen;
}

}  // namespace treaty::complete
