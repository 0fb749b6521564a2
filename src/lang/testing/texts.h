// For tests: random .treaty texts without a fault that use every construct, and the same texts laid out
// wildly.
//
// A text is right by construction: branches begin with the role that decides, a role uses only values it
// knows (what is learnt inside a loop or a par is forgotten after it, and outer values are not changed
// there).
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lang/testing/reading.h"

namespace treaty::lang::testing {

class TextMaker {
public:
    explicit TextMaker(std::uint32_t seed) : random_(seed) {}

    std::string text() {
        declarations();
        std::size_t count = 1 + below(3);
        for (std::size_t i = 0; i < count; ++i) protocol(fmt::format("P{}", i));
        wires();
        properties();
        return out_;
    }

private:
    struct Field {
        std::string name, type;
    };
    struct Message {
        std::string name;
        std::vector<Field> fields;
    };
    struct Variable {
        std::string name, type;
        unsigned known;  // one bit per role
    };
    struct Callable {
        std::string name;
        std::size_t roles;
    };
    using Strings = std::vector<std::string>;

    std::size_t below(std::size_t n) { return random_() % n; }
    bool chance(std::size_t percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& all) {
        return all[below(all.size())];
    }
    std::string one_of(std::initializer_list<const char*> all) { return *(all.begin() + below(all.size())); }

    void line(const std::string& text) { out_ += std::string(indent_ * 2, ' ') + text + "\n"; }

    // --- declarations

    const Strings& types() {
        static const Strings all{"int",       "bool",         "int in 0..9",     "real",
                                 "string",    "bytes",        "Colour",          "Point",
                                 "list<int>", "list<string>", "optional<int>",   "list<Point>",
                                 "int",       "set<int>",     "map<string, int>"};
        return all;
    }

    void declarations() {
        line("enum Colour { red, green, blue }");
        if (chance(50))
            line("record Point { x: int, y: int }");
        else
            out_ += "record Point {\n  x: int,\n  y: int\n}\n";
        line("type Port = int in 0..MOST");
        line("const MOST: int = 1 + 65534");
        line("const FIRST = red");
        line("predicate small(a: int) = a < 10");
        line("function twice(a: int): int = a + a");
        line(fmt::format("function pick(a: int, b: Colour): list<int> = {}",
                         one_of({"[a]", "if b == red then [a] else [1, a]", "[]"})));
        std::size_t count = 2 + below(4);
        for (std::size_t i = 0; i < count; ++i) {
            Message m{fmt::format("m{}", i), {}};
            std::string fields;
            for (std::size_t k = below(4); k > 0; --k) {
                m.fields.push_back({fmt::format("f{}", m.fields.size()), pick(types())});
                fields += fmt::format("{}{}: {}", fields.empty() ? "" : ", ", m.fields.back().name,
                                      m.fields.back().type);
            }
            bool guarded = !m.fields.empty() && chance(20);
            if (guarded) {
                variables_.clear();
                for (const Field& f : m.fields) variables_.push_back({f.name, f.type, ~0u});
            }
            line(fmt::format("message {}{}{}", m.name, fields.empty() ? "" : "(" + fields + ")",
                             guarded ? " where " + expression("bool", 2, 0) : ""));
            variables_.clear();
            messages_.push_back(std::move(m));
        }
        declared_ = messages_.size();
        for (const char* plain : {"go", "ok", "stop"}) messages_.push_back({plain, {}});
    }

    // --- expressions over what a role knows; used_ gets the variables

    std::string variable(const std::string& type, std::size_t role) {
        std::vector<std::size_t> fitting;
        for (std::size_t i = 0; i < variables_.size(); ++i)
            if (variables_[i].type == type && (variables_[i].known >> role & 1) &&
                !banned(variables_[i].name))
                fitting.push_back(i);
        if (fitting.empty()) return {};
        std::size_t i = pick(fitting);
        used_.push_back(i);
        return variables_[i].name;
    }

    bool banned(const std::string& name) const {
        return std::find(banned_.begin(), banned_.end(), name) != banned_.end();
    }

    std::string expression(const std::string& type, std::size_t depth, std::size_t role) {
        if (chance(50))
            if (std::string v = variable(type, role); !v.empty()) return v;
        std::string e = depth == 0 ? literal(type) : compound(type, depth - 1, role);
        return chance(10) ? "(" + e + ")" : e;
    }

