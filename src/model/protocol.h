// Protocol: the resolved tree of one global description.
//
// Every node has an id and a source span, so every verdict can point at the line it is about. Nodes are
// stored in pre-order: the root is node 0 and a child has a greater id than its parent, so an ascending
// sweep is top-down and a descending sweep bottom-up. The depth is at most max_depth, so recursion over a
// protocol is safe. Names are resolved, calls (`do`) are expanded, multicasts are sequences; an omitted
// `at` is filled in where it can be inferred. Roles and messages are those of the specification's Alphabet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/source.h"
#include "expr/pool.h"
#include "model/alphabet.h"

namespace treaty::model {

using base::NameId;
using base::Span;
using NodeId = base::Id<struct NodeTag>;
using LoopId = base::Id<struct LoopTag>;            // a `rec` label of one protocol
using SemaphoreId = base::Id<struct SemaphoreTag>;  // a `signal`/`wait` name of one protocol

enum class NodeKind : std::uint8_t {
    sequence,     // children one after the other; none: the empty protocol
    interaction,  // from -> to: message(arguments) where guard within time
    choice,       // one of the children, chosen by `role` (none: not given and not inferable)
    parallel,     // all children, interleaved
    repeat,       // the child any number of times, `role` decides before each round
    recursion,    // the child; `loop` names it
    jump,         // back to the start of the recursion `loop` (written `continue`)
    while_loop,   // the child as long as `guard` holds
    conditional,  // child 0 if `guard` holds, else child 1 (always two children)
    interrupt,    // child 0, which child 1 may cut off at any point before its end
    assign,       // variable := guard (the expression), without a message
    signal,       // add one to `semaphore`
    wait,         // take one from `semaphore`, when there is one
};

std::string_view to_string(NodeKind kind);

// One field of a message: a new value bound to a variable, a known value, or (neither) any value.
struct Argument {
    expr::VarId bind{};    // valid: `let x`
    expr::ExprId value{};  // valid: a known value
    Span span{};           // where it is written
};

struct Node {
    NodeKind kind = NodeKind::sequence;
    Span span;
    NodeId parent;
    RoleId role;  // choice, repeat: who decides; interaction: the sender
    RoleId to;    // interaction
    MessageId message;
    LoopId loop;
    SemaphoreId semaphore;
    expr::VarId variable;         // assign
    expr::ExprId guard;           // none means true
    std::int64_t within_ns = -1;  // interaction: how long its sender may take; -1: the default
    std::uint32_t first_argument = 0;
    std::uint32_t argument_count = 0;
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
    std::uint32_t subtree_end = 0;  // the nodes of the subtree are [own id, subtree_end)
};

class Protocol {
public:
    static constexpr std::uint32_t max_depth = 1000;

    std::string_view name() const { return name_; }
    Span span() const { return span_; }
    NodeId root() const { return NodeId(0u); }
    const Node& operator[](NodeId id) const { return nodes_[id.index]; }
    std::size_t size() const { return nodes_.size(); }
    std::span<const NodeId> children(NodeId id) const;
    std::span<const Argument> arguments(NodeId id) const;
    std::span<const RoleId> roles() const { return roles_; }  // as declared, in order
    std::string_view loop_name(LoopId id) const { return loops_[id.index].name; }
    NodeId loop_node(LoopId id) const { return loops_[id.index].node; }
    std::size_t loop_count() const { return loops_.size(); }
    std::string_view semaphore_name(SemaphoreId id) const { return semaphores_[id.index]; }
    std::size_t semaphore_count() const { return semaphores_.size(); }
    bool has_data() const { return has_data_; }  // any guard, argument or assignment

    // Of a choice or repeat without `at`, once the decider is known.
    void set_decider(NodeId id, RoleId decider) { nodes_[id.index].role = decider; }

private:
    friend class ProtocolBuilder;
    struct Loop {
        std::string name;
        NodeId node;
    };
    std::string name_;
    Span span_;
    std::vector<RoleId> roles_;
    std::vector<Node> nodes_;
    std::vector<NodeId> children_;
    std::vector<Argument> arguments_;
    std::vector<Loop> loops_;
    std::vector<std::string> semaphores_;
    bool has_data_ = false;
};

// Builds a protocol top-down: open() a composite, add its children, close() it.
//
// Refuses what is malformed: finish() returns nothing and fault() the first problem. A reader of
// a user's text reports its errors before; this is the last guard, and the only one for built trees.
class ProtocolBuilder {
public:
    ProtocolBuilder(std::string name, Span span, std::vector<RoleId> roles);

    LoopId loop(std::string name);            // declares a label, to be used by open_recursion and jump
    SemaphoreId semaphore(std::string name);  // interns

    NodeId open(NodeKind kind, Span span);
    NodeId open_choice(Span span, RoleId decider);
    NodeId open_repeat(Span span, RoleId decider);
    NodeId open_recursion(Span span, LoopId loop);
    NodeId open_while(Span span, expr::ExprId condition);
    NodeId open_conditional(Span span, expr::ExprId condition);
    void close();

    NodeId interaction(Span span, RoleId from, RoleId to, MessageId message,
                       std::vector<Argument> arguments = {}, expr::ExprId where = {},
                       std::int64_t within_ns = -1);
    NodeId jump(Span span, LoopId loop);
    NodeId assign(Span span, expr::VarId variable, expr::ExprId value);
    NodeId signal(Span span, SemaphoreId semaphore);
    NodeId wait(Span span, SemaphoreId semaphore);

    std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size()); }
    std::size_t size() const { return protocol_.nodes_.size(); }

    std::optional<Protocol> finish();
    const std::string& fault() const { return fault_; }

private:
    NodeId add(Node node);
    void refuse(std::string why);
    void check_children(const Node& node);

    Protocol protocol_;
    std::vector<bool> declared_;  // by role
    std::vector<NodeId> open_;
    std::vector<std::vector<NodeId>> open_children_;
    std::string fault_;
};

}  // namespace treaty::model
