#include "formats/bpmn/graph.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json_schema/values.h"
#include "formats/names.h"
#include "formats/xml.h"
#include "lang/print.h"

namespace treaty::formats::bpmn {
namespace {

using pugi::xml_node;
using xml::local_name;

constexpr std::size_t most_inside = 50;  // sub-choreographies in one another

class Reader {
public:
    Reader(base::FileId file, base::Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

    std::vector<Choreography> read(const xml_node& root) {
        for (xml_node node : root.children())
            if (local_name(node) == "message") messages_[id_of(node)] = node.attribute("name").value();
        std::vector<Choreography> all;
        for (xml_node node : root.children())
            if (local_name(node) == "choreography" || local_name(node) == "globalChoreographyTask")
                all.push_back(read_choreography(node));
        if (all.empty())
            report(codes::bpmn_structure, root, "the file has no choreography")
                .help(
                    "a choreography diagram has a `choreography` element; processes and collaborations are "
                    "not read");
        return all;
    }

private:
    struct MessageFlow {
        std::string from, message;
    };

    static std::string id_of(const xml_node& node) { return node.attribute("id").value(); }
    base::Diagnostic& report(const base::Code& code, const xml_node& node, std::string message) {
        return diagnostics_.report(code, xml::span_of(node, file_), std::move(message));
    }

    Choreography read_choreography(const xml_node& node) {
        Choreography made;
        made.name = node.attribute("name").value();
        made.span = xml::span_of(node, file_);
        roles_.clear();
        flows_.clear();
        json_schema::FreeNames free;
        for (xml_node c : node.children()) {
            if (local_name(c) == "participant") {
                std::string name = c.attribute("name").value();
                if (name.empty()) name = id_of(c);
                roles_[id_of(c)] = free.take(lang::writable_role(name) ? name : identifier_of(name));
                made.roles.push_back(roles_[id_of(c)]);
                if (xml_node several = xml::child(c, "participantMultiplicity"))
                    report(codes::bpmn_unsupported, several,
                           "several participants of one kind are not supported");
            } else if (local_name(c) == "messageFlow") {
                std::string message = c.attribute("messageRef").value();
                auto named = messages_.find(message);
                flows_[id_of(c)] = {c.attribute("sourceRef").value(),
                                    named == messages_.end() || named->second.empty()
                                        ? c.attribute("name").value()
                                        : named->second};
            }
        }
        made.graphs.emplace_back();
        read_graph(node, made, 0, 0);
        return made;
    }

    std::string role(const std::string& id, const xml_node& at) {
        auto found = roles_.find(id);
        if (found != roles_.end()) return found->second;
        report(codes::bpmn_structure, at, fmt::format("no participant has the id `{}`", id));
        return "unknown";
    }

    void read_graph(const xml_node& container, Choreography& made, std::size_t index, std::size_t depth) {
        std::map<std::string, std::size_t> by_id;
        Graph graph;
        for (xml_node c : container.children()) {
            if (c.type() != pugi::node_element) continue;
            auto node = read_node(c, made, depth);
            if (!node) continue;
            if (++nodes_ > most_nodes) {
                if (nodes_ == most_nodes + 1)
                    report(codes::bpmn_too_large, c, fmt::format("more than {} nodes", most_nodes));
                return;
            }
            if (!by_id.emplace(id_of(c), graph.nodes.size()).second)
                report(codes::bpmn_structure, c, fmt::format("the id `{}` is there twice", id_of(c)));
            graph.nodes.push_back(std::move(*node));
        }
        for (xml_node c : container.children()) {
            if (local_name(c) != "sequenceFlow") continue;
            auto from = by_id.find(c.attribute("sourceRef").value());
            auto to = by_id.find(c.attribute("targetRef").value());
            if (from == by_id.end() || to == by_id.end()) {
                report(codes::bpmn_structure, c, "the flow does not connect two nodes of this choreography");
                continue;
            }
            graph.nodes[from->second].out.push_back({to->second, c.attribute("name").value()});
            ++graph.nodes[to->second].in;
        }
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const Node& node = graph.nodes[i];
            bool begins = node.kind == NodeKind::start || (node.in == 0 && node.kind != NodeKind::end);
            if (begins && graph.start != none)
                diagnostics_.report(codes::bpmn_structure, node.span,
                                    "a second place where the choreography begins");
            if (begins) graph.start = i;
            bool gateway = node.kind == NodeKind::exclusive || node.kind == NodeKind::parallel;
            if (!gateway && node.out.size() > 1)
                diagnostics_
                    .report(codes::bpmn_unsupported, node.span,
                            "several flows from one node that is not a gateway are not supported")
                    .help("put a gateway in between");
        }
        if (graph.start == none)
            report(codes::bpmn_structure, container, "nothing in it is where the choreography begins");
        made.graphs[index] = std::move(graph);
    }

