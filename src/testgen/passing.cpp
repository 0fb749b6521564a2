#include "testgen/passing.h"

#include <algorithm>
#include <map>
#include <set>

#include "testgen/endless.h"

namespace treaty::testgen {

using model::EventKind;
using model::StateId;

namespace {

// One state in which everything is possible that the machines could answer, and if asked for one message that
// no machine knows.
model::Machine anything(const model::Machine& projection, const std::vector<model::Machine>& others,
                        bool unknown) {
    model::Alphabet& alphabet = *projection.alphabet_ptr();
    model::MachineBuilder builder(projection.name(), projection.alphabet_ptr(), projection.role());
    StateId only = builder.state(false);
    std::set<model::LabelId> labels;
    for (const model::Machine& machine : others)
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            for (const model::Edge& edge : machine.out(StateId(s))) {
                model::Event event = alphabet.event(edge.label);
                bool send = event.kind == EventKind::send;
                if ((send ? event.to : event.from) != projection.role()) continue;
                if (event.kind != EventKind::send && event.kind != EventKind::receive) continue;
                event.kind = send ? EventKind::receive : EventKind::send;
                labels.insert(alphabet.label(event));
                if (send || !unknown) continue;
                event.message = alphabet.message("(unknown)");
                labels.insert(alphabet.label(event));
            }
    for (model::LabelId label : labels) builder.edge(only, label, only);
    return builder.finish().value();
}

}  // namespace

PassingComponents::PassingComponents(const TestSuite& suite, const ComplianceOptions& options, bool global,
                                     std::size_t most_configurations)
    : options_(options),
      global_(global),
      whole_(global && suite.whole_run()),
      cut_(suite.cut()),
      projection_(&suite.component()),
      most_(most_configurations) {
    build_machines(suite);
    if (global_) observer_ = std::make_unique<Observer>(suite.projections(), cut_, options.channels);
    std::vector<const std::vector<bool>*> states;
    for (const std::vector<bool>& own : success_states_) states.push_back(&own);
    success_ = std::make_unique<Success>(*stepping_, std::move(states), options_.stable,
                                         whole_ ? observer_.get() : nullptr);
    for (const explore::Channel& channel : stepping_->channels()) {
        std::size_t reader = 0;
        for (std::size_t m = 1; m < machines_.size(); ++m)
            if (machines_[m].role() == channel.to) reader = m;
        receiver_.push_back(reader);
        receives_.push_back(reader > 0 ? most_received(suite, reader, channel)
                                       : std::vector<std::uint32_t>());
    }
    explore::Configuration start = stepping_->initial();
    bool passed = success_->reached(start, 0);
    close({intern({std::move(start), 0, projection_->initial().index, passed})});
    for (std::uint32_t n = 0; n < nodes_.size() && complete(); ++n) expand(n);
    if (observer_ && observer_->exhausted()) stopped_ = base::StopReason::memory;
    if (complete()) solve();
}

// A role that waits could receive what comes after its sends, too: what is too much then is too much in
// another case.
std::vector<std::uint32_t> PassingComponents::most_received(const TestSuite& suite, std::size_t reader,
                                                            const explore::Channel& channel) const {
    std::vector<std::uint32_t> most = most_receives(machines_[reader], channel);
    std::vector<std::uint32_t> open = most_receives(*suite.others()[reader - 1], channel);
    for (std::size_t s = 0; s < most.size(); ++s)
        if (splits_[reader - 1].waits[s]) most[s] = open[splits_[reader - 1].origin[s].index];
    return most;
}

void PassingComponents::build_machines(const TestSuite& suite) {
    TestCase whole = suite.whole();
    std::vector<model::Machine> others;
    for (TestMachine& test : whole.machines) {
        SplitMachine split = all_ways(test.machine, suite.mixed());
        std::vector<bool> success;
        for (StateId origin : split.origin) success.push_back(test.success[origin.index]);
        others.push_back(split.machine);
        splits_.push_back(std::move(split));
        success_states_.push_back(std::move(success));
    }
    machines_.push_back(anything(*projection_, others, options_.stable.has_value()));
    for (model::Machine& machine : others) machines_.push_back(std::move(machine));
    std::vector<const model::Machine*> pointers;
    for (const model::Machine& machine : machines_) pointers.push_back(&machine);
    stepping_ = std::make_unique<explore::Stepping>(std::move(pointers), options_.channels);
}

bool PassingComponents::surplus(const explore::Configuration& at, std::size_t channel) const {
    std::size_t reader = receiver_[channel];
    return reader > 0 && at.contents[channel].size() > receives_[channel][at.states[reader].index];
}

bool PassingComponents::fine(const Configuration& c) const {
    return whole_ ? success_->reached(c.at, c.observed) : c.passed;
}

std::uint32_t PassingComponents::intern(Configuration c) {
    auto [place, added] = ids_.try_emplace(c, static_cast<std::uint32_t>(configurations_.size()));
    if (added) {
        configurations_.push_back(std::move(c));
        moves_.emplace_back();
    }
    return place->second;
}

const PassingComponents::Moves& PassingComponents::moves_of(std::uint32_t id) {
    if (moves_[id].known) return moves_[id];
    Moves found;
    found.known = true;
    explore::Configuration at = configurations_[id].at;
    for (std::size_t c = 0; c < receiver_.size(); ++c)
        if (success_->watches(c) && surplus(at, c) && (whole_ || !configurations_[id].passed))
            found.lost = true;
    for (std::size_t i = 0; i < splits_.size(); ++i)
        found.waits = found.waits && !splits_[i].waits[at.states[i + 1].index];
    std::vector<explore::Stepping::Move> moves;
    if (!found.lost) stepping_->moves(at, moves);
    for (const auto& move : moves) add_move(id, move, found);
    moves_[id] = std::move(found);
    return moves_[id];
}

void PassingComponents::add_move(std::uint32_t from, const explore::Stepping::Move& move, Moves& into) {
    Configuration next = configurations_[from];
    explore::Configuration at = next.at;
    model::LabelId label = stepping_->label(at, move);
    EventKind kind = projection_->alphabet().event(label).kind;
    bool optional = kind == EventKind::send && move.machine != 0 &&
                    machines_[move.machine].final(at.states[move.machine]);
    model::LabelId own;
    for (const explore::Step& step : stepping_->events(at, move))
        if (step.machine == 0) own = step.label;
    next.at = stepping_->after(at, move);
    if (own && kind == EventKind::send && move.machine == 0) {
        for (std::size_t c = 0; c < receiver_.size(); ++c) {
            if (!surplus(at, c) || at.contents[c] == next.at.contents[c]) continue;
            // One more where there is one too many already: it changes nothing any more.
            if (!success_->watches(c)) pruned_ = true;
            return;
        }
    }
    if (observer_ && observer_->sees(label)) {
        std::uint32_t seen = observer_->next(next.observed, label);
        if (seen == Observer::refused) {
            // In sync mode this is the component's own doing, and it may leave it.
            if (!own) into.lost = true;
            if (own) into.own.push_back({own, none, move.machine == 0, optional});
            return;
        }
        next.observed = seen;
    }
    if (own && next.reference != none) {
        std::uint32_t target = none;
        for (const model::Edge& edge : projection_->out(StateId(next.reference)))
            if (edge.label == own) target = edge.target.index;
        next.reference = target;
    }
    next.passed = next.passed || success_->reached(next.at, next.observed);
    std::uint32_t target = intern(std::move(next));
    if (!own) {
        into.unseen.push_back(target);
        into.waits = into.waits && optional;
    } else {
        into.own.push_back({own, target, move.machine == 0, optional});
    }
}

// With everything the others may do meanwhile.
std::uint32_t PassingComponents::close(std::vector<std::uint32_t> set) {
    std::set<std::uint32_t> known(set.begin(), set.end());
    set.assign(known.begin(), known.end());
    bool lost = false;
    for (std::size_t i = 0; i < set.size() && !lost; ++i) {
        const Moves& moves = moves_of(set[i]);
        lost = moves.lost;
        for (std::uint32_t target : moves.unseen)
            if (known.insert(target).second) set.push_back(target);
        if (configurations_.size() > most_) stopped_ = base::StopReason::states;
        if (options_.limits.time.passed()) stopped_ = options_.limits.time.reason();
        if (!complete()) return 0;
    }
    set.assign(known.begin(), known.end());
    if (lost) set.clear();  // all sets that are lost are one
    auto [place, added] = node_ids_.try_emplace(set, static_cast<std::uint32_t>(nodes_.size()));
    if (added) {
        nodes_.emplace_back();
        nodes_.back().configurations = std::move(set);
        nodes_.back().lost = lost;
    }
    return place->second;
}

void PassingComponents::expand(std::uint32_t node) {
    std::map<model::LabelId, std::vector<std::uint32_t>> targets;
    std::set<model::LabelId> fatal;
    for (std::uint32_t c : nodes_[node].configurations)
        for (const OwnMove& move : moves_of(c).own) {
            if (move.target == none)
                fatal.insert(move.label);
            else
                targets[move.label].push_back(move.target);
        }
    for (auto& [label, set] : targets) {
        if (fatal.contains(label)) continue;
        std::uint32_t next = close(std::move(set));
        if (!complete()) return;
        nodes_[node].steps.emplace_back(label, next);
    }
}

// Every step adds an event to the component's history, of which there are finitely many: the sets form no
// cycle, and are judged after all that they lead to.
void PassingComponents::solve() {
    std::vector<std::uint8_t> state(nodes_.size(), 0);
    std::vector<std::uint32_t> waiting{0};
    while (!waiting.empty()) {
        std::uint32_t n = waiting.back();
        if (state[n] == 0) {
            state[n] = 1;
            for (const Step& step : nodes_[n].steps)
                if (state[step.second] == 0) waiting.push_back(step.second);
            continue;
        }
        waiting.pop_back();
        if (state[n] == 2) continue;
        state[n] = 2;
        nodes_[n].won = !nodes_[n].lost && ends(n, good_steps(n)).well;
    }
}

std::vector<PassingComponents::Step> PassingComponents::good_steps(std::uint32_t set) const {
    std::vector<Step> good;
    for (const Step& step : nodes_[set].steps)
        if (nodes_[step.second].won) good.push_back(step);
    return good;
}

bool PassingComponents::ended(std::uint32_t id, const std::vector<Step>& steps, bool final) const {
    const Moves& moves = moves_[id];
    if (!moves.waits) return false;
    for (const OwnMove& move : moves.own) {
        bool taken = std::any_of(steps.begin(), steps.end(),
                                 [&](const Step& step) { return step.first == move.label; });
        if (!taken) continue;
        bool send = projection_->alphabet().event(move.label).kind == EventKind::send;
        bool optional = move.by_itself ? final && send : move.optional;
        if (!optional) return false;
    }
    return true;
}

PassingComponents::Ending PassingComponents::ends(std::uint32_t set, const std::vector<Step>& steps) const {
    bool any = false, well = true, well_as_final = true;
    for (std::uint32_t c : nodes_[set].configurations) {
        bool good = fine(configurations_[c]);
        if (ended(c, steps, false)) {
            any = true;
            well = well && good;
        }
        well_as_final = well_as_final && (good || !ended(c, steps, true));
    }
    bool sends = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
        return projection_->alphabet().event(step.first).kind == EventKind::send;
    });
    if (!options_.observe_final || !any) return {well, any && !sends};
    return {well_as_final, true};
}

