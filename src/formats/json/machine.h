// Machines and systems as JSON; the schema is in docs/json.md.
#pragma once

#include <optional>

#include "formats/json/alphabet.h"
#include "formats/json/data.h"
#include "model/system.h"

namespace treaty::formats {

// Both write the keys of an open object; both read those of an object.
void write_machine_json(JsonWriter& out, const model::Machine& machine);
void write_system_json(JsonWriter& out, const model::System& system);

std::optional<model::Machine> read_machine_json(JsonReader& in, Json object);
std::optional<model::System> read_system_json(JsonReader& in, Json object);

}  // namespace treaty::formats
