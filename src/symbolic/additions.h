// Interactions added to a graph, and which of them a problem of realizability calls for.
//
// An addition is before a state (whatever comes next), before or after one edge, or before an end; it
// carries one value or none. Additions made one after the other can be made in any order: each place of the
// result can be named whatever is there already.
#pragma once

#include <string>
#include <vector>

#include "symbolic/knowledge.h"
#include "symbolic/realizability.h"

namespace treaty::symbolic {

struct Addition {
    enum class Position : std::uint8_t { at_state, on_edge, behind_edge, at_end };
    Position position = Position::at_state;
    GraphStateId state;  // of the draft as it was when this was added
    GraphEdgeId edge;    // on_edge, behind_edge
    model::RoleId from, to;
    VarId variable;  // none: it carries nothing
    std::string message;
    Problem::Kind why = Problem::Kind::order;
    // Where it is in the text: directly before or after a step, or another addition (by its message). No
    // step and no neighbour: there is no single place.
    model::NodeId node;
    std::string neighbour;
    bool behind = false;
};

// Gives it a message that says why it is there: added_order1.
void name_addition(Addition& addition, std::size_t number);

void apply(Draft& draft, const Addition& addition);

// What is likely to repair problems of a draft. Knows who knows what as it was when it was made; the graph
// itself is read as it is, so that states which were left alone meanwhile can still be asked about.
class Advisor {
public:
    Advisor(const Draft& draft, CommunicationMode mode);
    // Most promising first.
    std::vector<Addition> suggestions(const Problem& problem);

private:
    const SymbolicGraph& graph_;
    CommunicationMode mode_;
    std::vector<model::RoleId> roles_;
    Knowledge known_;
};

// All additions to a draft that there are: every place, and for each everything that can be said there.
class AdditionSpace {
public:
    struct Saying {
        model::RoleId from, to;
        VarId variable;
    };
    explicit AdditionSpace(const Draft& draft);

    const std::vector<Addition>& places() const { return places_; }
    const std::vector<Saying>& sayings() const { return sayings_; }
    std::size_t size() const { return places_.size() * sayings_.size(); }
    Addition at(std::size_t place, std::size_t saying) const;

private:
    std::vector<Addition> places_;  // without who and what
    std::vector<Saying> sayings_;
};

}  // namespace treaty::symbolic
