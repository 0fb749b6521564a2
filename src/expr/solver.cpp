// One Z3 solver that follows the levels of a search.
//
// Levels are kept on our side and handed to Z3 only when a question has to be asked, so a search whose
// questions are all remembered costs nothing there. A question is asked up to four times: as it is, and, when
// its model cannot be used (an integer beyond 64 bits, a character beyond a byte, a rounded real, an overflow
// on evaluation) or Z3 gave up, within bounds that keep values small. Only the first time may answer `no`.
// When Z3 fails as a program (out of memory), its context is thrown away and built again from the levels.

#include "expr/solver.h"

#include <algorithm>
#include <limits>
#include <span>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/check.h"
#include "expr/solver_model.h"
#include "expr/solver_translate.h"

namespace treaty::expr {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* memory_limit_mb = "3000";
constexpr std::size_t max_remembered = 200'000;
constexpr std::size_t max_translations = 2'000'000;

struct Engine {
    explicit Engine(Pool& pool) : solver(context, z3::solver::simple()), translator(pool, context) {
        set_up();
    }

    void renew_solver() {
        solver = z3::solver(context, z3::solver::simple());
        set_up();
    }
    void set_up() {
        z3::params params(context);
        params.set("ctrl_c", false);  // the command line handles interrupts itself
        solver.set(params);
        timeout_ms = 0;
    }

    z3::context context;
    z3::solver solver;
    smt::Translator translator;
    unsigned timeout_ms = 0;  // as Z3 has it; 0: none yet
};

struct Level {
    std::vector<ExprId> conjuncts;
    std::size_t asserted = 0;  // how many of them Z3 has
    bool pushed = false;       // whether Z3 has the level
    absl::flat_hash_set<VarId> constrained;
};

// What is asked: all of `conjuncts`, and not `refuted` if there is one.
struct Question {
    std::vector<ExprId> conjuncts;  // sorted, without repeats
    ExprId refuted;
    friend bool operator==(const Question&, const Question&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Question& q) {
        return H::combine(std::move(h), q.conjuncts, q.refuted);
    }
};

struct Bounds {
    bool any = false;
    std::int64_t integer = 0;
};
constexpr Bounds attempts[] = {
    {false, 0}, {true, std::numeric_limits<std::int64_t>::max()}, {true, std::int64_t{1} << 31}, {true, 100}};

void add_conjuncts(const Pool& pool, ExprId condition, std::vector<ExprId>& out) {
    std::vector<ExprId> pending{condition};
    absl::flat_hash_set<ExprId> seen;
    while (!pending.empty()) {
        ExprId id = pending.back();
        pending.pop_back();
        if (!seen.insert(id).second) continue;
        if (pool[id].op == Op::logical_and) {
            for (ExprId child : pool.children(id)) pending.push_back(child);
        } else if (!pool.is_true(id)) {
            out.push_back(id);
        }
    }
}

bool printable(const Value& value) {
    if (auto* text = std::get_if<std::string>(&value.v))
        return std::all_of(text->begin(), text->end(), [](char c) { return c >= ' ' && c <= '~'; });
    auto* sequence = std::get_if<Sequence>(&value.v);
    return !sequence || std::all_of(sequence->items.begin(), sequence->items.end(), printable);
}

// A value for a variable that the solver cannot represent; tried, and confirmed or not like all others.
std::optional<Value> default_value(const Types& types, TypeId id) {
    const Type& type = types[id];
    switch (type.kind) {
        case TypeKind::list:
        case TypeKind::optional: return Sequence{};
        default: return std::nullopt;
    }
}

}  // namespace

struct Solver::Impl {
    Impl(Pool& the_pool, milliseconds the_limit) : pool(the_pool), limit(the_limit), levels(1) {
        Z3_global_param_set("memory_max_size", memory_limit_mb);
        start();
    }

    void start() {
        forget_levels();
        engine = std::make_unique<Engine>(pool);
        ++contexts;
    }

    void forget_levels() {  // what Z3 has of them
        for (Level& level : levels) {
            level.asserted = 0;
            level.pushed = false;
            level.constrained.clear();
        }
    }

