// From the text of a .treaty file to what it means.
//
// Reports every fault of the file to `diagnostics` and goes on after each; a Specification comes back only
// when there was no error. One fault causes one message. Cost: linear in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "model/specification.h"

namespace treaty::lang {

// Whether it is a fault that a role uses a value it cannot know. Not where that is to be repaired.
enum class Knowing : std::uint8_t { demanded, left_open };

std::optional<model::Specification> read(const base::SourceMap& sources, base::FileId file,
                                         base::Diagnostics& diagnostics);

// What a file asks for with `import "path"`, as written, with its place; faults of the file are not reported.
struct Import {
    std::string path;
    base::Span span;
};
std::vector<Import> imports_of(const base::SourceMap& sources, base::FileId file);

// The same as read() with files that have been found for its imports, each before those that import it. Their
// declarations count as if they stood before the file's own.
std::optional<model::Specification> read_with(const base::SourceMap& sources,
                                              std::span<const base::FileId> imported, base::FileId file,
                                              base::Diagnostics& diagnostics,
                                              Knowing knowing = Knowing::demanded);

}  // namespace treaty::lang
