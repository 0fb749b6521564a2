// One try of the direct strategies: decide between the alternatives of each disjunction, then go through the
// variables. A variable that some conjunct equates with others comes after them, so it can be computed. Each
// is narrowed by the conjuncts in which it is the last one without a value, then drawn. At the end the whole
// condition is checked; the choices of a try that fails are taken back.
//
// What is the same for all tries is made once per condition, and per combination of alternatives: the
// conjuncts, which variables they are about, the order, and the domains as far as constants decide them.
#include "solve/generate.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>

#include "expr/program.h"
#include "expr/simplify.h"
#include "solve/mentioned.h"
#include "solve/narrow.h"

namespace treaty::solve {

using expr::Environment;
using expr::ExprId;
using expr::Op;
using expr::Pool;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;
using expr::VarId;

namespace {

// A question to the solver, with all that its answer depends on.
struct Question {
    ExprId condition;
    Environment known;  // of the variables in it

    friend bool operator==(const Question&, const Question&) = default;
    template <class H>
    friend H AbslHashValue(H state, const Question& q) {
        return H::combine(std::move(state), q.condition.index, hash(q.known));
    }
};

struct Answer {
    bool impossible = false;
    absl::flat_hash_map<std::uint32_t, Environment> solutions;  // by number
};

}  // namespace

struct Generator::Impl {
    static constexpr std::size_t most_plans = 20'000, most_answers = 2'000;
    static constexpr std::uint64_t solutions_of_each = 32;

    Pool& pool;
    GenerateOptions options;
    std::unique_ptr<Solver> solver;
    VariableTable uses_of;
    mutable expr::Programs programs;
    TextPaths paths;
    absl::flat_hash_map<Question, Answer> answers;

    // A variable of a plan, as far as it is the same each time.
    struct Prepared {
        Domain domain;                       // by the conjuncts that are about nothing else
        std::vector<std::uint32_t> depends;  // the other conjuncts about it
    };
    // A condition made ready.
    struct Plan {
        std::vector<ExprId> conjuncts;
        std::vector<std::vector<ExprId>> alternatives;  // by conjunct: more than one for a disjunction
        std::vector<std::vector<VarId>> uses;           // by conjunct
        bool straight = true;                           // no disjunction
        absl::flat_hash_map<VarId, std::unique_ptr<const Prepared>> prepared;
        std::vector<VarId> ordered_for, ordered;  // the last answer of order()
        bool contradictory = false;               // a conjunct is denied by another one
        // What the alternatives come to, without those that contradict each other; none if they are too many.
        std::optional<std::vector<std::vector<ExprId>>> combinations;
        bool combined = false;
    };
    absl::flat_hash_map<ExprId, std::unique_ptr<Plan>> plans;
    absl::flat_hash_map<std::vector<ExprId>, std::unique_ptr<Plan>> goal_plans;  // by what was decided

    Impl(Pool& p, GenerateOptions o) : pool(p), options(std::move(o)), uses_of(p), programs(p) {}

    Plan& plan_of(ExprId condition) {
        auto [it, added] = plans.try_emplace(condition);
        if (!added) return *it->second;
        std::unique_ptr<Plan> plan = plan_for(conjuncts_of(pool, condition));
        for (ExprId c : plan->conjuncts) {
            plan->alternatives.push_back(alternatives_of(pool, c));
            plan->straight = plan->straight && plan->alternatives.back().size() == 1;
        }
        return *(plans[condition] = std::move(plan));
    }

    std::unique_ptr<Plan> plan_for(std::vector<ExprId> conjuncts) {
        auto plan = std::make_unique<Plan>();
        plan->conjuncts = std::move(conjuncts);
        for (ExprId c : plan->conjuncts) plan->uses.push_back(uses_of.of(c));
        return plan;
    }

    Plan& goal_plan(Plan& plan, std::vector<ExprId> goals) {
        if (plan.straight) return plan;
        auto known = goal_plans.find(goals);
        if (known != goal_plans.end()) return *known->second;
        if (goal_plans.size() >= most_plans) goal_plans.clear();
        std::unique_ptr<Plan> made = plan_for(goals);
        for (ExprId goal : goals) made->contradictory = made->contradictory || denied(goal, goals);
        return *(goal_plans[std::move(goals)] = std::move(made));
    }

