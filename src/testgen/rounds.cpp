#include "testgen/rounds.h"

namespace treaty::testgen {

using model::StateId;

namespace {

std::uint32_t target_of(const model::Machine& machine, std::uint32_t state, model::LabelId label) {
    for (const model::Edge& edge : machine.out(StateId(state)))
        if (edge.label == label) return edge.target.index;
    return UINT32_MAX;
}

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
    wider_ = projections->wider;
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
    return narrow_->final(state) || narrow_->out(state).empty();
}

bool Rounds::accepts(const explore::Run& run) {
    if (!apply() || !wider_) return false;
    if (!observer_) observer_ = std::make_unique<Observer>(*wider_, role_, channels_);
    std::uint32_t state = observer_->start();
    bool sync = channels_.mode == model::Mode::sync;
    for (const explore::Step& step : run) {
        bool receive = wide_->alphabet().event(step.label).kind == model::EventKind::receive;
        // In sync mode a step is told by its send.
        if ((sync && receive) || !observer_->sees(step.label)) continue;
        state = observer_->next(state, step.label);
        if (state == Observer::refused) return false;
    }
    return true;
}

}  // namespace treaty::testgen
