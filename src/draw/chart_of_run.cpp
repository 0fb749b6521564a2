// A receive belongs to the earliest send of the same message on the same channel that has not been received
// yet: right for queues, and for bags any matching draws the same picture. A receive that directly follows
// its send is drawn with it as one level arrow.
#include <deque>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "draw/sequence_chart.h"

namespace treaty::draw {
namespace {

class RunChart {
public:
    explicit RunChart(const model::Run& run) : run_(run) {
        for (const std::string& role : run.roles) lifeline(role);
    }

    Chart build() {
        for (std::size_t i = 0; i < run_.events.size(); ++i) add(i);
        if (!run_.ending.empty()) {
            ChartItem end{.kind = ItemKind::note, .lines = {run_.ending}, .failing = true};
            chart_.items.push_back(std::move(end));
        }
        return std::move(chart_);
    }

private:
    using Channel = std::tuple<std::string, std::string, std::string>;

    void add(std::size_t i) {
        const model::RunEvent& event = run_.events[i];
        ChartItem item{.lines = {label(event)},
                       .failing = run_.failing == i,
                       .number = fmt::format("{}", i + 1),
                       .line = event.line};
        if (event.direction == model::Direction::none || event.from.empty() || event.to.empty()) {
            item.lines = {model::print(event)};
            chart_.items.push_back(std::move(item));
            return;
        }
        item.from = lifeline(event.from);
        item.to = lifeline(event.to);
        Channel channel{event.from, event.to, event.message};
        if (event.direction == model::Direction::both) {
            item.kind = ItemKind::arrow;
        } else if (event.direction == model::Direction::sent) {
            item.kind = ItemKind::send;
            in_flight_[channel].push_back(chart_.items.size());
        } else {
            item.kind = ItemKind::receive;
            if (receive(item, in_flight_[channel])) return;
        }
        chart_.items.push_back(std::move(item));
    }

    // Pairs the item with its send; true if it became one with it.
    bool receive(ChartItem& item, std::deque<std::size_t>& sent) {
        if (sent.empty()) return false;
        std::size_t partner = sent.front();
        sent.pop_front();
        ChartItem& send = chart_.items[partner];
        if (partner + 1 == chart_.items.size() && !send.failing) {
            send.kind = ItemKind::arrow;
            send.number += "-" + item.number;
            send.failing = item.failing;
            return true;
        }
        send.partner = chart_.items.size();
        item.partner = partner;
        return false;
    }

    std::size_t lifeline(const std::string& name) {
        auto [place, added] = lifelines_.try_emplace(name, chart_.lifelines.size());
        if (added) chart_.lifelines.push_back(name);
        return place->second;
    }

    static std::string label(const model::RunEvent& event) {
        model::RunEvent bare = event;
        bare.direction = model::Direction::none;
        return model::print(bare);
    }

    const model::Run& run_;
    std::map<std::string, std::size_t> lifelines_;
    std::map<Channel, std::deque<std::size_t>> in_flight_;
    Chart chart_;
};

}  // namespace

Chart chart_of(const model::Run& run) {
    return RunChart(run).build();
}

}  // namespace treaty::draw