    SolverAnswer ask(ExprId condition, ExprId refuted);
    SolverAnswer decide(const Question& question);
    SolverAnswer ask_z3(const Question& question);
    void hand_over_levels();
    void pose(const Question& question);
    void abandon();
    bool attempt(const Question& question, std::span<const VarId> ids, const Bounds& bounds,
                 Clock::time_point deadline, SolverAnswer& answer);
    void assert_one(ExprId conjunct, absl::flat_hash_set<VarId>& here);
    void constrain(VarId id, absl::flat_hash_set<VarId>& here);
    const std::vector<VarId>& variables(ExprId id);
    std::vector<VarId> variables(const Question& question);
    void bound(std::span<const VarId> ids, const Bounds& bounds);
    void limit_time(Clock::time_point deadline);
    std::string read_model(const Question& question, std::span<const VarId> ids, Environment& model);
    std::string confirm(const Question& question, std::span<const VarId> ids, const Environment& model);
    std::string why_unknown(Clock::time_point deadline);

    Pool& pool;
    milliseconds limit;
    std::unique_ptr<Engine> engine;
    std::vector<Level> levels;
    bool posed = false;    // whether Z3 has the current question
    std::string left_out;  // why a part of the current question is not translated; empty if all of it is
    absl::flat_hash_map<Question, SolverAnswer> remembered;
    absl::flat_hash_map<ExprId, std::vector<VarId>> variables_by_expression;
    std::size_t queries = 0;
    std::size_t without_z3 = 0;
    std::size_t contexts = 0;
};

SolverAnswer Solver::Impl::ask(ExprId condition, ExprId refuted) {
    ++queries;
    Question question{{}, refuted};
    for (const Level& level : levels)
        question.conjuncts.insert(question.conjuncts.end(), level.conjuncts.begin(), level.conjuncts.end());
    if (condition) add_conjuncts(pool, condition, question.conjuncts);
    auto& all = question.conjuncts;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (auto found = remembered.find(question); found != remembered.end()) {
        ++without_z3;
        return found->second;
    }
    SolverAnswer answer = decide(question);
    if (remembered.size() >= max_remembered) remembered.clear();
    remembered.emplace(std::move(question), answer);
    return answer;
}

SolverAnswer Solver::Impl::decide(const Question& question) {
    bool impossible = std::any_of(question.conjuncts.begin(), question.conjuncts.end(),
                                  [&](ExprId id) { return pool.is_false(id); }) ||
                      (question.refuted && pool.is_true(question.refuted));
    bool trivial = question.conjuncts.empty() && (!question.refuted || pool.is_false(question.refuted));
    if (impossible || trivial) {
        ++without_z3;
        return {impossible ? Satisfiable::no : Satisfiable::yes, {}, {}};
    }
    try {
        if (engine->translator.size() > max_translations) start();
        return ask_z3(question);
    } catch (const std::exception& fault) {
        posed = false;
        start();
        return {Satisfiable::unknown, {}, fmt::format("the solver failed: {}", fault.what())};
    }
}

const std::vector<VarId>& Solver::Impl::variables(ExprId id) {
    auto [entry, fresh] = variables_by_expression.try_emplace(id);
    if (fresh) entry->second = pool.variables_of(id);
    return entry->second;
}

