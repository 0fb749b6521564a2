#include "model/protocol_edit.h"

namespace treaty::model {

bool copy_step(const Protocol& from, NodeId step, NodeKind as, std::span<const LoopId> loops,
               ProtocolBuilder& to) {
    const Node& node = from[step];
    auto semaphore = [&] { return to.semaphore(std::string(from.semaphore_name(node.semaphore))); };
    switch (as) {
        case NodeKind::interaction: {
            auto arguments = from.arguments(step);
            to.interaction(node.span, node.role, node.to, node.message, {arguments.begin(), arguments.end()},
                           node.guard, node.within_ns);
            return false;
        }
        case NodeKind::jump: to.jump(node.span, loops[node.loop.index]); return false;
        case NodeKind::assign: to.assign(node.span, node.variable, node.guard); return false;
        case NodeKind::signal: to.signal(node.span, semaphore()); return false;
        case NodeKind::wait: to.wait(node.span, semaphore()); return false;
        case NodeKind::choice: to.open_choice(node.span, node.role); return true;
        case NodeKind::repeat: to.open_repeat(node.span, node.role); return true;
        case NodeKind::recursion: to.open_recursion(node.span, loops[node.loop.index]); return true;
        case NodeKind::while_loop: to.open_while(node.span, node.guard); return true;
        case NodeKind::conditional: to.open_conditional(node.span, node.guard); return true;
        case NodeKind::sequence:
        case NodeKind::parallel:
        case NodeKind::interrupt: break;
    }
    to.open(as, node.span);
    return true;
}

ProtocolEdit::ProtocolEdit(const Protocol& original, Change change)
    : original_(original),
      change_(std::move(change)),
      builder_(std::string(original.name()), original.span(),
               {original.roles().begin(), original.roles().end()}) {
    for (std::size_t i = 0; i < original.loop_count(); ++i)
        loops_.push_back(builder_.loop(std::string(original.loop_name(LoopId(i)))));
    // All of them, in their order, also those whose steps an edit leaves out.
    for (std::size_t i = 0; i < original.semaphore_count(); ++i)
        builder_.semaphore(std::string(original.semaphore_name(SemaphoreId(i))));
}

std::optional<Protocol> ProtocolEdit::run() {
    copy(original_.root());
    return builder_.finish();
}

void ProtocolEdit::copy(NodeId node) {
    if (!change_(*this, node)) copy_as_is(node, true);
}

void ProtocolEdit::copy_inside(NodeId node) {
    copy_as_is(node, true);
}

void ProtocolEdit::copy_unchanged(NodeId node) {
    copy_as_is(node, false);
}

void ProtocolEdit::copy_as_is(NodeId id, bool ask) {
    if (!copy_step(original_, id, original_[id].kind, loops_, builder_)) return;
    for (NodeId child : original_.children(id)) ask ? copy(child) : copy_as_is(child, false);
    builder_.close();
}

bool same_step(const Protocol& protocol, NodeId a, NodeId b) {
    if (a == b) return true;
    const Node &here = protocol[a], &there = protocol[b];
    // One line may contain several interactions.
    return here.span.valid() && here.span == there.span && here.kind == there.kind &&
           here.role == there.role && here.to == there.to && here.message == there.message;
}

}  // namespace treaty::model
