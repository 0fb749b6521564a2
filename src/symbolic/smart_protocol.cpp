#include "symbolic/smart_protocol.h"

#include <algorithm>
#include <map>

namespace treaty::symbolic {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;

// What is before and after a step, in the order of the text.
struct Around {
    std::vector<Addition> before, behind;
};

class Copier {
public:
    Copier(model::Specification& specification, const model::Protocol& protocol,
           std::map<NodeId, Around> additions)
        : specification_(specification),
          protocol_(protocol),
          additions_(std::move(additions)),
          builder_(std::string(protocol.name()), protocol.span(),
                   {protocol.roles().begin(), protocol.roles().end()}) {
        for (std::size_t i = 0; i < protocol.loop_count(); ++i)
            loops_.push_back(builder_.loop(std::string(protocol.loop_name(model::LoopId(i)))));
    }

    std::optional<model::Protocol> run() {
        copy(protocol_.root());
        return builder_.finish();
    }

private:
    void copy(NodeId id) {
        auto found = additions_.find(id);
        if (found == additions_.end()) return copy_step(id);
        builder_.open(NodeKind::sequence, protocol_[id].span);
        for (const Addition& a : found->second.before) add(a, protocol_[id].span);
        copy_step(id);
        for (const Addition& a : found->second.behind) add(a, protocol_[id].span);
        builder_.close();
    }

    void add(const Addition& a, base::Span span) {
        model::Alphabet& alphabet = *specification_.alphabet;
        std::vector<model::Argument> arguments;
        if (a.variable) {
            arguments.emplace_back();
            arguments[0].value = specification_.pool->var(a.variable);
        }
        builder_.interaction(span, a.from, a.to, alphabet.message(a.message), arguments);
    }

    void copy_step(NodeId id) {
        const Node& node = protocol_[id];
        switch (node.kind) {
            case NodeKind::interaction: {
                auto arguments = protocol_.arguments(id);
                builder_.interaction(node.span, node.role, node.to, node.message,
                                     {arguments.begin(), arguments.end()}, node.guard, node.within_ns);
                return;
            }
            case NodeKind::jump: builder_.jump(node.span, loops_[node.loop.index]); return;
            case NodeKind::assign: builder_.assign(node.span, node.variable, node.guard); return;
            case NodeKind::signal:
            case NodeKind::wait: {
                auto s = builder_.semaphore(std::string(protocol_.semaphore_name(node.semaphore)));
                if (node.kind == NodeKind::signal)
                    builder_.signal(node.span, s);
                else
                    builder_.wait(node.span, s);
                return;
            }
            case NodeKind::choice: builder_.open_choice(node.span, node.role); break;
            case NodeKind::repeat: builder_.open_repeat(node.span, node.role); break;
            case NodeKind::recursion: builder_.open_recursion(node.span, loops_[node.loop.index]); break;
            case NodeKind::while_loop: builder_.open_while(node.span, node.guard); break;
            case NodeKind::conditional: builder_.open_conditional(node.span, node.guard); break;
            default: builder_.open(node.kind, node.span); break;
        }
        for (NodeId child : protocol_.children(id)) copy(child);
        builder_.close();
    }

    model::Specification& specification_;
    const model::Protocol& protocol_;
    std::map<NodeId, Around> additions_;
    model::ProtocolBuilder builder_;
    std::vector<model::LoopId> loops_;
};

void declare(model::Specification& s, const Addition& a) {
    model::MessageId id = s.alphabet->message(a.message);
    if (s.messages.size() <= id.index) s.messages.resize(id.index + 1);
    model::Message& message = s.messages[id.index];
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
        for (auto* list : {&around.before, &around.behind}) {
            auto at = std::find_if(list->begin(), list->end(),
                                   [&](const Addition& other) { return other.message == a.neighbour; });
            if (at == list->end()) continue;
            list->insert(a.behind ? at + 1 : at, a);
            found = true;
        }
    return found;
}

}  // namespace

bool in_each_round(const model::Protocol& protocol, const Addition& a) {
    if (a.position != Addition::Position::at_state || !a.neighbour.empty() || !a.node || a.behind)
        return false;
    NodeKind kind = protocol[a.node].kind;
    return kind == NodeKind::repeat || kind == NodeKind::while_loop;
}

std::optional<model::Protocol> with_additions(model::Specification& specification,
                                              const model::Protocol& protocol,
                                              const std::vector<Addition>& additions) {
    std::map<NodeId, Around> by_node;
    for (const Addition& a : additions) {
        if (!a.neighbour.empty()) {
            if (!insert_beside(by_node, a)) return std::nullopt;
        } else if (!a.node) {
            return std::nullopt;
        } else if (a.behind) {
            auto& list = by_node[a.node].behind;
            list.insert(list.begin(), a);
        } else {
            by_node[a.node].before.push_back(a);
            if (in_each_round(protocol, a)) by_node[protocol.children(a.node)[0]].behind.push_back(a);
        }
    }
    for (const Addition& a : additions) declare(specification, a);
    return Copier(specification, protocol, std::move(by_node)).run();
}

}  // namespace treaty::symbolic
