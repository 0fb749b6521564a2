#include "roles/combinations.h"

#include <algorithm>

namespace treaty::roles {

void Combinations::add(model::TransitionId step, std::vector<Levels> fields) {
    Table& table = tables_[step];
    std::erase_if(fields, [](const Levels& l) { return l.values.empty(); });
    if (fields.size() > most_fields) fields.resize(most_fields);
    table.fields = std::move(fields);
    std::size_t count = table.fields.size(), strength = std::min<std::size_t>(strength_, count);
    if (strength == 0) return;
    // Every set of `strength` fields, as a row of flags in descending order.
    std::vector<bool> chosen(count, false);
    std::fill_n(chosen.begin(), strength, true);
    do {
        Tuple tuple;
        for (std::size_t f = 0; f < count; ++f)
            if (chosen[f]) tuple.fields.push_back(static_cast<std::uint8_t>(f));
        tuple.levels.assign(strength, 0);
        for (bool more = true; more;) {
            table.tuples.push_back(tuple);
            more = false;
            for (std::size_t i = strength; i-- > 0 && !more;) {
                more = ++tuple.levels[i] < table.fields[tuple.fields[i]].values.size();
                if (!more) tuple.levels[i] = 0;
            }
        }
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

bool Combinations::wants(model::TransitionId step) const {
    auto found = tables_.find(step);
    return found == tables_.end() ||
           std::any_of(found->second.tuples.begin(), found->second.tuples.end(), open);
}

// How many open tuples this level of the field would complete.
std::size_t Combinations::gain(const Table& table, const std::vector<int>& row, std::size_t field,
                               int level) {
    std::size_t result = 0;
    for (const Tuple& t : table.tuples) {
        if (!open(t)) continue;
        bool has = false, fits = true;
        for (std::size_t i = 0; i < t.fields.size() && fits; ++i) {
            bool this_one = t.fields[i] == field;
            has = has || this_one;
            fits = t.levels[i] == (this_one ? level : row[t.fields[i]]);
        }
        result += has && fits;
    }
    return result;
}

std::optional<Combinations::Row> Combinations::next(model::TransitionId step) {
    Table& table = tables_.at(step);
    for (std::size_t tried = 0; tried < table.tuples.size(); ++tried) {
        std::size_t at = table.from++ % table.tuples.size();
        const Tuple& tuple = table.tuples[at];
        if (!open(tuple)) continue;
        Row row;
        row.combination = at;
        row.needed = tuple.fields.size();
        std::vector<int> levels(table.fields.size(), -1);
        auto take = [&](std::size_t field, int level) {
            levels[field] = level;
            row.fields.emplace_back(table.fields[field].field,
                                    table.fields[field].values[static_cast<std::size_t>(level)]);
        };
        for (std::size_t i = 0; i < tuple.fields.size(); ++i) take(tuple.fields[i], tuple.levels[i]);
        for (std::size_t field = 0; field < table.fields.size(); ++field) {
            if (levels[field] >= 0) continue;
            int best = 0;
            std::size_t most = 0;
            for (int level = 0; level < static_cast<int>(table.fields[field].values.size()); ++level)
                if (std::size_t more = gain(table, levels, field, level); more > most) {
                    most = more;
                    best = level;
                }
            take(field, best);
        }
        return row;
    }
    return std::nullopt;
}

void Combinations::refused(model::TransitionId step, const Row& row) {
    ++tables_.at(step).tuples[row.combination].refusals;
}

void Combinations::sent(model::TransitionId step, const std::vector<expr::Value>& values) {
    auto found = tables_.find(step);
    if (found == tables_.end()) return;
    Table& table = found->second;
    for (Tuple& t : table.tuples) {
        if (t.covered) continue;
        bool all = true;
        for (std::size_t i = 0; i < t.fields.size() && all; ++i) {
            const Levels& l = table.fields[t.fields[i]];
            all = values[l.field] == l.values[t.levels[i]];
        }
        t.covered = all;
    }
}

Combinations::Totals Combinations::totals() const {
    Totals result;
    for (const auto& [step, table] : tables_)
        for (const Tuple& t : table.tuples) {
            ++result.total;
            result.covered += t.covered;
            result.refused += !t.covered && t.refusals >= most_refusals;
        }
    return result;
}

void Combinations::merge(const Combinations& other) {
    for (const auto& [step, table] : other.tables_) {
        auto [mine, added] = tables_.try_emplace(step, table);
        if (added || mine->second.tuples.size() != table.tuples.size()) continue;
        for (std::size_t i = 0; i < table.tuples.size(); ++i) {
            Tuple& t = mine->second.tuples[i];
            t.covered = t.covered || table.tuples[i].covered;
            t.refusals = std::max(t.refusals, table.tuples[i].refusals);
        }
    }
}

}  // namespace treaty::roles
