#include "drive/end_ways.h"

#include <algorithm>
#include <queue>

namespace treaty::drive {

using expr::ExprId;
using track::Marking;

EndWays::EndWays(model::Specification& specification, const model::Net& net)
    : specification_(specification), net_(net), to_end_(net) {
    depends_on_data_ =
        net.pool() && std::any_of(net.transitions().begin(), net.transitions().end(),
                                  [](const model::Transition& t) { return t.guard || t.where; });
}

const std::vector<EndWays::Way>& EndWays::after(const Marking& marking, model::TransitionId step,
                                                std::span<const expr::VarId> fields) {
    if (known_.size() >= most_remembered) known_.clear();
    auto [place, added] = known_.try_emplace({marking, step});
    std::vector<Way>& ways = place->second;
    if (!added) return ways;
    auto from = fired_after_silence(marking, step);
    if (!from) return ways;
    std::vector<Run> runs = runs_to_end(*from, true);
    // One segment may never end unless another one interrupts it.
    if (runs.empty()) runs = runs_to_end(*from, false);
    for (const Run& run : runs) {
        ways.push_back(way_of(run, step, fields));
        if (!ways.back().condition) break;
    }
    return ways;
}

// The marking after the step, with as few silent steps before it as possible; data is left aside.
std::optional<Marking> EndWays::fired_after_silence(Marking marking, model::TransitionId step) const {
    const model::Transition& t = net_.transitions()[step.index];
    std::vector<Marking> met{std::move(marking)};
    for (std::size_t i = 0; i < met.size() && i < most_markings; ++i) {
        if (track::enabled(met[i], t)) return track::fired(met[i], t);
        for (model::TransitionId one : enabled_in(met[i], false)) {
            if (!net_.transitions()[one.index].silent()) continue;
            Marking next = track::fired(met[i], net_.transitions()[one.index]);
            if (std::find(met.begin(), met.end(), next) == met.end()) met.push_back(std::move(next));
        }
    }
    return std::nullopt;
}

// one_by_one: only those that take the first token that can be taken.
std::vector<model::TransitionId> EndWays::enabled_in(const Marking& marking, bool one_by_one) const {
    std::vector<model::TransitionId> result;
    for (std::size_t i = 0; i < marking.size(); ++i) {
        if (i > 0 && marking[i] == marking[i - 1]) continue;
        for (model::TransitionId t : net_.consumers(model::PlaceId(marking[i])))
            if (track::enabled(marking, net_.transitions()[t.index]) &&
                std::find(result.begin(), result.end(), t) == result.end())
                result.push_back(t);
        if (one_by_one && !result.empty()) break;
    }
    return result;
}

// The shortest runs to an end, those first that seem to be nearest to it.
std::vector<EndWays::Run> EndWays::runs_to_end(const Marking& from, bool one_by_one) const {
    struct Node {
        Marking marking;
        std::size_t before = 0;
        model::TransitionId by;
        std::uint32_t steps = 0;
    };
    std::vector<Node> nodes{{from, 0, {}, 0}};
    using Entry = std::pair<std::uint64_t, std::size_t>;  // how long it is at least, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> todo;
    todo.emplace(0, 0);
    std::vector<Run> runs;
    while (!todo.empty() && nodes.size() < most_markings && runs.size() < most_ways) {
        std::size_t at = todo.top().second;
        todo.pop();
        if (track::successful(net_, nodes[at].marking)) {
            Run run;
            for (std::size_t i = at; i != 0; i = nodes[i].before) run.push_back(nodes[i].by);
            std::reverse(run.begin(), run.end());
            runs.push_back(std::move(run));
        }
        for (model::TransitionId t : enabled_in(nodes[at].marking, one_by_one)) {
            Marking next = track::fired(nodes[at].marking, net_.transitions()[t.index]);
            if (to_end_.endless(next)) continue;
            std::uint32_t steps = nodes[at].steps + 1;
            todo.emplace(steps + to_end_.from(next), nodes.size());
            nodes.push_back({std::move(next), at, t, steps});
        }
    }
    return runs;
}

void EndWays::require(Way& way, ExprId condition) {
    if (!condition) return;
    way.condition = way.condition ? specification_.pool->logical_and(condition, way.condition) : condition;
}

void EndWays::undo_assignments(const model::Transition& t, Way& way) {
    for (auto a = t.assignments.rbegin(); way.condition && a != t.assignments.rend(); ++a)
        way.condition = expr::substitute(*specification_.pool, way.condition, {{a->variable, a->value}});
}

// What must hold before a message of a later step: it may carry any values that its step and its declaration
// allow.
void EndWays::before_event(const model::Transition& t, Way& way) {
    expr::Pool& pool = *specification_.pool;
    const model::Message& message = specification_.message(net_.alphabet().event(t.label).message);
    require(way, t.where);
    absl::flat_hash_map<expr::VarId, ExprId> bound, declared;
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
        model::Argument a = i < t.data.size() ? t.data[i] : model::Argument();
        if (!a.value) {
            way.later.push_back(pool.declare(message.fields[i].name, message.fields[i].type));
            a.value = pool.var(way.later.back());
        }
        if (a.bind) bound[a.bind] = a.value;
        if (i < message.variables.size()) declared[message.variables[i]] = a.value;
    }
    if (way.condition && !bound.empty()) way.condition = expr::substitute(pool, way.condition, bound);
    if (message.where) require(way, expr::substitute(pool, message.where, declared));
}

EndWays::Way EndWays::way_of(const Run& run, model::TransitionId step, std::span<const expr::VarId> fields) {
    expr::Pool& pool = *specification_.pool;
    Way way;
    way.steps = static_cast<std::uint32_t>(run.size());
    for (auto it = run.rbegin(); it != run.rend(); ++it) {
        const model::Transition& t = net_.transitions()[it->index];
        undo_assignments(t, way);
        if (!t.silent()) before_event(t, way);
        require(way, t.guard);
    }
    const model::Transition& t = net_.transitions()[step.index];
    undo_assignments(t, way);
    absl::flat_hash_map<expr::VarId, ExprId> bound;
    for (std::size_t i = 0; i < std::min(fields.size(), t.data.size()); ++i)
        if (t.data[i].bind) bound[t.data[i].bind] = pool.var(fields[i]);
    if (way.condition && !bound.empty()) way.condition = expr::substitute(pool, way.condition, bound);
    // Those that nothing is asked of need no value.
    std::vector<expr::VarId> used;
    if (way.condition) used = pool.variables_of(way.condition);
    std::erase_if(way.later, [&](expr::VarId v) { return !std::binary_search(used.begin(), used.end(), v); });
    return way;
}

}  // namespace treaty::drive
