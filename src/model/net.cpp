#include "model/net.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::model {
namespace {

void sort(std::vector<PlaceId>& tokens) {
    std::sort(tokens.begin(), tokens.end());
}

void sort_places(Transition& t) {
    sort(t.from);
    sort(t.to);
    sort(t.clears);
    t.clears.erase(std::unique(t.clears.begin(), t.clears.end()), t.clears.end());
}

// Compressed rows: for each place, the transitions that mention it in the given list, each once.
template <class Get>
void index_rows(std::size_t places, const std::vector<Transition>& transitions, Get get,
                std::vector<std::uint32_t>& rows, std::vector<TransitionId>& items) {
    auto each_place = [&](const Transition& t, auto use) {
        PlaceId last;
        for (PlaceId p : get(t)) {
            if (p != last) use(p);
            last = p;
        }
    };
    rows.assign(places + 1, 0);
    for (const Transition& t : transitions) each_place(t, [&](PlaceId p) { ++rows[p.index + 1]; });
    for (std::size_t p = 0; p < places; ++p) rows[p + 1] += rows[p];
    items.resize(rows[places]);
    std::vector<std::uint32_t> next(rows.begin(), rows.end() - 1);
    for (std::size_t i = 0; i < transitions.size(); ++i)
        each_place(transitions[i], [&](PlaceId p) { items[next[p.index]++] = TransitionId(i); });
}

}  // namespace

std::vector<Tokens> counted(std::span<const PlaceId> tokens) {
    std::vector<Tokens> result;
    for (PlaceId p : tokens) {
        if (result.empty() || result.back().place != p)
            result.push_back({p, 1});
        else
            ++result.back().count;
    }
    return result;
}

Net Net::over(std::shared_ptr<Alphabet> alphabet, std::shared_ptr<expr::Pool> pool) const {
    Net result = *this;
    result.alphabet_ = std::move(alphabet);
    result.pool_ = std::move(pool);
    return result;
}

std::span<const TransitionId> Net::consumers(PlaceId place) const {
    return std::span(consumers_)
        .subspan(consumer_rows_[place.index], consumer_rows_[place.index + 1] - consumer_rows_[place.index]);
}

std::span<const TransitionId> Net::producers(PlaceId place) const {
    return std::span(producers_)
        .subspan(producer_rows_[place.index], producer_rows_[place.index + 1] - producer_rows_[place.index]);
}

NetBuilder::NetBuilder(std::string name, std::shared_ptr<Alphabet> alphabet,
                       std::shared_ptr<expr::Pool> pool) {
    net_.name_ = std::move(name);
    net_.alphabet_ = std::move(alphabet);
    net_.pool_ = std::move(pool);
}

PlaceId NetBuilder::place(NodeId node, bool semaphore, std::string name) {
    net_.places_.push_back({node, semaphore, std::move(name)});
    return PlaceId(net_.places_.size() - 1);
}

TransitionId NetBuilder::transition(Transition transition) {
    sort_places(transition);
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
    std::size_t arcs = 0;
    for (Transition& t : net_.transitions_) {
        sort_places(t);  // a pass may have changed them
        arcs += t.from.size() + t.to.size();
        if (t.from.empty()) fault_ = "a transition takes from no place";
        if (t.label.index >= net_.alphabet_->label_count()) fault_ = "a transition has an unknown label";
        for (const auto* list : {&t.from, &t.to, &t.clears})
            if (!std::all_of(list->begin(), list->end(), known))
                fault_ = "a transition uses an unknown place";
    }
    if (std::max(arcs, net_.initial_.size() + net_.final_.size()) > Net::max_tokens)
        fault_ = fmt::format("more than {} tokens", Net::max_tokens);
    if (net_.initial_.empty()) fault_ = "no place is marked at the start";
    for (const auto* list : {&net_.initial_, &net_.final_})
        if (!std::all_of(list->begin(), list->end(), known)) fault_ = "an initial or final place is unknown";
    if (!fault_.empty()) return std::nullopt;
    sort(net_.initial_);
    sort(net_.final_);
    std::size_t places = net_.places_.size();
    index_rows(
        places, net_.transitions_, [](const Transition& t) -> const auto& { return t.from; },
        net_.consumer_rows_, net_.consumers_);
    index_rows(
        places, net_.transitions_, [](const Transition& t) -> const auto& { return t.to; },
        net_.producer_rows_, net_.producers_);
    return std::move(net_);
}

}  // namespace treaty::model
