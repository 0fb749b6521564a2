// One .treaty file as editors ask about it: its tree, its tokens and what its names mean, with all that it
// imports.
//
// It exists for texts with faults too, and covers what could be read of them. It has sources of its own, so
// nothing of it stays in the workspace. Frozen. Cost: linear in the texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/workspace.h"
#include "base/diagnostic.h"
#include "base/names.h"
#include "base/source.h"
#include "lang/lexer.h"
#include "lang/name_index.h"
#include "lang/syntax.h"

namespace treaty::api {

// A part of a file, in bytes.
struct TextPlace {
    std::string path;
    std::uint32_t begin = 0, end = 0;

    friend auto operator<=>(const TextPlace&, const TextPlace&) = default;
};

struct EditorDocument {
    base::SourceMap sources;
    base::Names names;
    base::FileId file;       // the file itself
    bool complete = true;    // no fault in the syntax of any of the files
    lang::Syntax syntax;     // of all files, those that are imported first
    lang::TokenList tokens;  // of the file itself
    std::optional<lang::NameIndex> index;

    std::string_view text() const { return sources.text(file); }
    std::string_view text(base::NameId name) const { return names.text(name); }
    TextPlace place(base::Span span) const {
        return {std::string(sources.path(span.file)), span.begin, span.end};
    }
    bool own(base::Span span) const { return span.valid() && span.file == file; }
    const lang::Symbol& symbol(lang::SymbolId id) const { return (*index)[id]; }
    // The type as it is written; empty if it is not.
    std::string_view type_text(const lang::Symbol& symbol) const;
    // The protocol that holds this place; null if there is none.
    const lang::ProtocolSyntax* protocol_at(std::uint32_t offset) const;
};

// Nothing if the file cannot be read or is not a .treaty file.
std::shared_ptr<const EditorDocument> read_for_editor(const Workspace& workspace, const std::string& path);

}  // namespace treaty::api