    std::optional<Node> read_node(const xml_node& c, Choreography& made, std::size_t depth) {
        static const std::set<std::string_view> passed_over = {"participant",
                                                               "messageFlow",
                                                               "sequenceFlow",
                                                               "documentation",
                                                               "extensionElements",
                                                               "textAnnotation",
                                                               "association",
                                                               "group",
                                                               "participantAssociation",
                                                               "correlationKey",
                                                               "messageFlowAssociation",
                                                               "incoming",
                                                               "outgoing",
                                                               "participantRef",
                                                               "messageFlowRef"};
        std::string_view kind = local_name(c);
        Node node;
        node.span = xml::span_of(c, file_);
        node.name = c.attribute("name").value();
        if (kind == "startEvent" || kind == "endEvent") {
            node.kind = kind == "startEvent" ? NodeKind::start : NodeKind::end;
            for (xml_node definition : c.children())
                if (local_name(definition).ends_with("EventDefinition") &&
                    local_name(definition) != "terminateEventDefinition")
                    report(codes::bpmn_unsupported, definition,
                           fmt::format("`{}` is not supported", local_name(definition)));
        } else if (kind == "exclusiveGateway" || kind == "eventBasedGateway") {
            node.kind = NodeKind::exclusive;
        } else if (kind == "parallelGateway") {
            node.kind = NodeKind::parallel;
        } else if (kind == "choreographyTask") {
            read_task(c, node);
        } else if (kind == "subChoreography") {
            node.kind = NodeKind::inner;
            read_loop(c, node);
            node.initiator = role(c.attribute("initiatingParticipantRef").value(), c);
            if (depth >= most_inside) {
                report(codes::bpmn_too_large, c, "sub-choreographies are nested too deeply");
                return std::nullopt;
            }
            node.graph = made.graphs.size();
            made.graphs.emplace_back();
            read_graph(c, made, node.graph, depth + 1);
        } else {
            if (!passed_over.contains(kind))
                report(codes::bpmn_unsupported, c, fmt::format("`{}` is not supported", kind));
            return std::nullopt;
        }
        return node;
    }

    void read_loop(const xml_node& c, Node& node) {
        std::string_view loop = c.attribute("loopType").value();
        node.repeated = loop == "Standard" || loop == "MultiInstanceSequential";
        if (loop == "MultiInstanceParallel")
            report(codes::bpmn_unsupported, c, "several instances at the same time are not supported");
    }

    void read_task(const xml_node& c, Node& node) {
        node.kind = NodeKind::task;
        read_loop(c, node);
        std::string initiating = c.attribute("initiatingParticipantRef").value();
        std::vector<std::string> participants;
        for (xml_node part : c.children())
            if (local_name(part) == "participantRef")
                participants.emplace_back(xml::trimmed(part.text().get()));
        auto own = std::find(participants.begin(), participants.end(), initiating);
        if (participants.size() != 2 || own == participants.end()) {
            report(codes::bpmn_structure, c, "a task has two participants, one of which initiates it");
            return;
        }
        participants.erase(own);
        node.initiator = role(initiating, c);
        node.other = role(participants[0], c);
        if (node.initiator == node.other)
            report(codes::bpmn_structure, c, "a task has two participants, one of which initiates it");
        for (xml_node part : c.children()) {
            if (local_name(part) != "messageFlowRef") continue;
            auto flow = flows_.find(std::string(xml::trimmed(part.text().get())));
            if (flow == flows_.end()) {
                report(codes::bpmn_structure, part, "no message flow has this id");
                continue;
            }
            std::string& message = flow->second.from == initiating ? node.request : node.response;
            std::string name = flow->second.message;
            if (name.empty() && flow->second.from == initiating) name = node.name;
            if (name.empty()) name = node.name + " answer";
            if (!message.empty())
                report(codes::bpmn_structure, part, "a task has one message in each direction");
            message = message_name(name);
        }
        if (node.request.empty()) node.request = message_name(node.name.empty() ? id_of(c) : node.name);
    }

    static std::string message_name(const std::string& name) {
        return lang::writable_message(name) ? name : json_schema::name_near(name);
    }

