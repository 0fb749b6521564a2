#include "api/editor/text_structure.h"

#include <algorithm>
#include <optional>

namespace treaty::api {
namespace {

using lang::SymbolKind;
using lang::TokenKind;

WordKind kind_of(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::message:
        case SymbolKind::signal: return WordKind::message;
        case SymbolKind::field: return WordKind::field;
        case SymbolKind::enumeration:
        case SymbolKind::record:
        case SymbolKind::alias: return WordKind::type;
        case SymbolKind::constant:
        case SymbolKind::member: return WordKind::member;
        case SymbolKind::function: return WordKind::function;
        case SymbolKind::parameter: return WordKind::parameter;
        case SymbolKind::protocol:
        case SymbolKind::wire:
        case SymbolKind::property: return WordKind::protocol;
        case SymbolKind::role: return WordKind::role;
        case SymbolKind::variable:
        case SymbolKind::loop: return WordKind::value;
    }
    return WordKind::value;
}

std::optional<WordKind> kind_of(TokenKind kind) {
    switch (kind) {
        case TokenKind::integer:
        case TokenKind::real:
        case TokenKind::duration: return WordKind::number;
        case TokenKind::string:
        case TokenKind::bytes:
        case TokenKind::regex: return WordKind::string;
        default: break;
    }
    if (lang::is_keyword(kind)) return WordKind::keyword;
    if (kind == TokenKind::arrow || (kind >= TokenKind::equal && kind <= TokenKind::slash))
        return WordKind::operation;
    return std::nullopt;
}

// A range of several lines as one of each line.
void add_lines(std::string_view text, TextRange range, WordKind kind, std::vector<ClassifiedWord>& out) {
    while (range.begin < range.end) {
        std::size_t line_end = text.find_first_of("\r\n", range.begin);
        auto end = static_cast<std::uint32_t>(std::min<std::size_t>(line_end, range.end));
        if (end > range.begin) out.push_back({{range.begin, end}, kind, false});
        range.begin = end + 1;
    }
}

// Spans of everything in the tree that a person may want to select.
template <class Visit>
void visit_spans(const lang::Syntax& syntax, const Visit& visit) {
    for (const auto& e : syntax.exprs) visit(e.span);
    for (const auto& t : syntax.types) visit(t.span);
    for (const auto& a : syntax.arguments) visit(a.span);
    for (const auto& s : syntax.steps) {
        visit(s.head);
        visit(s.span);
    }
    for (const auto& b : syntax.blocks) visit(b.span);
    for (const auto& i : syntax.wire_items) visit(i.span);
    for (const auto& l : syntax.layouts) visit(l.span);
    for (const auto& p : syntax.patterns) visit(p.span);
    for (const auto& m : syntax.messages) visit(m.span);
    for (const auto& e : syntax.enums) visit(e.span);
    for (const auto& r : syntax.records) visit(r.span);
    for (const auto& a : syntax.aliases) visit(a.span);
    for (const auto& c : syntax.constants) visit(c.span);
    for (const auto& f : syntax.functions) visit(f.span);
    for (const auto& p : syntax.protocols) {
        visit(p.span);
        if (p.body) visit(base::cover(p.span, syntax[p.body].span));
    }
    for (const auto& w : syntax.wires) visit(w.span);
    for (const auto& p : syntax.properties) visit(p.span);
    for (const auto& i : syntax.imports) visit(i.span);
}

bool many_lines(std::string_view text, TextRange range) {
    return text.substr(range.begin, range.end - range.begin).find('\n') != std::string_view::npos;
}

}  // namespace

