#include "testgen/observer.h"

#include <algorithm>

#include "base/check.h"

namespace treaty::testgen {
namespace {

std::vector<const model::Machine*> pointers(const std::vector<model::Machine>& machines) {
    std::vector<const model::Machine*> out;
    out.reserve(machines.size());
    for (const model::Machine& machine : machines) out.push_back(&machine);
    return out;
}

}  // namespace

Observer::Observer(const Projections& projections, model::RoleId cut, model::Channels channels,
                   base::Deadline deadline, std::size_t most_positions)
    : stepping_(pointers(projections.machines), channels),
      alphabet_(projections.specification->alphabet.get()),
      cut_(cut),
      sync_(channels.mode == model::Mode::sync),
      deadline_(deadline),
      most_positions_(most_positions) {
    TREATY_CHECK(number(close({intern(stepping_.initial())})) == 0);
}

bool Observer::sees(model::LabelId label) const {
    const model::Event& event = alphabet_->event(label);
    if (event.kind == model::EventKind::silent) return false;
    return sync_ || alphabet_->subject(label) != cut_;
}

std::uint32_t Observer::intern(explore::Configuration position) {
    auto [place, added] =
        position_ids_.try_emplace(std::move(position), static_cast<std::uint32_t>(positions_.size()));
    if (added) positions_.push_back(place->first);
    return place->second;
}

// With everything the tested role may have done unseen.
Observer::Set Observer::close(Set set) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    absl::flat_hash_map<std::uint32_t, bool> known;
    for (std::uint32_t p : set) known[p] = true;
    std::vector<explore::Stepping::Move> moves;
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (positions_.size() > most_positions_) exhausted_ = true;
        if (i % 256 == 255 && deadline_.passed()) exhausted_ = true;
        if (exhausted_) break;
        explore::Configuration at = positions_[set[i]];
        stepping_.moves(at, moves);
        for (const auto& move : moves) {
            if (sees(stepping_.label(at, move))) continue;
            std::uint32_t p = intern(stepping_.after(at, move));
            if (known.try_emplace(p, true).second) set.push_back(p);
        }
    }
    std::sort(set.begin(), set.end());
    return set;
}

std::uint32_t Observer::number(Set set) {
    auto [place, added] = set_ids_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
    if (!added) return place->second;
    sets_.push_back(place->first);
    bool complete = false;
    for (std::uint32_t p : sets_.back()) {
        const explore::Configuration& at = positions_[p];
        complete = complete || (at.stable() && stepping_.all_rest(at));
    }
    complete_.push_back(complete);
    return place->second;
}

std::uint32_t Observer::next(std::uint32_t state, model::LabelId label) {
    if (exhausted_) return state;
    auto [place, added] = steps_.try_emplace({state, label.index}, refused);
    if (!added) return place->second;
    Set reached;
    std::vector<explore::Stepping::Move> moves;
    Set here = sets_[state];
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (i % 256 == 255 && deadline_.passed()) {
            exhausted_ = true;
            return state;
        }
        explore::Configuration at = positions_[here[i]];
        stepping_.moves(at, moves);
        for (const auto& move : moves)
            if (stepping_.label(at, move) == label) reached.push_back(intern(stepping_.after(at, move)));
    }
    std::uint32_t result = exhausted_ ? state : refused;
    if (!reached.empty()) result = number(close(std::move(reached)));
    steps_[{state, label.index}] = result;
    return result;
}

std::vector<model::LabelId> Observer::expected(std::uint32_t state) const {
    std::vector<model::LabelId> labels;
    std::vector<explore::Stepping::Move> moves;
    for (std::uint32_t p : sets_[state]) {
        stepping_.moves(positions_[p], moves);
        for (const auto& move : moves) {
            model::LabelId label = stepping_.label(positions_[p], move);
            if (sees(label)) labels.push_back(label);
        }
    }
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
}

}  // namespace treaty::testgen