    const std::vector<VarId>& variables_of(ExprId e) { return uses_of.of(e); }

    // Defined by an equation with others: generated after them.
    bool defined_by(VarId v, ExprId conjunct) {
        if (pool[conjunct].op != Op::equal && pool[conjunct].op != Op::permutes &&
            pool[conjunct].op != Op::member)
            return false;
        auto c = pool.children(conjunct);
        auto is = [&](ExprId e) { return pool[e].op == Op::var && pool.var_of(e) == v; };
        bool with_others = variables_of(conjunct).size() > 1;
        if (pool[conjunct].op == Op::equal) return with_others && (is(c[0]) || is(c[1]));
        return with_others && is(c[0]);
    }

    // The variables by which the conjunct looks something up in a collection that is known.
    std::vector<VarId> keys_of(ExprId conjunct, std::span<const VarId> open) {
        std::vector<VarId> keys;
        auto is_open = [&](VarId v) { return std::find(open.begin(), open.end(), v) != open.end(); };
        for (ExprId part : pool.parts_of(conjunct)) {
            Op op = pool[part].op;
            if (op != Op::at && op != Op::member) continue;
            auto c = pool.children(part);
            ExprId collection = op == Op::at ? c[0] : c[1], key = op == Op::at ? c[1] : c[0];
            const auto& held = variables_of(collection);
            if (held.empty() || std::any_of(held.begin(), held.end(), is_open)) continue;
            for (VarId v : variables_of(key))
                if (is_open(v)) keys.push_back(v);
        }
        return keys;
    }

    // Each time the first one that no equation with open variables defines, and of these one that decides
    // what is looked up before those that what was found decides; in a circle just the first.
    const std::vector<VarId>& order(std::span<const VarId> variables, Plan& plan) {
        if (std::equal(variables.begin(), variables.end(), plan.ordered_for.begin(), plan.ordered_for.end()))
            return plan.ordered;
        plan.ordered_for.assign(variables.begin(), variables.end());
        std::vector<std::vector<VarId>> keys;
        for (ExprId c : plan.conjuncts) keys.push_back(keys_of(c, variables));
        std::vector<VarId> open = plan.ordered_for, result;
        auto is_open = [&](VarId v) { return std::find(open.begin(), open.end(), v) != open.end(); };
        auto waits = [&](VarId v, std::size_t i) {
            if (!defined_by(v, plan.conjuncts[i])) return false;
            return std::any_of(plan.uses[i].begin(), plan.uses[i].end(),
                               [&](VarId u) { return u != v && is_open(u); });
        };
        auto waits_for_key = [&](VarId v, std::size_t i) {
            auto among = [&](const std::vector<VarId>& list) {
                return std::find(list.begin(), list.end(), v) != list.end();
            };
            return among(plan.uses[i]) && !among(keys[i]) &&
                   std::any_of(keys[i].begin(), keys[i].end(), is_open);
        };
        auto first = [&](auto&& is_in_the_way) {
            return std::find_if(open.begin(), open.end(), [&](VarId v) {
                for (std::size_t i = 0; i < plan.conjuncts.size(); ++i)
                    if (is_in_the_way(v, i)) return false;
                return true;
            });
        };
        while (!open.empty()) {
            auto next = first([&](VarId v, std::size_t i) { return waits(v, i) || waits_for_key(v, i); });
            if (next == open.end()) next = first(waits);
            if (next == open.end()) next = open.begin();
            result.push_back(*next);
            open.erase(next);
        }
        return plan.ordered = std::move(result);
    }

