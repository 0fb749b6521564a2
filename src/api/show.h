// show: what a picture of a model is drawn from.
//
// A protocol has pictures of every kind; a net, a machine or a system has the one that it is, and a system
// also that of the configurations that it can reach, of which there may be at most 2,000 unless the context
// has another limit: more is not a picture any more. Holds with what is to be drawn; no verdict, or undecided
// at a limit, where there is nothing. Drawing is done by report/pictures.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/input/inputs.h"
#include "api/workspace.h"
#include "model/system.h"

namespace treaty::api {

enum class ShowKind : std::uint8_t { msc, graph, net, machine, pomset, space };

std::string_view to_string(ShowKind kind);
std::optional<ShowKind> parse_show_kind(std::string_view text);

struct ShowQuestion {
    std::string file = {};
    ShowKind kind = ShowKind::msc;
    std::string role = {};      // net, machine: the part of this role, or of these ("A,B"); empty: of all
    std::string protocol = {};  // empty: the last one of the file
    std::optional<std::uint64_t> rounds = {};  // pomset: of each loop, at most
    std::optional<model::Mode> mode = {};      // space: none: that of the file, or first-in first-out queues
    std::optional<std::uint32_t> bound = {};
    bool lines = false;  // the parts of the picture are to know their lines
};

struct ShowAnswer : Answer {
    ShowKind kind = ShowKind::msc;
    std::string dot;                             // the graph, in Graphviz's language; empty for a chart
    std::shared_ptr<const ProtocolInput> chart;  // msc: what the sequence chart is of
    std::vector<std::uint32_t> lines;  // of its nodes, by id, if they are asked for; 0: of another file
    std::size_t branches = 0;          // pomset: how many are drawn
    std::string incomplete;            // pomset: why these are not all
};

ShowAnswer show(const Workspace& workspace, const ShowQuestion& question, const Context& context);

}  // namespace treaty::api
