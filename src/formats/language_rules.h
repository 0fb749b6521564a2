// Holds a specification that did not come from .treaty text to the rules of the language, by saying it in the
// language and reading that.
//
// So there is one place that knows the rules (what a role can know, where `continue` is allowed, which names
// are free). A name that the language cannot write, as .gc allows some, leaves the rules unchecked: such a
// specification is good for everything but .treaty.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/specification.h"

namespace treaty::formats {

// Reports each broken rule, at the beginning of the file the specification came from.
bool check_language_rules(const model::Specification& specification, base::FileId file,
                          base::Diagnostics& diagnostics);

// Roles and messages whose names the language cannot write get others: `1` becomes `m1`. Each is reported as
// renamed. Nothing if all names can be written.
std::optional<model::Specification> with_writable_names(const model::Specification& specification,
                                                        Conversion& conversion);

// The .treaty text, or the reason why it cannot be written.
struct TreatyText {
    std::optional<std::string> text;
    std::string fault;
};
TreatyText treaty_text(const model::Specification& specification);

}  // namespace treaty::formats
