#include "formats/notation.h"

#include "formats/asyncapi/asyncapi.h"

namespace treaty::formats {

std::vector<Notation> asyncapi_notations() {
    return {
        {.title = "AsyncAPI 2 and 3.0",
         .extensions = {"yaml", "yml", "json"},
         .carries = "operations as messages and replies, schemas as types and conditions, correlation ids",
         .section = "AsyncAPI",
         .owns_extension = false,
         .recognises = is_asyncapi,
         .load = load_asyncapi}};
}

}  // namespace treaty::formats
