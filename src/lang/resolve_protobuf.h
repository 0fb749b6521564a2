// Layouts of protobuf messages. Internal to lang/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lang/context.h"
#include "lang/syntax.h"
#include "model/specification.h"
#include "model/wire.h"

namespace treaty::lang {

struct ResolvedProtobuf {
    model::forms::Protobuf form;
    std::vector<Name> carried;  // the fields of the message that are in it, as they are named there
};

// item: `protobuf { ... }` in the layout of the message with this name. variables: of the layout, one for
// each field of the message. What is wrong is reported; the form then lacks it.
ResolvedProtobuf resolve_protobuf(Context& c, const WireItemSyntax& item, const model::Message& message,
                                  std::string_view name, std::span<const expr::VarId> variables);

}  // namespace treaty::lang
