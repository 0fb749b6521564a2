#include "formats/gc/parser.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/suggest.h"
#include "formats/codes.h"
#include "formats/gc/lexer.h"

namespace treaty::formats::gc {

TreeId Tree::add(TreeNode node, std::span<const TreeId> children, std::span<const Name> names) {
    node.first_child = static_cast<std::uint32_t>(child_table.size());
    node.child_count = static_cast<std::uint32_t>(children.size());
    node.first_name = static_cast<std::uint32_t>(name_table.size());
    node.name_count = static_cast<std::uint32_t>(names.size());
    child_table.insert(child_table.end(), children.begin(), children.end());
    name_table.insert(name_table.end(), names.begin(), names.end());
    nodes.push_back(node);
    return TreeId(nodes.size() - 1);
}

namespace {

using base::Span;

class Parser {
public:
    Parser(std::vector<Lexeme> tokens, Dialect dialect, base::Diagnostics& diagnostics)
        : tokens_(std::move(tokens)), dialect_(dialect), diagnostics_(diagnostics) {}

    Tree run() {
        std::vector<TreeId> parts{file()};
        while (!is(Token::end)) {
            unexpected("the end of the file");
            ++at_;
            if (starts_atom(peek().kind)) parts.push_back(file());
        }
        tree_.root =
            parts.size() == 1 ? parts[0] : tree_.add({Kind::broken, tree_[parts[0]].span, {}, {}, {}});
        return std::move(tree_);
    }

private:
    // Tokens.

    const Lexeme& peek() const { return tokens_[at_]; }
    const Lexeme& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
    const Lexeme& previous() const { return tokens_[at_ == 0 ? 0 : at_ - 1]; }
    bool is(Token kind) const { return peek().kind == kind; }
    bool accept(Token kind) {
        if (!is(kind)) return false;
        advance();
        return true;
    }
    void advance() {
        if (!is(Token::end)) ++at_;
    }
    Span since(Span begin) const { return cover(begin, previous().span); }

    static bool starts_atom(Token kind) {
        switch (kind) {
            case Token::name:
            case Token::empty:
            case Token::left_brace:
            case Token::left_bracket:
            case Token::left_paren:
            case Token::star:
            case Token::kw_sel:
            case Token::kw_branch:
            case Token::kw_repeat:
            case Token::kw_do: return true;
            default: return false;
        }
    }

    // Faults. Each token is reported once at most.

    base::Diagnostic* fault(const base::Code& code, Span span, std::string message) {
        if (at_ == last_fault_) return nullptr;
        last_fault_ = at_;
        return &diagnostics_.report(code, span, std::move(message));
    }

    [[gnu::noinline]] void unexpected(std::string_view wanted, std::string hint = {}) {
        auto* d = fault(codes::gc_unexpected, peek().span,
                        fmt::format("expected {}, found {}", wanted, describe(peek())));
        if (d && !hint.empty()) d->help(std::move(hint));
    }

    bool expect(Token kind, std::string hint = {}) {
        if (accept(kind)) return true;
        unexpected(describe(kind), std::move(hint));
        return false;
    }

    static bool opens(Token kind) {
        return kind == Token::left_brace || kind == Token::left_bracket || kind == Token::left_paren;
    }
    static bool closes(Token kind) {
        return kind == Token::right_brace || kind == Token::right_bracket || kind == Token::right_paren;
    }

    // To the next place where a list goes on or a bracket closes.
    void recover() {
        for (std::size_t nested = 0; !is(Token::end); ++at_) {
            Token kind = peek().kind;
            if (opens(kind)) ++nested;
            if (closes(kind)) {
                if (nested == 0) return;
                --nested;
            }
            bool stop = kind == Token::semicolon || kind == Token::plus || kind == Token::bar ||
                        kind == Token::ampersand || kind == Token::kw_in || kind == Token::at ||
                        kind == Token::kw_unless;
            if (stop && nested == 0) return;
        }
    }

    [[gnu::noinline]] void close(Token kind, const Lexeme& open) {
        if (accept(kind)) return;
        auto* d = fault(codes::gc_unexpected, peek().span,
                        fmt::format("expected {}, found {}", describe(kind), describe(peek())));
        if (d) d->label(open.span, "opened here");
        for (std::size_t nested = 0; !is(Token::end); ++at_) {
            if (opens(peek().kind)) ++nested;
            if (closes(peek().kind) && nested-- == 0) break;
        }
        advance();
    }

    TreeId broken(Span begin) { return tree_.add({Kind::broken, since(begin), {}, {}, {}}); }

    // Names.

