// What the verbs about message data work on: a specification, one of its wires, one of its messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/inquiry.h"
#include "expr/datum.h"
#include "model/specification.h"
#include "wire/codec.h"

namespace treaty::api {

// A file that declares messages; a protocol is not needed. Every fault is reported.
std::optional<model::Specification> load_specification(const Inquiry& inquiry, const std::string& path);

// The named wire, or the last one of the file; null after reporting that there is none.
const wire::Wire* choose_wire(const Inquiry& inquiry, const model::Specification& specification,
                              const std::string& name);

std::optional<model::MessageId> choose_message(const Inquiry& inquiry,
                                               const model::Specification& specification,
                                               const std::string& name);

// A field of a message: its value as data, and as the language writes it.
struct FieldValue {
    std::string name;
    expr::Datum value;
    std::string written;
};
// One per field of the message.
std::vector<FieldValue> field_values(const model::Specification& specification, model::MessageId message,
                                     std::span<const expr::Value> values);

// Says of the wire's messages which of them the same bytes can be. same_way: leaves out two messages that the
// protocols of the file use, but never from the same role to the same role.
void report_overlaps(const Inquiry& inquiry, const model::Specification& specification,
                     const wire::Codec& codec, bool same_way);

}  // namespace treaty::api
