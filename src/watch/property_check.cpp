// A path is a sequence of events whose data are named values and conditions between them (symbolic/path.h).
// What a property requires of a path is again a condition on these values: that the context matches at some
// place, and that a consequence does or does not follow. So "some run along this path violates it" is one
// question to the solver. Paths are tried in order of their length, those that nothing can run along are left
// at once.
#include "watch/property_check.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "expr/simplify.h"
#include "solve/solver.h"
#include "symbolic/path.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/reach.h"

namespace treaty::watch {

using expr::ExprId;
using expr::VarId;
using model::GraphEdgeId;
using model::GraphStateId;
using model::Property;
using solve::Satisfiable;
using symbolic::NamedPath;

std::string_view to_string(PropertyStatus status) {
    switch (status) {
        case PropertyStatus::correct: return "correct";
        case PropertyStatus::violated: return "violated";
        case PropertyStatus::vacuous: return "vacuous";
        case PropertyStatus::undecided: return "undecided";
    }
    return "";
}

namespace {

// One event of a path: sender, receiver, message, and its values by name.
struct PathEvent {
    model::Event event;
    std::vector<VarId> values;
};

using BoundValues = absl::flat_hash_map<VarId, ExprId>;

// Conditions over paths.
class Conditions {
public:
    Conditions(const model::Specification& specification, expr::Pool& pool)
        : specification_(specification), pool_(pool) {}

    struct Verdicts {
        ExprId pass, fail;
    };

    // Of a local property over the events of its role, in order. A context may begin anywhere, or only at the
    // first event.
    Verdicts local(const Property& p, const std::vector<PathEvent>& events, bool at_first) {
        ExprId fail = no(), pass = no();
        std::size_t n = p.after.size();
        bool timed = p.within_ns >= 0;
        for (std::size_t begin = 0; begin + n <= events.size() && (begin == 0 || !at_first); ++begin) {
            BoundValues bound;
            ExprId context = yes();
            for (std::size_t i = 0; i < n; ++i)
                context = both(context, matches(p.after[i], events[begin + i], bound));
            if (pool_.is_false(context)) continue;
            std::size_t end = timed ? events.size() : std::min(events.size(), begin + n + p.within);
            ExprId follows = no();
            for (std::size_t i = begin + n; i < end; ++i)
                for (const model::MessagePattern& then : p.then) {
                    BoundValues own = bound;
                    follows = either(follows, matches(then, events[i], own));
                }
            bool over = !timed && begin + n + p.within <= events.size();
            (p.forbid ? fail : pass) = either(p.forbid ? fail : pass, both(context, follows));
            if (over) {
                ExprId missed = both(context, negation(follows));
                (p.forbid ? pass : fail) = either(p.forbid ? pass : fail, missed);
            }
        }
        return {both(pass, negation(fail)), fail};
    }

    // Of any property over a whole path.
    Verdicts whole(std::uint32_t property, const std::vector<PathEvent>& events) {
        const Property& p = specification_.properties[property];
        if (!p.global) {
            std::vector<PathEvent> own;
            for (const PathEvent& e : events)
                if (e.event.from == p.at || e.event.to == p.at) own.push_back(e);
            return local(p, own, false);
        }
        ExprId premises = yes(), one_passed = no(), one_failed = no(), all_passed = yes(), all_failed = yes();
        for (std::uint32_t i : p.premises) premises = both(premises, whole(i, events).pass);
        for (std::uint32_t i : p.conclusions) {
            Verdicts v = whole(i, events);
            one_passed = either(one_passed, v.pass);
            one_failed = either(one_failed, v.fail);
            all_passed = both(all_passed, v.pass);
            all_failed = both(all_failed, v.fail);
        }
        if (p.negated) return {both(premises, all_failed), both(premises, one_passed)};
        return {both(premises, all_passed), both(premises, one_failed)};
    }

    ExprId yes() { return pool_.boolean(true); }
    ExprId no() { return pool_.boolean(false); }
    ExprId both(ExprId a, ExprId b) { return expr::simplify(pool_, pool_.logical_and(a, b)); }
    ExprId either(ExprId a, ExprId b) { return expr::simplify(pool_, pool_.logical_or(a, b)); }
    ExprId negation(ExprId a) { return expr::simplify(pool_, pool_.logical_not(a)); }

private:
    ExprId matches(const model::MessagePattern& pattern, const PathEvent& e, BoundValues& bound) {
        if (pattern.from != e.event.from || pattern.to != e.event.to || pattern.message != e.event.message)
            return no();
        ExprId all = yes();
        BoundValues before = bound;
        for (const model::FieldPattern& field : pattern.fields) {
            if (field.field >= e.values.size()) return no();
            ExprId value = pool_.var(e.values[field.field]);
            if (field.bind)
                bound[field.bind] = value;
            else if (field.equals)
                all = both(all, pool_.equal(value, expr::substitute(pool_, field.equals, before)));
        }
        if (pattern.where) all = both(all, expr::substitute(pool_, pattern.where, bound));
        return all;
    }