    std::string literal(const std::string& type) {
        if (type == "bool") return one_of({"true", "false"});
        if (type == "int") return one_of({"0", "1", "42", "-7", "9223372036854775807", "MOST", "-MOST"});
        if (type == "int in 0..9") return one_of({"0", "9"});
        if (type == "real") return one_of({"0.5", "12.25", "-1.0", "100000000000000000000000.0"});
        if (type == "string") return one_of({"\"\"", "\"a b\"", "\"\\n\\\"\\x00\\\\\"", "\"größe\""});
        if (type == "bytes") return one_of({"0x\"\"", "0x\"00ff\"", "0x\"0a 0b\""});
        if (type == "Colour") return one_of({"red", "green", "blue", "FIRST"});
        if (type == "Point") return one_of({"Point(1, 2)", "Point(y = 3, x = -4)"});
        if (type == "list<int>") return one_of({"[1]", "[1, 2, 3]", "[-1]"});
        if (type == "list<string>") return one_of({"[\"a\"]", "[\"a\", \"b\"]"});
        if (type == "list<Point>") return "[Point(x = 0, y = 0)]";
        if (type == "set<int>") return one_of({"{1}", "{1, 2}", "{3, 3}"});
        if (type == "map<string, int>") return one_of({"{\"a\": 1}", "{\"\": 0, \"b\": -1}"});
        return one_of({"some(3)", "some(-3)"});
    }

    std::string compound(const std::string& type, std::size_t d, std::size_t r) {
        auto e = [&](const std::string& t) { return "(" + expression(t, d, r) + ")"; };
        if (chance(15))
            return fmt::format("(if {} then {} else {})", expression("bool", d, r), expression(type, d, r),
                               expression(type, d, r));
        if (type == "bool") return condition(d, r);
        if (chance(15) && (type == "string" || type == "bytes" || type == "list<int>"))
            return part(type, e(type), e("int"), e("int"));
        if (type == "int" && chance(10)) return fmt::format("({} else {})", e("optional<int>"), e("int"));
        if (type == "int" && chance(10)) return fmt::format("({}[{}] else 0)", e("list<int>"), e("int"));
        if (type == "Point" && chance(20))
            return fmt::format("{} with {} = {}", e("Point"), one_of({"x", "y"}), e("int"));
        if (type == "optional<int>" && chance(30))
            return fmt::format("index_of({}, {})", e("string"), e("string"));
        if (type == "int") return number(d, r);
        if (type == "real")
            return fmt::format("{} {} {}", e("real"), one_of({"+", "-", "*"}), e(one_of({"real", "int"})));
        if (type == "string")
            return chance(50) ? fmt::format("{} + {}", e("string"), e("string"))
                              : fmt::format("{}({})", one_of({"lower", "upper"}), e("string"));
        if (type == "bytes") return fmt::format("{} + {}", e("bytes"), e("bytes"));
        if (type == "Point")
            return chance(50) ? fmt::format("Point({}, {})", e("int"), e("int"))
                              : fmt::format("{}[0]", e("list<Point>"));
        if (type == "list<int>")
            return chance(50) ? fmt::format("{} + [{}]", e("list<int>"), e("int"))
                              : fmt::format("{}", one_of({"sorted([3, 1])", "pick(3, red)"}));
        if (type == "optional<int>") return fmt::format("some({})", expression("int", d, r));
        if (type == "set<int>") return a_set(e("set<int>"), e("int"), e("list<int>"));
        if (type == "map<string, int>") return a_map(e("map<string, int>"), e("string"), e("int"));
        return literal(type);
    }

    std::string a_set(const std::string& s, const std::string& n, const std::string& xs) {
        switch (below(5)) {
            case 0: return fmt::format("{} {} {}", s, one_of({"+", "-"}), s);
            case 1: return fmt::format("{} without {}", s, n);
            case 2: return fmt::format("{{it + {} for it in {}}}", n, xs);
            case 3: return fmt::format("{{it for it in {} if it > {}}}", s, n);
            default: return fmt::format("{{{}, 1}}", n);
        }
    }

