#include "api/editor_document.h"

#include <algorithm>

#include "formats/import.h"
#include "formats/names.h"
#include "lang/parser.h"

namespace treaty::api {

std::string_view EditorDocument::type_text(const lang::Symbol& symbol) const {
    if (symbol.type) return sources.text(syntax[symbol.type].span);
    return symbol.record ? names.text((*index)[symbol.record].name) : std::string_view();
}

const lang::ProtocolSyntax* EditorDocument::protocol_at(std::uint32_t offset) const {
    for (const lang::ProtocolSyntax& p : syntax.protocols)
        if (own(p.span) && p.span.begin <= offset && p.body && offset <= syntax[p.body].span.end) return &p;
    return nullptr;
}

std::shared_ptr<const EditorDocument> read_for_editor(const Workspace& workspace, const std::string& path) {
    if (formats::extension_of(path) != "treaty") return nullptr;
    base::Result<std::string> text = workspace.read(path);
    if (!text) return nullptr;
    auto document = std::make_shared<EditorDocument>();
    document->file = document->sources.add(path, std::move(*text));
    base::Diagnostics faults;
    std::vector<base::FileId> read;
    auto imported = formats::follow_imports(
        document->sources, document->file, faults,
        [&](const std::string& name) { return workspace.read(name); }, &read);
    // Where an import cannot be followed, the others are taken as they were found.
    if (!imported) imported.emplace(read.rbegin(), read.rend());
    lang::Syntax syntax;
    for (base::FileId file : *imported)
        syntax = lang::parse_into(std::move(syntax), document->sources, file, document->names, faults);
    document->syntax =
        lang::parse_into(std::move(syntax), document->sources, document->file, document->names, faults);
    document->complete = faults.ok();
    base::Diagnostics again;
    document->tokens = lang::lex(document->sources, document->file, document->names, again);
    document->index.emplace(document->syntax, document->names);
    return document;
}

}  // namespace treaty::api