    const Prepared& prepared(Plan& plan, VarId v) {
        auto [place, added] = plan.prepared.try_emplace(v);
        if (!added) return *place->second;
        auto made = std::make_unique<Prepared>();
        Domain& d = made->domain;
        d = Domain::of(pool.types(), pool.variable(v).type);
        std::vector<std::uint32_t> alone;
        for (std::uint32_t i = 0; i < plan.conjuncts.size(); ++i) {
            const std::vector<VarId>& uses = plan.uses[i];
            if (!std::binary_search(uses.begin(), uses.end(), v)) continue;
            if (uses.size() == 1) alone.push_back(i);
            if (uses.size() > 1) made->depends.push_back(i);
        }
        for (std::uint32_t i : alone) narrow(pool, d, v, plan.conjuncts[i], {}, &uses_of);
        for (const ElementRule& rule : options.elements)
            if (rule.list == v && d.kind == TypeKind::list)
                for (ExprId c : conjuncts_of(pool, rule.condition)) {
                    narrow(pool, d.parts[0], rule.element, c, {}, &uses_of);
                    for (Domain& item : d.items) narrow(pool, item, rule.element, c, {}, &uses_of);
                }
        keep_satisfying(d, v, plan, alone, {});
        if (is_text(d) && d.texts && !d.options && (d.size_low > 0 || d.size_high < 200)) limit_length(d);
        return *(place->second = std::move(made));
    }

    static bool is_text(const Domain& d) { return d.kind == TypeKind::string || d.kind == TypeKind::bytes; }

    // The domain of a variable by all conjuncts in which no other variable is without a value. `own` is used
    // where the answer is not the same each time.
    const Domain& domain_by(Plan& plan, VarId v, const Environment& env, Domain& own) {
        const Prepared& ready = prepared(plan, v);
        std::vector<std::uint32_t> last;  // the conjuncts that nothing else keeps open
        for (std::uint32_t i : ready.depends) {
            const std::vector<VarId>& uses = plan.uses[i];
            if (std::all_of(uses.begin(), uses.end(), [&](VarId u) { return u == v || env.get(u); }))
                last.push_back(i);
        }
        if (last.empty()) return ready.domain;
        own = ready.domain;
        for (std::uint32_t i : last) narrow(pool, own, v, plan.conjuncts[i], env, &uses_of);
        keep_satisfying(own, v, plan, last, env);
        bool same_size = own.size_low == ready.domain.size_low && own.size_high == ready.domain.size_high;
        bool limited = own.size_low > 0 || own.size_high < 200;
        if (is_text(own) && own.texts && !own.options && limited &&
            (!same_size || own.texts != ready.domain.texts))
            limit_length(own);
        return own;
    }

    // Of a few options those with which these conjuncts hold, also where they are not understood.
    void keep_satisfying(Domain& d, VarId v, const Plan& plan, std::span<const std::uint32_t> conjuncts,
                         const Environment& env) {
        constexpr std::size_t few = 64;
        if (!d.options || d.options->size() > few) return;
        for (std::uint32_t i : conjuncts) {
            ExprId c = plan.conjuncts[i];
            auto children = pool.children(c);
            bool understood = (pool[c].op == Op::member || pool[c].op == Op::equal) &&
                              pool[children[0]].op == Op::var && pool.var_of(children[0]) == v;
            if (understood) continue;
            tried.copy_from(env);
            std::erase_if(*d.options, [&](const Value& option) {
                tried.set(v, option);
                return !programs.satisfied(c, tried);
            });
        }
    }
    Environment tried;

    bool denied(ExprId conjunct, std::span<const ExprId> by) {
        auto there = [&](ExprId e) { return std::find(by.begin(), by.end(), e) != by.end(); };
        if (pool[conjunct].op == Op::logical_not && there(pool.children(conjunct)[0])) return true;
        return there(pool.logical_not(conjunct));
    }

    using Goals = std::vector<ExprId>;

    const std::optional<std::vector<Goals>>& combinations_of(Plan& plan) {
        if (std::exchange(plan.combined, true)) return plan.combinations;
        std::vector<Goals> all{{}};
        // What holds in any case comes first: it leaves few of the rest.
        for (bool disjunctions : {false, true})
            for (std::size_t i = 0; i < plan.conjuncts.size(); ++i)
                if ((plan.alternatives[i].size() > 1) == disjunctions &&
                    !add_decisions(plan.conjuncts[i], plan.alternatives[i], 0, all))
                    return plan.combinations;
        plan.combinations = std::move(all);
        return plan.combinations;
    }

