#include "formats/notation.h"

#include "formats/gc/gc.h"

namespace treaty::formats {

std::vector<Notation> gc_notations() {
    return {{.title = "g-choreographies (ChorGram, ChorTest)",
             .extensions = {"gc"},
             .carries = "roles, messages without data, sequence, choice, fork, loop",
             .section = ".gc and .sgg",
             .read = read_model<read_gc>,
             .write_specification = write_gc},
            {.title = "global graphs (ChorGram, older)",
             .extensions = {"sgg"},
             .carries = "the same as .gc, without definitions",
             .section = ".gc and .sgg",
             .read = read_model<read_sgg>}};
}

}  // namespace treaty::formats
