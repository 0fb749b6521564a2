#include <algorithm>

#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/evaluator.h"

namespace treaty::csp {
namespace {

constexpr std::uint64_t busy_global = std::uint64_t(1) << 40;
constexpr std::uint64_t busy_local = std::uint64_t(2) << 40;

std::string_view kind_name(Kind kind) {
    switch (kind) {
        case Kind::integer: return "a number";
        case Kind::boolean: return "a truth value";
        case Kind::character: return "a character";
        case Kind::atom:
        case Kind::dot: return "an event or a value of a datatype";
        case Kind::tuple: return "a tuple";
        case Kind::sequence: return "a sequence";
        case Kind::set:
        case Kind::integers:
        case Kind::sequences: return "a set";
        case Kind::function:
        case Kind::partial:
        case Kind::lambda:
        case Kind::builtin: return "a function";
        case Kind::local:
        case Kind::process: return "a process";
    }
    return {};
}

}  // namespace

Evaluator::Evaluator(const Syntax& syntax, const Scopes& scopes, base::Diagnostics& diagnostics)
    : syntax_(syntax),
      scopes_(scopes),
      diagnostics_(&diagnostics),
      globals_(syntax.global.definitions.size()) {
    auto add_atom = [&](base::NameId name, base::Span span, AstId type, bool channel) {
        atom_ids_.try_emplace(name, static_cast<std::uint32_t>(atoms_.size()));
        atoms_.push_back({name, span, type, channel, false, false, {}});
    };
    for (const ChannelDeclaration& c : syntax.channels) add_atom(c.name, c.span, c.type, true);
    for (const DatatypeDeclaration& d : syntax.datatypes)
        if (!d.subtype)
            for (const Constructor& c : d.constructors) add_atom(c.name, c.span, c.type, false);
    for (const Definition& d : syntax.global.definitions) functions_.push_back({&d, -1});
}

void Evaluator::fail(const base::Code& code, base::Span span, std::string message) {
    diagnostics_->report(code, span, std::move(message));
    throw Fault{};
}

void Evaluator::count_step() {
    if ((++steps_ & 4095) != 0) return;
    if (base::StopReason why = deadline_.reason(); why != base::StopReason::none) throw Limit{why, {}};
    if (values_.bytes() > (std::size_t(4) << 30)) throw Limit{base::StopReason::memory, {}};
}

void Evaluator::expect_kind(ValueId value, Kind kind, base::Span span) {
    Kind found = values_.kind(value);
    if (found == kind || (kind == Kind::set && values_.infinite(value))) return;
    fail(codes::wrong_kind, span,
         fmt::format("expected {}, but {} is {}", kind_name(kind), is_process(value) ? "this" : print(value),
                     kind_name(found)));
}

std::vector<ValueId> Evaluator::captured(AstId id, const Environment& env) const {
    std::vector<ValueId> found;
    for (base::NameId name : scopes_.used(id)) {
        auto at = std::find_if(env.rbegin(), env.rend(), [&](const auto& e) { return e.first == name; });
        found.push_back(at->second);
    }
    return found;
}

Environment Evaluator::restored(AstId id, std::span<const ValueId> parts) const {
    Environment env;
    const auto& names = scopes_.used(id);
    for (std::size_t i = 0; i < names.size(); ++i) env.emplace_back(names[i], parts[i]);
    return env;
}

ValueId Evaluator::evaluate(AstId id, Environment& env) {
    count_step();
    struct Depth {
        int& depth;
        explicit Depth(int& d) : depth(d) { ++depth; }
        ~Depth() { --depth; }
    } depth(calls_);
    const AstNode& node = syntax_[id];
    if (deep()) fail(codes::too_large, node.span, "this is nested too deeply to be evaluated");
    switch (node.kind) {
        case Ast::integer: return values_.integer(node.number);
        case Ast::boolean: return values_.boolean(node.number != 0);
        case Ast::character: return values_.make(Kind::character, node.number);
        case Ast::name: return name(node, env);
        case Ast::tuple: return values_.make(Kind::tuple, 0, elements(node, node.kids.size(), env));
        case Ast::sequence: return values_.make(Kind::sequence, 0, elements(node, node.kids.size(), env));
        case Ast::set: return values_.set(elements(node, node.kids.size(), env));
        case Ast::dot: return check_dot(values_.dot(elements(node, node.kids.size(), env)), node.span);
        case Ast::sequence_range:
        case Ast::set_range: return range(node, env);
        case Ast::sequence_of:
        case Ast::set_of:
        case Ast::events_of: return comprehension(node, env);
        case Ast::apply: return apply(node, env);
        case Ast::negate:
            return arithmetic(Op::subtract, values_.integer(0), evaluate(node.kids[0], env), node.span);
        case Ast::logical_not: {
            ValueId of = evaluate(node.kids[0], env);
            expect_kind(of, Kind::boolean, node.span);
            return values_.boolean(values_.number(of) == 0);
        }
        case Ast::length: {
            ValueId of = evaluate(node.kids[0], env);
            expect_kind(of, Kind::sequence, node.span);
            return values_.integer(static_cast<std::int64_t>(values_.parts(of).size()));
        }
        case Ast::binary: return binary(node, env);
        case Ast::choose: return choose(node, env);
        case Ast::let: return let(id, node, env);
        case Ast::lambda: return values_.make(Kind::lambda, id.index, captured(id, env));
        case Ast::field_values: return field_values(node, env);
        case Ast::wildcard:
        case Ast::both: fail(codes::wrong_kind, node.span, "this is a pattern, not a value");
        default: return process(id, node, env);
    }
}

std::vector<ValueId> Evaluator::elements(const AstNode& node, std::size_t count, Environment& env) {
    std::vector<ValueId> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back(evaluate(node.kids[i], env));
    return found;
}

ValueId Evaluator::name(const AstNode& node, Environment& env) {
    for (auto at = env.rbegin(); at != env.rend(); ++at)
        if (at->first == node.name)
            return values_.kind(at->second) == Kind::local ? local_value(at->second) : at->second;
    const Global* global = scopes_.global(node.name);
    if (!global)
        fail(codes::unknown_name, node.span,
             fmt::format("{} is not declared", syntax_.names.text(node.name)));
    switch (global->meaning) {
        case Meaning::channel:
        case Meaning::constructor: return values_.make(Kind::atom, atom_ids_.at(node.name));
        case Meaning::datatype: return datatype_set(global->index, node.span);
        case Meaning::type: return type_set(syntax_.types[global->index].type);
        case Meaning::definition: return global_value(global->index);
        case Meaning::transparent: return values_.make(Kind::builtin, -1);
        case Meaning::builtin: break;
    }
    std::string_view text = builtin_names()[global->index];
    if (text == "STOP") return term(Term::stop, {});
    if (text == "SKIP") return term(Term::skip, {});
    if (text == "DIV") return term(Term::diverge, {});
    if (text == "Events") return all_events(node.span);
    if (text == "Int") return values_.make(Kind::integers, 0);
    if (text == "Bool") return values_.set({values_.boolean(false), values_.boolean(true)});
    return values_.make(Kind::builtin, global->index);
}

ValueId Evaluator::global_value(std::uint32_t index) {
    if (globals_[index]) return globals_[index];
    const Definition& d = syntax_.global.definitions[index];
    if (!d.clauses.front().parameters.empty()) return globals_[index] = values_.make(Kind::function, index);
    if (!busy_.insert(busy_global + index).second)
        fail(codes::unguarded, d.span, fmt::format("{} is defined by itself", syntax_.names.text(d.name)));
    Environment none;
    ValueId value = evaluate(d.clauses.front().body, none);
    busy_.erase(busy_global + index);
    return globals_[index] = value;
}

Environment Evaluator::let_environment(std::int64_t let, std::span<const ValueId> kept) {
    const Declarations& declarations = syntax_.lets[static_cast<std::size_t>(let)];
    std::uint32_t first = let_functions_[static_cast<std::size_t>(let)];
    Environment env = restored(scopes_.let_node(let), kept);
    for (std::size_t i = 0; i < declarations.definitions.size(); ++i) {
        const Definition& d = declarations.definitions[i];
        Kind kind = d.clauses.front().parameters.empty() ? Kind::local : Kind::function;
        env.emplace_back(d.name, values_.make(kind, static_cast<std::int64_t>(first + i), kept));
    }
    return env;
}

// A name of a let is remembered with what the whole let has captured, so recursion needs no cycle of values.
ValueId Evaluator::let(AstId id, const AstNode& node, Environment& env) {
    const Declarations& declarations = syntax_.lets[static_cast<std::size_t>(node.number)];
    let_functions_.resize(std::max(let_functions_.size(), syntax_.lets.size()), UINT32_MAX);
    std::uint32_t& first = let_functions_[static_cast<std::size_t>(node.number)];
    if (first == UINT32_MAX) {
        first = static_cast<std::uint32_t>(functions_.size());
        for (const Definition& d : declarations.definitions) functions_.push_back({&d, node.number});
    }
    Environment inner = let_environment(node.number, captured(id, env));
    return evaluate(node.kids[0], inner);
}

ValueId Evaluator::local_value(ValueId local) {
    if (auto known = locals_.find(local); known != locals_.end()) return known->second;
    const Function f = functions_[static_cast<std::size_t>(values_.number(local))];
    if (!busy_.insert(busy_local + local.index).second)
        fail(codes::unguarded, f.definition->span,
             fmt::format("{} is defined by itself", syntax_.names.text(f.definition->name)));
    std::vector<ValueId> none;
    ValueId value =
        call_clauses(*f.definition, let_environment(f.let, values_.parts(local)), none, f.definition->span);
    busy_.erase(busy_local + local.index);
    locals_.emplace(local, value);
    return value;
}

ValueId Evaluator::choose(const AstNode& node, Environment& env) {
    ValueId condition = evaluate(node.kids[0], env);
    expect_kind(condition, Kind::boolean, syntax_[node.kids[0]].span);
    return evaluate(node.kids[values_.number(condition) != 0 ? 1 : 2], env);
}

ValueId Evaluator::apply(const AstNode& node, Environment& env) {
    ValueId function = evaluate(node.kids[0], env);
    std::vector<ValueId> arguments;
    for (std::size_t i = 1; i < node.kids.size(); ++i) arguments.push_back(evaluate(node.kids[i], env));
    return call(function, std::move(arguments), node.span);
}

ValueId Evaluator::call(ValueId function, std::vector<ValueId> arguments, base::Span span) {
    switch (values_.kind(function)) {
        case Kind::builtin: return builtin(values_.number(function), arguments, span);
        case Kind::lambda: {
            AstId id(static_cast<std::size_t>(values_.number(function)));
            const AstNode& node = syntax_[id];
            Environment env = restored(id, values_.parts(function));
            if (arguments.size() + 1 != node.kids.size())
                fail(codes::no_clause, span,
                     fmt::format("this function takes {} arguments, not {}", node.kids.size() - 1,
                                 arguments.size()));
            for (std::size_t i = 0; i < arguments.size(); ++i)
                if (!match(node.kids[i], arguments[i], env))
                    fail(codes::no_clause, span,
                         fmt::format("{} does not fit the pattern", print(arguments[i])));
            return evaluate(node.kids.back(), env);
        }
        case Kind::partial: {
            auto given = values_.parts(function);
            arguments.insert(arguments.begin(), given.begin() + 1, given.end());
            return call_groups(given[0], static_cast<std::size_t>(values_.number(function)) + 1,
                               std::move(arguments), span);
        }
        case Kind::function: return call_groups(function, 1, std::move(arguments), span);
        default: expect_kind(function, Kind::function, span); throw Fault{};
    }
}

// A function with several groups of parameters, f(x)(y), waits until all are given.
ValueId Evaluator::call_groups(ValueId function, std::size_t groups, std::vector<ValueId> arguments,
                               base::Span span) {
    const Function f = functions_[static_cast<std::size_t>(values_.number(function))];
    if (groups < f.definition->clauses.front().parameters.size()) {
        arguments.insert(arguments.begin(), function);
        return values_.make(Kind::partial, static_cast<std::int64_t>(groups), arguments);
    }
    Environment env;
    if (f.let >= 0) env = let_environment(f.let, values_.parts(function));
    return call_clauses(*f.definition, env, arguments, span);
}

ValueId Evaluator::call_clauses(const Definition& d, const Environment& outer,
                                std::vector<ValueId>& arguments, base::Span span) {
    for (const Clause& clause : d.clauses) {
        Environment env = outer;
        if (call_clause(clause, env, arguments)) return evaluate(clause.body, env);
    }
    std::string shown;
    for (ValueId a : arguments) shown += fmt::format("{}{}", shown.empty() ? "" : ", ", print(a));
    fail(codes::no_clause, span, fmt::format("{} has no clause for ({})", syntax_.names.text(d.name), shown));
}

// Whether the arguments, of all groups in a row, fit the clause's patterns.
bool Evaluator::call_clause(const Clause& clause, Environment& env, std::span<const ValueId> arguments) {
    std::size_t at = 0;
    for (const auto& group : clause.parameters)
        for (AstId pattern : group)
            if (at == arguments.size() || !match(pattern, arguments[at++], env)) return false;
    return at == arguments.size();
}

void Evaluator::qualified(std::span<const AstId> qualifiers, Environment& env, const std::function<void()>& f,
                          Order order) {
    if (qualifiers.empty()) return f();
    const AstNode& node = syntax_[qualifiers[0]];
    if (node.kind != Ast::generator) {
        ValueId condition = evaluate(qualifiers[0], env);
        expect_kind(condition, Kind::boolean, node.span);
        if (values_.number(condition) != 0) qualified(qualifiers.subspan(1), env, f, order);
        return;
    }
    ValueId from = evaluate(node.kids[1], env);
    if (values_.infinite(from))
        fail(codes::too_large, node.span, fmt::format("{} has infinitely many elements", print(from)));
    if (values_.kind(from) != Kind::sequence) expect_kind(from, Kind::set, node.span);
    if (order == Order::matters && values_.kind(from) == Kind::set && values_.parts(from).size() > 1)
        fail(codes::wrong_kind, node.span,
             fmt::format("the order matters here, and {} is a set: write a sequence, as in <0..1>",
                         print(from)));
    for (ValueId element : values_.parts(from)) {
        count_step();
        std::size_t before = env.size();
        if (match(node.kids[0], element, env)) qualified(qualifiers.subspan(1), env, f, order);
        env.resize(before);
    }
}

ValueId Evaluator::comprehension(const AstNode& node, Environment& env) {
    bool productions = node.kind == Ast::events_of;
    auto heads = static_cast<std::size_t>(node.number);
    std::vector<ValueId> found;
    qualified(std::span(node.kids).subspan(heads), env, [&] {
        for (std::size_t i = 0; i < heads; ++i) {
            ValueId value = evaluate(node.kids[i], env);
            if (!productions) {
                found.push_back(value);
            } else {
                std::vector<ValueId> all = extensions(value, syntax_[node.kids[i]].span);
                found.insert(found.end(), all.begin(), all.end());
            }
            if (found.size() > max_elements)
                fail(codes::too_large, node.span, "more than a million elements");
        }
    });
    return node.kind == Ast::sequence_of ? values_.make(Kind::sequence, 0, found)
                                         : values_.set(std::move(found));
}

ValueId Evaluator::range(const AstNode& node, Environment& env) {
    ValueId from = evaluate(node.kids[0], env);
    expect_kind(from, Kind::integer, node.span);
    if (node.kids.size() < 2) fail(codes::too_large, node.span, "this has infinitely many elements");
    ValueId to = evaluate(node.kids[1], env);
    expect_kind(to, Kind::integer, node.span);
    std::int64_t first = values_.number(from), last = values_.number(to);
    if (first <= last && static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >= max_elements)
        fail(codes::too_large, node.span, "more than a million elements");
    std::vector<ValueId> found;
    std::int64_t count = first <= last ? last - first + 1 : 0;
    for (std::int64_t i = 0; i < count; ++i) found.push_back(values_.integer(first + i));
    return node.kind == Ast::sequence_range ? values_.make(Kind::sequence, 0, found)
                                            : values_.set(std::move(found));
}

}  // namespace treaty::csp
