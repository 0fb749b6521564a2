// Properties of traffic, judged as messages pass (Nguyen 2013, section 4.2): a verdict for each match.
//
// A context of n steps is matched by n consecutive messages of the role's traffic; every message may begin a
// match, so matches overlap. Then one of the consequences must (or must not) be among the next `within`
// messages, or, where a time is given, among those of that time. A match that the traffic leaves open is
// inconclusive. A global property is judged from the verdicts of its parts: inconclusive unless every premise
// passed; then it fails as soon as one conclusion failed (negated: passed), passes when all of them passed
// (negated: failed), and is inconclusive otherwise.
//
// A PropertySet is made once and shared by all sessions; a PropertyMonitor is one session. Memory: at most
// n + within open matches a property and session, and counts of the properties that have matched. Cost a
// message: one step for each open match of the role, and one look at the properties whose context may begin
// with this message, whatever the number of properties: they are found by the message and, where the context
// asks a field for one value, by that value. Not safe for concurrent use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "expr/evaluate.h"
#include "model/property.h"
#include "model/specification.h"
#include "watch/record.h"
#include "watch/saved.h"

namespace treaty::watch {

enum class Verdict : std::uint8_t { pass, fail, inconclusive };
std::string_view to_string(Verdict verdict);

struct VerdictCounts {
    std::uint64_t pass = 0, fail = 0, inconclusive = 0;

    void add(Verdict verdict) {
        ++(verdict == Verdict::pass ? pass : verdict == Verdict::fail ? fail : inconclusive);
    }
    // Of a whole log: a failure decides, then a pass.
    Verdict overall() const {
        return fail > 0 ? Verdict::fail : pass > 0 ? Verdict::pass : Verdict::inconclusive;
    }
    friend bool operator==(const VerdictCounts&, const VerdictCounts&) = default;
};

// The position of a record in the logs.
struct LogPosition {
    std::uint32_t source = 0;
    std::uint64_t line = 0;
    friend bool operator==(const LogPosition&, const LogPosition&) = default;
};
using LogPositions = absl::InlinedVector<LogPosition, 3>;

// One verdict as it falls: the messages are those of the context and the one that decided.
struct PropertyVerdict {
    std::uint32_t property = 0;  // position in the specification
    Verdict verdict = Verdict::pass;
    LogPositions messages;
};

// What a context has bound: mostly one value, or none.
class Bound {
public:
    const expr::Value* get(expr::VarId id) const {
        for (const auto& [variable, value] : values_)
            if (variable == id) return &value;
        return nullptr;
    }
    void set(expr::VarId id, const expr::Value& value) {
        for (auto& [variable, known] : values_)
            if (variable == id) {
                known = value;
                return;
            }
        values_.emplace_back(id, value);
    }
    void clear() { values_.clear(); }
    expr::Environment environment() const {
        expr::Environment all;
        for (const auto& [variable, value] : values_) all.set(variable, value);
        return all;
    }

private:
    absl::InlinedVector<std::pair<expr::VarId, expr::Value>, 1> values_;
};

struct Match {
    std::uint32_t property = 0;
    std::uint32_t matched = 0;  // steps of the context
    std::uint64_t left = 0;     // messages, once the context is matched
    std::int64_t deadline_ns = INT64_MAX;
    Bound bound;
    LogPositions messages;
};

class PropertySet {
public:
    explicit PropertySet(const model::Specification& specification);

    const model::Specification& specification() const { return *specification_; }
    const model::Property& operator[](std::uint32_t i) const { return specification_->properties[i]; }
    std::size_t size() const { return specification_->properties.size(); }
    bool none() const { return first_.empty(); }

    // Properties whose context begins with one message, ascending: those that ask none of its fields for a
    // value, and by field those that ask it for the value of this hash.
    struct Beginning {
        struct Keyed {
            std::uint32_t field = 0;
            absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> by_value;
        };
        std::vector<std::uint32_t> any;
        std::vector<Keyed> keyed;
    };
    // Null if there are none. Called once for each kind of message.
    const Beginning* beginning(model::RoleId at, model::RoleId from, model::RoleId to,
                               model::MessageId message) const {
        auto found = first_.find({at, from, to, message});
        return found == first_.end() ? nullptr : &found->second;
    }

private:
    friend class PropertyMonitor;
    struct Key {
        model::RoleId at, from, to;
        model::MessageId message;
        friend bool operator==(const Key&, const Key&) = default;
        template <typename H>
        friend H AbslHashValue(H h, const Key& k) {
            return H::combine(std::move(h), k.at, k.from, k.to, k.message);
        }
    };
    bool matches(const model::MessagePattern& pattern, const Record& record, const Bound& bound) const;
    void index(std::uint32_t property, const model::MessagePattern& first);
    const std::vector<std::uint32_t>& begun(const Beginning& beginning, const Record& record);

    const model::Specification* specification_;
    absl::flat_hash_map<Key, Beginning> first_;  // by the message their context begins with
    std::vector<std::uint32_t> found_;           // of the message being looked at
};

// The local properties of a specification over one session.
class PropertyMonitor {
public:
    // Takes one message of a role's traffic, with what begins with it; `notices`, if given, gets the verdicts
    // it decides.
    void feed(PropertySet& set, model::RoleId role, const Record& record,
              const PropertySet::Beginning* beginning, std::vector<PropertyVerdict>* notices);
    // The traffic is over: open matches are inconclusive, except those whose time had run out when the role
    // was last heard of (`last_ns`, by role; may be empty).
    void finish(PropertySet& set, std::span<const std::int64_t> last_ns,
                std::vector<PropertyVerdict>* notices);

    VerdictCounts counts(std::uint32_t property) const;
    // Of a property of any kind, so far.
    Verdict verdict(const PropertySet& set, std::uint32_t property) const;

    // Asks for what is not in it to come near.
    void fetch() const {
        __builtin_prefetch(counts_.data());
        __builtin_prefetch(open_.data());
    }

    void save(Saver& saver, const PropertySet& set) const;
    bool load(Loader& loader, const PropertySet& set);

private:
    struct Counted {
        std::uint32_t property;
        VerdictCounts counts;
    };

    bool step(PropertySet& set, Match& match, const Record& record, std::vector<PropertyVerdict>* notices);
    bool advance(PropertySet& set, Match& match, const Record& record);
    void decide(Match& match, Verdict verdict, std::vector<PropertyVerdict>* notices);

    absl::InlinedVector<Match, 1> open_;  // the live ones first; the others are used again
    std::uint32_t live_ = 0;
    absl::InlinedVector<Counted, 1> counts_;  // ascending
};

}  // namespace treaty::watch
