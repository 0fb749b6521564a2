// One decision after the other. For each, the possibilities are written down as sides: the branches of a
// choice; the round of a loop. For each role that takes part, the first actions on each side and, where a
// side can be passed without an action of the role, those after the decision. First the active role is found,
// then every role is judged.
#include "choreo/well_branched.h"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "choreo/available_messages.h"
#include "choreo/codes.h"
#include "choreo/initial_actions.h"
#include "choreo/participants.h"
#include "choreo/role_knowledge.h"

namespace treaty::choreo {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

struct Side {
    NodeId part;
    std::string name;
    bool ends;  // its end, and so what follows the decision, can be reached
};

struct View {  // of one decision, by one role
    RoleId role;
    std::vector<FirstActions> sides;
    FirstActions later;  // if some side can be passed
    bool passes = false;
    bool acts = false;
    bool sends = false;       // some first action on a side is a send
    bool only_sends = false;  // on every side where it acts, all first actions are
};

class Checker {
public:
    Checker(const model::Specification& spec, const model::Protocol& protocol, base::Diagnostics& diagnostics)
        : spec_(spec),
          protocol_(protocol),
          out_(diagnostics),
          participants_(protocol),
          first_(spec, protocol, participants_) {}

    Branching run() {
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            NodeId id(i);
            switch (protocol_[id].kind) {
                case NodeKind::choice:
                case NodeKind::repeat:
                case NodeKind::conditional:
                case NodeKind::while_loop: decision(id); break;
                case NodeKind::parallel: parallel(id); break;
                default: break;
            }
        }
        return result_;
    }

private:
    bool loop() const { return node().kind == NodeKind::repeat || node().kind == NodeKind::while_loop; }
    bool by_data() const {
        return node().kind == NodeKind::conditional || node().kind == NodeKind::while_loop;
    }
    const Node& node() const { return protocol_[at_]; }
    std::string_view name(RoleId r) const { return spec_.alphabet->name(r); }

    base::Diagnostic& report(const base::Code& code, base::Span span, std::string message) {
        if (code.severity == base::Severity::error) result_.well_branched = false;
        return out_.report(code, span, std::move(message));
    }

    void decision(NodeId id) {
        at_ = id;
        auto children = protocol_.children(id);
        if (!loop() && children.size() < 2) return;
        sides_.clear();
        for (std::size_t i = 0; i < children.size(); ++i) {
            std::string side = loop()      ? "another round"
                               : by_data() ? (i == 0 ? "the first part" : "the second part")
                                           : fmt::format("branch {}", i + 1);
            sides_.push_back({children[i], std::move(side), !loop() && first_.ends(children[i])});
        }
        std::vector<View> views;
        for (RoleId role : concerned()) {
            View view = look(role);
            if (view.acts) views.push_back(std::move(view));
        }
        if (by_data())
            judge_by_data(views);
        else
            judge(views);
    }

    // Roles of the decision itself and, where it jumps back, of the loops it continues.
    std::vector<RoleId> concerned() const {
        std::vector<RoleId> roles = participants_.of(at_);
        NodeId outermost = at_;
        for (NodeId j = participants_.next_jump(at_); j.index < node().subtree_end;
             j = participants_.next_jump(NodeId(j.index + 1)))
            outermost = std::min(outermost, protocol_.loop_node(protocol_[j].loop));
        return outermost == at_ ? roles : participants_.of(outermost);
    }

    View look(RoleId role) const {
        View v;
        v.role = role;
        v.only_sends = true;
        for (const Side& side : sides_) {
            FirstActions f = first_.inside(side.part, role, at_);
            if (loop()) f.returns = f.returns || f.passes, f.passes = false;
            v.acts = v.acts || !f.actions.empty();
            v.passes = v.passes || f.passes;
            for (const InitialAction& a : f.actions) {
                v.sends = v.sends || a.output;
                v.only_sends = v.only_sends && a.output;
            }
            v.sides.push_back(std::move(f));
        }
        v.passes = v.passes || loop();
        if (v.acts && v.passes) v.later = first_.after(at_, role, at_);
        return v;
    }

    static bool sends_on_every_side(const View& v) {
        return v.only_sends && std::all_of(v.sides.begin(), v.sides.end(), [](const FirstActions& f) {
                   return !f.actions.empty() || !f.passes;
               });
    }