    std::string a_map(const std::string& m, const std::string& k, const std::string& v) {
        switch (below(5)) {
            case 0: return fmt::format("{} with {} = {}", m, k, v);
            case 1: return fmt::format("{} without {}", m, k);
            case 2: return fmt::format("{{it: {}[it] + {} for it in {}}}", m, v, m);
            case 3: return fmt::format("{} {}", m, one_of({"+ {\"a\": 2}", "- {\"a\"}"}));
            default: return fmt::format("{{{}: {}}}", k, v);
        }
    }

    std::string part(const std::string& type, const std::string& x, const std::string& m,
                     const std::string& n) {
        if (type == "list<int>" && chance(30)) return fmt::format("{} with {} = {}", x, m, n);
        if (type == "string" && chance(20)) return fmt::format("to_text({})", m);
        switch (below(6)) {
            case 0: return fmt::format("{}[{}..{}]", x, m, n);
            case 1: return fmt::format("{}[..{}]", x, m);
            case 2: return fmt::format("{}[{} ..]", x, m);
            case 3: return fmt::format("{}({}, {})", one_of({"take", "drop", "repeat"}), x, m);
            case 4: return fmt::format("reverse({})", x);
            default:
                return type == "list<int>" ? fmt::format("drop({}, 1)", x)
                                           : fmt::format("replace({}, {}, {})", x, x, x);
        }
    }

    std::string condition(std::size_t d, std::size_t r) {
        auto e = [&](const std::string& t) { return "(" + expression(t, d, r) + ")"; };
        std::string any = pick(types());
        switch (below(14)) {
            case 11: return fmt::format("{} in {}", e("int"), e("set<int>"));
            case 12: return fmt::format("{} in {}", e("string"), e("map<string, int>"));
            case 13:
                return fmt::format("({} it in {}: it {} {})", one_of({"all", "any"}), e("list<int>"),
                                   one_of({"<", "!="}), e("int"));
            case 0:
                return fmt::format("{} {} {}", e("int"), one_of({"<", "<=", ">", ">=", "==", "!="}),
                                   e(one_of({"int", "real"})));
            case 1: return fmt::format("{} {} {}", e(any), one_of({"==", "!="}), e(any));
            case 2: return fmt::format("{} {} {}", e("bool"), one_of({"and", "or", "implies"}), e("bool"));
            case 3: return "not " + e("bool");
            case 4: return fmt::format("{} in {}", e("int"), e("list<int>"));
            case 5: return fmt::format("{} permutes {}", e("list<int>"), e("list<int>"));
            case 6:
                return fmt::format("{} matches {}", e("string"),
                                   one_of({"/[a-z]+/", "/a\\/b|[^/]/i", "/\\\\x/", "/(?i)q/"}));
            case 7:
                return fmt::format("{}({}, {})", one_of({"contains", "starts_with", "ends_with"}),
                                   e("string"), e("string"));
            case 8: return fmt::format("has({})", e("optional<int>"));
            case 9: return fmt::format("small({})", e("int"));
            default: return fmt::format("{} < {}", e("Colour"), e("Colour"));
        }
    }

    std::string number(std::size_t d, std::size_t r) {
        auto e = [&](const std::string& t) { return "(" + expression(t, d, r) + ")"; };
        switch (below(12)) {
            case 9: return fmt::format("(count it in {}: it > {})", e("set<int>"), e("int"));
            case 10:
                return fmt::format("(fold so_far = {} for it in {}: so_far + it)", e("int"), e("list<int>"));
            case 11: return fmt::format("({}[{}] else {})", e("map<string, int>"), e("string"), e("int"));
            case 0: return fmt::format("{} {} {}", e("int"), one_of({"+", "-", "*"}), e("int"));
            case 1: return fmt::format("{} {} 7", e("int"), one_of({"/", "mod"}));
            case 2: return "-" + e("int");
            case 3:
                return fmt::format("size({})", e(one_of({"string", "bytes", "list<int>", "list<Point>"})));
            case 4: return fmt::format("{}({})", one_of({"abs", "twice"}), e("int"));
            case 5: return fmt::format("{}({}, {})", one_of({"min", "max"}), e("int"), e("int"));
            case 6: return fmt::format("sum({})", e("list<int>"));
            case 7: return fmt::format("{}.{}", e("Point"), one_of({"x", "y"}));
            default: return fmt::format("{}[{}]", e("list<int>"), e("int"));
        }
    }

    // --- protocols

