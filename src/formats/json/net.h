// Nets as JSON; the schema is in docs/json.md.
#pragma once

#include <optional>

#include "formats/json/reader.h"
#include "formats/json/writer.h"
#include "model/net.h"

namespace treaty::formats {

void write_net_json(JsonWriter& out, const model::Net& net);  // the keys of an open object

std::optional<model::Net> read_net_json(JsonReader& in, Json object);

}  // namespace treaty::formats
