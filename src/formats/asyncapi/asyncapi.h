// AsyncAPI 2.0 to 2.6 and 3.0, in only: the operations of an application as a protocol between it (`service`)
// and everything it exchanges messages with (`client`).
//
// Each message of a channel is a message; payload, headers and parameters of the address are its fields, with
// the schemas as types and conditions (formats/json_schema). An operation is a message in its direction,
// followed by a reply if it has one, with the same correlation id. The document states no order between
// operations, so what the client may send and what the service may send are two loops side by side.
//
// The wire: over WebSocket the payload alone; otherwise, since Treaty speaks with no broker, one JSON object
// per message with `channel`, `parameters`, `headers` and `payload`.
//
// What has no counterpart is reported (T0863), never left out silently. Bounded as formats/openapi is.
#pragma once

#include <string_view>

#include "formats/notation.h"

namespace treaty::formats {

bool is_asyncapi(std::string_view text);
Loaded load_asyncapi(const Loading& loading);

}  // namespace treaty::formats
