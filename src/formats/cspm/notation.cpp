// CSPM has functions and processes, which are no model of formats/: csp/ reads it.
#include "formats/notation.h"

namespace treaty::formats {

std::vector<Notation> cspm_notations() {
    return {{.title = "CSPM",
             .extensions = {"csp"},
             .carries = "processes and assertions, for run, refine and complete",
             .section = "CSPM",
             .read_by = "check, run, refine and complete"}};
}

}  // namespace treaty::formats
