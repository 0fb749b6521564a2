// Following `import` from a .treaty file to the files it means.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/source.h"

namespace treaty::formats {

// Reads all that the file imports, directly or not, into `sources`: each file once and before those that
// import it. Nothing after reporting what could not be found, or goes in a circle. `files`: gets all that was
// added to the sources, whatever came of it.
std::optional<std::vector<base::FileId>> follow_imports(
    base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics,
    const base::ReadFile& read_file = base::read_from_disk, std::vector<base::FileId>* files = nullptr);

// Whether a source with this path is a file that comes with Treaty.
bool is_library_path(std::string_view path);

// The text of a file that comes with Treaty, by its name in library/; empty if there is none.
std::string_view library_text(std::string_view name);
std::vector<std::string_view> library_names();

}  // namespace treaty::formats
