// Roles, messages and events as JSON; other parts refer to roles and messages by name, to events by position.
#pragma once

#include <memory>
#include <vector>

#include "formats/json/reader.h"
#include "formats/json/writer.h"
#include "model/alphabet.h"

namespace treaty::formats {

// {"roles": [...], "messages": [...], "events": [...]}; event 0 is the silent one.
void write_alphabet(JsonWriter& out, const model::Alphabet& alphabet);

struct JsonAlphabet {
    std::shared_ptr<model::Alphabet> alphabet = std::make_shared<model::Alphabet>();
    std::vector<model::LabelId> events;  // by position in the file

    void read(JsonReader& in, Json value);
    // An event by position or written out; the silent one after a diagnostic.
    model::LabelId event(JsonReader& in, Json value);
};

// Known names; none after a diagnostic.
model::RoleId read_role(JsonReader& in, const model::Alphabet& alphabet, Json value);
model::MessageId read_message(JsonReader& in, const model::Alphabet& alphabet, Json value);

// All names of a list of strings, or of a list of objects with a "name"; two equal ones are reported.
std::vector<std::string> read_names(JsonReader& in, Json array);

}  // namespace treaty::formats
