// How a text is built: what can be folded, what is selected step by step, what each word is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/editor/document.h"

namespace treaty::api {

struct TextRange {
    std::uint32_t begin = 0, end = 0;

    friend auto operator<=>(const TextRange&, const TextRange&) = default;
};

struct FoldingRange {
    TextRange range;
    bool comment = false;
};
std::vector<FoldingRange> foldings(const Workspace& workspace, const std::string& file);

// Everything that holds the place, the smallest first; the last is the whole text.
std::vector<TextRange> selection(const Workspace& workspace, const std::string& file, std::uint32_t offset);

enum class WordKind : std::uint8_t {
    keyword,
    string,
    number,
    comment,
    operation,
    message,
    role,
    protocol,
    value,
    parameter,
    field,
    type,
    member,
    function,
};
constexpr std::size_t word_kinds = 14;

struct ClassifiedWord {
    TextRange range;  // within one line
    WordKind kind = WordKind::keyword;
    bool declares = false;
};
// In the order of the text.
std::vector<ClassifiedWord> classify(const Workspace& workspace, const std::string& file);

}  // namespace treaty::api
