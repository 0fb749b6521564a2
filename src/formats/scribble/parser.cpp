#include "formats/scribble/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/scribble/lexer.h"

namespace treaty::formats::scribble {
namespace {

using lang::SyntaxExpr;
using lang::SyntaxExprId;
using lang::SyntaxExprKind;

class Parser {
public:
    Parser(const base::SourceMap& sources, base::FileId file, base::Names& names, lang::Syntax& out,
           base::Diagnostics& diagnostics)
        : sources_(sources),
          file_(file),
          names_(names),
          out_(out),
          diagnostics_(diagnostics),
          tokens_(lex(sources, file, names, diagnostics)) {
        module_.file = file;
    }

    Module run() {
        while (!at_end())
            if (!declaration()) skip_declaration();
        return std::move(module_);
    }

private:
    // --- cursor

    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
    }
    bool at_end() const { return peek().kind == TokenKind::end_of_file; }
    bool at(TokenKind k) const { return peek().kind == k; }
    bool at_word(std::string_view word, std::size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::word && names_.text(peek(ahead).name) == word;
    }
    Span span_of(const Token& t) const { return {file_, t.begin, t.end}; }
    Token take() {
        Token t = peek();
        if (next_ + 1 < tokens_.size()) ++next_;
        previous_end_ = t.end;
        return t;
    }
    bool accept(TokenKind k) { return at(k) && (take(), true); }
    bool accept_word(std::string_view word) { return at_word(word) && (take(), true); }
    Span from(std::uint32_t begin) const { return {file_, begin, std::max(begin, previous_end_)}; }

    bool fail(std::string_view what) {
        if (at(TokenKind::other)) return false;  // has been reported
        std::string found =
            at_end() ? "the end of the file" : fmt::format("`{}`", sources_.text(span_of(peek())));
        if (found.size() > 60) found = "something else";
        diagnostics_.report(codes::scribble_syntax, span_of(peek()),
                            fmt::format("expected {}, found {}", what, found));
        return false;
    }
    bool expect(TokenKind k, std::string_view what) { return accept(k) || fail(what); }
    bool expect_word(std::string_view word) { return accept_word(word) || fail(fmt::format("`{}`", word)); }
    bool expect_name(Name& name, std::string_view what) {
        if (!at(TokenKind::word)) return fail(what);
        Token t = take();
        name = {t.name, span_of(t)};
        return true;
    }
    bool expect_qualified(QualifiedName& name, std::string_view what) {
        std::uint32_t begin = peek().begin;
        do {
            if (!expect_name(name.parts.emplace_back(), what)) return false;
        } while (accept(TokenKind::dot));
        name.span = from(begin);
        return true;
    }
    bool refuse(std::string_view what) {
        diagnostics_
            .report(codes::scribble_unsupported, span_of(peek()), fmt::format("{} is not supported", what))
            .help("rewrite this part without it; docs/notations.md lists what is supported");
        return false;
    }
    void no_meaning(Span span, std::string message) {
        diagnostics_.report(codes::scribble_no_meaning, span, std::move(message));
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
        if (at_word("module")) return module_name();
        if (at_word("import")) return import_module();
        if (at_word("from")) return import_member();
        for (std::string_view word : {"type", "data", "typedef", "typename", "sig"})
            if (at_word(word)) return type_declaration();
        return protocol(no_parent);
    }

    bool module_name() {
        take();
        return expect_qualified(module_.name, "the name of the module") &&
               expect(TokenKind::semicolon, "`;`");
    }

    bool import_module() {
        Import i;
        std::uint32_t begin = take().begin;
        if (!expect_qualified(i.module, "a module's name")) return false;
        if (accept_word("as") && !expect_name(i.alias, "a name for the module")) return false;
        i.span = from(begin);
        module_.imports.push_back(i);
        return expect(TokenKind::semicolon, "`;`");
    }

    bool import_member() {
        Import i;
        std::uint32_t begin = take().begin;
        if (!expect_qualified(i.module, "a module's name") || !expect_word("import")) return false;
        for (std::string_view word : {"global", "protocol", "type", "sig", "data"}) {
            if (peek(1).kind == TokenKind::word && !at_word("as", 1)) accept_word(word);
        }
        if (!expect_name(i.member, "the name of the import")) return false;
        if (accept_word("as") && !expect_name(i.alias, "a name for it")) return false;
        i.span = from(begin);
        module_.imports.push_back(i);
        return expect(TokenKind::semicolon, "`;`");
    }

