// Layouts of JSON documents and of HTTP messages. Internal to lang/.
#pragma once

#include <vector>

#include "lang/context.h"

namespace treaty::lang {

// Whether the layout is written as a JSON document or as an HTTP message.
bool is_document(const Syntax& syntax, const LayoutSyntax& layout);

// Its items, for a layout whose message and fields are known; reports a layout that the wire cannot have, a
// name that is not a field, and a field that the layout lacks or has twice. False if it is not usable.
bool resolve_document(Context& context, model::Framing framing, const LayoutSyntax& layout,
                      model::Layout& out);

}  // namespace treaty::lang
