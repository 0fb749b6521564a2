#include "formats/notation.h"

#include "formats/diagram/diagram.h"

namespace treaty::formats {
namespace {

constexpr std::string_view carries =
    "roles, messages without data, sequence, choice, optional parts, loops, parallel parts";

}  // namespace

std::vector<Notation> diagram_notations() {
    return {{.title = "Mermaid sequence diagrams",
             .extensions = {"mmd", "mermaid"},
             .carries = carries,
             .section = "Sequence diagrams",
             .read = read_model<read_mermaid>,
             .write_specification = write_mermaid},
            {.title = "PlantUML sequence diagrams",
             .extensions = {"puml", "plantuml"},
             .carries = carries,
             .section = "Sequence diagrams",
             .read = read_model<read_plantuml>,
             .write_specification = write_plantuml}};
}

}  // namespace treaty::formats
