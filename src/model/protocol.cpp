#include "model/protocol.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace treaty::model {

std::string_view to_string(NodeKind kind) {
    switch (kind) {
        case NodeKind::sequence: return "sequence";
        case NodeKind::interaction: return "interaction";
        case NodeKind::choice: return "choice";
        case NodeKind::parallel: return "parallel";
        case NodeKind::repeat: return "repeat";
        case NodeKind::recursion: return "recursion";
        case NodeKind::jump: return "jump";
        case NodeKind::while_loop: return "while_loop";
        case NodeKind::conditional: return "conditional";
        case NodeKind::interrupt: return "interrupt";
        case NodeKind::assign: return "assign";
        case NodeKind::signal: return "signal";
        case NodeKind::wait: return "wait";
    }
    return "";
}

std::span<const NodeId> Protocol::children(NodeId id) const {
    const Node& n = nodes_[id.index];
    return std::span(children_).subspan(n.first_child, n.child_count);
}

std::span<const Argument> Protocol::arguments(NodeId id) const {
    const Node& n = nodes_[id.index];
    return std::span(arguments_).subspan(n.first_argument, n.argument_count);
}

ProtocolBuilder::ProtocolBuilder(std::string name, Span span, std::vector<RoleId> roles) {
    protocol_.name_ = std::move(name);
    protocol_.span_ = span;
    protocol_.roles_ = std::move(roles);
    std::vector<RoleId> sorted = protocol_.roles_;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) refuse("a role is declared twice");
    if (!sorted.empty() && sorted.back()) declared_.resize(sorted.back().index + 1);
    for (RoleId role : sorted)
        if (role) declared_[role.index] = true;
}

void ProtocolBuilder::refuse(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
}

LoopId ProtocolBuilder::loop(std::string name) {
    protocol_.loops_.push_back({std::move(name), {}});
    return LoopId(protocol_.loops_.size() - 1);
}

SemaphoreId ProtocolBuilder::semaphore(std::string name) {
    auto& all = protocol_.semaphores_;
    auto found = std::find(all.begin(), all.end(), name);
    if (found != all.end()) return SemaphoreId(static_cast<std::size_t>(found - all.begin()));
    all.push_back(std::move(name));
    return SemaphoreId(all.size() - 1);
}

NodeId ProtocolBuilder::add(Node node) {
    NodeId id(protocol_.nodes_.size());
    if (open_.empty()) {
        if (id.index != 0) refuse("more than one root");
    } else {
        node.parent = open_.back();
        open_children_.back().push_back(id);
    }
    node.subtree_end = id.index + 1;
    if (node.guard) protocol_.has_data_ = true;
    protocol_.nodes_.push_back(std::move(node));
    return id;
}

NodeId ProtocolBuilder::open(NodeKind kind, Span span) {
    Node node;
    node.kind = kind;
    node.span = span;
    NodeId id = add(std::move(node));
    open_.push_back(id);
    open_children_.emplace_back();
    if (open_.size() > Protocol::max_depth)
        refuse(fmt::format("nested deeper than {} levels", Protocol::max_depth));
    return id;
}

NodeId ProtocolBuilder::open_choice(Span span, RoleId decider) {
    NodeId id = open(NodeKind::choice, span);
    protocol_.nodes_[id.index].role = decider;
    return id;
}

NodeId ProtocolBuilder::open_repeat(Span span, RoleId decider) {
    NodeId id = open(NodeKind::repeat, span);
    protocol_.nodes_[id.index].role = decider;
    return id;
}

NodeId ProtocolBuilder::open_recursion(Span span, LoopId loop) {
    NodeId id = open(NodeKind::recursion, span);
    protocol_.nodes_[id.index].loop = loop;
    if (protocol_.loops_[loop.index].node) refuse("two recursions share a label");
    protocol_.loops_[loop.index].node = id;
    return id;
}

NodeId ProtocolBuilder::open_while(Span span, expr::ExprId condition) {
    NodeId id = open(NodeKind::while_loop, span);
    protocol_.nodes_[id.index].guard = condition;
    protocol_.has_data_ = true;
    return id;
}

