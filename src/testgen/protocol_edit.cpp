#include "testgen/protocol_edit.h"

namespace treaty::testgen {

using model::NodeKind;

ProtocolEdit::ProtocolEdit(const model::Protocol& original, Change change)
    : original_(original),
      change_(std::move(change)),
      builder_(std::string(original.name()), original.span(),
               {original.roles().begin(), original.roles().end()}) {
    for (std::size_t i = 0; i < original.loop_count(); ++i)
        loops_.push_back(builder_.loop(std::string(original.loop_name(model::LoopId(i)))));
    for (std::size_t i = 0; i < original.semaphore_count(); ++i)
        semaphores_.push_back(
            builder_.semaphore(std::string(original.semaphore_name(model::SemaphoreId(i)))));
}

std::optional<model::Protocol> ProtocolEdit::run() {
    copy(original_.root());
    return builder_.finish();
}

void ProtocolEdit::copy(model::NodeId node) {
    if (!change_(*this, node)) copy_as_is(node, true);
}

void ProtocolEdit::copy_inside(model::NodeId node) {
    copy_as_is(node, true);
}

void ProtocolEdit::copy_unchanged(model::NodeId node) {
    copy_as_is(node, false);
}

void ProtocolEdit::copy_as_is(model::NodeId id, bool ask) {
    const model::Node& node = original_[id];
    auto arguments = original_.arguments(id);
    switch (node.kind) {
        case NodeKind::interaction:
            builder_.interaction(node.span, node.role, node.to, node.message,
                                 {arguments.begin(), arguments.end()}, node.guard, node.within_ns);
            return;
        case NodeKind::jump: builder_.jump(node.span, loops_[node.loop.index]); return;
        case NodeKind::assign: builder_.assign(node.span, node.variable, node.guard); return;
        case NodeKind::signal: builder_.signal(node.span, semaphores_[node.semaphore.index]); return;
        case NodeKind::wait: builder_.wait(node.span, semaphores_[node.semaphore.index]); return;
        case NodeKind::choice: builder_.open_choice(node.span, node.role); break;
        case NodeKind::repeat: builder_.open_repeat(node.span, node.role); break;
        case NodeKind::recursion: builder_.open_recursion(node.span, loops_[node.loop.index]); break;
        case NodeKind::while_loop: builder_.open_while(node.span, node.guard); break;
        case NodeKind::conditional: builder_.open_conditional(node.span, node.guard); break;
        case NodeKind::sequence:
        case NodeKind::parallel:
        case NodeKind::interrupt: builder_.open(node.kind, node.span); break;
    }
    for (model::NodeId child : original_.children(id)) ask ? copy(child) : copy_as_is(child, false);
    builder_.close();
}

bool same_step(const model::Protocol& protocol, model::NodeId a, model::NodeId b) {
    if (a == b) return true;
    const model::Node &here = protocol[a], &there = protocol[b];
    // One line may stand for several interactions.
    return here.span.valid() && here.span == there.span && here.kind == there.kind &&
           here.role == there.role && here.to == there.to && here.message == there.message;
}

}  // namespace treaty::testgen