    void judge(const std::vector<View>& views) {
        std::vector<const View*> senders;
        for (const View& v : views)
            if (v.sends) senders.push_back(&v);
        if (senders.empty()) return;
        const View* decider = pick_decider(senders);
        if (!decider) {
            several_deciders(senders);
            for (const View& v : views)
                if (!v.sends) judge_role(v, nullptr);
            return;
        }
        if (node().role && node().role != decider->role) wrong_decider(*decider);
        std::size_t before = out_.errors();
        for (const View& v : views) {
            if (&v == decider) continue;
            if (v.sends)
                acts_untold(v, name(decider->role));
            else
                judge_role(v, decider);
        }
        // A decider that is silent in a branch is the reason why others learn nothing: one report is enough.
        if (out_.errors() == before || !has_silent_side(*decider)) judge_role(*decider, decider);
    }

    static bool has_silent_side(const View& v) {
        return std::any_of(v.sides.begin(), v.sides.end(),
                           [](const FirstActions& f) { return f.actions.empty(); });
    }

    // The one that sends first on every side; the one named, if several do.
    const View* pick_decider(const std::vector<const View*>& senders) const {
        if (senders.size() == 1) return senders[0];
        const View* found = nullptr;
        for (const View* v : senders) {
            if (!sends_on_every_side(*v)) continue;
            if (v->role == node().role) return v;
            if (found) return nullptr;
            found = v;
        }
        return found;
    }

    void judge_by_data(const std::vector<View>& views) {
        for (const View& v : views) {
            if (knowledge(v.role).guard[at_.index]) continue;
            if (v.sends || sends_later(v)) result_.conditions_known = false;
            if (v.sends)
                acts_untold(v, {});
            else
                judge_role(v, nullptr);
        }
    }

    static bool sends_later(const View& v) {
        return std::any_of(v.later.actions.begin(), v.later.actions.end(),
                           [](const InitialAction& a) { return a.output; });
    }

    const RoleKnowledge& knowledge(RoleId role) {
        auto [it, added] = knowledge_.try_emplace(role);
        if (added) it->second = knowledge_of(protocol_, *spec_.pool, role);
        return it->second;
    }

    // Reports a role that must learn the choice and does not, or that cannot tell two sides apart.
    void judge_role(const View& v, const View* decider) {
        bool decides = &v == decider;
        if (untold(v, decider)) return;
        for (std::size_t i = 0; i < v.sides.size(); ++i)
            for (std::size_t k = i + 1; k < v.sides.size(); ++k)
                if (alike(v, v.sides[i], i, v.sides[k], k, decides)) return;
        if (decides && !v.only_sends) return mixed(v);
        if (v.passes) {
            for (std::size_t i = 0; i < v.sides.size(); ++i)
                if (alike(v, v.sides[i], i, v.later, v.sides.size(), decides)) return;
            if (!decides)
                for (const InitialAction& a : v.later.actions)
                    if (a.output) return sends_afterwards(v, a);
        }
        if (!decides) race(v);
    }

    // A side without an action of the role is fine if it leads back here, or if it is the exit of a loop.
    // One that goes on for ever without the role leaves it waiting for what the other sides have for it.
    bool untold(const View& v, const View* decider) {
        for (std::size_t i = 0; i < v.sides.size(); ++i) {
            const FirstActions& side = v.sides[i];
            if (!side.actions.empty() || (!side.passes && (side.returns || side.finishes))) continue;
            std::size_t acting = 0;
            while (acting < v.sides.size() &&
                   (v.sides[acting].actions.empty() || (side.passes && !sides_[acting].ends)))
                ++acting;
            if (acting == v.sides.size()) continue;
            const InitialAction& a = v.sides[acting].actions[0];
            auto& d = report(
                codes::branch_untold, node().span,
                fmt::format("{} is not told which branch is taken: it takes part in {}, but has nothing to "
                            "do in {}",
                            name(v.role), sides_[acting].name, sides_[i].name));
            d.label(span(a), fmt::format("in {} it {}", sides_[acting].name, does(a)));
            d.label(protocol_[sides_[i].part].span,
                    fmt::format("{} has no message for {}", sides_[i].name, name(v.role)));
            std::string_view teller = decider && decider != &v ? name(decider->role) : "the deciding role";
            if (decider == &v)
                d.help(fmt::format("let {} send a message in {} too", name(v.role), sides_[i].name));
            else
                d.help(fmt::format("let {} (or a role it has told) send {} a message in {} too", teller,
                                   name(v.role), sides_[i].name));
            return true;
        }
        return false;
    }

