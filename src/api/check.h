// check: everything that can be found out about a file without running it.
//
// Of a protocol: can its roles, each doing its own part, get into a bad situation or do something that the
// protocol does not allow (verify/protocol_safety.h)? Are there steps that no data allows, and can every role
// that must send do so (symbolic/check_data.h)? Does each role learn of each choice (choreo/well_branched.h)?
// Machines that are closed are explored; of a net or a single machine only the size is reported. Of a CSPM
// script the types are checked (csp/typing/typing.h), and its assertions are not.
//
// The verdict: fails with a run that goes wrong, or with errors of the text if `strict`; undecided if a
// protocol is not proved safe; else holds. Limits of its own, unless the context has others: 1,000,000 states
// and 20 seconds of work for each protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "explore/safety.h"
#include "verify/protocol_safety.h"

namespace treaty::api {

struct CheckQuestion {
    std::vector<std::string> files;
    std::string protocol;  // empty: all protocols of each file
    bool strict = false;   // a role that does not learn of a choice is an error even if no run fails
};

// A step of a protocol of which it could not be decided whether it can happen.
struct OpenStep {
    std::string interaction;  // "A -> B: m"
    std::uint32_t line = 0;
};

// What its data allows.
struct CheckedData {
    bool complete = true;
    std::string reason;           // why not
    std::size_t unreachable = 0;  // steps that never happen
    std::vector<OpenStep> open;
    Verdict coherent = Verdict::undecided;  // whether all roles that must send have an allowed message
    std::string coherent_reason;            // when undecided
};

struct CheckedProtocol {
    std::string file, name;
    std::vector<std::string> roles;
    std::size_t messages = 0, interactions = 0;
    std::optional<CheckedData> data;  // of a protocol with data
    bool well_branched = false;
    Verdict safe = Verdict::undecided;
    std::string safe_reason;
    verify::Proof proof = verify::Proof::none;
    std::uint64_t states = 0;
    std::string fault;  // what the run leads to; empty if it is safe
    std::optional<explore::UnsafeKind>
        scribble_kind;  // of a fault in a Scribble file, for Scribble's own word
};

// A model that is not a protocol.
struct CheckedModel {
    std::string file;
    std::string what;                                        // "a system", "a net"
    std::vector<std::pair<std::size_t, std::string>> sizes;  // {3, "machine"}
    std::string fault;                                       // of machines that can get into a bad situation
};

struct CheckAnswer : Answer {
    std::vector<std::variant<CheckedProtocol, CheckedModel>> checked;  // in the order of the files
};

CheckAnswer check(const Workspace& workspace, const CheckQuestion& question, const Context& context);

}  // namespace treaty::api
