#include "drive/player.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "drive/send_out.h"

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
std::shared_ptr<track::TrackedNet> own_view(const Part& part) {
    track::TrackOptions options;
    options.asynchronous = false;
    return std::make_shared<track::TrackedNet>(part.net, part.cut, options);
}

}  // namespace

Player::Player(Part& part, Stage& stage, const PlayOptions& options, Tell tell)
    : part_(part), stage_(stage), options_(options), tell_(std::move(tell)), tracker_(own_view(part)) {}

Player::~Player() = default;

base::Result<void> Player::open() {
    Time deadline = options_.startup.count() > 0 ? stage_.now() + options_.startup
                                                 : stage_.now() + std::chrono::hours(24 * 365);
    for (model::RoleId role : part_.played) {
        auto transport = stage_.open(role, deadline);
        if (!transport) return base::Fault{transport.error()};
        lines_.push_back(std::make_unique<Line>(*part_.codec, role,
                                                messages_with(part_, role, model::EventKind::receive),
                                                std::move(*transport)));
    }
    return {};
}

std::vector<Player::Move> Player::moves() {
    std::vector<Move> result;
    for (const track::Configuration& c : tracker_.configurations())
        for (track::Way& way : tracker_.net().inference().next(c))
            if (part_.event(part_.net.transitions()[way.transition.index].label).kind ==
                model::EventKind::send)
                result.push_back({way.transition, std::move(way.environment)});
    return result;
}

void Player::say_what_is_allowed() {
    std::vector<std::string> send, receive;
    auto add = [](std::vector<std::string>& to, std::string text) {
        if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
    };
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::Way& way : tracker_.net().inference().next(c)) {
            const model::Event& e = part_.event(part_.net.transitions()[way.transition.index].label);
            if (e.kind == model::EventKind::send)
                add(send, fmt::format("{} to {}", part_.name(e.message), part_.name(e.to)));
            else
                add(receive, fmt::format("{} from {}", part_.name(e.message), part_.name(e.from)));
        }
    std::string text;
    if (!send.empty()) text = fmt::format("it may send {}", fmt::join(send, " or "));
    if (!receive.empty())
        text += fmt::format("{}it takes {}", text.empty() ? "" : "; ", fmt::join(receive, " or "));
    if (tracker_.may_end()) text += text.empty() ? "the conversation is over" : "; it may end here";
    tell_({PlayNews::Kind::now, nullptr, std::move(text)});
}

Played Player::run(std::uint64_t seed) {
    auto begun = stage_.begin();
    if (begun) begun = open();
    if (!begun)
        return options_.deadline.interrupted()
                   ? finish(Played::End::stopped, "stopped before anybody was there")
                   : finish(Played::End::not_reached, begun.error());
    tell_({PlayNews::Kind::ready, nullptr, {}});
    expr::Choices choices(seed);
    Time last = stage_.now();
    while (!options_.deadline.interrupted()) {
        say_what_is_allowed();
        std::vector<Move> possible = moves();
        bool over = possible.empty() && tracker_.expected_outputs().empty() && tracker_.may_end();
        if (over) return finish(Played::End::finished, "the conversation came to its end");
        if (played_.exchanges.size() >= options_.length && tracker_.may_end())
            return finish(Played::End::finished, "the conversation came to its end");
        // Where it may send it gives the others a moment first: they may want to speak too.
        std::size_t before = received_ + played_.refused;
        bool came =
            listen(possible.empty() ? stage_.now() + milliseconds(100) : stage_.now() + options_.think);
        while (!came && possible.empty() && !all_left() && !options_.deadline.interrupted()) {
            if (options_.silence.count() > 0 && stage_.now() - last > options_.silence)
                return finish(Played::End::silence, "nobody spoke for too long");
            if (played_.refused + received_ != before) break;
            came = listen(stage_.now() + milliseconds(100));
        }
        if (came || received_ + played_.refused != before) {
            last = stage_.now();
            continue;
        }
        if (possible.empty() && all_left())
            return tracker_.may_end() ? finish(Played::End::finished, "the conversation came to its end")
                                      : finish(Played::End::others_left, "the others left before the end");
        while (!possible.empty()) {
            std::size_t at = choices.draw(possible.size());
            if (send(possible[at], choices)) break;
            possible.erase(possible.begin() + static_cast<std::ptrdiff_t>(at));
        }
        if (possible.empty() && !options_.deadline.interrupted())
            return finish(Played::End::stuck,
                          "no data could be made for what it may send, or nobody takes it");
        last = stage_.now();
    }
    return finish(Played::End::stopped, "stopped before the conversation was over");
}

