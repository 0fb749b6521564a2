// One question, put to Z3 in several manners until one settles it.
//
// First with texts and lists of moderate length: that bound is an assumption, so a `no` that does not rest on
// it is a `no` for all lengths; where it does rest on it, the question is put again without. Z3 answers about
// mathematical numbers; when its model cannot be used (an integer beyond 64 bits, a character beyond a byte,
// a rounded real, an overflow on evaluation) or it gives up, the question is put again with small values,
// which can only turn `unknown` into `yes`. Work is counted in Z3's own units, never in time: its timers can
// deadlock, and the same question shall have the same answer every time.

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "solve/solver_impl.h"

namespace treaty::solve {
namespace {

using expr::Environment;
using expr::ExprId;
using expr::Fault;
using expr::Sequence;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;
using expr::VarId;

using smt::Manner;
using smt::Outcome;

constexpr unsigned work_per_ms = 1000;         // Z3 does one to three thousand of its units in a millisecond
constexpr std::uint64_t emergency_factor = 8;  // of the time that the work should take
constexpr int moderate_text = 64;
constexpr int moderate_list = 32;
constexpr int tiny_text = 16;

constexpr Manner moderate{Manner::Lengths::moderate, std::nullopt, 6};
constexpr Manner any_length{Manner::Lengths::any, std::nullopt, 4};
constexpr Manner small[] = {{Manner::Lengths::tiny, std::numeric_limits<std::int64_t>::max(), 2},
                            {Manner::Lengths::tiny, std::int64_t{1} << 31, 2},
                            {Manner::Lengths::tiny, 100, 2}};

bool printable(const Value& value) {
    if (auto* text = std::get_if<std::string>(&value.v))
        return std::all_of(text->begin(), text->end(), [](char c) { return c >= ' ' && c <= '~'; });
    auto* sequence = std::get_if<Sequence>(&value.v);
    return !sequence || std::all_of(sequence->items.begin(), sequence->items.end(), printable);
}

}  // namespace

// Where only the size of a text or list matters, an integer takes its place.
void Solver::Impl::rephrase() {
    std::vector<ExprId> all = original.conjuncts;
    all.insert(all.end(), original.refuted.begin(), original.refuted.end());
    sizes = size_finder.find(all);
    asked = original;
    if (alone()) {
        for (auto* set : {&asked.conjuncts, &asked.refuted})
            for (ExprId& condition : *set) condition = size_finder.rewrite(condition, sizes);
    }
    variables.clear();
    large_numbers = false;
    auto add = [&](ExprId id) {
        const smt::Facts& known = facts(id);
        variables.insert(variables.end(), known.variables.begin(), known.variables.end());
        large_numbers = large_numbers || known.large_numbers;
    };
    for (ExprId id : asked.conjuncts) add(id);
    for (ExprId id : asked.refuted) add(id);
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
}

// What the variable's type demands, once on the way from the lowest level to here.
void Solver::Impl::constrain(VarId id, absl::flat_hash_set<VarId>& here) {
    if (!alone())
        for (const smt::Level& level : levels)
            if (level.pushed && level.constrained.contains(id)) return;
    if (!here.insert(id).second) return;
    if (const smt::Declared* declared = engine->translator.variable(id))
        for (const z3::expr& constraint : declared->constraints) z3_solver().add(constraint);
}

void Solver::Impl::assert_one(ExprId conjunct, absl::flat_hash_set<VarId>& here) {
    for (VarId id : facts(conjunct).variables) constrain(id, here);
    smt::Translation translation = engine->translator.translate(conjunct);
    if (!translation.term) return;
    if (translation.defined) z3_solver().add(*translation.defined);
    z3_solver().add(translation.term->z.value());
}

void Solver::Impl::refute_one(ExprId condition, absl::flat_hash_set<VarId>& here) {
    for (VarId id : facts(condition).variables) constrain(id, here);
    smt::Translation translation = engine->translator.translate(condition);
    if (!translation.problem.empty()) left_out = translation.problem;
    if (!translation.term) return;
    z3::expr holds = translation.term->z.value();
    z3_solver().add(translation.defined ? !(*translation.defined && holds) : !holds);
}

void Solver::Impl::hand_over_levels() {
    for (smt::Level& level : levels) {
        if (!level.pushed) engine->along_levels.push();
        level.pushed = true;
        for (; level.asserted < level.conjuncts.size(); ++level.asserted)
            assert_one(level.conjuncts[level.asserted], level.constrained);
    }
}

// On a Z3 level of its own, what the levels do not hold already.
void Solver::Impl::pose() {
    absl::flat_hash_set<ExprId> assumed;
    if (!alone()) {
        hand_over_levels();
        for (const smt::Level& level : levels) assumed.insert(level.conjuncts.begin(), level.conjuncts.end());
    }
    z3_solver().push();
    posed = true;
    left_out.clear();
    absl::flat_hash_set<VarId> constrained;
    for (ExprId conjunct : asked.conjuncts) {
        if (!assumed.contains(conjunct)) assert_one(conjunct, constrained);
        const std::string& problem = engine->translator.translate(conjunct).problem;
        if (!problem.empty()) left_out = problem;
    }
    for (ExprId condition : asked.refuted) refute_one(condition, constrained);
}

// Asserts the bounds on values; bounds on lengths hold if the returned assumption does.
z3::expr Solver::Impl::bound(const Manner& manner) {
    z3::solver& solver = z3_solver();
    z3::context& context = engine->context;
    z3::expr is_short = context.bool_const("short");
    bool tiny = manner.lengths == Manner::Lengths::tiny;
    std::int64_t most = manner.integers.value_or(0);
    z3::expr low = context.int_val(-most);
    z3::expr high = context.int_val(most);
    auto within = [&](const z3::expr& e) { return e >= low && e <= high; };
    for (VarId id : variables) {
        const smt::Declared* declared = engine->translator.variable(id);
        if (!declared) continue;
        if (manner.lengths != Manner::Lengths::any) {
            for (const z3::expr& e : declared->texts)
                solver.add(z3::implies(is_short, e.length() <= (tiny ? tiny_text : moderate_text)));
            for (const z3::expr& e : declared->sequences)
                solver.add(
                    z3::implies(is_short, e.length() <= (tiny ? smt::constrained_items : moderate_list)));
        }
        if (!manner.integers) continue;
        for (const z3::expr& e : declared->integers) solver.add(within(e));
        for (const z3::expr& e : declared->reals) {
            // Multiples of 1/1024 of moderate size are exact in 64 bits, and so are their sums.
            solver.add(z3::is_int(e * 1024));
            solver.add(e >= z3::to_real(low) && e <= z3::to_real(high));
        }
        z3::expr letters = z3::star(z3::range(context.string_val(" "), context.string_val("~")));
        for (const z3::expr& e : declared->texts) solver.add(z3::in_re(e, letters));
        for (const z3::expr& e : declared->sequences) {
            z3::sort basis(context, Z3_get_seq_sort_basis(context, e.get_sort()));
            for (int i = 0; i < smt::constrained_items && basis.is_int(); ++i)
                solver.add(z3::implies(e.length() > i, within(e.nth(context.int_val(i)))));
        }
    }
    return is_short;
}

std::string Solver::Impl::why_unknown() {
    std::string reason = z3_solver().reason_unknown();
    if (reason.find("canceled") != std::string::npos || reason.find("resource") != std::string::npos)
        return fmt::format("the limit of {} ms of work was reached", limit.count());
    return fmt::format("the solver gave up: {}", reason);
}

std::string Solver::Impl::read_model(Environment& model) {
    z3::model found = z3_solver().get_model();
    auto name = [&](VarId id) { return pool.names().text(pool.variable(id).name); };
    for (VarId id : variables) {
        TypeId type = pool.variable(id).type;
        const smt::Declared* declared = engine->translator.variable(id);
        if (!declared) {
            // The solver cannot represent it; a plain value may do.
            if (auto value = smt::plain_value(pool.types(), type)) model.set(id, std::move(*value));
            continue;
        }
        auto value = smt::value_of(engine->translator.terms(), found, declared->term, type);
        if (auto* fault = std::get_if<std::string>(&value))
            return fmt::format("{} came out as {}", name(id), *fault);
        model.set(id, std::move(std::get<Value>(value)));
    }
    for (auto [variable, size] : sizes) {
        auto value = smt::plain_value(pool.types(), pool.variable(variable).type, model.get(size)->integer());
        if (!value) return fmt::format("{} came out too large", name(variable));
        model.set(variable, std::move(*value));
        model.clear(size);
    }
    return confirm(model);
}

// Why the model does not answer the question, by evaluation; empty if it does.
std::string Solver::Impl::confirm(const Environment& model) {
    for (VarId id : variables) {
        const Value* value = model.get(id);
        if (value && !belongs(*value, pool.variable(id).type, pool.types()))
            return fmt::format("{} came out beyond its type", pool.names().text(pool.variable(id).name));
    }
    for (ExprId conjunct : original.conjuncts) {
        Fault fault;
        if (satisfied(pool, conjunct, model, &fault)) continue;
        return fault.reason.empty() ? "evaluation does not confirm it"
                                    : fmt::format("on evaluation, {}", fault.reason);
    }
    for (ExprId condition : original.refuted)
        if (satisfied(pool, condition, model)) return "evaluation does not confirm it";
    return {};
}

// A search that Z3 broke off leaves it in a state from which going back may crash; what follows gets a new
// solver in the same context.
void Solver::Impl::abandon() {
    z3_solver() = smt::Engine::make_solver(engine->context);
    if (!alone()) forget_levels();
    posed = false;
}

// Puts the question once and merges what comes of it into the answer.
Outcome Solver::Impl::attempt(const Manner& manner, SolverAnswer& answer) {
    if (!posed) pose();
    z3::solver& solver = z3_solver();
    solver.push();
    z3::expr_vector assumptions(engine->context);
    assumptions.push_back(bound(manner));
    z3::params params(engine->context);
    auto work = static_cast<std::uint64_t>(std::clamp<std::int64_t>(limit.count(), 1, 1'000'000));
    params.set("rlimit", static_cast<unsigned>(work * work_per_ms * manner.share / 12));
    // Some of Z3's procedures do not count their work: the clock ends them, late enough that a busy machine
    // does not.
    params.set("timeout", static_cast<unsigned>(work * emergency_factor));
    solver.set(params);
    z3::check_result result = solver.check(assumptions);
    std::string fault;
    Environment model;
    Outcome unsat = Outcome::open;
    if (result == z3::sat) fault = read_model(model);
    if (result == z3::unknown) fault = why_unknown();
    bool bounded = std::any_of(variables.begin(), variables.end(), [&](VarId id) {
        const smt::Declared* declared = engine->translator.variable(id);
        return declared && declared->bounded;
    });
    if (result == z3::unsat && !manner.integers && !bounded)
        unsat = solver.unsat_core().empty() ? Outcome::settled : Outcome::refuted_if_short;
    if (result == z3::unsat && bounded)
        fault = fmt::format("only sets and maps of at most {} entries were tried", smt::declared_entries);
    if (result == z3::unknown)
        abandon();
    else
        solver.pop();

    if (result == z3::unsat) {
        if (unsat == Outcome::settled)
            answer.satisfiable = Satisfiable::no;
        else if (answer.reason.empty())
            answer.reason = std::move(fault);
        return unsat;
    }
    if (!fault.empty()) {
        if (result == z3::sat) fault = "the solver found a model that cannot be used: " + fault;
        if (answer.reason.empty()) answer.reason = std::move(fault);
        return Outcome::open;
    }
    bool nice = std::all_of(variables.begin(), variables.end(), [&](VarId id) {
        const Value* value = model.get(id);
        return !value || printable(*value);
    });
    if (nice || answer.satisfiable != Satisfiable::yes) answer.model = std::move(model);
    answer.satisfiable = Satisfiable::yes;
    return nice || manner.integers ? Outcome::settled : Outcome::open;
}

// Z3's theory of sequences heeds neither its count of work nor the clock on lists of texts or lists: in large
// conditions, and where a question is put again with small values after it gave up.
Solver::Impl::Nesting Solver::Impl::nesting(const smt::Question& question) const {
    Nesting found;
    auto look_at = [&](ExprId id) {
        for (ExprId part : pool.parts_of(id)) {
            ++found.parts;
            const auto& type = pool.types()[pool[part].type];
            if (type.kind != TypeKind::list) continue;
            TypeKind element = pool.types().kind(type.element);
            found.nested = found.nested || element == TypeKind::list || element == TypeKind::string ||
                           element == TypeKind::bytes;
        }
    };
    for (ExprId id : question.conjuncts) look_at(id);
    for (ExprId id : question.refuted) look_at(id);
    return found;
}

SolverAnswer Solver::Impl::ask_z3(const smt::Question& question) {
    constexpr std::size_t large = 150;
    Nesting lists = nesting(question);
    if (lists.nested && lists.parts > large)
        return {Satisfiable::unknown, {}, "a condition on lists of texts is too large for the solver"};
    original = question;
    rephrase();
    SolverAnswer answer;
    Outcome outcome = attempt(moderate, answer);
    if (outcome == Outcome::refuted_if_short) {
        if (large_numbers)
            answer.reason = "only texts and lists of moderate length were tried";
        else
            attempt(any_length, answer);
    } else if (outcome == Outcome::open && !lists.nested) {
        for (const Manner& manner : small)
            if (attempt(manner, answer) == Outcome::settled) break;
    }
    if (posed) z3_solver().pop();
    posed = false;
    if (answer.satisfiable != Satisfiable::unknown)
        answer.reason.clear();
    else if (!left_out.empty())
        answer.reason = left_out;
    return answer;
}

}  // namespace treaty::solve