    std::string side_name(std::size_t i) const { return i < sides_.size() ? sides_[i].name : "what follows"; }

    // Reports, and gives true, if the role may begin both sides with the same action.
    bool alike(const View& v, const FirstActions& x, std::size_t i, const FirstActions& y, std::size_t k,
               bool decides) {
        for (const InitialAction& a : x.actions)
            for (const InitialAction& b : y.actions) {
                if (a.label != b.label) continue;
                bool about_end = k == sides_.size();
                auto& d = report(about_end ? codes::loop_end_untold : codes::branches_alike, node().span,
                                 fmt::format("{} cannot tell {} from {}: in both it first {}", name(v.role),
                                             side_name(i), side_name(k), does(a)));
                d.label(span(a), fmt::format("{}: it {}", side_name(i), does(a)));
                if (a.node != b.node) d.label(span(b), fmt::format("{}: it {}", side_name(k), does(b)));
                d.help(about_end ? "begin the next step with another message"
                       : decides ? "use different messages, or move the common one before the choice"
                                 : "use different messages in the two branches");
                return true;
            }
        return false;
    }

    void several_deciders(const std::vector<const View*>& senders) {
        std::string names;
        for (const View* v : senders) {
            if (!names.empty()) names += v == senders.back() ? " and " : ", ";
            names += name(v->role);
        }
        auto& d = report(codes::no_single_decider, node().span,
                         fmt::format("no single role decides: {} send first", names));
        for (const View* v : senders)
            for (std::size_t i = 0; i < v->sides.size(); ++i)
                for (const InitialAction& a : v->sides[i].actions)
                    if (a.output)
                        d.label(span(a), fmt::format("{}: {} {}", side_name(i), name(v->role), does(a)));
        RoleId best = node().role ? node().role : senders[0]->role;
        d.help(fmt::format("let {} send the first message in every branch", name(best)));
    }

    void wrong_decider(const View& decider) {
        auto& d = report(
            codes::other_decider, node().span,
            fmt::format("{} should decide, but {} sends first", name(node().role), name(decider.role)));
        for (std::size_t i = 0; i < decider.sides.size(); ++i)
            for (const InitialAction& a : decider.sides[i].actions)
                d.label(span(a), fmt::format("{}: {} {}", side_name(i), name(decider.role), does(a)));
        d.help(fmt::format("write `at {}`, or let {} send first", name(decider.role), name(node().role)));
    }

    void acts_untold(const View& v, std::string_view decider) {
        for (std::size_t i = 0; i < v.sides.size(); ++i)
            for (const InitialAction& a : v.sides[i].actions) {
                if (!a.output) continue;
                auto& d = report(
                    codes::acts_untold, node().span,
                    fmt::format("{} cannot know that {} is taken, but {} there before it is told anything",
                                name(v.role), side_name(i), does(a)));
                d.label(span(a), fmt::format("{}: {} {}", side_name(i), name(v.role), does(a)));
                if (decider.empty())
                    d.help(fmt::format("send {} a message first, or let it know the values of the condition",
                                       name(v.role)));
                else
                    d.help(fmt::format("let {} send {} a message first", decider, name(v.role)));
                return;
            }
    }

    void mixed(const View& v) {
        for (std::size_t i = 0; i < v.sides.size(); ++i)
            for (const InitialAction& a : v.sides[i].actions) {
                if (a.output) continue;
                auto& d = report(
                    codes::acts_untold, node().span,
                    fmt::format("{} decides, but in {} it first {}", name(v.role), side_name(i), does(a)));
                d.label(span(a), fmt::format("{}: {} {}", side_name(i), name(v.role), does(a)));
                d.help(fmt::format("let {} send the first message in every branch", name(v.role)));
                return;
            }
    }

    void sends_afterwards(const View& v, const InitialAction& a) {
        auto& d = report(codes::loop_end_untold, node().span,
                         fmt::format("{} cannot know that {} is over, but then {}", name(v.role),
                                     loop() ? "the loop" : "this", does(a)));
        for (std::size_t i = 0; i < v.sides.size(); ++i)
            if (!v.sides[i].actions.empty())
                d.label(span(v.sides[i].actions[0]),
                        fmt::format("{}: it {}", side_name(i), does(v.sides[i].actions[0])));
        d.label(span(a), fmt::format("what follows: it {}", does(a)));
        d.help(fmt::format("first send {} a message that tells it", name(v.role)));
    }

