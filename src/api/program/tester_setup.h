// What a test of a component was asked, and the tester that does it; shared by the questions that talk to
// programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/input/inputs.h"
#include "api/inquiry.h"
#include "drive/in_process.h"
#include "drive/tester.h"
#include "process/surroundings.h"

namespace treaty::api {

// How it is decided what the tester sends.
enum class Strategy : std::uint8_t {
    random,
    coverage,  // what was not seen yet
    tests,     // the abstract tests of the role
    profile,   // by declared weights
    negative,  // one message that is not allowed
    corrupt,   // one message whose bytes are damaged
    pairs,     // every combination of a few values of two fields
    triples,   // of three
};

// What is tested and how: what a saved run keeps, so that it can be tried again.
struct TestRequest {
    std::string file;
    std::string protocol;          // empty: the last one of the file
    std::string cut;               // the role of the component under test
    std::string play;              // "A,B": the roles that are played; empty: all that talk to the component
    std::string command;           // starts the component; empty: it runs already
    std::string wire;              // empty: the last one of the file, JSON if there is none
    std::string reset;             // run before each session of a kept component
    std::vector<std::string> via;  // ADDRESS or ROLE=ADDRESS
    // NAME=COMMAND: programs that run beside the component. [NAME=]WHAT: what shows that one of them, or the
    // component, is ready (drive/companions.h).
    std::vector<std::string> beside, ready;
    process::Surroundings surroundings;  // of the component
    std::map<std::string, process::Surroundings>
        companion_surroundings;  // of programs of `beside`, by their names
    std::uint64_t silence_ms = 2000, startup_ms = 60'000, length = 20;
    std::uint64_t linger_ms = 0;  // see drive::SessionOptions
    std::uint64_t parallel = 1;   // sessions at once
    bool keep = false;            // one component for all sessions
    std::string profile;          // the file of an operational profile
    std::string reject;           // "no,error": messages that count as a refusal
    std::string corrupt_means;    // "refused,closed": what may become of damaged bytes; empty: all three
    Strategy strategy = Strategy::random;
    std::string digest;  // of the protocol's text, see ProtocolInput
};

// What is not saved with a run.
struct TestedComponent {
    // A coroutine in this process, with a clock of its own, instead of a program; `command` and `via` are not
    // used.
    drive::InProcess::Program program;
    // Called when a component that should run already is not there at once: where it is looked for and why it
    // is not there, and how long it is waited for.
    std::function<void(const std::string& where, std::chrono::milliseconds at_most)> waiting;
};

// The roles that exchange messages with this one, in order of appearance.
std::vector<model::RoleId> peers_of(const model::Protocol& protocol, model::RoleId role);

// Where each of the roles reaches its peer; nothing after reporting what does not fit.
std::optional<std::map<model::RoleId, std::string>> addresses(const Inquiry& inquiry,
                                                              const std::vector<std::string>& via,
                                                              const model::Specification& specification,
                                                              const std::vector<model::RoleId>& roles);

// Whether the wire of that name (empty: the last one) is over http, so that http:// carries its messages.
bool speaks_http(const model::Specification& specification, const std::string& wire);

// False after reporting that one of the variables is not NAME=VALUE.
bool usable(const Inquiry& inquiry, const process::Surroundings& surroundings);

// The role of that name; nothing after reporting that there is none. `option` is what the user calls it.
std::optional<model::RoleId> choose_role(const Inquiry& inquiry, const ProtocolInput& input,
                                         const std::string& name, std::string_view option);

// Null after reporting what does not fit. The input must outlive it.
std::unique_ptr<drive::Tester> make_tester(const Inquiry& inquiry, const TestRequest& request,
                                           ProtocolInput& input, model::RoleId cut,
                                           const TestedComponent& component = {});

}  // namespace treaty::api
