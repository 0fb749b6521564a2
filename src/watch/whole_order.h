// Whether the interactions of a session, taken together, come in an order of the protocol (Nguyen
// 2013, figure 4.6).
//
// An interaction lasts from its sending to its reception. If the protocol puts c before d, then by the
// common clock
//
//   disjoint    c is received before d is sent
//   both        c is sent before d is sent, and received before d is received: the sendings in their order
//   are
//               a run of the protocol, and the receptions in theirs are
//   sending     c is sent before d is sent
//   reception   c is received before d is received
//   overlap     c is sent before d is received: some moment within each interaction can be named, such that
//               the interactions in the order of these moments are a run
//
// `causal` asks for none of them. disjoint implies both, both implies sending and reception, each of these
// implies overlap. A WholeNet is made once and shared; a WholeOrder is one session. Cost a step: that of a
// step of the tracker; for `overlap` it grows with the interactions under way that exclude each other.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "model/specification.h"
#include "track/tracker.h"
#include "watch/saved.h"

namespace treaty::watch {

enum class Order : std::uint8_t { causal, sending, reception, both, disjoint, overlap };

std::string_view to_string(Order order);
std::optional<Order> order_named(std::string_view name);
// What is assumed when it is asked for, in words.
std::string_view assumption(Order order);

class WholeNet {
public:
    // Null if the protocol has no net.
    static std::unique_ptr<WholeNet> make(const model::Specification& specification,
                                          const model::Protocol& protocol, Order order, bool data,
                                          const track::TrackOptions& options);
    Order order() const { return order_; }

private:
    friend class WholeOrder;
    explicit WholeNet(model::Net net, Order order, const track::TrackOptions& options);

    model::Net net_;
    Order order_;
    std::shared_ptr<track::TrackedNet> tracked_;
};

// The labels of one interaction as the net may have them; none where it has not.
struct Labels {
    model::LabelId send{}, receive{}, interaction{};
};

class WholeOrder {
public:
    explicit WholeOrder(WholeNet& net);

    // After `refused` nothing more should be asked; expected() tells what would have been allowed.
    track::EventVerdict sent(const Labels& labels, const std::vector<expr::Value>& values);
    track::EventVerdict received(const Labels& labels, const std::vector<expr::Value>& values);
    track::Tracker& tracker() { return trackers_.back(); }

    void save(Saver& saver) const;
    bool load(Loader& loader);

private:
    struct InFlight {
        std::uint64_t number;
        model::LabelId label;
        std::vector<expr::Value> values;
    };
    // A choice of the moments so far: the interactions under way whose moment has not come.
    struct MomentChoice {
        track::Configuration configuration;
        std::vector<std::uint64_t> waiting;  // ascending
        friend bool operator==(const MomentChoice&, const MomentChoice&) = default;
    };
    track::EventVerdict land(model::LabelId label, const std::vector<expr::Value>& values);
    bool bring_about(const MomentChoice& way, std::uint64_t number, std::vector<MomentChoice>& after);
    std::vector<MomentChoice> happen(const MomentChoice& way, std::uint64_t number);

    WholeNet* net_;
    std::vector<track::Tracker> trackers_;  // one; two for `both`: of sendings, of receptions
    std::deque<InFlight> in_flight_;        // overlap: ascending numbers
    std::vector<MomentChoice> choices_;     // overlap
    std::uint64_t next_ = 0;
    bool lost_ = false;  // a limit of the tracker was reached on the way
};

}  // namespace treaty::watch