    // False where there are too many.
    bool add_decisions(ExprId conjunct, const std::vector<ExprId>& ways, unsigned depth,
                       std::vector<Goals>& all) {
        constexpr std::size_t most = 64;
        if (ways.size() == 1 || depth == deepest) {
            std::erase_if(all, [&](const Goals& goals) { return denied(conjunct, goals); });
            for (Goals& goals : all) goals.push_back(conjunct);
            return true;
        }
        std::vector<Goals> result;
        for (ExprId way : ways) {
            const Plan& inside = plan_of(way);
            std::vector<Goals> some = all;
            for (std::size_t i = 0; i < inside.conjuncts.size(); ++i)
                if (!add_decisions(inside.conjuncts[i], inside.alternatives[i], depth + 1, some))
                    return false;
            if (result.size() + some.size() > most) return false;
            result.insert(result.end(), some.begin(), some.end());
        }
        all = std::move(result);
        return true;
    }

    // The combinations of alternatives that may have values, by the few options that variables have: with
    // none left it is proved that there are no values. Nothing where they are too many.
    std::optional<std::vector<const Goals*>> possible(std::span<const VarId> variables, Plan& plan,
                                                      const Environment& known) {
        const auto& all = combinations_of(plan);
        if (!all) return std::nullopt;
        std::vector<const Goals*> result;
        std::size_t steps = 400;
        for (const Goals& goals : *all) {
            Plan& goal = goal_plan(plan, goals);
            if (!no_values(order(variables, goal), goal, known, steps)) result.push_back(&goals);
        }
        return result;
    }

    bool no_values(std::span<const VarId> variables, Plan& plan, const Environment& known,
                   std::size_t& steps) {
        constexpr std::uint64_t few = 64;
        Environment env = known;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (steps == 0) return false;
            --steps;
            VarId v = variables[i];
            Domain own;
            const Domain& d = domain_by(plan, v, env, own);
            if (d.empty()) return true;
            bool listed = d.options || d.kind == TypeKind::boolean || d.kind == TypeKind::enumeration ||
                          d.kind == TypeKind::integer;
            auto values = listed ? d.all(few) : std::nullopt;
            if (!values) continue;
            return std::all_of(values->begin(), values->end(), [&](const Value& value) {
                env.set(v, value);
                return no_values(variables.subspan(i + 1), plan, env, steps);
            });
        }
        for (std::size_t i = 0; i < plan.conjuncts.size(); ++i) {
            const auto& uses = plan.uses[i];
            if (std::all_of(uses.begin(), uses.end(), [&](VarId u) { return env.get(u) != nullptr; }) &&
                !programs.satisfied(plan.conjuncts[i], env))
                return true;
        }
        return false;
    }

    // Texts of the language that are too short or too long are dead ends when walking.
    static void limit_length(Domain& d) {
        if (d.size_low > 500 || d.size_high < 0) return;
        std::string high = d.size_high < 500 ? std::to_string(d.size_high) : "";
        auto lengths =
            Automaton::of("\\C{" + std::to_string(std::max<std::int64_t>(0, d.size_low)) + "," + high + "}");
        std::string how = d.how;
        if (lengths) d.keep_texts(*lengths, true);
        d.how = how;
    }

    bool holds(const Plan& plan, const Environment& env) const {
        return std::all_of(plan.conjuncts.begin(), plan.conjuncts.end(),
                           [&](ExprId c) { return programs.satisfied(c, env); });
    }

    // The conjuncts to work towards: of each disjunction one alternative, also of those inside of it.
    std::vector<ExprId> decide(const Plan& plan, Choices& choices) {
        std::vector<ExprId> chosen;
        for (std::size_t i = 0; i < plan.conjuncts.size(); ++i)
            decide(plan.conjuncts[i], plan.alternatives[i], choices, 0, chosen);
        return chosen;
    }

    static constexpr unsigned deepest = 4;

    void decide(ExprId conjunct, const std::vector<ExprId>& ways, Choices& choices, unsigned depth,
                std::vector<ExprId>& chosen) {
        if (ways.size() == 1 || depth == deepest) {
            chosen.push_back(conjunct);
            return;
        }
        ExprId way = ways[static_cast<std::size_t>(choices.draw(ways.size()))];
        const Plan& inside = plan_of(way);
        for (std::size_t i = 0; i < inside.conjuncts.size(); ++i)
            decide(inside.conjuncts[i], inside.alternatives[i], choices, depth + 1, chosen);
    }

