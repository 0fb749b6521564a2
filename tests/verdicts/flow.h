// A protocol with its data worked out: who may exchange which message, with which values, after what.
//
// A graph of places. An edge is silent, or one interaction with its values, or a `par`: graphs that run side
// by side until all have ended. Each place represents a position in the text together with the values of all
// variables, so conditions are gone: they were evaluated. Made step by step from the text, without any
// cleverness.
//
// A loop that never ends does not hold up roles that have no part in it: what comes after it, among other
// roles, runs beside it. Where that is not clear-cut (the rest shares some of its roles with the loop) the
// graph is `unclear`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ast.h"

namespace treaty::verdicts {

struct Interaction {
    Role from, to;
    std::string message;  // with its values: "n0(2)"
    friend auto operator<=>(const Interaction&, const Interaction&) = default;
};

struct FlowEdge {
    int to = 0;
    int interaction = -1;       // position in Flow::interactions; -1: none
    std::vector<int> segments;  // par: positions in Flow::graphs
};

struct FlowGraph {
    std::vector<std::vector<FlowEdge>> out;  // by place; 0 is where it begins
    int end = -1;                            // -1: nothing leads there
};

struct Flow {
    std::vector<Interaction> interactions;
    std::vector<FlowGraph> graphs;
    int main = 0;
    bool unclear = false;
    bool too_large = false;
};

Flow flow_of(const File& file, std::size_t max_places = 4000);

}  // namespace treaty::verdicts
