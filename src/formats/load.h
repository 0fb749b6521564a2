// Files by extension: any model from any notation that is read here, and any model into any that fits.
// formats/notation.h has the list of notations, and what each of them takes.
// Whatever else is asked for either needs an engine, and the diagnostic names the command for it, or cannot
// be. A specification from JSON is held to the rules of the language, like one from .treaty. No function here
// throws, and none writes a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "formats/loaded.h"
#include "lang/read.h"

namespace treaty::formats {

// Reads the file at path into `sources`, and then parses it. Holds nothing if an error was reported.
// `files`: gets all that was added to the sources, the file itself first.
Loaded load(const std::string& path, base::SourceMap& sources, base::Diagnostics& diagnostics,
            lang::Knowing knowing = lang::Knowing::demanded,
            const base::ReadFile& read_file = base::read_from_disk,
            std::vector<base::FileId>* files = nullptr);

// The same for a text that is in `sources` already; its path gives the extension.
Loaded read(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics);

struct Written {
    std::optional<std::string> text;  // nothing if something was refused or needs an engine
};

// extension: without its dot.
Written write(const Loaded& loaded, std::string_view extension, base::Diagnostics& diagnostics,
              LossPolicy policy);

// "a specification", "a system", "a machine", "a net".
std::string_view describe(const Loaded& loaded);

}  // namespace treaty::formats
