// Printing with an explicit stack of what is still to be written: either a piece of text or an expression
// with the loosest level that is allowed there without parentheses.

#include "expr/print.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>
#include <variant>

namespace treaty::expr {
namespace {

// Between slashes: one that is outside [...] and is not escaped yet gets a backslash.
std::string print_pattern(std::string_view pattern) {
    bool any_case = pattern.starts_with("(?i)") && pattern.size() > 4;
    if (any_case) pattern.remove_prefix(4);
    if (pattern.empty()) pattern = "(?:)";
    std::string text = "/";
    bool in_class = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        char c = pattern[i];
        if (c == '\n') {
            text += "\\n";
        } else if (c == '\\' && i + 1 < pattern.size() && pattern[i + 1] != '\n') {
            text += c;
            text += pattern[++i];
        } else {
            if (c == '[') in_class = true;
            if (c == ']') in_class = false;
            if (c == '/' && !in_class) text += '\\';
            text += c;
        }
    }
    return text + (any_case ? "/i" : "/");
}

class Printing {
    using enum Level;

public:
    Printing(const Pool& pool, const VariableNames& names) : pool_(pool), names_(names) {}

    std::string run(ExprId root) {
        pending_.push_back({{}, root, conditional});
        while (!pending_.empty()) {
            Piece piece = std::move(pending_.back());
            pending_.pop_back();
            if (piece.id)
                expression(piece.id, piece.level);
            else
                out_ += piece.text;
            if (out_.size() > max_printed) return out_.substr(0, max_printed) + "...";
        }
        return std::move(out_);
    }

private:
    struct Piece {
        std::string_view text;  // if there is no id
        ExprId id;
        Level level;
    };

    std::string_view name(NameId id) const { return pool_.names().text(id); }
    std::string_view variable(VarId id) const {
        auto renamed = names_.find(id);
        return renamed != names_.end() ? std::string_view(renamed->second) : name(pool_.variable(id).name);
    }

    bool is_number(ExprId id) const {
        if (!pool_.is_literal(id)) return false;
        const auto& v = pool_.literal_of(id).v;
        return std::holds_alternative<std::int64_t>(v) || std::holds_alternative<double>(v);
    }

    Level level_of(ExprId id, std::string_view literal) const {
        return literal.starts_with('-') ? sign : about(pool_[id].op).level;
    }

    // Pieces are queued in reading order and turned round at the end of expression().
    void say(std::string_view text) { pending_.push_back({text, {}, atom}); }
    void say(ExprId id, Level level) { pending_.push_back({{}, id, level}); }

    void expression(ExprId id, Level wanted) {
        std::string literal;
        if (pool_.is_literal(id)) literal = print_literal(id);
        bool parens = level_of(id, literal) < wanted;
        if (parens) out_ += '(';
        std::size_t first = pending_.size();
        if (pool_.is_literal(id))
            out_ += literal;
        else
            parts(id);
        if (parens && pending_.size() == first)
            out_ += ')';
        else if (parens)
            say(")");
        std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
    }

    std::string print_literal(ExprId id) const {
        return print(pool_.literal_of(id), pool_[id].type, pool_.types(), pool_.names());
    }

    void parts(ExprId id) {
        const Node& node = pool_[id];
        auto children = pool_.children(id);
        const Operator& form = about(node.op);
        if (form.notation == Notation::infix) {
            say(children[0], form.left);
            say(form.sign);
            say(children[1], form.right);
            return;
        }
        switch (node.op) {
            case Op::var: out_ += variable(pool_.var_of(id)); return;
            case Op::negate: return negate(children[0]);
            case Op::logical_not: out_ += "not "; return say(children[0], negation);
            case Op::matches:
                // The operand is written first, so the pattern has to wait; it is kept until the end.
                say(children[0], sum);
                return say(keep(" matches " + print_pattern(pool_.literal_of(id).string())));
            case Op::field:
                say(children[0], atom);
                say(".");
                return say(name(pool_.types()[pool_[children[0]].type].fields[node.payload].name));
            case Op::at:
                say(children[0], atom);
                say("[");
                say(children[1], conditional);
                return say("]");
            case Op::if_else:
                out_ += "if ";
                say(children[0], conditional);
                say(" then ");
                say(children[1], conditional);
                say(" else ");
                return say(children[2], conditional);
            case Op::list:
                out_ += '[';
                items(children, {});
                return say("]");
            case Op::record: return record(node, children);
            case Op::call: return call(name(pool_.function(FunctionId(node.payload)).name), children);
            default: return call(form.name, children);
        }
    }

    void negate(ExprId operand) {
        bool parens = is_number(operand) || pool_[operand].op == Op::negate;
        out_ += parens ? "-(" : "-";
        say(operand, parens ? conditional : sign);
        if (parens) say(")");
    }

    void items(std::span<const ExprId> children, std::span<const Field> fields) {
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i > 0) say(", ");
            if (i < fields.size()) {
                say(name(fields[i].name));
                say(" = ");
            }
            say(children[i], conditional);
        }
    }

    void call(std::string_view function, std::span<const ExprId> children) {
        out_ += function;
        out_ += '(';
        items(children, {});
        say(")");
    }

    void record(const Node& node, std::span<const ExprId> children) {
        const Type& type = pool_.types()[node.type];
        out_ += name(type.name);
        out_ += '(';
        items(children, type.fields);
        say(")");
    }

    std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

    const Pool& pool_;
    const VariableNames& names_;
    std::string out_;
    std::vector<Piece> pending_;
    std::deque<std::string> kept_;
};

}  // namespace

std::string print(const Pool& pool, ExprId expression, const VariableNames& names) {
    return Printing(pool, names).run(expression);
}

}  // namespace treaty::expr
