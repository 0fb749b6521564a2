// Output by output: the inputs that the role took before its first output must be a beginning of those sent
// before that output arrived; what was sent and not yet taken is carried over to the rest.
#include "track/testing/aping.h"

#include <algorithm>
#include <vector>

namespace treaty::track {

bool apes(const model::Alphabet& alphabet, model::RoleId subject, std::span<const model::LabelId> specified,
          std::span<const model::LabelId> observed) {
    auto output = [&](model::LabelId label) {
        return alphabet.subject(label) == subject && alphabet.event(label).kind == model::EventKind::send;
    };
    std::vector<model::LabelId> sent;  // and not yet taken, in order
    while (true) {
        auto s = std::find_if(specified.begin(), specified.end(), output);
        auto o = std::find_if(observed.begin(), observed.end(), output);
        sent.insert(sent.end(), observed.begin(), o);
        std::span taken(specified.begin(), s);
        if (taken.size() > sent.size() || !std::equal(taken.begin(), taken.end(), sent.begin())) return false;
        if ((s == specified.end()) != (o == observed.end())) return false;
        if (s == specified.end()) return true;
        if (*s != *o) return false;
        sent.erase(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(taken.size()));
        specified = std::span(s + 1, specified.end());
        observed = std::span(o + 1, observed.end());
    }
}

}  // namespace treaty::track
