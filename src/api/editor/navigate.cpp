#include "api/editor/navigate.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "api/editor/notation_outline.h"
#include "formats/import.h"
#include "formats/names.h"
#include "lang/lexer.h"

namespace treaty::api {
namespace {

using lang::Symbol;
using lang::SymbolId;
using lang::SymbolKind;

constexpr std::size_t max_files = 2000;

bool is_hidden(const std::filesystem::path& folder) {
    std::string name = folder.filename().string();
    return name.starts_with('.') || name == "node_modules";
}

// Each once, open ones first.
std::vector<std::string> files_of(const SearchedFiles& searched) {
    std::vector<std::string> result;
    std::set<std::string> known;
    auto add = [&](const std::string& path) {
        if (result.size() < max_files && path.ends_with(".treaty") && known.insert(path).second)
            result.push_back(path);
    };
    for (const std::string& path : searched.open) add(path);
    for (const std::string& folder : searched.folders) {
        std::error_code fault;
        std::filesystem::recursive_directory_iterator at(
            folder, std::filesystem::directory_options::skip_permission_denied, fault);
        for (; !fault && at != std::filesystem::end(at) && result.size() < max_files; at.increment(fault)) {
            std::error_code gone;  // of this one: a link that leads nowhere ends nothing
            if (at->is_directory(gone) && is_hidden(at->path())) at.disable_recursion_pending();
            if (at->is_regular_file(gone)) add(at->path().lexically_normal().string());
        }
    }
    return result;
}

OutlineSymbol described(const EditorDocument& document, SymbolId id) {
    const Symbol& s = document.symbol(id);
    OutlineSymbol out{std::string(document.text(s.name)), s.kind,
                      std::string(document.type_text(s)), document.place(s.whole),
                      document.place(s.declared),         {}};
    for (SymbolKind part : {SymbolKind::field, SymbolKind::member, SymbolKind::parameter, SymbolKind::role})
        for (SymbolId own : document.index->owned(id, part)) out.parts.push_back(described(document, own));
    return out;
}

std::vector<OutlineSymbol> outline_of(const EditorDocument& document) {
    std::vector<OutlineSymbol> result;
    for (std::size_t i = 0; i < document.index->symbols().size(); ++i) {
        const Symbol& s = document.symbol(SymbolId(i));
        bool item = !s.owner && s.is_declared && s.kind != SymbolKind::variable;
        if (item && document.own(s.declared)) result.push_back(described(document, SymbolId(i)));
    }
    std::sort(result.begin(), result.end(),
              [](const OutlineSymbol& a, const OutlineSymbol& b) { return a.whole.begin < b.whole.begin; });
    return result;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// A name and all its mentions, in every file that can see it.
class Everywhere {
public:
    Everywhere(const Workspace& workspace, const NameQuestion& question)
        : workspace_(workspace), document_(read_for_editor(workspace, question.file)) {
        const lang::Mention* at =
            document_ ? document_->index->at(document_->file, question.offset) : nullptr;
        if (!at) return;
        here_ = document_->place(at->span);
        symbol_ = at->symbol;
        name_ = document_->text(document_->symbol(symbol_).name);
        declared_ = document_->place(document_->symbol(symbol_).declared);
        collect(*document_, symbol_);
        for (const std::string& path : files_of(question.searched))
            if (path != question.file) look_into(path);
    }

    explicit operator bool() const { return symbol_.valid(); }
    const EditorDocument& document() const { return *document_; }
    const Symbol& symbol() const { return document_->symbol(symbol_); }
    const TextPlace& here() const { return here_; }
    const TextPlace& declared() const { return declared_; }
    const std::map<TextPlace, bool>& places() const { return places_; }
    bool complete() const { return complete_; }

private:
    void collect(const EditorDocument& document, SymbolId symbol) {
        complete_ = complete_ && document.complete;
        for (const lang::Mention& m : document.index->of(symbol)) {
            TextPlace place = document.place(m.span);
            places_[place] = places_[place] || m.declares;
        }
    }

    void look_into(const std::string& path) {
        base::Result<std::string> text = workspace_.read(path);
        if (!text || text->find(name_) == std::string::npos) return;
        auto other = read_for_editor(workspace_, path);
        if (!other) return;
        for (std::size_t i = 0; i < other->index->symbols().size(); ++i)
            if (other->place(other->symbol(SymbolId(i)).declared) == declared_) collect(*other, SymbolId(i));
    }

    const Workspace& workspace_;
    std::shared_ptr<const EditorDocument> document_;
    SymbolId symbol_;
    std::string name_;
    TextPlace here_, declared_;
    std::map<TextPlace, bool> places_;
    bool complete_ = true;
};

bool is_name(const std::string& text) {
    base::SourceMap sources;
    base::Names names;
    base::Diagnostics faults;
    lang::TokenList list = lang::lex(sources, sources.add("name", text), names, faults);
    return faults.ok() && list.comments.empty() && list.tokens.size() == 2 &&
           list.tokens[0].kind == lang::TokenKind::name && list.tokens[0].end == text.size();
}

// What already has that name in the same name space; empty if nothing has.
std::string taken(const Everywhere& all, const std::string& name) {
    auto is_value = [](SymbolKind kind) {
        return kind == SymbolKind::variable || kind == SymbolKind::parameter || kind == SymbolKind::member ||
               kind == SymbolKind::constant;
    };
    auto is_type = [](SymbolKind kind) {
        return kind == SymbolKind::enumeration || kind == SymbolKind::record || kind == SymbolKind::alias;
    };
    const Symbol& mine = all.symbol();
    for (const Symbol& other : all.document().index->symbols()) {
        if (all.document().text(other.name) != name) continue;
        bool same = other.kind == mine.kind && other.owner == mine.owner;
        bool values = is_value(other.kind) && is_value(mine.kind) &&
                      (!mine.owner || !other.owner || mine.owner == other.owner ||
                       other.kind == SymbolKind::member || mine.kind == SymbolKind::member);
        if (same || values || (is_type(other.kind) && is_type(mine.kind)))
            return fmt::format("a {}", lang::to_string(other.kind));
    }
    return {};
}

base::Result<TextPlace> renameable(const Everywhere& all) {
    if (!all) return base::Fault{"there is no name here"};
    for (const auto& [place, declares] : all.places())
        if (formats::is_library_path(place.path))
            return base::Fault{"the name is used in a file that comes with Treaty"};
    if (!all.complete()) return base::Fault{"a file that uses the name has errors; correct them first"};
    return all.here();
}

}  // namespace

std::vector<OutlineSymbol> outline(const Workspace& workspace, const std::string& file) {
    if (formats::extension_of(file) != "treaty") return notation_outline(workspace, file);
    auto document = read_for_editor(workspace, file);
    return document ? outline_of(*document) : std::vector<OutlineSymbol>();
}

std::vector<OutlineSymbol> find_symbols(const Workspace& workspace, const SearchedFiles& searched,
                                        const std::string& text) {
    std::vector<OutlineSymbol> result;
    std::string wanted = lower(text);
    for (const std::string& path : files_of(searched))
        for (OutlineSymbol& one : outline(workspace, path))
            if (lower(one.name).find(wanted) != std::string::npos) result.push_back(std::move(one));
    return result;
}

std::optional<TextPlace> definition(const Workspace& workspace, const NameQuestion& question) {
    Everywhere all(workspace, {question.file, question.offset, {}});
    if (!all || formats::is_library_path(all.declared().path)) return std::nullopt;
    return all.declared();
}

std::vector<Reference> references(const Workspace& workspace, const NameQuestion& question) {
    std::vector<Reference> result;
    Everywhere all(workspace, question);
    for (const auto& [place, declares] : all.places())
        if (!formats::is_library_path(place.path)) result.push_back({place, declares});
    return result;
}

base::Result<TextPlace> renameable(const Workspace& workspace, const NameQuestion& question) {
    return renameable(Everywhere(workspace, question));
}

base::Result<std::vector<TextPlace>> rename(const Workspace& workspace, const NameQuestion& question,
                                            const std::string& name) {
    Everywhere all(workspace, question);
    if (auto here = renameable(all); !here) return base::Fault{here.error()};
    if (!is_name(name)) return base::Fault{fmt::format("`{}` is not a name", name)};
    if (name != all.document().text(all.symbol().name))
        if (std::string other = taken(all, name); !other.empty())
            return base::Fault{fmt::format("`{}` is already the name of {}", name, other)};
    std::vector<TextPlace> result;
    for (const auto& [place, declares] : all.places()) result.push_back(place);
    return result;
}

std::vector<ImportLink> links(const Workspace& workspace, const std::string& file) {
    std::vector<ImportLink> result;
    auto document = read_for_editor(workspace, file);
    if (!document) return result;
    for (const lang::ImportSyntax& i : document->syntax.imports) {
        if (!document->own(i.span)) continue;
        std::string path = lang::string_value(document->sources.text(i.path));
        if (formats::is_library_path(path)) continue;
        auto folder = std::filesystem::path(file).parent_path();
        result.push_back({document->place(i.path), (folder / path).lexically_normal().string()});
    }
    return result;
}

}  // namespace treaty::api
