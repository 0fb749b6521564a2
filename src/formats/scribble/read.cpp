// Reading Scribble: its tokens are ours, its steps map one to one onto steps of the Treaty language.
//
// Payloads are typed at each use in Scribble and once, at the declaration, in Treaty: the first use of a label
// declares it, and a later use with other types is a fault.
#include "formats/scribble/scribble.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codes.h"
#include "lang/lexer.h"
#include "lang/resolve.h"
#include "lang/syntax.h"

namespace treaty::formats {
namespace {

using base::NameId;
using base::Span;
using lang::BlockId;
using lang::Name;
using lang::Step;
using lang::StepKind;
using lang::Token;
using lang::TokenKind;

// nuScr pragmas, (*# ... #*), become blanks: every place in the text stays where it was.
std::string without_pragmas(std::string_view text) {
    std::string result(text);
    std::size_t begin = 0;
    while ((begin = result.find("(*#", begin)) != std::string::npos) {
        std::size_t end = result.find("#*)", begin);
        end = end == std::string::npos ? result.size() : end + 3;
        for (std::size_t i = begin; i < end; ++i)
            if (result[i] != '\n') result[i] = ' ';
    }
    return result;
}

// The type of the Treaty language that a payload type means; empty for types of the file's own.
std::string_view known_type(std::string_view name) {
    struct Known {
        std::string_view scribble, treaty;
    };
    static constexpr Known table[] = {
        {"int", "int"}, {"Int", "int"}, {"Integer", "int"}, {"long", "int"}, {"Long", "int"}, {"nat", "int"},
        {"bool", "bool"}, {"Bool", "bool"}, {"boolean", "bool"}, {"Boolean", "bool"}, {"string", "string"},
        {"String", "string"}, {"str", "string"}, {"Str", "string"}, {"real", "real"}, {"double", "real"},
        {"Double", "real"}, {"float", "real"}, {"Float", "real"}, {"bytes", "bytes"}, {"Bytes", "bytes"}};
    for (const Known& k : table)
        if (k.scribble == name) return k.treaty;
    return {};
}

class Reader {
public:
    Reader(const base::SourceMap& sources, base::FileId file, model::Specification& spec, base::Diagnostics& diagnostics)
        : sources_(sources), file_(file), names_(*spec.names), diagnostics_(diagnostics) {
        base::SourceMap copy;
        base::Diagnostics lexical;
        base::FileId blanked = copy.add("", without_pragmas(sources.text(file)));
        tokens_ = lang::lex(copy, blanked, names_, lexical).tokens;
        for (const base::Diagnostic& d : lexical.all())
            diagnostics_.report(codes::scribble_syntax, {file_, d.span.begin, d.span.end}, d.message).help(d.hint);
        out_.file = file;
    }

    lang::Syntax run() {
        while (!at_end())
            if (!declaration()) skip_declaration();
        return std::move(out_);
    }

private:
    struct Payload {
        Name field;       // without an id: not named
        NameId type;
        Span span;
    };

    // --- cursor

    const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
    bool at_end() const { return peek().kind == TokenKind::end_of_file; }
    bool at(TokenKind k) const { return peek().kind == k; }
    bool at_word(std::string_view word) const { return lang::is_word(peek().kind) && names_.text(peek().name) == word; }
    Span span_of(const Token& t) const { return {file_, t.begin, t.end}; }
    Token take() {
        Token t = peek();
        if (next_ + 1 < tokens_.size()) ++next_;
        previous_end_ = t.end;
        return t;
    }
    bool accept(TokenKind k) { return at(k) && (take(), true); }
    bool accept_word(std::string_view word) { return at_word(word) && (take(), true); }
    Span from(std::uint32_t begin) const { return {file_, begin, previous_end_}; }

