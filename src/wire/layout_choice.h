// Which of several layouts a message has, for layouts that are read as a whole. Internal to wire/.
//
// The first layout that matches and whose message's condition holds; if no condition holds, the first that
// matches. All others that match as well are named, too, so that a caller who knows what is expected can
// decide.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "wire/condition.h"
#include "wire/engine.h"
#include "wire/json_layout.h"

namespace treaty::wire {

// Why a layout does not match. The nearest one is worth reporting: the one that got furthest; among those,
// one without another constant before others, then the one with most members that fit, then the one whose
// fault is last in the text.
struct Mismatch {
    unsigned progress = 0;
    Fit fit;
    std::size_t at = 0;
    std::string reason;  // empty: not worth reporting
    std::size_t layout = 0;

    bool is_nearer_than(const Mismatch& other) const {
        auto key = [](const Mismatch& m) {
            return std::tuple(!m.reason.empty(), m.progress, m.fit.constants, m.fit.members, m.at);
        };
        return key(*this) > key(other);
    }
};

// messages: by layout. match(layout, values, mismatch): whether it matches; it fills in the values of the
// message's fields, which are blank. The mismatch is null until no layout has matched: then each is asked
// why.
template <class Match>
bool choose_layout(const expr::Pool& pool, std::span<const MessageShape> shapes,
                   std::span<const MessageIndex> messages, const std::vector<Condition>& conditions,
                   Scratch& scratch, Decoded& out, Mismatch& mismatch, const Match& match) {
    struct Candidate {
        std::size_t layout;
        bool holds;
        std::vector<expr::Value> values;
    };
    std::vector<Candidate> found;
    std::size_t chosen = 0;
    auto blank = [&](std::size_t layout) {
        std::vector<expr::Value> values;
        for (const expr::Field& f : shapes[messages[layout]].fields)
            values.push_back(blank_value(pool.types(), f.type));
        return values;
    };
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (!scratch.is_expected(messages[i])) continue;
        Candidate one{i, false, blank(i)};
        if (!match(i, one.values, nullptr)) continue;
        std::vector<FieldView> views;
        for (const expr::Value& v : one.values) views.push_back(view_of(v));
        one.holds = conditions[messages[i]].holds(views, scratch);
        if (one.holds && (found.empty() || !found[chosen].holds)) chosen = found.size();
        found.push_back(std::move(one));
    }
    for (std::size_t i = 0; found.empty() && i < messages.size(); ++i) {
        if (!scratch.is_expected(messages[i])) continue;
        std::vector<expr::Value> values = blank(i);
        Mismatch one;
        match(i, values, &one);
        one.layout = i;
        if (one.is_nearer_than(mismatch)) mismatch = std::move(one);
    }
    if (found.empty()) return false;
    const Candidate& best = found[chosen];
    out.message = messages[best.layout];
    out.layout = static_cast<std::uint32_t>(best.layout);
    out.condition_holds = best.holds;
    for (const Candidate& other : found)
        if (other.layout != best.layout && other.holds == best.holds)
            out.also.push_back(messages[other.layout]);
    scratch.lists = std::move(found[chosen].values);
    out.fields.clear();
    for (const expr::Value& v : scratch.lists) out.fields.push_back(view_of(v));
    return true;
}

}  // namespace treaty::wire