NodeId ProtocolBuilder::open_conditional(Span span, expr::ExprId condition) {
    NodeId id = open(NodeKind::conditional, span);
    protocol_.nodes_[id.index].guard = condition;
    protocol_.has_data_ = true;
    return id;
}

void ProtocolBuilder::check_children(const Node& node) {
    auto count = node.child_count;
    switch (node.kind) {
        case NodeKind::sequence: break;
        case NodeKind::choice:
        case NodeKind::parallel:
            if (count == 0) refuse(fmt::format("a {} without branches", to_string(node.kind)));
            break;
        case NodeKind::repeat:
        case NodeKind::recursion:
        case NodeKind::while_loop:
            if (count != 1) refuse(fmt::format("a {} has one body", to_string(node.kind)));
            break;
        case NodeKind::conditional:
        case NodeKind::interrupt:
            if (count != 2) refuse(fmt::format("a {} has two parts", to_string(node.kind)));
            break;
        default: refuse(fmt::format("a {} has no children", to_string(node.kind)));
    }
}

void ProtocolBuilder::close() {
    TREATY_CHECK(!open_.empty());
    Node& node = protocol_.nodes_[open_.back().index];
    node.first_child = static_cast<std::uint32_t>(protocol_.children_.size());
    node.child_count = static_cast<std::uint32_t>(open_children_.back().size());
    node.subtree_end = static_cast<std::uint32_t>(protocol_.nodes_.size());
    protocol_.children_.insert(protocol_.children_.end(), open_children_.back().begin(),
                               open_children_.back().end());
    check_children(node);
    open_.pop_back();
    open_children_.pop_back();
}

NodeId ProtocolBuilder::interaction(Span span, RoleId from, RoleId to, MessageId message,
                                    std::vector<Argument> arguments, expr::ExprId where,
                                    std::int64_t within_ns) {
    auto declared = [&](RoleId role) { return role.index < declared_.size() && declared_[role.index]; };
    if (from == to) refuse("a role sends to itself");
    if (!declared(from) || !declared(to)) refuse("a role is not declared");
    if (!message) refuse("an interaction without a message");
    Node node;
    node.kind = NodeKind::interaction;
    node.span = span;
    node.role = from;
    node.to = to;
    node.message = message;
    node.guard = where;
    node.within_ns = within_ns;
    node.first_argument = static_cast<std::uint32_t>(protocol_.arguments_.size());
    node.argument_count = static_cast<std::uint32_t>(arguments.size());
    if (!arguments.empty()) protocol_.has_data_ = true;
    protocol_.arguments_.insert(protocol_.arguments_.end(), arguments.begin(), arguments.end());
    return add(std::move(node));
}

NodeId ProtocolBuilder::jump(Span span, LoopId loop) {
    bool inside = std::any_of(open_.begin(), open_.end(), [&](NodeId id) {
        const Node& n = protocol_.nodes_[id.index];
        return n.kind == NodeKind::recursion && n.loop == loop;
    });
    if (!inside) refuse("a jump outside its recursion");
    Node node;
    node.kind = NodeKind::jump;
    node.span = span;
    node.loop = loop;
    return add(std::move(node));
}

NodeId ProtocolBuilder::assign(Span span, expr::VarId variable, expr::ExprId value) {
    Node node;
    node.kind = NodeKind::assign;
    node.span = span;
    node.variable = variable;
    node.guard = value;
    return add(std::move(node));
}

NodeId ProtocolBuilder::signal(Span span, SemaphoreId semaphore) {
    Node node;
    node.kind = NodeKind::signal;
    node.span = span;
    node.semaphore = semaphore;
    return add(std::move(node));
}

NodeId ProtocolBuilder::wait(Span span, SemaphoreId semaphore) {
    Node node;
    node.kind = NodeKind::wait;
    node.span = span;
    node.semaphore = semaphore;
    return add(std::move(node));
}

std::optional<Protocol> ProtocolBuilder::finish() {
    if (!open_.empty()) refuse("a part is still open");
    if (protocol_.nodes_.empty()) refuse("there is no root");
    if (!fault_.empty()) return std::nullopt;
    return std::move(protocol_);
}

}  // namespace treaty::model
