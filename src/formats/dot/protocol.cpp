// Drawing follows the control flow: draw() connects a part after the point where control comes from and
// returns where it goes on, or nothing after a jump.

#include <fmt/format.h>

#include "expr/print.h"
#include "formats/data_text.h"
#include "formats/dot/dot.h"
#include "formats/dot/text.h"

namespace treaty::formats {
namespace {

using dot::quote;
using model::NodeId;
using model::NodeKind;

constexpr std::string_view choice_look =
    "shape=diamond, fillcolor=\"#fdf0d5\", color=\"#c08a2e\", margin=\"0.02,0.02\"";
constexpr std::string_view merge_look =
    "shape=diamond, label=\"\", width=0.2, height=0.2, fillcolor=\"#fdf0d5\", color=\"#c08a2e\"";
constexpr std::string_view fork_look =
    "shape=square, label=\"\", width=0.2, height=0.2, fillcolor=\"#3d5a80\"";
constexpr std::string_view step_look = "shape=box, style=\"rounded,filled\", margin=\"0.12,0.05\"";
constexpr std::string_view quiet_look =
    "shape=box, style=\"rounded,filled,dashed\", fillcolor=\"#f5f5f2\", color=\"#8a8a80\", "
    "margin=\"0.1,0.04\"";

struct Port {
    std::string node;
    std::string label = {};  // of the edge that leaves it
};
using Exit = std::optional<Port>;

class Drawer {
public:
    Drawer(const model::Specification& specification, const model::Protocol& protocol, const PartLines& lines)
        : s_(specification),
          p_(protocol),
          lines_(lines),
          graph_(protocol.name(), dot::Direction::down),
          loops_(protocol.loop_count()) {}

    std::string run() {
        graph_.node("start", "shape=circle, label=\"\", width=0.22, fillcolor=\"#3d5a80\"");
        Exit end = draw(p_.root(), {"start"});
        if (end) {
            graph_.node("end", "shape=doublecircle, label=\"\", width=0.16, fillcolor=\"#3d5a80\"");
            connect(*end, "end");
        }
        return graph_.finish();
    }

private:
    std::string fresh(std::string_view look, NodeId from = {}) {
        std::string id = fmt::format("n{}", next_++);
        bool known = from && from.index < lines_.nodes.size();
        std::string classes = known ? dot::line_classes({lines_.nodes[from.index]}) : std::string();
        graph_.node(id, std::string(look) + classes);
        return id;
    }
    std::string labelled(std::string_view look, std::string_view label, NodeId from) {
        return fresh(fmt::format("{}, label={}", look, quote(label)), from);
    }
    void connect(const Port& from, std::string_view to, std::string_view more = {}) {
        std::string attributes = from.label.empty() ? "" : fmt::format("label={}", quote(from.label));
        if (!more.empty()) attributes += (attributes.empty() ? "" : ", ") + std::string(more);
        graph_.edge(from.node, to, attributes);
    }
    std::string role(model::RoleId id) const {
        return id ? std::string(s_.alphabet->name(id)) : std::string();
    }
    std::string text(expr::ExprId id) const { return expr::print(*s_.pool, id); }

    Exit draw(NodeId id, Port from) {
        const model::Node& n = p_[id];
        switch (n.kind) {
            case NodeKind::sequence: return sequence(id, std::move(from));
            case NodeKind::interaction: return step(from, labelled(step_look, interaction_text(id), id));
            case NodeKind::assign:
                return step(from, labelled(quiet_look,
                                           fmt::format("{} := {}", variable_name(*s_.pool, n.variable),
                                                       text(n.guard)),
                                           id));
            case NodeKind::signal:
            case NodeKind::wait:
                return step(from, labelled(quiet_look,
                                           fmt::format("{} {}", model::to_string(n.kind),
                                                       p_.semaphore_name(n.semaphore)),
                                           id));
            case NodeKind::choice: return choice(id, from);
            case NodeKind::parallel: return parallel(id, from);
            case NodeKind::repeat: return loop(id, from, role(n.role), {});
            case NodeKind::while_loop: return loop(id, from, text(n.guard), "yes");
            case NodeKind::recursion: return recursion(id, from);
            case NodeKind::jump: connect(from, loops_[n.loop.index], "style=dashed"); return std::nullopt;
            case NodeKind::conditional: return conditional(id, from);
            case NodeKind::interrupt: return interrupt(id, from);
        }
        return from;
    }