bool Player::send(const Move& move, expr::Choices& choices) {
    const model::Transition& t = part_.net.transitions()[move.transition.index];
    const model::Event& e = part_.event(t.label);
    auto values = part_.maker->make(move.transition, move.environment, choices);
    auto line =
        std::find_if(lines_.begin(), lines_.end(), [&](const auto& one) { return one->role() == e.to; });
    if (!values || line == lines_.end()) return false;
    track::Tracker before = tracker_;
    if (tracker_.observe(t.label, *values) != track::Outcome::allowed) return false;
    if (auto taken = (*line)->write(e.message, *values); !taken || !*taken) {
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
        for (auto& line : lines_)
            if (!line->ended()) open.push_back(&line->transport());
        if (!first) {
            if (stage_.now() >= until || options_.deadline.interrupted() || open.empty()) break;
            settle();
            stage_.wait(open, until);
        }
        for (auto& line : lines_) take(*line);
    }
    return received_ != before;
}

// Who cannot be told anything now is answered with nothing, where the transport needs an answer.
void Player::settle() {
    std::vector<Move> possible;
    bool asked = false;
    for (auto& line : lines_) {
        if (!line->transport().owes()) continue;
        if (!std::exchange(asked, true)) possible = moves();
        auto answers = [&](const Move& move) {
            return part_.event(part_.net.transitions()[move.transition.index].label).to == line->role();
        };
        if (std::none_of(possible.begin(), possible.end(), answers)) line->transport().settle();
    }
}

// At most one message: what comes behind it is looked at when it has been said what is allowed then.
void Player::take(Line& line) {
    if (line.ended()) return;
    std::vector<wire::MessageIndex> now;
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::Way& way : tracker_.net().inference().next(c)) {
            const model::Event& e = part_.event(part_.net.transitions()[way.transition.index].label);
            if (e.kind == model::EventKind::receive && e.from == line.role()) now.push_back(e.message.index);
        }
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    auto may_come = [&](MessageId message, std::span<const expr::Value> values) {
        auto label = part_.input(line.role(), message);
        track::Tracker probe = tracker_;
        return label && probe.observe(*label, values) == track::Outcome::allowed;
    };
    switch (line.read(now, may_come)) {
        case Line::Got::message: return take_message(line);
        case Line::Got::fault:
            refuse(line, fmt::format("{} from {} is no message: {}", line.fault(), part_.name(line.role()),
                                     line.decode_fault().reason));
            return line.skip();
        case Line::Got::nothing:
            if (line.ended() && !line.transport().fault().empty()) refuse(line, line.transport().fault());
    }
}

void Player::take_message(Line& line) {
    Exchange exchange{true, line.role(), part_.cut, line.message(), line.take_values(), {}, 0};
    auto label = part_.input(line.role(), exchange.message);
    for (const track::Configuration& c : tracker_.configurations())
        for (const track::Way& way : tracker_.net().inference().next(c))
            if (label && part_.net.transitions()[way.transition.index].label == *label)
                exchange.node = part_.net.transitions()[way.transition.index].node;
    bool foreseen = static_cast<bool>(exchange.node);
    if (!part_.well_formed(exchange.message, exchange.values))
        return refuse(line, "its data breaks the message's own conditions", &exchange);
    if (!label || tracker_.observe(*label, exchange.values) != track::Outcome::allowed)
        return refuse(line, foreseen ? "its data breaks a condition" : "it is not allowed now", &exchange);
    ++received_;
    played_.exchanges.push_back(std::move(exchange));
    tell_({PlayNews::Kind::came, &played_.exchanges.back(), {}});
}

void Player::refuse(Line& line, std::string why, const Exchange* exchange) {
    ++played_.refused;
    line.transport().refuse(why);
    tell_({PlayNews::Kind::refused, exchange, std::move(why)});
}

bool Player::all_left() const {
    return std::all_of(lines_.begin(), lines_.end(), [](const auto& line) { return line->ended(); });
}

Played Player::finish(Played::End end, std::string reason) {
    std::vector<Transport*> all;
    for (auto& line : lines_) all.push_back(&line->transport());
    for (Transport* one : all) one->finish();
    send_out(stage_, all, std::chrono::seconds(2), options_.deadline);
    lines_.clear();
    stage_.end(stage_.now() + milliseconds(100));
    played_.end = end;
    played_.reason = std::move(reason);
    return std::move(played_);
}

}  // namespace treaty::drive