    bool try_once(std::span<const VarId> variables, Plan& plan, const Environment& known, Choices& choices,
                  Generated& out) {
        if (plan.straight) return try_goals(variables, plan, plan, known, choices, out);
        constexpr int decisions = 16;
        std::size_t mark = choices.made().size();
        for (int i = 0; i < decisions; ++i) {
            Plan& goals = goal_plan(plan, decide(plan, choices));
            if (!goals.contradictory) return try_goals(variables, plan, goals, known, choices, out);
            if (choices.replaying()) break;
            choices.rewind(mark);
        }
        return false;
    }

    // One of the combinations of alternatives that are possible.
    bool try_possible(std::span<const VarId> variables, Plan& plan, std::span<const Goals* const> which,
                      const Environment& known, Choices& choices, Generated& out) {
        if (which.empty()) return false;
        const Goals& goals = *which[static_cast<std::size_t>(choices.draw(which.size()))];
        return try_goals(variables, plan, goal_plan(plan, goals), known, choices, out);
    }

    bool try_goals(std::span<const VarId> variables, const Plan& plan, Plan& goals, const Environment& known,
                   Choices& choices, Generated& out) {
        Environment env = known;
        std::vector<std::pair<VarId, std::string>> how;
        for (VarId v : order(variables, goals)) {
            Domain own;
            const Domain& d = domain_by(goals, v, env, own);
            if (d.empty()) return false;
            std::optional<Value> value = seen_value(d, plan, known, choices);
            how.emplace_back(v, value ? "seen before" : d.how);
            DrawOptions draw_options{options.longest, &paths};
            if (!value) value = draw(d, pool.types(), choices, draw_options);
            if (!value || !belongs(*value, d.type, pool.types())) return false;
            env.set(v, std::move(*value));
        }
        if (!holds(plan, env)) return false;
        out.found = Found::yes;
        out.values = std::move(env);
        for (VarId v : variables)
            for (auto& [of, strategy] : how)
                if (of == v) out.how.push_back(std::move(strategy));
        return true;
    }

    // Now and then a value that has been there before: one of the options, or of what is known and the
    // condition mentions. What cannot be in the domain is left out, so that a range is not missed in vain.
    std::optional<Value> seen_value(const Domain& d, const Plan& plan, const Environment& known,
                                    Choices& choices) {
        constexpr std::size_t most = 16;  // the newest ones
        if (d.options || d.permutes || d.kind == TypeKind::boolean) return std::nullopt;
        std::vector<const Value*> fitting;
        auto offer = [&](const Value& v) {
            if (fitting.size() < most && belongs(v, d.type, pool.types()) && d.may_hold(v))
                fitting.push_back(&v);
        };
        for (auto v = options.seen.rbegin(); v != options.seen.rend(); ++v) offer(*v);
        for (const auto& uses : plan.uses)
            for (VarId v : uses)
                if (const Value* value = known.get(v)) offer(*value);
        if (fitting.empty() || !choices.flag(20)) return std::nullopt;
        return *fitting[static_cast<std::size_t>(choices.draw(fitting.size()))];
    }

    // One of the combinations of values with which the condition holds, of the first `most` of these. False
    // if there is none.
    bool choose_solution(std::span<const VarId> variables, const std::vector<std::vector<Value>>& values,
                         std::size_t most, const Plan& plan, const Environment& known, Choices& choices,
                         const char* how, Generated& out) const {
        std::vector<Environment> solutions;
        std::vector<std::size_t> at(variables.size(), 0);
        bool none = std::any_of(values.begin(), values.end(), [](const auto& v) { return v.empty(); });
        while (!none && solutions.size() < most) {
            Environment env = known;
            for (std::size_t i = 0; i < variables.size(); ++i) env.set(variables[i], values[i][at[i]]);
            if (holds(plan, env)) solutions.push_back(std::move(env));
            std::size_t i = variables.size();
            while (i > 0 && ++at[i - 1] == values[i - 1].size()) at[--i] = 0;
            if (i == 0) break;
        }
        if (solutions.empty()) return false;
        out.found = Found::yes;
        out.values = solutions[static_cast<std::size_t>(choices.draw(solutions.size()))];
        out.how.assign(variables.size(), how);
        return true;
    }

