// The notations that Treaty reads and writes, as data for lists: `treaty convert --list`, `treaty help`, the
// documents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treaty::api {

struct NotationInfo {
    std::string title;                    // "g-choreographies (ChorGram, ChorTest)"
    std::vector<std::string> extensions;  // without their dots, the usual one first
    bool read = false, written = false;
    std::string read_by;  // the commands that read it, if not every command that takes a protocol does
    std::string carries;  // what it can express
    std::string page;     // "docs/notations.md#gc-and-sgg"
};

// The language first, the others by their extension.
std::span<const NotationInfo> notations();

// Those with this extension, with or without the dot.
std::vector<NotationInfo> notations_of(std::string_view extension);

}  // namespace treaty::api
