#include "formats/notation.h"

#include "formats/aut/aut.h"

namespace treaty::formats {

std::vector<Notation> aut_notations() {
    return {{.title = "Aldebaran (CADP, mCRL2, LTSmin)",
             .extensions = {"aut"},
             .carries = "one machine",
             .section = ".aut",
             .read = read_model<read_aut>,
             .write_machine = write_aut}};
}

}  // namespace treaty::formats
