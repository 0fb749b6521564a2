#include "drive/player.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "drive/explain.h"

namespace treaty::drive {

using model::MessageId;
using std::chrono::milliseconds;

// A message that the role may send now.
struct Player::Move {
    model::TransitionId transition;
    expr::Environment environment;
};

namespace {

// The role sees its own events as they happen.
std::shared_ptr<track::TrackedNet> own_view(const roles::RolePart& part) {
    track::TrackOptions options;
    options.asynchronous = false;
    return std::make_shared<track::TrackedNet>(part.net, part.cut, options);
}

}  // namespace

Player::Player(roles::RolePart& part, Stage& stage, const PlayOptions& options, Tell tell)
    : part_(part), stage_(stage), options_(options), tell_(std::move(tell)), tracker_(own_view(part)) {}

Player::~Player() = default;

base::Result<void> Player::open() {
    Time deadline = options_.startup.count() > 0 ? stage_.now() + options_.startup
                                                 : stage_.now() + std::chrono::hours(24 * 365);
    for (model::RoleId role : part_.played) {
        auto transport = stage_.open(role, deadline);
        if (!transport) return base::Fault{transport.error()};
        connections_.push_back(std::make_unique<RoleConnection>(
            *part_.codec, role, messages_with(part_, role, model::EventKind::receive),
            std::move(*transport)));
    }
    return {};
}

std::vector<Player::Move> Player::moves() {
    std::vector<Move> result;
    for (const track::Configuration& c : tracker_.configurations())
        for (track::EnabledTransition& enabled : tracker_.net().inference().next(c))
            if (part_.event(part_.net.transitions()[enabled.transition.index].label).kind ==
                model::EventKind::send)
                result.push_back({enabled.transition, std::move(enabled.environment)});
    return result;
}

bool Player::may_receive() {
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::EnabledTransition& enabled : tracker_.net().inference().next(c))
            if (part_.event(part_.net.transitions()[enabled.transition.index].label).kind ==
                model::EventKind::receive)
                return true;
    return false;
}

void Player::say_what_is_allowed() {
    std::vector<std::string> send, receive;
    auto add = [](std::vector<std::string>& to, std::string text) {
        if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
    };
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::EnabledTransition& enabled : tracker_.net().inference().next(c)) {
            const model::Event& e = part_.event(part_.net.transitions()[enabled.transition.index].label);
            if (e.kind == model::EventKind::send)
                add(send, fmt::format("{} to {}", part_.name(e.message), part_.name(e.to)));
            else
                add(receive, fmt::format("{} from {}", part_.name(e.message), part_.name(e.from)));
        }
    std::string text;
    if (!send.empty()) text = fmt::format("can send {}", fmt::join(send, " or "));
    if (!receive.empty())
        text += fmt::format("{}waiting for {}", text.empty() ? "" : "; ", fmt::join(receive, " or "));
    if (tracker_.may_end()) text += text.empty() ? "the conversation is over" : "; can end here";
    tell_({PlayNews::Kind::now, nullptr, std::move(text)});
}

