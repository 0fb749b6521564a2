// For tests: random protocols with data in which every role knows what it needs, a component that does its
// part of one with every delay, and directors that have made all choices.
//
// Each step has a message of its own, with at most one field of the numbers 0, 1 and 2. The role that decides
// a choice, a loop or a condition tells all others before anything else, so that a session with a component
// that does its part always completes. Parallel segments are independent of each other.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/seeded_random.h"
#include "choreo/project.h"
#include "drive/director.h"
#include "drive/in_process.h"
#include "roles/role_part.h"
#include "track/configuration.h"

namespace treaty::drive::testing {

class RandomPlay {
public:
    RandomPlay(model::Specification& spec, std::uint64_t seed, std::uint32_t roles)
        : spec_(spec), random_(seed) {
        for (std::uint32_t i = 0; i < roles; ++i)
            roles_.push_back(spec.alphabet->role(std::string(1, static_cast<char>('A' + i))));
        known_.resize(roles);
        small_ = spec.types->integer(0, 2);
    }

    std::optional<model::Protocol> make(std::uint32_t steps) {
        model::ProtocolBuilder builder("Play", {}, roles_);
        builder_ = &builder;
        builder.open(model::NodeKind::sequence, {});
        steps_ = steps;
        block(2);
        if (builder.size() == 1) interaction();
        builder.close();
        return builder.finish();
    }

private:
    using Known = std::vector<std::vector<expr::VarId>>;  // by role

    std::uint32_t some_role() { return random_.below(static_cast<std::uint32_t>(roles_.size())); }

    model::MessageId message(bool field) {
        model::MessageId id = spec_.alphabet->message("m" + std::to_string(count_++));
        spec_.messages.resize(spec_.alphabet->message_count());
        if (field) spec_.messages[id.index].fields.push_back({spec_.names->intern("f"), small_});
        return id;
    }

    expr::ExprId compare(expr::Op op, expr::ExprId a, expr::ExprId b) {
        expr::ExprId parts[] = {a, b};
        return spec_.pool->make(op, spec_.types->boolean(), parts);
    }

    // A new value, bounded by a number or by one that the sender knows, or one that the sender knows.
    void interaction() {
        std::uint32_t from = some_role(),
                      to = (from + 1 + random_.below(static_cast<std::uint32_t>(roles_.size() - 1))) %
                           static_cast<std::uint32_t>(roles_.size());
        if (steps_ > 0) --steps_;
        expr::Pool& pool = *spec_.pool;
        if (random_.percent(30)) {
            builder_->interaction({}, roles_[from], roles_[to], message(false));
            return;
        }
        if (!known_[from].empty() && random_.percent(50)) {
            expr::VarId v = known_[from][random_.below(static_cast<std::uint32_t>(known_[from].size()))];
            builder_->interaction({}, roles_[from], roles_[to], message(true), {{{}, pool.var(v), {}}});
            learn(to, v);
            return;
        }
        expr::VarId v = pool.declare(spec_.names->intern("v" + std::to_string(count_)), small_);
        expr::ExprId where;
        if (!known_[from].empty() && random_.percent(50))
            where = compare(expr::Op::not_equal, pool.var(v), pool.var(known_[from].back()));
        else if (random_.percent(70))
            where = compare(expr::Op::less, pool.var(v), pool.integer(1 + random_.below(2)));
        builder_->interaction({}, roles_[from], roles_[to], message(true), {{v, {}, {}}}, where);
        learn(from, v);
        learn(to, v);
    }

    void learn(std::uint32_t role, expr::VarId v) {
        auto& known = known_[role];
        if (std::find(known.begin(), known.end(), v) == known.end()) known.push_back(v);
    }

    void announce(std::uint32_t decider) {
        for (std::uint32_t i = 0; i < roles_.size(); ++i)
            if (i != decider) builder_->interaction({}, roles_[decider], roles_[i], message(false));
    }

    // What is learned in one branch is not known after the choice.
    void branch(std::uint32_t decider, std::uint32_t depth, bool announced = true) {
        Known before = known_;
        builder_->open(model::NodeKind::sequence, {});
        if (announced) announce(decider);
        block(depth);
        builder_->close();
        known_ = std::move(before);
    }