    void protocol(const std::string& name) {
        static const Strings names{"A", "B", "C", "D"};
        roles_.assign(names.begin(), names.begin() + 2 + static_cast<std::ptrdiff_t>(below(3)));
        variables_.clear();
        frozen_ = loops_ = 0;
        name_ = name;
        std::string list;
        for (const std::string& r : roles_) list += (list.empty() ? "" : ", ") + r;
        line(fmt::format("protocol {}({}) {{", name, list));
        ++indent_;
        steps(below(roles_.size()), 2, 1 + below(4));
        for (std::size_t r = 0; r < roles_.size(); ++r) interaction(r);  // so that none is idle
        if (chance(30)) start_over();
        --indent_;
        line("}");
        callables_.push_back({name, roles_.size()});
    }

    void start_over() {
        std::size_t r = below(roles_.size());
        std::vector<Variable> before = variables_;
        line(fmt::format("choice at {} {{", roles_[r]));
        ++indent_;
        interaction(r);
        line(fmt::format("do {}({})", name_, some_roles(roles_.size())));
        --indent_;
        variables_ = std::move(before);
        line("} or {");
        ++indent_;
        interaction(r);
        --indent_;
        line("}");
    }

    std::string some_roles(std::size_t count) {
        Strings all = roles_;
        std::shuffle(all.begin(), all.end(), random_);
        std::string list;
        for (std::size_t i = 0; i < count; ++i) list += (i > 0 ? ", " : "") + all[i];
        return list;
    }

    // The first one is a message from `first`.
    void steps(std::size_t first, std::size_t depth, std::size_t count) {
        interaction(first);
        for (; count > 0; --count) step(depth);
    }

    // A block of steps; gives what is known of the outer variables at its end, and forgets its own.
    std::vector<Variable> block(std::size_t first, std::size_t depth) {
        std::vector<Variable> before = variables_;
        ++indent_;
        steps(first, depth, below(3));
        --indent_;
        std::vector<Variable> end(variables_.begin(),
                                  variables_.begin() + static_cast<std::ptrdiff_t>(before.size()));
        variables_ = std::move(before);
        return end;
    }

    void meet(const std::vector<std::vector<Variable>>& ends) {
        for (std::size_t v = 0; v < variables_.size(); ++v) {
            variables_[v].known = ~0u;
            for (const auto& end : ends) variables_[v].known &= end[v].known;
        }
    }

    // A block whose rounds or interleavings are many: it changes nothing of outside, and what it tells is
    // forgotten.
    void closed_block(std::size_t first, std::size_t depth) {
        std::size_t outer = frozen_;
        frozen_ = variables_.size();
        block(first, depth);
        frozen_ = outer;
    }

    void step(std::size_t depth) {
        std::size_t r = below(roles_.size());
        if (depth == 0 || chance(40)) return interaction(r);
        switch (below(13)) {
            case 0: return choice(r, depth - 1);
            case 1: return conditional(r, depth - 1);
            case 2:
                line(fmt::format("repeat{} {{", chance(50) ? " at " + roles_[r] : ""));
                closed_block(r, depth - 1);
                return line("}");
            case 3: return recursion(r, depth - 1);
            case 4: return parallel(depth - 1);
            case 5: return interruption(depth - 1);
            case 6: {
                line(fmt::format("while {} {{", expression("bool", 1, r)));
                closed_block(r, depth - 1);
                return line("}");
            }
            case 7: {
                line(fmt::format("when {} {{", expression("bool", 1, r)));
                auto end = block(r, depth - 1);
                meet({variables_, end});
                return line("}");
            }
            case 8: {
                line(fmt::format("optional{} {{", chance(50) ? " at " + roles_[r] : ""));
                auto end = block(r, depth - 1);
                meet({variables_, end});
                return line("}");
            }
            case 9: return call();
            case 10: return match(r, depth - 1);
            default: return let(r);
        }
    }

    void choice(std::size_t r, std::size_t depth) {
        line(fmt::format("choice{} {{", chance(60) ? " at " + roles_[r] : ""));
        std::vector<std::vector<Variable>> ends{block(r, depth)};
        for (std::size_t more = 1 + below(2); more > 0; --more) {
            line("} or {");
            ends.push_back(block(r, depth));
        }
        line("}");
        meet(ends);
    }

