// Two sweeps over the nodes, bottom-up for the facts and top-down for the faults.
#include "lang/structure.h"

#include <algorithm>

#include <fmt/format.h>

#include "lang/codes.h"
#include "model/endings.h"

namespace treaty::lang {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;
using model::Protocol;
using model::RoleId;

void add_senders(std::vector<FirstSender>& to, const std::vector<FirstSender>& from) {
    for (const FirstSender& s : from) {
        bool known =
            std::any_of(to.begin(), to.end(), [&](const FirstSender& t) { return t.role == s.role; });
        if (!known) to.push_back(s);
    }
}

void settle(const Protocol& p, NodeId id, Structure& s) {
    const Node& n = p[id];
    auto children = p.children(id);
    std::size_t i = id.index;
    auto any = [&](const std::vector<bool>& fact) {
        return std::any_of(children.begin(), children.end(), [&](NodeId c) { return fact[c.index]; });
    };
    auto all = [&](const std::vector<bool>& fact) {
        return std::all_of(children.begin(), children.end(), [&](NodeId c) { return fact[c.index]; });
    };
    auto collect = [&] {
        for (NodeId c : children) add_senders(s.first_senders[i], s.first_senders[c.index]);
        s.vague[i] = any(s.vague);
    };
    s.skippable[i] = s.ends[i] = true;
    if (s.hole[i]) {
        s.skippable[i] = false;
        s.vague[i] = true;
        return;
    }
    switch (n.kind) {
        case NodeKind::sequence:
            for (NodeId c : children) {
                add_senders(s.first_senders[i], s.first_senders[c.index]);
                if (s.vague[c.index]) s.vague[i] = true;
                if (!s.skippable[c.index]) break;
            }
            s.skippable[i] = all(s.skippable);
            s.ends[i] = all(s.ends);
            break;
        case NodeKind::interaction:
            s.first_senders[i].push_back({n.role, id});
            s.skippable[i] = false;
            break;
        case NodeKind::jump: s.skippable[i] = s.ends[i] = false; break;
        case NodeKind::parallel:
            collect();
            s.skippable[i] = all(s.skippable);
            s.ends[i] = all(s.ends);
            break;
        case NodeKind::choice:
        case NodeKind::conditional:
        case NodeKind::interrupt:
        case NodeKind::recursion:
            collect();
            s.skippable[i] = any(s.skippable);
            s.ends[i] = any(s.ends);
            break;
        case NodeKind::repeat:
        case NodeKind::while_loop: collect(); break;
        case NodeKind::assign:
        case NodeKind::signal:
        case NodeKind::wait: break;
    }
}

class StructureCheck {
public:
    StructureCheck(const model::Specification& spec, ResolvedProtocol& resolved, const Structure& structure,
                   base::Diagnostics& diagnostics)
        : spec_(spec),
          resolved_(resolved),
          p_(resolved.protocol),
          s_(structure),
          endings_(p_, structure.hole),
          diagnostics_(diagnostics) {}

    void run() {
        visit(p_.root(), 0, {});
        for (std::size_t i = 0; i < p_.size(); ++i) {
            NodeId id(i);
            if (p_[id].kind == NodeKind::choice) choice(id);
            if (p_[id].kind == NodeKind::repeat) repeat(id);
            if (p_[id].kind == NodeKind::while_loop && s_.skippable[p_.children(id)[0].index]) idle(id);
        }
        semaphores();
        idle_roles();
    }

private:
    std::string_view name(RoleId r) const { return spec_.alphabet->name(r); }

    // What is wrong inside a called protocol is reported where that one is checked for itself.
    base::Diagnostics& at(NodeId id) { return resolved_.called[id.index] ? muted_ : diagnostics_; }

