// Steps and blocks.
//
// A line is a step, so after a fault reading goes on at the next line; a fault in the words before a `{`
// does not hide what is wrong inside the block. A block that is not closed is noticed at the end of the file
// or where a declaration begins a line, and reported once.
#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/parser_impl.h"

namespace treaty::lang {

bool Parser::block(BlockId& out, TokenKind next) {
    if (!at(TokenKind::left_brace)) return fail("`{`");
    Span open = here();
    if (block_depth_ >= max_block_depth) {
        report(codes::nested_too_deeply, open,
               fmt::format("blocks are nested deeper than {} levels", max_block_depth))
            .help("move the inner part into a protocol of its own and call it with `do`");
        skip_block();
        return true;  // reported; the step around it is whole, only this block is missing
    }
    take();
    return open_block(out, open, next);
}

// The steps and the `}` of a block whose `{` has been read.
bool Parser::open_block(BlockId& out, Span open, TokenKind next) {
    ++block_depth_;
    std::vector<StepId> steps;
    block_steps(steps, open, next);
    --block_depth_;
    Block b;
    b.span = from(open.begin);
    b.steps = append(out_.step_lists, steps);
    out_.blocks.push_back(b);
    out = BlockId(out_.blocks.size() - 1);
    return true;
}

// The block after the opening words at head_begin. If those were wrong (which has been reported) or the
// `{` is missing, it is read all the same where it can be found; head_read: whether the head had no errors.
bool Parser::block_after(BlockId& out, std::uint32_t head_begin, bool& head_read, TokenKind next) {
    if (head_read && !at(TokenKind::left_brace)) head_read = fail("`{`");
    if (head_read || skip_to_brace()) return block(out, next);
    return missing_brace(head_begin) && open_block(out, after_previous(), next);
}

// Whether the lines that follow are a block whose `{` is missing (which has been reported): they are indented
// more than the words before it, and a `}` below those words closes them.
bool Parser::missing_brace(std::uint32_t head_begin) {
    std::uint32_t indent = indent_of(head_begin);
    if (!peek().first_on_line || indent_of(peek().begin) <= indent || block_depth_ >= max_block_depth)
        return false;
    std::size_t depth = 0;
    for (std::size_t i = next_; i < tokens_.size(); ++i) {
        if (tokens_[i].kind == TokenKind::left_brace) ++depth;
        if (tokens_[i].kind != TokenKind::right_brace) continue;
        if (depth == 0) return tokens_[i].first_on_line && indent_of(tokens_[i].begin) == indent;
        --depth;
    }
    return false;
}

void Parser::block_steps(std::vector<StepId>& steps, Span open, TokenKind next) {
    while (!at(TokenKind::right_brace)) {
        if (unclosed_ || block_ends(open, next)) return;
        StepId id;
        std::size_t before = next_;
        bool read = step(id);
        bool at_next_line = next_ > before && peek().first_on_line;
        if (!read && !unclosed_ && !at_next_line) skip_line();
        if (next_ == before && !unclosed_) take();
        if (!read) id = wrong_step(before);
        steps.push_back(id);
    }
    const Token& close = peek();
    if (close.first_on_line && !suspect_.valid() && indent_of(close.begin) < indent_of(open.begin))
        suspect_ = open;
    take();
}

// Whether a block ends here although its `}` is missing; that is reported.
bool Parser::block_ends(Span open, TokenKind next) {
    bool for_good = at(TokenKind::end_of_file) || begins_item();
    bool continued = next != TokenKind::end_of_file && at(next);
    if (!for_good && !continued) return false;
    auto& said = report(codes::unclosed_block, open,
                        continued ? fmt::format("this block is not closed before {}", found())
                                  : std::string("this block is never closed"));
    if (suspect_.valid() && suspect_ != open)
        said.label(suspect_, "judging by the indentation, this is the block whose `}` is missing");
    if (continued) said.label(here(), "the block should end before this");
    said.help("add the missing `}`");
    unclosed_ = for_good;
    if (continued) suspect_ = {};
    return true;
}

// Stands for a step that could not be read, so that later steps are not blamed for what it would have done.
StepId Parser::wrong_step(std::size_t first_token) {
    Step s;
    s.kind = StepKind::wrong;
    s.span = s.head = from(tokens_[first_token].begin);
    std::vector<Name> bound;
    for (std::size_t i = first_token; i + 1 < next_; ++i)
        if (tokens_[i].kind == TokenKind::kw_let && tokens_[i + 1].kind == TokenKind::name)
            bound.push_back({tokens_[i + 1].name, span_of(tokens_[i + 1])});
    lose(first_token);
    s.roles = append(out_.names, bound);
    out_.steps.push_back(s);
    return StepId(out_.steps.size() - 1);
}

// let x = e, let x: type = e, let x[k].f = e
bool Parser::let_step(Step& s) {
    SyntaxExpr root;
    root.kind = SyntaxExprKind::name;
    root.span = here();
    if (!expect_name(s.name, "a name")) return false;
    root.name = s.name.id;
    if (accept(TokenKind::colon) && !type(s.type)) return false;
    bool part = !s.type && (at(TokenKind::left_bracket) || at(TokenKind::dot));
    SyntaxExprId place;
    if (part) {
        expression_failed_ = false;
        place = parse_postfix(add_expr(root));
        bool read = !expression_failed_;
        expression_failed_ = false;
        if (!read) return false;
    }
    if (!expect(TokenKind::assign, "`=` and a value") || !expression(s.condition)) return false;
    if (!part) return true;
    SyntaxExpr e;
    e.kind = SyntaxExprKind::update;
    e.span = base::cover(out_[place].span, out_[s.condition].span);
    s.condition = add_expr(e, {place, s.condition});
    return true;
}

bool Parser::step(StepId& out) {
    Step s;
    std::uint32_t begin = peek().begin;
    if (!read_step(s)) return false;
    s.span = from(begin);
    if (!s.head.valid()) s.head = s.span;
    if (s.blocks.count == 0 && damaged(s.span)) return false;  // what it means is unknown
    out_.steps.push_back(s);
    out = StepId(out_.steps.size() - 1);
    return true;
}

bool Parser::read_step(Step& s) {
    std::uint32_t begin = peek().begin;
    switch (kind()) {
        case TokenKind::name: return interaction(s);
        case TokenKind::kw_choice:
            s.kind = StepKind::choice;
            take();
            return head_then_blocks(s, begin, optional_at(s), TokenKind::kw_or, "choice");
        case TokenKind::kw_par:
            s.kind = StepKind::par;
            take();
            return head_then_blocks(s, begin, true, TokenKind::kw_and, "par");
        case TokenKind::kw_repeat:
            s.kind = StepKind::repeat;
            take();
            return head_then_blocks(s, begin, optional_at(s));
        case TokenKind::kw_optional:
            s.kind = StepKind::optional;
            take();
            return head_then_blocks(s, begin, optional_at(s));
        case TokenKind::kw_rec:
            s.kind = StepKind::rec;
            take();
            return head_then_blocks(s, begin, expect_name(s.name, "the loop's name"));
        case TokenKind::kw_while:
            s.kind = StepKind::while_loop;
            take();
            return head_then_blocks(s, begin, expression(s.condition));
        case TokenKind::kw_when:
            s.kind = StepKind::when;
            take();
            return head_then_blocks(s, begin, expression(s.condition));
        case TokenKind::kw_if: return if_step(s);
        case TokenKind::kw_match: return match_step(s);
        case TokenKind::kw_try: return try_step(s);
        case TokenKind::kw_continue:
            s.kind = StepKind::jump;
            take();
            return expect_name(s.name, "the loop's name");
        case TokenKind::kw_let:
            s.kind = StepKind::let;
            take();
            return let_step(s);
        case TokenKind::kw_signal:
        case TokenKind::kw_wait:
            s.kind = take().kind == TokenKind::kw_signal ? StepKind::signal : StepKind::wait;
            return expect_name(s.name, "the signal's name");
        case TokenKind::kw_do: return call_step(s);
        case TokenKind::semicolon:
            report(codes::separator, here(), "steps need no separator").help("remove the `;`");
            take();
            return false;
        case TokenKind::kw_or:
        case TokenKind::kw_and:
        case TokenKind::kw_else:
        case TokenKind::kw_interrupt:
            report(codes::unexpected_step, here(), fmt::format("{} does not continue a block", found()))
                .help("it must follow the `}` of the block it continues");
            return false;
        default: break;
    }
    report(codes::unexpected_step, {file_, begin, peek().end},
           fmt::format("{} does not begin a step", found()))
        .help(
            "a step is `A -> B: message`, or begins with choice, par, repeat, rec, continue, if, when, "
            "match, while, optional, try, let, signal, wait or do");
    return false;
}

bool Parser::interaction(Step& s) {
    s.kind = StepKind::interaction;
    std::uint32_t begin = peek().begin;
    expect_name(s.role, "a role");
    if (!at(TokenKind::arrow))
        return fail("`->` and the receiver",
                    at(TokenKind::colon) ? "an interaction is written A -> B: message" : "");
    take();
    if (peek().first_on_line) return fail("the receiver");
    if (!name_list(s.roles, "the receiver")) return false;
    if (!expect(TokenKind::colon, "`:` and a message")) return false;
    if (peek().first_on_line || !expect_name(s.name, "a message", true))
        return peek().first_on_line ? fail("a message") : false;
    if (at(TokenKind::left_paren)) {
        s.has_arguments = true;
        if (!arguments(s.arguments)) return false;
    }
    if (accept(TokenKind::kw_where) && !expression(s.condition)) return false;
    if (accept(TokenKind::kw_within) && !duration(s.within)) return false;
    s.head = from(begin);
    if (at(TokenKind::semicolon)) {
        report(codes::separator, here(), "steps need no separator").help("remove the `;`");
        take();
    }
    return true;
}

bool Parser::optional_at(Step& s) {
    if (!accept(TokenKind::kw_at)) return true;
    return expect_name(s.role, "the role that decides");
}

// The blocks of a step whose opening words have been read; if they were wrong, the blocks are read all the
// same for their own faults, and then the step as a whole does not count.
bool Parser::head_then_blocks(Step& s, std::uint32_t begin, bool head_read, TokenKind separator,
                              std::string_view what) {
    s.head = from(begin);
    return branches(s, begin, head_read, separator, what) && head_read;
}

bool Parser::branches(Step& s, std::uint32_t begin, bool& head_read, TokenKind separator,
                      std::string_view what) {
    std::vector<BlockId> blocks;
    bool all_read = true;
    bool more = true;
    while (more) {
        BlockId b;
        if (!block_after(b, begin, head_read, separator) || unclosed_) return false;
        if (b)
            blocks.push_back(b);
        else
            all_read = false;
        begin = peek().begin;
        more = separator != TokenKind::end_of_file && accept_separator(separator, head_read);
    }
    if (separator != TokenKind::end_of_file && blocks.size() == 1 && all_read && head_read) {
        report(codes::single_branch, s.head, fmt::format("this {} has only one branch", what))
            .help(fmt::format("add another one with `{} {{ ... }}`, or remove the `{}`", describe(separator),
                              what));
    }
    if (!all_read) return false;
    s.blocks = append(out_.block_lists, blocks);
    return true;
}

// Whether another branch follows. A `{` right after a `}` is one whose separator is missing.
bool Parser::accept_separator(TokenKind separator, bool& head_read) {
    if (accept(separator)) return true;
    if (!at(TokenKind::left_brace) || peek().first_on_line) return false;
    head_read = fail(fmt::format("`{}`", describe(separator)));
    return true;
}

struct Parser::Arm {
    Span head;
    SyntaxExprId condition;
    BlockId body;
};

// `else if` chains are read in a loop and built from the end: a long chain is not a deep one to read, but it
// nests when it is built, so each arm counts as a level of nesting.
bool Parser::if_step(Step& s) {
    std::vector<Arm> arms;
    BlockId otherwise;
    bool fine = true;
    bool open = true;
    std::uint32_t depth = block_depth_;
    do {
        if (block_depth_ >= max_block_depth) {
            if (fine)
                report(codes::nested_too_deeply, here(),
                       fmt::format("`else if` chains and blocks are nested deeper than {} levels",
                                   max_block_depth))
                    .help("move a part into a protocol of its own and call it with `do`");
            fine = false;
            take();  // `if`
            open = skip_to_brace();
            if (open) skip_block();
            continue;
        }
        open = if_arm(arms.emplace_back(), fine);
        ++block_depth_;
    } while (open && at(TokenKind::kw_else) && kind(1) == TokenKind::kw_if && (take(), true));
    bool too_long = block_depth_ >= max_block_depth && !fine;
    bool last = open && !unclosed_ && (accept(TokenKind::kw_else) || missing_else(fine));
    if (last) {
        if (too_long && at(TokenKind::left_brace))
            skip_block();
        else
            open = block_after(otherwise, previous_begin(), fine, TokenKind::end_of_file);
        if (!otherwise) fine = false;
    }
    block_depth_ = depth;
    if (!open || unclosed_ || !fine) return false;
    std::vector<BlockId> blocks{arms[0].body};
    s.kind = StepKind::if_else;
    s.condition = arms[0].condition;
    s.head = arms[0].head;
    otherwise = nest_arms(arms, otherwise);
    if (otherwise) blocks.push_back(otherwise);
    s.blocks = append(out_.block_lists, blocks);
    return true;
}

// `if`, a condition and a block; false if the block could not be read, and nothing can follow.
bool Parser::if_arm(Arm& arm, bool& fine) {
    std::uint32_t begin = take().begin;  // `if`
    bool read = expression(arm.condition);
    arm.head = from(begin);
    bool open = block_after(arm.body, begin, read, TokenKind::kw_else) && !unclosed_;
    if (!read || !arm.body) fine = false;
    return open;
}

// Whether a `{` follows whose `else` is missing, which is reported.
bool Parser::missing_else(bool& fine) {
    if (!at(TokenKind::left_brace) || peek().first_on_line) return false;
    fine = fail("`else`");
    return true;
}

// All arms but the first, as blocks inside one another; gives the outermost one, or `otherwise` if there is
// none.
BlockId Parser::nest_arms(std::vector<Arm>& arms, BlockId otherwise) {
    for (; arms.size() > 1; arms.pop_back()) {
        Step inner;
        inner.kind = StepKind::if_else;
        inner.condition = arms.back().condition;
        inner.head = arms.back().head;
        inner.span = from(arms.back().head.begin);
        std::vector<BlockId> blocks{arms.back().body};
        if (otherwise) blocks.push_back(otherwise);
        inner.blocks = append(out_.block_lists, blocks);
        out_.steps.push_back(inner);
        Block wrapper;
        wrapper.span = inner.span;
        wrapper.steps = append(out_.step_lists, {StepId(out_.steps.size() - 1)});
        out_.blocks.push_back(wrapper);
        otherwise = BlockId(out_.blocks.size() - 1);
    }
    return otherwise;
}

// A case is tried after all those before it, so each counts as a level of nesting.
bool Parser::match_step(Step& s) {
    s.kind = StepKind::match;
    std::uint32_t begin = take().begin;
    bool fine = expression(s.condition);
    s.head = from(begin);
    if (fine && !at(TokenKind::left_brace)) fine = fail("`{` and the cases");
    Span open = after_previous();
    if (fine || skip_to_brace())
        open = span_of(take());
    else if (!missing_brace(begin))
        return false;
    std::vector<CaseSyntax> cases;
    std::vector<BlockId> blocks;
    std::uint32_t depth = block_depth_;
    while (!at(TokenKind::right_brace) && !unclosed_ && !block_ends(open, TokenKind::end_of_file)) {
        if (at(TokenKind::name) && kind(1) == TokenKind::arrow && kind(2) == TokenKind::name) {
            if (step_for_case(open, begin, fine)) continue;
            block_depth_ = depth;
            return false;
        }
        std::size_t before = next_;
        CaseSyntax c;
        BlockId body;
        ++block_depth_;
        if (!match_case(c, body, fine) && !unclosed_) skip_line();
        if (next_ == before && !unclosed_) take();
        cases.push_back(c);
        blocks.push_back(body);
    }
    block_depth_ = depth;
    if (unclosed_) return false;
    take();  // `}`
    if (!fine) return false;
    s.cases = append(out_.cases, cases);
    s.blocks = append(out_.block_lists, blocks);
    return true;
}

// A step follows where a case should. One that is indented like the match comes after it, and the `}` is
// missing: then gives false, and reading goes on with that step.
bool Parser::step_for_case(Span open, std::uint32_t head_begin, bool& fine) {
    fine = false;
    if (peek().first_on_line && indent_of(peek().begin) <= indent_of(head_begin)) {
        report(codes::unclosed_block, open, "this match is not closed")
            .label(here(), "it should end before this step")
            .help("add the missing `}`");
        return false;
    }
    fail_here("a case", "put the step into a case: VALUE { ... } or else { ... }");
    skip_line();
    return true;
}

// False if its block could not be found; `fine` becomes false for every fault.
bool Parser::match_case(CaseSyntax& c, BlockId& body, bool& fine) {
    std::uint32_t begin = peek().begin;
    bool read = accept(TokenKind::kw_else) || case_values(c);
    c.span = from(begin);
    bool found = block_after(body, begin, read, TokenKind::kw_else);
    if (!read || !body) fine = false;
    return found;
}

bool Parser::case_values(CaseSyntax& c) {
    static constexpr std::string_view form = "a case is written VALUE { ... } or VALUE, VALUE { ... }";
    if (at(TokenKind::underscore)) return fail_here("a case", "all other values are written else { ... }");
    std::vector<CaseValueSyntax> values;
    do {
        CaseValueSyntax v;
        if (at(TokenKind::name) && kind(1) == TokenKind::arrow) {  // `A -> { ... }`, not the next step
            take();
            return fail("`,` or `{`", std::string(form));
        }
        if (!sum(v.low) || (accept(TokenKind::dot_dot) && !sum(v.high))) return false;
        values.push_back(v);
    } while (accept(TokenKind::comma));
    if (values.size() > max_case_values) {
        report(codes::nested_too_deeply, out_[values[max_case_values].low].span,
               fmt::format("a case is limited to {} values", max_case_values))
            .help("write a range, as in 1..9, or let `else` take them");
        return false;
    }
    c.values = append(out_.case_values, values);
    return at(TokenKind::left_brace) || fail("`,` or `{`", std::string(form));
}

bool Parser::try_step(Step& s) {
    s.kind = StepKind::try_interrupt;
    std::uint32_t begin = take().begin;
    s.head = from(begin);
    BlockId body, interrupt;
    bool fine = true;
    if (!block_after(body, begin, fine, TokenKind::kw_interrupt) || unclosed_) return false;
    begin = peek().begin;
    if (!expect(TokenKind::kw_interrupt, "`interrupt` and a block",
                "a `try` needs a block that may cut it off: try { ... } interrupt { ... }"))
        return false;
    if (!block_after(interrupt, begin, fine, TokenKind::end_of_file) || unclosed_) return false;
    if (!fine || !body || !interrupt) return false;
    s.blocks = append(out_.block_lists, {body, interrupt});
    return true;
}

bool Parser::call_step(Step& s) {
    s.kind = StepKind::call;
    take();
    if (!expect_name(s.name, "a protocol's name")) return false;
    if (!at(TokenKind::left_paren)) return fail("`(` and a role");
    if (!arguments(s.arguments)) return false;
    std::vector<Name> names;
    for (const ArgumentSyntax& a : Syntax::part(out_.arguments, s.arguments)) {
        bool is_name =
            a.value && !a.field.id && out_[a.value].kind == SyntaxExprKind::name && !out_[a.value].in_parens;
        if (!is_name) break;
        names.push_back({out_[a.value].name, out_[a.value].span});
    }
    s.roles = append(out_.names, names);
    return true;
}

bool Parser::arguments(Range& out) {
    take();  // `(`
    std::vector<ArgumentSyntax> all;
    if (!at(TokenKind::right_paren)) {
        do {
            if (!argument(all.emplace_back())) return false;
        } while (accept(TokenKind::comma));
    }
    out = append(out_.arguments, all);
    return expect(TokenKind::right_paren, "`,` or `)`");
}

bool Parser::argument(ArgumentSyntax& a) {
    std::uint32_t begin = peek().begin;
    if (is_word(kind()) && kind(1) == TokenKind::assign) {
        expect_name(a.field, "a field", true);
        take();
    }
    bool read = true;
    if (accept(TokenKind::kw_let))
        read = expect_name(a.bind, "a name");
    else if (!accept(TokenKind::underscore))
        read = expression(a.value);
    a.span = from(begin);
    return read;
}

bool Parser::duration(Span& out) {
    if (!at(TokenKind::duration)) return fail("a duration", "for example 3s, 250ms or 5m");
    out = span_of(take());
    return true;
}

}  // namespace treaty::lang