    void block(std::uint32_t depth) {
        for (std::uint32_t n = 1 + random_.below(3); n > 0 && steps_ > 0; --n) {
            std::uint32_t kind = depth == 0 ? 0 : random_.below(10), decider = some_role();
            if (kind < 5) {
                interaction();
            } else if (kind == 5) {
                builder_->open_choice({}, roles_[decider]);
                branch(decider, depth - 1), branch(decider, depth - 1);
                builder_->close();
            } else if (kind == 6) {
                builder_->open_repeat({}, roles_[decider]);
                branch(decider, depth - 1);
                builder_->close();
                announce(decider);
            } else if (kind == 7 && !known_[decider].empty()) {
                expr::ExprId v = spec_.pool->var(known_[decider].back());
                builder_->open_conditional(
                    {}, compare(expr::Op::equal, v, spec_.pool->integer(random_.below(3))));
                branch(decider, depth - 1), branch(decider, depth - 1);
                builder_->close();
            } else {
                builder_->open(model::NodeKind::parallel, {});
                for (int segment = 0; segment < 2; ++segment) {
                    Known before = known_;
                    builder_->open(model::NodeKind::sequence, {});
                    interaction();
                    block(depth - 1);
                    builder_->close();
                    known_ = std::move(before);
                }
                builder_->close();
            }
        }
    }

