// From what the user asks of a test to a tester that can do it; shared by the verbs that talk to programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/session.h"
#include "drive/tester.h"

namespace treaty::cli {

// How it is decided what the tester says.
enum class Strategy : std::uint8_t {
    random,
    coverage,  // what was not seen yet
    tests,     // what the abstract tests of the role say
    profile,   // by declared weights
    negative,  // one message that is not allowed
    pairs,     // every combination of a few values of two fields
    triples,   // of three
};
// Nothing after reporting that there is none of that name. An empty name: by the profile if there is one,
// else random.
std::optional<Strategy> read_strategy(Session& session, const std::string& name, const std::string& profile);

// What a test was asked, in the words of the command line.
struct TestRequest {
    std::string file, protocol, cut, play, command, wire, reset;
    std::vector<std::string> via;  // ADDRESS or ROLE=ADDRESS
    std::uint64_t silence_ms = 2000, startup_ms = 60'000, length = 20;
    std::uint64_t linger_ms = 0;  // see drive::Manners
    std::uint64_t parallel = 1;  // sessions at once
    bool keep = false;
    std::string profile;  // the file of an operational profile
    std::string reject;   // messages that say that something is not taken
    Strategy strategy = Strategy::random;
    std::string digest;  // of the protocol's text, see ProtocolInput
};

// The roles that exchange messages with this one, in order of appearance.
std::vector<model::RoleId> peers_of(const model::Protocol& protocol, model::RoleId role);

// Where each of the roles reaches its peer; nothing after reporting what does not fit.
std::optional<std::map<model::RoleId, std::string>> addresses(Session& session,
                                                              const std::vector<std::string>& via,
                                                              const model::Specification& specification,
                                                              const std::vector<model::RoleId>& roles);

// Nothing after reporting what does not fit. The input must outlive it.
std::unique_ptr<drive::Tester> make_tester(Session& session, const TestRequest& request, ProtocolInput& input,
                                           model::RoleId cut);

// Reads "250ms" into milliseconds; an empty text changes nothing. False after reporting that it is none.
bool read_milliseconds(Session& session, std::string_view option, const std::string& text,
                       std::uint64_t& into);

}  // namespace treaty::cli