Played Player::run(std::uint64_t seed) {
    auto begun = stage_.begin();
    if (begun) begun = open();
    if (!begun)
        return options_.deadline.interrupted() ? finish(Played::End::stopped, "stopped: nobody connected")
                                               : finish(Played::End::not_reached, begun.error());
    tell_({PlayNews::Kind::ready, nullptr, {}});
    solve::Choices choices(seed);
    Time last = stage_.now();
    std::optional<std::size_t> nothing_to_send;  // since so many messages had come
    while (!options_.deadline.interrupted()) {
        say_what_is_allowed();
        std::vector<Move> possible = moves();
        if (nothing_to_send == received_) possible.clear();
        bool all = possible.empty() && !may_receive();
        if ((all || played_.exchanges.size() >= options_.length) && tracker_.may_end())
            return finish(Played::End::finished, "the conversation is complete");
        // Where it may send it gives the others a moment first: they may want to speak too.
        std::size_t before = received_ + played_.refused;
        bool came =
            listen(possible.empty() ? stage_.now() + milliseconds(100) : stage_.now() + options_.think);
        while (!came && possible.empty() && !all_left() && !options_.deadline.interrupted()) {
            if (options_.silence.count() > 0 && stage_.now() - last > options_.silence)
                return finish(Played::End::silence, "stopped: no message came for too long");
            if (played_.refused + received_ != before) break;
            came = listen(stage_.now() + milliseconds(100));
        }
        if (came || received_ + played_.refused != before) {
            last = stage_.now();
            continue;
        }
        if (possible.empty() && all_left())
            return tracker_.may_end()
                       ? finish(Played::End::finished, "the conversation is complete")
                       : finish(Played::End::others_left,
                                "the others closed their connections before the end of the conversation");
        while (!possible.empty()) {
            std::size_t at = choices.draw(possible.size());
            if (send(possible[at], choices)) break;
            possible.erase(possible.begin() + static_cast<std::ptrdiff_t>(at));
        }
        if (possible.empty() && may_receive()) {  // it listens again, and then has nothing to send
            nothing_to_send = received_;
            continue;
        }
        if (possible.empty() && tracker_.may_end())
            return finish(Played::End::finished, "the conversation is complete");
        if (possible.empty() && !options_.deadline.interrupted())
            return finish(
                Played::End::stuck,
                "stuck: no data satisfies the conditions of what it can send, or the receiver is gone");
        last = stage_.now();
    }
    return finish(Played::End::stopped, "stopped before the end of the conversation");
}

bool Player::send(const Move& move, solve::Choices& choices) {
    const model::Transition& t = part_.net.transitions()[move.transition.index];
    const model::Event& e = part_.event(t.label);
    auto values = part_.maker->make(move.transition, move.environment, choices);
    auto connection = std::find_if(connections_.begin(), connections_.end(),
                                   [&](const auto& one) { return one->role() == e.to; });
    if (!values || connection == connections_.end()) return false;
    track::Tracker before = tracker_;
    if (tracker_.observe(t.label, *values) != track::EventVerdict::allowed) return false;
    if (auto taken = (*connection)->write(e.message, *values); !taken || !*taken) {
        tracker_ = std::move(before);
        return false;
    }
    played_.exchanges.push_back({false, part_.cut, e.to, e.message, std::move(*values), t.node, 0});
    tell_({PlayNews::Kind::sent, &played_.exchanges.back(), {}});
    return true;
}

// True if a message was taken.
bool Player::listen(Time until) {
    std::size_t before = received_, refused = played_.refused;
    for (bool first = true; received_ == before && played_.refused == refused; first = false) {
        std::vector<Transport*> open;
        for (auto& connection : connections_)
            if (!connection->ended() && !early_.contains(connection.get()))
                open.push_back(&connection->transport());
        if (!first) {
            if (stage_.now() >= until || options_.deadline.interrupted() || open.empty()) break;
            answer_open_requests();
            stage_.wait(open, until);
        }
        for (auto& connection : connections_) take(*connection);
    }
    return received_ != before;
}

// A peer for which no message is due gets an empty answer, if the transport needs one.
void Player::answer_open_requests() {
    std::vector<Move> possible;
    bool asked = false;
    for (auto& connection : connections_) {
        if (!connection->transport().owes()) continue;
        if (!std::exchange(asked, true)) possible = moves();
        auto answers = [&](const Move& move) {
            return part_.event(part_.net.transitions()[move.transition.index].label).to == connection->role();
        };
        if (std::none_of(possible.begin(), possible.end(), answers))
            connection->transport().answer_open_requests();
    }
}