    void conditional(std::size_t r, std::size_t depth) {
        line(fmt::format("if {} {{", expression("bool", 2, r)));
        std::vector<std::vector<Variable>> ends{block(r, depth)};
        while (chance(30)) {
            line(fmt::format("}} else if {} {{", expression("bool", 1, r)));
            ends.push_back(block(r, depth));
        }
        if (chance(70)) {
            line("} else {");
            ends.push_back(block(r, depth));
        } else {
            ends.push_back(variables_);
        }
        line("}");
        meet(ends);
    }

    void match(std::size_t r, std::size_t depth) {
        bool colours = chance(50);
        Strings cases = colours ? Strings{"FIRST", "green, blue"} : Strings{"-7..0", "1, 20 + 22", "else"};
        if (chance(30)) cases = {cases[1], "else"};
        line(fmt::format("match {} {{", expression(colours ? "Colour" : "int", 1, r)));
        ++indent_;
        std::vector<std::vector<Variable>> ends;
        for (const std::string& c : cases) {
            line(c + " {");
            ends.push_back(block(r, depth));
            line("}");
        }
        --indent_;
        line("}");
        meet(ends);
    }

    void recursion(std::size_t r, std::size_t depth) {
        std::string name = fmt::format("loop{}", loops_++);
        std::size_t outer = frozen_;
        frozen_ = variables_.size();
        std::vector<Variable> before = variables_;
        line(fmt::format("rec {} {{", name));
        ++indent_;
        steps(r, depth, below(2));
        line(fmt::format("choice at {} {{", roles_[r]));
        block(r, depth);
        line(fmt::format("  continue {}", name));
        line("} or {");
        block(r, depth);
        line("}");
        --indent_;
        line("}");
        variables_ = std::move(before);
        frozen_ = outer;
    }

    void parallel(std::size_t depth) {
        line("par {");
        bool synchronised = chance(30);
        closed_block(below(roles_.size()), depth);
        if (synchronised) line("  signal done");
        line("} and {");
        if (synchronised) line("  wait done");
        closed_block(below(roles_.size()), depth);
        line("}");
    }

    void interruption(std::size_t depth) {
        line("try {");
        closed_block(below(roles_.size()), depth);
        line("} interrupt {");
        closed_block(below(roles_.size()), depth);
        line("}");
    }

    void call() {
        std::vector<Callable> fitting;
        for (const Callable& c : callables_)
            if (c.roles <= roles_.size()) fitting.push_back(c);
        if (fitting.empty()) return interaction(below(roles_.size()));
        const Callable& c = pick(fitting);
        line(fmt::format("do {}({})", c.name, some_roles(c.roles)));
    }

    // A name for a new value of a type: one that may be changed here, or a new one.
    std::size_t target(const std::string& type) {
        std::vector<std::size_t> fitting;
        for (std::size_t i = frozen_; i < variables_.size(); ++i)
            if (variables_[i].type == type && !banned(variables_[i].name)) fitting.push_back(i);
        if (!fitting.empty() && chance(40)) return pick(fitting);
        variables_.push_back({fmt::format("v{}", variables_.size()), type, 0});
        return variables_.size() - 1;
    }

    void let(std::size_t r) {
        std::string type = one_of({"int", "bool", "string", "list<int>", "Colour", "real"});
        used_.clear();
        std::string value = expression(type, 2, r);
        unsigned known = ~0u;
        for (std::size_t v : used_) known &= variables_[v].known;
        std::size_t v = target(type);
        variables_[v].known = known;
        line(fmt::format("let {} = {}", variables_[v].name, value));
    }

