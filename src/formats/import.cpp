#include "formats/import.h"

#include <array>
#include <filesystem>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/suggest.h"
#include "lang/codes.h"
#include "lang/read.h"

namespace treaty::formats {
namespace {

struct LibraryText {
    std::string_view name;
    std::string_view text;
};

constexpr LibraryText library[] = {
#include "formats/library_texts.inc"
    {"", ""},
};

constexpr std::string_view library_prefix = "library/";
constexpr std::size_t max_files = 200;

class Follower {
public:
    Follower(base::SourceMap& sources, base::Diagnostics& diagnostics, const base::ReadFile& read_file,
             std::vector<base::FileId>* files)
        : sources_(sources), diagnostics_(diagnostics), read_file_(read_file), files_(files) {}

    bool follow(base::FileId file, unsigned depth) {
        bool fine = true;
        for (const lang::Import& i : lang::imports_of(sources_, file)) fine = one(i, file, depth) && fine;
        return fine;
    }

    std::vector<base::FileId> order;

private:
    bool fail(const lang::Import& i, std::string why, std::string hint = {}) {
        diagnostics_.report(lang::codes::cannot_import, i.span, std::move(why)).help(std::move(hint));
        return false;
    }

    bool one(const lang::Import& i, base::FileId from, unsigned depth) {
        bool from_library = i.path.starts_with(library_prefix);
        std::string path = i.path;
        if (!from_library) {
            std::filesystem::path folder = std::filesystem::path(sources_.path(from)).parent_path();
            path = (folder / i.path).lexically_normal().string();
            // A file of the library means its neighbours there.
            from_library =
                path.starts_with(library_prefix) && !library_text(path.substr(library_prefix.size())).empty();
        }
        if (!path.ends_with(".treaty")) return fail(i, fmt::format("`{}` is not a .treaty file", i.path));
        auto [state, fresh] = state_.try_emplace(path, State::open);
        if (!fresh && state->second == State::open)
            return fail(i, fmt::format("`{}` imports itself, directly or through other files", i.path));
        if (!fresh) return true;
        if (state_.size() > max_files || depth > max_files) return fail(i, "too many files are imported");
        std::string text(from_library ? library_text(std::string_view(path).substr(library_prefix.size()))
                                      : std::string_view());
        if (from_library && text.empty()) {
            std::string_view meant = base::nearest(path.substr(library_prefix.size()), library_names());
            return fail(i, fmt::format("the library has no `{}`", path.substr(library_prefix.size())),
                        meant.empty() ? "" : fmt::format("did you mean library/{}?", meant));
        }
        if (!from_library) {
            base::Result<std::string> read = read_file_(path);
            if (!read) return fail(i, read.error());
            text = std::move(*read);
        }
        base::FileId file = sources_.add(path, std::move(text));
        if (files_) files_->push_back(file);
        bool fine = follow(file, depth + 1);
        state_[path] = State::done;
        order.push_back(file);
        return fine;
    }

    enum class State : std::uint8_t { open, done };
    base::SourceMap& sources_;
    base::Diagnostics& diagnostics_;
    const base::ReadFile& read_file_;
    std::vector<base::FileId>* files_;
    absl::flat_hash_map<std::string, State> state_;
};

}  // namespace

bool is_library_path(std::string_view path) {
    return path.starts_with(library_prefix) && !library_text(path.substr(library_prefix.size())).empty();
}

std::string_view library_text(std::string_view name) {
    for (const LibraryText& l : library)
        if (l.name == name && !name.empty()) return l.text;
    return {};
}

std::vector<std::string_view> library_names() {
    std::vector<std::string_view> names;
    for (const LibraryText& l : library)
        if (!l.name.empty()) names.push_back(l.name);
    return names;
}

std::optional<std::vector<base::FileId>> follow_imports(base::SourceMap& sources, base::FileId file,
                                                        base::Diagnostics& diagnostics,
                                                        const base::ReadFile& read_file,
                                                        std::vector<base::FileId>* files) {
    Follower follower(sources, diagnostics, read_file, files);
    if (!follower.follow(file, 0)) return std::nullopt;
    return std::move(follower.order);
}

}  // namespace treaty::formats
