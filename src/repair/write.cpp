#include "repair/write.h"

#include <algorithm>
#include <map>

#include "model/protocol_edit.h"

namespace treaty::repair {
namespace {

using model::NodeId;
using model::NodeKind;

// What is before and after a step, in the order of the text.
struct Around {
    std::vector<Addition> before, after;
};

void add(const model::Specification& specification, const Addition& a, base::Span span,
         model::ProtocolBuilder& builder) {
    std::vector<model::Argument> arguments;
    if (a.variable) {
        arguments.emplace_back();
        arguments[0].value = specification.pool->var(a.variable);
    }
    builder.interaction(span, a.from, a.to, a.message, arguments);
}

void declare(model::Specification& s, const Addition& a) {
    if (s.messages.size() <= a.message.index) s.messages.resize(a.message.index + 1);
    model::Message& message = s.messages[a.message.index];
    message.declared = true;
    if (!a.variable || !message.fields.empty()) return;
    const expr::Variable& v = s.pool->variable(a.variable);
    message.fields.push_back({v.name, v.type});
    message.variables.push_back(s.pool->declare(v.name, v.type));
}

// Beside the addition that it names, wherever that is; false if it is nowhere.
bool insert_beside(std::map<NodeId, Around>& all, const Addition& a) {
    bool found = false;
    for (auto& [node, around] : all)
        for (auto* list : {&around.before, &around.after}) {
            auto at = std::find_if(list->begin(), list->end(),
                                   [&](const Addition& other) { return other.id == a.neighbour; });
            if (at == list->end()) continue;
            list->insert(a.after ? at + 1 : at, a);
            found = true;
        }
    return found;
}

}  // namespace

bool in_each_round(const model::Protocol& protocol, const Addition& a) {
    if (a.position != Addition::Position::before_state || a.neighbour || !a.node || a.after) return false;
    NodeKind kind = protocol[a.node].kind;
    return kind == NodeKind::repeat || kind == NodeKind::while_loop;
}

std::optional<model::Protocol> with_additions(model::Specification& specification,
                                              const model::Protocol& protocol,
                                              const std::vector<Addition>& additions) {
    std::map<NodeId, Around> by_node;
    for (const Addition& a : additions) {
        if (a.neighbour) {
            if (!insert_beside(by_node, a)) return std::nullopt;
        } else if (!a.node) {
            return std::nullopt;
        } else if (a.after) {
            auto& list = by_node[a.node].after;
            list.insert(list.begin(), a);
        } else {
            by_node[a.node].before.push_back(a);
            if (in_each_round(protocol, a)) by_node[protocol.children(a.node)[0]].after.push_back(a);
        }
    }
    for (const Addition& a : additions) declare(specification, a);
    return model::ProtocolEdit(protocol,
                               [&](model::ProtocolEdit& edit, NodeId id) {
                                   auto found = by_node.find(id);
                                   if (found == by_node.end()) return false;
                                   base::Span span = protocol[id].span;
                                   edit.builder().open(NodeKind::sequence, span);
                                   for (const Addition& a : found->second.before)
                                       add(specification, a, span, edit.builder());
                                   edit.copy_inside(id);
                                   for (const Addition& a : found->second.after)
                                       add(specification, a, span, edit.builder());
                                   edit.builder().close();
                                   return true;
                               })
        .run();
}

}  // namespace treaty::repair