    void interaction(std::size_t from) {
        std::size_t to = (from + 1 + below(roles_.size() - 1)) % roles_.size();
        unsigned both = 1u << from | 1u << to;
        std::string receivers = roles_[to];
        if (roles_.size() > 2 && chance(10)) {
            std::size_t other = 0;
            while (other == from || other == to) ++other;
            receivers += ", " + roles_[other];
            both |= 1u << other;
        }
        const Message& m = pick(messages_);
        std::string arguments;
        std::vector<std::size_t> bound, told;
        banned_.clear();
        bool named = chance(20);
        std::vector<std::string> values(m.fields.size());
        for (std::size_t i = 0; i < m.fields.size(); ++i) {
            if (!chance(50)) continue;
            std::size_t v = target(m.fields[i].type);
            bound.push_back(v);
            banned_.push_back(variables_[v].name);
            values[i] = "let " + variables_[v].name;
        }
        for (std::size_t i = 0; i < m.fields.size(); ++i) {
            if (!values[i].empty()) continue;
            used_.clear();
            values[i] = chance(10) ? "_" : expression(m.fields[i].type, 1, from);
            if (used_.size() == 1 && values[i] == variables_[used_[0]].name) told.push_back(used_[0]);
        }
        for (std::size_t i = 0; i < m.fields.size(); ++i)
            arguments +=
                fmt::format("{}{}{}", i > 0 ? ", " : "", named ? m.fields[i].name + " = " : "", values[i]);
        banned_.clear();
        for (std::size_t v : bound) variables_[v].known = both;
        for (std::size_t v : told) variables_[v].known |= both;
        if (!arguments.empty()) arguments = "(" + arguments + ")";
        std::string where = !bound.empty() && chance(40) ? " where " + expression("bool", 2, from) : "";
        std::string within = chance(10) ? " within " + one_of({"3s", "250ms", "1.5m", "7us"}) : "";
        line(fmt::format("{} -> {}: {}{}{}{}", roles_[from], receivers, m.name, arguments, where, within));
    }

    // --- wires and properties

    void wires() {
        if (chance(60)) {
            line(fmt::format("wire Lines over lines {}{} {{", one_of({"\"\\n\"", "\"\\r\\n\""}),
                             one_of({"", " escapes \".\" at start as \"..\"",
                                     " escapes \"%\" as \"%%\", \"~\" as \"%t\""})));
            for (std::size_t i = 0; i < declared_; ++i) text_layout(messages_[i]);
            line("}");
        }
        if (chance(60)) {
            line(fmt::format("wire Frames over {} {{", one_of({"stream", "length-prefixed 4"})));
            for (std::size_t i = 0; i < declared_; ++i) binary_layout(messages_[i]);
            line("}");
        }
        if (chance(20)) line(fmt::format("wire Plain over {} {{\n}}", one_of({"json", "http"})));
        if (chance(40)) {
            line(fmt::format("wire Documents over {} {{", one_of({"json", "lines \"\\n\""})));
            for (std::size_t i = 0; i < declared_; ++i)
                line(fmt::format("  {} = json {}", head_of(messages_[i]), json_of(messages_[i], 0)));
            line("}");
        }
        if (chance(40)) {
            line("wire Web over http {");
            for (std::size_t i = 0; i < declared_; ++i) http_layout(messages_[i]);
            line("}");
        }
    }

    static std::string head_of(const Message& m) {
        std::string names;
        for (const Field& f : m.fields) names += (names.empty() ? "" : ", ") + f.name;
        return names.empty() ? m.name : fmt::format("{}({})", m.name, names);
    }

    // An object with the fields from `first` on.
    std::string json_of(const Message& m, std::size_t first) {
        std::string members =
            fmt::format("\"type\": {}", one_of({"\"a\"", "1", "-2", "true", "null", "0.5"}));
        std::string gap = chance(30) ? ",\n    " : ", ";
        for (std::size_t i = first; i < m.fields.size(); ++i) {
            const Field& f = m.fields[i];
            bool may_be_absent = f.type.starts_with("optional") && chance(50);
            std::string value = f.name;
            if (f.type == "bytes" && chance(50)) value += " as base64";
            if (chance(20) && !may_be_absent) value = fmt::format("{{ \"deep\": [{}, {{}}], ... }}", value);
            if (f.type.starts_with("list") && chance(30))
                value = fmt::format("[each for each in {}]", f.name);
            members +=
                fmt::format("{}{}\"{} {}\": {}", gap, may_be_absent ? "optional " : "", i, f.name, value);
        }
        if (chance(30)) members += gap + "...";
        return fmt::format("{{ {} }}", members);
    }

