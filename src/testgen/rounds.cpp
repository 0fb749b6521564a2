#include "testgen/rounds.h"

#include <absl/container/flat_hash_set.h>

#include "testgen/projections.h"

namespace treaty::testgen {

using model::EventKind;
using model::StateId;

namespace {

std::uint32_t target_of(const model::Machine& machine, std::uint32_t state, model::LabelId label) {
    for (const model::Edge& edge : machine.out(StateId(state)))
        if (edge.label == label) return edge.target.index;
    return UINT32_MAX;
}

// Whether the machines can have these events of all roles but one, in this order, that one doing what it may.
// How many messages of a channel are received is known, so what is sent beyond that is forgotten at once, and
// there are finitely many configurations whatever the loops.
class Acceptance {
public:
    Acceptance(const std::vector<model::Machine>& machines, model::RoleId role, model::Channels channels,
               std::vector<model::LabelId> seen)
        : stepping_(pointers(machines), channels),
          alphabet_(machines.front().alphabet()),
          role_(role),
          seen_(std::move(seen)) {}

    // budget: configurations, of all searches together.
    bool run(std::size_t& budget) {
        count_receives();
        meet(stepping_.initial(), 0);
        while (!waiting_.empty()) {
            auto [at, place] = std::move(waiting_.back());
            waiting_.pop_back();
            if (place == seen_.size() || budget == 0) return true;
            --budget;
            stepping_.moves(at, moves_);
            for (const auto& move : moves_) follow(at, place, move);
        }
        return false;
    }

private:
    static std::vector<const model::Machine*> pointers(const std::vector<model::Machine>& machines) {
        std::vector<const model::Machine*> out;
        out.reserve(machines.size());
        for (const model::Machine& machine : machines) out.push_back(&machine);
        return out;
    }

    bool sync() const { return stepping_.mode() == model::Mode::sync; }

    // By channel and place: how many of its messages are received from there on. None for those of the role
    // itself, whose receives are not visible.
    void count_receives() {
        auto channels = stepping_.channels();
        for (const explore::Channel& channel : channels) {
            std::vector<std::size_t>& left = receives_.emplace_back();
            if (channel.to == role_) continue;
            left.assign(seen_.size() + 1, 0);
            for (std::size_t i = seen_.size(); i-- > 0;) {
                const model::Event& event = alphabet_.event(seen_[i]);
                bool counts = event.kind == EventKind::receive && event.to == channel.to &&
                              (!channel.from || event.from == channel.from);
                left[i] = left[i + 1] + (counts ? 1 : 0);
            }
        }
    }

    void meet(explore::Configuration at, std::size_t place) {
        if (known_.insert({at, place}).second) waiting_.emplace_back(std::move(at), place);
    }

    void follow(const explore::Configuration& at, std::size_t place, const explore::Stepping::Move& move) {
        model::LabelId label = stepping_.label(at, move);
        const model::Event& event = alphabet_.event(label);
        bool visible = event.kind != EventKind::silent && (sync() || alphabet_.subject(label) != role_);
        if (visible && label != seen_[place]) return;
        std::size_t next = place + (visible ? 1 : 0);
        bool kept = true, lost = false;
        if (!sync() && event.kind == EventKind::send) {
            std::size_t c = stepping_.channel_of(event);
            if (!receives_[c].empty()) {
                kept = at.contents[c].size() < receives_[c][next];
                // In a bag it may be another one that is received.
                lost = !kept || stepping_.mode() == model::Mode::bag;
            }
        }
        if (kept) meet(stepping_.after(at, move), next);
        if (!lost) return;
        explore::Configuration without = at;
        without.states[move.machine] = stepping_.events(at, move).front().target;
        meet(std::move(without), next);
    }

    explore::Stepping stepping_;
    const model::Alphabet& alphabet_;
    model::RoleId role_;
    std::vector<model::LabelId> seen_;
    std::vector<std::vector<std::size_t>> receives_;
    std::vector<explore::Stepping::Move> moves_;
    absl::flat_hash_set<std::pair<explore::Configuration, std::size_t>> known_;
    std::vector<std::pair<explore::Configuration, std::size_t>> waiting_;
};

}  // namespace

Rounds::Rounds(const Projections* projections, model::RoleId role, model::Channels channels)
    : role_(role), channels_(channels) {
    auto position = projections ? projections->position(role) : std::nullopt;
    if (!position || projections->unbounded.empty()) return;
    const model::Machine& narrow = projections->machines[*position];
    const model::Machine& wide = projections->unbounded[*position];
    // Both states go into one number.
    if (narrow.state_count() * wide.state_count() >= gone) return;
    narrow_ = &narrow;
    wide_ = &wide;
    wide_states_ = static_cast<std::uint32_t>(wide.state_count());
    looped_ = &projections->unbounded;
}

std::uint32_t Rounds::next(std::uint32_t at, model::LabelId label) const {
    if (at == gone || label.index == 0) return at;
    std::uint32_t wide = target_of(*wide_, at % wide_states_, label);
    if (wide == UINT32_MAX) return gone;
    std::uint32_t narrow = target_of(*narrow_, at / wide_states_, label);
    return narrow == UINT32_MAX ? later : encode(narrow, wide);
}

bool Rounds::may_end(std::uint32_t at) const {
    if (at == gone || !narrow_) return false;
    StateId state(at / wide_states_);
    bool ends = narrow_->final(state) || narrow_->out(state).empty();
    return ends && !wide_->out(StateId(at % wide_states_)).empty();
}

bool Rounds::accepts(const explore::Run& run) const {
    if (!apply()) return false;
    std::vector<model::LabelId> seen;
    bool sync = channels_.mode == model::Mode::sync;
    for (const explore::Step& step : run) {
        EventKind kind = wide_->alphabet().event(step.label).kind;
        if (kind == EventKind::silent) continue;
        // In sync mode a step is represented by its send.
        if (sync ? kind == EventKind::send : wide_->alphabet().subject(step.label) != role_)
            seen.push_back(step.label);
    }
    return Acceptance(*looped_, role_, channels_, std::move(seen)).run(budget_);
}

}  // namespace treaty::testgen