    // `progressed`: how many of the open recursions have had a message, for certain, since they began.
    // `held`: the roles that never get here, because something before does not end for them.
    void visit(NodeId id, std::size_t progressed, model::RoleSet held) {
        const Node& n = p_[id];
        if (n.kind == NodeKind::jump) return jump(id, progressed);
        std::size_t outside = open_.size();
        bool barrier = n.kind == NodeKind::parallel || n.kind == NodeKind::interrupt;
        if (n.kind == NodeKind::recursion) open_.push_back({n.loop, {}});
        if (barrier) open_.push_back({{}, id});
        bool reported = false;
        for (NodeId c : p_.children(id)) {
            if (!reported && !s_.hole[c.index] && never_reached(id, c, held)) {
                unreachable(id, c, held);
                reported = true;
                held = {};  // one missing way is one fault
                open_.resize(std::min(open_.size(), outside + (n.kind == NodeKind::recursion || barrier)));
                progressed = std::min(progressed, open_.size());
                if (p_[c].kind == NodeKind::jump) continue;
            }
            visit(c, progressed, held);
            if (n.kind != NodeKind::sequence) continue;
            if (!s_.skippable[c.index]) progressed = open_.size();
            if (endings_.ends(c) || reported) continue;
            held.add(endings_.held(c));
            open_.push_back({{}, c});  // steps after it cannot go back to before it
        }
        open_.resize(outside);
    }

    // No held role takes a step, or decides on one; a jump concerns every role in its loop.
    bool never_reached(NodeId parent, NodeId id, const model::RoleSet& held) const {
        if (held.empty()) return false;
        const Node& n = p_[id];
        if (n.kind == NodeKind::interaction) return held.has(n.role) || held.has(n.to);
        if (n.kind == NodeKind::jump) return !roles_in(p_, p_.loop_node(n.loop)).exceeds(held);
        if (p_[parent].kind == NodeKind::sequence && !some_role_continues(parent, id, held)) return true;
        const auto& first = s_.first_senders[id.index];
        return !first.empty() && !s_.vague[id.index] &&
               std::all_of(first.begin(), first.end(),
                           [&](const FirstSender& f) { return held.has(f.role); });
    }

    // Whether a role that is not held does something in this child of a sequence or after it.
    bool some_role_continues(NodeId sequence, NodeId from, const model::RoleSet& held) const {
        for (std::uint32_t i = from.index; i < p_[sequence].subtree_end; ++i) {
            const Node& n = p_[NodeId(i)];
            if (n.kind == NodeKind::interaction && !held.has(n.role)) return true;
            if (s_.hole[i]) return true;
        }
        return false;
    }

    void unreachable(NodeId parent, NodeId id, const model::RoleSet& held) {
        auto& report = at(parent).report(codes::unreachable_step, p_[id].span, "this step is never reached");
        const Node& n = p_[id];
        if (n.kind == NodeKind::interaction)
            report.help(
                fmt::format("`{}` never gets here: every path before it goes back to the start of a loop",
                            name(held.has(n.role) ? n.role : n.to)));
        else
            report.help("every path before it goes back to the start of a loop");
    }

    void jump(NodeId id, std::size_t progressed) {
        std::size_t head = open_.size();
        NodeId crossed;
        while (head-- > 0 && open_[head].loop != p_[id].loop)
            if (open_[head].barrier) crossed = open_[head].barrier;
        bool par = crossed && p_[crossed].kind == NodeKind::parallel;
        if (crossed && !par && p_[crossed].kind != NodeKind::interrupt) {
            at(id)
                .report(codes::jump_across, p_[id].span,
                        "`continue` cannot go back to before a loop that never ends")
                .label(p_[crossed].span, "this never ends, so its roles cannot go back")
                .help("use par to run the two side by side, with a loop in each segment");
        } else if (crossed) {
            at(id)
                .report(codes::jump_across, p_[id].span,
                        fmt::format("`continue` cannot leave this {}", par ? "par" : "try"))
                .label(p_[crossed].span, fmt::format("the {} is inside the loop", par ? "par" : "try"))
                .help(fmt::format("put the loop inside the {}", par ? "segment" : "try"));
        } else if (head >= progressed) {
            at(p_.loop_node(p_[id].loop))
                .report(codes::idle_loop, p_[id].span, "this loop can start over without any message")
                .label(p_[p_.loop_node(p_[id].loop)].span, "the loop begins here");
        }
    }

    void idle(NodeId id) {
        at(id)
            .report(codes::idle_loop, p_[id].span, "a round of this loop may pass without any message")
            .help("a round begins with a message, so that every role notices it");
    }

    const FirstSender* other_sender(NodeId id, RoleId decider) const {
        for (const FirstSender& f : s_.first_senders[id.index])
            if (f.role != decider) return &f;
        return nullptr;
    }

