// Code that writes the messages of a protocol as bytes and reads them, as a wire of the file describes them.
//
// It does what `treaty data` and `treaty decode` do. Wires over a stream and length-prefixed ones have code,
// with layouts of bits, numbers, bytes, lines, blocks, checks, conditions, and repetitions that have one
// element of a list per round. Other forms of layouts are reported by name, and there is no code then.
// Layouts of messages that the protocol does not have are left out, so their bytes are no message.
#pragma once

#include <optional>

#include "generate/generated_code.h"

namespace treaty::generate {

std::optional<GeneratedFile> codec(const RoleSource& source, const model::Wire& wire, Language language,
                                   base::Diagnostics& diagnostics);

}  // namespace treaty::generate