    const model::Specification& specification_;
    expr::Pool& pool_;
};

class Check {
public:
    Check(const model::Specification& specification, const model::SymbolicGraph& graph,
          std::uint32_t property, const PropertyCheckLimits& limits)
        : specification_(specification),
          graph_(graph),
          property_(property),
          p_(specification.properties[property]),
          limits_(limits),
          pool_(*graph.pool),
          solver_(pool_, std::chrono::seconds(2)),
          conditions_(specification, pool_) {}

    PropertyCheckResult run() {
        PropertyCheckResult result;
        search(result);
        if (result.status != PropertyStatus::violated) conclude(result);
        result.queries = solver_.query_count();
        return result;
    }

private:
    struct Open {
        NamedPath path;
        GraphStateId at;
    };

    std::vector<PathEvent> events_of(const NamedPath& path) {
        std::vector<PathEvent> events;
        for (const NamedPath::Step& step : path.steps) {
            const model::GraphEdge& edge = graph_.states[step.state].out[step.edge];
            PathEvent e{graph_.alphabet->event(edge.label), step.carried};
            // Fields that no step of the protocol speaks of may have any value.
            const auto& fields = specification_.message(e.event.message).fields;
            while (e.values.size() < fields.size())
                e.values.push_back(pool_.declare(fields[e.values.size()].name, fields[e.values.size()].type));
            events.push_back(std::move(e));
        }
        return events;
    }

    Satisfiable ask(const NamedPath& path, ExprId more, expr::Environment* model = nullptr) {
        ExprId all = more;
        for (ExprId part : path.meant) all = conditions_.both(all, part);
        if (pool_.is_false(all)) return Satisfiable::no;
        solve::SolverAnswer answer = solver_.check(all);
        if (answer.satisfiable == Satisfiable::unknown && why_.empty()) why_ = answer.reason;
        if (model) *model = std::move(answer.model);
        return answer.satisfiable;
    }

    void keep_run(const std::vector<PathEvent>& events, const NamedPath& path, const expr::Environment& model,
                  PropertyCheckResult& result) {
        result.run.clear();
        for (std::size_t i = 0; i < events.size(); ++i) {
            RunStep step{graph_.states[path.steps[i].state].out[path.steps[i].edge].label, {}};
            for (VarId v : events[i].values)
                if (const expr::Value* value = model.get(v))
                    step.values.push_back(*value);
                else
                    step.values.push_back(any_value(pool_.variable(v).type));
            result.run.push_back(std::move(step));
        }
    }

    expr::Value any_value(expr::TypeId type) const {
        const expr::Type& t = (*specification_.types)[type];
        switch (t.kind) {
            case expr::TypeKind::integer: return expr::Value(t.low.value_or(0));
            case expr::TypeKind::real: return expr::Value(0.0);
            case expr::TypeKind::string: return expr::Value(std::string());
            case expr::TypeKind::bytes: return expr::Value(expr::Bytes{});
            case expr::TypeKind::enumeration: return expr::Value(expr::EnumMember{0});
            case expr::TypeKind::boolean: return expr::Value(false);
            default: return expr::Value(expr::Sequence{});
        }
    }

    // Runs from the beginning, shortest first: a violation ends it, a pass is remembered.
    void search(PropertyCheckResult& result) {
        std::deque<Open> open{{NamedPath{}, graph_.initial}};
        std::size_t looked = 0;
        for (; !open.empty(); open.pop_front()) {
            const Open now = open.front();
            if (now.path.steps.size() >= limits_.depth) {
                if (!graph_.states[now.at].out.empty()) exhausted_ = false;
                continue;
            }
            for (GraphEdgeId e : graph_.states[now.at].out.ids()) {
                if (++looked > limits_.paths || limits_.deadline.passed()) {
                    exhausted_ = false;
                    return;
                }
                Open next = now;
                symbolic::extend(graph_, next.path, now.at, e);
                next.at = graph_.states[now.at].out[e].target;
                Satisfiable possible = ask(next.path, conditions_.yes());
                if (possible == Satisfiable::no) continue;
                if (possible == Satisfiable::unknown) exhausted_ = false;
                if (judge(next, result)) return;
                open.push_back(std::move(next));
            }
        }
    }

