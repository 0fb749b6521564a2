// A graph over another pool and alphabet: what has to be done before two graphs can be compared or composed.
//
// Variables become new ones of the same names, so graphs never share them, except those that a graph never
// sets: they are constants, and one name means one value everywhere. Payload variables become those of
// the target's message of the same name, so graphs always share those. Roles and messages are matched by
// name, enumerations and records by name and content. A message that carries other types there cannot be
// brought over: then there is no graph, and the reason names it.
//
// A number whose range differs between graphs that are compared has no range in its payload variable; each
// graph keeps its own as a condition of its edges. All graphs that meet are announced by expect() before the
// first is brought over. Ranges inside lists, optionals and records have to be equal.
#pragma once

#include "model/symbolic_graph.h"
#include "symbolic/protocol_graph.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphState;
using model::GuardPart;
using model::LabelId;
using model::SymbolicGraph;

// Where graphs meet.
struct Meeting {
    std::shared_ptr<expr::Pool> pool;
    std::shared_ptr<model::Alphabet> alphabet;
    absl::flat_hash_map<model::MessageId, std::vector<VarId>> payload;
    absl::flat_hash_map<std::string, VarId> constants;  // by name and type
    absl::flat_hash_map<model::MessageId, std::vector<expr::TypeId>> expected = {};

    static Meeting fresh();
    void expect(const SymbolicGraph& graph);
};

GraphResult import_graph(const SymbolicGraph& graph, Meeting& meeting);

}  // namespace treaty::symbolic
