// One sweep over the tree, children in order; sequences leave no trace in the chart, every other composite
// becomes a frame. The depth of a protocol is bounded (Protocol::max_depth), so recursion is safe.
#include <fmt/format.h>

#include "draw/sequence_chart.h"
#include "expr/print.h"

namespace treaty::draw {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;

class ProtocolChart {
public:
    ProtocolChart(const model::Specification& specification, const model::Protocol& protocol,
                  std::span<const std::uint32_t> lines)
        : specification_(specification), protocol_(protocol), lines_(lines) {
        chart_.title = protocol.name();
        lifeline_of_.resize(specification.alphabet->role_count(), ChartItem::none);
        for (model::RoleId role : protocol.roles()) {
            lifeline_of_[role.index] = chart_.lifelines.size();
            chart_.lifelines.emplace_back(specification.alphabet->name(role));
        }
    }

    Chart build() {
        visit(protocol_.root());
        return std::move(chart_);
    }

private:
    void visit(NodeId id) {
        const Node& node = protocol_[id];
        at_ = id;
        switch (node.kind) {
            case NodeKind::sequence:
                for (NodeId child : protocol_.children(id)) visit(child);
                break;
            case NodeKind::interaction: interaction(id); break;
            case NodeKind::choice: frame(id, "alt", decided("chosen by", node.role), "or"); break;
            case NodeKind::parallel: frame(id, "par", "", "and"); break;
            case NodeKind::repeat: frame(id, "loop", decided("decided by", node.role), ""); break;
            case NodeKind::recursion:
                frame(id, "loop", std::string(protocol_.loop_name(node.loop)), "");
                break;
            case NodeKind::while_loop: frame(id, "loop", "while " + print(node.guard), ""); break;
            case NodeKind::conditional: conditional(id); break;
            case NodeKind::interrupt: frame(id, "try", "", "interrupt"); break;
            case NodeKind::jump: note("continue " + std::string(protocol_.loop_name(node.loop))); break;
            case NodeKind::assign:
                note(fmt::format("let {} = {}", name(node.variable), print(node.guard)));
                break;
            case NodeKind::signal:
                note("signal " + std::string(protocol_.semaphore_name(node.semaphore)));
                break;
            case NodeKind::wait: note("wait " + std::string(protocol_.semaphore_name(node.semaphore))); break;
        }
    }

    void interaction(NodeId id) {
        const Node& node = protocol_[id];
        std::string label(specification_.alphabet->name(node.message));
        std::string arguments;
        for (const model::Argument& argument : protocol_.arguments(id)) {
            if (!arguments.empty()) arguments += ", ";
            arguments += argument.bind ? "let " + name(argument.bind) : print(argument.value);
        }
        if (!arguments.empty()) label += "(" + arguments + ")";
        ChartItem item{
            .kind = ItemKind::arrow, .from = lifeline(node.role), .to = lifeline(node.to), .lines = {label}};
        if (node.guard) item.lines.push_back("where " + print(node.guard));
        if (node.within_ns >= 0)
            item.lines.push_back(fmt::format("within {:.6g}s", static_cast<double>(node.within_ns) / 1e9));
        add(std::move(item));
    }

    void conditional(NodeId id) {
        auto parts = protocol_.children(id);
        const Node& otherwise = protocol_[parts[1]];
        bool no_else = otherwise.kind == NodeKind::sequence && otherwise.child_count == 0;
        open("if", print(protocol_[id].guard), model::RoleId());
        part(parts[0]);
        if (!no_else) {
            split("else");
            part(parts[1]);
        }
        close();
    }

    void frame(NodeId id, std::string tab, std::string caption, const std::string& between) {
        open(std::move(tab), std::move(caption), protocol_[id].role);
        bool first = true;
        for (NodeId child : protocol_.children(id)) {
            if (!first) split(between);
            part(child);
            first = false;
        }
        close();
    }

    // A part of a frame; an empty one is marked, or it would look like a mistake of the drawing.
    void part(NodeId id) {
        std::size_t before = chart_.items.size();
        visit(id);
        if (chart_.items.size() == before) note("nothing");
    }

    void open(std::string tab, std::string caption, model::RoleId decider) {
        ChartItem item{.kind = ItemKind::open, .from = lifeline(decider), .tab = std::move(tab), .lines = {}};
        if (!caption.empty()) item.lines.push_back(std::move(caption));
        add(std::move(item));
    }
    void split(std::string caption) {
        ChartItem item{.kind = ItemKind::split, .lines = {}};
        if (!caption.empty()) item.lines.push_back(std::move(caption));
        chart_.items.push_back(std::move(item));
    }
    void close() { chart_.items.push_back({.kind = ItemKind::close, .lines = {}}); }
    void note(std::string text) { add({.kind = ItemKind::note, .lines = {std::move(text)}}); }
    // An item of the node that is being visited.
    void add(ChartItem item) {
        item.line = at_.index < lines_.size() ? lines_[at_.index] : 0;
        chart_.items.push_back(std::move(item));
    }

    std::size_t lifeline(model::RoleId role) const {
        return role ? lifeline_of_[role.index] : ChartItem::none;
    }
    std::string decided(std::string_view by, model::RoleId role) const {
        return role ? fmt::format("{} {}", by, specification_.alphabet->name(role)) : std::string();
    }
    std::string name(expr::VarId variable) const {
        const expr::Pool& pool = *specification_.pool;
        return std::string(pool.names().text(pool.variable(variable).name));
    }
    std::string print(expr::ExprId expression) const {
        return expression ? expr::print(*specification_.pool, expression) : "true";
    }

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    std::span<const std::uint32_t> lines_;
    NodeId at_;
    std::vector<std::size_t> lifeline_of_;  // by role
    Chart chart_;
};

}  // namespace

Chart chart_of(const model::Specification& specification, const model::Protocol& protocol,
               std::span<const std::uint32_t> lines) {
    return ProtocolChart(specification, protocol, lines).build();
}

}  // namespace treaty::draw
