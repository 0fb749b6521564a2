// mine: a first protocol from recorded traffic, as a guess (watch/mine.h).
//
// It accepts every session that was recorded, and usually more. The verdict holds if there was anything to
// guess from; if the context ends it before the end of the logs, what was read until then counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/input/mappings.h"
#include "api/workspace.h"

namespace treaty::api {

struct MineQuestion {
    std::vector<std::string> logs;       // each FILE, or ROLE=FILE
    std::vector<std::string> mappings;   // how logs of other forms are read: MAPPING, or LOG=MAPPING
    std::string session = "session";     // what tells sessions apart: "session" (else the connection) or "id"
    std::string name = "Guess";          // of the protocol
    std::optional<std::uint64_t> ahead;  // how many steps ahead states must agree to be taken for one
};

struct MineAnswer : Answer {
    std::string protocol;                 // the text of a .treaty file
    std::uint64_t messages = 0;           // that were read
    std::uint64_t garbled = 0;            // records that could not be understood
    std::uint64_t left_out = 0;           // records that a mapping skips
    std::vector<UnknownKind> unknown;     // of logs with a mapping: what was not understood, by kind
    std::size_t sessions = 0, words = 0;  // words: sessions that differ
    std::size_t interactions = 0;
    std::size_t states = 0;
    std::size_t ahead = 0;  // the number of steps that was used
    std::size_t cut = 0;    // sessions whose end was too long to be looked at
};

MineAnswer mine(const Workspace& workspace, const MineQuestion& question, const Context& context);

}  // namespace treaty::api
