#include <fmt/format.h>

#include "choreo/project.h"
#include "testgen/mutants.h"
#include "testgen/protocol_edit.h"

namespace treaty::testgen {
namespace {

using model::NodeId;
using model::NodeKind;

class ProtocolMutator {
public:
    ProtocolMutator(const Projections& projections, model::RoleId cut)
        : projections_(projections),
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
        for (Mutant& mutant : mutate_data(projections_, cut_)) mutants_.push_back(std::move(mutant));
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
    void add(Operator op, NodeId node, std::string what, const ProtocolEdit::Change& change) {
        auto changed = ProtocolEdit(protocol_, change).run();
        if (!changed) return;
        auto machine = choreo::project(*projections_.specification, *changed, cut_);
        if (machine) machine = without_data(*machine);
        if (!machine || model::same_machine(*machine, original_)) return;
        mutants_.push_back({op, without_nodes(*machine), std::move(what), node, {}, UINT32_MAX, {}, {}, {}});
    }

    void drop(NodeId id) {
        add(Operator::drop, id, fmt::format("{} is left out", name(id)),
            [&](ProtocolEdit& edit, NodeId here) {
                if (here != id) return false;
                edit.builder().open(NodeKind::sequence, protocol_[id].span);
                edit.builder().close();
                return true;
            });
    }

    void duplicate(NodeId id) {
        add(Operator::duplicate, id, fmt::format("{} happens twice", name(id)),
            [&](ProtocolEdit& edit, NodeId here) {
                if (here != id) return false;
                edit.builder().open(NodeKind::sequence, protocol_[id].span);
                edit.copy_unchanged(id);
                edit.copy_unchanged(id);
                edit.builder().close();
                return true;
            });
    }

    void swap_children(NodeId sequence) {
        auto children = protocol_.children(sequence);
        for (std::size_t i = 0; i + 1 < children.size(); ++i) {
            NodeId first = children[i], second = children[i + 1];
            add(Operator::swap, first, fmt::format("{} and {} change places", name(first), name(second)),
                [&](ProtocolEdit& edit, NodeId here) {
                    if (here != first && here != second) return false;
                    edit.copy_unchanged(here == first ? second : first);
                    return true;
                });
        }
    }

    void redirect(NodeId id) {
        const model::Node& node = protocol_[id];
        for (model::RoleId other : protocol_.roles()) {
            if (other == node.role || other == node.to) continue;
            bool sends = node.role == cut_;
            add(Operator::redirect, id,
                fmt::format("{} {} {}", name(id), sends ? "goes to" : "comes from", alphabet_.name(other)),
                [&](ProtocolEdit& edit, NodeId here) {
                    if (here != id) return false;
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

    void move_branches(NodeId choice) {
        auto branches = protocol_.children(choice);
        for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
            NodeId first = branches[i], second = branches[i + 1];
            auto a = steps_of(first), b = steps_of(second);
            if (a.empty() || b.empty()) continue;
            add(Operator::move_branch, a.front(),
                fmt::format("what follows {} and what follows {} change places", name(a.front()),
                            name(b.front())),
                [&](ProtocolEdit& edit, NodeId here) {
                    if (here != first && here != second) return false;
                    const auto& head = here == first ? a : b;
                    const auto& tail = here == first ? b : a;
                    edit.builder().open(NodeKind::sequence, protocol_[here].span);
                    edit.copy_unchanged(head.front());
                    for (std::size_t k = 1; k < tail.size(); ++k) edit.copy_unchanged(tail[k]);
                    edit.builder().close();
                    return true;
                });
        }
    }

    const Projections& projections_;
    const model::Protocol& protocol_;
    const model::Alphabet& alphabet_;
    model::RoleId cut_;
    const model::Machine& original_;
    std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutate_protocol(const Projections& projections, model::RoleId cut) {
    return ProtocolMutator(projections, cut).run();
}

}  // namespace treaty::testgen
