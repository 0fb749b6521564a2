#include "formats/notation.h"

#include "formats/bpmn/bpmn.h"

namespace treaty::formats {

std::vector<Notation> bpmn_notations() {
    return {{.title = "BPMN 2.0 choreographies",
             .extensions = {"bpmn"},
             .carries = "roles, messages without data, sequence, choice, parallel parts, loops",
             .section = "BPMN choreographies",
             .load = load_bpmn,
             .write_specification = write_bpmn}};
}

}  // namespace treaty::formats