    void http_layout(const Message& m) {
        std::string text = one_of({"200", "2xx", "400..499", "204 header \"X-A\" = \"{{b}}\""});
        std::size_t used = 0;
        auto has_text = [&](const Field& f) {
            return f.type.starts_with("int") || f.type == "bool" || f.type == "string" || f.type == "bytes";
        };
        if (chance(50)) {
            text = "POST \"/a";
            while (used < m.fields.size() && has_text(m.fields[used]) && chance(60))
                text += fmt::format("/{{{}}}", m.fields[used++].name);
            if (used < m.fields.size() && has_text(m.fields[used]) && chance(60))
                text += fmt::format("?b={{{}}}&...", m.fields[used++].name);
            text += "\"";
        }
        if (used < m.fields.size() && has_text(m.fields[used]) && chance(50))
            text += fmt::format("{}header \"X-B\" = {}", one_of({" ", "\n    "}), m.fields[used++].name);
        if (used < m.fields.size() || chance(40))
            text += fmt::format("{}json {}", one_of({" ", "\n    "}), json_of(m, used));
        else
            text += one_of({"", " ...", " text \"a\"", " form { \"a\": \"b\", ... }"});
        line(fmt::format("  {} = {}", head_of(m), text));
    }

    void text_layout(const Message& m) {
        std::string names, items = fmt::format("\"{} \"", m.name);
        for (const Field& f : m.fields) {
            bool has_text = f.type.starts_with("int") || f.type == "Port" || f.type == "bool" ||
                            f.type == "Colour" || f.type == "bytes" || f.type == "string";
            if (!has_text) return;
            names += (names.empty() ? "" : ", ") + f.name;
            items += fmt::format(" {}:{} {}", f.name, one_of({"/[a-z]+/", "/[^ \\/]*/i"}),
                                 one_of({"\" \"", "/ +/", "/a[/]b/i"}));
        }
        line(fmt::format("  {}{} = {}", m.name, names.empty() ? "" : "(" + names + ")", items));
    }

    void binary_layout(const Message& m) {
        std::string names, items;
        for (const Field& f : m.fields) {
            names += (names.empty() ? "" : ", ") + f.name;
            bool number = f.type.starts_with("int") || f.type == "bool" || f.type == "Colour";
            bool text = f.type == "bytes" || f.type == "string";
            if (number)
                items += fmt::format("    {}: {}\n", f.name, one_of({"8", "16 little", "3  0: 5", "64"}));
            else if (text)
                items += fmt::format(
                    "    n_{0}: 16 = size({0})\n    if n_{0} > 3 {{ k_{0}: bytes 2 }}\n    {0}: bytes (n_{0} "
                    "+ {1}){2}\n",
                    f.name, below(3), chance(50) ? fmt::format(" xor k_{}", f.name) : "");
            else
                return;
        }
        if (chance(30))
            items += "    count: 8  spare: 8 = 3\n    repeat count {\n      item: 8  0: 8\n    }\n";
        if (chance(30))
            items +=
                "    sum: 16 = crc16(body)\n    body: part {\n      left: 8  right: 8\n    }\n    code: "
                "bytes 4 as hex  rest: line \"\\n\" as base64\n";
        if (chance(20))
            items += "    repeat 1 more inside {\n      inside: 8\n      check inside < 3\n    }\n";
        if (chance(20))
            items +=
                "    \"k\"  word:/[a-z]+/  /[ \\t]+/\n    repeat until \".\\n\" {\n      piece:/[0-9]{1,3}/ "
                "= \"7\"\n"
                "    }\n";
        if (chance(20)) items += "    if 1 < 2 { if 2 < 3 { deep: 8  deeper: 8 } }\n";
        line(fmt::format("  {}{} = {{\n{}  }}", m.name, names.empty() ? "" : "(" + names + ")", items));
    }

    std::string pattern(const Strings& ends) {
        const Message& m = messages_[below(declared_)];
        std::string fields;
        for (const Field& f : m.fields) {
            if (chance(40)) continue;
            std::string name = fmt::format("p{}", names_++);
            fields += fmt::format("{}{} = {}{}", fields.empty() ? "" : ", ", f.name, chance(30) ? "let " : "",
                                  name);
            variables_.push_back({name, f.type, ~0u});
        }
        std::string where = chance(40) ? " where " + expression("bool", 1, 0) : "";
        return fmt::format("{} -> {}: {}{}{}", ends[0], ends[1], m.name,
                           fields.empty() ? "" : "(" + fields + ")", where);
    }