    // True if the path has a run that violates the property.
    bool judge(const Open& now, PropertyCheckResult& result) {
        std::vector<PathEvent> events = events_of(now.path);
        auto verdicts = conditions_.whole(property_, events);
        ExprId fail = verdicts.fail;
        // A distance in time is over when the conversation is.
        if (p_.within_ns >= 0 && !p_.global && !p_.forbid && graph_.states[now.at].terminates) {
            ExprId end = expr::substitute(pool_, graph_.states[now.at].terminates, now.path.values);
            Property untimed = p_;
            untimed.within_ns = -1;
            untimed.within = static_cast<std::uint32_t>(events.size());
            std::vector<PathEvent> longer = events;
            longer.resize(2 * events.size() + 1);  // nothing that matches follows
            fail = conditions_.both(conditions_.local(untimed, longer, false).fail, end);
        }
        expr::Environment model;
        Satisfiable failing = ask(now.path, fail, &model);
        if (failing == Satisfiable::yes) {
            result.status = PropertyStatus::violated;
            result.reason = "a run of the protocol does not satisfy it";
            keep_run(events, now.path, model, result);
            return true;
        }
        if (failing == Satisfiable::unknown) clean_ = false;
        if (passes_) return false;
        Satisfiable passing = ask(now.path, verdicts.pass, &model);
        if (passing == Satisfiable::yes) {
            passes_ = true;
            keep_run(events, now.path, model, result);
        }
        if (passing == Satisfiable::unknown) exhausted_ = false;
        return false;
    }

    // Whether no row of messages from any state violates it: then no run does, however long.
    bool holds_everywhere() {
        if (p_.global || p_.within_ns >= 0) return false;
        symbolic::Reachability reach = symbolic::reachability(graph_, solver_);
        std::size_t row = p_.after.size() + p_.within, looked = 0;
        for (GraphStateId s : graph_.states.ids()) {
            if (reach.states.has(s) && reach.states[s] == symbolic::Reach::unreachable) continue;
            ExprId known =
                reach.conditions.has(s) && reach.conditions[s] ? reach.conditions[s] : conditions_.yes();
            std::vector<Open> open{{NamedPath{}, s}};
            while (!open.empty()) {
                Open now = std::move(open.back());
                open.pop_back();
                for (GraphEdgeId e : graph_.states[now.at].out.ids()) {
                    if (++looked > limits_.paths || limits_.deadline.passed()) return false;
                    Open next = now;
                    symbolic::extend(graph_, next.path, now.at, e);
                    next.at = graph_.states[now.at].out[e].target;
                    if (ask(next.path, known) == Satisfiable::no) continue;
                    ExprId fail = conditions_.local(p_, events_of(next.path), true).fail;
                    if (ask(next.path, conditions_.both(known, fail)) != Satisfiable::no) return false;
                    if (next.path.steps.size() < row) open.push_back(std::move(next));
                }
            }
        }
        return true;
    }

    void conclude(PropertyCheckResult& result) {
        bool proved = exhausted_ && clean_;
        if (!proved) proved = holds_everywhere();
        if (proved && passes_) {
            result.status = PropertyStatus::correct;
            result.reason = "no run violates it, and some run satisfies it";
        } else if (exhausted_ && clean_ && !passes_) {
            result.status = PropertyStatus::vacuous;
            result.reason = "no run satisfies or violates it";
        } else {
            result.status = PropertyStatus::undecided;
            result.reason =
                !why_.empty() ? why_ : fmt::format("no run of up to {} messages violates it", limits_.depth);
        }
    }

    const model::Specification& specification_;
    const model::SymbolicGraph& graph_;
    std::uint32_t property_;
    const Property& p_;
    PropertyCheckLimits limits_;
    expr::Pool& pool_;
    solve::Solver solver_;
    Conditions conditions_;
    bool exhausted_ = true, clean_ = true, passes_ = false;
    std::string why_;
};

}  // namespace

PropertyCheckResult check_property(const model::Specification& specification, const model::Protocol& protocol,
                                   std::uint32_t property, const PropertyCheckLimits& limits) {
    const Property& p = specification.properties[property];
    symbolic::GraphResult graph =
        symbolic::protocol_graph(specification, protocol, {}, p.global ? model::RoleId() : p.at);
    if (!graph) {
        PropertyCheckResult result;
        result.reason = graph.error();
        return result;
    }
    return Check(specification, *graph, property, limits).run();
}

}  // namespace treaty::watch
