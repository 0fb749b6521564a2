// What questions are about, read from files. Every fault is reported to the answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "formats/loaded.h"
#include "model/specification.h"

namespace treaty::api {

using formats::Loaded;

// Any file that Treaty reads, by its extension: a copy of its own of what the workspace holds. Holds nothing
// if an error was reported.
Loaded load(const Inquiry& inquiry, const std::string& path, lang::Knowing knowing = lang::Knowing::demanded);

// A specification and the protocol in it that the user means: the named one, or without a name the last.
struct ProtocolInput {
    model::Specification specification;
    const model::Protocol* protocol;
    // Of the text of the file and of all that it imports: code that keeps something about a protocol tells by
    // it whether the protocol is still the same. Empty if it was not read by load_protocol.
    std::string digest = {};
};
std::optional<ProtocolInput> protocol_of(const Inquiry& inquiry, Loaded loaded, const std::string& path,
                                         const std::string& name);
std::optional<ProtocolInput> load_protocol(const Inquiry& inquiry, const std::string& path,
                                           const std::string& name);
const model::Protocol* choose_protocol(const Inquiry& inquiry, const model::Specification& specification,
                                       const std::string& name);

// The roles of a list "A,B", in its order; nothing if one is unknown.
std::optional<std::vector<model::RoleId>> choose_roles(const Inquiry& inquiry,
                                                       const model::Specification& specification,
                                                       const model::Protocol& protocol,
                                                       const std::string& list);

}  // namespace treaty::api