    base::FileId file_;
    base::Diagnostics& diagnostics_;
    std::map<std::string, std::string> messages_;  // names by id
    std::map<std::string, std::string> roles_;     // of the choreography that is being read, by id
    std::map<std::string, MessageFlow> flows_;
    std::size_t nodes_ = 0;
};

}  // namespace

std::optional<std::vector<Choreography>> read_graphs(const base::SourceMap& sources, base::FileId file,
                                                     base::Diagnostics& diagnostics) {
    pugi::xml_document document;
    if (!xml::read(sources, file, document, diagnostics)) return std::nullopt;
    std::size_t errors = diagnostics.errors();
    std::vector<Choreography> all = Reader(file, diagnostics).read(document.document_element());
    if (diagnostics.errors() > errors) return std::nullopt;
    return all;
}

namespace {

// In the order of a walk; the node itself first.
std::vector<std::size_t> reached_from(const Graph& graph, std::size_t from) {
    std::vector<bool> seen(graph.nodes.size());
    std::vector<std::size_t> order, pending{from};
    while (!pending.empty()) {
        std::size_t at = pending.back();
        pending.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        order.push_back(at);
        for (const Flow& flow : graph.nodes[at].out) pending.push_back(flow.to);
    }
    return order;
}

// Where the loops begin that nothing leaves: of the nodes that reach one another, and nothing else, the first
// one.
std::vector<bool> endless_loops(const Graph& graph) {
    std::vector<bool> heads(graph.nodes.size()), known(graph.nodes.size());
    if (graph.start == none) return heads;
    for (std::size_t at : reached_from(graph, graph.start)) {
        if (known[at]) continue;
        const std::vector<std::size_t> after = reached_from(graph, at);
        bool left = std::ranges::any_of(after, [&](std::size_t n) {
            const std::vector<std::size_t> back = reached_from(graph, n);
            return graph.nodes[n].out.empty() || std::ranges::find(back, at) == back.end();
        });
        if (left) continue;
        heads[at] = true;
        for (std::size_t n : after) known[n] = true;
    }
    return heads;
}

}  // namespace

std::vector<std::size_t> meeting_points(const Graph& graph) {
    // By sets of nodes that all ways to an end pass, which only shrink. One more node represents all ends.
    // From where no end can be reached, a loop that nothing leaves ends where it begins anew.
    const std::vector<bool> endless = endless_loops(graph);
    std::size_t count = graph.nodes.size();
    std::vector<bool> ends(count);
    for (std::size_t i = 0; i < count; ++i)
        ends[i] = std::ranges::any_of(reached_from(graph, i),
                                      [&](std::size_t n) { return graph.nodes[n].out.empty(); });
    std::vector<std::vector<bool>> passed(count + 1, std::vector<bool>(count + 1, true));
    passed[count].assign(count + 1, false);
    passed[count][count] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = count; i-- > 0;) {
            const Node& node = graph.nodes[i];
            std::vector<bool> now(count + 1, true);
            if (node.out.empty() || endless[i]) now = passed[count];
            for (const Flow& flow : node.out) {
                if (ends[i] && !ends[flow.to]) continue;
                for (std::size_t k = 0; k <= count; ++k) now[k] = now[k] && passed[flow.to][k];
            }
            now[i] = true;
            if (now == passed[i]) continue;
            passed[i] = std::move(now);
            changed = true;
        }
    }
    // What all ways from a node pass is a chain, and each node of it passes one less than the one before it.
    // A node that nothing leads to may pass everything.
    std::vector<std::size_t> sizes(count);
    for (std::size_t i = 0; i < count; ++i)
        sizes[i] = static_cast<std::size_t>(std::count(passed[i].begin(), passed[i].end(), true));
    std::vector<std::size_t> nearest(count, none);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < count; ++k)
            if (k != i && passed[i][k] && sizes[i] <= count && sizes[k] + 1 == sizes[i]) nearest[i] = k;
    return nearest;
}

std::vector<bool> loop_heads(const Graph& graph) {
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(graph.nodes.size(), Mark::fresh);
    std::vector<bool> heads(graph.nodes.size());
    if (graph.start == none) return heads;
    std::vector<std::pair<std::size_t, std::size_t>> path{{graph.start, 0}};
    marks[graph.start] = Mark::open;
    while (!path.empty()) {
        auto& [at, next] = path.back();
        if (next == graph.nodes[at].out.size()) {
            marks[at] = Mark::done;
            path.pop_back();
            continue;
        }
        std::size_t to = graph.nodes[at].out[next++].to;
        if (marks[to] == Mark::open) heads[to] = true;
        if (marks[to] != Mark::fresh) continue;
        marks[to] = Mark::open;
        path.emplace_back(to, 0);
    }
    return heads;
}

}  // namespace treaty::formats::bpmn
