// A run: the events of one execution in order, with their data. What a witness is.
//
// It is plain data with the user's names and lines in it, so it can be drawn, saved and replayed whatever
// engine found it and whatever became of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "expr/datum.h"
#include "model/specification.h"

namespace treaty::model {

enum class Direction : std::uint8_t {
    both,      // sent and received in one step
    sent,      // by `from`
    received,  // by `to`
    none,      // an event that is not a message: only its name counts
};

std::string_view to_string(Direction direction);  // "->", "!", "?", ""

struct RunEvent {
    std::string from = {};
    std::string to = {};
    Direction direction = Direction::both;
    std::string message = {};
    expr::DatumFields data = {};  // a value by the name of each field
    std::uint32_t line = 0;       // of the step in the source; 0: unknown
};

struct Run {
    std::vector<RunEvent> events;
    std::vector<std::string> roles;      // the order of the lifelines; the rest follow as they appear
    std::optional<std::size_t> failing;  // the event that is wrong
    std::string ending;                  // what is the matter at the end, in one line
};

// An event of an alphabet as one of a run: a message with its roles, or the bare name of what is not a
// message. A silent step is "tau", or "A: tau" where it is known whose it is.
RunEvent event_of(const Alphabet& alphabet, LabelId label, RoleId actor = {});

// Adds values by the names of their fields or variables.
void add_values(RunEvent& event, const Specification& specification, MessageId message,
                std::span<const expr::Value> values);
void add_values(RunEvent& event, const expr::Pool& pool,
                std::span<const std::pair<expr::VarId, expr::Value>> values);

// The line of the step in its source; 0 where that is not known. The protocol may be null.
std::uint32_t line_of(const Protocol* protocol, NodeId node, const base::SourceMap& sources);

// "A -> B: req(x = 3)", "A B!req(x = 3)", "A B?req(x = 3)" or the bare name.
std::string print(const RunEvent& event);

}  // namespace treaty::model
