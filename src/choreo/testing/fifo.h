// For tests: runs machines over FIFO channels, the plain way, and compares what they do with a language.
//
// Channels hold at most `capacity` messages here; a configuration that waits only for room counts as going
// on. A run is successful where every machine is in a final state and every channel is empty.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "choreo/pomset_language.h"
#include "choreo/testing/pomsets.h"
#include "model/system.h"

namespace treaty::choreo::testing {

struct Configuration {
    std::vector<std::uint32_t> states;
    std::map<std::pair<model::RoleId, model::RoleId>, std::vector<model::MessageId>>
        channels;  // non-empty ones
    friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

class FifoRuns {
public:
    FifoRuns(const model::System& system, std::size_t capacity) : system_(system), capacity_(capacity) {}

    Configuration start() const { return {std::vector<std::uint32_t>(system_.machines().size(), 0), {}}; }

    bool successful(const Configuration& c) const {
        if (!c.channels.empty()) return false;
        for (std::size_t i = 0; i < c.states.size(); ++i)
            if (!system_.machines()[i].final(model::StateId(c.states[i]))) return false;
        return true;
    }

    // *full is set if a send found no room.
    std::vector<std::pair<model::LabelId, Configuration>> next(const Configuration& c, bool* full) const {
        std::vector<std::pair<model::LabelId, Configuration>> result;
        for (std::size_t i = 0; i < c.states.size(); ++i)
            for (const model::Edge& e : system_.machines()[i].out(model::StateId(c.states[i]))) {
                const model::Event& event = system_.alphabet().event(e.label);
                Configuration n = c;
                n.states[i] = e.target.index;
                std::pair channel(event.from, event.to);
                if (event.kind == model::EventKind::send) {
                    n.channels[channel].push_back(event.message);
                    if (n.channels[channel].size() > capacity_) {
                        *full = true;
                        continue;
                    }
                } else {
                    auto it = n.channels.find(channel);
                    if (it == n.channels.end() || it->second.front() != event.message) continue;
                    it->second.erase(it->second.begin());
                    if (it->second.empty()) n.channels.erase(it);
                }
                result.push_back({e.label, std::move(n)});
            }
        return result;
    }

private:
    const model::System& system_;
    std::size_t capacity_;
};

struct FifoVerdict {
    bool decided = true;
    std::string stuck;    // a run to a configuration that is not successful and has no step; empty: none
    std::string unsafe;   // a run to a configuration from which success cannot be reached
    std::string extra;    // a word of the system that is not in the language
    std::string missing;  // a word of the language that the system does not have
};

// Explores at most `limit` pairs of a configuration and what the language allows after the same word.
inline FifoVerdict compare_with_language(const model::System& system, PomsetLanguage& language,
                                         std::size_t capacity, std::size_t limit) {
    struct Item {
        Configuration configuration;
        Residual residual;
        std::string word;
    };
    FifoRuns runs(system, capacity);
    FifoVerdict verdict;
    std::vector<Item> items{{runs.start(), language.start(), ""}};
    std::map<std::pair<Configuration, Residual>, std::size_t> ids{{{runs.start(), language.start()}, 0}};
    std::vector<std::vector<std::size_t>> back(1);
    std::vector<std::size_t> good;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items.size() > limit) {
            verdict.decided = false;
            return verdict;
        }
        Item item = items[i];
        bool full = false;
        auto steps = runs.next(item.configuration, &full);
        if (steps.empty() && !full && !runs.successful(item.configuration))
            verdict.stuck = item.word + " gets stuck";
        if (runs.successful(item.configuration)) {
            good.push_back(i);
            if (!language.complete(item.residual)) verdict.extra = item.word + " (as a whole run)";
        } else if (language.complete(item.residual)) {
            verdict.missing = item.word + " (as a whole run)";
        }
        std::set<model::LabelId> offered;
        for (auto& [label, target] : steps) {
            offered.insert(label);
            Residual rest = language.after(item.residual, label);
            std::string word = item.word + " " + short_name(system.alphabet(), label);
            if (!language.possible(rest)) {
                verdict.extra = word;
                continue;
            }
            auto [known, added] = ids.try_emplace({target, rest}, items.size());
            if (added) {
                items.push_back({target, rest, word});
                back.emplace_back();
            }
            back[known->second].push_back(i);
        }
        if (!full)
            for (model::LabelId label : language.next(item.residual))
                if (!offered.contains(label))
                    verdict.missing = item.word + " " + short_name(system.alphabet(), label);
        if (!verdict.extra.empty()) return verdict;
    }
    std::vector<bool> can(items.size(), false);
    for (std::size_t g : good) can[g] = true;
    while (!good.empty()) {
        std::size_t g = good.back();
        good.pop_back();
        for (std::size_t p : back[g])
            if (!can[p]) can[p] = true, good.push_back(p);
    }
    for (std::size_t i = 0; i < items.size() && verdict.unsafe.empty(); ++i)
        if (!can[i]) verdict.unsafe = items[i].word + " leads nowhere";
    return verdict;
}

}  // namespace treaty::choreo::testing
