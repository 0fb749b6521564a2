// Specifications as JSON, part by part; the schema is in docs/json.md.
//
// Reading checks each part for itself and that all references fit; rules of the language that span the whole
// (what a role can know, where `continue` is allowed) are checked by formats/load.h.
#pragma once

#include <optional>

#include "formats/json/data.h"
#include "model/specification.h"

namespace treaty::formats {

void write_specification_json(JsonWriter& out, const model::Specification& specification);
std::optional<model::Specification> read_specification_json(JsonReader& in, Json object);

// The parts. Writers write one value; readers read one and report.
void write_protocol_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& specification,
                         const model::Protocol& protocol);
void write_wire_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& specification,
                     const model::Wire& wire);
void write_property_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& specification,
                         const model::Property& property);

std::optional<model::Protocol> read_protocol_json(JsonReader& in, JsonDataReader& data,
                                                  const model::Specification& specification, Json value);
model::Wire read_wire_json(JsonReader& in, JsonDataReader& data, const model::Specification& specification,
                           Json value);
// `count`: how many properties there are, for global ones that refer to others.
model::Property read_property_json(JsonReader& in, JsonDataReader& data,
                                   const model::Specification& specification, std::size_t count, Json value);

}  // namespace treaty::formats