    // All combinations of values, where every domain is finite and they are few: the answer is then exact.
    bool enumerate(std::span<const VarId> variables, Plan& plan, const Environment& known, Choices& choices,
                   Generated& out) {
        std::vector<std::vector<Value>> values;
        std::uint64_t product = 1;
        for (VarId v : variables) {
            Domain own;
            auto all = domain_by(plan, v, known, own).all(options.combinations);
            if (!all || (product *= std::max<std::size_t>(all->size(), 1)) > options.combinations)
                return false;
            values.push_back(std::move(*all));
        }
        std::size_t every = options.combinations;
        if (!choose_solution(variables, values, every, plan, known, choices, "all combinations", out))
            out.found = Found::no;
        return true;
    }

    // Where nothing else helps: combinations of values that the condition itself mentions, and parts of them.
    bool search_mentioned(std::span<const VarId> variables, const Plan& plan, const Environment& known,
                          Choices& choices, Generated& out) {
        std::vector<std::vector<Value>> values;
        std::uint64_t product = 1;
        for (VarId v : variables) {
            TypeId type = pool.variable(v).type;
            std::vector<Value> fitting;
            for (const Value& value : mentioned_values(pool, plan.conjuncts, type))
                if (belongs(value, type, pool.types())) fitting.push_back(value);
            product *= std::max<std::size_t>(fitting.size(), 1);
            if (fitting.empty() || product > 20 * options.combinations) return false;
            values.push_back(std::move(fitting));
        }
        constexpr std::size_t enough = 50;
        return choose_solution(variables, values, enough, plan, known, choices, "mentioned values", out);
    }

    ExprId with_known(ExprId condition, const Environment& known) {
        absl::flat_hash_map<VarId, ExprId> by;
        for (VarId v : variables_of(condition))
            if (const Value* value = known.get(v))
                by[v] = pool.literal(*value, pool.types().base(pool.variable(v).type));
        return by.empty() ? condition : substitute(pool, condition, by);
    }

    ExprId is(VarId v, const Value& value) {
        return pool.equal(pool.var(v), pool.literal(value, pool.types().base(pool.variable(v).type)));
    }

    Solver& the_solver() {
        if (!solver) solver = std::make_unique<Solver>(pool, std::chrono::milliseconds(1000));
        return *solver;
    }

    // A small number instead of the solver's own, which may be any: asked for where a small one was wished.
    void prefer_small(VarId v, const Value& wish, ExprId question, SolverAnswer& answer) {
        constexpr std::int64_t small = 16;
        auto wished = std::get_if<std::int64_t>(&wish.v);
        const Value* model = answer.model.get(v);
        if (!wished || !model || *wished > small || *wished < -small) return;
        if (model->integer() >= 0 && model->integer() <= small) return;
        for (auto [low, high] : {std::pair{std::int64_t{0}, small}, {-small, std::int64_t{-1}}}) {
            std::int64_t n = answer.model.get(v)->integer();
            if (n >= low && n <= high) return;
            auto compare = [&](Op op, std::int64_t to) {
                return pool.make(op, pool.types().boolean(), std::array{pool.var(v), pool.integer(to)});
            };
            ExprId inside = pool.logical_and(compare(Op::greater_equal, low), compare(Op::less_equal, high));
            SolverAnswer smaller = the_solver().check(pool.logical_and(question, inside));
            if (smaller.satisfiable != Satisfiable::yes || !smaller.model.get(v)) continue;
            answer = std::move(smaller);
            return;
        }
    }