    bool fail(std::string_view what) {
        std::string found = at_end() ? "the end of the file" : fmt::format("`{}`", sources_.text(span_of(peek())));
        if (found.size() > 60) found = "something else";
        diagnostics_.report(codes::scribble_syntax, span_of(peek()), fmt::format("expected {}, found {}", what, found));
        return false;
    }
    bool expect(TokenKind k, std::string_view what) { return accept(k) || fail(what); }
    bool expect_word(std::string_view word) { return accept_word(word) || fail(fmt::format("`{}`", word)); }
    bool expect_name(Name& name, std::string_view what) {
        if (!lang::is_word(peek().kind)) return fail(what);
        Token t = take();
        name = {t.name, span_of(t)};
        return true;
    }
    bool refuse(std::string_view what) {
        diagnostics_.report(codes::scribble_unsupported, span_of(peek()), fmt::format("{} cannot be read", what))
            .help("rewrite this part without it; what can be read is listed in docs/notations.md");
        return false;
    }

    void skip_statement() {
        std::size_t depth = 0;
        while (!at_end()) {
            if (at(TokenKind::right_brace) && depth == 0) return;
            TokenKind k = take().kind;
            if (k == TokenKind::left_brace) ++depth;
            bool refinement = at(TokenKind::right_paren) || at(TokenKind::comma);  // braces inside a payload
            if (k == TokenKind::right_brace && --depth == 0 && !refinement) return;
            if (k == TokenKind::semicolon && depth == 0) return;
        }
    }

    void skip_declaration() {
        std::size_t before = next_;
        skip_statement();
        if (next_ == before) take();
    }

    // --- declarations

    bool declaration() {
        if (at_word("module")) return skip_statement(), true;
        if (at_word("import")) return refuse("an import");
        if (at_word("type") || at_word("data") || at_word("typedef")) return type_declaration();
        if (at_word("aux") || at_word("explicit")) return refuse(fmt::format("an {} protocol", names_.text(peek().name)));
        if (at_word("local")) return refuse("a local protocol");
        accept_word("global");
        if (at(TokenKind::kw_protocol)) return protocol();
        return fail("module, type or global protocol");
    }

    // type <java> "java.lang.Integer" from "rt.jar" as Int;
    bool type_declaration() {
        std::uint32_t begin = take().begin;
        if (accept(TokenKind::less)) {
            Name language;
            if (!expect_name(language, "a language") || !expect(TokenKind::greater, "`>`")) return false;
        }
        Name name;
        while (!at(TokenKind::semicolon) && !at_end() && !at_word("as")) {
            if (lang::is_word(peek().kind)) name = {peek().name, span_of(peek())};
            take();
        }
        if (accept_word("as") && !expect_name(name, "the type's name")) return false;
        if (!expect(TokenKind::semicolon, "`;`")) return false;
        if (name.id && known_type(names_.text(name.id)).empty()) opaque(name, from(begin));
        return true;
    }

    void opaque(Name name, Span span) {
        if (!opaque_.insert(name.id).second) return;
        lang::RecordSyntax r;
        r.span = span;
        r.name = name;
        out_.items.push_back({lang::ItemKind::record, static_cast<std::uint32_t>(out_.records.size())});
        out_.records.push_back(r);
    }

    bool protocol() {
        lang::ProtocolSyntax p;
        std::uint32_t begin = take().begin;
        if (!expect_name(p.name, "the protocol's name")) return false;
        if (at(TokenKind::less)) return refuse("a protocol with parameters");
        std::vector<Name> roles;
        if (!expect(TokenKind::left_paren, "`(`")) return false;
        do {
            Name role;
            if (!expect_word("role") || !expect_name(role, "a role")) return false;
            if (accept_word("as") && !expect_name(role, "a role")) return false;
            roles.push_back(role);
        } while (accept(TokenKind::comma));
        if (!expect(TokenKind::right_paren, "`,` or `)`")) return false;
        p.span = from(begin);
        p.roles = append(out_.names, roles);
        if (!block(p.body)) return false;
        out_.items.push_back({lang::ItemKind::protocol, static_cast<std::uint32_t>(out_.protocols.size())});
        out_.protocols.push_back(p);
        return true;
    }

    // --- steps

    template <class T>
    lang::Range append(std::vector<T>& table, const std::vector<T>& items) {
        lang::Range range{static_cast<std::uint32_t>(table.size()), static_cast<std::uint32_t>(items.size())};
        table.insert(table.end(), items.begin(), items.end());
        return range;
    }

