// What the verbs about message data work on: a specification, one of its wires, one of its messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "model/specification.h"
#include "report/run.h"
#include "wire/codec.h"

namespace treaty::cli {

// A file that declares messages; a protocol is not needed. Every fault is reported.
std::optional<model::Specification> load_specification(Session& session, const std::string& path);

// The named wire, or the last one of the file; null after reporting that there is none.
const wire::Wire* choose_wire(Session& session, const model::Specification& specification,
                              const std::string& name);

std::optional<model::MessageId> choose_message(Session& session, const model::Specification& specification,
                                               const std::string& name);

// Says of the wire's messages which of them the same bytes can be.
void report_overlaps(Session& session, const model::Specification& specification, const wire::Codec& codec);

// A value as JSON: numbers, texts, lists and objects as they are; bytes as hexadecimal digits.
report::Json to_json(const model::Specification& specification, expr::TypeId type, const expr::Value& value);

std::string hexadecimal(std::string_view bytes);
// The inverse; nothing if these are no pairs of hexadecimal digits.
std::optional<std::string> from_hexadecimal(std::string_view digits);

// In double quotes, everything but readable ASCII as \\r, \\n or \\xHH.
std::string quoted_bytes(std::string_view bytes);

}  // namespace treaty::cli
