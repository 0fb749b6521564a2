// Where names are: symbols of a file and of a workspace, definition, references, rename, links.
//
// Answers for texts with faults cover what could be read; only renaming needs texts without faults, since a
// name that is not seen would keep its old form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/editor/document.h"
#include "api/workspace.h"
#include "base/result.h"

namespace treaty::api {

// The files that may refer to a name: what is open, and the .treaty files in these folders (at most 2,000).
struct SearchedFiles {
    std::vector<std::string> open, folders;
};

struct NameQuestion {
    std::string file;
    std::uint32_t offset = 0;  // in bytes
    SearchedFiles searched = {};
};

struct OutlineSymbol {
    std::string name;
    lang::SymbolKind kind = lang::SymbolKind::message;
    std::string detail;
    TextPlace whole, declared;
    std::vector<OutlineSymbol> parts;
};

// The declarations of a file in the order of the text.
std::vector<OutlineSymbol> outline(const Workspace& workspace, const std::string& file);
// The declarations of all searched files whose names contain the text, without regard to case.
std::vector<OutlineSymbol> find_symbols(const Workspace& workspace, const SearchedFiles& searched,
                                        const std::string& text);

// Nothing if no name is there, or if it is declared in a file that comes with Treaty.
std::optional<TextPlace> definition(const Workspace& workspace, const NameQuestion& question);

struct Reference {
    TextPlace place;
    bool declares = false;
};
std::vector<Reference> references(const Workspace& workspace, const NameQuestion& question);

// The name at the place, if it can be renamed; the fault states why not.
base::Result<TextPlace> renameable(const Workspace& workspace, const NameQuestion& question);
// The places to replace.
base::Result<std::vector<TextPlace>> rename(const Workspace& workspace, const NameQuestion& question,
                                            const std::string& name);

struct ImportLink {
    TextPlace place;
    std::string target;  // an absolute path
};
std::vector<ImportLink> links(const Workspace& workspace, const std::string& file);

}  // namespace treaty::api
