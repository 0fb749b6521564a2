// A run: the events of one execution in order, with their data; what a witness is.
//
// It is plain data, so it can be drawn (sequence_chart.h), saved (result.h) and replayed whatever engine
// found it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/style.h"

namespace treaty::report {

using Json = nlohmann::ordered_json;

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
    Json data = Json::object();  // a value by the name of each field
    std::uint32_t line = 0;      // of the step in the source; 0: unknown
};

struct Run {
    std::vector<RunEvent> events;
    std::vector<std::string> roles;      // the order of the lifelines; the rest follow as they appear
    std::optional<std::size_t> failing;  // the event that is wrong
    std::string ending;                  // what is the matter at the end, in one line
};

Json to_json(const Run& run);

// "A -> B: req(x = 3)", "A B!req(x = 3)", "A B?req(x = 3)" or the bare name.
std::string print(const RunEvent& event);

// One event a line, numbered, with the source line where known; then the ending.
std::string print(const Run& run, const Style& style);

}  // namespace treaty::report
