// For tests: random small protocols whose data decides what happens, as text. The same seed gives the same
// text.
//
// Two roles that know everything, or three, and then some texts are refused because a role uses what it
// cannot know; messages over few values, and conditions full of operations that have no value somewhere:
// division, remainders, items of lists, what optionals hold.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/specification.h"

namespace treaty::testing {

class RandomDataProtocol {
public:
    explicit RandomDataProtocol(std::uint64_t seed, std::uint32_t roles = 2) : random_(seed), roles_(roles) {}

    static std::string declarations() {
        return "enum Col { red, green }\n"
               "message i(x: int in 0..1)\n"
               "message j(x: int in 0..2)\n"
               "message b(x: bool)\n"
               "message c(x: Col)\n"
               "message l(x: list<int in 0..1>) where size(x) <= 1\n"
               "message o(x: optional<int in 0..1>)\n"
               "message s(x: string) where x in [\"\", \"a\"]\n"
               "message two(x: int in 0..1, y: bool) where not 1 / x == 2\n";
    }

    std::string protocol() {
        scope_.clear();
        names_ = 0;
        everybody();
        return std::string(roles_ == 2 ? "protocol P(A, B)" : "protocol P(A, B, C)") + " {\n" +
               block(3, "  ") + "}\n";
    }
    std::string text() { return declarations() + protocol(); }

    // All values of the fields, by type.
    static std::map<expr::TypeId, std::vector<expr::Value>> domains(
        const model::Specification& specification) {
        using expr::Sequence;
        using expr::Value;
        std::int64_t zero = 0, one = 1, two = 2;
        std::vector<std::vector<Value>> all{
            {zero, one},
            {zero, one, two},
            {false, true},
            {expr::EnumMember{0}, expr::EnumMember{1}},
            {Sequence{}, Sequence{{zero}}, Sequence{{one}}},
            {Sequence{}, Sequence{{zero}}, Sequence{{one}}},
            {std::string(), std::string("a")},
        };
        std::map<expr::TypeId, std::vector<Value>> result;
        const char* names[] = {"i", "j", "b", "c", "l", "o", "s"};
        for (std::size_t k = 0; k < all.size(); ++k) {
            auto message = specification.alphabet->find_message(names[k]);
            result[specification.messages[message.index].fields[0].type] = all[k];
        }
        return result;
    }

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    bool percent(std::uint32_t p) { return below(100) < p; }

private:
    enum Kind { integer, truth, colour, list, optional, text_kind };
    struct Variable {
        std::string name;
        Kind kind;
        bool writable;
        std::uint32_t known;  // a bit for each role
    };

    // The role that evaluates what is written next.
    void everybody() { actors_ = (1u << roles_) - 1; }
    void some_role() { actors_ = roles_ == 2 ? 3u : 1u << below(roles_); }

    std::string block(int depth, const std::string& indent) {
        std::string out;
        std::size_t before = scope_.size();
        for (std::uint32_t n = 1 + below(3); n > 0; --n) out += step(depth, indent);
        leave(before);
        return out;
    }
    void leave(std::size_t size) {
        scope_.erase(scope_.begin() + static_cast<std::ptrdiff_t>(size), scope_.end());
    }

    std::string step(int depth, const std::string& indent) {
        std::string deeper = indent + "  ";
        auto braces = [&] { return "{\n" + block(depth - 1, deeper) + indent + "}"; };
        std::uint32_t kind = depth <= 0 ? below(60) : below(100);
        if (kind < 45) return indent + interaction() + "\n";
        if (kind < 60) return indent + let() + "\n";
        some_role();
        if (kind < 72) {
            std::string c = condition(2);
            std::string first = braces();
            return indent + "if " + c + " " + first + " else " + braces() + "\n";
        }
        if (kind < 78) return indent + "when " + condition(2) + " " + braces() + "\n";
        if (kind < 86) return indent + "choice " + choices(braces) + "\n";
        if (kind < 92) return loop(depth, indent);
        if (kind < 96) return parallel(depth, indent);
        std::string name = fmt::format("X{}", names_++);
        std::size_t before = scope_.size();
        std::string first = interaction();
        leave(before);
        return fmt::format(
            "{0}rec {1} {{\n{2}{3}\n{0}  choice at A {{\n{0}    A -> B: again\n{0}    continue {1}\n"
            "{0}  }} or {{\n{0}    A -> B: halt\n{0}  }}\n{0}}}\n",
            indent, name, deeper, first);
    }

    template <typename Braces>
    std::string choices(Braces braces) {
        std::string first = braces();
        return first + " or " + braces();
    }

    std::string loop(int depth, const std::string& indent) {
        everybody();
        std::string counter = fresh(integer, false), deeper = indent + "  ";
        std::string more = percent(40) ? " and " + condition(1) : "";
        std::size_t before = scope_.size();
        std::string body = block(depth - 1, deeper);
        leave(before);
        return fmt::format("{0}let {1} = 0\n{0}while {1} < 2{2} {{\n{3}{4}let {1} = {1} + 1\n{0}}}\n", indent,
                           counter, more, body, deeper);
    }

    // What a segment changes, no other one uses.
    std::string parallel(int depth, const std::string& indent) {
        auto outside = scope_;
        for (Variable& v : scope_) v.writable = false;
        std::string deeper = indent + "  ";
        std::string out = indent + "par {\n" + block(depth - 1, deeper) + indent + "} and {\n" +
                          block(depth - 1, deeper) + indent + "}\n";
        scope_ = outside;
        return out;
    }

