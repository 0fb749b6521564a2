#include "base/source.h"

#include <algorithm>
#include <mutex>

#include "base/check.h"
#include "base/utf8.h"

namespace treaty::base {

Span cover(Span a, Span b) {
    if (!a.valid()) return b;
    if (!b.valid() || a.file != b.file) return a;
    return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceMap::add(std::string path, std::string text) {
    TREATY_CHECK(text.size() < 0xffffffffu);
    auto file = std::make_unique<File>(File{std::move(path), std::move(text), {0}});
    for (std::size_t i = 0; i < file->text.size(); ++i)
        if (file->text[i] == '\n') file->line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    std::unique_lock lock(mutex_);
    files_.push_back(std::move(file));
    return FileId(files_.size() - 1);
}

void SourceMap::release(FileId file) {
    std::unique_lock lock(mutex_);
    files_[file.index].reset();
}

std::size_t SourceMap::size() const {
    std::shared_lock lock(mutex_);
    return files_.size();
}

const SourceMap::File& SourceMap::file(FileId id) const {
    std::shared_lock lock(mutex_);
    TREATY_CHECK(files_[id.index] != nullptr);
    return *files_[id.index];
}

std::string_view SourceMap::path(FileId id) const {
    return file(id).path;
}

std::string_view SourceMap::text(FileId id) const {
    return file(id).text;
}

std::string_view SourceMap::text(Span span) const {
    return text(span.file).substr(span.begin, span.end - span.begin);
}

Position SourceMap::position(FileId id, std::uint32_t offset) const {
    const File& f = file(id);
    offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(f.text.size()));
    auto after = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
    auto line = static_cast<std::uint32_t>(after - f.line_starts.begin());
    std::uint32_t column = 1;
    for (std::uint32_t i = f.line_starts[line - 1]; i < offset; ++i)
        if (!is_continuation(f.text[i])) ++column;
    return {line, column};
}

std::uint32_t SourceMap::line_number(FileId id, std::uint32_t offset) const {
    const auto& starts = file(id).line_starts;
    return static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), offset) -
                                      starts.begin());
}

std::uint32_t SourceMap::line_start(FileId id, std::uint32_t offset) const {
    return file(id).line_starts[line_number(id, offset) - 1];
}

std::string_view SourceMap::line(FileId id, std::uint32_t line_number) const {
    const File& f = file(id);
    if (line_number == 0 || line_number > f.line_starts.size()) return {};
    std::uint32_t start = f.line_starts[line_number - 1];
    std::size_t end = f.text.find('\n', start);
    if (end == std::string::npos) end = f.text.size();
    if (end > start && f.text[end - 1] == '\r') --end;
    return std::string_view(f.text).substr(start, end - start);
}

}  // namespace treaty::base
