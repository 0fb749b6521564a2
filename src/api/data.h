// data: messages made from their declaration.
//
// Valid messages satisfy the types of their fields and their `where`; invalid ones break exactly one of
// these. With a wire that carries them they have their bytes (wire/sampler.h), and, if wanted, these bytes
// damaged in many ways, each with what the wire makes of it (wire/corrupt.h). Without a profile no message is
// made twice: if there are fewer than wanted, a note states it. The verdict: holds if as many as wanted
// were made, or all that were found; undecided if none was found or the context ended it. Conditions that
// contradict each other are an error of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/input/wires.h"
#include "api/workspace.h"
#include "wire/corrupt.h"

namespace treaty::api {

struct DataQuestion {
    static constexpr std::uint64_t most = 1'000'000;

    std::string file;          // declares the messages
    std::string message;       // empty: any that the profile weighs
    std::string wire;          // empty: the last wire that carries the message, if one does
    std::string profile;       // a file with weights of messages and values; empty: none
    std::uint64_t count = 10;  // at most `most`
    bool invalid = false;      // messages that break exactly one constraint each
    bool corrupt = false;      // also their bytes, damaged
};

struct CorruptedBytes {
    wire::Corruption corruption;
    wire::Reading reading;
    std::vector<std::string> messages;  // those of the reading, by name
};

// "refused at byte 7: `crc` is 5, but must be 4", "decoded as set", "needs more bytes", ...
std::string print(const CorruptedBytes& corrupted);

struct MadeMessage {
    std::string name;
    std::vector<FieldValue> fields;
    std::vector<std::string> how;      // the strategy of each field's value
    std::string breaks;                // the constraint that it breaks; empty: it is valid
    std::optional<std::string> bytes;  // none: no wire carries it, or see no_bytes
    std::string no_bytes;              // why the wire cannot carry this invalid message
    std::vector<CorruptedBytes> corrupted;
};

struct DataAnswer : Answer {
    std::uint64_t seed = 0;
    std::vector<std::string> kinds;  // the messages that are made, by name
    std::vector<MadeMessage> messages;
};

DataAnswer data(const Workspace& workspace, const DataQuestion& question, const Context& context);

// The bytes of all messages that have some, one after the other.
std::string bytes_of(const DataAnswer& answer);

}  // namespace treaty::api
