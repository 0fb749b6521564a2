#include "roles/end_paths.h"

#include <algorithm>
#include <queue>

namespace treaty::roles {

using expr::ExprId;
using track::Marking;

EndPaths::EndPaths(model::Specification& specification, const model::Net& net)
    : specification_(specification), net_(net), end_distance_(net) {
    depends_on_data_ =
        net.pool() && std::any_of(net.transitions().begin(), net.transitions().end(),
                                  [](const model::Transition& t) { return t.guard || t.where; });
}

const std::vector<EndPaths::Path>& EndPaths::after(const Marking& marking, model::TransitionId step,
                                                   std::span<const expr::VarId> fields) {
    if (known_.size() >= most_remembered) known_.clear();
    auto [place, added] = known_.try_emplace({marking, step});
    std::vector<Path>& paths = place->second;
    if (!added) return paths;
    auto from = fired_after_silence(marking, step);
    if (!from) return paths;
    std::vector<Run> runs = runs_to_end(*from, true);
    // One segment may never end unless another one interrupts it.
    if (runs.empty()) runs = runs_to_end(*from, false);
    for (const Run& run : runs) {
        paths.push_back(path_of(run, step, fields));
        if (!paths.back().condition) break;
    }
    return paths;
}

// The marking after the step, with as few silent steps before it as possible; data is left aside.
std::optional<Marking> EndPaths::fired_after_silence(Marking marking, model::TransitionId step) const {
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
std::vector<model::TransitionId> EndPaths::enabled_in(const Marking& marking, bool one_by_one) const {
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
std::vector<EndPaths::Run> EndPaths::runs_to_end(const Marking& from, bool one_by_one) const {
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
    while (!todo.empty() && nodes.size() < most_markings && runs.size() < most_paths) {
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
            if (end_distance_.endless(next)) continue;
            std::uint32_t steps = nodes[at].steps + 1;
            todo.emplace(steps + end_distance_.from(next), nodes.size());
            nodes.push_back({std::move(next), at, t, steps});
        }
    }
    return runs;
}

void EndPaths::require(Path& path, ExprId condition) {
    if (!condition) return;
    path.condition = path.condition ? specification_.pool->logical_and(condition, path.condition) : condition;
}

void EndPaths::undo_assignments(const model::Transition& t, Path& path) {
    for (auto a = t.assignments.rbegin(); path.condition && a != t.assignments.rend(); ++a)
        path.condition = expr::substitute(*specification_.pool, path.condition, {{a->variable, a->value}});
}

// What must hold before a message of a later step: it may carry any values that its step and its declaration
// allow.
void EndPaths::before_event(const model::Transition& t, Path& path) {
    expr::Pool& pool = *specification_.pool;
    const model::Message& message = specification_.message(net_.alphabet().event(t.label).message);
    require(path, t.where);
    absl::flat_hash_map<expr::VarId, ExprId> bound, declared;
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
        model::Argument a = i < t.data.size() ? t.data[i] : model::Argument();
        if (!a.value) {
            path.later.push_back(pool.declare(message.fields[i].name, message.fields[i].type));
            a.value = pool.var(path.later.back());
        }
        if (a.bind) bound[a.bind] = a.value;
        if (i < message.variables.size()) declared[message.variables[i]] = a.value;
    }
    if (path.condition && !bound.empty()) path.condition = expr::substitute(pool, path.condition, bound);
    if (message.where) require(path, expr::substitute(pool, message.where, declared));
}

EndPaths::Path EndPaths::path_of(const Run& run, model::TransitionId step,
                                 std::span<const expr::VarId> fields) {
    expr::Pool& pool = *specification_.pool;
    Path path;
    path.steps = static_cast<std::uint32_t>(run.size());
    for (auto it = run.rbegin(); it != run.rend(); ++it) {
        const model::Transition& t = net_.transitions()[it->index];
        undo_assignments(t, path);
        if (!t.silent()) before_event(t, path);
        require(path, t.guard);
    }
    const model::Transition& t = net_.transitions()[step.index];
    undo_assignments(t, path);
    absl::flat_hash_map<expr::VarId, ExprId> bound;
    for (std::size_t i = 0; i < std::min(fields.size(), t.data.size()); ++i)
        if (t.data[i].bind) bound[t.data[i].bind] = pool.var(fields[i]);
    if (path.condition && !bound.empty()) path.condition = expr::substitute(pool, path.condition, bound);
    // Those that nothing is asked of need no value.
    std::vector<expr::VarId> used;
    if (path.condition) used = pool.variables_of(path.condition);
    std::erase_if(path.later,
                  [&](expr::VarId v) { return !std::binary_search(used.begin(), used.end(), v); });
    return path;
}

}  // namespace treaty::roles
