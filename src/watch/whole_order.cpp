// For `overlap` the moments are named as late as possible: when an interaction is received and its moment has
// not come, it comes now, and before it those of others under way, where that is what makes it possible. One
// that could as well come afterwards is left for later, so branches that do not touch each other never
// multiply.
#include "watch/whole_order.h"

#include <algorithm>
#include <array>

#include "choreo/compile_net.h"
#include "choreo/reduce_net.h"
#include "watch/global_net.h"

namespace treaty::watch {

using model::LabelId;
using track::EventVerdict;

namespace {

struct Named {
    Order order;
    std::string_view name, assumption;
};
constexpr std::array<Named, 6> orders{{
    {Order::causal, "causal", "no clock used: checked each role's own order, and send before receive"},
    {Order::sending, "sending", "by a common clock: the order of sendings"},
    {Order::reception, "reception", "by a common clock: the order of receptions"},
    {Order::both, "both", "by a common clock: the order of sendings and the order of receptions"},
    {Order::disjoint, "disjoint", "by a common clock: interactions last from sending to reception"},
    {Order::overlap, "overlap", "by a common clock: some moment between sending and reception counts"},
}};

}  // namespace

std::string_view to_string(Order order) {
    return orders[static_cast<std::size_t>(order)].name;
}

std::string_view assumption(Order order) {
    return orders[static_cast<std::size_t>(order)].assumption;
}

std::optional<Order> order_named(std::string_view name) {
    for (const Named& n : orders)
        if (n.name == name) return n.order;
    return std::nullopt;
}

WholeNet::WholeNet(model::Net net, Order order, const track::TrackOptions& options)
    : net_(std::move(net)),
      order_(order),
      tracked_(std::make_shared<track::TrackedNet>(net_, model::RoleId(), options)) {}

std::unique_ptr<WholeNet> WholeNet::make(const model::Specification& specification,
                                         const model::Protocol& protocol, Order order, bool data,
                                         const track::TrackOptions& options) {
    auto net = choreo::compile_net(specification, protocol);
    if (!net) return nullptr;
    model::Net reduced = choreo::reduce_net(*net);
    if (!data) reduced = without_data(reduced);
    if (order == Order::disjoint) reduced = lasting(reduced);
    return std::unique_ptr<WholeNet>(new WholeNet(std::move(reduced), order, options));
}

WholeOrder::WholeOrder(WholeNet& net) : net_(&net) {
    trackers_.emplace_back(net.tracked_);
    if (net.order_ == Order::both) trackers_.emplace_back(net.tracked_);
    if (net.order_ == Order::overlap) choices_.push_back({net.tracked_->inference().start()[0], {}});
}

EventVerdict WholeOrder::sent(const Labels& labels, const std::vector<expr::Value>& values) {
    switch (net_->order_) {
        case Order::sending:
        case Order::both: return trackers_[0].observe(labels.interaction, values);
        case Order::disjoint: return trackers_[0].observe(labels.send, values);
        case Order::overlap:
            in_flight_.push_back({next_, labels.interaction, values});
            for (MomentChoice& way : choices_) way.waiting.push_back(next_);
            ++next_;
            return EventVerdict::allowed;
        case Order::causal:
        case Order::reception: return EventVerdict::allowed;
    }
    return EventVerdict::allowed;
}

EventVerdict WholeOrder::received(const Labels& labels, const std::vector<expr::Value>& values) {
    switch (net_->order_) {
        case Order::reception:
        case Order::both: return trackers_.back().observe(labels.interaction, values);
        case Order::disjoint: return trackers_[0].observe(labels.receive, values);
        case Order::overlap: return land(labels.interaction, values);
        case Order::causal:
        case Order::sending: return EventVerdict::allowed;
    }
    return EventVerdict::allowed;
}

// The ways after one of those under way has happened.
std::vector<WholeOrder::MomentChoice> WholeOrder::happen(const MomentChoice& way, std::uint64_t number) {
    auto message = std::find_if(in_flight_.begin(), in_flight_.end(),
                                [&](const InFlight& f) { return f.number == number; });
    auto step = net_->tracked_->inference().observe({way.configuration}, message->label,
                                                    std::make_shared<const track::Values>(message->values));
    lost_ = lost_ || step.verdict == EventVerdict::lost;
    std::vector<MomentChoice> after;
    for (track::Configuration& c : step.after) {
        MomentChoice next{std::move(c), way.waiting};
        std::erase(next.waiting, number);
        after.push_back(std::move(next));
    }
    return after;
}

// All ways in which `number` happens now, others before it where that makes a difference. False if a limit
// was reached.
bool WholeOrder::bring_about(const MomentChoice& way, std::uint64_t number,
                             std::vector<MomentChoice>& after) {
    const track::TrackOptions& options = net_->tracked_->inference().options();
    bool data = net_->tracked_->has_data();
    std::vector<MomentChoice> open{way};
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (open.size() + after.size() > options.limit) return false;
        std::vector<MomentChoice> now = happen(open[i], number);
        bool single = !data && now.size() == 1;
        for (std::uint64_t other : std::vector<std::uint64_t>(open[i].waiting)) {
            if (other == number) continue;
            std::vector<MomentChoice> first = happen(open[i], other);
            if (first.empty() || (single && first.size() == 1 && !happen(now[0], other).empty())) continue;
            for (MomentChoice& w : first)
                if (std::find(open.begin(), open.end(), w) == open.end()) open.push_back(std::move(w));
        }
        for (MomentChoice& w : now)
            if (std::find(after.begin(), after.end(), w) == after.end()) after.push_back(std::move(w));
    }
    return true;
}

