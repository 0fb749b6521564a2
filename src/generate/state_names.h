// Names of states: what the role can do there, as in SendAuthReq or ReceiveDeniedOrGranted.
//
// They are unique in the role. They depend on messages only, so that a change elsewhere in the protocol
// renames as few states as possible.
#pragma once

#include "generate/role_code.h"

namespace treaty::generate {

void name_states(RoleCode& code, const model::Alphabet& alphabet);

}  // namespace treaty::generate
