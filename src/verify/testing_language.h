// For tests: compares what machines do over fifo channels with a language, word by word.
//
// Channels hold at most `capacity` messages here; a configuration that waits only for room counts as going
// on. A run is successful where every machine is in a final state and every channel is empty.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "choreo/pomset_language.h"
#include "choreo/testing_pomsets.h"
#include "explore/configuration.h"
#include "explore/judge_safety.h"
#include "model/system.h"

namespace treaty::verify::testing {

inline bool ends_well(const explore::Semantics& semantics, const explore::Configuration& c) {
    for (std::size_t m = 0; m < c.states.size(); ++m)
        if (!semantics.machines()[m]->final(c.states[m])) return false;
    return c.stable();
}

// A machine could send if its channel were not full.
inline bool waits_for_room(const explore::Semantics& semantics, const explore::Configuration& c) {
    const model::System& system = semantics.system();
    for (std::size_t m = 0; m < c.states.size(); ++m)
        for (const model::Edge& e : system.machines()[m].out(c.states[m])) {
            const model::Event& event = system.alphabet().event(e.label);
            if (event.kind == model::EventKind::send &&
                c.contents[semantics.channel_of(event)].size() >= *system.channels().bound)
                return true;
        }
    return false;
}

struct LanguageVerdict {
    bool decided = true;
    std::string stuck;    // a run to a configuration that is not successful and has no step; empty: none
    std::string unsafe;   // a run to a configuration from which success cannot be reached
    std::string extra;    // a word of the system that is not in the language
    std::string missing;  // a word of the language that the system does not have
};

// Explores at most `limit` pairs of a configuration and what the language allows after the same word.
inline LanguageVerdict compare_with_language(const model::System& system, choreo::PomsetLanguage& language,
                                             std::size_t capacity, std::size_t limit) {
    struct Item {
        explore::Configuration configuration;
        choreo::Residual residual;
        std::string word;
    };
    model::System bounded =
        explore::with_channels(system, {model::Mode::fifo, static_cast<std::uint32_t>(capacity)});
    explore::Semantics semantics(bounded);
    LanguageVerdict verdict;
    std::vector<Item> items{{semantics.initial(), language.start(), ""}};
    std::map<std::pair<explore::Configuration, choreo::Residual>, std::size_t> ids{
        {{semantics.initial(), language.start()}, 0}};
    std::vector<std::vector<std::size_t>> back(1);
    std::vector<std::size_t> good;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items.size() > limit) {
            verdict.decided = false;
            return verdict;
        }
        Item item = items[i];
        bool full = waits_for_room(semantics, item.configuration);
        bool successful = ends_well(semantics, item.configuration);
        std::vector<explore::Stepping::Move> moves;
        semantics.moves(item.configuration, moves);
        if (moves.empty() && !full && !successful) verdict.stuck = item.word + " gets stuck";
        if (successful) {
            good.push_back(i);
            if (!language.complete(item.residual)) verdict.extra = item.word + " (as a whole run)";
        } else if (language.complete(item.residual)) {
            verdict.missing = item.word + " (as a whole run)";
        }
        std::set<model::LabelId> offered;
        for (const auto& move : moves) {
            model::LabelId label = semantics.label(item.configuration, move);
            explore::Configuration target = semantics.after(item.configuration, move);
            offered.insert(label);
            choreo::Residual rest = language.after(item.residual, label);
            std::string word = item.word + " " + choreo::testing::short_name(system.alphabet(), label);
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
                    verdict.missing = item.word + " " + choreo::testing::short_name(system.alphabet(), label);
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

}  // namespace treaty::verify::testing
