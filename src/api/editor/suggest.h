// What can be written at a place: completion, and the signature of the message or function around it.
//
// It goes by the tokens before the place, so a line that is being written need not be readable: roles before
// and after `->` and after `at`, messages after the colon, fields and values in parentheses (those that the
// sender cannot know come last), types after the colon of a field, words of the language where a step or a
// declaration begins, library files in an import.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/editor/document.h"

namespace treaty::api {

enum class SuggestionKind : std::uint8_t {
    role,
    message,
    field,
    value,
    member,
    function,
    type,
    protocol,
    label,
    word,
    file
};

struct Suggestion {
    std::string text;
    SuggestionKind kind = SuggestionKind::word;
    std::string detail = {};
};

struct SuggestAnswer {
    TextPlace replaced;  // what is written of the word already
    std::vector<Suggestion> suggestions;
};

SuggestAnswer suggest(const Workspace& workspace, const std::string& file, std::uint32_t offset);

struct Signature {
    std::string label;                    // "pay(amount: int, to: string)"
    std::vector<std::string> parameters;  // parts of the label
    std::size_t active = 0;
};

std::optional<Signature> signature(const Workspace& workspace, const std::string& file, std::uint32_t offset);

}  // namespace treaty::api