    Exit step(const Port& from, const std::string& node) {
        connect(from, node);
        return Port{node};
    }

    std::string interaction_text(NodeId id) const {
        const model::Node& n = p_[id];
        std::string out =
            fmt::format("{} \xe2\x86\x92 {}\n{}{}", role(n.role), role(n.to), s_.alphabet->name(n.message),
                        arguments_text(*s_.pool, p_.arguments(id)));
        if (n.guard) out += fmt::format("\nwhere {}", text(n.guard));
        return out;
    }

    Exit sequence(NodeId id, Port from) {
        for (NodeId child : p_.children(id)) {
            Exit next = draw(child, std::move(from));
            if (!next) return std::nullopt;  // nothing leads to what follows
            from = std::move(*next);
        }
        return from;
    }

    // Joins what goes on; nothing if nothing does.
    Exit join(const std::vector<Exit>& exits, std::string_view look) {
        std::string node;
        for (const Exit& e : exits) {
            if (!e) continue;
            if (node.empty()) node = fresh(look);
            connect(*e, node);
        }
        if (node.empty()) return std::nullopt;
        return Port{node};
    }

    Exit choice(NodeId id, const Port& from) {
        std::string node = labelled(choice_look, role(p_[id].role), id);
        connect(from, node);
        std::vector<Exit> exits;
        for (NodeId child : p_.children(id)) exits.push_back(draw(child, {node}));
        return join(exits, merge_look);
    }

    Exit conditional(NodeId id, const Port& from) {
        std::string node = labelled(choice_look, text(p_[id].guard), id);
        connect(from, node);
        auto children = p_.children(id);
        return join({draw(children[0], {node, "yes"}), draw(children[1], {node, "no"})}, merge_look);
    }

    Exit parallel(NodeId id, const Port& from) {
        std::string node = fresh(fork_look, id);
        connect(from, node);
        std::vector<Exit> exits;
        for (NodeId child : p_.children(id)) exits.push_back(draw(child, {node}));
        return join(exits, fork_look);
    }

    Exit loop(NodeId id, const Port& from, const std::string& label, std::string again) {
        std::string node = labelled(choice_look,
                                    label.empty()   ? "*"
                                    : again.empty() ? label + " *"
                                                    : label,
                                    id);
        connect(from, node);
        bool tells = !again.empty();
        Exit end = draw(p_.children(id)[0], {node, std::move(again)});
        if (end) connect(*end, node);
        return Port{node, tells ? "no" : ""};
    }

    Exit recursion(NodeId id, const Port& from) {
        const model::Node& n = p_[id];
        std::string node = labelled(
            "shape=circle, width=0.25, margin=\"0.02,0.02\", fillcolor=\"#fdf0d5\", "
            "color=\"#c08a2e\"",
            p_.loop_name(n.loop), id);
        loops_[n.loop.index] = node;
        return draw(p_.children(id)[0], *step(from, node));
    }

    Exit interrupt(NodeId id, const Port& from) {
        std::string node = labelled(quiet_look, "try", id);
        connect(from, node);
        auto children = p_.children(id);
        graph_.open_cluster("until interrupted", "style=\"rounded,dashed\"; color=\"#b5574b\"");
        Exit body = draw(children[0], {node});
        graph_.close_cluster();
        Exit handler = draw(children[1], {node, "interrupt"});
        return join({body, handler}, merge_look);
    }

    const model::Specification& s_;
    const model::Protocol& p_;
    const PartLines& lines_;
    dot::Graph graph_;
    std::vector<std::string> loops_;  // the node of each recursion
    std::size_t next_ = 0;
};

}  // namespace

std::string write_dot(const model::Specification& specification, const model::Protocol& protocol,
                      const PartLines& lines) {
    return Drawer(specification, protocol, lines).run();
}

}  // namespace treaty::formats
