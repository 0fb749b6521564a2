// For the tests: the text of a protocol as the product reads it.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/load.h"
#include "model/specification.h"

namespace treaty::verdicts {

// Nothing if the language refuses the text; *refused then holds the codes.
inline std::optional<model::Specification> read(const std::string& text,
                                                const std::string& extension = "treaty",
                                                std::string* refused = nullptr) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    auto loaded = formats::read(sources, sources.add("p." + extension, text), diagnostics);
    if (auto* specification = std::get_if<model::Specification>(&loaded.model))
        return std::move(*specification);
    if (refused)
        for (const base::Diagnostic& d : diagnostics.all())
            if (d.severity == base::Severity::error)
                *refused += base::to_string(*d.code) + " " + d.message + "\n";
    return std::nullopt;
}

}  // namespace treaty::verdicts
