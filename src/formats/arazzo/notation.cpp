#include "formats/notation.h"

#include "formats/arazzo/arazzo.h"

namespace treaty::formats {

std::vector<Notation> arazzo_notations() {
    return {{.title = "Arazzo 1.0",
             .extensions = {"yaml", "yml", "json"},
             .carries = "workflows over OpenAPI services: steps, criteria, outputs, goto and retry",
             .section = "Arazzo",
             .owns_extension = false,
             .recognises = is_arazzo,
             .load = load_arazzo}};
}

}  // namespace treaty::formats