bool PassingComponents::wrong(std::uint32_t set) const {
    return std::any_of(nodes_[set].configurations.begin(), nodes_[set].configurations.end(),
                       [&](std::uint32_t id) {
                           const Configuration& c = configurations_[id];
                           return c.reference == none && success_->reached(c.at, c.observed);
                       });
}

bool PassingComponents::stops_early(std::uint32_t set, std::vector<Step>& rest) const {
    for (std::uint32_t id : nodes_[set].configurations) {
        const Configuration& c = configurations_[id];
        if (c.reference == none || !moves_[id].waits || !success_->reached(c.at, c.observed)) continue;
        StateId reference(c.reference);
        if (projection_->final(reference) || projection_->out(reference).empty()) continue;
        rest.clear();
        for (const Step& step : good_steps(set)) {
            bool possible = std::any_of(moves_[id].own.begin(), moves_[id].own.end(),
                                        [&](const OwnMove& move) { return move.label == step.first; });
            if (!possible) rest.push_back(step);
        }
        if (ends(set, rest).well) return true;
    }
    return false;
}

std::vector<PassingComponents::Step> PassingComponents::reference_steps(std::uint32_t set) const {
    std::vector<Step> steps;
    for (const Step& step : good_steps(set)) {
        bool has = std::any_of(
            nodes_[set].configurations.begin(), nodes_[set].configurations.end(), [&](std::uint32_t id) {
                std::uint32_t reference = configurations_[id].reference;
                if (reference == none) return false;
                auto edges = projection_->out(StateId(reference));
                return std::any_of(edges.begin(), edges.end(),
                                   [&](const model::Edge& e) { return e.label == step.first; });
            });
        if (has) steps.push_back(step);
    }
    return steps;
}

}  // namespace treaty::testgen