    // type <java> "java.lang.Integer" from "rt.jar" as Int;
    bool type_declaration() {
        bool signature = names_.text(take().name) == "sig";
        if (accept(TokenKind::less)) {
            Name language;
            if (!expect_name(language, "a language") || !expect(TokenKind::greater, "`>`")) return false;
        }
        Name name;
        while (!at(TokenKind::semicolon) && !at_end() && !at_word("as")) {
            if (at(TokenKind::word)) name = {peek().name, span_of(peek())};
            take();
        }
        if (accept_word("as") && !expect_name(name, "the name of the type")) return false;
        if (!expect(TokenKind::semicolon, "`;`")) return false;
        if (name.id && !signature) module_.types.push_back(name.id);
        return true;
    }

    bool protocol(std::uint32_t parent) {
        ProtocolDeclaration p;
        p.parent = parent;
        std::uint32_t begin = peek().begin;
        bool nested = false;
        for (;;) {
            if (accept_word("aux"))
                p.aux = true;
            else if (at_word("explicit"))
                return refuse("a protocol with explicit connections");
            else if (at_word("local"))
                return refuse("a local protocol");
            else if (accept_word("nested"))
                p.aux = nested = true;
            else
                break;
        }
        bool global = accept_word("global");
        if (!accept_word("protocol") && !global) return fail("module, import, type or global protocol");
        if (!expect_name(p.name, "the name of the protocol")) return false;
        if (accept(TokenKind::less) && !parameters(p)) return false;
        if (!roles(p, nested)) return false;
        if (at_word("instantiates")) return refuse("`instantiates`");
        p.span = from(begin);
        annotation();
        std::uint32_t index = static_cast<std::uint32_t>(module_.protocols.size());
        module_.protocols.push_back(std::move(p));  // before those declared inside it
        Block body;
        bool fine = block(body, index);
        if (!fine)
            body.statements.emplace_back().span = body.span = from(begin);  // so that the rest is not judged
        module_.protocols[index].body = std::move(body);
        return fine;
    }

    bool parameters(ProtocolDeclaration& p) {
        do {
            Parameter& q = p.parameters.emplace_back();
            if (accept_word("sig"))
                q.is_signature = true;
            else if (!accept_word("type") && !accept_word("data"))
                return fail("`type` or `sig`");
            if (!expect_name(q.name, "a parameter")) return false;
        } while (accept(TokenKind::comma));
        return expect(TokenKind::greater, "`,` or `>`");
    }

    bool roles(ProtocolDeclaration& p, bool nested) {
        if (!expect(TokenKind::left_paren, "`(`")) return false;
        if (!role_list(p.roles)) return false;
        if (nested && accept(TokenKind::semicolon) && (!expect_word("new") || !role_list(p.new_roles)))
            return false;
        return expect(TokenKind::right_paren, "`,` or `)`");
    }

    bool role_list(std::vector<Name>& out) {
        do {
            Name role;
            if (at_word("reliable")) return refuse("a reliable role");
            if (!expect_word("role") || !expect_name(role, "a role")) return false;
            if (accept_word("as") && !expect_name(role, "a role")) return false;
            out.push_back(role);
        } while (accept(TokenKind::comma));
        return true;
    }

    // @"..." has no meaning in nuScr.
    void annotation() {
        if (!at(TokenKind::at) || peek(1).kind != TokenKind::string) return;
        std::uint32_t begin = take().begin;
        take();
        no_meaning(from(begin), "an annotation has no effect and is left out");
    }

    // --- statements

    // `owner`: the protocol whose body this is; inside other blocks nothing is declared.
    bool block(Block& out, std::uint32_t owner = no_parent) {
        std::uint32_t begin = peek().begin;
        if (!expect(TokenKind::left_brace, "`{`")) return false;
        if (++depth_ > lang::max_block_depth) {
            --depth_;
            diagnostics_.report(
                codes::scribble_syntax, from(begin),
                fmt::format("blocks are nested deeper than {} levels", lang::max_block_depth));
            return false;
        }
        while (!at(TokenKind::right_brace) && !at_end()) {
            if (owner != no_parent && at_word("nested") && at_word("protocol", 1)) {
                if (!protocol(owner)) skip_declaration();
                continue;
            }
            one(out);
        }
        --depth_;
        if (!expect(TokenKind::right_brace, "`}`")) return false;
        out.span = from(begin);
        return true;
    }