    bool parameter(std::string_view text) const {
        for (DefinitionId d = inside_; d; d = tree_.definitions[d.index].enclosing)
            if (tree_.definitions[d.index].positions.contains(text)) return true;
        return false;
    }

    Name take_name() {
        Name name{peek().text, peek().span};
        advance();
        return name;
    }

    std::optional<Name> role(std::string_view wanted) {
        if (!is(Token::name)) {
            unexpected(wanted);
            return std::nullopt;
        }
        if (!role_name(peek().text) && !parameter(peek().text) && !glued(peek().text)) {
            fault(codes::gc_role_name, peek().span,
                  fmt::format("role `{}` does not begin with a letter", peek().text));
        }
        return take_name();
    }

    static bool glued(std::string_view text) { return text.find("=>") != std::string_view::npos; }

    // File ::= Env Blk ( '|' File )?
    // `plus`: who called deals with a `+` after the first block.

    TreeId file(bool plus = false) {
        Span begin = peek().span;
        std::size_t visible = scope_.size();
        std::vector<TreeId> parts;
        do {
            while (is(Token::kw_let)) environment();
            parts.push_back(block());
            if (plus && is(Token::plus) && parts.size() == 1) break;
            while (is(Token::plus)) {
                if (auto* d = fault(codes::gc_plus_outside_choice, peek().span, "`+` outside a choice"))
                    d->help("write `sel { ... + ... }`");
                advance();
                parts.push_back(block());
            }
        } while (accept(Token::bar));
        for (; scope_.size() > visible; scope_.pop_back())
            by_name_[tree_.definitions[scope_.back().index].name.text].pop_back();
        if (parts.size() == 1) return parts[0];
        return tree_.add({Kind::fork, since(begin), {}, {}, {}}, parts);
    }

    [[gnu::noinline]] void environment() {
        if (!enter()) return;
        advance();
        std::size_t first = scope_.size();
        do definition(first);
        while (accept(Token::ampersand));
        --depth_;
        expect(Token::kw_in, "definitions are separated by ` & ` and end with `in`");
    }

    [[gnu::noinline]] void definition(std::size_t first_of_let) {
        if (!is(Token::name)) {
            unexpected("the name of a definition");
            recover();
            return;
        }
        Definition definition;
        definition.name = take_name();
        definition.enclosing = inside_;
        if (accept(Token::at)) {
            if (!is(Token::name)) unexpected("a parameter");
            while (is(Token::name)) definition.parameters.push_back(take_name());
        }
        check_parameters(definition);
        if (!is(Token::equals)) {
            const Name& last = definition.parameters.empty() ? definition.name : definition.parameters.back();
            bool one_name = last.text.find('=') != std::string_view::npos;
            unexpected("`=`",
                       one_name ? fmt::format("`{}` is one name: put blanks around `=`", last.text) : "");
            recover();
            definition.broken = true;
            return declare(std::move(definition));
        }
        advance();
        auto& same = by_name_[definition.name.text];
        if (!same.empty() && same.back().scope_position >= first_of_let) {
            diagnostics_
                .report(codes::gc_defined_twice, definition.name.span,
                        fmt::format("`{}` is defined twice", definition.name.text))
                .label(tree_.definitions[same.back().definition.index].name.span, "first here");
        }
        DefinitionId outer = inside_;
        inside_ = DefinitionId(tree_.definitions.size());
        DefinitionId self = inside_;
        tree_.definitions.push_back(std::move(definition));
        TreeId body = file();
        tree_.definitions[self.index].body = body;
        inside_ = outer;
        show(self);
    }

    // From here on `do` may mean it.
    void show(DefinitionId id) {
        by_name_[tree_.definitions[id.index].name.text].push_back({id, scope_.size()});
        scope_.push_back(id);
    }

    void declare(Definition definition) {
        tree_.definitions.push_back(std::move(definition));
        show(DefinitionId(tree_.definitions.size() - 1));
    }

    void check_parameters(Definition& definition) {
        for (std::uint32_t i = 0; i < definition.parameters.size(); ++i) {
            const Name& p = definition.parameters[i];
            auto [first, added] = definition.positions.try_emplace(p.text, i);
            if (added) continue;
            diagnostics_
                .report(codes::gc_defined_twice, p.span, fmt::format("parameter `{}` is named twice", p.text))
                .label(definition.parameters[first->second].span, "first here");
            return;
        }
    }

    // Blk ::= Atom | Blk ';' Blk

