#include "generate/pattern_rows.h"

#include <map>

#include "solve/automaton.h"

namespace treaty::generate {

std::optional<PatternRows> pattern_rows(const std::string& pattern) {
    auto automaton = solve::Automaton::of(pattern);
    if (!automaton) return std::nullopt;
    using State = solve::Automaton::State;
    // Living states, breadth-first.
    std::map<State, std::uint16_t> numbers{{automaton->initial(), 0}};
    std::vector<State> order{automaton->initial()};
    for (std::size_t i = 0; i < order.size(); ++i)
        for (int byte = 0; byte < 256; ++byte) {
            State next = automaton->next(order[i], static_cast<unsigned char>(byte));
            if (automaton->distance(next) == solve::Automaton::never) continue;
            if (numbers.try_emplace(next, static_cast<std::uint16_t>(order.size())).second)
                order.push_back(next);
        }
    PatternRows rows;
    std::map<std::vector<std::uint16_t>, std::uint8_t> columns;
    std::vector<std::vector<std::uint16_t>> distinct;
    for (int byte = 0; byte < 256; ++byte) {
        std::vector<std::uint16_t> column;
        for (State s : order) {
            State next = automaton->next(s, static_cast<unsigned char>(byte));
            auto known = numbers.find(next);
            column.push_back(known == numbers.end() ? PatternRows::dead : known->second);
        }
        auto [entry, added] = columns.try_emplace(column, static_cast<std::uint8_t>(distinct.size()));
        if (added) distinct.push_back(column);
        rows.classes[static_cast<std::size_t>(byte)] = entry->second;
    }
    rows.class_count = distinct.size();
    for (std::size_t s = 0; s < order.size(); ++s) {
        for (const auto& column : distinct) rows.next.push_back(column[s]);
        rows.accepting.push_back(automaton->accepts(order[s]));
    }
    return rows;
}

}  // namespace treaty::generate
