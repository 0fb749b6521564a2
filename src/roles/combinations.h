// Covering arrays: every combination of a few values of any `strength` fields.
//
// For each step at which the tester sends a message, its free fields get a few values (levels). A row is a
// message, and it covers every combination of `strength` fields in it. Rows are made one at a time, as
// messages are sent: from a combination that is still open; the other fields are chosen by how much more they
// cover (greedy, as AETG does). A combination that the conditions refuse several times is given up and
// counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expr/value.h"
#include "model/net.h"

namespace treaty::roles {

class Combinations {
public:
    static constexpr std::size_t most_levels = 5, most_fields = 12;

    explicit Combinations(unsigned strength) : strength_(strength) {}

    struct Levels {
        std::size_t field;
        std::vector<expr::Value> values;
    };
    // Whether a combination of this step is still open, as far as known.
    bool wants(model::TransitionId step) const;
    bool known(model::TransitionId step) const { return tables_.contains(step); }
    void add(model::TransitionId step, std::vector<Levels> fields);

    // Fields and their values, those of the combination to be covered first; nothing if none is open.
    struct Row {
        std::vector<std::pair<std::size_t, expr::Value>> fields;
        std::size_t needed = 0;  // the first `needed` are the combination
        std::size_t combination = 0;
    };
    std::optional<Row> next(model::TransitionId step);
    void refused(model::TransitionId step, const Row& row);
    void sent(model::TransitionId step, const std::vector<expr::Value>& values);

    struct Totals {
        std::size_t covered = 0, refused = 0, total = 0;
    };
    Totals totals() const;
    void merge(const Combinations& other);  // of the same protocol, with the same levels
    unsigned strength() const { return strength_; }

private:
    struct Tuple {
        std::vector<std::uint8_t> fields, levels;  // positions in the table
        bool covered = false;
        std::uint8_t refusals = 0;
    };
    struct Table {
        std::vector<Levels> fields;
        std::vector<Tuple> tuples;
        std::size_t from = 0;  // where to look for an open one
    };
    static constexpr std::uint8_t most_refusals = 3;

    static bool open(const Tuple& t) { return !t.covered && t.refusals < most_refusals; }
    static std::size_t gain(const Table& table, const std::vector<int>& row, std::size_t field, int level);

    unsigned strength_;
    std::map<model::TransitionId, Table> tables_;
};

}  // namespace treaty::roles
