// The parser's class, shared by its source files: parser.cpp (cursor, recovery, declarations),
// parser_steps.cpp, parser_exprs.cpp, parser_wires.cpp and parser_documents.cpp. Nothing else includes this.
//
// Functions that return bool return whether they read their construct; false means that a fault has been
// reported and the caller recovers. The cursor never moves back.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "lang/lexer.h"
#include "lang/syntax.h"

namespace treaty::lang {

class Parser {
public:
    Parser(const base::SourceMap& sources, base::FileId file, TokenList tokens, base::Names& names,
           base::Diagnostics& diagnostics);

    Syntax run(Syntax before);

private:
    // Cursor.
    const Token& peek(std::size_t ahead = 0) const;
    TokenKind kind(std::size_t ahead = 0) const { return peek(ahead).kind; }
    bool at(TokenKind k) const { return kind() == k; }
    Token take();
    bool accept(TokenKind k);
    Span span_of(const Token& t) const { return {file_, t.begin, t.end}; }
    Span here() const { return span_of(peek()); }
    Span from(std::uint32_t begin) const { return {file_, begin, previous_end_}; }
    std::uint32_t previous_begin() const { return next_ == 0 ? 0 : tokens_[next_ - 1].begin; }
    Span after_previous() const;  // the place right after the last token: where something is missing

    // Faults and recovery.
    base::Diagnostic& report(const base::Code& code, Span span, std::string message);
    bool damaged(Span span) const;  // the lexer has reported something inside, or after it on its line
    bool hidden(Span span) const;   // follows from what the lexer has reported on the same line
    bool fail(std::string what, std::string hint = {});  // "expected what, found ..."
    bool fail_here(std::string what,
                   std::string hint = {});  // the same, about the next token and not what is before
    bool expect(TokenKind k, std::string_view what, std::string hint = {});
    bool expect_name(Name& name, std::string_view what, bool any_word = false);
    std::string found() const;
    void skip_line();      // to the next step: a token that begins a line, or the block's end
    bool skip_to_brace();  // to a `{` on this line or at the start of the next; false if there is none
    void skip_to_item();   // to the next declaration
    void skip_layout(std::size_t first_token, std::uint32_t wire_indent);
    void skip_block();                                    // from a `{` past its `}`, without looking inside
    bool begins_item() const;                             // a declaration that begins a line
    std::uint32_t indent_of(std::uint32_t offset) const;  // of its line
    void lose(std::size_t first_token);                   // what was read since then has been given up

    // Declarations.
    void item();
    void unexpected_item();
    std::string_view meant_item() const;
    bool misspelt_item() const;
    bool message();
    bool enumeration();
    bool record();
    bool alias();
    bool constant();
    bool function(bool predicate);
    bool protocol();
    bool property();
    bool local_property(PropertySyntax& p);
    bool global_property(PropertySyntax& p);
    bool property_clause(PropertySyntax& p, std::vector<PatternSyntax>& after,
                         std::vector<PatternSyntax>& then);
    bool pattern(PatternSyntax& p);
    bool fields(Range& out, TokenKind close, std::string_view what);
    bool type(TypeSyntaxId& out);
    bool roles_and_parameters(ProtocolSyntax& p);
    bool name_list(Range& out, std::string_view what, bool any_word = false);
    bool parenthesised_names(Range& out, std::string_view what, bool any_word = false);

    // Steps.
    // `next`: the word that may follow the block's `}`, such as `or`.
    bool block(BlockId& out, TokenKind next = TokenKind::end_of_file);
    bool open_block(BlockId& out, Span open, TokenKind next);
    bool block_after(BlockId& out, std::uint32_t head_begin, bool& head_read, TokenKind next);
    bool missing_brace(std::uint32_t head_begin);
    void block_steps(std::vector<StepId>& steps, Span open, TokenKind next);
    bool block_ends(Span open, TokenKind next);
    bool accept_separator(TokenKind separator, bool& head_read);
    bool step(StepId& out);
    StepId wrong_step(std::size_t first_token);
    bool read_step(Step& s);
    bool interaction(Step& s);
    bool branches(Step& s, std::uint32_t begin, bool& head_read, TokenKind separator, std::string_view what);
    bool head_then_blocks(Step& s, std::uint32_t begin, bool head_read,
                          TokenKind separator = TokenKind::end_of_file, std::string_view what = {});
    struct Arm;
    bool if_step(Step& s);
    bool if_arm(Arm& arm, bool& fine);
    bool missing_else(bool& fine);
    BlockId nest_arms(std::vector<Arm>& arms, BlockId otherwise);
    bool let_step(Step& s);
    bool match_step(Step& s);
    bool step_for_case(Span open, std::uint32_t head_begin, bool& fine);
    bool match_case(CaseSyntax& c, BlockId& body, bool& fine);
    bool case_values(CaseSyntax& c);
    bool try_step(Step& s);
    bool call_step(Step& s);
    bool optional_at(Step& s);
    bool arguments(Range& out);
    bool argument(ArgumentSyntax& a);
    bool duration(Span& out);

