// For tests: random protocols with loops that never end and roles that have no part in them, and a slow,
// plain answer to which steps happen.
#pragma once

#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "model/specification.h"

namespace treaty::model::testing {

// Every interaction has a message of its own.
class EndlessProtocols {
public:
    EndlessProtocols(Specification& specification, std::uint64_t seed)
        : specification_(specification), random_(seed) {
        for (const char* name : {"A", "B", "C", "D", "E"})
            roles_.push_back(specification.alphabet->role(name));
    }

    Protocol make() {
        builder_.emplace("P", Span{}, roles_);
        sequence(3, 1 + below(3));
        auto result = builder_->finish();
        TREATY_CHECK(result.has_value());
        specification_.messages.resize(specification_.alphabet->message_count());
        return std::move(*result);
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }

    RoleId interaction(RoleId from = {}) {
        if (!from) from = roles_[below(roles_.size())];
        RoleId to = from;
        while (to == from) to = roles_[below(roles_.size())];
        builder_->interaction({}, from, to, specification_.alphabet->message(fmt::format("m{}", count_++)));
        return from;
    }

    void sequence(int depth, std::size_t steps, RoleId first = {}) {
        builder_->open(NodeKind::sequence, {});
        if (first) interaction(first);
        for (; steps > 0; --steps) step(depth);
        builder_->close();
    }

    void step(int depth) {
        switch (depth == 0 ? 0 : below(6)) {
            case 0:
            case 1: interaction(); break;
            case 2: {
                RoleId decider = roles_[below(roles_.size())];
                builder_->open_choice({}, decider);
                for (int i = 0; i < 2; ++i) branch(depth, decider);
                builder_->close();
                break;
            }
            case 3:
                builder_->open(NodeKind::parallel, {});
                open_loops_.push_back({});  // no jump out of it
                for (int i = 0; i < 2; ++i) sequence(depth - 1, 1);
                open_loops_.pop_back();
                builder_->close();
                break;
            default: loop(depth);
        }
    }

    void branch(int depth, RoleId decider) {
        builder_->open(NodeKind::sequence, {});
        interaction(decider);
        if (below(2) == 0) step(depth - 1);
        bool jumps = !open_loops_.empty() && open_loops_.back() && below(3) == 0;
        if (jumps) builder_->jump({}, open_loops_.back());
        builder_->close();
    }

    // Half of them have no exit.
    void loop(int depth) {
        LoopId loop = builder_->loop(fmt::format("L{}", loops_++));
        builder_->open_recursion({}, loop);
        open_loops_.push_back(loop);
        builder_->open(NodeKind::sequence, {});
        interaction();
        if (below(3) == 0) step(depth - 1);
        if (below(3) > 0) builder_->jump({}, loop);
        builder_->close();
        open_loops_.pop_back();
        builder_->close();
    }

    Specification& specification_;
    std::mt19937_64 random_;
    std::vector<RoleId> roles_;
    std::optional<ProtocolBuilder> builder_;
    std::vector<LoopId> open_loops_;
    std::size_t count_ = 0, loops_ = 0;
};

// Which messages are received in some run, role by role: a role that is in a loop for ever stops there, and
// so does one that waits for a stopped one. Each loop is run a few rounds; then it is taken to go on for
// ever.
class PlainRuns {
public:
    explicit PlainRuns(const Protocol& protocol) : p_(protocol) {}

    std::set<std::string> happens(const Alphabet& alphabet) {
        run(p_.root(), {});
        std::set<std::string> names;
        for (MessageId m : seen_) names.insert(std::string(alphabet.name(m)));
        return names;
    }

    // Every step is taken in some run, and every `continue` by somebody.
    bool everything_happens() {
        run(p_.root(), {});
        for (std::size_t i = 0; i < p_.size(); ++i) {
            const Node& n = p_[NodeId(i)];
            if (n.kind == NodeKind::interaction && !seen_.count(n.message)) return false;
            if (n.kind == NodeKind::jump && !jumps_.count(NodeId(i))) return false;
        }
        return true;
    }

private:
    using Stopped = std::set<RoleId>;
    struct Result {
        Stopped stopped;
        LoopId jump;  // where everybody who is not stopped goes next; none: on
        friend auto operator<=>(const Result&, const Result&) = default;
    };
    using Results = std::set<Result>;

    Stopped roles_of(NodeId part) const {
        Stopped roles;
        for (std::uint32_t i = part.index; i < p_[part].subtree_end; ++i)
            if (p_[NodeId(i)].kind == NodeKind::interaction) {
                roles.insert(p_[NodeId(i)].role);
                roles.insert(p_[NodeId(i)].to);
            }
        return roles;
    }

    Results run(NodeId id, const Stopped& stopped) {
        const Node& n = p_[id];
        auto children = p_.children(id);
        switch (n.kind) {
            case NodeKind::interaction: {
                if (!stopped.count(n.role) && !stopped.count(n.to)) {
                    seen_.insert(n.message);
                    return {{stopped, {}}};
                }
                Stopped after = stopped;
                after.insert({n.role, n.to});
                return {{after, {}}};
            }
            case NodeKind::jump: {
                for (RoleId role : roles_of(p_.loop_node(n.loop)))
                    if (!stopped.count(role)) jumps_.insert(id);
                return {{stopped, n.loop}};
            }
            case NodeKind::choice: {
                // Nobody decides for one who has stopped.
                if (stopped.count(n.role)) {
                    Stopped after = stopped;
                    after.merge(roles_of(id));
                    return {{after, {}}};
                }
                Results all;
                for (NodeId c : children) all.merge(run(c, stopped));
                return all;
            }
            case NodeKind::recursion: return loop(id, stopped);
            default: return in_order(id, stopped);
        }
    }

    // The segments of a par have no jumps out of them; what stops in one has stopped for what follows.
    Results in_order(NodeId id, const Stopped& stopped) {
        bool par = p_[id].kind == NodeKind::parallel;
        Results now{{stopped, {}}};
        for (NodeId c : p_.children(id)) {
            Results next;
            for (const Result& r : now) {
                if (r.jump) {
                    next.insert(r);
                    continue;
                }
                for (Result after : run(c, par ? stopped : r.stopped)) {
                    after.stopped.insert(r.stopped.begin(), r.stopped.end());
                    next.insert(after);
                }
            }
            now = std::move(next);
        }
        return now;
    }

    Results loop(NodeId id, const Stopped& stopped) {
        Results done, rounds{{stopped, p_[id].loop}};
        for (int round = 0; round < 2; ++round) {
            Results next;
            for (const Result& r : rounds)
                for (const Result& after : run(p_.children(id)[0], r.stopped))
                    (after.jump == p_[id].loop ? next : done).insert(after);
            rounds = std::move(next);
        }
        for (Result r : rounds) {
            r.stopped.merge(roles_of(id));
            r.jump = {};
            done.insert(r);
        }
        return done;
    }

    const Protocol& p_;
    std::set<MessageId> seen_;
    std::set<NodeId> jumps_;
};

}  // namespace treaty::model::testing