    void one(Block& out) {
        Statement s;
        std::uint32_t begin = peek().begin;
        std::size_t before = next_;
        if (statement(s)) {
            s.span = from(begin);
            if (!s.head.valid()) s.head = s.span;
            out.statements.push_back(std::move(s));
            return;
        }
        if (next_ == before || tokens_[next_ - 1].kind != TokenKind::right_brace) skip_statement();
        if (next_ == before) take();
        if (accept_word("with")) skip_statement();  // of an interruptible block
        Statement wrong;
        wrong.span = wrong.head = from(begin);
        out.statements.push_back(std::move(wrong));
    }

    bool blocks(Statement& s, std::string_view separator) {
        do {
            Block b;
            if (!block(b)) return false;
            s.blocks.push_back(std::move(b));
        } while (!separator.empty() && accept_word(separator));
        return true;
    }

    bool statement(Statement& s) {
        std::uint32_t begin = peek().begin;
        bool label = peek(1).kind == TokenKind::left_paren || at_word("from", 1);
        for (std::string_view word :
             {"connect", "disconnect", "interruptible", "wrap", "invites", "interrupt", "accept"})
            if (!label && at_word(word)) return refuse(fmt::format("`{}`", word));
        if (at_word("calls", 1)) return call(s);
        if (label) return message(s);
        if (accept_word("choice")) {
            s.kind = StatementKind::choice;
            if (!expect_word("at") || !expect_name(s.role, "a role")) return false;
            s.head = from(begin);
            return blocks(s, "or");
        }
        if (accept_word("par")) {
            s.kind = StatementKind::par;
            s.head = from(begin);
            return blocks(s, "and");
        }
        if (accept_word("rec")) return recursion(s, begin);
        if (accept_word("continue")) return jump(s);
        if (at_word("do")) return call(s);
        return message(s);
    }

    bool recursion(Statement& s, std::uint32_t begin) {
        s.kind = StatementKind::rec;
        if (!expect_name(s.loop, "the name of the loop")) return false;
        if (accept(TokenKind::left_bracket) && !loop_variables(s)) return false;
        s.head = from(begin);
        return blocks(s, "");
    }

    // [x<A, B>: int{x >= 0} = 0]
    bool loop_variables(Statement& s) {
        if (accept(TokenKind::right_bracket)) return true;
        do {
            LoopVariable v;
            if (!expect_name(v.name, "a variable")) return false;
            if (accept(TokenKind::less)) {
                Name role;  // who knows it follows from the values it gets
                do {
                    if (!expect_name(role, "a role")) return false;
                } while (accept(TokenKind::comma));
                if (!expect(TokenKind::greater, "`,` or `>`")) return false;
            }
            if (!expect(TokenKind::colon, "`:`")) return false;
            bool in_parens = accept(TokenKind::left_paren);
            if (!loop_type(v) || (in_parens && !expect(TokenKind::right_paren, "`)`"))) return false;
            if (!expect(TokenKind::equal, "`=`") || !expression(v.first)) return false;
            s.variables.push_back(v);
        } while (accept(TokenKind::comma));
        return expect(TokenKind::right_bracket, "`,` or `]`");
    }

    bool loop_type(LoopVariable& v) {
        if (peek(1).kind == TokenKind::colon) take(), take();  // the name in its condition
        if (!expect_qualified(v.type, "a type")) return false;
        std::uint32_t begin = peek().begin;
        if (!accept(TokenKind::left_brace)) return true;
        SyntaxExprId condition;
        if (!expression(condition) || !expect(TokenKind::right_brace, "`}`")) return false;
        no_meaning(from(begin), "a condition on a loop's variable is not checked");
        return true;
    }

    bool jump(Statement& s) {
        s.kind = StatementKind::jump;
        if (!expect_name(s.loop, "the name of the loop")) return false;
        if (accept(TokenKind::left_bracket) && !accept(TokenKind::right_bracket)) {
            do {
                if (!expression(s.next.emplace_back())) return false;
            } while (accept(TokenKind::comma));
            if (!expect(TokenKind::right_bracket, "`,` or `]`")) return false;
        }
        if (at_word("with")) return refuse("`continue ... with`");
        return expect(TokenKind::semicolon, "`;`");
    }

