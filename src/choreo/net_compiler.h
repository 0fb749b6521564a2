// The translation from Protocol to Net that the global net and the nets of roles share.
//
// Without a view every interaction is one labelled transition. With the view of a role, an interaction is
// its send, its receive or nothing; subtrees in which the role has no part leave no trace in the net, so
// the net of a role is as small as the role's own part of the protocol. Guards, predicates and
// assignments are kept where the role can evaluate them; a value that it learns is bound by the reception.
// Internal to this folder: compile_net.h and project_net.h are the ways in.
#pragma once

#include <optional>

#include "choreo/role_knowledge.h"
#include "model/net.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

struct RoleView {
    model::RoleId role;
    RoleKnowledge knowledge;
};

std::optional<model::Net> compile_view(const model::Specification& specification,
                                       const model::Protocol& protocol, const RoleView* view);

}  // namespace treaty::choreo
