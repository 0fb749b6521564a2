#include "model/net.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::model {
namespace {

void sort_unique(std::vector<PlaceId>& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
}

// Compressed rows: for each place, the transitions that mention it in the given list.
template <class Get>
void index_rows(std::size_t places, const std::vector<Transition>& transitions, Get get,
                std::vector<std::uint32_t>& rows, std::vector<TransitionId>& items) {
    rows.assign(places + 1, 0);
    for (const Transition& t : transitions)
        for (PlaceId p : get(t)) ++rows[p.index + 1];
    for (std::size_t p = 0; p < places; ++p) rows[p + 1] += rows[p];
    items.resize(rows[places]);
    std::vector<std::uint32_t> next(rows.begin(), rows.end() - 1);
    for (std::size_t i = 0; i < transitions.size(); ++i)
        for (PlaceId p : get(transitions[i])) items[next[p.index]++] = TransitionId(i);
}

}  // namespace

std::span<const TransitionId> Net::consumers(PlaceId place) const {
    return std::span(consumers_).subspan(consumer_rows_[place.index],
                                         consumer_rows_[place.index + 1] - consumer_rows_[place.index]);
}

std::span<const TransitionId> Net::producers(PlaceId place) const {
    return std::span(producers_).subspan(producer_rows_[place.index],
                                         producer_rows_[place.index + 1] - producer_rows_[place.index]);
}

NetBuilder::NetBuilder(std::string name, std::shared_ptr<Alphabet> alphabet, std::shared_ptr<expr::Pool> pool) {
    net_.name_ = std::move(name);
    net_.alphabet_ = std::move(alphabet);
    net_.pool_ = std::move(pool);
}

PlaceId NetBuilder::place(NodeId node, bool semaphore) {
    net_.places_.push_back({node, semaphore});
    return PlaceId(net_.places_.size() - 1);
}

TransitionId NetBuilder::transition(Transition transition) {
    sort_unique(transition.from);
    sort_unique(transition.to);
    sort_unique(transition.clears);
    net_.transitions_.push_back(std::move(transition));
    return TransitionId(net_.transitions_.size() - 1);
}

void NetBuilder::initial(PlaceId place) {
    net_.initial_.push_back(place);
}

void NetBuilder::final(PlaceId place) {
    net_.final_.push_back(place);
}

std::optional<Net> NetBuilder::finish() {
    auto known = [&](PlaceId p) { return p.index < net_.places_.size(); };
    for (const Transition& t : net_.transitions_) {
        if (t.from.empty()) fault_ = "a transition takes from no place";
        if (t.label.index >= net_.alphabet_->label_count()) fault_ = "a transition has an unknown label";
        for (const auto* list : {&t.from, &t.to, &t.clears})
            if (!std::all_of(list->begin(), list->end(), known)) fault_ = "a transition uses an unknown place";
    }
    if (net_.initial_.empty()) fault_ = "no place is marked at the start";
    for (const auto* list : {&net_.initial_, &net_.final_})
        if (!std::all_of(list->begin(), list->end(), known)) fault_ = "an initial or final place is unknown";
    if (!fault_.empty()) return std::nullopt;
    sort_unique(net_.initial_);
    sort_unique(net_.final_);
    std::size_t places = net_.places_.size();
    index_rows(places, net_.transitions_, [](const Transition& t) -> const auto& { return t.from; },
               net_.consumer_rows_, net_.consumers_);
    index_rows(places, net_.transitions_, [](const Transition& t) -> const auto& { return t.to; },
               net_.producer_rows_, net_.producers_);
    return std::move(net_);
}

}  // namespace treaty::model
