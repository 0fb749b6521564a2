// Pictures in Graphviz's DOT language; out only.
//
// A protocol is drawn as a global graph: circles where it starts and ends, a rounded box for each
// interaction, diamonds for choices and loops, squares for forks and joins. A machine is drawn with its
// initial arrow and doubled final states, a system as one cluster for each machine, a net as circles and
// boxes with its tokens. The same model gives the same bytes. Any name is safe: texts are quoted, bytes that
// are not UTF-8 replaced. Cost: linear in the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/net.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::formats {

// Where the parts of a picture come from, for a reader that leads there: a part of line 7 has the class
// line-7.
struct PartLines {
    std::vector<std::uint32_t> nodes = {};  // by the nodes of the protocol; 0: of no line
    std::map<model::LabelId, std::set<std::uint32_t>> labels = {};  // of machines
};

std::string write_dot(const model::Specification& specification, const model::Protocol& protocol,
                      const PartLines& lines = {});
std::string write_dot(const model::Machine& machine);
std::string write_dot(const model::Machine& machine, const PartLines& lines);
// The same from top to bottom, with edges as `look` says: their labels and attributes. Edges between the same
// two states with the same attributes are one, with several lines.
struct EdgeLook {
    std::string label, attributes;
};
std::string write_dot(const model::Machine& machine,
                      const std::function<EdgeLook(model::StateId, std::size_t)>& look);
// What an edge of a machine is called without its data: "B!m", "A?m" where it is clear whose machine it is.
std::string edge_text(const model::Machine& machine, model::StateId state, std::size_t edge);
std::string write_dot(const model::System& system);
std::string write_dot(const model::Net& net, const PartLines& lines = {});

}  // namespace treaty::formats