EventVerdict WholeOrder::land(LabelId label, const std::vector<expr::Value>& values) {
    auto message = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& f) {
        return f.label == label && (!net_->tracked_->has_data() || f.values == values);
    });
    // Its sending was not seen: it happens at once.
    if (message == in_flight_.end()) {
        sent({{}, {}, label}, values);
        message = in_flight_.end() - 1;
    }
    std::uint64_t number = message->number;
    std::vector<MomentChoice> after;
    for (MomentChoice& way : choices_) {
        if (!std::binary_search(way.waiting.begin(), way.waiting.end(), number))
            after.push_back(std::move(way));
        else if (!bring_about(way, number, after))
            return EventVerdict::lost;
    }
    in_flight_.erase(message);
    if (lost_) return EventVerdict::lost;
    if (after.empty()) return EventVerdict::refused;
    choices_ = std::move(after);
    return EventVerdict::allowed;
}

void WholeOrder::save(Saver& saver) const {
    std::size_t variables = net_->net_.pool() ? net_->net_.pool()->variable_count() : 0;
    for (const track::Tracker& t : trackers_) {
        saver.number(t.lost());
        saver.configurations(t.configurations(), variables);
    }
    saver.number(next_);
    saver.number(in_flight_.size());
    for (const InFlight& f : in_flight_) {
        saver.number(f.number);
        saver.number(f.label.index);
        saver.values(f.values);
    }
    saver.number(choices_.size());
    for (const MomentChoice& w : choices_) {
        saver.configurations({&w.configuration, 1}, variables);
        saver.number(w.waiting.size());
        for (std::uint64_t n : w.waiting) saver.number(n);
    }
}

bool WholeOrder::load(Loader& loader) {
    std::size_t variables = net_->net_.pool() ? net_->net_.pool()->variable_count() : 0;
    std::size_t places = net_->net_.places().size();
    for (track::Tracker& t : trackers_) {
        bool lost = loader.number() != 0;
        t.restore(loader.configurations(variables, places), lost);
    }
    next_ = loader.number();
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        InFlight f{loader.number(), LabelId(static_cast<std::size_t>(loader.number())), {}};
        f.values = loader.values();
        in_flight_.push_back(std::move(f));
    }
    choices_.clear();
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        auto configuration = loader.configurations(variables, places);
        if (configuration.size() != 1) loader.fail();
        if (!loader.ok()) break;
        MomentChoice way{std::move(configuration[0]), {}};
        for (std::size_t k = loader.count(); k > 0 && loader.ok(); --k)
            way.waiting.push_back(loader.number());
        for (std::uint64_t number : way.waiting)
            if (std::none_of(in_flight_.begin(), in_flight_.end(),
                             [&](const InFlight& f) { return f.number == number; }))
                loader.fail();
        choices_.push_back(std::move(way));
    }
    return loader.ok();
}

}  // namespace treaty::watch
