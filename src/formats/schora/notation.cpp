#include "formats/notation.h"

#include "formats/schora/schora.h"

namespace treaty::formats {
namespace {

Loaded read_components(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    return with_endless_beside(read_schora(sources, file, diagnostics));
}

}  // namespace

std::vector<Notation> schora_notations() {
    return {{.title = "SChorA scripts",
             .extensions = {"schora"},
             .carries = "components and commands, run by treaty run",
             .section = "SChorA and Chor",
             .read = read_components},
            {.title = "Chor",
             .extensions = {"chor"},
             .carries = "roles, messages with data, guards, assignments, interruption",
             .section = "SChorA and Chor",
             .read = read_chor}};
}

}  // namespace treaty::formats
