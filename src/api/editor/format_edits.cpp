// The difference of two texts is found as the longest common subsequence of their lines, in a table of all
// pairs. Equal lines at both ends are left out first; what remains of a text that is edited is short. Where
// it is not, the remaining lines are one edit.
#include "api/editor/format_edits.h"

#include <algorithm>

#include "formats/load.h"
#include "formats/names.h"
#include "lang/format.h"

namespace treaty::api {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t largest_table = 4'000'000;

// Each with its line break.
Lines lines_of(std::string_view text) {
    Lines result;
    while (!text.empty()) {
        std::size_t end = text.find('\n');
        std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
        result.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return result;
}

class LineDifference {
public:
    LineDifference(std::string_view from, std::string_view to)
        : text_(from), from_(lines_of(from)), to_(lines_of(to)) {}

    std::vector<TextEdit> run() {
        std::size_t same = 0, most = std::min(from_.size(), to_.size());
        while (same < most && from_[same] == to_[same]) ++same;
        from_end_ = from_.size();
        to_end_ = to_.size();
        while (from_end_ > same && to_end_ > same && from_[from_end_ - 1] == to_[to_end_ - 1]) {
            --from_end_;
            --to_end_;
        }
        begin_ = same;
        std::size_t rows = from_end_ - begin_ + 1, columns = to_end_ - begin_ + 1;
        if (rows * columns > largest_table)
            add(begin_, from_end_, begin_, to_end_);
        else
            compare(rows, columns);
        return std::move(out_);
    }

private:
    // common[i, k]: how many lines the rest from i and the rest from k have in common.
    void compare(std::size_t rows, std::size_t columns) {
        std::vector<std::uint32_t> common(rows * columns, 0);
        for (std::size_t i = rows - 1; i-- > 0;)
            for (std::size_t k = columns - 1; k-- > 0;)
                common[i * columns + k] =
                    from_[begin_ + i] == to_[begin_ + k]
                        ? common[(i + 1) * columns + k + 1] + 1
                        : std::max(common[(i + 1) * columns + k], common[i * columns + k + 1]);
        std::size_t i = 0, k = 0;
        while (i + 1 < rows || k + 1 < columns) {
            std::size_t first_i = i, first_k = k;
            while (i + 1 < rows || k + 1 < columns) {
                bool equal = i + 1 < rows && k + 1 < columns && from_[begin_ + i] == to_[begin_ + k];
                if (equal) break;
                bool drop = k + 1 == columns ||
                            (i + 1 < rows && common[(i + 1) * columns + k] >= common[i * columns + k + 1]);
                ++(drop ? i : k);
            }
            if (i > first_i || k > first_k)
                add(begin_ + first_i, begin_ + i, begin_ + first_k, begin_ + k);
            else
                ++i, ++k;
        }
    }

    void add(std::size_t from, std::size_t from_end, std::size_t to, std::size_t to_end) {
        if (from == from_end && to == to_end) return;
        std::string text;
        for (std::size_t i = to; i < to_end; ++i) text += to_[i];
        out_.push_back({{offset(from), offset(from_end)}, std::move(text)});
    }

    std::uint32_t offset(std::size_t line) const {
        return static_cast<std::uint32_t>(
            line < from_.size() ? static_cast<std::size_t>(from_[line].data() - text_.data()) : text_.size());
    }

    std::string_view text_;
    Lines from_, to_;
    std::size_t begin_ = 0, from_end_ = 0, to_end_ = 0;
    std::vector<TextEdit> out_;
};

// Whether two texts differ only in blanks and line breaks.
bool same_but_for_blanks(std::string_view a, std::string_view b) {
    auto skip = [](std::string_view& text) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    };
    while (skip(a), skip(b), !a.empty() && !b.empty()) {
        if (a[0] != b[0]) return false;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.empty() && b.empty();
}

std::optional<std::string> canonical(const std::string& path, const std::string& text) {
    std::string extension = formats::extension_of(path);
    base::SourceMap sources;
    base::Diagnostics faults;
    base::FileId file = sources.add(path, text);
    if (extension == "treaty") return lang::format(sources, file, faults);
    formats::Loaded loaded = formats::read(sources, file, faults);
    if (!loaded) return std::nullopt;
    auto written = formats::write(loaded, extension, faults, formats::LossPolicy::refuse).text;
    return written && same_but_for_blanks(text, *written) ? written : std::nullopt;
}

// The lines of a range as a range: from the start of its first line to the end of its last.
TextRange whole_lines(std::string_view text, TextRange range) {
    auto size = static_cast<std::uint32_t>(text.size());
    range.begin = std::min(range.begin, size);
    range.end = std::clamp(range.end, range.begin, size);
    // A range that ends where a line begins does not mean that line.
    std::uint32_t last = range.end > range.begin ? range.end - 1 : range.end;
    std::size_t start = range.begin == 0 ? std::string_view::npos : text.rfind('\n', range.begin - 1);
    std::size_t end = text.find('\n', last);
    return {start == std::string_view::npos ? 0 : static_cast<std::uint32_t>(start + 1),
            end == std::string_view::npos ? size : static_cast<std::uint32_t>(end + 1)};
}

}  // namespace

std::vector<TextEdit> line_edits(std::string_view from, std::string_view to) {
    return LineDifference(from, to).run();
}

std::vector<TextEdit> format_edits(const Workspace& workspace, const std::string& file,
                                   std::optional<TextRange> range) {
    base::Result<std::string> text = workspace.read(file);
    auto wanted = text ? canonical(file, *text) : std::nullopt;
    if (!wanted) return {};
    std::vector<TextEdit> edits = line_edits(*text, *wanted);
    if (!range) return edits;
    TextRange lines = whole_lines(*text, *range);
    std::erase_if(edits, [&](const TextEdit& e) {
        bool insertion = e.range.begin == e.range.end;
        return insertion ? e.range.begin < lines.begin || e.range.begin >= lines.end
                         : e.range.end <= lines.begin || e.range.begin >= lines.end;
    });
    return edits;
}

}  // namespace treaty::api
