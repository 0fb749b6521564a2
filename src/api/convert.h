// convert: a model in another notation, as text.
//
// A protocol is written as such, or as what the notation holds: the machines of its roles (.fsa), one machine
// of all of it (.aut), a net (.pnml). What the notation cannot carry is reported, and nothing is written
// then, unless losses are allowed. Machines of roles, in any notation, cannot carry a `wait` that waits for
// ever, nor interruptions, whose crossing messages would be faults of the machines. The space of a system
// that becomes one machine has at most 200,000 configurations, unless the context has another limit. Holds
// with the text; no verdict where there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"

namespace treaty::api {

enum class ModelKind : std::uint8_t { protocol, system, machine, net };

std::optional<ModelKind> parse_model_kind(std::string_view text);

struct ConvertQuestion {
    std::string file = {};
    std::string protocol = {};           // empty: the last one of the file
    std::string notation = {};           // the extension of its files, without the dot: "gc"
    std::optional<ModelKind> kind = {};  // none: what the notation holds
    bool allow_loss = false;
};

struct ConvertAnswer : Answer {
    std::string text;
};

ConvertAnswer convert(const Workspace& workspace, const ConvertQuestion& question, const Context& context);

// The extension of a path, by which files are told apart: "gc" of "a/shop.GC"; empty if there is none.
std::string extension_of(std::string_view path);

}  // namespace treaty::api