    void wrong_decider(NodeId id, RoleId decider, const FirstSender& other, std::string_view what) {
        at(id)
            .report(codes::wrong_decider, p_[other.node].span,
                    fmt::format("`{}` decides this {}, but here `{}` sends first", name(decider), what,
                                name(other.role)))
            .label(p_[id].span, fmt::format("`{}` decides, according to `at`", name(decider)))
            .help(fmt::format("begin with a message from `{}`, or let `{}` decide", name(decider),
                              name(other.role)));
    }

    void choice(NodeId id) {
        RoleId decider = p_[id].role;
        auto children = p_.children(id);
        if (decider) {
            for (NodeId c : children)
                if (const FirstSender* other = other_sender(c, decider))
                    wrong_decider(id, decider, *other, "choice");
            return;
        }
        const auto& first = s_.first_senders[id.index];
        if (first.size() == 1 && !s_.vague[id.index]) resolved_.protocol.set_decider(id, first[0].role);
    }

    void repeat(NodeId id) {
        NodeId body = p_.children(id)[0];
        RoleId decider = p_[id].role;
        const auto& first = s_.first_senders[id.index];
        if (s_.skippable[body.index]) return idle(id);
        if (decider) {
            if (const FirstSender* other = other_sender(body, decider))
                wrong_decider(id, decider, *other, "loop");
            return;
        }
        if (s_.vague[id.index]) return;
        if (first.size() == 1) {
            resolved_.protocol.set_decider(id, first[0].role);
            return;
        }
        auto& report =
            at(id).report(codes::no_decider, p_[id].span, "no role decides whether there is another round");
        for (std::size_t i = 0; i < first.size() && i < 2; ++i)
            report.label(p_[first[i].node].span, fmt::format("`{}` may send first", name(first[i].role)));
        report.help("let every round begin with a message from one role");
    }

    void semaphores() {
        std::vector<bool> signalled(p_.semaphore_count(), false);
        for (std::size_t i = 0; i < p_.size(); ++i)
            if (p_[NodeId(i)].kind == NodeKind::signal) signalled[p_[NodeId(i)].semaphore.index] = true;
        for (std::size_t i = 0; i < p_.size(); ++i) {
            const Node& n = p_[NodeId(i)];
            if (n.kind != NodeKind::wait || signalled[n.semaphore.index]) continue;
            at(NodeId(i)).report(
                codes::wait_without_signal, n.span,
                fmt::format("no step signals `{}`, so this waits for ever", p_.semaphore_name(n.semaphore)));
        }
    }

    void idle_roles() {
        if (!resolved_.holes.empty()) return;
        std::vector<bool> busy(spec_.alphabet->role_count(), false);
        for (std::size_t i = 0; i < p_.size(); ++i) {
            const Node& n = p_[NodeId(i)];
            if (n.kind == NodeKind::interaction) busy[n.role.index] = busy[n.to.index] = true;
        }
        std::string idle;
        std::size_t count = 0;
        for (RoleId r : p_.roles())
            if (!busy[r.index] && ++count > 0)
                idle += fmt::format("{}`{}`", idle.empty() ? "" : ", ", name(r));
        if (count > 0)
            diagnostics_.report(codes::idle_role, p_.span(),
                                count == 1 ? fmt::format("role {} sends and receives nothing", idle)
                                           : fmt::format("the roles {} send and receive nothing", idle));
    }

    struct Open {
        model::LoopId loop;
        NodeId barrier;
    };

    const model::Specification& spec_;
    ResolvedProtocol& resolved_;
    const Protocol& p_;
    const Structure& s_;
    model::Endings endings_;
    base::Diagnostics& diagnostics_;
    base::Diagnostics muted_;
    std::vector<Open> open_;
};

}  // namespace

Structure analyse_structure(const Protocol& protocol, const std::vector<NodeId>& holes) {
    Structure s;
    std::size_t n = protocol.size();
    s.hole.resize(n);
    s.skippable.resize(n);
    s.ends.resize(n);
    s.vague.resize(n);
    s.first_senders.resize(n);
    for (NodeId h : holes) s.hole[h.index] = true;
    for (std::size_t i = n; i-- > 0;) settle(protocol, NodeId(i), s);
    return s;
}

void check_structure(const model::Specification& spec, ResolvedProtocol& resolved, const Structure& structure,
                     base::Diagnostics& diagnostics) {
    StructureCheck(spec, resolved, structure, diagnostics).run();
}

}  // namespace treaty::lang
