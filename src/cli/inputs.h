// What the verbs work on, read from files; every fault is reported to the session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "formats/loaded.h"
#include "model/specification.h"

namespace treaty::cli {

using formats::Loaded;

// Any file that Treaty reads, by its extension. Holds nothing if an error was reported.
Loaded load(Session& session, const std::string& path);

// A specification and the protocol in it that the user means: the named one, or without a name the last.
struct ProtocolInput {
    model::Specification specification;
    const model::Protocol* protocol;
    // Of the text of the file and of all that it imports: whoever keeps something about a protocol tells by it
    // whether the protocol is still the same. Empty if it was not read by load_protocol.
    std::string digest = {};
};
std::optional<ProtocolInput> protocol_of(Session& session, Loaded loaded, const std::string& path,
                                         const std::string& name);
std::optional<ProtocolInput> load_protocol(Session& session, const std::string& path,
                                           const std::string& name);
const model::Protocol* choose_protocol(Session& session, const model::Specification& specification,
                                       const std::string& name);

// The roles of a list "A,B", in its order; nothing if one is unknown.
std::optional<std::vector<model::RoleId>> choose_roles(Session& session,
                                                       const model::Specification& specification,
                                                       const model::Protocol& protocol,
                                                       const std::string& list);

}  // namespace treaty::cli