    // Expressions.
    bool expression(SyntaxExprId& out);
    bool sum(SyntaxExprId& out);  // an expression without comparison and logic
    SyntaxExprId parse_expression(int least_precedence);
    SyntaxExprId parse_prefix();
    SyntaxExprId parse_postfix(SyntaxExprId operand);
    SyntaxExprId parse_primary();
    SyntaxExprId parse_call(Name name);
    SyntaxExprId parse_if(std::uint32_t begin);
    SyntaxExprId parse_list(std::uint32_t begin);
    SyntaxExprId parse_braces(std::uint32_t begin);
    bool begins_braces() const;
    bool at_quantifier() const;
    SyntaxExprId parse_quantifier();
    SyntaxExprId parse_fold();
    SyntaxExprId parse_for(SyntaxExpr e, std::vector<SyntaxExprId> made, TokenKind close,
                           std::string_view end);
    SyntaxExprId parse_index(SyntaxExprId operand);
    bool at_update() const;  // `with` or `else` after an operand
    SyntaxExprId parse_update(SyntaxExprId operand);
    SyntaxExprId omitted();
    SyntaxExprId add_expr(SyntaxExpr e, std::initializer_list<SyntaxExprId> children = {});
    SyntaxExprId add_expr(SyntaxExpr e, const std::vector<SyntaxExprId>& children);
    SyntaxExprId wrong(Span span);

    // Wires.
    bool wire();
    bool unclosed_wire(Span name);
    bool framing(WireSyntax& w);
    bool escapes(WireSyntax& w);
    bool transform(WireItemSyntax& i);
    bool layout(LayoutSyntax& l, bool http);
    bool begins_layout() const;
    bool text_items(std::vector<std::uint32_t>& items);
    bool text_item(WireItemSyntax& i);
    bool binary_items(std::vector<std::uint32_t>& items);
    bool binary_item(WireItemSyntax& i);
    bool at_word(std::string_view word) const;
    bool import();
    bool bit_size(WireItemSyntax& i);
    bool text_number(WireItemSyntax& i);
    bool binary_block(Range& inner);
    std::uint32_t add_item(const WireItemSyntax& i);
    bool at_body(std::string_view word) const;
    bool at_field_alone() const;
    bool field_alone(SyntaxExprId& out);
    bool json_document(std::vector<std::uint32_t>& items);
    bool json_value(WireItemSyntax& i);
    bool json_members(WireItemSyntax& object);
    bool json_elements(WireItemSyntax& i);
    bool protobuf(WireItemSyntax& i);
    bool protobuf_fields(WireItemSyntax& message, bool in_oneof);
    bool protobuf_field(WireItemSyntax& i);
    bool protobuf_kind(WireItemSyntax& i);
    bool protobuf_members(WireItemSyntax& i);
    bool http_items(std::vector<std::uint32_t>& items);
    bool http_status(WireItemSyntax& i);
    Range wire_list(const std::vector<std::uint32_t>& items);

    template <class T>
    Range append(std::vector<T>& table, const std::vector<T>& items) {
        Range range{static_cast<std::uint32_t>(table.size()), static_cast<std::uint32_t>(items.size())};
        table.insert(table.end(), items.begin(), items.end());
        return range;
    }

    const base::SourceMap& sources_;
    base::FileId file_;
    std::vector<Token> tokens_;
    std::vector<std::uint32_t> faults_;
    bool cut_off_;
    base::Names& names_;
    base::Diagnostics& diagnostics_;
    std::vector<Comment> comments_;
    Syntax out_;
    std::size_t next_ = 0;
    std::uint32_t previous_end_ = 0;
    std::uint32_t block_depth_ = 0;
    std::uint32_t expression_depth_ = 0;
    bool expression_failed_ = false;
    bool else_ends_ = false;    // an `else` belongs to the `if` around it
    base::Diagnostics muted_;   // takes what is a mere consequence
    bool unclosed_ = false;     // a block's end is missing: everything open ends here, without further words
    bool layout_lost_ = false;  // a layout is of another kind than its beginning says
    bool layout_cut_ = false;   // a layout ends where the next one begins, without its `}`
    Span suspect_;              // a `{` whose `}` is indented too little: probably the one that is not closed
};

}  // namespace treaty::lang
