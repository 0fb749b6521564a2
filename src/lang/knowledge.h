// Who knows which value where: a role that uses a value it cannot know is a fault. Internal to lang/.
//
// What a role knows is found by model/knowledge.h. Guards are asked of the roles that send first after them.
// A value that one segment of a par changes and another uses is a fault of its own. With knowing left open,
// only that one is reported.
#pragma once

#include "base/diagnostic.h"
#include "lang/read.h"
#include "lang/resolve_protocol.h"
#include "lang/structure.h"
#include "model/specification.h"

namespace treaty::lang {

void check_knowledge(const model::Specification& spec, const ResolvedProtocol& resolved,
                     const Structure& structure, Knowing knowing, base::Diagnostics& diagnostics);

}  // namespace treaty::lang
