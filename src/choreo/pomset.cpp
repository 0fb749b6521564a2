// A subtree gives a list of outcomes: a pomset, with the earliest and latest events of each role in it, and
// how it is left, by its end or by a jump. Sequences and parallel blocks combine every outcome of one part
// with every outcome of the next; a recursion puts rounds that end in its jump before a last one.
#include "choreo/pomset.h"

#include <algorithm>
#include <map>
#include <optional>

namespace treaty::choreo {
namespace {

using model::LoopId;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

using EventList = std::vector<std::uint32_t>;

struct Outcome {
    Pomset pomset;
    std::map<RoleId, EventList> first, last;  // minimal and maximal events of each role, among its own
    LoopId jump;                              // valid: left by a jump
};

class Enumerator {
public:
    Enumerator(const model::Specification& spec, const model::Protocol& protocol, const PomsetLimits& limits)
        : spec_(spec), protocol_(protocol), limits_(limits) {}

    PomsetFamily run() {
        auto outcomes = walk(protocol_.root());
        PomsetFamily family;
        family.reason = reason_;
        if (refused_) return family;
        std::size_t events = 0;
        for (Outcome& o : outcomes) {
            events += o.pomset.events.size();
            if (events > limits_.events) {
                family.reason = "more events than the limit";
                break;
            }
            reduce(o.pomset);
            family.branches.push_back(std::move(o.pomset));
        }
        if (outcomes.empty() && family.reason.empty()) family.reason = "the protocol never ends";
        return family;
    }

private:
    using Outcomes = std::vector<Outcome>;

    void add(Outcomes& list, Outcome outcome) {
        if (list.size() >= limits_.branches) {
            reason_ = "more branches than the limit";
            return;
        }
        events_ += outcome.pomset.events.size();
        if (events_ > 64 * limits_.events) {  // what is built on the way counts, not only what is kept
            reason_ = "more events than the limit";
            return;
        }
        list.push_back(std::move(outcome));
    }

    Outcomes walk(NodeId id) {
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        switch (node.kind) {
            case NodeKind::sequence: {
                Outcomes all(1);
                for (NodeId child : children) all = combine(std::move(all), walk(child), true);
                return all;
            }
            case NodeKind::interaction: return {interaction(id, node)};
            case NodeKind::choice:
            case NodeKind::conditional: {
                Outcomes all;
                for (NodeId child : children)
                    for (Outcome& o : walk(child)) add(all, std::move(o));
                return all;
            }
            case NodeKind::parallel: {
                Outcomes all(1);
                for (NodeId child : children) all = combine(std::move(all), walk(child), false);
                return all;
            }
            case NodeKind::repeat:
            case NodeKind::while_loop: {
                Outcomes body = walk(children[0]);
                return rounds(
                    body, [](const Outcome& o) { return !o.jump; }, Outcomes(1), body);
            }
            case NodeKind::recursion: {
                Outcomes body = walk(children[0]), last;
                for (const Outcome& o : body)
                    if (o.jump != node.loop) add(last, o);
                return rounds(body, [&](const Outcome& o) { return o.jump == node.loop; }, last, {});
            }
            case NodeKind::jump: {
                Outcome o;
                o.jump = node.loop;
                return {o};
            }
            case NodeKind::assign: return Outcomes(1);
            case NodeKind::interrupt:
            case NodeKind::signal:
            case NodeKind::wait:
                refused_ = true;
                reason_ = node.kind == NodeKind::interrupt ? "interruption has no pomset meaning"
                                                           : "semaphores have no pomset meaning";
                return {};
        }
        return {};
    }

    // Any number of rounds, up to the limit, then one of `last` or an outcome of `body` that jumps elsewhere.
    template <class Again>
    Outcomes rounds(const Outcomes& body, Again again, const Outcomes& last, const Outcomes& leaving) {
        Outcomes round, way_out = last, all;
        for (const Outcome& o : body)
            if (again(o)) {
                round.push_back(o);
                round.back().jump = {};
            }
        for (const Outcome& o : leaving)
            if (!again(o)) way_out.push_back(o);
        Outcomes before(1);
        for (std::uint32_t i = 0;; ++i) {
            for (Outcome& o : combine(before, way_out, true)) add(all, std::move(o));
            if (i == limits_.rounds || round.empty() || !reason_.empty()) break;
            before = combine(std::move(before), round, true);
        }
        return all;
    }

    Outcome interaction(NodeId id, const model::Node& node) {
        Outcome o;
        o.pomset.events = {{spec_.alphabet->send(node.role, node.to, node.message), id},
                           {spec_.alphabet->receive(node.role, node.to, node.message), id}};
        o.pomset.order = {{0, 1}};
        o.first = o.last = {{node.role, {0}}, {node.to, {1}}};
        return o;
    }

    // Every outcome of a with every one of b. Nothing follows an outcome that jumped.
    Outcomes combine(Outcomes a, const Outcomes& b, bool in_sequence) {
        Outcomes all;
        for (Outcome& x : a) {
            if (x.jump && in_sequence) {
                add(all, std::move(x));
                continue;
            }
            for (const Outcome& y : b) {
                if (!reason_.empty()) return all;
                add(all, join(x, y, in_sequence));
            }
        }
        return all;
    }

    static Outcome join(Outcome x, const Outcome& y, bool in_sequence) {
        auto offset = static_cast<std::uint32_t>(x.pomset.events.size());
        x.pomset.events.insert(x.pomset.events.end(), y.pomset.events.begin(), y.pomset.events.end());
        for (auto [a, b] : y.pomset.order) x.pomset.order.push_back({a + offset, b + offset});
        x.jump = y.jump;
        auto shifted = [&](const EventList& list) {
            EventList result;
            for (std::uint32_t e : list) result.push_back(e + offset);
            return result;
        };
        for (const auto& [role, events] : y.first) {
            EventList first = shifted(events), last = shifted(y.last.at(role));
            if (in_sequence && x.last.contains(role)) {
                for (std::uint32_t a : x.last[role])
                    for (std::uint32_t b : first) x.pomset.order.push_back({a, b});
                x.last[role] = last;
            } else {
                x.first[role].insert(x.first[role].end(), first.begin(), first.end());
                x.last[role].insert(x.last[role].end(), last.begin(), last.end());
            }
        }
        return x;
    }

    // Drops the pairs that follow from others. Events are numbered along the order, so what an event reaches
    // is known once its later neighbours are done.
    static void reduce(Pomset& p) {
        std::size_t n = p.events.size();
        std::vector<EventList> after(n);
        for (auto [a, b] : p.order) after[a].push_back(b);
        std::vector<std::vector<bool>> reach(n);
        p.order.clear();
        for (std::size_t i = n; i-- > 0;) {
            std::sort(after[i].begin(), after[i].end());
            reach[i].assign(n, false);
            for (std::uint32_t b : after[i]) {
                if (reach[i][b]) continue;
                p.order.push_back({static_cast<std::uint32_t>(i), b});
                reach[i][b] = true;
                for (std::size_t k = b; k < n; ++k)
                    if (reach[b][k]) reach[i][k] = true;
            }
        }
        std::sort(p.order.begin(), p.order.end());
    }

    const model::Specification& spec_;
    const model::Protocol& protocol_;
    const PomsetLimits& limits_;
    std::size_t events_ = 0;
    std::string reason_;
    bool refused_ = false;
};

}  // namespace

PomsetFamily enumerate_pomsets(const model::Specification& specification, const model::Protocol& protocol,
                               const PomsetLimits& limits) {
    return Enumerator(specification, protocol, limits).run();
}

}  // namespace treaty::choreo