    TreeId block() {
        Span begin = peek().span;
        std::vector<TreeId> steps{atom()};
        for (;;) {
            if (is(Token::semicolon)) {
                Span semicolon = peek().span;
                advance();
                if (!starts_atom(peek().kind) && ends_block(peek().kind)) {
                    if (auto* d = fault(codes::gc_trailing_semicolon, semicolon, "nothing follows this `;`"))
                        d->help("`;` separates two steps; leave it out after the last one");
                    break;
                }
            } else if (starts_atom(peek().kind)) {
                unexpected("`;` between two steps");
            } else {
                break;
            }
            steps.push_back(atom());
        }
        if (steps.size() == 1) return steps[0];
        return tree_.add({Kind::sequence, since(begin), {}, {}, {}}, steps);
    }

    static bool ends_block(Token kind) {
        switch (kind) {
            case Token::end:
            case Token::right_brace:
            case Token::right_bracket:
            case Token::right_paren:
            case Token::plus:
            case Token::bar:
            case Token::at:
            case Token::ampersand:
            case Token::kw_in:
            case Token::kw_unless: return true;
            default: return false;
        }
    }

    // One level deeper; beyond the limit the rest of the text is left alone.
    bool enter() {
        if (depth_ < max_nesting) {
            ++depth_;
            return true;
        }
        fault(codes::gc_too_deep, peek().span, fmt::format("nested deeper than {} levels", max_nesting));
        at_ = tokens_.size() - 1;
        last_fault_ = at_;
        tree_.cut_off = true;
        return false;
    }

    TreeId atom() {
        if (!enter()) return broken(peek().span);
        TreeId id = atom_inside();
        --depth_;
        return id;
    }

    // The functions below are kept out of line so that a level of nesting needs little stack.
    TreeId atom_inside() {
        Span begin = peek().span;
        switch (peek().kind) {
            case Token::name: return interaction();
            case Token::kw_sel:
            case Token::kw_branch: return choice();
            case Token::kw_repeat: return repeat();
            case Token::star: return star();
            case Token::kw_do: return call();
            case Token::left_bracket: return hole();
            case Token::left_brace: return group(Token::right_brace);
            case Token::left_paren: return group(Token::right_paren);
            case Token::empty:
                if (dialect_ == Dialect::sgg && loops_ > 0) exit_mark(begin);
                advance();
                return tree_.add({Kind::empty, begin, {}, {}, {}});
            default: break;
        }
        unexpected("an interaction, `sel`, `repeat`, `do`, `{` or `(o)`");
        recover();
        return broken(begin);
    }

    // P '->' P ':' M Qos?   and   P '=>' P+ ':' M Qos?

    [[gnu::noinline]] TreeId interaction() {
        Span begin = peek().span;
        auto sender = role("a role");
        bool many = is(Token::multi_arrow);
        if (!many && !is(Token::arrow)) {
            if (glued(sender->text)) {
                --at_;
                if (auto* d = fault(codes::gc_glued_arrow, sender->span,
                                    fmt::format("`{}` is one name, not an interaction", sender->text)))
                    d->help("put blanks around `=>`");
                ++at_;
            } else {
                unexpected("`->`", is(Token::equals) ? "definitions are written after `let`" : "");
            }
            recover();
            return broken(begin);
        }
        advance();
        std::vector<Name> receivers;
        do {
            auto receiver = role("a receiving role");
            if (!receiver) break;
            receivers.push_back(*receiver);
        } while (many && (is(Token::name) || accept(Token::comma)));
        if (receivers.empty() || !is(Token::colon)) {
            bool several = !many && is(Token::name);
            unexpected("`:` and a message",
                       several ? "one message to several roles is written `A => B C : m`" : "");
            recover();
            return broken(begin);
        }
        advance();
        if (!is(Token::name)) {
            unexpected("a message");
            if (!is(Token::semicolon) && !ends_block(peek().kind)) recover();
            return broken(begin);
        }
        TreeNode node{Kind::interaction, {}, *sender, take_name(), {}};
        while (is(Token::qos)) {
            no_meaning(peek().span, told_qos_, "quality notes");
            advance();
        }
        node.span = since(begin);
        return check_receivers(node, receivers);
    }

    TreeId check_receivers(const TreeNode& node, const std::vector<Name>& receivers) {
        absl::flat_hash_map<std::string_view, base::Span> seen;
        for (const Name& receiver : receivers) {
            if (receiver.text == node.subject.text) {
                diagnostics_
                    .report(codes::gc_self_message, receiver.span,
                            fmt::format("`{}` sends to itself", receiver.text))
                    .label(node.subject.span, "the sender");
                return broken(node.span);
            }
            auto [first, added] = seen.try_emplace(receiver.text, receiver.span);
            if (added) continue;
            diagnostics_
                .report(codes::gc_receiver_twice, receiver.span,
                        fmt::format("`{}` receives this message twice", receiver.text))
                .label(first->second, "first here");
            return broken(node.span);
        }
        return tree_.add(node, {}, receivers);
    }

