// decode: which messages are these bytes?
//
// The bytes are cut into messages by one wire of the file, from the first byte to the last. The verdict:
// holds if every byte belongs to a message; fails at the first that does not fit; undecided if the context
// ended it before. Which messages the same bytes can be is reported as diagnostics. The bytes are read whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/input/wires.h"
#include "api/workspace.h"
#include "wire/codec.h"

namespace treaty::api {

struct DecodeQuestion {
    std::string file;                          // declares the wire
    std::string wire;                          // empty: the last one of the file
    std::string input = "-";                   // holds the bytes; "-": standard input
    bool hex = false;                          // the input is hexadecimal text (base/hex_text.h)
    std::vector<std::string> expected;         // only these messages may come; none: all of the wire
    std::optional<std::size_t> message_bytes;  // how long one message may be
};

struct DecodedMessage {
    std::string name;
    std::uint64_t begin = 0, end = 0;  // offsets in the bytes
    std::vector<FieldValue> fields;
    std::vector<std::string> also;  // other messages that these bytes could be
    bool same_bytes = false;        // whether encoding the values gives these bytes again
    bool condition_holds = true;    // the message's `where`
    std::string broken;             // the part of it that does not hold, with its values
    std::vector<wire::Piece> pieces;
};

// The first byte that does not fit.
struct DecodeFault {
    std::uint64_t offset = 0;
    std::string reason;
    std::uint64_t nearby_begin = 0;
    std::string nearby;  // the bytes around it; it is after them if the bytes end too early
};

struct DecodeAnswer : Answer {
    std::string wire;
    std::vector<DecodedMessage> messages;
    std::optional<DecodeFault> fault;
};

DecodeAnswer decode(const Workspace& workspace, const DecodeQuestion& question, const Context& context);

}  // namespace treaty::api
