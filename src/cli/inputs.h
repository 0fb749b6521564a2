// What the verbs work on, read from files; every fault is reported to the session.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/session.h"
#include "model/machine.h"
#include "model/net.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::cli {

using Model = std::variant<model::Specification, model::Net, model::Machine, model::System>;

// Any file that Treaty reads, by its extension.
std::optional<Model> load(Session& session, const std::string& path);

// "a protocol", "a system of machines", ...: what the model is, for messages.
std::string_view describe(const Model& model);

// A specification and the protocol in it that the user means: the named one, or without a name the last.
struct ProtocolInput {
    model::Specification specification;
    const model::Protocol* protocol;
};
std::optional<ProtocolInput> protocol_of(Session& session, Model model, const std::string& path,
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
