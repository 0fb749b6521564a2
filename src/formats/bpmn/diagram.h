// A choreography diagram that is being written: elements with places, and flows between them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace treaty::formats::bpmn {

struct Element {
    std::string kind;  // "startEvent", "choreographyTask"
    std::string id;
    std::string name;
    double x = 0, y = 0, width = 0, height = 0;
    std::string from, to, message;     // of a task: its participants and its message
    std::vector<std::string> in, out;  // ids of flows
};

struct Edge {
    std::string id;
    std::size_t from, to;
};

struct Diagram {
    std::string name;
    std::vector<std::string> roles;
    std::vector<Element> elements;
    std::vector<Edge> edges;

    std::size_t add(Element element);
    void connect(std::size_t from, std::size_t to);
};

// The file of several choreographies.
std::string to_xml(const std::vector<Diagram>& diagrams);

}  // namespace treaty::formats::bpmn
