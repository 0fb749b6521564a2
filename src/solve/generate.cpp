// One try of the direct strategies: decide between the alternatives of each disjunction, then go through the
// variables. A variable that some conjunct equates with others comes after them, so it can be computed. Each
// is narrowed by the conjuncts in which it is the last one without a value, then drawn. At the end the whole
// condition is checked; the choices of a try that fails are taken back.
#include "solve/generate.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

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

struct Generator::Impl {
    Pool& pool;
    GenerateOptions options;
    std::unique_ptr<Solver> solver;

    struct Plan {
        std::vector<ExprId> conjuncts;
        std::vector<std::vector<ExprId>> alternatives;  // by conjunct: more than one for a disjunction
        std::vector<std::vector<VarId>> uses;           // by conjunct
        bool straight = true;                           // no disjunction
        // Of variables that every conjunct about them leaves alone with constants: the same each time.
        absl::flat_hash_map<VarId, Domain> settled;
    };
    absl::flat_hash_map<ExprId, std::unique_ptr<Plan>> plans;
    absl::flat_hash_map<ExprId, std::vector<VarId>> variables_memo;

    Impl(Pool& p, GenerateOptions o) : pool(p), options(std::move(o)) {}

    Plan& plan_of(ExprId condition) {
        auto [it, added] = plans.try_emplace(condition);
        if (!added) return *it->second;
        auto plan = std::make_unique<Plan>();
        plan->conjuncts = conjuncts_of(pool, condition);
        for (ExprId c : plan->conjuncts) {
            plan->alternatives.push_back(alternatives_of(pool, c));
            plan->straight = plan->straight && plan->alternatives.back().size() == 1;
            plan->uses.push_back(pool.variables_of(c));
        }
        return *(plans[condition] = std::move(plan));
    }

    // The domain of a variable by a whole plan, remembered if it does not depend on the environment.
    Domain domain_by(Plan& plan, VarId v, const Environment& env) {
        auto known = plan.settled.find(v);
        if (known != plan.settled.end()) return known->second;
        Domain d = domain_of(v, plan.conjuncts, env);
        bool alone = std::all_of(plan.uses.begin(), plan.uses.end(), [&](const std::vector<VarId>& used) {
            return used.size() < 2 || std::find(used.begin(), used.end(), v) == used.end();
        });
        if (alone) plan.settled.emplace(v, d);
        return d;
    }

    const std::vector<VarId>& variables_of(ExprId e) {
        auto [it, added] = variables_memo.try_emplace(e);
        if (added) it->second = pool.variables_of(e);
        return it->second;
    }

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

    // Each time the first one that no equation with open variables defines; in a circle just the first.
    std::vector<VarId> order(std::span<const VarId> variables, const std::vector<ExprId>& conjuncts) {
        std::vector<VarId> open(variables.begin(), variables.end()), result;
        auto waits = [&](VarId v, ExprId c) {
            if (!defined_by(v, c)) return false;
            const auto& used = variables_of(c);
            return std::any_of(used.begin(), used.end(), [&](VarId u) {
                return u != v && std::find(open.begin(), open.end(), u) != open.end();
            });
        };
        while (!open.empty()) {
            auto next = std::find_if(open.begin(), open.end(), [&](VarId v) {
                return std::none_of(conjuncts.begin(), conjuncts.end(),
                                    [&](ExprId c) { return waits(v, c); });
            });
            if (next == open.end()) next = open.begin();
            result.push_back(*next);
            open.erase(next);
        }
        return result;
    }