    // do a.b.P<T, m(T)>(A, B as C);     A calls P(B, C);
    bool call(Statement& s) {
        s.kind = StatementKind::call;
        if (!accept_word("do")) take(), take();
        if (!expect_qualified(s.callee, "a protocol's name")) return false;
        if (accept(TokenKind::less)) {
            do {
                if (!signature(s.arguments.emplace_back(), "a type or a message")) return false;
            } while (accept(TokenKind::comma));
            if (!expect(TokenKind::greater, "`,` or `>`")) return false;
        }
        if (accept(TokenKind::left_paren)) {
            do {
                RoleArgument a;
                if (!expect_name(a.given, "a role")) return false;
                if (accept_word("as") && !expect_name(a.as, "a role")) return false;
                s.roles.push_back(a);
            } while (accept(TokenKind::comma));
            if (!expect(TokenKind::right_paren, "`,` or `)`")) return false;
        }
        if (!expect(TokenKind::semicolon, "`;`")) return false;
        annotation();
        return true;
    }

    bool message(Statement& s) {
        s.kind = StatementKind::message;
        std::uint32_t begin = peek().begin;
        if (!signature(s.message, "a message, choice, rec, continue, do or par")) return false;
        if (at_word("connect")) return refuse("`connect`");
        if (!expect_word("from") || !expect_name(s.role, "a role") || !expect_word("to")) return false;
        do {
            if (!expect_name(s.receivers.emplace_back(), "a role")) return false;
        } while (accept(TokenKind::comma));
        s.head = from(begin);
        if (at_word("connect")) return refuse("`connect`");
        annotation();
        if (!expect(TokenKind::semicolon, "`;`")) return false;
        annotation();
        return true;
    }

    bool signature(Signature& out, std::string_view what) {
        std::uint32_t begin = peek().begin;
        if (!at(TokenKind::left_paren) && !expect_qualified(out.name, what)) return false;
        out.in_parens = accept(TokenKind::left_paren);
        if (out.in_parens && !payloads(out.payload)) return false;
        out.span = from(begin);
        return true;
    }

    bool payloads(std::vector<Payload>& out) {
        if (accept(TokenKind::right_paren)) return true;
        do {
            Payload p;
            std::uint32_t begin = peek().begin;
            if (!expect_qualified(p.type, "a payload type")) return false;
            if (p.type.parts.size() == 1 && accept(TokenKind::colon)) {
                p.field = p.type.parts[0];
                p.type = {};
                if (!expect_qualified(p.type, "a payload type")) return false;
            }
            p.span = from(begin);
            if (accept(TokenKind::left_brace) && !refinement(p.refinement)) return false;
            if (at(TokenKind::less) || at(TokenKind::left_bracket) || at(TokenKind::minus))
                return refuse("a parametrised payload type");
            if (at(TokenKind::at)) return refuse("delegation");
            out.push_back(std::move(p));
        } while (accept(TokenKind::comma));
        return expect(TokenKind::right_paren, "`,` or `)`");
    }

    bool refinement(SyntaxExprId& out) {
        if (expression(out) && expect(TokenKind::right_brace, "`}`")) return true;
        // To the end of the statement: the brace that closes the condition is not the end of a block.
        while (!at_end() && !at(TokenKind::semicolon)) {
            bool inner = peek(1).kind == TokenKind::right_paren || peek(1).kind == TokenKind::comma;
            if (at(TokenKind::right_brace) && !inner) break;
            take();
        }
        return false;
    }

    // --- conditions, with nuScr's precedence: && and || are on one level, then comparisons, then + and -

    SyntaxExprId add(SyntaxExpr e, std::vector<SyntaxExprId> children) {
        e.children = {static_cast<std::uint32_t>(out_.expr_lists.size()),
                      static_cast<std::uint32_t>(children.size())};
        out_.expr_lists.insert(out_.expr_lists.end(), children.begin(), children.end());
        out_.exprs.push_back(e);
        return SyntaxExprId(out_.exprs.size() - 1);
    }

    bool expression(SyntaxExprId& out) {
        if (expression_depth_ == 0) operators_ = 0;
        if (++expression_depth_ > lang::max_expression_depth || !level(out, 0)) {
            if (expression_depth_ > lang::max_expression_depth) too_deep();
            --expression_depth_;
            return false;
        }
        --expression_depth_;
        return true;
    }

    bool too_deep() {
        diagnostics_.report(
            codes::scribble_syntax, span_of(peek()),
            fmt::format("a condition has more than {} operators", lang::max_expression_depth));
        return false;
    }

