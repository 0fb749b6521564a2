#include "random_script.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace treaty::csp {
namespace {

enum class Kind : std::uint8_t { integer, boolean, character, data, set, sequence, tuple, process, event };

struct Type {
    Kind kind;
    std::vector<Type> parts = {};
};

struct Variable {
    std::string name;
    Type type;
};

// A channel or constructor, with what it carries: a range of integers, Bool or the datatype.
struct Carrier {
    std::string name;
    std::vector<Kind> fields;
};

struct Function {
    std::string name;
    std::vector<Type> parameters;
    Type result;
    bool annotated;
};

bool same(const Type& a, const Type& b) {
    if (a.kind != b.kind || a.parts.size() != b.parts.size()) return false;
    for (std::size_t i = 0; i < a.parts.size(); ++i)
        if (!same(a.parts[i], b.parts[i])) return false;
    return true;
}

std::string written(const Type& type) {
    switch (type.kind) {
        case Kind::integer: return "Int";
        case Kind::boolean: return "Bool";
        case Kind::character: return "Char";
        case Kind::data: return "D";
        case Kind::process: return "Proc";
        case Kind::event: return "Event";
        case Kind::set: return fmt::format("{{{}}}", written(type.parts[0]));
        case Kind::sequence: return fmt::format("<{}>", written(type.parts[0]));
        case Kind::tuple: return fmt::format("({}, {})", written(type.parts[0]), written(type.parts[1]));
    }
    return {};
}

class Writer {
public:
    Writer(std::uint64_t seed, std::uint64_t wrong_at) : random_(seed), wrong_at_(wrong_at) {}

