// An interaction that is added to a protocol so that its roles can play it, and all that could be added.
//
// An addition is before a state (whatever comes next), before or after one edge, or before an end; it
// carries one value or none. Additions made one after the other can be made in any order: each position of
// the result has a name whatever is there already.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/symbolic_graph.h"
#include "symbolic/realizability.h"

namespace treaty::repair {

using model::AdditionId;
using symbolic::Draft;
using symbolic::Problem;

struct Addition {
    enum class Position : std::uint8_t { before_state, before_edge, after_edge, before_end };
    AdditionId id;  // 0, 1, ... in the order in which a set of them is made
    Position position = Position::before_state;
    model::GraphStateId state;  // of the draft as it was when this was added
    model::GraphEdgeId edge;    // before_edge, after_edge
    model::RoleId from, to;
    expr::VarId variable;  // none: it carries nothing
    model::MessageId message;
    Problem::Kind why = Problem::Kind::order;
    // Where it is in the text: directly before or after a step, or another addition. No step and no
    // neighbour: there is no single place.
    model::NodeId node;
    AdditionId neighbour;
    bool after = false;
};

// Finds the step or the addition that is next to its position.
void find_neighbour(const model::SymbolicGraph& graph, Addition& addition);

// Needs an id, a message and a position of this draft.
void apply(Draft& draft, const Addition& addition);

// The messages of additions: named after what they are for and numbered, so that no message of the graph has
// the same name. Equal for equal reasons and ids.
class AddedMessages {
public:
    explicit AddedMessages(const model::SymbolicGraph& graph);
    model::MessageId of(Problem::Kind why, AdditionId id);

private:
    bool free(std::size_t number) const;

    std::shared_ptr<model::Alphabet> alphabet_;
    std::set<std::string> used_;
    std::vector<std::size_t> numbers_;  // by id
};

// All additions to a draft: every position, and for each every message that can be sent there.
class AdditionSpace {
public:
    struct Saying {
        model::RoleId from, to;
        expr::VarId variable;
    };
    struct Index {
        std::size_t position = 0, saying = 0;
    };
    explicit AdditionSpace(const Draft& draft);

    const std::vector<Addition>& positions() const { return positions_; }  // without who and what
    const std::vector<Saying>& sayings() const { return sayings_; }
    std::size_t size() const { return positions_.size() * sayings_.size(); }
    Addition at(Index index) const;
    // None for a value that no role can use.
    std::optional<Index> find(const Addition& addition) const;

private:
    using PositionKey = std::tuple<Addition::Position, model::GraphStateId, model::GraphEdgeId>;
    using SayingKey = std::tuple<model::RoleId, model::RoleId, expr::VarId>;
    static PositionKey key(const Addition& a) { return {a.position, a.state, a.edge}; }
    void add_positions(const model::SymbolicGraph& graph);
    void add_sayings(const model::SymbolicGraph& graph);

    std::vector<Addition> positions_;
    std::vector<Saying> sayings_;
    absl::flat_hash_map<PositionKey, std::size_t> position_of_;
    absl::flat_hash_map<SayingKey, std::size_t> saying_of_;
};

}  // namespace treaty::repair
