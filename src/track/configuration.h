// Where a conversation may be: one marking of a role's net, the values known there, and the observed events
// that this hypothesis has not let the role take part in yet.
//
// `pending` is in the order of observation. A pending input was sent to the role and is in its queue or on
// the way; a pending output arrived at the observer although, by this hypothesis, the role sends something
// on another channel first. Markings are sorted; a place with two tokens is listed twice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/evaluate.h"
#include "expr/program.h"
#include "model/net.h"

namespace treaty::track {

using Marking = std::vector<std::uint32_t>;
using Values = std::vector<expr::Value>;

struct Pending {
    model::LabelId label;
    std::shared_ptr<const Values> values;  // null: none

    friend bool operator==(const Pending& a, const Pending& b) {
        if (a.label != b.label) return false;
        if (a.values == b.values) return true;
        return a.values && b.values && *a.values == *b.values;
    }
};

struct Configuration {
    Marking marking;
    expr::Environment environment;
    std::vector<Pending> pending;

    friend bool operator==(const Configuration&, const Configuration&) = default;
};

std::uint64_t hash_tokens(const Marking& marking, std::span<const Pending> pending);

// Whether the tokens are there.
bool enabled(const Marking& marking, const model::Transition& transition);
// The marking after; the tokens must be there.
Marking fired(const Marking& marking, const model::Transition& transition);
// The one marking of the beginning, and whether a marking is the successful end (semaphores apart).
Marking initial_marking(const model::Net& net);
bool successful(const model::Net& net, const Marking& marking);

// What a transition does with data: guard, the event's values, predicate, assignments, in that order. Known
// values are those of before the event. Gives false, and leaves the environment in any state, where one of
// them does not hold or has no value. Values may be missing for an event of which no data is known: then
// nothing is bound and only the guard counts.
bool run_data(const expr::Pool& pool, const model::Transition& transition,
              std::optional<std::span<const expr::Value>> values, expr::Environment& environment);

// The same with expressions that were made ready; of the net's pool.
bool run_data(expr::Programs& programs, const model::Transition& transition,
              std::optional<std::span<const expr::Value>> values, expr::Environment& environment);

// The same where a variable without a value stands for one that is not known: false only if what is known
// forbids the transition. What it binds is known only if the event's values are.
bool may_run_data(const expr::Pool& pool, const model::Transition& transition,
                  std::optional<std::span<const expr::Value>> values, expr::Environment& environment);

// The marking after, in place; the tokens must be there.
void fire_in_place(Marking& marking, const model::Transition& transition);

// Configurations without repeats, in order of first appearance. A few are compared one by one; many are found
// by hash, since their data may be all that tells them apart.
class ConfigurationSet {
public:
    bool add(Configuration configuration);  // false if it is there already
    std::size_t size() const { return items_.size(); }
    // More than so many, or so many tokens in them that they take too much memory: places of a net that was
    // read may hold thousands.
    bool exceeds(std::size_t configurations) const {
        return items_.size() > configurations || tokens_ > most_tokens;
    }
    bool empty() const { return items_.empty(); }
    const Configuration& operator[](std::size_t i) const { return items_[i]; }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }
    std::vector<Configuration> take() { return std::move(items_); }

private:
    static constexpr std::size_t most_tokens = std::size_t{1} << 22;
    static constexpr std::size_t few = 16;
    static constexpr std::uint32_t none = ~0u;

    bool enter(const Configuration& configuration);  // its hash; false if it is there already

    std::vector<Configuration> items_;
    std::vector<std::uint64_t> hashes_;                        // of the tokens of the first few
    absl::flat_hash_map<std::uint64_t, std::uint32_t> heads_;  // of many: by hash, the last of its chain
    std::vector<std::uint32_t> chain_;                         // the one before it
    std::size_t tokens_ = 0;
};

}  // namespace treaty::track
