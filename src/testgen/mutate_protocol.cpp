#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "choreo/project.h"
#include "model/protocol_edit.h"
#include "testgen/mutants.h"

namespace treaty::testgen {
namespace {

using model::NodeId;
using model::NodeKind;

class ProtocolMutator {
public:
    ProtocolMutator(const Projections& projections, model::RoleId cut, base::Deadline deadline)
        : projections_(projections),
          deadline_(deadline),
          protocol_(*projections.protocol),
          alphabet_(*projections.specification->alphabet),
          cut_(cut),
          original_(projections.machines[*projections.position(cut)]) {}

    std::vector<Mutant> run() {
        for_each(NodeKind::interaction, [&](NodeId id) {
            if (concerns_cut(id)) drop(id);
        });
        for_each(NodeKind::interaction, [&](NodeId id) {
            if (concerns_cut(id)) duplicate(id);
        });
        for_each(NodeKind::sequence, [&](NodeId id) { swap_children(id); });
        for_each(NodeKind::interaction, [&](NodeId id) {
            if (concerns_cut(id)) redirect(id);
        });
        for_each(NodeKind::choice, [&](NodeId id) { move_branches(id); });
        for (Mutant& mutant : mutate_data(projections_, cut_, deadline_))
            mutants_.push_back(std::move(mutant));
        return std::move(mutants_);
    }

private:
    template <class F>
    void for_each(NodeKind kind, F&& f) const {
        for (std::size_t i = 0; i < protocol_.size(); ++i)
            if (protocol_[NodeId(i)].kind == kind) f(NodeId(i));
    }

    bool concerns_cut(NodeId id) const { return protocol_[id].role == cut_ || protocol_[id].to == cut_; }

    std::string name(NodeId id) const {
        const model::Node& node = protocol_[id];
        if (node.kind != NodeKind::interaction) return fmt::format("the {}", model::to_string(node.kind));
        return fmt::format("{} -> {}: {}", alphabet_.name(node.role), alphabet_.name(node.to),
                           alphabet_.name(node.message));
    }

    // Keeps the mutant if it is a protocol and the role's machine is another one.
    void add(Operator op, NodeId node, std::string what, const model::ProtocolEdit::Change& change) {
        if (deadline_.passed()) {
            mutants_.push_back(
                {op, original_, std::move(what), node, {}, UINT32_MAX, {}, {}, {}, {}, {}, {}});
            mutants_.back().unknown = "no time was left to make it";
            return;
        }
        auto changed = model::ProtocolEdit(protocol_, change).run();
        if (!changed) return;
        auto with_data = choreo::project(*projections_.specification, *changed, cut_);
        if (!with_data) return;
        auto machine = without_data(*with_data);
        if (!machine || model::same_machine(*machine, original_)) return;
        mutants_.push_back(
            {op, without_nodes(*machine), std::move(what), node, {}, UINT32_MAX, {}, {}, {}, {}, {}, {}});
        if (protocol_.has_data())
            mutants_.back().with_data = std::make_shared<const model::Machine>(std::move(*with_data));
    }

    bool same(NodeId a, NodeId b) const { return model::same_step(protocol_, a, b); }

    // The first node that was written as this one.
    std::uint32_t written(NodeId id) {
        const model::Node& node = protocol_[id];
        if (!node.span.valid()) return id.index;
        return written_
            .try_emplace({node.span.file.index, node.span.begin, node.span.end, node.kind, node.role, node.to,
                          node.message},
                         id.index)
            .first->second;
    }

    // False if these steps, or others that were written as them, were changed before.
    bool is_new(Operator op, NodeId first, NodeId second) {
        return done_.insert({op, written(first), written(second)}).second;
    }

    void drop(NodeId id) {
        if (!is_new(Operator::drop, id, id)) return;
        add(Operator::drop, id, fmt::format("{} is dropped", name(id)),
            [&](model::ProtocolEdit& edit, NodeId here) {
                if (!same(here, id)) return false;
                edit.builder().open(NodeKind::sequence, protocol_[here].span);
                edit.builder().close();
                return true;
            });
    }

    void duplicate(NodeId id) {
        if (!is_new(Operator::duplicate, id, id)) return;
        add(Operator::duplicate, id, fmt::format("{} happens twice", name(id)),
            [&](model::ProtocolEdit& edit, NodeId here) {
                if (!same(here, id)) return false;
                edit.builder().open(NodeKind::sequence, protocol_[here].span);
                edit.copy_unchanged(here);
                edit.copy_unchanged(here);
                edit.builder().close();
                return true;
            });
    }