    Domain domain_of(VarId v, const std::vector<ExprId>& conjuncts, const Environment& env) {
        Domain d = Domain::of(pool.types(), pool.variable(v).type);
        for (ExprId c : conjuncts) {
            bool last = true, mentioned = false;
            for (VarId u : variables_of(c)) {
                if (u == v)
                    mentioned = true;
                else if (!env.get(u))
                    last = false;
            }
            if (last && mentioned) narrow(pool, d, v, c, env);
        }
        for (const ElementRule& rule : options.elements)
            if (rule.list == v && d.kind == TypeKind::list)
                for (ExprId c : conjuncts_of(pool, rule.condition)) {
                    narrow(pool, d.parts[0], rule.element, c, env);
                    for (Domain& item : d.items) narrow(pool, item, rule.element, c, env);
                }
        bool text = d.kind == TypeKind::string || d.kind == TypeKind::bytes;
        if (text && d.texts && !d.options && (d.size_low > 0 || d.size_high < 200)) limit_length(d);
        return d;
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
                           [&](ExprId c) { return satisfied(pool, c, env); });
    }

    // The conjuncts to work towards: of each disjunction one alternative, also of those inside of it.
    std::vector<ExprId> decide(const Plan& plan, Choices& choices) {
        std::vector<ExprId> chosen;
        for (std::size_t i = 0; i < plan.conjuncts.size(); ++i)
            decide(plan.conjuncts[i], plan.alternatives[i], choices, 0, chosen);
        return chosen;
    }

    void decide(ExprId conjunct, const std::vector<ExprId>& ways, Choices& choices, unsigned depth,
                std::vector<ExprId>& chosen) {
        constexpr unsigned deepest = 4;
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
        std::vector<ExprId> goals = decide(plan, choices);
        Environment env = known;
        absl::flat_hash_map<VarId, std::string> how;
        for (VarId v : order(variables, goals)) {
            Domain d = plan.straight ? domain_by(plan, v, env) : domain_of(v, goals, env);
            if (d.empty()) return false;
            std::optional<Value> value = seen_value(d, plan, known, choices);
            how[v] = value ? "seen before" : d.how;
            DrawOptions draw_options{options.longest};
            if (!value) value = draw(d, pool.types(), choices, draw_options);
            if (!value || !belongs(*value, d.type, pool.types())) return false;
            env.set(v, std::move(*value));
        }
        if (!holds(plan, env)) return false;
        out.found = Found::yes;
        out.values = std::move(env);
        for (VarId v : variables) out.how.push_back(how[v]);
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
    bool enumerate(std::span<const VarId> variables, const Plan& plan, const Environment& known,
                   Choices& choices, Generated& out) {
        std::vector<std::vector<Value>> values;
        std::uint64_t product = 1;
        for (VarId v : variables) {
            Domain d = domain_of(v, plan.conjuncts, known);
            auto all = d.all(options.combinations);
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
    void ask_solver(std::span<const VarId> variables, ExprId condition, const Plan& plan,
                    const Environment& known, Choices& choices, Generated& out) {
        ExprId question = with_known(condition, known);
        SolverAnswer answer = the_solver().check(question);
        out.reason = answer.reason;
        if (answer.satisfiable == Satisfiable::no) out.found = Found::no;
        if (answer.satisfiable != Satisfiable::yes) return;
        Environment env = known;
        for (VarId v : variables) {
            Domain d = domain_of(v, plan.conjuncts, env);
            DrawOptions draw_options{std::min<std::int64_t>(options.longest, 6)};
            std::optional<Value> wish = draw(d, pool.types(), choices, draw_options);
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
            Plan plan = plan_of(all);
            Choices none(std::span<const std::uint64_t>{});
            for (VarId v : variables)
                if (domain_of(v, plan.conjuncts, known).empty()) return true;
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

    enum class Way : std::uint8_t { direct, combinations, solver, mentioned };  // the first choice

    void replay(Way way, std::span<const VarId> variables, ExprId condition, Plan& plan,
                const Environment& known, Choices& choices, Generated& out) {
        out.reason = "these choices lead to no values";
        if (way == Way::direct) try_once(variables, plan, known, choices, out);
        if (way == Way::combinations) enumerate(variables, plan, known, choices, out);
        if (way == Way::solver && options.solver) ask_solver(variables, condition, plan, known, choices, out);
        if (way == Way::mentioned) search_mentioned(variables, plan, known, choices, out);
    }

    Generated generate(std::span<const VarId> variables, ExprId condition, const Environment& known,
                       Choices& choices) {
        Generated out;
        Plan& plan = plan_of(condition);
        std::size_t mark = choices.made().size();
        bool impossible = false;
        for (VarId v : variables)
            if (domain_by(plan, v, known).empty()) impossible = true;
        // A conjunct without open variables is true or not; nothing that is drawn changes that.
        for (std::size_t i = 0; i < plan.conjuncts.size() && !impossible; ++i) {
            bool open = false;
            for (VarId u : plan.uses[i]) open = open || !known.get(u);
            for (VarId u : plan.uses[i])
                open = open || std::find(variables.begin(), variables.end(), u) != variables.end();
            impossible = !open && !satisfied(pool, plan.conjuncts[i], known);
        }
        if (impossible) {
            out.found = Found::no;
            if (options.contradictions) out.core = core_of(variables, plan.conjuncts, known);
            return out;
        }
        if (choices.replaying()) {
            replay(static_cast<Way>(choices.draw(4)), variables, condition, plan, known, choices, out);
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
        if (direct(options.tries)) return out;
        begin(Way::combinations);
        if (!enumerate(variables, plan, known, choices, out) && options.solver) {
            begin(Way::solver);
            ask_solver(variables, condition, plan, known, choices, out);
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

GenerateOptions& Generator::options() {
    return impl_->options;
}

Generated Generator::generate(std::span<const VarId> variables, ExprId condition, const Environment& known,
                              Choices& choices) {
    return impl_->generate(variables, condition ? condition : impl_->pool.boolean(true), known, choices);
}

}  // namespace treaty::solve
