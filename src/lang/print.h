// A resolved specification as .treaty text, in canonical form: reading it gives the same specification up
// to source positions (calls stay expanded, inferred `at` becomes explicit, a variable whose name would be
// mistaken for another one gets a number).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/specification.h"

namespace treaty::lang {

std::string print(const model::Specification& specification);

// One declaration of a specification, by itself, as print() writes it.
struct PrintedDeclaration {
    std::string_view
        kind;  // "record", "enum", "function", "predicate", "message", "protocol", "wire", "property"
    std::string name;
    std::string text;  // of a message that is used without a declaration, the one it could have
};
std::vector<PrintedDeclaration> print_declarations(const model::Specification& specification);

// A name of the specification that the language cannot write (other notations allow more), or nothing.
bool writable_role(std::string_view name);
bool writable_message(std::string_view name);  // also words of the language
std::optional<std::string> unwritable_name(const model::Specification& specification);

}  // namespace treaty::lang
