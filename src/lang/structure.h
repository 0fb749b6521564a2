// Facts about a resolved protocol that do not depend on data: who begins, who decides, what is never
// reached, which loops turn without a message. Internal to lang/.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "lang/resolve_protocol.h"
#include "model/specification.h"

namespace treaty::lang {

struct FirstSender {
    model::RoleId role;
    model::NodeId node;  // the interaction
};

// Facts about each node, by its id.
struct Structure {
    std::vector<bool> hole;                               // could not be read: nothing is known of it
    std::vector<bool> skippable;                          // may end without any interaction
    std::vector<bool> ends;                               // may end at all
    std::vector<bool> vague;                              // may begin with a hole
    std::vector<std::vector<FirstSender>> first_senders;  // who may send first, each role once
};

Structure analyse_structure(const model::Protocol& protocol, const std::vector<model::NodeId>& holes);

// Reports the faults, and gives choices and repeats without `at` the role that decides where there is just
// one.
void check_structure(const model::Specification& spec, ResolvedProtocol& resolved, const Structure& structure,
                     base::Diagnostics& diagnostics);

}  // namespace treaty::lang
