// Process expressions to terms. Operands are kept for later, with just the parameters they use; head() looks
// at them when the process is about to move.

#include <algorithm>

#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/evaluator.h"

namespace treaty::csp {

ValueId Evaluator::term(Term op, std::span<const ValueId> parts, AstId node) {
    std::int64_t place = node ? std::int64_t(node.index) : 0;
    ValueId made = values_.make(Kind::process, std::int64_t(op) + place * 256, parts);
    if (values_.depth(made) > max_nesting)
        throw Limit{
            base::StopReason::states,
            fmt::format("the process grows without end (more than {} nested operators)", max_nesting)};
    return made;
}

base::Span Evaluator::span_of(ValueId process) const {
    Term which = op(process);
    bool placed = which == Term::later || which == Term::prefix;
    return placed ? syntax_[node(process)].span : base::Span{};
}

ValueId Evaluator::later(AstId id, const Environment& env) {
    return term(Term::later, captured(id, env), id);
}

ValueId Evaluator::event_set(AstId id, Environment& env) {
    ValueId set = evaluate(id, env);
    expect_kind(set, Kind::set, syntax_[id].span);
    for (ValueId event : values_.parts(set)) {
        Kind kind = values_.kind(event);
        if (kind != Kind::atom && kind != Kind::dot)
            fail(codes::wrong_kind, syntax_[id].span, fmt::format("{} is not an event", print(event)));
        // A bare channel with fields is a common slip for {| c |}.
        check_event(event, syntax_[id].span);
    }
    return set;
}

std::vector<ValueId> Evaluator::events_in(AstId set) {
    Environment none;
    ValueId events = event_set(set, none);
    if (values_.infinite(events))
        fail(codes::wrong_kind, syntax_[set].span,
             fmt::format("the elements of {} are not events", print(events)));
    auto all = values_.parts(events);
    return {all.begin(), all.end()};
}

ValueId Evaluator::process(AstId id, const AstNode& node, Environment& env) {
    auto two = [&](Term op) {
        ValueId parts[] = {later(node.kids[0], env), later(node.kids[1], env)};
        return term(op, parts);
    };
    auto around_set = [&](Term op) {
        ValueId parts[] = {later(node.kids[0], env), later(node.kids[2], env), event_set(node.kids[1], env)};
        return term(op, parts);
    };
    switch (node.kind) {
        case Ast::prefix: return term(Term::prefix, captured(id, env), id);
        case Ast::guard: {
            ValueId condition = evaluate(node.kids[0], env);
            expect_kind(condition, Kind::boolean, syntax_[node.kids[0]].span);
            return values_.number(condition) != 0 ? evaluate(node.kids[1], env) : term(Term::stop, {});
        }
        case Ast::external: return two(Term::external);
        case Ast::internal: return two(Term::internal);
        case Ast::sequential: return two(Term::sequential);
        case Ast::sliding: return two(Term::sliding);
        case Ast::interrupt: return two(Term::interrupt);
        case Ast::interleave: {
            ValueId parts[] = {later(node.kids[0], env), later(node.kids[1], env), values_.set({})};
            return term(Term::parallel, parts);
        }
        case Ast::parallel: return around_set(Term::parallel);
        case Ast::exception: return around_set(Term::exception);
        case Ast::linked: {
            ValueId parts[] = {later(node.kids[0], env), later(node.kids[2], env), links(node.kids[1], env)};
            return term(Term::linked, parts);
        }
        case Ast::alphabetised: {
            ValueId parts[] = {later(node.kids[0], env), later(node.kids[3], env),
                               event_set(node.kids[1], env), event_set(node.kids[2], env)};
            return term(Term::alphabetised, parts);
        }
        case Ast::hide: {
            ValueId parts[] = {later(node.kids[0], env), event_set(node.kids[1], env)};
            return term(Term::hide, parts);
        }
        case Ast::rename: return renaming(node, env);
        case Ast::replicated: return replicated(node, env);
        default: fail(codes::wrong_kind, node.span, "this has no value");
    }
}

// One pair of events, or one for every event of two channels, field by field.
void Evaluator::add_pairs(const AstNode& pair, Environment& env, std::vector<ValueId>& into) {
    ValueId from = evaluate(pair.kids[0], env), to = evaluate(pair.kids[1], env);
    std::size_t given = values_.kind(from) == Kind::dot ? values_.parts(from).size() : 1;
    for (ValueId event : extensions(from, pair.span)) {
        std::vector<ValueId> other{to};
        std::span<const ValueId> all;
        if (values_.kind(event) == Kind::dot) all = values_.parts(event).subspan(given);
        other.insert(other.end(), all.begin(), all.end());
        ValueId both[] = {event, check_event(values_.dot(other), pair.span)};
        into.push_back(values_.make(Kind::tuple, 0, both));
    }
    if (into.size() > max_elements) fail(codes::too_large, pair.span, "more than a million pairs of events");
}

// The relation as a set of pairs of events.
ValueId Evaluator::renaming(const AstNode& node, Environment& env) {
    auto pairs = static_cast<std::size_t>(node.number);
    std::vector<ValueId> relation;
    qualified(std::span(node.kids).subspan(1 + pairs), env, [&] {
        for (std::size_t i = 1; i <= pairs; ++i) add_pairs(syntax_[node.kids[i]], env, relation);
    });
    ValueId parts[] = {later(node.kids[0], env), values_.set(std::move(relation))};
    return term(Term::rename, parts);
}

// Pairs of events, one of each side, that happen together and unseen; a channel means all its events.
ValueId Evaluator::links(AstId id, Environment& env) {
    const AstNode& node = syntax_[id];
    auto pairs = static_cast<std::size_t>(node.number);
    std::vector<ValueId> relation;
    qualified(std::span(node.kids).subspan(pairs), env, [&] {
        for (std::size_t i = 0; i < pairs; ++i) add_pairs(syntax_[node.kids[i]], env, relation);
    });
    return values_.set(std::move(relation));
}

ValueId Evaluator::replicated(const AstNode& node, Environment& env) {
    auto count = static_cast<std::size_t>(node.number);
    std::span<const AstId> qualifiers = std::span(node.kids).first(count);
    AstId body = node.kids.back();
    std::vector<ValueId> operands, sets;
    Environment before;  // of the last operand
    bool ordered = node.op == Op::sequential || node.op == Op::linked;
    auto add = [&] {
        // The links of each element lie between its process and the next, so the last one's are not needed.
        if (node.op == Op::linked && !operands.empty()) sets.push_back(links(node.kids[count], before));
        if (node.op == Op::linked) before = env;
        operands.push_back(later(body, env));
        if (node.op == Op::alphabetised) sets.push_back(event_set(node.kids[count], env));
        if (operands.size() > max_elements)
            fail(codes::too_large, node.span, "more than a million processes");
    };
    qualified(qualifiers, env, add, ordered ? Order::matters : Order::any);
    switch (node.op) {
        case Op::external: return operands.empty() ? term(Term::stop, {}) : term(Term::external, operands);
        case Op::internal:
            if (operands.empty()) fail(codes::no_value, node.span, "an internal choice between no processes");
            return term(Term::internal, operands);
        case Op::interleave: {
            ValueId extra[] = {values_.set({})};
            return fold(Term::parallel, operands, extra, 0, operands.size());
        }
        case Op::parallel: {
            ValueId extra[] = {event_set(node.kids[count], env)};
            return fold(Term::parallel, operands, extra, 0, operands.size());
        }
        case Op::linked: {
            if (operands.empty()) fail(codes::no_value, node.span, "a chain of no processes");
            ValueId all = operands.back();
            for (std::size_t i = operands.size() - 1; i-- > 0;) {
                ValueId parts[] = {operands[i], all, sets[i]};
                all = term(Term::linked, parts);
            }
            return all;
        }
        case Op::alphabetised: {
            if (operands.empty()) return term(Term::skip, {});
            ValueId alphabet;
            return fold_alphabetised(operands, sets, 0, &alphabet);
        }
        default: {  // in sequence, from the back: the rest of each is only looked at when it is its turn
            ValueId all = operands.empty() ? term(Term::skip, {}) : operands.back();
            for (std::size_t i = operands.size(); i-- > 1;) {
                ValueId parts[] = {operands[i - 1], all};
                all = term(Term::sequential, parts);
            }
            return all;
        }
    }
}

// Halves, so that many operands do not nest deeply.
ValueId Evaluator::fold(Term op, std::vector<ValueId> operands, std::span<const ValueId> extra,
                        std::size_t begin, std::size_t end) {
    if (operands.empty()) return term(Term::skip, {});
    if (end - begin == 1) return operands[begin];
    std::size_t middle = begin + (end - begin) / 2;
    std::vector<ValueId> parts{fold(op, operands, extra, begin, middle),
                               fold(op, operands, extra, middle, end)};
    parts.insert(parts.end(), extra.begin(), extra.end());
    return term(op, parts);
}

ValueId Evaluator::fold_alphabetised(const std::vector<ValueId>& operands, const std::vector<ValueId>& sets,
                                     std::size_t begin, ValueId* alphabet) {
    *alphabet = sets[begin];
    if (begin + 1 == operands.size()) {
        // Alone it may still do only what is in its alphabet.
        ValueId parts[] = {operands[begin], term(Term::skip, {}), sets[begin], values_.set({})};
        return operands.size() == 1 ? term(Term::alphabetised, parts) : operands[begin];
    }
    ValueId others;
    ValueId rest = fold_alphabetised(operands, sets, begin + 1, &others);
    auto a = values_.parts(sets[begin]), b = values_.parts(others);
    std::vector<ValueId> all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    *alphabet = values_.set(std::move(all));
    ValueId parts[] = {operands[begin], rest, sets[begin], others};
    return term(Term::alphabetised, parts);
}

ValueId Evaluator::head(ValueId process) {
    if (!is_process(process)) expect_kind(process, Kind::process, {});
    if (auto known = heads_.find(process); known != heads_.end()) return known->second;
    Term which = op(process);
    std::size_t strict = 0;  // how many operands take part in the first step
    switch (which) {
        case Term::later: {
            base::Span span = syntax_[node(process)].span;
            if (!busy_.insert(process.index).second)
                fail(codes::unguarded, span, "this process needs itself for its first step");
            Environment env = restored(node(process), values_.parts(process));
            ValueId value = evaluate(node(process), env);
            expect_kind(value, Kind::process, span);
            ++calls_;
            if (deep()) fail(codes::too_large, span, "this is nested too deeply to be evaluated");
            ValueId result = head(value);
            --calls_;
            busy_.erase(process.index);
            heads_.emplace(process, result);
            return result;
        }
        case Term::external: strict = values_.parts(process).size(); break;
        case Term::interrupt:
        case Term::parallel:
        case Term::linked:
        case Term::alphabetised: strict = 2; break;
        case Term::sequential:
        case Term::sliding:
        case Term::exception:
        case Term::hide:
        case Term::rename: strict = 1; break;
        default: return process;
    }
    auto given = values_.parts(process);
    std::vector<ValueId> parts(given.begin(), given.end());
    for (std::size_t i = 0; i < strict; ++i) parts[i] = head(parts[i]);
    ValueId result = term(which, parts);
    heads_.emplace(process, result);
    if (result != process) heads_.emplace(result, result);
    return result;
}

}  // namespace treaty::csp