    void properties() {
        std::size_t count = below(4);
        for (std::size_t i = 0; i < count; ++i) {
            variables_.clear();
            Strings ends{"A", "B"};
            line(fmt::format("property Q{} at {} {{", i, pick(ends)));
            for (std::size_t k = below(3); k > 0; --k) {
                std::shuffle(ends.begin(), ends.end(), random_);
                line("  after " + pattern(ends));
            }
            std::size_t context = variables_.size();
            std::string then = pattern(ends);
            while (chance(40)) {
                variables_.resize(context);
                then += " or " + pattern(ends);
            }
            line(fmt::format("  {} {}", one_of({"expect", "forbid"}), then));
            if (chance(70)) line(fmt::format("  within {}", one_of({"1", "12", "3s", "500ms"})));
            line("}");
        }
        if (count > 1)
            line(fmt::format("property Both: Q0{} implies {}Q1", chance(30) ? ", Q1" : "",
                             chance(30) ? "not " : ""));
    }

    std::mt19937 random_;
    std::string out_;
    std::size_t indent_ = 0;
    std::vector<Message> messages_;
    std::size_t declared_ = 0;  // how many of them are; the others need not be
    std::vector<Callable> callables_;
    Strings roles_;
    std::string name_;
    std::vector<Variable> variables_;
    std::vector<std::size_t> used_;
    Strings banned_;
    std::size_t frozen_ = 0;  // variables before this one keep their values
    std::size_t loops_ = 0;
    std::size_t names_ = 0;
};

// The same tokens with other blanks and with comments everywhere. Line breaks go only where the language does
// not mind them.
inline std::string messy(const std::string& text, std::uint32_t seed) {
    std::mt19937 random(seed);
    auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    std::size_t count = 0;
    auto comment = [&]() -> std::string {
        std::string label = fmt::format("c{}", count++);
        if (chance(20)) return fmt::format("/* {}\n   * more\n*/", label);
        return fmt::format("/* {} */", label);
    };
    std::string out;
    bool in_lines = false;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find('\n', at);
        std::string line = text.substr(at, end - at);
        at = end + 1;
        std::vector<std::string> tokens = tokens_of(line);
        bool head = line.starts_with("wire");
        if (head)
            in_lines = line.find("over lines") != std::string::npos ||
                       line.find("over json") != std::string::npos ||
                       line.find("over http") != std::string::npos;
        if (line.starts_with("}")) in_lines = false;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            out += i > 0 ? std::string(1 + random() % 2, chance(10) ? '\t' : ' ')
                         : std::string(random() % 5, ' ');
            bool breakable = !in_lines && i > 0 &&
                             (tokens[i - 1] == "," || tokens[i - 1] == "(" || tokens[i - 1] == "and" ||
                              tokens[i - 1] == "{");
            if (chance(4)) {
                std::string c = comment();
                if (breakable || c.find('\n') == std::string::npos) out += c + " ";
            } else if (breakable && chance(15)) {
                out += chance(50) ? fmt::format("// c{}\n", count++) : "\n";
            }
            out += tokens[i];
        }
        bool join = !in_lines && !head && line.starts_with("  ") && chance(10);
        if (chance(10)) out += fmt::format(" // c{}", count++), join = false;
        out += join ? " " : "\n";
        if (chance(8)) out += chance(50) ? comment() + "\n" : fmt::format("  // c{}\n", count++);
        if (chance(8)) out += "\n\n";
    }
    if (chance(20)) out += comment();
    return out;
}

// The same text with comments between its tokens, so many percent of the places: most of them short ones,
// `//` only at the end of a line, longer ones on lines of their own. Blanks and line breaks stay.
inline std::string commented(const std::string& text, std::uint32_t seed, unsigned percent) {
    std::mt19937 random(seed);
    std::size_t count = 0;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find('\n', at);
        std::string line = text.substr(at, end - at);
        at = end + 1;
        std::string indent(line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' '),
                           ' ');
        auto draws = [&] { return random() % 100 < percent; };
        if (random() % 5 == 0 && draws()) out += fmt::format("{}// c{}\n", indent, count++);
        if (random() % 9 == 0 && draws()) out += fmt::format("{}/* c{}\n */\n", indent, count++);
        out += indent;
        std::vector<std::string> tokens = tokens_of(line);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0) out += ' ';
            out += tokens[i];
            if (draws()) out += fmt::format(" /* c{} */", count++);
        }
        if (draws()) out += fmt::format(" // c{}", count++);
        out += '\n';
    }
    return out;
}

}  // namespace treaty::lang::testing
