// Levels and remembered answers.
//
// Levels are kept on our side and handed to Z3 only when a question has to be asked, so a search whose
// questions are all remembered costs nothing there. When Z3 fails as a program (out of memory), its context
// is given up and a new one gets the levels.

#include "solve/solver.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/check.h"
#include "solve/solver_impl.h"

namespace treaty::solve {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Pool;

constexpr const char* memory_limit_mb = "3000";
constexpr std::size_t max_remembered = 200'000;
constexpr std::size_t max_translations = 2'000'000;
// Beyond this a number may ask for a text or a list that is longer than Z3 can handle.
constexpr std::int64_t moderate_number = 64;

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

bool is_large(const Pool& pool, ExprId id) {
    if (!pool.is_literal(id)) return false;
    auto* x = std::get_if<std::int64_t>(&pool.literal_of(id).v);
    return x && (*x > moderate_number || *x < -moderate_number);
}

}  // namespace

smt::Engine::Engine(Pool& pool, std::shared_ptr<z3::context> in)
    : shared(std::move(in)),
      along_levels(make_solver(context)),
      alone(make_solver(context)),
      translator(pool, context) {}

z3::solver smt::Engine::make_solver(z3::context& context) {
    z3::solver solver(context, z3::solver::simple());
    z3::params params(context);
    params.set("ctrl_c", false);  // the command line handles interrupts itself
    // The default arithmetic of this version hands products to a procedure that heeds no limit.
    params.set("arith.solver", 2u);
    solver.set(params);
    return solver;
}

SolverContext::SolverContext() : shared_(std::make_shared<Shared>()) {}
SolverContext::SolverContext(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Solver::Impl::Impl(Pool& the_pool, std::chrono::milliseconds the_limit,
                   std::shared_ptr<SolverContext::Shared> the_shared)
    : pool(the_pool), limit(the_limit), shared(std::move(the_shared)), size_finder(the_pool), levels(1) {
    Z3_global_param_set("memory_max_size", memory_limit_mb);
    start();
}

void Solver::Impl::start() {
    forget_levels();
    posed = false;
    if (!shared->context) {
        shared->context = std::make_shared<z3::context>();
        ++shared->made;
    }
    engine = std::make_unique<smt::Engine>(pool, shared->context);
}

// The context may be unusable now. Other users of it keep it until they fail themselves.
void Solver::Impl::start_after_failure() {
    if (shared->context == engine->shared) shared->context.reset();
    engine.reset();  // first, for without the memory that it holds no new context could be made
    start();
}

void Solver::Impl::forget_levels() {
    for (smt::Level& level : levels) {
        level.asserted = 0;
        level.pushed = false;
        level.constrained.clear();
    }
}

const smt::Facts& Solver::Impl::facts(ExprId id) {
    auto [entry, fresh] = known_facts.try_emplace(id);
    if (fresh) {
        for (ExprId part : pool.parts_of(id)) {
            if (pool[part].op == Op::var) entry->second.variables.push_back(pool.var_of(part));
            if (is_large(pool, part)) entry->second.large_numbers = true;
        }
    }
    return entry->second;
}

SolverAnswer Solver::Impl::ask(ExprId condition, std::vector<ExprId> refuted) {
    ++queries;
    smt::Question question{{}, std::move(refuted)};
    auto& all = question.conjuncts;
    for (const smt::Level& level : levels)
        all.insert(all.end(), level.conjuncts.begin(), level.conjuncts.end());
    if (condition) add_conjuncts(pool, condition, all);
    for (auto* set : {&question.conjuncts, &question.refuted}) {
        std::sort(set->begin(), set->end());
        set->erase(std::unique(set->begin(), set->end()), set->end());
    }
    if (auto found = remembered.find(question); found != remembered.end()) {
        ++without_z3;
        return found->second;
    }
    auto start = std::chrono::steady_clock::now();
    SolverAnswer answer = decide(question);
    in_z3 += std::chrono::steady_clock::now() - start;
    if (remembered.size() >= max_remembered) remembered.clear();
    remembered.emplace(std::move(question), answer);
    return answer;
}

SolverAnswer Solver::Impl::decide(const smt::Question& question) {
    auto is_false = [&](ExprId id) { return pool.is_false(id); };
    auto is_true = [&](ExprId id) { return pool.is_true(id); };
    bool impossible = std::any_of(question.conjuncts.begin(), question.conjuncts.end(), is_false) ||
                      std::any_of(question.refuted.begin(), question.refuted.end(), is_true);
    bool trivial =
        question.conjuncts.empty() && std::all_of(question.refuted.begin(), question.refuted.end(), is_false);
    if (impossible || trivial) {
        ++without_z3;
        return {impossible ? Satisfiable::no : Satisfiable::yes, {}, {}};
    }
    try {
        if (engine->translator.size() > max_translations) start();
        return ask_z3(question);
    } catch (const std::exception& fault) {
        start_after_failure();
        return {Satisfiable::unknown, {}, fmt::format("the solver failed: {}", fault.what())};
    }
}

Solver::Solver(Pool& pool, std::chrono::milliseconds query_limit, const SolverContext& context)
    : impl_(std::make_unique<Impl>(pool, query_limit, context.shared_)) {}
Solver::~Solver() = default;

SolverContext Solver::context() const {
    return SolverContext(impl_->shared);
}

void Solver::push() {
    impl_->levels.emplace_back();
}

void Solver::pop() {
    TREATY_CHECK(impl_->levels.size() > 1);
    bool pushed = impl_->levels.back().pushed;
    impl_->levels.pop_back();
    if (!pushed) return;
    try {
        impl_->engine->along_levels.pop();
    } catch (const std::exception&) {
        impl_->start_after_failure();
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

SolverAnswer Solver::check(ExprId condition, std::vector<ExprId> refuted) {
    return impl_->ask(condition, std::move(refuted));
}

Satisfiable Solver::valid(ExprId condition) {
    switch (impl_->ask({}, {condition}).satisfiable) {
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

std::chrono::nanoseconds Solver::time_in_z3() const {
    return impl_->in_z3;
}

std::size_t Solver::context_count() const {
    return impl_->shared->made;
}

std::size_t Solver::level_count() const {
    return impl_->levels.size() - 1;
}

}  // namespace treaty::solve