    void no_meaning(Span span, bool& told, std::string_view what) {
        if (!told)
            diagnostics_.report(codes::gc_no_meaning, span,
                                fmt::format("{} have no effect and are left out", what));
        told = true;
    }

    // '{' File '}'; in .sgg also '(' File ')', and '{' Br ( '+' Br )+ '}', a choice of the role that sends
    // first

    [[gnu::noinline]] TreeId group(Token end) {
        const Lexeme open = peek();
        advance();
        bool choice_may_follow = dialect_ == Dialect::sgg && end == Token::right_brace;
        TreeId inner = file(choice_may_follow);
        if (choice_may_follow && (is(Token::plus) || is(Token::kw_unless))) {
            guards();
            std::vector<TreeId> branches{inner};
            while (accept(Token::plus)) branches.push_back(branch());
            close(end, open);
            return branches.size() == 1 ? inner
                                        : tree_.add({Kind::choice, since(open.span), {}, {}, {}}, branches);
        }
        close(end, open);
        return inner;
    }

    // Some versions of ChorGram leave the loop here, others do nothing.
    void exit_mark(Span span) {
        if (!std::exchange(told_exit_, true))
            diagnostics_.report(codes::gc_no_meaning, span, "`(o)` inside a loop is read as an empty step");
    }

    // ('sel' | 'branch') P? '{' Br ( '+' Br )+ '}'

    [[gnu::noinline]] TreeId choice() {
        Span begin = peek().span;
        const Lexeme word = peek();
        advance();
        Name decider;
        if (is(Token::name)) decider = *role("a role");
        const Lexeme open = peek();
        if (!expect(Token::left_brace)) {
            recover();
            return broken(begin);
        }
        std::vector<TreeId> branches;
        do branches.push_back(branch());
        while (accept(Token::plus));
        bool closed = is(Token::right_brace);
        close(Token::right_brace, open);
        if (closed && branches.size() < 2) {
            diagnostics_
                .report(codes::gc_one_branch, word.span, fmt::format("`{}` with only one branch", word.text))
                .help("separate the branches with `+`");
            return broken(begin);
        }
        return tree_.add({Kind::choice, since(begin), decider, {}, {}}, branches);
    }

    TreeId branch() {
        Span begin = peek().span;
        std::vector<TreeId> parts{block()};
        while (is(Token::bar)) {
            if (auto* d = fault(codes::gc_bare_fork, peek().span, "a `|` in a branch needs braces"))
                d->help("write `{ ... | ... }`");
            advance();
            parts.push_back(block());
        }
        guards();
        if (parts.size() == 1) return parts[0];
        return tree_.add({Kind::fork, since(begin), {}, {}, {}}, parts);
    }

    // ( 'unless' P '%' Str )*; in .sgg further ones follow a comma

    void guards() {
        bool more = false;
        while (is(Token::kw_unless) || (more && is(Token::comma))) {
            no_meaning(peek().span, told_guard_, "`unless` guards");
            more = true;
            advance();
            if (!role("a role") || !expect(Token::percent)) return recover();
            if (!is(Token::name) && !is(Token::text)) {
                unexpected("the text of the guard");
                return recover();
            }
            advance();
        }
    }

    // 'repeat' P? '{' File Guard '}'

    [[gnu::noinline]] TreeId repeat() {
        Span begin = peek().span;
        advance();
        Name controller;
        if (is(Token::name)) controller = *role("a role");
        const Lexeme open = peek();
        if (!expect(Token::left_brace)) {
            recover();
            return broken(begin);
        }
        ++loops_;
        TreeId body = file();
        --loops_;
        guards();
        close(Token::right_brace, open);
        return tree_.add({Kind::loop, since(begin), controller, {}, {}}, std::span(&body, 1));
    }

    // '*' File '@' P

    [[gnu::noinline]] TreeId star() {
        Span begin = peek().span;
        advance();
        ++loops_;
        TreeId body = file();
        --loops_;
        if (!expect(Token::at, "a loop is written `* G @ P` or `repeat P { G }`")) {
            recover();
            return broken(begin);
        }
        auto controller = role("the role that controls the loop");
        if (!controller) return broken(begin);
        return tree_.add({Kind::loop, since(begin), *controller, {}, {}}, std::span(&body, 1));
    }