    bool block(BlockId& out) {
        std::uint32_t begin = peek().begin;
        if (!expect(TokenKind::left_brace, "`{`")) return false;
        if (++depth_ > lang::max_block_depth) {
            --depth_;
            diagnostics_.report(codes::scribble_syntax, from(begin), fmt::format("blocks nest deeper than {} levels", lang::max_block_depth));
            return false;
        }
        std::vector<lang::StepId> steps;
        while (!at(TokenKind::right_brace) && !at_end()) {
            Step s;
            std::uint32_t step_begin = peek().begin;
            std::size_t before = next_;
            if (step(s)) {
                s.span = from(step_begin);
                if (!s.head.valid()) s.head = s.span;
                out_.steps.push_back(s);
                steps.push_back(lang::StepId(out_.steps.size() - 1));
            } else {
                if (next_ == before || tokens_[next_ - 1].kind != TokenKind::right_brace) skip_statement();
                if (next_ == before) take();
                Step wrong;
                wrong.kind = StepKind::wrong;
                wrong.span = wrong.head = from(step_begin);
                out_.steps.push_back(wrong);
                steps.push_back(lang::StepId(out_.steps.size() - 1));
            }
        }
        --depth_;
        if (!expect(TokenKind::right_brace, "`}`")) return false;
        lang::Block b;
        b.span = from(begin);
        b.steps = append(out_.step_lists, steps);
        out_.blocks.push_back(b);
        out = BlockId(out_.blocks.size() - 1);
        return true;
    }

    bool blocks(Step& s, TokenKind separator) {
        std::vector<BlockId> all;
        do {
            BlockId b;
            if (!block(b)) return false;
            all.push_back(b);
        } while (separator != TokenKind::end_of_file && accept(separator));
        s.blocks = append(out_.block_lists, all);
        return true;
    }

    bool step(Step& s) {
        std::uint32_t begin = peek().begin;
        for (std::string_view word : {"connect", "disconnect", "interruptible", "wrap", "invites", "interrupt"})
            if (at_word(word) && peek(1).kind != TokenKind::left_paren) return refuse(fmt::format("`{}`", word));
        switch (peek().kind) {
            case TokenKind::kw_choice:
                take();
                s.kind = StepKind::choice;
                if (!expect(TokenKind::kw_at, "`at`") || !expect_name(s.role, "a role")) return false;
                s.head = from(begin);
                return blocks(s, TokenKind::kw_or);
            case TokenKind::kw_par:
                take();
                s.kind = StepKind::par;
                s.head = from(begin);
                return blocks(s, TokenKind::kw_and);
            case TokenKind::kw_rec:
                take();
                s.kind = StepKind::rec;
                if (!expect_name(s.name, "the loop's name")) return false;
                s.head = from(begin);
                return blocks(s, TokenKind::end_of_file);
            case TokenKind::kw_continue:
                take();
                s.kind = StepKind::jump;
                return expect_name(s.name, "the loop's name") && expect(TokenKind::semicolon, "`;`");
            case TokenKind::kw_do: return call(s);
            default: return message(s);
        }
    }

    bool call(Step& s) {
        take();
        s.kind = StepKind::call;
        if (!expect_name(s.name, "a protocol's name")) return false;
        if (at(TokenKind::less)) return refuse("a protocol with parameters");
        std::vector<Name> roles;
        if (!expect(TokenKind::left_paren, "`(`")) return false;
        do {
            Name role;
            if (!expect_name(role, "a role")) return false;
            if (accept_word("as")) return refuse("a role given by `as`");
            roles.push_back(role);
        } while (accept(TokenKind::comma));
        s.roles = append(out_.names, roles);
        return expect(TokenKind::right_paren, "`,` or `)`") && expect(TokenKind::semicolon, "`;`");
    }