    // The operator of this level that is here, as the Treaty language has it; end_of_file: none.
    lang::TokenKind operator_at(int of_level) const {
        using T = lang::TokenKind;
        switch (peek().kind) {
            case TokenKind::both: return of_level == 0 ? T::kw_and : T::end_of_file;
            case TokenKind::either: return of_level == 0 ? T::kw_or : T::end_of_file;
            case TokenKind::equal: return of_level == 1 ? T::equal : T::end_of_file;
            case TokenKind::not_equal: return of_level == 1 ? T::not_equal : T::end_of_file;
            case TokenKind::less: return of_level == 1 ? T::less : T::end_of_file;
            case TokenKind::less_equal: return of_level == 1 ? T::less_equal : T::end_of_file;
            case TokenKind::greater: return of_level == 1 ? T::greater : T::end_of_file;
            case TokenKind::greater_equal: return of_level == 1 ? T::greater_equal : T::end_of_file;
            case TokenKind::plus: return of_level == 2 ? T::plus : T::end_of_file;
            case TokenKind::minus: return of_level == 2 ? T::minus : T::end_of_file;
            case TokenKind::star: return of_level == 3 ? T::star : T::end_of_file;
            default: return T::end_of_file;
        }
    }

    bool level(SyntaxExprId& out, int of_level) {
        if (of_level == 4) return atom(out);
        // At the beginning `not` is about all that follows, elsewhere about one comparison.
        if (of_level < 2 && (at_word("not") || at(TokenKind::bang)))
            return prefix(out, lang::TokenKind::kw_not, of_level);
        if (of_level == 2 && at(TokenKind::minus)) return prefix(out, lang::TokenKind::minus, 2);
        if (!level(out, of_level + 1)) return false;
        for (lang::TokenKind op; (op = operator_at(of_level)) != lang::TokenKind::end_of_file;) {
            if (++operators_ > lang::max_expression_depth) return too_deep();
            SyntaxExpr e;
            e.kind = SyntaxExprKind::binary;
            e.op = op;
            e.op_span = span_of(take());
            SyntaxExprId right;
            if (!level(right, of_level + 1)) return false;
            e.span = base::cover(out_[out].span, out_[right].span);
            out = add(e, {out, right});
        }
        return true;
    }

    bool prefix(SyntaxExprId& out, lang::TokenKind op, int operand_level) {
        if (++operators_ > lang::max_expression_depth) return too_deep();
        SyntaxExpr e;
        e.kind = SyntaxExprKind::unary;
        e.op = op;
        e.op_span = span_of(take());
        SyntaxExprId operand;
        if (!level(operand, operand_level)) return false;
        e.span = base::cover(e.op_span, out_[operand].span);
        out = add(e, {operand});
        return true;
    }

    bool atom(SyntaxExprId& out) {
        SyntaxExpr e;
        e.span = span_of(peek());
        if (accept(TokenKind::left_paren)) return expression(out) && expect(TokenKind::right_paren, "`)`");
        if (at(TokenKind::string)) {
            take();
            e.kind = SyntaxExprKind::string;
            out = add(e, {});
            return true;
        }
        if (!at(TokenKind::word)) return fail("a value");
        Token word = take();
        std::string_view text = names_.text(word.name);
        if (text == "true" || text == "false") {
            e.kind = SyntaxExprKind::boolean;
            e.op = text == "true" ? lang::TokenKind::kw_true : lang::TokenKind::kw_false;
        } else if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            e.kind = SyntaxExprKind::integer;
        } else if (text == "len" && accept(TokenKind::left_paren)) {
            SyntaxExprId operand;
            if (!expression(operand) || !expect(TokenKind::right_paren, "`)`")) return false;
            e.kind = SyntaxExprKind::call;
            e.name = names_.intern("size");
            e.op_span = e.span;
            e.span = from(word.begin);
            out = add(e, {operand});
            return true;
        } else {
            e.kind = SyntaxExprKind::name;
            e.name = word.name;
        }
        out = add(e, {});
        return true;
    }

    const base::SourceMap& sources_;
    base::FileId file_;
    base::Names& names_;
    lang::Syntax& out_;
    base::Diagnostics& diagnostics_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    std::uint32_t previous_end_ = 0;
    std::uint32_t depth_ = 0;
    std::uint32_t expression_depth_ = 0;
    std::uint32_t operators_ = 0;
    Module module_;
};

}  // namespace

Module parse(const base::SourceMap& sources, base::FileId file, base::Names& names, lang::Syntax& out,
             base::Diagnostics& diagnostics) {
    return Parser(sources, file, names, out, diagnostics).run();
}

}  // namespace treaty::formats::scribble