    model::Specification& spec_;
    base::SeededRandom random_;
    std::vector<model::RoleId> roles_;
    Known known_;
    expr::TypeId small_;
    model::ProtocolBuilder* builder_ = nullptr;
    std::uint32_t steps_ = 0, count_ = 0;
};

// One message, as the component or the tester sees it.
struct Seen {
    model::LabelId label;
    std::vector<expr::Value> values;
    friend bool operator==(const Seen&, const Seen&) = default;
};

// What the component did itself.
struct Diary {
    std::map<std::pair<model::NodeId, bool>, std::uint64_t> steps;  // by node, whether it was a reception
    std::size_t outputs = 0;
    bool dropped = false;  // the output that it was to leave out
    bool gave_up = false;
};

// Does what the part says, one random step after the other, each message on each connection with a delay of
// its own. drop: the number of the output that is never sent; none: all are.
inline InProcess::Program component_of(const roles::RolePart& part, std::uint64_t seed, Diary& diary,
                                       std::optional<std::size_t> drop = std::nullopt) {
    return [&part, seed, &diary, drop](InProcess& here) -> Task {
        base::SeededRandom random(seed);
        track::Configuration at{track::initial_marking(part.net), {}, {}};
        std::map<model::RoleId, std::deque<Seen>> inputs;
        std::map<model::RoleId, std::deque<std::string>> outputs;
        std::set<model::MessageId> all;
        auto received = [&](const std::string& role, const std::string& bytes) {
            model::RoleId peer = part.specification.alphabet->find_role(role);
            wire::Decoder decoder(*part.codec);
            decoder.feed(bytes);
            wire::Decoded decoded;
            while (decoder.next(decoded) == wire::DecodeStatus::message)
                inputs[peer].push_back(
                    {*part.input(peer, model::MessageId(decoded.message)), decoder.values(decoded)});
        };
        auto run = [&](const model::Transition& t, const std::vector<expr::Value>* values,
                       track::Configuration& after) {
            std::optional<std::span<const expr::Value>> known;
            if (values) known = *values;
            return !part.net.pool() || track::run_data(*part.net.pool(), t, known, after.environment);
        };
        struct Step {
            model::TransitionId transition;
            track::Configuration after;
            std::optional<Seen> output;
        };
        auto steps = [&] {
            std::vector<Step> result;
            for (std::size_t i = 0; i < part.net.transitions().size(); ++i) {
                const model::Transition& t = part.net.transitions()[i];
                if (!track::enabled(at.marking, t)) continue;
                const model::Event& e = part.event(t.label);
                auto add = [&](const std::vector<expr::Value>* values, std::optional<Seen> output) {
                    track::Configuration after{track::fired(at.marking, t), at.environment, {}};
                    if (run(t, values, after))
                        result.push_back({model::TransitionId(i), std::move(after), std::move(output)});
                };
                if (t.silent()) {
                    add(nullptr, std::nullopt);
                } else if (e.kind == model::EventKind::receive) {
                    auto& queue = inputs[e.from];
                    if (!queue.empty() && queue.front().label == t.label)
                        add(&queue.front().values, std::nullopt);
                } else {
                    std::size_t fields = part.specification.message(e.message).fields.size();
                    for (int v = 0; v < (fields == 0 ? 1 : 3); ++v) {
                        std::vector<expr::Value> values(fields, expr::Value(v));
                        add(&values, Seen{t.label, values});
                    }
                }
            }
            return result;
        };
        auto deliver = [&](model::RoleId peer) {
            auto& queue = outputs[peer];
            here.send(std::string(part.name(peer)), queue.front());
            queue.pop_front();
            if (queue.empty()) outputs.erase(peer);
        };
        for (int turns = 0; turns < 2000; ++turns) {
            if (!outputs.empty() && random.percent(40)) {
                auto one = outputs.begin();
                std::advance(one, random.below(static_cast<std::uint32_t>(outputs.size())));
                deliver(one->first);
                continue;
            }
            if (random.percent(20)) co_await here.pause(std::chrono::milliseconds(random.below(40)));
            for (model::RoleId peer : part.played)
                while (here.waiting(std::string(part.name(peer))))
                    received(std::string(part.name(peer)),
                             *co_await here.receive(std::string(part.name(peer))));
            auto next = steps();
            if (next.empty() && !outputs.empty()) continue;
            if (next.empty()) {
                auto piece = co_await here.receive_any();
                if (!piece) co_return;
                received(piece->first, piece->second);
                continue;
            }
            Step step = std::move(next[random.below(static_cast<std::uint32_t>(next.size()))]);
            const model::Transition& t = part.net.transitions()[step.transition.index];
            const model::Event& e = part.event(t.label);
            at = std::move(step.after);
            if (e.kind == model::EventKind::receive) inputs[e.from].pop_front();
            if (step.output) {
                if (drop && diary.outputs++ == *drop) {
                    diary.dropped = true;
                    continue;
                }
                std::string bytes;
                wire::Encoder encoder(*part.codec);
                if (encoder.encode(e.message.index, step.output->values, bytes)) co_return;
                outputs[e.to].push_back(bytes);
            }
            if (!t.silent()) ++diary.steps[{t.node, e.kind == model::EventKind::receive}];
        }
        diary.gave_up = true;
    };
}

// A machine without loops in which each state has at most one send, drawn at random: what an abstract test
// has for a role. After `rounds` steps it sends nothing more.
inline Director::Player random_player(const model::Machine& machine, base::SeededRandom& random,
                                      std::uint32_t rounds = 24) {
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    std::map<std::pair<model::StateId, std::uint32_t>, model::StateId> known;
    std::vector<std::pair<model::StateId, std::uint32_t>> todo;
    auto state = [&](model::StateId s, std::uint32_t round) {
        auto [place, added] = known.try_emplace({s, round});
        if (added) {
            place->second = builder.state(machine.final(s));
            todo.emplace_back(s, round);
        }
        return place->second;
    };
    state(machine.initial(), 0);
    for (std::size_t i = 0; i < todo.size(); ++i) {
        auto [s, round] = todo[i];
        if (round == rounds) continue;
        std::vector<model::Edge> sends, others;
        for (const model::Edge& e : machine.out(s))
            (machine.alphabet().event(e.label).kind == model::EventKind::send ? sends : others).push_back(e);
        if (!sends.empty()) others.push_back(sends[random.below(static_cast<std::uint32_t>(sends.size()))]);
        for (const model::Edge& e : others)
            builder.edge(known.at({s, round}), e.label, state(e.target, round + 1));
    }
    auto made = builder.finish();
    std::vector<bool> success;
    for (std::size_t s = 0; s < made->state_count(); ++s)
        success.push_back(made->final(model::StateId(static_cast<std::uint32_t>(s))));
    return {std::move(*made), std::move(success)};
}

// One of them for each role but the cut; nothing where the roles have no machines.
inline std::unique_ptr<Director> random_director(const roles::RolePart& part, std::uint64_t seed) {
    base::SeededRandom random(seed);
    auto made = choreo::make_plain_system(part.specification, part.protocol);
    if (!made) return nullptr;
    std::vector<Director::Player> players;
    for (const model::Machine& machine : made.system->machines())
        if (machine.role() != part.cut) players.push_back(random_player(machine, random));
    return std::make_unique<Director>(std::move(players), part.cut);
}

}  // namespace treaty::drive::testing
