// Walk: one conversation, taken event by event by someone who chooses, forwards and back.
//
// What holds: the events taken are a run of the model; options() are exactly the events that can come next
// (but for those whose data is proved not to exist); back() restores everything that was there before the
// last take(), so a walk is a function of the choices that were not undone. Two models of it: net_walk.h (a
// protocol or the part of one role, with data) and system_walk.h (machines over channels, data ignored). Not
// safe for concurrent use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/value.h"
#include "model/alphabet.h"
#include "model/protocol.h"

namespace treaty::step {

using Values = std::vector<expr::Value>;

// An event that can come next. There is one value per field of its message.
struct Option {
    model::LabelId label;
    model::RoleId actor;                            // of a silent step: whose it is
    model::NodeId node;                             // the step of the protocol; none where unknown
    std::optional<Values> proposal;                 // values that suit; none: it is not known which do
    std::vector<std::optional<expr::Value>> fixed;  // the fields that the protocol leaves no choice about
};

struct Taken {
    model::LabelId label;
    model::RoleId actor;
    model::NodeId node;
    Values values;
    friend bool operator==(const Taken&, const Taken&) = default;
};

enum class Standing : std::uint8_t {
    going,    // something can come next
    may_end,  // so it can, but the conversation may also end here
    over,     // nothing can come next, and it is a successful end
    stuck,    // nothing can come next, and this is not an end
    lost,     // a limit was reached: what comes next is not known
};

class Walk {
public:
    virtual ~Walk() = default;

    virtual const model::Alphabet& alphabet() const = 0;
    virtual Standing standing() const = 0;
    virtual std::span<const Option> options() const = 0;
    // Takes an option with these values; false, and nothing changes, if they do not suit.
    virtual bool take(std::size_t option, const Values& values) = 0;
    // Undoes the last event; false at the beginning.
    virtual bool back() = 0;
    virtual std::span<const Taken> taken() const = 0;
    // Other facts about the state of the conversation, one line each: values, messages on their way.
    virtual std::vector<std::string> where() const = 0;
};

}  // namespace treaty::step
