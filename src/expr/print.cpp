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

    std::string run(ExprId root, Level level = conditional) {
        pending_.push_back({{}, root, level});
        while (!pending_.empty()) {
            Piece piece = std::move(pending_.back());
            pending_.pop_back();
            branch_ = piece.branch;
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
        bool branch = false;  // an `else` here would end the branch of an `if`
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
        if ((pool_[id].op == Op::record && changed_record(id)) || is_otherwise(id)) return update;
        return literal.starts_with('-') ? sign : about(pool_[id].op).level;
    }

    // Whether it is `x else v`, that is, if has(x) then value(x) else v.
    bool is_otherwise(ExprId id) const {
        if (pool_[id].op != Op::if_else) return false;
        auto c = pool_.children(id);
        return pool_[c[0]].op == Op::has && pool_[c[1]].op == Op::value &&
               pool_.children(c[0])[0] == pool_.children(c[1])[0];
    }

    // The record x if this is `x with f = v`: all fields but one, of at least two, are those of x.
    ExprId changed_record(ExprId id) const {
        auto c = pool_.children(id);
        auto whole = [&](std::size_t i) {
            bool same = pool_[c[i]].op == Op::field && pool_[c[i]].payload == i &&
                        pool_[pool_.children(c[i])[0]].type == pool_[id].type;
            return same ? pool_.children(c[i])[0] : ExprId();
        };
        if (c.size() < 2) return {};
        for (ExprId x : {whole(0), whole(1)}) {
            std::size_t same = 0;
            for (std::size_t i = 0; i < c.size(); ++i) same += x && whole(i) == x;
            if (same + 1 == c.size()) return x;
        }
        return {};
    }

    // Pieces are queued in reading order and turned round at the end of expression().
    void say(std::string_view text) { pending_.push_back({text, {}, atom}); }
    void say(ExprId id, Level level) { pending_.push_back({{}, id, level, branch_}); }
    void say_inside(ExprId id, Level level = conditional) { pending_.push_back({{}, id, level, false}); }

    void expression(ExprId id, Level wanted) {
        std::string literal;
        if (pool_.is_literal(id)) literal = print_literal(id);
        bool parens = level_of(id, literal) < wanted || (branch_ && is_otherwise(id));
        if (parens) {
            out_ += '(';
            branch_ = false;
        }
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
                say_inside(children[1]);
                return say("]");
            case Op::slice:
                say(children[0], atom);
                say("[");
                say_inside(children[1]);
                say("..");
                say_inside(children[2]);
                return say("]");
            case Op::with_item:
                say(children[0], update);
                say(" with ");
                say(children[1], sum);
                say(" = ");
                return say(children[2], sum);
            case Op::least: return call("min", children);
            case Op::greatest: return call("max", children);
            case Op::if_else:
                if (is_otherwise(id)) {
                    say(pool_.children(children[0])[0], update);
                    say(" else ");
                    return say(children[2], sum);
                }
                out_ += "if ";
                say(children[0], conditional);
                say(" then ");
                pending_.push_back({{}, children[1], conditional, true});
                say(" else ");
                return say(children[2], conditional);
            case Op::list:
                out_ += '[';
                items(children, {});
                return say("]");
            case Op::set:
                out_ += '{';
                items(children, {});
                return say("}");
            case Op::map: return map(children);
            case Op::for_all: return quantified("all ", node, children);
            case Op::exists: return quantified("any ", node, children);
            case Op::each:
            case Op::select: return comprehension(node, children);
            case Op::fold: return fold(node, children);
            case Op::record: return record(id, node, children);
            case Op::call: return call(name(pool_.function(FunctionId(node.payload)).name), children);
            default: return call(form.name, children);
        }
    }

    void negate(ExprId operand) {
        bool parens = is_number(operand) || pool_[operand].op == Op::negate;
        out_ += parens ? "-(" : "-";
        if (parens) {
            say_inside(operand);
            say(")");
        } else {
            say(operand, sign);
        }
    }

    void items(std::span<const ExprId> children, std::span<const Field> fields) {
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i > 0) say(", ");
            if (i < fields.size()) {
                say(name(fields[i].name));
                say(" = ");
            }
            say_inside(children[i]);
        }
    }

    void map(std::span<const ExprId> children) {
        out_ += '{';
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i > 0) say(i % 2 == 0 ? ", " : ": ");
            say_inside(children[i]);
        }
        say("}");
    }

    // The body of what is done for each item, with the arguments in place of the parameters, and the name of
    // the item; `own` parameters are not arguments. A name that an argument mentions is not used again.
    struct Body {
        std::string text;
        std::vector<std::string> own;
        VariableNames names;  // of the parameters
    };
    Body body_of(const Node& node, std::span<const ExprId> children, std::size_t own, Level level) const {
        const Function& function = pool_.function(FunctionId(node.payload));
        VariableNames names = names_;
        std::vector<std::string> taken;
        for (std::size_t i = own; i < children.size(); ++i) {
            std::string argument = print(pool_, children[i], names_);
            bool atomic = pool_[children[i]].op == Op::var || pool_.is_literal(children[i]);
            names[function.parameters[i]] = atomic ? argument : '(' + argument + ')';
            for (VarId v : pool_.variables_of(children[i])) taken.emplace_back(variable(v));
        }
        Body body;
        for (std::size_t i = 0; i < own; ++i) {
            std::string base(name(pool_.variable(function.parameters[i]).name)), name = base;
            for (int k = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++k)
                name = base + std::to_string(k);
            taken.push_back(name);
            names[function.parameters[i]] = name;
            body.own.push_back(name);
        }
        body.text = Printing(pool_, names).run(function.body, level);
        body.names = std::move(names);
        return body;
    }

    void quantified(std::string_view word, const Node& node, std::span<const ExprId> children) {
        Body body = body_of(node, children, 1, conditional);
        out_ += word;
        out_ += body.own[0];
        out_ += " in ";
        say(children[0], update);
        say(keep(": " + body.text));
    }

    // [f(x) for x in xs], [x for x in xs if p]
    void comprehension(const Node& node, std::span<const ExprId> children) {
        Body body = body_of(node, children, 1, conditional);
        bool select = node.op == Op::select;
        out_ += '[';
        out_ += select ? body.own[0] : body.text;
        out_ += " for ";
        out_ += body.own[0];
        out_ += " in ";
        say(children[0], update);
        say(select ? keep(" if " + body.text + "]") : std::string_view("]"));
    }

    // {k: v for x in xs} adds one key after the other to a map that has no name in the text.
    bool makes_map(const Function& function) const {
        const Node& body = pool_[function.body];
        if (body.op != Op::with_item || name(pool_.variable(function.parameters[1]).name) != map_so_far)
            return false;
        ExprId map = pool_.children(function.body)[0];
        return pool_[map].op == Op::var && pool_.var_of(map) == function.parameters[1];
    }

    void fold(const Node& node, std::span<const ExprId> children) {
        const Function& function = pool_.function(FunctionId(node.payload));
        Body body = body_of(node, children, 2, conditional);
        if (makes_map(function)) {
            auto parts = pool_.children(function.body);
            out_ += '{' + Printing(pool_, body.names).run(parts[1], conditional) + ": " +
                    Printing(pool_, body.names).run(parts[2], conditional) + " for " + body.own[0] + " in ";
            say(children[0], update);
            return say("}");
        }
        out_ += "fold ";
        out_ += body.own[1];
        out_ += " = ";
        say(children[1], update);
        say(keep(" for " + body.own[0] + " in "));
        say(children[0], update);
        say(keep(": " + body.text));
    }

    void call(std::string_view function, std::span<const ExprId> children) {
        out_ += function;
        out_ += '(';
        items(children, {});
        say(")");
    }

    void record(ExprId id, const Node& node, std::span<const ExprId> children) {
        const Type& type = pool_.types()[node.type];
        if (ExprId x = changed_record(id)) {
            std::size_t i = 0;
            while (pool_[children[i]].op == Op::field && pool_[children[i]].payload == i &&
                   pool_.children(children[i])[0] == x)
                ++i;
            say(x, update);
            say(" with ");
            say(name(type.fields[i].name));
            say(" = ");
            return say(children[i], sum);
        }
        out_ += name(type.name);
        out_ += '(';
        items(children, type.fields);
        say(")");
    }

    std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

    const Pool& pool_;
    const VariableNames& names_;
    std::string out_;
    bool branch_ = false;
    std::vector<Piece> pending_;
    std::deque<std::string> kept_;
};

}  // namespace

std::string print(const Pool& pool, ExprId expression, const VariableNames& names) {
    return Printing(pool, names).run(expression);
}

}  // namespace treaty::expr