    // 'do' Name ( '[' File ']' )? ( 'with' Arg+ )?

    [[gnu::noinline]] TreeId call() {
        Span begin = peek().span;
        advance();
        if (!is(Token::name)) {
            unexpected("the name of a definition");
            recover();
            return broken(begin);
        }
        TreeNode node{Kind::call, {}, take_name(), {}, {}};
        std::vector<TreeId> filler;
        if (is(Token::left_bracket)) {
            const Lexeme open = peek();
            advance();
            filler.push_back(file());
            close(Token::right_bracket, open);
        }
        std::vector<Name> arguments;
        if (accept(Token::kw_with)) {
            if (!is(Token::name)) unexpected("an argument");
            while (is(Token::name) && ahead().kind != Token::arrow && ahead().kind != Token::multi_arrow)
                arguments.push_back(take_name());
        }
        node.span = since(begin);
        return resolve(node, filler, arguments);
    }

    [[gnu::noinline]] TreeId resolve(TreeNode node, const std::vector<TreeId>& filler,
                                     const std::vector<Name>& arguments) {
        auto found = by_name_.find(node.subject.text);
        if (found == by_name_.end() || found->second.empty()) {
            undefined(node.subject);
            return broken(node.span);
        }
        node.definition = found->second.back().definition;
        const Definition& d = tree_.definitions[node.definition.index];
        if (d.broken) return broken(node.span);
        if (arguments.size() != d.parameters.size()) {
            diagnostics_
                .report(codes::gc_arguments, node.span,
                        fmt::format("`{}` takes {} argument{}, not {}", d.name.text, d.parameters.size(),
                                    d.parameters.size() == 1 ? "" : "s", arguments.size()))
                .label(d.name.span, "defined here");
            return broken(node.span);
        }
        if (d.has_hole == filler.empty()) {
            diagnostics_
                .report(d.has_hole ? codes::gc_hole_unfilled : codes::gc_no_hole, node.span,
                        d.has_hole ? fmt::format("`{}` has a hole that nothing fills", d.name.text)
                                   : fmt::format("`{}` has no hole to fill", d.name.text))
                .label(d.name.span, "defined here")
                .help(d.has_hole ? fmt::format("write `do {}[ ... ]`", d.name.text)
                                 : std::string("a hole is written `[]` in the definition"));
            return broken(node.span);
        }
        return tree_.add(node, filler, arguments);
    }

    void undefined(const Name& name) {
        auto& d = diagnostics_.report(codes::gc_undefined, name.span,
                                      fmt::format("`{}` is not defined", name.text));
        if (inside_ && tree_.definitions[inside_.index].name.text == name.text) {
            d.help("a definition may use only those before it");
            return;
        }
        if (scope_.size() > 1000) return;  // too many to guess among
        std::vector<std::string_view> known;
        for (DefinitionId id : scope_) known.push_back(tree_.definitions[id.index].name.text);
        std::string_view near = base::nearest(name.text, known);
        if (!near.empty()) d.help(fmt::format("did you mean `{}`?", near));
    }

    [[gnu::noinline]] TreeId hole() {
        Span begin = peek().span;
        advance();
        if (!expect(Token::right_bracket, "a hole is written `[]`")) {
            recover();
            return broken(begin);
        }
        if (!inside_) {
            diagnostics_.report(codes::gc_hole_outside, since(begin), "a hole outside a definition")
                .help("`[]` is replaced by what a `do Name[ ... ]` fills in");
            return broken(begin);
        }
        tree_.definitions[inside_.index].has_hole = true;
        return tree_.add({Kind::hole, since(begin), {}, {}, {}});
    }

    std::vector<Lexeme> tokens_;
    Dialect dialect_;
    base::Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    std::size_t last_fault_ = static_cast<std::size_t>(-1);
    std::uint32_t depth_ = 0;
    Tree tree_;
    struct Visible {
        DefinitionId definition;
        std::size_t scope_position;
    };
    std::vector<DefinitionId> scope_;  // what `do` may mean, the nearest last
    absl::flat_hash_map<std::string_view, std::vector<Visible>> by_name_;
    DefinitionId inside_;    // the definition being read
    std::size_t loops_ = 0;  // around what is being read
    bool told_guard_ = false, told_qos_ = false, told_exit_ = false;
};

}  // namespace

Tree parse(const base::SourceMap& sources, base::FileId file, Dialect dialect,
           base::Diagnostics& diagnostics) {
    return Parser(scan(sources, file, dialect, diagnostics), dialect, diagnostics).run();
}

}  // namespace treaty::formats::gc
