// Who knows which value where: a walk over a protocol that keeps, for every variable, the roles that know it.
//
// After an interaction its sender and receiver know what it binds, and what it carries as a bare name; all
// others lose what it binds. A computed value is known to every role that knows what it is computed from.
// Where paths meet, a role knows what it knows on each of them that arrives; around a loop what it knows on
// entry and on every way back. An interruption may come at any point, so the second part of a `try` begins
// with what a role knows at every point of the first. What the segments of a par learn adds up. Every role
// knows the variables that are never bound.
//
// This is the one place that knows these rules. The caller is called for each use when the walk gets there,
// and asks what is known at that point; nothing is kept for later. Cost: linear in the protocol for each
// sweep; loops need two in practice.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "expr/pool.h"
#include "model/endings.h"
#include "model/protocol.h"

namespace treaty::model {

class Knowledge;

// What the walk comes past. Every call is made in every sweep, and in the last one for good.
class KnowledgeWatcher {
public:
    virtual ~KnowledgeWatcher() = default;
    // Before the interaction happens: its known arguments are about to be sent.
    virtual void sends(Knowledge&, NodeId) {}
    // Once its data is there: `where` is about to be checked.
    virtual void receives(Knowledge&, NodeId) {}
    // A conditional, a while loop or an assignment: its expression is about to be evaluated.
    virtual void evaluates(Knowledge&, NodeId) {}
    // All segments of a par have been walked.
    virtual void joins(Knowledge&, NodeId) {}
};

class Knowledge {
public:
    // holes: nodes of which nothing is known, by node; after one everybody may know everything.
    Knowledge(const Protocol& protocol, const expr::Pool& pool, std::vector<bool> holes = {});

    void walk(KnowledgeWatcher& watcher);

    // For the watcher, at the point where it is called.
    bool last_sweep() const { return last_; }
    bool knows(RoleId role, expr::VarId variable) const;
    bool knows_all(RoleId role, expr::ExprId expression) const;  // none: yes
    NodeId bound_at(expr::VarId variable) const;                 // where it got its value last; none: not yet
    void assume(RoleId role, expr::VarId variable);              // from here on it is taken to know it

private:
    using Row = std::vector<std::uint64_t>;  // a bit for each role
    // What a branch changed: the variables and what is known of them at its end.
    struct Outcome {
        bool arrives = true;
        absl::flat_hash_map<std::size_t, Row> rows;
    };
    // What is known of a variable on every way back to a loop's start, and where it got the value that is
    // known least.
    struct HeadFact {
        Row row;
        NodeId bound;
    };
    using Lows = absl::flat_hash_map<std::size_t, Row>;

    void number_variables();
    std::uint64_t* row(std::size_t variable) { return &known_[variable * words_]; }
    const std::uint64_t* row(std::size_t variable) const { return &known_[variable * words_]; }
    void save(std::size_t variable);
    void forget_all(std::size_t variable);
    void learn(RoleId role, std::size_t variable);
    Outcome undo_to(std::size_t mark, bool arrives);
    void meet(const std::vector<Outcome>& outcomes);
    void unite(const std::vector<Outcome>& outcomes);
    void sweep();
    void branch(NodeId id, std::vector<Outcome>& outcomes);
    void visit(NodeId id);
    void hole();
    void enter_head(NodeId head);
    void give_to_head(NodeId head);
    void loop(NodeId id);
    void recursion(NodeId id);
    void note_change(std::size_t variable);
    void interrupt(NodeId id);
    void interaction(NodeId id);
    void assign(NodeId id);

    const Protocol& p_;
    const expr::Pool& pool_;
    std::vector<bool> holes_;
    Endings endings_;
    KnowledgeWatcher* watcher_ = nullptr;
    std::size_t words_ = 1;
    std::vector<std::uint32_t> position_;  // of a role among the protocol's
    std::vector<expr::VarId> variables_;
    absl::flat_hash_map<expr::VarId, std::size_t> number_;
    Row known_;  // words_ for each variable
    std::vector<std::size_t> trail_;
    Row trail_rows_;
    std::vector<NodeId> bound_at_;
    absl::flat_hash_map<NodeId, absl::flat_hash_map<std::size_t, HeadFact>> heads_;
    absl::flat_hash_map<NodeId, std::size_t> entered_;
    std::vector<Lows> lows_;  // one for each `try` that is open, see note_change
    bool changed_ = false;
    bool last_ = false;
};

}  // namespace treaty::model
