#include "formats/notation.h"

#include "formats/pnml/pnml.h"

namespace treaty::formats {

std::vector<Notation> pnml_notations() {
    return {{.title = "PNML",
             .extensions = {"pnml"},
             .carries = "a place/transition net without data",
             .section = ".pnml",
             .read = read_model<read_pnml>,
             .write_net = write_pnml}};
}

}  // namespace treaty::formats
