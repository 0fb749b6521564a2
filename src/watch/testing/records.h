// Conversations and records of them, for tests.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/seeded_random.h"
#include "model/net.h"
#include "track/configuration.h"
#include "watch/record.h"

namespace treaty::watch::testing {

using Logs = std::vector<std::vector<model::LabelId>>;  // by role

// All roles run their parts over first-in first-out channels, for a while. `order` gets what they did as it
// happened.
inline Logs run_roles(const std::vector<model::Net>& nets, const model::Alphabet& alphabet,
                      base::SeededRandom& random, std::vector<model::LabelId>& order) {
    std::vector<track::Marking> markings;
    markings.reserve(nets.size());
    for (const model::Net& net : nets) markings.push_back(track::initial_marking(net));
    std::map<std::pair<model::RoleId, model::RoleId>, std::vector<model::MessageId>> channels;
    Logs logs(nets.size());
    for (int turn = 0; turn < 60 && order.size() < 24; ++turn) {
        std::size_t i = random.below(static_cast<std::uint32_t>(nets.size()));
        std::vector<const model::Transition*> ways;
        for (const model::Transition& t : nets[i].transitions()) {
            const model::Event& e = alphabet.event(t.label);
            auto& queue = channels[{e.from, e.to}];
            bool there =
                e.kind != model::EventKind::receive || (!queue.empty() && queue.front() == e.message);
            if (there && track::enabled(markings[i], t)) ways.push_back(&t);
        }
        if (ways.empty()) continue;
        const model::Transition& t = *ways[random.below(static_cast<std::uint32_t>(ways.size()))];
        const model::Event& e = alphabet.event(t.label);
        markings[i] = track::fired(markings[i], t);
        auto& queue = channels[{e.from, e.to}];
        if (e.kind == model::EventKind::send) queue.push_back(e.message);
        if (e.kind == model::EventKind::receive) queue.erase(queue.begin());
        if (t.silent()) continue;
        logs[i].push_back(t.label);
        order.push_back(t.label);
    }
    return logs;
}

inline Record record_of(const model::Alphabet& alphabet, model::LabelId label) {
    const model::Event& e = alphabet.event(label);
    Record r;
    r.side = e.kind == model::EventKind::send ? Side::sent : Side::received;
    r.from = e.from;
    r.to = e.to;
    r.message = e.message;
    r.name = alphabet.name(e.message);
    return r;
}

}  // namespace treaty::watch::testing
