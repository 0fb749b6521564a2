// The walk of model/knowledge.h, with a fault for each use by a role that cannot know the value. A role that
// uses a value is taken to know it from there on, whether it can or not: so one missing message is one fault.
#include "lang/knowledge.h"

#include <algorithm>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "lang/codes.h"
#include "model/knowledge.h"

namespace treaty::lang {
namespace {

using expr::ExprId;
using expr::VarId;
using model::Knowledge;
using model::Node;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

class KnowledgeCheck : public model::KnowledgeWatcher {
public:
    KnowledgeCheck(const model::Specification& spec, const ResolvedProtocol& resolved,
                   const Structure& structure, Knowing knowing, base::Diagnostics& diagnostics)
        : spec_(spec),
          pool_(*spec.pool),
          resolved_(resolved),
          p_(resolved.protocol),
          s_(structure),
          knowing_(knowing),
          diagnostics_(diagnostics) {}

    void run() {
        if (p_.has_data()) Knowledge(p_, pool_, s_.hole).walk(*this);
    }

    void sends(Knowledge& known, NodeId id) override {
        const Node& n = p_[id];
        for (const model::Argument& a : p_.arguments(id))
            if (!a.bind)
                require(known, n.role, a.value, a.span.valid() ? a.span : n.span, id, ", but sends it here");
    }

    void receives(Knowledge& known, NodeId id) override {
        require(known, p_[id].role, p_[id].guard, p_[id].span, id, ", but its condition here uses it");
    }

    // Roles that may send first after a condition decide on it; a computation is done by roles that can.
    void evaluates(Knowledge& known, NodeId id) override {
        if (p_[id].kind == NodeKind::assign) return;
        for (NodeId c : p_.children(id))
            for (const FirstSender& f : s_.first_senders[c.index])
                require(known, f.role, p_[id].guard, p_[id].span, id, ", but has to decide by it");
    }

    // A variable changed in one segment and used or changed in another, if it comes from outside the par.
    void joins(Knowledge& known, NodeId id) override {
        if (!known.last_sweep()) return;
        struct Use {
            std::size_t segment;
            NodeId node;
            bool writes;
        };
        absl::flat_hash_map<VarId, Use> first_use, first_write;
        auto children = p_.children(id);
        for (std::size_t k = 0; k < children.size(); ++k)
            for (std::uint32_t i = children[k].index; i < p_[children[k]].subtree_end; ++i)
                for (auto [v, writes] : touched(NodeId(i))) {
                    const Use use{k, NodeId(i), writes};
                    auto seen = first_use.try_emplace(v, use).first->second;
                    auto written = first_write.find(v);
                    const Use* clash = nullptr;
                    if (written != first_write.end() && written->second.segment != k)
                        clash = &written->second;
                    else if (writes && seen.segment != k)
                        clash = &seen;
                    if (writes) first_write.try_emplace(v, use);
                    if (!clash || !raced_.insert(v).second) continue;
                    (resolved_.called[i] ? muted_ : diagnostics_)
                        .report(
                            codes::racing_variable, p_[NodeId(i)].span,
                            fmt::format("`{}` is used by two segments of a par, and one of them changes it",
                                        name(v)))
                        .label(p_[clash->node].span, clash->writes ? "another segment changes it here"
                                                                   : "another segment uses it here")
                        .help("give the value another name in one of the segments");
                }
    }

private:
    std::vector<std::pair<VarId, bool>> touched(NodeId id) {
        std::vector<std::pair<VarId, bool>> result;
        const Node& n = p_[id];
        if (n.guard)
            for (VarId v : pool_.variables_of(n.guard)) result.emplace_back(v, false);
        for (const model::Argument& a : p_.arguments(id)) {
            if (a.bind)
                result.emplace_back(a.bind, true);
            else if (a.value)
                for (VarId v : pool_.variables_of(a.value)) result.emplace_back(v, false);
        }
        if (n.kind == NodeKind::assign) result.emplace_back(n.variable, true);
        return result;
    }

    std::string_view name(VarId v) const { return spec_.names->text(pool_.variable(v).name); }
    std::string_view name(RoleId r) const { return spec_.alphabet->name(r); }

    void require(Knowledge& known, RoleId role, ExprId e, base::Span at, NodeId node, std::string_view why) {
        if (!e) return;
        for (VarId v : pool_.variables_of(e)) {
            if (known.knows(role, v) || resolved_.parameters.contains(v)) continue;
            bool judged =
                known.last_sweep() && (!resolved_.called[node.index] || resolved_.given.contains(v));
            if (judged && told_.insert({role, v, known.bound_at(v)}).second && knowing_ == Knowing::demanded)
                unknowable(known, role, v, at, node, why);
            known.assume(role, v);  // what follows is judged as if this were right
        }
    }

    void unknowable(const Knowledge& known, RoleId role, VarId v, base::Span at, NodeId node,
                    std::string_view why) {
        auto& report = diagnostics_.report(codes::unknowable, at,
                                           fmt::format("`{}` cannot know `{}`{}", name(role), name(v), why));
        NodeId bound = known.bound_at(v);
        std::string knowing;
        RoleId teller;
        for (RoleId r : p_.roles())
            if (known.knows(r, v)) {
                knowing += fmt::format("{}`{}`", knowing.empty() ? "" : " and ", name(r));
                if (!teller) teller = r;
            }
        if (bound)
            report.label(p_[bound].span,
                         knowing.empty()
                             ? std::string("it is bound here")
                             : fmt::format("bound here; only {} know{} it", knowing,
                                           teller && knowing.find(" and ") == std::string::npos ? "s" : ""));
        NodeId carrier = possible_carrier(known, role, v, node);
        if (carrier) {
            const Node& c = p_[carrier];
            report.label(p_[carrier].span, "this message could carry it");
            report.help(fmt::format("let `{} -> {}: {}` carry `{}`", name(c.role), name(c.to),
                                    spec_.alphabet->name(c.message), name(v)));
        } else if (teller) {
            report.help(fmt::format("add a message from `{}` to `{}` that carries `{}` before this step",
                                    name(teller), name(role), name(v)));
        }
    }

    // The last message before `node`, on the way to it, that brings something to `role` from one who knows
    // the value.
    NodeId possible_carrier(const Knowledge& known, RoleId role, VarId v, NodeId node) {
        NodeId bound = known.bound_at(v);
        for (NodeId at = node; p_[at].parent; at = p_[at].parent) {
            if (p_[p_[at].parent].kind != NodeKind::sequence) continue;
            auto siblings = p_.children(p_[at].parent);
            for (std::size_t i = siblings.size(); i-- > 0;) {
                if (siblings[i] >= at || (bound && siblings[i] <= bound)) continue;
                const Node& n = p_[siblings[i]];
                if (n.kind == NodeKind::interaction && n.to == role && known.knows(n.role, v))
                    return siblings[i];
            }
        }
        return {};
    }

    const model::Specification& spec_;
    const expr::Pool& pool_;
    const ResolvedProtocol& resolved_;
    const model::Protocol& p_;
    const Structure& s_;
    Knowing knowing_;
    base::Diagnostics& diagnostics_;
    base::Diagnostics muted_;
    absl::flat_hash_set<VarId> raced_;
    absl::flat_hash_set<std::tuple<RoleId, VarId, NodeId>> told_;
};

}  // namespace

void check_knowledge(const model::Specification& spec, const ResolvedProtocol& resolved,
                     const Structure& structure, Knowing knowing, base::Diagnostics& diagnostics) {
    KnowledgeCheck(spec, resolved, structure, knowing, diagnostics).run();
}

}  // namespace treaty::lang
