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

// What a test was asked, in the words of the command line.
struct TestRequest {
    std::string file, protocol, cut, play, command, wire, reset;
    std::vector<std::string> via;  // ADDRESS or ROLE=ADDRESS
    std::uint64_t silence_ms = 2000, startup_ms = 10'000, length = 20;
    bool keep = false, guided = false;
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