std::vector<FoldingRange> foldings(const Workspace& workspace, const std::string& file) {
    std::vector<FoldingRange> result;
    auto document = read_for_editor(workspace, file);
    if (!document) return result;
    auto add = [&](base::Span span) {
        if (document->own(span) && many_lines(document->text(), {span.begin, span.end}))
            result.push_back({{span.begin, span.end}, false});
    };
    for (const auto& b : document->syntax.blocks) add(b.span);
    for (const auto& e : document->syntax.enums) add(e.span);
    for (const auto& r : document->syntax.records) add(r.span);
    for (const auto& m : document->syntax.messages) add(m.span);
    for (const auto& w : document->syntax.wires) add(w.span);
    for (const auto& l : document->syntax.layouts) add(l.span);
    for (const auto& p : document->syntax.properties) add(p.span);
    // Comments on lines of their own that follow one another are one.
    const auto& comments = document->syntax.comments;
    for (std::size_t i = 0; i < comments.size();) {
        TextRange range{comments[i].begin, comments[i].end};
        std::size_t next = i + 1;
        for (; next < comments.size() && comments[next].own_line && comments[i].own_line; ++next) {
            std::string_view between = document->text().substr(range.end, comments[next].begin - range.end);
            if (between.find_first_not_of(" \t\r\n") != std::string_view::npos) break;
            if (std::count(between.begin(), between.end(), '\n') > 1) break;
            range.end = comments[next].end;
        }
        i = next;
        if (many_lines(document->text(), range)) result.push_back({range, true});
    }
    std::sort(result.begin(), result.end(),
              [](const FoldingRange& a, const FoldingRange& b) { return a.range < b.range; });
    return result;
}

std::vector<TextRange> selection(const Workspace& workspace, const std::string& file, std::uint32_t offset) {
    std::vector<TextRange> result;
    auto document = read_for_editor(workspace, file);
    if (!document) return result;
    auto add = [&](std::uint32_t begin, std::uint32_t end) {
        if (begin <= offset && offset <= end) result.push_back({begin, end});
    };
    for (const lang::Token& t : document->tokens.tokens)
        if (t.kind != TokenKind::end_of_file) add(t.begin, t.end);
    for (const lang::Comment& c : document->tokens.comments) add(c.begin, c.end);
    visit_spans(document->syntax, [&](base::Span span) {
        if (document->own(span)) add(span.begin, span.end);
    });
    add(0, static_cast<std::uint32_t>(document->text().size()));
    std::sort(result.begin(), result.end(), [](const TextRange& a, const TextRange& b) {
        return std::pair(a.end - a.begin, a.begin) < std::pair(b.end - b.begin, b.begin);
    });
    // Each holds the one before: at the border of two words, only the first counts.
    std::vector<TextRange> nested;
    for (const TextRange& r : result) {
        bool holds = nested.empty() || (r.begin <= nested.back().begin && nested.back().end <= r.end);
        if (holds && (nested.empty() || r != nested.back())) nested.push_back(r);
    }
    return nested;
}

std::vector<ClassifiedWord> classify(const Workspace& workspace, const std::string& file) {
    std::vector<ClassifiedWord> result;
    auto document = read_for_editor(workspace, file);
    if (!document) return result;
    std::vector<const lang::Mention*> mentions;
    for (const lang::Mention& m : document->index->mentions())
        if (document->own(m.span)) mentions.push_back(&m);
    auto next = mentions.begin();
    for (const lang::Token& t : document->tokens.tokens) {
        while (next != mentions.end() && (*next)->span.begin < t.begin) ++next;
        if (next != mentions.end() && (*next)->span.begin == t.begin && (*next)->span.end == t.end) {
            const lang::Mention& m = **next;
            result.push_back({{t.begin, t.end}, kind_of(document->symbol(m.symbol).kind), m.declares});
        } else if (auto kind = kind_of(t.kind)) {
            result.push_back({{t.begin, t.end}, *kind, false});
        }
    }
    for (const lang::Comment& c : document->tokens.comments)
        add_lines(document->text(), {c.begin, c.end}, WordKind::comment, result);
    std::sort(result.begin(), result.end(),
              [](const ClassifiedWord& a, const ClassifiedWord& b) { return a.range < b.range; });
    return result;
}

}  // namespace treaty::api