    bool message(Step& s) {
        s.kind = StepKind::interaction;
        std::uint32_t begin = peek().begin;
        if (at(TokenKind::left_paren)) s.name = {names_.intern("message"), span_of(peek())};  // a payload without a label
        else if (!expect_name(s.name, "a message, choice, rec, continue, do or par")) return false;
        std::vector<Payload> payload;
        if (accept(TokenKind::left_paren) && !payloads(payload)) return false;
        if (!expect_word("from") || !expect_name(s.role, "a role") || !expect_word("to")) return false;
        std::vector<Name> receivers;
        do {
            if (!expect_name(receivers.emplace_back(), "a role")) return false;
        } while (accept(TokenKind::comma));
        s.roles = append(out_.names, receivers);
        s.head = from(begin);
        if (at_word("connect")) return refuse("`connect`");
        if (!expect(TokenKind::semicolon, "`;`")) return false;
        return declare(s.name, payload);
    }

    bool payloads(std::vector<Payload>& out) {
        if (accept(TokenKind::right_paren)) return true;
        do {
            Payload p;
            Name first;
            std::uint32_t begin = peek().begin;
            if (!expect_name(first, "a payload type")) return false;
            if (accept(TokenKind::colon)) {
                p.field = first;
                if (!expect_name(first, "a payload type")) return false;
            }
            if (at(TokenKind::left_brace)) return refuse("a refinement");
            if (at(TokenKind::less) || at(TokenKind::arrow)) return refuse("a parametrised payload type");
            if (accept(TokenKind::kw_at) || at_word("@")) return refuse("delegation");
            p.type = first.id;
            p.span = from(begin);
            out.push_back(p);
        } while (accept(TokenKind::comma));
        return expect(TokenKind::right_paren, "`,` or `)`");
    }

    // The first use of a label declares its message.
    bool declare(const Name& label, const std::vector<Payload>& payload) {
        std::vector<NameId> types;
        for (const Payload& p : payload) types.push_back(p.type);
        auto [it, added] = messages_.try_emplace(label.id, types, label.span);
        if (!added) {
            if (it->second.first == types) return true;
            diagnostics_.report(codes::scribble_payload, label.span, fmt::format("`{}` carries other types here than before", names_.text(label.id)))
                .label(it->second.second, "first used here")
                .help("a message has one payload wherever it is sent: give one of them another name");
            return true;
        }
        std::vector<lang::FieldSyntax> fields;
        for (std::size_t i = 0; i < payload.size(); ++i) {
            lang::FieldSyntax f;
            f.name = payload[i].field.id ? payload[i].field : Name{names_.intern(payload.size() == 1 ? std::string("value") : fmt::format("value{}", i + 1)), payload[i].span};
            lang::TypeSyntax t;
            std::string_view ours = known_type(names_.text(payload[i].type));
            if (ours.empty() && !opaque_.contains(payload[i].type)) opaque({payload[i].type, payload[i].span}, payload[i].span);
            t.name = {ours.empty() ? payload[i].type : names_.intern(ours), payload[i].span};
            t.span = payload[i].span;
            out_.types.push_back(t);
            f.type = lang::TypeSyntaxId(out_.types.size() - 1);
            fields.push_back(f);
        }
        if (fields.empty()) return true;  // a message without data needs no declaration
        lang::MessageSyntax m;
        m.span = m.name.span = label.span;
        m.name.id = label.id;
        m.fields = append(out_.fields, fields);
        out_.items.push_back({lang::ItemKind::message, static_cast<std::uint32_t>(out_.messages.size())});
        out_.messages.push_back(m);
        return true;
    }

    const base::SourceMap& sources_;
    base::FileId file_;
    base::Names& names_;
    base::Diagnostics& diagnostics_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    std::uint32_t previous_end_ = 0;
    std::uint32_t depth_ = 0;
    lang::Syntax out_;
    absl::flat_hash_set<NameId> opaque_;
    absl::flat_hash_map<NameId, std::pair<std::vector<NameId>, Span>> messages_;
};

}  // namespace

std::optional<model::Specification> read_scribble(const base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics) {
    model::Specification spec;
    base::Diagnostics found;
    lang::Syntax syntax = Reader(sources, file, spec, found).run();
    std::optional<model::Specification> resolved = lang::resolve(sources, syntax, std::move(spec), found);
    bool ok = found.ok();
    found.sort_by_place();
    diagnostics.append(std::move(found));
    if (!ok) return std::nullopt;
    return resolved;
}

}  // namespace treaty::formats
