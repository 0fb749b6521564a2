#include "formats/load.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "formats/codes.h"
#include "formats/names.h"
#include "formats/notation.h"

namespace treaty::formats {
namespace {

// Why nothing reads a file with this extension.
void refuse(std::string_view path, std::string_view extension, base::Diagnostics& diagnostics) {
    const Notation* notation = find_notation(extension);
    if (notation && !notation->read_by.empty()) {
        diagnostics
            .report(codes::unknown_extension, {},
                    fmt::format("`{}` is {}, which this command does not read", path, notation->title))
            .help(fmt::format("treaty {} read .{} files", notation->read_by, extension));
        return;
    }
    if (notation || extension == "svg") {
        diagnostics
            .report(codes::not_readable, {},
                    fmt::format("`{}` is a picture, which can be written but not read", path))
            .help(fmt::format("known extensions: {}", readable_extensions()));
        return;
    }
    std::vector<std::string_view> known;
    for (const Notation& one : notations())
        if (one.is_read_here()) known.insert(known.end(), one.extensions.begin(), one.extensions.end());
    std::string_view near = base::nearest(extension, known);
    diagnostics
        .report(codes::unknown_extension, {},
                fmt::format("cannot tell the notation of `{}` by its extension", path))
        .help(near.empty() ? fmt::format("known extensions: {}", readable_extensions())
                           : fmt::format("did you mean .{}?", near));
}

}  // namespace

Loaded read(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    std::string extension = extension_of(sources.path(file));
    const Notation* notation = notation_of(sources.path(file), sources.text(file));
    if (notation && notation->read) return notation->read(sources, file, diagnostics);
    refuse(sources.path(file), extension, diagnostics);
    return {};
}

Loaded load(const std::string& path, base::SourceMap& sources, base::Diagnostics& diagnostics,
            lang::Knowing knowing, const base::ReadFile& read_file, std::vector<base::FileId>* files) {
    base::Result<std::string> file = read_file(path);
    if (!file) {
        diagnostics.report(codes::unreadable, {}, file.error());
        return {};
    }
    base::FileId id = sources.add(path, std::move(*file));
    if (files) files->push_back(id);
    const Notation* notation = notation_of(path, sources.text(id));
    if (notation && notation->load)
        return notation->load({sources, id, diagnostics, knowing, read_file, files});
    return read(sources, id, diagnostics);
}

}  // namespace treaty::formats