    // Told by several senders: the message of one side must not be there first while another is taken.
    void race(const View& v) {
        std::vector<RoleId> senders;
        auto collect = [&](const FirstActions& f) {
            for (const InitialAction& a : f.actions) senders.push_back(protocol_[a.node].role);
        };
        for (const FirstActions& f : v.sides) collect(f);
        if (v.passes) collect(v.later);
        std::sort(senders.begin(), senders.end());
        senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
        if (senders.size() < 2) return;
        std::size_t count = v.sides.size() + (v.passes ? 1 : 0);
        for (std::size_t taken = 0; taken < count; ++taken) {
            bool side = taken < v.sides.size();
            auto early = available_messages(protocol_, v.role, side ? sides_[taken].part : at_,
                                            side ? From::start : From::end, senders);
            for (std::size_t other = 0; other < count; ++other)
                if (other != taken && overtakes(v, early, taken, other)) return;
        }
    }

    bool overtakes(const View& v, const std::vector<NodeId>& early, std::size_t taken, std::size_t other) {
        const FirstActions& announced = other < v.sides.size() ? v.sides[other] : v.later;
        for (NodeId message : early)
            for (const InitialAction& a : announced.actions) {
                const Node& m = protocol_[message];
                const Node& n = protocol_[a.node];
                if (m.role != n.role || m.message != n.message) continue;
                auto& d =
                    report(codes::first_messages_race, node().span,
                           fmt::format("{} may take {} for {}: it {} also when that is not what was decided",
                                       name(v.role), side_name(taken), side_name(other), does(a)));
                d.label(span(a),
                        fmt::format("this tells {} that {} was chosen", name(v.role), side_name(other)));
                if (message != a.node)
                    d.label(m.span,
                            fmt::format("in {} this may arrive before anything else", side_name(taken)));
                d.help(fmt::format("let one role tell {} in every branch, or use another message",
                                   name(v.role)));
                return true;
            }
        return false;
    }

    void parallel(NodeId id) {
        struct Seen {
            std::size_t branch;
            NodeId node;
            bool reported = false;
        };
        absl::flat_hash_map<std::pair<RoleId, RoleId>, std::size_t> channels;
        std::map<std::tuple<RoleId, RoleId, model::MessageId>, Seen> messages;
        auto children = protocol_.children(id);
        for (std::size_t i = 0; i < children.size(); ++i)
            for (std::uint32_t k = children[i].index; k < protocol_[children[i]].subtree_end; ++k) {
                const Node& n = protocol_[NodeId(k)];
                if (n.kind != NodeKind::interaction) continue;
                if (channels.try_emplace({n.role, n.to}, i).first->second != i)
                    result_.separate_channels = false;
                auto [seen, added] = messages.try_emplace({n.role, n.to, n.message}, Seen{i, NodeId(k)});
                if (added || seen->second.branch == i || seen->second.reported) continue;
                seen->second.reported = true;
                result_.separate_messages = false;
                auto& d = report(codes::parallel_alike, protocol_[id].span,
                                 fmt::format("two parallel branches send {} from {} to {}",
                                             spec_.alphabet->name(n.message), name(n.role), name(n.to)));
                d.label(protocol_[seen->second.node].span,
                        fmt::format("in branch {}", seen->second.branch + 1));
                d.label(n.span, fmt::format("and in branch {}", i + 1));
                d.help("use different messages if it matters which branch one belongs to");
            }
    }

    base::Span span(const InitialAction& a) const { return protocol_[a.node].span; }
    std::string does(const InitialAction& a) const {
        const Node& n = protocol_[a.node];
        return a.output ? fmt::format("sends {} to {}", spec_.alphabet->name(n.message), name(n.to))
                        : fmt::format("receives {} from {}", spec_.alphabet->name(n.message), name(n.role));
    }

    const model::Specification& spec_;
    const model::Protocol& protocol_;
    base::Diagnostics& out_;
    Participants participants_;
    InitialActions first_;
    absl::flat_hash_map<RoleId, RoleKnowledge> knowledge_;
    Branching result_;
    NodeId at_;                // the decision being judged
    std::vector<Side> sides_;  // of it
};

}  // namespace

Branching check_branching(const model::Specification& specification, const model::Protocol& protocol,
                          base::Diagnostics& diagnostics) {
    return Checker(specification, protocol, diagnostics).run();
}

}  // namespace treaty::choreo