    std::string fresh(Kind kind, bool writable = true) {
        std::string name = fmt::format("v{}", names_++);
        scope_.push_back({name, kind, writable, actors_});
        return name;
    }

    std::string let() {
        Kind kind = static_cast<Kind>(percent(70) ? 0 : below(6));
        if (percent(50))
            everybody();
        else
            some_role();
        std::string e = expression(kind, 2);
        if (percent(30))
            for (const Variable& v : scope_)
                if (v.kind == kind && v.writable && v.known == actors_) return "let " + v.name + " = " + e;
        return "let " + fresh(kind) + " = " + e;
    }

    std::string interaction() {
        static const std::pair<const char*, std::vector<Kind>> messages[] = {
            {"i", {integer}},          {"i", {integer}}, {"j", {integer}},  {"b", {truth}},
            {"c", {colour}},           {"l", {list}},    {"o", {optional}}, {"s", {text_kind}},
            {"two", {integer, truth}}, {"p", {}},        {"q", {}},
        };
        const auto& [name, kinds] = messages[below(11)];
        std::uint32_t from = below(roles_), to = (from + 1 + below(roles_ - 1)) % roles_;
        actors_ = roles_ == 2 ? 3u : 1u << from;
        std::string arguments;
        std::vector<Variable> bound;
        for (Kind kind : kinds) {
            std::string one = "_";
            std::uint32_t how = below(100);
            if (how < 50) {
                bound.push_back({fmt::format("v{}", names_++), kind, true, 1u << from | 1u << to});
                one = "let " + bound.back().name;
            } else if (how < 90) {
                one = expression(kind, 2);
            }
            arguments += (arguments.empty() ? "" : ", ") + one;
        }
        scope_.insert(scope_.end(), bound.begin(), bound.end());
        std::string out = fmt::format("{} -> {}: ", "ABC"[from], "ABC"[to]);
        out += kinds.empty() ? name : fmt::format("{}({})", name, arguments);
        if (!kinds.empty() && percent(35)) out += " where " + condition(2);
        return out;
    }

    std::string condition(int depth) { return expression(truth, depth); }

    std::string variable(Kind kind) {
        std::vector<std::string> fitting;
        for (const Variable& v : scope_)
            if (v.kind == kind && (v.known & actors_) == actors_) fitting.push_back(v.name);
        return fitting.empty() ? "" : fitting[below(static_cast<std::uint32_t>(fitting.size()))];
    }

    std::string expression(Kind kind, int depth) {
        if (std::string v = variable(kind); !v.empty() && percent(depth <= 0 ? 80 : 30)) return v;
        switch (kind) {
            case integer: return number(depth);
            case truth: return comparison(depth);
            case colour: return percent(50) ? "red" : "green";
            case list: return percent(30) ? "[0, 1]" : fmt::format("[{}]", expression(integer, depth - 1));
            case optional: return fmt::format("some({})", expression(integer, depth - 1));
            case text_kind: return percent(50) ? "\"a\"" : "\"\"";
        }
        return "";
    }

    std::string number(int depth) {
        if (depth <= 0) return std::to_string(below(3));
        auto inner = [&] { return expression(integer, depth - 1); };
        switch (below(9)) {
            case 0: return fmt::format("({} + {})", inner(), inner());
            case 1: return fmt::format("({} - {})", inner(), inner());
            case 2:
            case 3: return fmt::format("({} / {})", inner(), divisor(depth));
            case 4: return fmt::format("({} mod {})", inner(), divisor(depth));
            case 5:
                if (std::string v = variable(list); !v.empty()) return fmt::format("{}[{}]", v, inner());
                return std::to_string(below(3));
            case 6:
                if (std::string v = variable(optional); !v.empty()) return fmt::format("value({})", v);
                return std::to_string(below(3));
            case 7: return fmt::format("(if {} then {} else {})", condition(depth - 1), inner(), inner());
            default: return std::to_string(below(3));
        }
    }

    // Not plainly zero, which the reader refuses.
    std::string divisor(int depth) {
        std::string v = variable(integer);
        if (v.empty()) return "2";
        return percent(60) ? v : fmt::format("({} - {})", v, expression(integer, depth - 1));
    }

    std::string comparison(int depth) {
        if (depth <= 0) return percent(50) ? "true" : "false";
        auto inner = [&] { return condition(depth - 1); };
        switch (below(12)) {
            case 0: return fmt::format("({} and {})", inner(), inner());
            case 1: return fmt::format("({} or {})", inner(), inner());
            case 2:
            case 3: return fmt::format("(not {})", inner());
            case 4: return fmt::format("({} implies {})", inner(), inner());
            case 5:
                if (std::string v = variable(optional); !v.empty()) return fmt::format("has({})", v);
                break;
            case 6:
                if (std::string v = variable(text_kind); !v.empty()) return fmt::format("({} == \"a\")", v);
                break;
            case 7:
                if (std::string v = variable(colour); !v.empty()) return fmt::format("({} == red)", v);
                break;
            default: break;
        }
        static const char* operators[] = {"==", "!=", "<", "<=", ">", ">="};
        return fmt::format("({} {} {})", expression(integer, depth - 1), operators[below(6)],
                           expression(integer, depth));
    }

    std::mt19937_64 random_;
    std::vector<Variable> scope_;
    std::uint32_t names_ = 0;
    std::uint32_t roles_;
    std::uint32_t actors_ = 3;
};

}  // namespace treaty::testing
