#include "formats/notation.h"

#include "formats/openapi/openapi.h"

namespace treaty::formats {

std::vector<Notation> openapi_notations() {
    return {{.title = "OpenAPI 3.0 and 3.1",
             .extensions = {"yaml", "yml", "json"},
             .carries = "operations as requests and responses over HTTP, schemas as types and conditions, "
                        "links as order",
             .section = "OpenAPI",
             .owns_extension = false,
             .recognises = is_openapi,
             .load = load_openapi}};
}

}  // namespace treaty::formats
