#include "formats/bpmn/diagram.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/xml.h"

namespace treaty::formats::bpmn {
namespace {

using xml::escaped;

std::string semantics(const Diagram& diagram, std::size_t number,
                      std::map<std::string, std::string>& messages) {
    std::string prefix = fmt::format("C{}", number);
    std::string out =
        fmt::format("  <bpmn2:choreography id=\"{}\" name=\"{}\">\n", prefix, escaped(diagram.name));
    std::map<std::string, std::string> participants;
    for (const std::string& role : diagram.roles) {
        std::string id = fmt::format("{}_P{}", prefix, participants.size());
        participants[role] = id;
        out += fmt::format("    <bpmn2:participant id=\"{}\" name=\"{}\" />\n", id, escaped(role));
    }
    for (const Element& e : diagram.elements)
        if (e.kind == "choreographyTask")
            out += fmt::format(
                "    <bpmn2:messageFlow id=\"{}_M\" sourceRef=\"{}\" targetRef=\"{}\" messageRef=\"{}\" />\n",
                e.id, participants[e.from], participants[e.to], messages.at(e.message));
    for (const Element& e : diagram.elements) {
        out += fmt::format("    <bpmn2:{} id=\"{}\"", e.kind, e.id);
        if (!e.name.empty()) out += fmt::format(" name=\"{}\"", escaped(e.name));
        if (e.kind == "choreographyTask")
            out += fmt::format(" initiatingParticipantRef=\"{}\"", participants[e.from]);
        out += ">\n";
        for (const std::string& id : e.in)
            out += fmt::format("      <bpmn2:incoming>{}</bpmn2:incoming>\n", id);
        for (const std::string& id : e.out)
            out += fmt::format("      <bpmn2:outgoing>{}</bpmn2:outgoing>\n", id);
        if (e.kind == "choreographyTask") {
            for (const std::string* role : {&e.from, &e.to})
                out += fmt::format("      <bpmn2:participantRef>{}</bpmn2:participantRef>\n",
                                   participants[*role]);
            out += fmt::format("      <bpmn2:messageFlowRef>{}_M</bpmn2:messageFlowRef>\n", e.id);
        }
        out += fmt::format("    </bpmn2:{}>\n", e.kind);
    }
    for (const Edge& edge : diagram.edges)
        out += fmt::format("    <bpmn2:sequenceFlow id=\"{}\" sourceRef=\"{}\" targetRef=\"{}\" />\n",
                           edge.id, diagram.elements[edge.from].id, diagram.elements[edge.to].id);
    return out + "  </bpmn2:choreography>\n";
}

std::string bounds(double x, double y, double width, double height) {
    return fmt::format("        <dc:Bounds x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" />\n", x, y, width,
                       height);
}

// A task has its name in the middle, the initiating participant in a band above and the other one below.
std::string shape(const Diagram& diagram, const Element& e, const std::string& prefix) {
    std::string out = fmt::format("      <bpmndi:BPMNShape id=\"{0}_S\" bpmnElement=\"{0}\">\n", e.id);
    out += bounds(e.x, e.y, e.width, e.height) + "      </bpmndi:BPMNShape>\n";
    if (e.kind != "choreographyTask") return out;
    for (bool top : {true, false}) {
        std::size_t participant = 0;
        while (diagram.roles[participant] != (top ? e.from : e.to)) ++participant;
        out += fmt::format(
            "      <bpmndi:BPMNShape id=\"{0}_{1}\" bpmnElement=\"{2}_P{3}\" "
            "choreographyActivityShape=\"{0}_S\" "
            "participantBandKind=\"{4}\" isMessageVisible=\"{5}\">\n",
            e.id, top ? "T" : "B", prefix, participant, top ? "top_initiating" : "bottom_non_initiating",
            top);
        out += bounds(e.x, top ? e.y : e.y + e.height - 20, e.width, 20) + "      </bpmndi:BPMNShape>\n";
    }
    return out;
}

// To the right in right angles; back below everything that is in between.
std::string line(const Diagram& diagram, const Edge& edge) {
    const Element &a = diagram.elements[edge.from], &b = diagram.elements[edge.to];
    std::vector<std::pair<double, double>> points;
    double ay = a.y + a.height / 2, by = b.y + b.height / 2;
    if (b.x > a.x) {
        points = {{a.x + a.width, ay}};
        if (ay != by) {
            double middle =
                a.kind == "exclusiveGateway" || a.kind == "parallelGateway" ? a.x + a.width + 15 : b.x - 15;
            points.emplace_back(middle, ay);
            points.emplace_back(middle, by);
        }
        points.emplace_back(b.x, by);
    } else {
        double below = 0;
        for (const Element& e : diagram.elements)
            if (e.x + e.width >= b.x && e.x <= a.x + a.width) below = std::max(below, e.y + e.height);
        points = {{a.x + a.width / 2, a.y + a.height},
                  {a.x + a.width / 2, below + 20},
                  {b.x + b.width / 2, below + 20},
                  {b.x + b.width / 2, b.y + b.height}};
    }
    std::string out = fmt::format("      <bpmndi:BPMNEdge id=\"{0}_E\" bpmnElement=\"{0}\">\n", edge.id);
    for (auto [x, y] : points) out += fmt::format("        <di:waypoint x=\"{}\" y=\"{}\" />\n", x, y);
    return out + "      </bpmndi:BPMNEdge>\n";
}

}  // namespace

std::size_t Diagram::add(Element element) {
    elements.push_back(std::move(element));
    return elements.size() - 1;
}

void Diagram::connect(std::size_t from, std::size_t to) {
    std::string id = fmt::format("{}_F", elements[from].id);
    id += std::to_string(elements[from].out.size());
    elements[from].out.push_back(id);
    elements[to].in.push_back(id);
    edges.push_back({id, from, to});
}

std::string to_xml(const std::vector<Diagram>& diagrams) {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<bpmn2:definitions xmlns:bpmn2=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" "
        "xmlns:bpmndi=\"http://www.omg.org/spec/BPMN/20100524/DI\" "
        "xmlns:dc=\"http://www.omg.org/spec/DD/20100524/DC\" "
        "xmlns:di=\"http://www.omg.org/spec/DD/20100524/DI\" "
        "id=\"Definitions\" targetNamespace=\"treaty\">\n";
    std::map<std::string, std::string> messages;
    for (const Diagram& diagram : diagrams)
        for (const Element& e : diagram.elements)
            if (e.kind == "choreographyTask" && !messages.contains(e.message)) {
                std::string id = fmt::format("Message_{}", messages.size());
                messages[e.message] = id;
                out += fmt::format("  <bpmn2:message id=\"{}\" name=\"{}\" />\n", id, escaped(e.message));
            }
    for (std::size_t i = 0; i < diagrams.size(); ++i) out += semantics(diagrams[i], i, messages);
    for (std::size_t i = 0; i < diagrams.size(); ++i) {
        std::string prefix = fmt::format("C{}", i);
        out += fmt::format(
            "  <bpmndi:BPMNDiagram id=\"{0}_D\">\n    <bpmndi:BPMNPlane id=\"{0}_L\" bpmnElement=\"{0}\">\n",
            prefix);
        for (const Element& e : diagrams[i].elements) out += shape(diagrams[i], e, prefix);
        for (const Edge& edge : diagrams[i].edges) out += line(diagrams[i], edge);
        out += "    </bpmndi:BPMNPlane>\n  </bpmndi:BPMNDiagram>\n";
    }
    return out + "</bpmn2:definitions>\n";
}

}  // namespace treaty::formats::bpmn