    // The neighbour of a step in its sequence, if the two were written as these.
    std::optional<NodeId> neighbour(NodeId here, NodeId first, NodeId second) const {
        NodeId parent = protocol_[here].parent;
        if (!parent || protocol_[parent].kind != NodeKind::sequence) return std::nullopt;
        auto steps = protocol_.children(parent);
        auto place = static_cast<std::size_t>(std::find(steps.begin(), steps.end(), here) - steps.begin());
        if (same(here, first) && place + 1 < steps.size() && same(steps[place + 1], second))
            return steps[place + 1];
        if (same(here, second) && place > 0 && same(steps[place - 1], first)) return steps[place - 1];
        return std::nullopt;
    }

    void swap_children(NodeId sequence) {
        auto children = protocol_.children(sequence);
        for (std::size_t i = 0; i + 1 < children.size(); ++i) {
            NodeId first = children[i], second = children[i + 1];
            if (!is_new(Operator::swap, first, second)) continue;
            add(Operator::swap, first, fmt::format("{} and {} are swapped", name(first), name(second)),
                [&](model::ProtocolEdit& edit, NodeId here) {
                    auto other = neighbour(here, first, second);
                    if (other) edit.copy_inside(*other);
                    return other.has_value();
                });
        }
    }

    void redirect(NodeId id) {
        const model::Node& node = protocol_[id];
        if (!is_new(Operator::redirect, id, id)) return;
        for (model::RoleId other : protocol_.roles()) {
            if (other == node.role || other == node.to) continue;
            bool sends = node.role == cut_;
            add(Operator::redirect, id,
                fmt::format("{} {} {}", name(id), sends ? "goes to" : "comes from", alphabet_.name(other)),
                [&](model::ProtocolEdit& edit, NodeId here) {
                    if (!same(here, id)) return false;
                    edit.builder().interaction(node.span, sends ? node.role : other, sends ? other : node.to,
                                               node.message);
                    return true;
                });
        }
    }

    // The first step of a branch, and what follows it there.
    std::vector<NodeId> steps_of(NodeId branch) const {
        if (protocol_[branch].kind != NodeKind::sequence) return {branch};
        auto children = protocol_.children(branch);
        return {children.begin(), children.end()};
    }

    // The other of two branches, if this is one of them in a choice that was written as theirs.
    std::optional<NodeId> other_branch(NodeId here, NodeId first, NodeId second) const {
        NodeId parent = protocol_[here].parent;
        if (!parent || !same(parent, protocol_[first].parent)) return std::nullopt;
        for (auto [one, other] : {std::pair(first, second), std::pair(second, first)}) {
            if (!same(here, one)) continue;
            for (NodeId branch : protocol_.children(parent))
                if (same(branch, other)) return branch;
        }
        return std::nullopt;
    }

    void move_branches(NodeId choice) {
        auto branches = protocol_.children(choice);
        for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
            NodeId first = branches[i], second = branches[i + 1];
            auto a = steps_of(first), b = steps_of(second);
            if (a.empty() || b.empty() || !is_new(Operator::move_branch, first, second)) continue;
            add(Operator::move_branch, a.front(),
                fmt::format("what follows {} and what follows {} are swapped", name(a.front()),
                            name(b.front())),
                [&](model::ProtocolEdit& edit, NodeId here) {
                    auto other = other_branch(here, first, second);
                    if (!other) return false;
                    auto head = steps_of(here), tail = steps_of(*other);
                    if (head.empty()) return false;
                    edit.builder().open(NodeKind::sequence, protocol_[here].span);
                    edit.copy_inside(head.front());
                    for (std::size_t k = 1; k < tail.size(); ++k) edit.copy(tail[k]);
                    edit.builder().close();
                    return true;
                });
        }
    }

    const Projections& projections_;
    base::Deadline deadline_;
    const model::Protocol& protocol_;
    const model::Alphabet& alphabet_;
    model::RoleId cut_;
    const model::Machine& original_;
    std::vector<Mutant> mutants_;
    using Step = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, NodeKind, model::RoleId,
                            model::RoleId, model::MessageId>;
    std::map<Step, std::uint32_t> written_;
    std::set<std::tuple<Operator, std::uint32_t, std::uint32_t>> done_;
};

}  // namespace

std::vector<Mutant> mutate_protocol(const Projections& projections, model::RoleId cut,
                                    base::Deadline deadline) {
    return ProtocolMutator(projections, cut, deadline).run();
}

}  // namespace treaty::testgen
