#include "testgen/case_order.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

#include "explore/configuration.h"

namespace treaty::testgen {

std::vector<bool> coverage_of(const model::Machine& component, const TestCase& test,
                              const model::Channels& channels) {
    constexpr std::size_t most = 200'000;  // configurations; a case beyond counts what was seen until then
    std::vector<std::size_t> first{0};
    for (std::size_t s = 0; s < component.state_count(); ++s)
        first.push_back(first.back() + component.out(model::StateId(s)).size());
    std::vector<bool> covered(first.back(), false);
    std::vector<const model::Machine*> machines{&component};
    for (const TestMachine& machine : test.machines) machines.push_back(&machine.machine);
    explore::Stepping stepping(machines, channels);
    absl::flat_hash_set<explore::Configuration> known{stepping.initial()};
    std::vector<explore::Configuration> waiting{stepping.initial()};
    std::vector<explore::Stepping::Move> moves;
    while (!waiting.empty() && known.size() < most) {
        explore::Configuration at = std::move(waiting.back());
        waiting.pop_back();
        stepping.moves(at, moves);
        for (const auto& move : moves) {
            if (move.machine == 0) covered[first[at.states[0].index] + move.edge] = true;
            if (move.partner == 0) covered[first[at.states[0].index] + move.partner_edge] = true;
            explore::Configuration next = stepping.after(at, move);
            if (known.insert(next).second) waiting.push_back(std::move(next));
        }
    }
    return covered;
}

std::vector<OrderedCase> by_coverage(const TestSuite& suite, const std::vector<Count>& cases,
                                     const model::Channels& channels) {
    std::vector<std::vector<bool>> covers;
    covers.reserve(cases.size());
    for (const Count& number : cases)
        covers.push_back(coverage_of(suite.component(), suite.at(number), channels));
    std::vector<bool> covered(suite.component().edge_count(), false), used(cases.size(), false);
    std::vector<OrderedCase> order;
    std::size_t total = 0;
    auto gain = [&](std::size_t i) {
        std::size_t added = 0;
        for (std::size_t e = 0; e < covered.size(); ++e) added += covers[i][e] && !covered[e] ? 1 : 0;
        return added;
    };
    // What a case adds only shrinks, so a bound from before that is too small need not be looked at again.
    std::vector<std::size_t> bound(cases.size(), covered.size());
    for (;;) {
        std::size_t best = cases.size(), best_gain = 0;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (used[i] || bound[i] <= best_gain) continue;
            bound[i] = gain(i);
            if (bound[i] > best_gain) best = i, best_gain = bound[i];
        }
        if (best == cases.size()) break;
        used[best] = true;
        for (std::size_t e = 0; e < covered.size(); ++e) covered[e] = covered[e] || covers[best][e];
        total += best_gain;
        order.push_back({cases[best], best_gain, total});
    }
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (!used[i]) order.push_back({cases[i], 0, total});
    return order;
}

}  // namespace treaty::testgen
