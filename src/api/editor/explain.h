// What a name stands for, and what the text leaves unsaid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/editor/document.h"

namespace treaty::api {

struct Explanation {
    TextPlace place;
    lang::SymbolKind kind = lang::SymbolKind::message;
    std::string name;
    std::string declaration;         // in the words of the language: "message pay(amount: int)"
    std::string protocol;            // of a role: the protocol that it is a role of
    std::vector<std::string> facts;  // one line each: who sends it to whom, where it is on the wire
};

// Nothing if no name is there.
std::optional<Explanation> explain(const Workspace& workspace, const std::string& file, std::uint32_t offset);

// A text to show at a place although it is not written there.
struct Hint {
    std::uint32_t offset = 0;
    std::string text;
    bool type = false;  // the type of a value; else a role, or roles
};

// The types of values that messages bind; of files without faults also the role that decides where none is
// named, and who knows a computed value.
std::vector<Hint> hints(const Workspace& workspace, const std::string& file);

}  // namespace treaty::api
