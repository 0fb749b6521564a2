// For tests: pomsets as text, their linearisations by brute force, and all small choreographies.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "choreo/pomset.h"
#include "choreo/pomset_language.h"
#include "model/alphabet.h"

namespace treaty::choreo::testing {

inline std::string short_name(const model::Alphabet& alphabet, model::LabelId label) {
    std::string text = alphabet.print(label);
    std::erase(text, ' ');
    return text;
}

// "AB!x<AB?x AB!x<AB!y", the direct pairs in order of the events.
inline std::string order_text(const model::Alphabet& alphabet, const Pomset& p) {
    std::string text;
    for (auto [a, b] : p.order)
        text += (text.empty() ? "" : " ") + short_name(alphabet, p.events[a].label) + "<" +
                short_name(alphabet, p.events[b].label);
    return text;
}

// Walks all linearisations of all pomsets at once: a state is the set of (pomset, events done).
class LinearisationWalk {
public:
    using Cut = std::pair<std::size_t, std::vector<bool>>;
    using State = std::set<Cut>;

    explicit LinearisationWalk(const std::vector<Pomset>& pomsets) : pomsets_(pomsets) {}

    State start() const {
        State s;
        for (std::size_t i = 0; i < pomsets_.size(); ++i)
            s.insert({i, std::vector<bool>(pomsets_[i].events.size())});
        return s;
    }
    bool complete(const State& s) const {
        for (const auto& [i, done] : s)
            if (std::find(done.begin(), done.end(), false) == done.end()) return true;
        return false;
    }
    std::map<model::LabelId, State> next(const State& s) const {
        std::map<model::LabelId, State> result;
        for (const auto& [i, done] : s) {
            const Pomset& p = pomsets_[i];
            std::vector<bool> ready(p.events.size());
            for (std::size_t e = 0; e < ready.size(); ++e) ready[e] = !done[e];
            for (auto [a, b] : p.order)
                if (!done[a]) ready[b] = false;
            for (std::size_t e = 0; e < ready.size(); ++e) {
                if (!ready[e]) continue;
                auto more = done;
                more[e] = true;
                result[p.events[e].label].insert({i, std::move(more)});
            }
        }
        return result;
    }

private:
    const std::vector<Pomset>& pomsets_;
};

// Walks the linearisations and the language in step, for words of up to `length` events; says the first
// difference, or nothing. endless: the pomsets are beginnings of those meant, so none of their ends is one.
inline std::string compare_languages(const std::vector<Pomset>& pomsets, PomsetLanguage& language,
                                     const model::Alphabet& alphabet, std::size_t length,
                                     bool endless = false) {
    struct Visit {
        LinearisationWalk::State state;
        Residual residual;
        std::string word;
        std::size_t depth;
    };
    LinearisationWalk walk(pomsets);
    std::vector<Visit> visits{{walk.start(), language.start(), "", 0}};  // breadth-first
    std::set<std::pair<LinearisationWalk::State, Residual>> seen;
    for (std::size_t i = 0; i < visits.size(); ++i) {
        Visit v = visits[i];
        if ((!endless && walk.complete(v.state)) != language.complete(v.residual))
            return "whether it may end after" + v.word;
        auto of_walk = walk.next(v.state);
        std::vector<model::LabelId> offered;
        offered.reserve(of_walk.size());
        for (auto& [label, target] : of_walk) offered.push_back(label);
        if (offered != language.next(v.residual)) return "what comes next after" + v.word;
        if (v.depth == length) continue;
        for (auto& [label, target] : of_walk) {
            Residual rest = language.after(v.residual, label);
            if (seen.insert({target, rest}).second)
                visits.push_back({target, rest, v.word + " " + short_name(alphabet, label), v.depth + 1});
        }
    }
    return "";
}

// Every choreography with up to `leaves` of the given interactions under ; + | and, if asked for, repeat.
inline void for_all_choreographies(const std::vector<std::string>& interactions, int leaves, bool loops,
                                   const std::function<void(const std::string&)>& use) {
    std::vector<std::vector<std::string>> by_size(static_cast<std::size_t>(leaves) + 1);
    for (std::size_t n = 1; n < by_size.size(); ++n) {
        auto& all = by_size[n];
        if (n == 1) all = interactions;
        for (std::size_t k = 1; k < n; ++k)
            for (const auto& a : by_size[k])
                for (const auto& b : by_size[n - k]) {
                    all.push_back("{ " + a + " } ; { " + b + " }");
                    if (a <= b) all.push_back("ch - { " + a + " } { " + b + " }");
                    if (a <= b) all.push_back("par { " + a + " } { " + b + " }");
                }
        std::size_t plain = all.size();
        if (loops)
            for (std::size_t i = 0; i < plain; ++i) all.push_back("rep - { " + all[i] + " }");
    }
    for (const auto& list : by_size)
        for (const auto& text : list) use(text);
}

}  // namespace treaty::choreo::testing
