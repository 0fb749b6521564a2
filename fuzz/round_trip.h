// What every reader and writer of a notation must do with any bytes: never crash, say why nothing comes
// back, and write a text that it reads back and writes again unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"

namespace treaty::fuzz {

// Reads the text and writes it in the same notation, with losses allowed; nothing if the reader or the
// writer refused. read(sources, file, diagnostics) and write(model, conversion) are those of formats/.
template <typename Read, typename Write>
std::optional<std::string> rewritten(std::string_view notation, std::string text, Read read, Write write) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    const base::FileId file = sources.add("input." + std::string(notation), std::move(text));
    const auto model = read(sources, file, diagnostics);
    TREATY_CHECK(model.has_value() == diagnostics.ok());
    if (!model) return std::nullopt;
    formats::Conversion conversion(notation, diagnostics, formats::LossPolicy::allow);
    std::optional<std::string> written = write(*model, conversion);
    TREATY_CHECK(written.has_value() == conversion.ok());
    return written;
}

template <typename Read, typename Write>
void round_trip(std::string_view notation, const std::uint8_t* data, std::size_t size, Read read,
                Write write) {
    const auto once =
        rewritten(notation, std::string(reinterpret_cast<const char*>(data), size), read, write);
    if (!once) return;
    const auto twice = rewritten(notation, *once, read, write);
    TREATY_CHECK(twice.has_value());
    TREATY_CHECK(*twice == *once);
}

}  // namespace treaty::fuzz
