#include "formats/notation.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "formats/names.h"
#include "model/endings.h"

namespace treaty::formats {

// One function of each folder with a notation.cpp; the build writes the list.
#define TREATY_NOTATION_FOLDER(name) std::vector<Notation> name##_notations();
#include "formats/notation_folders.inc"
#undef TREATY_NOTATION_FOLDER

namespace {

std::vector<Notation> collect() {
    std::vector<Notation> all;
    auto add = [&all](std::vector<Notation> some) {
        for (Notation& one : some) all.push_back(std::move(one));
    };
#define TREATY_NOTATION_FOLDER(name) add(name##_notations());
#include "formats/notation_folders.inc"
#undef TREATY_NOTATION_FOLDER
    std::sort(all.begin(), all.end(), [](const Notation& a, const Notation& b) {
        auto key = [](const Notation& n) {
            return std::tuple(n.extensions.front() != "treaty", n.extensions.front(), n.title);
        };
        return key(a) < key(b);
    });
    return all;
}

bool has_extension(const Notation& notation, std::string_view extension) {
    return std::find(notation.extensions.begin(), notation.extensions.end(), extension) !=
           notation.extensions.end();
}

template <class Wanted>
std::string list(Wanted wanted) {
    std::vector<std::string_view> found;
    for (const Notation& notation : notations())
        if (wanted(notation) && (found.empty() || found.back() != notation.extensions.front()))
            found.push_back(notation.extensions.front());
    std::string out;
    for (std::size_t i = 0; i < found.size(); ++i)
        out += fmt::format("{}.{}", i == 0 ? "" : i + 1 == found.size() ? " and " : ", ", found[i]);
    return out;
}

}  // namespace

std::span<const Notation> notations() {
    static const std::vector<Notation> all = collect();
    return all;
}

const Notation* find_notation(std::string_view extension) {
    const Notation* found = nullptr;
    for (const Notation& notation : notations()) {
        if (!has_extension(notation, extension)) continue;
        if (!notation.recognises) return &notation;
        if (!found) found = &notation;
    }
    return found;
}

const Notation* notation_of(std::string_view path, std::string_view text) {
    std::string extension = extension_of(path);
    for (const Notation& notation : notations())
        if (notation.recognises && has_extension(notation, extension) && notation.recognises(text))
            return &notation;
    return find_notation(extension);
}

std::string readable_extensions() {
    return list([](const Notation& notation) { return notation.is_read_here(); });
}

std::string writable_extensions() {
    return list([](const Notation& notation) { return notation.is_written(); });
}

std::string path_of_made_text(std::string_view path) {
    return fmt::format("{} as .treaty", path);
}

Loaded with_endless_beside(Loaded result) {
    if (auto* s = std::get_if<model::Specification>(&result.model))
        for (model::Protocol& p : s->protocols)
            if (auto rewritten = model::beside_endless(p)) p = std::move(rewritten->protocol);
    return result;
}

}  // namespace treaty::formats