    // The solver's own model would always be the same one: each variable is first asked to be something
    // drawn.
    void ask_solver(std::span<const VarId> variables, ExprId condition, Plan& plan, const Environment& known,
                    Choices& choices, Generated& out) {
        ExprId question = with_known(condition, known);
        SolverAnswer answer = the_solver().check(question);
        out.reason = answer.reason;
        if (answer.satisfiable == Satisfiable::no) out.found = Found::no;
        if (answer.satisfiable != Satisfiable::yes) return;
        Environment env = known;
        for (VarId v : variables) {
            Domain own;
            DrawOptions draw_options{std::min<std::int64_t>(options.longest, 6), &paths};
            std::optional<Value> wish =
                draw(domain_by(plan, v, env, own), pool.types(), choices, draw_options);
            const Value* model = answer.model.get(v);
            if (wish && !(model && *model == *wish)) {
                SolverAnswer again = the_solver().check(pool.logical_and(question, is(v, *wish)));
                if (again.satisfiable == Satisfiable::yes)
                    answer = std::move(again);
                else
                    prefer_small(v, *wish, question, answer);
            }
            model = answer.model.get(v);
            if (!model && !wish)
                wish = draw(Domain::of(pool.types(), pool.variable(v).type), pool.types(), choices,
                            draw_options);
            if (!model && !wish) return;
            env.set(v, model ? *model : *wish);
            question = pool.logical_and(question, is(v, *env.get(v)));
        }
        if (!holds(plan, env)) {
            out.reason = "the solver's values do not satisfy the condition";
            return;
        }
        out.found = Found::yes;
        out.values = std::move(env);
        out.how.assign(variables.size(), "solver");
    }

    // Leaves out conjuncts as long as the rest is still known to be contradictory.
    std::vector<ExprId> core_of(std::span<const VarId> variables, std::vector<ExprId> conjuncts,
                                const Environment& known) {
        auto contradictory = [&](const std::vector<ExprId>& some) {
            ExprId all = pool.boolean(true);
            for (ExprId c : some) all = pool.logical_and(all, c);
            Plan& plan = plan_of(all);
            Choices none(std::span<const std::uint64_t>{});
            for (VarId v : variables) {
                Domain own;
                if (domain_by(plan, v, known, own).empty()) return true;
            }
            Generated out;
            if (enumerate(variables, plan, known, none, out)) return out.found == Found::no;
            return options.solver &&
                   the_solver().check(with_known(all, known)).satisfiable == Satisfiable::no;
        };
        for (std::size_t i = 0; i < conjuncts.size() && conjuncts.size() < 100;) {
            std::vector<ExprId> fewer = conjuncts;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (contradictory(fewer))
                conjuncts = std::move(fewer);
            else
                ++i;
        }
        return conjuncts;
    }

    Question question(ExprId condition, const Environment& known) {
        Question result{condition, {}};
        for (VarId v : variables_of(condition))
            if (const Value* value = known.get(v)) result.known.set(v, *value);
        return result;
    }

    // The solver's answer is remembered, also that there are no values. Of its solutions a choice selects
    // one; each is found with choices of its own, so that it does not depend on what was asked before.
    void ask_once(std::span<const VarId> variables, ExprId condition, Plan& plan, const Environment& known,
                  Choices& choices, Generated& out) {
        auto number = static_cast<std::uint32_t>(choices.draw(solutions_of_each));
        if (answers.size() >= most_answers) answers.clear();
        Answer& answer = answers[question(condition, known)];
        if (answer.impossible) {
            out.found = Found::no;
            return;
        }
        auto solution = answer.solutions.find(number);
        if (solution == answer.solutions.end()) {
            Choices own = number == 0 ? Choices(std::span<const std::uint64_t>{}) : Choices(number);
            ask_solver(variables, condition, plan, known, own, out);
            answer.impossible = out.found == Found::no;
            if (out.found == Found::yes) answer.solutions.emplace(number, out.values);
            return;
        }
        out.values = known;
        for (VarId v : variables) {
            const Value* value = solution->second.get(v);
            if (!value) return ask_solver(variables, condition, plan, known, choices, out);
            out.values.set(v, *value);
        }
        out.found = Found::yes;
        out.how.assign(variables.size(), "solver");
    }

    // The first choice.
    enum class Way : std::uint8_t { direct, combinations, solver, mentioned, alternatives };