std::vector<VarId> Solver::Impl::variables(const Question& question) {
    std::vector<VarId> all;
    auto add = [&](ExprId id) {
        const auto& some = variables(id);
        all.insert(all.end(), some.begin(), some.end());
    };
    for (ExprId id : question.conjuncts) add(id);
    if (question.refuted) add(question.refuted);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

// What the variable's type demands, once on the way from the lowest level to here.
void Solver::Impl::constrain(VarId id, absl::flat_hash_set<VarId>& here) {
    for (const Level& level : levels)
        if (level.pushed && level.constrained.contains(id)) return;
    if (!here.insert(id).second) return;
    if (const smt::Declared* declared = engine->translator.variable(id))
        for (const z3::expr& constraint : declared->constraints) engine->solver.add(constraint);
}

void Solver::Impl::assert_one(ExprId conjunct, absl::flat_hash_set<VarId>& here) {
    for (VarId id : variables(conjunct)) constrain(id, here);
    smt::Translation translation = engine->translator.translate(conjunct);
    if (!translation.problem.empty()) return;
    if (translation.defined) engine->solver.add(*translation.defined);
    engine->solver.add(translation.term->z.value());
}

void Solver::Impl::hand_over_levels() {
    for (Level& level : levels) {
        if (!level.pushed) engine->solver.push();
        level.pushed = true;
        for (; level.asserted < level.conjuncts.size(); ++level.asserted)
            assert_one(level.conjuncts[level.asserted], level.constrained);
    }
}

void Solver::Impl::bound(std::span<const VarId> ids, const Bounds& bounds) {
    if (!bounds.any) return;
    z3::solver& solver = engine->solver;
    z3::context& context = engine->context;
    z3::expr low = context.int_val(-bounds.integer);
    z3::expr high = context.int_val(bounds.integer);
    z3::expr printable_text =
        z3::star(z3::range(context.string_val(" "), context.string_val("~")));
    for (VarId id : ids) {
        const smt::Declared* declared = engine->translator.variable(id);
        if (!declared) continue;
        for (const z3::expr& e : declared->integers) solver.add(e >= low && e <= high);
        for (const z3::expr& e : declared->reals) {
            // Multiples of 1/1024 of moderate size are exact in 64 bits, and so are their sums.
            solver.add(z3::is_int(e * 1024));
            solver.add(e >= z3::to_real(low) && e <= z3::to_real(high));
        }
        for (const z3::expr& e : declared->texts) {
            solver.add(z3::in_re(e, printable_text));
            solver.add(e.length() <= 64);
        }
        for (const z3::expr& e : declared->sequences) {
            solver.add(e.length() <= smt::constrained_items);
            z3::sort basis(context, Z3_get_seq_sort_basis(context, e.get_sort()));
            if (!basis.is_int()) continue;
            for (int i = 0; i < smt::constrained_items; ++i) {
                z3::expr item = e.nth(context.int_val(i));
                solver.add(z3::implies(e.length() > i, item >= low && item <= high));
            }
        }
    }
}

// Setting a parameter costs as much as a small question, so it is done only for another value.
void Solver::Impl::limit_time(Clock::time_point deadline) {
    auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    auto timeout = static_cast<unsigned>(std::clamp<std::int64_t>(left, 1, 1'000'000'000));
    if (timeout == engine->timeout_ms) return;
    z3::params params(engine->context);
    params.set("timeout", timeout);
    engine->solver.set(params);
    engine->timeout_ms = timeout;
}

std::string Solver::Impl::why_unknown(Clock::time_point deadline) {
    std::string reason = engine->solver.reason_unknown();
    if (Clock::now() >= deadline || reason == "timeout" || reason == "canceled")
        return fmt::format("the time limit of {} ms was reached", limit.count());
    return fmt::format("the solver gave up: {}", reason);
}

std::string Solver::Impl::read_model(const Question& question, std::span<const VarId> ids, Environment& model) {
    z3::model found = engine->solver.get_model();
    for (VarId id : ids) {
        TypeId type = pool.variable(id).type;
        const smt::Declared* declared = engine->translator.variable(id);
        if (!declared) {
            if (auto value = default_value(pool.types(), type)) model.set(id, std::move(*value));
            continue;
        }
        auto value = smt::value_of(engine->translator.terms(), found, declared->term, type);
        if (auto* fault = std::get_if<std::string>(&value))
            return fmt::format("{} came out as {}", pool.names().text(pool.variable(id).name), *fault);
        model.set(id, std::move(std::get<Value>(value)));
    }
    return confirm(question, ids, model);
}

// Why the model is no answer to the question, by evaluation; empty if it is one.
std::string Solver::Impl::confirm(const Question& question, std::span<const VarId> ids, const Environment& model) {
    for (VarId id : ids) {
        const Value* value = model.get(id);
        if (value && !belongs(*value, pool.variable(id).type, pool.types()))
            return fmt::format("{} came out beyond its type", pool.names().text(pool.variable(id).name));
    }
    for (ExprId conjunct : question.conjuncts) {
        Fault fault;
        if (satisfied(pool, conjunct, model, &fault)) continue;
        return fault.reason.empty() ? "evaluation does not confirm it" : fmt::format("on evaluation, {}", fault.reason);
    }
    if (question.refuted && satisfied(pool, question.refuted, model)) return "evaluation does not confirm it";
    return {};
}

// Hands over the levels, and on a level of its own what they do not hold already.
void Solver::Impl::pose(const Question& question) {
    hand_over_levels();
    engine->solver.push();
    posed = true;
    left_out.clear();
    absl::flat_hash_set<VarId> constrained;
    absl::flat_hash_set<ExprId> assumed;
    for (const Level& level : levels) assumed.insert(level.conjuncts.begin(), level.conjuncts.end());
    for (ExprId conjunct : question.conjuncts) {
        if (!assumed.contains(conjunct)) assert_one(conjunct, constrained);
        const std::string& problem = engine->translator.translate(conjunct).problem;
        if (!problem.empty()) left_out = problem;
    }
    if (!question.refuted) return;
    for (VarId id : variables(question.refuted)) constrain(id, constrained);
    smt::Translation translation = engine->translator.translate(question.refuted);
    if (!translation.problem.empty()) {
        left_out = translation.problem;
        return;
    }
    z3::expr holds = translation.term->z.value();
    engine->solver.add(translation.defined ? !(*translation.defined && holds) : !holds);
}

// Asks once and merges what comes of it into the answer; true if that settles it.
bool Solver::Impl::attempt(const Question& question, std::span<const VarId> ids, const Bounds& bounds,
                           Clock::time_point deadline, SolverAnswer& answer) {
    z3::solver& solver = engine->solver;
    solver.push();
    bound(ids, bounds);
    limit_time(deadline);
    z3::check_result result = solver.check();
    std::string fault;
    Environment model;
    if (result == z3::sat) fault = read_model(question, ids, model);
    if (result == z3::unknown) fault = why_unknown(deadline);
    if (result == z3::unknown) abandon();
    else solver.pop();
    if (result == z3::unsat) {
        if (!bounds.any) answer.satisfiable = Satisfiable::no;
        return true;
    }
    if (!fault.empty()) {
        if (!bounds.any)
            answer.reason = result == z3::sat ? "the solver found a model that cannot be used: " + fault : fault;
        return false;
    }
    bool nice = std::all_of(ids.begin(), ids.end(), [&](VarId id) {
        const Value* value = model.get(id);
        return !value || printable(*value);
    });
    if (nice || answer.satisfiable != Satisfiable::yes) answer.model = std::move(model);
    answer.satisfiable = Satisfiable::yes;
    return nice || bounds.any;
}

// A search that Z3 broke off leaves it in a state from which going back may crash; the next question gets a
// new solver in the same context.
void Solver::Impl::abandon() {
    engine->renew_solver();
    forget_levels();
    posed = false;
}

SolverAnswer Solver::Impl::ask_z3(const Question& question) {
    std::vector<VarId> ids = variables(question);
    Clock::time_point begin = Clock::now();
    SolverAnswer answer;
    for (const Bounds& bounds : attempts) {
        // The first attempt leaves time for the others.
        Clock::time_point deadline = begin + (bounds.any ? limit : limit * 2 / 3);
        if (bounds.any && Clock::now() >= deadline) break;
        if (!posed) pose(question);
        if (attempt(question, ids, bounds, deadline, answer)) break;
    }
    if (posed) engine->solver.pop();
    posed = false;
    if (answer.satisfiable != Satisfiable::unknown) answer.reason.clear();
    else if (!left_out.empty()) answer.reason = left_out;
    return answer;
}

Solver::Solver(Pool& pool, milliseconds query_limit) : impl_(std::make_unique<Impl>(pool, query_limit)) {}
Solver::~Solver() = default;

void Solver::push() {
    impl_->levels.emplace_back();
}

void Solver::pop() {
    TREATY_CHECK(impl_->levels.size() > 1);
    bool pushed = impl_->levels.back().pushed;
    impl_->levels.pop_back();
    if (!pushed) return;
    try {
        impl_->engine->solver.pop();
    } catch (const std::exception&) {
        impl_->start();
    }
}

void Solver::assume(ExprId condition) {
    add_conjuncts(impl_->pool, condition, impl_->levels.back().conjuncts);
}

SolverAnswer Solver::check() {
    return impl_->ask({}, {});
}

SolverAnswer Solver::check(ExprId condition) {
    return impl_->ask(condition, {});
}

Satisfiable Solver::valid(ExprId condition) {
    switch (impl_->ask({}, condition).satisfiable) {
        case Satisfiable::yes: return Satisfiable::no;
        case Satisfiable::no: return Satisfiable::yes;
        case Satisfiable::unknown: break;
    }
    return Satisfiable::unknown;
}

std::size_t Solver::query_count() const {
    return impl_->queries;
}

std::size_t Solver::remembered_count() const {
    return impl_->without_z3;
}

std::size_t Solver::context_count() const {
    return impl_->contexts;
}

std::size_t Solver::level_count() const {
    return impl_->levels.size() - 1;
}

}  // namespace treaty::expr