    // The declarations come in any order: those that are used may come later.
    RandomScript run() {
        std::vector<std::string> blocks;
        auto finish = [&] { blocks.push_back(std::exchange(text_, {})); };
        declare();
        finish();
        std::size_t functions = 1 + below(4), processes = 1 + below(3);
        for (std::size_t i = 0; i < functions; ++i, finish()) function(i);
        for (std::size_t i = 0; i < processes; ++i) declare_process(i);
        for (std::size_t i = 0; i < processes; ++i, finish()) define_process(i);
        for (std::size_t i = 0; i < 2; ++i, finish()) {
            Type type = value_type(2);
            text_ += fmt::format("v{} :: {}\nv{} = {}\n", i, written(type), i, expression(type, 3, true));
            text_ += fmt::format("assert STOP [T= if null(show(v{})) then SKIP else STOP\n", i);
        }
        for (std::size_t i = 0; i < processes; ++i)
            text_ += fmt::format("assert {} :[divergence free]\n", call(processes_[i], 2));
        finish();
        std::shuffle(blocks.begin(), blocks.end(), random_);
        return {fmt::format("{}", fmt::join(blocks, "")), forced_};
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    bool chance(std::uint64_t percent) { return below(100) < percent; }
    std::string fresh() { return fmt::format("x{}", names_++); }

    Kind field_kind() {
        static constexpr Kind kinds[] = {Kind::integer, Kind::boolean, Kind::data};
        return kinds[below(3)];
    }
    static std::string_view field_type(Kind kind) {
        return kind == Kind::integer ? "{0..2}" : kind == Kind::boolean ? "Bool" : "D";
    }
    Type value_type(int depth) {
        std::uint64_t which = below(depth > 0 ? 9 : 5);
        switch (which) {
            case 0:
            case 1: return {Kind::integer};
            case 2: return {Kind::boolean};
            case 3: return {Kind::character};
            case 4: return {Kind::data};
            case 5:
            case 6: return {Kind::sequence, {value_type(depth - 1)}};
            case 7: return {Kind::set, {value_type(depth - 1)}};
            default: return {Kind::tuple, {value_type(depth - 1), value_type(depth - 1)}};
        }
    }

    void declare() {
        text_ += "datatype D = K0 | K1.{0..2} | K2.Bool.{0..2}\n";
        constructors_ = {{"K0", {}}, {"K1", {Kind::integer}}, {"K2", {Kind::boolean, Kind::integer}}};
        std::size_t channels = 2 + below(3);
        for (std::size_t i = 0; i < channels; ++i) {
            Carrier c{fmt::format("c{}", i), {}};
            for (std::uint64_t k = below(4); k > 0; --k) c.fields.push_back(field_kind());
            std::string type;
            for (Kind kind : c.fields) type += fmt::format("{}{}", type.empty() ? "" : ".", field_type(kind));
            text_ += fmt::format("channel {}{}{}\n", c.name, type.empty() ? "" : " : ", type);
            channels_.push_back(std::move(c));
        }
        text_ +=
            "id(x) = x\nconst(x, y) = x\nswap((x, y)) = (y, x)\n"
            "map(f, <>) = <>\nmap(f, <x>^xs) = <f(x)> ^ map(f, xs)\n"
            "filter(p, s) = <x | x <- s, p(x)>\n"
            "fold(f, e, <>) = e\nfold(f, e, <x>^xs) = f(x, fold(f, e, xs))\n"
            "apply(f)(x) = f(x)\nout(d, x, P) = d!x -> P\nafter(e, P) = e -> P\nall(d) = {| d |}\n";
    }

    // A function by clauses on its first parameter; its body knows the functions before it.
    void function(std::size_t index) {
        Function f{fmt::format("f{}", index), {}, value_type(2), chance(60)};
        for (std::uint64_t k = 1 + below(2); k > 0; --k) f.parameters.push_back(value_type(1));
        if (f.annotated) {
            std::string parameters;
            for (const Type& type : f.parameters)
                parameters += fmt::format("{}{}", parameters.empty() ? "" : ", ", written(type));
            text_ += fmt::format("{} :: ({}) -> {}\n", f.name, parameters, written(f.result));
        }
        clauses(f, 3);
        functions_.push_back(std::move(f));
    }

    void clauses(const Function& f, int depth) {
        std::size_t count = 1 + below(2);
        for (std::size_t i = 0; i <= count; ++i) {
            std::size_t scope = variables_.size();
            std::string parameters;
            for (const Type& type : f.parameters)
                parameters += fmt::format("{}{}", parameters.empty() ? "" : ", ",
                                          i == count ? bind(type) : pattern(type, 2));
            std::string body = expression(f.result, depth, f.annotated);
            text_ += fmt::format("{}({}) = {}\n", f.name, parameters, body);
            variables_.resize(scope);
        }
    }

    std::string bind(const Type& type) {
        variables_.push_back({fresh(), type});
        return variables_.back().name;
    }

    std::string pattern(const Type& type, int depth) {
        if (depth == 0 || chance(40)) return chance(20) ? "_" : bind(type);
        switch (type.kind) {
            case Kind::integer: return std::to_string(below(3));
            case Kind::boolean: return chance(50) ? "true" : "false";
            case Kind::character: return "'a'";
            case Kind::data: return dotted_pattern(constructors_[below(3)]);
            case Kind::set:
                return chance(50) ? "{}" : fmt::format("{{{}}}", pattern(type.parts[0], depth - 1));
            case Kind::sequence:
                if (chance(40)) return "<>";
                return fmt::format("<{}>^{}", pattern(type.parts[0], depth - 1), pattern(type, 0));
            case Kind::tuple:
                return fmt::format("({}, {})", pattern(type.parts[0], depth - 1),
                                   pattern(type.parts[1], depth - 1));
            case Kind::process:
            case Kind::event: break;
        }
        return bind(type);
    }

    // A name for each field.
    std::string dotted_pattern(const Carrier& c) {
        std::string text = c.name;
        for (Kind kind : c.fields) text += '.' + bind({kind});
        return text;
    }

    // An expression of this type. `forced`: see the header.
    std::string expression(const Type& type, int depth, bool forced) {
        return expression(type, depth, forced, forced);
    }
    // A set or sequence of whatever it has.
    std::string container(const Type& type, int depth) { return expression(type, depth, true, false); }
    std::string expression(const Type& type, int depth, bool forced, bool parts_forced) {
        bool wrong = forced && forced_++ == wrong_at_;
        std::string made = any(type, depth, parts_forced);
        if (!wrong) return made;
        static const std::pair<Kind, const char*> others[] = {
            {Kind::integer, "7"},       {Kind::boolean, "true"},   {Kind::character, "'z'"},
            {Kind::data, "K0"},         {Kind::process, "STOP"},   {Kind::set, "{1, 2}"},
            {Kind::sequence, "<true>"}, {Kind::tuple, "(1, true)"}};
        for (std::size_t i = wrong_at_;; ++i)
            if (others[i % 8].first != type.kind) return others[i % 8].second;
    }

    std::string any(const Type& type, int depth, bool forced) {
        if (type.kind == Kind::process) return process(depth);
        if (type.kind == Kind::event) return event(depth);
        if (chance(30))
            for (std::size_t i = variables_.size(); i-- > 0;)
                if (same(variables_[i].type, type) && chance(60)) return variables_[i].name;
        if (depth <= 0) return literal(type);
        if (chance(25)) return generic(type, depth, forced);
        if (chance(20))
            for (const Function& f : functions_)
                if (same(f.result, type) && chance(70)) return call(f, depth);
        if (chance(15))
            return fmt::format("(if {} then {} else {})", expression({Kind::boolean}, depth - 1, true),
                               expression(type, depth - 1, forced), expression(type, depth - 1, forced));
        return built(type, depth, forced);
    }

    std::string literal(const Type& type) {
        switch (type.kind) {
            case Kind::integer: return std::to_string(below(5));
            case Kind::boolean: return chance(50) ? "true" : "false";
            case Kind::character: return chance(50) ? "'a'" : "'b'";
            case Kind::data: return chance(50) ? "K0" : fmt::format("(K1.{})", below(3));
            case Kind::set: return fmt::format("{{{}}}", literal(type.parts[0]));
            case Kind::sequence: return fmt::format("<{}>", literal(type.parts[0]));
            case Kind::tuple: return fmt::format("({}, {})", literal(type.parts[0]), literal(type.parts[1]));
            case Kind::process:
            case Kind::event: break;
        }
        return "STOP";
    }

    std::string call(const Function& f, int depth) {
        std::string text = f.name;
        for (std::size_t i = 0; i < f.parameters.size(); ++i)
            text += (i == 0 ? "(" : ", ") + expression(f.parameters[i], depth - 1, f.annotated);
        return f.parameters.empty() ? text : text + ")";
    }

    std::string lambda(const Type& parameter, const Type& result, int depth, bool forced) {
        std::size_t scope = variables_.size();
        std::string name = bind(parameter);
        std::string body = expression(result, depth, forced);
        variables_.resize(scope);
        return fmt::format("(\\ {} @ {})", name, body);
    }

    // Through a function of any type.
    std::string generic(const Type& type, int depth, bool forced) {
        Type other = value_type(1);
        switch (below(6)) {
            case 0: return fmt::format("id({})", expression(type, depth - 1, forced));
            case 1:
                return fmt::format("const({}, {})", expression(type, depth - 1, forced),
                                   expression(other, depth - 2, false));
            case 2: {
                std::string value = expression(other, depth - 2, false);
                return fmt::format("apply({})({})", lambda(other, type, depth - 1, forced), value);
            }
            case 3: {
                std::size_t scope = variables_.size();
                std::string value = expression(other, depth - 2, false);
                std::string name = bind(other);
                std::string body = expression(type, depth - 1, forced);
                variables_.resize(scope);
                return fmt::format("(let {} = {} within {})", name, value, body);
            }
            case 4:
                return fmt::format("head(<{}> ^ {})", expression(type, depth - 1, forced),
                                   expression({Kind::sequence, {type}}, depth - 2, false));
            default: {
                std::string pair = expression({Kind::tuple, {other, type}}, depth - 2, false);
                std::size_t scope = variables_.size();
                std::string name = bind(type);
                variables_.resize(scope);
                return fmt::format("(\\ ({}, _) @ {})(swap({}))", name, name, pair);
            }
        }
    }

    // By an operator or a constructor of the type.
    std::string built(const Type& type, int depth, bool forced) {
        switch (type.kind) {
            case Kind::integer: return number(depth);
            case Kind::boolean: return condition(depth);
            case Kind::data: return carried(constructors_[below(3)], depth);
            case Kind::set: return set(type, depth, forced);
            case Kind::sequence: return sequence(type, depth, forced);
            case Kind::tuple:
                return fmt::format("({}, {})", expression(type.parts[0], depth - 1, forced),
                                   expression(type.parts[1], depth - 1, forced));
            default: return literal(type);
        }
    }

    std::string number(int depth) {
        Type integer{Kind::integer}, other = value_type(1);
        auto part = [&] { return expression(integer, depth - 1, true); };
        switch (below(6)) {
            case 0: return fmt::format("({} + {})", part(), part());
            case 1: return fmt::format("({} - {})", part(), part());
            case 2: return fmt::format("({} % 3)", part());
            case 3: return fmt::format("#({})", container({Kind::sequence, {other}}, depth - 1));
            case 4: return fmt::format("card({})", container({Kind::set, {other}}, depth - 1));
            default: return fmt::format("(-{})", part());
        }
    }

    std::string condition(int depth) {
        Type boolean{Kind::boolean}, other = value_type(1);
        auto part = [&] { return expression(boolean, depth - 1, true); };
        auto value = [&](Type type) { return expression(type, depth - 1, false); };
        switch (below(6)) {
            case 0: return fmt::format("({} and {})", part(), part());
            case 1: return fmt::format("({} or not {})", part(), part());
            case 2: return fmt::format("(({}) == ({}))", value(other), value(other));
            case 3:
                return fmt::format("({} < {})", expression({Kind::integer}, depth - 1, false),
                                   expression({Kind::integer}, depth - 1, false));
            case 4:
                return fmt::format("member({}, {})", value(other),
                                   container({Kind::set, {other}}, depth - 1));
            default: return fmt::format("null({})", container({Kind::sequence, {other}}, depth - 1));
        }
    }

    std::string set(const Type& type, int depth, bool forced) {
        Type element = type.parts[0], other = value_type(0);
        switch (below(4)) {
            case 0:
                return fmt::format("{{{}, {}}}", expression(element, depth - 1, forced),
                                   expression(element, depth - 1, forced));
            case 1:
                return fmt::format("union({}, {})", expression(type, depth - 1, true, forced),
                                   expression(type, depth - 1, true, forced));
            case 2:
                return fmt::format("set({})",
                                   expression({Kind::sequence, {element}}, depth - 1, true, forced));
            default: return comprehension("{}", other, element, {Kind::set, {other}}, depth, forced);
        }
    }

    std::string sequence(const Type& type, int depth, bool forced) {
        Type element = type.parts[0], other = value_type(0);
        switch (below(6)) {
            case 0: return "<>";
            case 1:
                return fmt::format("<{}, {}>", expression(element, depth - 1, forced),
                                   expression(element, depth - 1, forced));
            case 2:
                return fmt::format("({} ^ {})", expression(type, depth - 1, true, forced),
                                   expression(type, depth - 1, true, forced));
            case 3: {
                std::string from = expression({Kind::sequence, {other}}, depth - 2, false);
                return fmt::format("map({}, {})", lambda(other, element, depth - 1, forced), from);
            }
            case 4: {
                std::string from = expression(type, depth - 1, false);
                return fmt::format("filter({}, {})", lambda(element, {Kind::boolean}, depth - 1, true), from);
            }
            default: return comprehension("<>", other, element, {Kind::sequence, {other}}, depth, forced);
        }
    }

    std::string comprehension(const char* brackets, const Type& from, const Type& to, const Type& from_type,
                              int depth, bool forced) {
        std::size_t scope = variables_.size();
        std::string source = container(from_type, depth - 2);
        std::string name = bind(from);
        std::string test = expression({Kind::boolean}, depth - 2, true);
        std::string value = expression(to, depth - 1, forced);
        variables_.resize(scope);
        return fmt::format("{}({}) | {} <- {}, {}{}", brackets[0], value, name, source, test, brackets[1]);
    }

    // A value of a field; of integers one in its range.
    std::string field(Kind kind, int depth) {
        std::string value = expression({kind}, depth - 1, true);
        return kind == Kind::integer ? fmt::format("(({}) % 3)", value) : fmt::format("({})", value);
    }
    std::string carried(const Carrier& c, int depth) {
        std::string text = c.name;
        for (Kind kind : c.fields) text += '.' + field(kind, depth);
        return fmt::format("({})", text);
    }
    const Carrier& channel() { return channels_[below(channels_.size())]; }
    std::string event(int depth) { return carried(channel(), depth); }

    std::string events(int depth) {
        std::uint64_t form = below(3);
        if (form == 0) return fmt::format("{{{}}}", event(depth - 1));
        const Carrier& c = channel();
        std::string begun = c.name;
        for (std::uint64_t k = below(c.fields.size() + 1), i = 0; i < k; ++i)
            begun += '.' + field(c.fields[i], depth - 1);
        return form == 1 ? fmt::format("{{| {} |}}", begun) : fmt::format("all({})", begun);
    }

    void declare_process(std::size_t index) {
        Function p{fmt::format("P{}", index), {}, {Kind::process}, false};
        for (std::uint64_t k = below(3); k > 0; --k) p.parameters.push_back(value_type(0));
        processes_.push_back(std::move(p));
    }

    void define_process(std::size_t index) {
        const Function p = processes_[index];
        std::size_t scope = variables_.size();
        std::string parameters;
        for (const Type& type : p.parameters)
            parameters += fmt::format("{}{}", parameters.empty() ? "(" : ", ", bind(type));
        if (!parameters.empty()) parameters += ')';
        std::string body = expression({Kind::process}, 4, false);
        text_ += fmt::format("{}{} = {}\n", p.name, parameters, body);
        variables_.resize(scope);
    }

    std::string part(int depth) { return expression({Kind::process}, depth - 1, true); }

    std::string process(int depth) {
        if (depth <= 0) return chance(50) ? "STOP" : "SKIP";
        switch (below(14)) {
            case 0: return fmt::format("({} [] {})", part(depth), part(depth));
            case 1: return fmt::format("({} |~| {})", part(depth), part(depth));
            case 2: return fmt::format("({} ; {})", part(depth), part(depth));
            case 3: return fmt::format("({} [| {} |] {})", part(depth), events(depth), part(depth));
            case 4: return fmt::format("({} \\ {})", part(depth), events(depth));
            case 5:
                return fmt::format("({} & {})", expression({Kind::boolean}, depth - 1, true), part(depth));
            case 6: {
                const Carrier& c = channel();
                return fmt::format("({} [[ {} <- {} ]])", part(depth), c.name, c.name);
            }
            case 7: return replicated(depth);
            case 8: return through(depth);
            case 9:
                return fmt::format("(if {} then {} else {})", expression({Kind::boolean}, depth - 1, true),
                                   part(depth), part(depth));
            default: return prefix(depth);
        }
    }

    std::string replicated(int depth) {
        std::size_t scope = variables_.size();
        static constexpr const char* operators[] = {"[]", "|||", "|~|"};
        const char* op = operators[below(3)];
        std::string text;
        if (chance(50)) {
            const Carrier& c = channel();
            std::string pattern = dotted_pattern(c);
            text = fmt::format("{} : {{| {} |}} @ {}", pattern, c.name, part(depth));
        } else {
            Type type = value_type(0);
            std::string first = literal(type), second = expression(type, 1, false);
            std::string name = bind(type);
            text = fmt::format("{} : {{{}, {}}} @ {}", name, first, second, part(depth));
        }
        variables_.resize(scope);
        return fmt::format("({} {})", op, text);
    }

    // Channels and events as arguments.
    std::string through(int depth) {
        const Carrier& c = channel();
        if (c.fields.empty() || chance(40))
            return fmt::format("after({}, {})", expression({Kind::event}, depth - 1, true), part(depth));
        std::string begun = c.name;
        for (std::size_t i = 0; i + 1 < c.fields.size(); ++i) begun += '.' + field(c.fields[i], depth - 1);
        std::string last = field(c.fields.back(), depth - 1);
        return fmt::format("out({}, {}, {})", begun, last, part(depth));
    }

    std::string prefix(int depth) {
        const Carrier& c = channel();
        std::size_t scope = variables_.size();
        std::string text = c.name;
        bool inputs = false;
        for (Kind kind : c.fields) {
            switch (below(inputs ? 3 : 4)) {
                case 0: text += '!' + field(kind, depth); break;
                case 1:
                case 2:
                    inputs = true;
                    text += '?' + (chance(80) ? bind({kind}) : "_");
                    if (kind == Kind::integer && chance(30)) text += ":{0, 1}";
                    break;
                default: text += '$' + bind({kind}); break;
            }
        }
        std::string next = chance(40) ? call(processes_[below(processes_.size())], 1) : part(depth);
        variables_.resize(scope);
        return fmt::format("({} -> {})", text, next);
    }

    std::mt19937_64 random_;
    std::uint64_t wrong_at_;
    std::uint64_t forced_ = 0;
    int names_ = 0;
    std::string text_;
    std::vector<Carrier> constructors_, channels_;
    std::vector<Function> functions_, processes_;
    std::vector<Variable> variables_;
};

}  // namespace

RandomScript random_script(std::uint64_t seed, std::uint64_t wrong_at) {
    return Writer(seed, wrong_at).run();
}

}  // namespace treaty::csp
