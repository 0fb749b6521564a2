#include "base/source.h"

#include <algorithm>

#include "base/check.h"

namespace treaty::base {

Span cover(Span a, Span b) {
    if (!a.valid()) return b;
    if (!b.valid() || a.file != b.file) return a;
    return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceMap::add(std::string path, std::string text) {
    TREATY_CHECK(text.size() < 0xffffffffu);
    File file{std::move(path), std::move(text), {0}};
    for (std::size_t i = 0; i < file.text.size(); ++i)
        if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    files_.push_back(std::move(file));
    return FileId(files_.size() - 1);
}

std::string_view SourceMap::path(FileId file) const {
    return files_[file.index].path;
}

std::string_view SourceMap::text(FileId file) const {
    return files_[file.index].text;
}

std::string_view SourceMap::text(Span span) const {
    return text(span.file).substr(span.begin, span.end - span.begin);
}

Position SourceMap::position(FileId file, std::uint32_t offset) const {
    const File& f = files_[file.index];
    offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(f.text.size()));
    auto after = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
    auto line = static_cast<std::uint32_t>(after - f.line_starts.begin());
    std::uint32_t column = 1;
    for (std::uint32_t i = f.line_starts[line - 1]; i < offset; ++i)
        if ((static_cast<unsigned char>(f.text[i]) & 0xc0) != 0x80) ++column;
    return {line, column};
}

std::uint32_t SourceMap::line_number(FileId file, std::uint32_t offset) const {
    const auto& starts = files_[file.index].line_starts;
    return static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin());
}

std::uint32_t SourceMap::line_start(FileId file, std::uint32_t offset) const {
    return files_[file.index].line_starts[line_number(file, offset) - 1];
}

std::string_view SourceMap::line(FileId file, std::uint32_t line_number) const {
    const File& f = files_[file.index];
    if (line_number == 0 || line_number > f.line_starts.size()) return {};
    std::uint32_t start = f.line_starts[line_number - 1];
    std::size_t end = f.text.find('\n', start);
    if (end == std::string::npos) end = f.text.size();
    if (end > start && f.text[end - 1] == '\r') --end;
    return std::string_view(f.text).substr(start, end - start);
}

}  // namespace treaty::base