    void replay(Way way, std::span<const VarId> variables, ExprId condition, Plan& plan,
                const Environment& known, Choices& choices, Generated& out) {
        out.reason = "these choices lead to no values";
        if (way == Way::direct) try_once(variables, plan, known, choices, out);
        if (way == Way::combinations) enumerate(variables, plan, known, choices, out);
        if (way == Way::solver && options.solver) ask_once(variables, condition, plan, known, choices, out);
        if (way == Way::mentioned) search_mentioned(variables, plan, known, choices, out);
        if (way != Way::alternatives) return;
        if (auto left = possible(variables, plan, known))
            try_possible(variables, plan, *left, known, choices, out);
    }

    Generated generate(std::span<const VarId> variables, ExprId condition, const Environment& known,
                       Choices& choices) {
        Generated out;
        Plan& plan = plan_of(condition);
        std::size_t mark = choices.made().size();
        bool impossible = false;
        for (VarId v : variables) {
            Domain own;
            if (domain_by(plan, v, known, own).empty()) impossible = true;
        }
        // A conjunct without open variables is true or not; nothing that is drawn changes that.
        for (std::size_t i = 0; i < plan.conjuncts.size() && !impossible; ++i) {
            bool open = false;
            for (VarId u : plan.uses[i]) open = open || !known.get(u);
            for (VarId u : plan.uses[i])
                open = open || std::find(variables.begin(), variables.end(), u) != variables.end();
            impossible = !open && !programs.satisfied(plan.conjuncts[i], known);
        }
        if (impossible) {
            out.found = Found::no;
            if (options.contradictions) out.core = core_of(variables, plan.conjuncts, known);
            return out;
        }
        if (choices.replaying()) {
            replay(static_cast<Way>(choices.draw(5)), variables, condition, plan, known, choices, out);
            return out;
        }
        auto direct = [&](std::size_t tries) {
            for (std::size_t i = 0; i < tries; ++i) {
                choices.rewind(mark);
                choices.note(mark, static_cast<std::uint64_t>(Way::direct));
                if (try_once(variables, plan, known, choices, out)) return true;
            }
            return false;
        };
        auto begin = [&](Way way) {
            choices.rewind(mark);
            choices.note(mark, static_cast<std::uint64_t>(way));
        };
        std::size_t first_tries = std::min<std::size_t>(options.tries, 6);
        if (direct(first_tries)) return out;
        auto left = possible(variables, plan, known);
        if (left && left->empty()) {
            out.found = Found::no;
            if (options.contradictions) out.core = core_of(variables, plan.conjuncts, known);
            choices.rewind(mark);
            return out;
        }
        for (std::size_t i = first_tries; i < options.tries && left && !plan.straight; ++i) {
            begin(Way::alternatives);
            if (try_possible(variables, plan, *left, known, choices, out)) return out;
        }
        if ((!left || plan.straight) && direct(options.tries - first_tries)) return out;
        begin(Way::combinations);
        if (!enumerate(variables, plan, known, choices, out) && options.solver) {
            begin(Way::solver);
            ask_once(variables, condition, plan, known, choices, out);
        }
        if (out.found == Found::no && options.contradictions)
            out.core = core_of(variables, plan.conjuncts, known);
        if (out.found != Found::unknown) return out;
        begin(Way::mentioned);
        if (search_mentioned(variables, plan, known, choices, out)) return out;
        // What the solver cannot translate may still be met by chance.
        if (direct(5 * options.tries)) return out;
        if (out.found == Found::unknown && out.reason.empty()) out.reason = "no try satisfied the condition";
        return out;
    }
};

Generator::Generator(Pool& pool, GenerateOptions options)
    : impl_(std::make_unique<Impl>(pool, std::move(options))) {}
Generator::~Generator() = default;

std::size_t Generator::solver_calls() const {
    return impl_->solver ? impl_->solver->query_count() - impl_->solver->remembered_count() : 0;
}

GenerateOptions& Generator::options() {
    return impl_->options;
}

Generated Generator::generate(std::span<const VarId> variables, ExprId condition, const Environment& known,
                              Choices& choices) {
    return impl_->generate(variables, condition ? condition : impl_->pool.boolean(true), known, choices);
}

}  // namespace treaty::solve