// At most one message: the next one is read after the caller knows what is allowed then.
void Player::take(RoleConnection& connection) {
    if (early_.contains(&connection)) return take_early(connection);
    if (connection.ended()) return;
    std::vector<wire::MessageIndex> now;
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::EnabledTransition& enabled : tracker_.net().inference().next(c)) {
            const model::Event& e = part_.event(part_.net.transitions()[enabled.transition.index].label);
            if (e.kind == model::EventKind::receive && e.from == connection.role())
                now.push_back(e.message.index);
        }
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    auto may_come = [&](MessageId message, std::span<const expr::Value> values) {
        auto label = part_.input(connection.role(), message);
        track::Tracker probe = tracker_;
        return label && probe.observe(*label, values) == track::EventVerdict::allowed;
    };
    switch (connection.read(now, may_come)) {
        case RoleConnection::ReadResult::message: return take_message(connection);
        case RoleConnection::ReadResult::fault:
            refuse(connection, fmt::format("{} from {} matches no message: {}", connection.fault(),
                                           part_.name(connection.role()), connection.decode_fault().reason));
            return connection.skip();
        case RoleConnection::ReadResult::nothing:
            if (connection.ended() && !connection.transport().fault().empty())
                refuse(connection, connection.transport().fault());
    }
}

void Player::take_message(RoleConnection& connection) {
    Exchange exchange{true, connection.role(), part_.cut, connection.message(), connection.take_values(), {},
                      0};
    auto label = part_.input(connection.role(), exchange.message);
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::EnabledTransition& enabled : tracker_.net().inference().next(c))
            if (label && part_.net.transitions()[enabled.transition.index].label == *label)
                exchange.node = part_.net.transitions()[enabled.transition.index].node;
    bool foreseen = static_cast<bool>(exchange.node);
    if (!part_.well_formed(exchange.message, exchange.values))
        return refuse(connection, "wrong data" + declaration_broken_by(part_, exchange), &exchange);
    model::NodeId step = label ? tracker_.step_of(*label, exchange.values) : model::NodeId();
    if (foreseen && step) exchange.node = step;
    std::vector<track::BrokenCondition> broken;
    if (foreseen) broken = track::broken_conditions(part_.specification, tracker_, *label, exchange.values);
    if (label && tracker_.observe(*label, exchange.values) == track::EventVerdict::allowed)
        return accept(std::move(exchange));
    if (label && !foreseen && tracker_.takes_later(*label)) {
        early_.emplace(&connection, std::move(exchange));
        return;
    }
    refuse(connection, broken.empty() ? "it is not allowed now" : "wrong data" + requirements(part_, broken),
           &exchange);
}

// Whether the turn of a message that came early has come.
void Player::take_early(RoleConnection& connection) {
    Exchange exchange = early_.at(&connection);
    auto label = part_.input(connection.role(), exchange.message);
    if (model::NodeId step = tracker_.step_of(*label, exchange.values)) exchange.node = step;
    if (tracker_.observe(*label, exchange.values) == track::EventVerdict::allowed) {
        early_.erase(&connection);
        return accept(std::move(exchange));
    }
    if (tracker_.takes_later(*label)) return;
    early_.erase(&connection);
    refuse(connection, "it is not allowed now", &exchange);
}

void Player::accept(Exchange exchange) {
    ++received_;
    played_.exchanges.push_back(std::move(exchange));
    tell_({PlayNews::Kind::came, &played_.exchanges.back(), {}});
}

void Player::refuse(RoleConnection& connection, std::string why, const Exchange* exchange) {
    ++played_.refused;
    connection.transport().refuse(why);
    tell_({PlayNews::Kind::refused, exchange, std::move(why)});
}

bool Player::all_left() const {
    return std::all_of(connections_.begin(), connections_.end(), [&](const auto& connection) {
        return connection->ended() || early_.contains(connection.get());
    });
}

Played Player::finish(Played::End end, std::string reason) {
    for (auto& connection : connections_)
        if (auto early = early_.find(connection.get()); early != early_.end())
            refuse(*connection, "its turn never came", &early->second);
    early_.clear();
    std::vector<Transport*> all;
    for (auto& connection : connections_) all.push_back(&connection->transport());
    for (Transport* one : all) one->finish();
    send_out(stage_, all, std::chrono::seconds(2), options_.deadline);
    connections_.clear();
    stage_.end(stage_.now() + milliseconds(100));
    if (std::string_view why = process::not_run_message(stage_.ending()); received_ == 0 && !why.empty()) {
        end = Played::End::not_reached;
        reason = fmt::format("cannot start the program: {}", why);
    }
    played_.end = end;
    played_.reason = std::move(reason);
    return std::move(played_);
}

}  // namespace treaty::drive
