// How the records of a log that was not written for Treaty become messages.
//
// A mapping splits a record into named values, by a regular expression or as JSON, and has a rule for each
// message that a record may represent. Every rule whose conditions hold gives a message, so one line of an
// access log gives a request and a response; a record for which none holds is not understood, and never
// dropped silently. docs/watching.md describes the notation; read_mapping() reads it, mapped_source() applies
// it.
//
// A mapping is plain data, frozen once read; names in it are resolved to slots, one for each value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace re2 {
class RE2;
}

namespace treaty::watch {

constexpr std::size_t most_pattern_groups = 63;

// A regular expression, with at most that many groups, and the slots that its named groups fill.
struct Pattern {
    struct Group {
        int number = 0;
        std::size_t slot = 0;
    };
    std::shared_ptr<const re2::RE2> regex;
    std::vector<Group> groups;
};

enum class Transform : std::uint8_t {
    none,
    lower,
    upper,
    name,   // letters, digits and _ only: "GET /items" is GET_items
    path,   // of an address: "http://shop:80/items?page=2" is /items
    route,  // a path whose numbers and identifiers are `id`: "/items/42" is items/id
};

// A text with values in it: "{method}_{route target}".
struct Template {
    struct Alternative {
        enum class Kind : std::uint8_t { slot, constant, other_role } kind = Kind::slot;
        std::size_t slot = 0;
        std::string text;
    };
    struct Part {
        std::string text;  // constant, if there are no alternatives
        std::vector<Alternative> alternatives;
        Transform transform = Transform::none;
    };
    std::vector<Part> parts;
    base::Span span;

    bool empty() const { return parts.empty(); }
    // The text, if no value is in it.
    std::optional<std::string> constant() const;
};

struct Translation {
    std::vector<std::pair<std::string, Template>> cases;  // what it is, what it becomes
    std::optional<Template> otherwise;
};

// A value made of others: its text, translated if there are cases.
struct Definition {
    std::size_t slot = 0;
    Template text;
    Translation translation;
};

struct Slot {
    enum class Kind : std::uint8_t { group, member, definition } kind = Kind::group;
    std::string name;  // of a member of a JSON record: its path
    std::size_t definition = 0;
};

enum class TimeForm : std::uint8_t {
    automatic,
    rfc3339,
    seconds,
    milliseconds,
    microseconds,
    nanoseconds,
    syslog,
    access_log
};

struct TimeRule {
    Template at;
    TimeForm form = TimeForm::automatic;
    int year = 0;  // of the first record, for syslog; 0: not known
    // A duration that is added (+1) or subtracted (-1); 0: none.
    int sign = 0;
    Template offset;
    TimeForm offset_form = TimeForm::seconds;
};

struct Condition {
    enum class Kind : std::uint8_t { is, is_not, in, matches, exists, missing } kind = Kind::is;
    Template value;
    std::vector<std::string> texts;    // is: any of them; is_not: none of them
    std::int64_t least = 0, most = 0;  // in
    Pattern pattern;                   // matches
};

struct FieldRule {
    std::string field;
    Template value;
    base::Span span;
};

// A message that a record may represent.
struct MessageRule {
    base::Span span;
    bool skip = false;  // no message: the record is left out on purpose
    Template name;
    std::vector<Condition> conditions;
    std::vector<std::size_t> definitions;  // its own, by number
    std::optional<TimeRule> time;
    Template session, id;
    // Either sender, receiver and who has seen it (empty: an observer of the whole); or observer, other role
    // and direction.
    Template from, to, seen_by;
    Template role, peer, direction;
    std::vector<FieldRule> fields;
    std::string fields_of;  // JSON: the member that has all other fields; empty: none
    // The slots whose names are in scope, by name: fields that are not mapped take the value of their name.
    std::vector<std::pair<std::string, std::size_t>> scope;
};

struct Mapping {
    bool json = false;
    std::vector<std::string> each;  // JSON: arrays in arrays; each element of the innermost is a record
    std::vector<Pattern> lines;     // else: the first that matches splits the line
    std::vector<Slot> slots;
    std::vector<Definition> definitions;
    std::vector<MessageRule> rules;
    Translation names;  // of messages, after their templates
    bool sorted = false;
    std::int64_t window_ns = 0;  // how far from its place a record may be; 0: anywhere in the log
    std::string text;            // as it was read, with what it builds on: tells mappings apart
};

// The mappings that come with Treaty, by name: access_log, syslog, otlp.
std::vector<std::string_view> ready_made_mappings();
std::optional<std::string_view> ready_made_mapping(std::string_view name);

constexpr std::size_t mapping_limit = std::size_t{1} << 20;  // bytes

// The mapping that a text describes; nothing after reporting what is wrong. The text must be in `sources`,
// where texts that it builds on are added.
std::shared_ptr<const Mapping> read_mapping(base::FileId file, base::SourceMap& sources,
                                            base::Diagnostics& diagnostics);

// Nanoseconds since 1970 (or, of a duration, in all). syslog: a year that is not written is `year`.
std::optional<std::int64_t> read_time(std::string_view text, TimeForm form, int year);

}  // namespace treaty::watch
