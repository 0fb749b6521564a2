// Both machines are determinised, then walked in step. The first pair of states that disagree on their labels
// or on being final ends the walk; the path to it is the witness.
#include "choreo/testing/compare_traces.h"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "choreo/determinise.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::StateId;

std::string key_of(const Machine& m, StateId s, std::size_t i) {
    std::string key = m.alphabet().print(m.out(s)[i].label);
    if (!m.has_data() || m.data(s, i).empty()) return key;
    const model::EdgeData& d = m.data(s, i);
    key += fmt::format(" [{} {}", d.guard.index, d.where.index);
    for (const auto& a : d.data) key += fmt::format(" ({} {})", a.bind.index, a.value.index);
    for (const auto& a : d.assignments) key += fmt::format(" {}={}", a.variable.index, a.value.index);
    return key + "]";
}

std::map<std::string, StateId> offers(const Machine& m, StateId s) {
    std::map<std::string, StateId> result;
    for (std::size_t i = 0; i < m.out(s).size(); ++i) result[key_of(m, s, i)] = m.out(s)[i].target;
    return result;
}

struct Pair {
    StateId a, b;
    std::size_t parent;
    std::string event;
};

std::vector<std::string> path_to(const std::vector<Pair>& pairs, std::size_t i) {
    std::vector<std::string> path;
    for (; i != 0; i = pairs[i].parent) path.push_back(pairs[i].event);
    std::reverse(path.begin(), path.end());
    return path;
}

TraceComparison walk(const Machine& a, const Machine& b) {
    std::vector<Pair> pairs{{a.initial(), b.initial(), 0, {}}};
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, bool> seen{{{0, 0}, true}};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto differ = [&](std::string reason) {
            return TraceComparison{base::Answer::fails, path_to(pairs, i), std::move(reason)};
        };
        StateId s = pairs[i].a, t = pairs[i].b;
        if (a.final(s) != b.final(t))
            return differ(fmt::format("only the {} may end here", a.final(s) ? "first" : "second"));
        auto of_a = offers(a, s), of_b = offers(b, t);
        for (const auto& [event, target] : of_a)
            if (!of_b.contains(event)) return differ(fmt::format("only the first continues with {}", event));
        for (const auto& [event, target] : of_b)
            if (!of_a.contains(event)) return differ(fmt::format("only the second continues with {}", event));
        for (const auto& [event, target] : of_a) {
            StateId other = of_b[event];
            if (seen.try_emplace({target.index, other.index}, true).second)
                pairs.push_back({target, other, i, event});
        }
    }
    return {base::Answer::holds, {}, {}};
}

}  // namespace

TraceComparison compare_traces(const Machine& a, const Machine& b, const MachineLimits& limits) {
    MachineResult first = determinise(a, limits), second = determinise(b, limits);
    if (!first) return {base::Answer::undecided, {}, first.reason};
    if (!second) return {base::Answer::undecided, {}, second.reason};
    return walk(*first, *second);
}

}  // namespace treaty::choreo
