#include "workbench/folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/descriptor.h"

namespace treaty::workbench {
namespace {

namespace fs = std::filesystem;

base::Fault outside(const std::string& path) {
    return base::Fault{fmt::format("{} is outside of the folder", path)};
}

// Where an open file really is; empty if that cannot be known.
std::string place_of(int descriptor) {
    std::error_code fault;
    fs::path real = fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), fault);
    return fault ? std::string() : real.string();
}

base::Result<std::string> contents(int descriptor, const std::string& path) {
    std::string text;
    std::array<char, 1 << 16> bytes;
    while (true) {
        ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return base::Fault{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
        if (count == 0) return text;
        text.append(bytes.data(), static_cast<std::size_t>(count));
        if (text.size() > Folder::max_file)
            return base::Fault{
                fmt::format("cannot read {}: it is larger than {} bytes", path, Folder::max_file)};
    }
}

bool hidden(const fs::path& path) {
    return std::any_of(path.begin(), path.end(),
                       [](const fs::path& part) { return part.native().starts_with('.'); });
}

}  // namespace

base::Result<Folder> Folder::open(const std::string& path) {
    std::error_code fault;
    fs::path real = fs::canonical(path, fault);
    if (fault) return base::Fault{fmt::format("cannot read {}: {}", path, fault.message())};
    if (!fs::is_directory(real, fault)) return base::Fault{fmt::format("{} is not a folder", path)};
    return Folder(real.string());
}

bool Folder::holds(const std::string& real) const {
    if (root_ == "/") return real.starts_with('/');
    return real == root_ || real.starts_with(root_ + '/');
}

base::Result<std::string> Folder::inside(const std::string& path) const {
    if (path.empty() || path.find('\0') != std::string::npos) return base::Fault{"a path is missing"};
    std::error_code fault;
    fs::path real = fs::weakly_canonical(fs::path(root_) / path, fault);
    if (fault || !holds(real.string())) return outside(path);
    return real.lexically_relative(root_).string();
}

base::Result<std::string> Folder::read(const std::string& path) const {
    auto relative = inside(path);
    if (!relative) return base::Fault{relative.error()};
    // As it was written: what the kernel does not find ("no/../a.txt") is not there.
    std::string full = (fs::path(root_) / path).string();
    // A pipe without a writer must not hold anybody up.
    base::Descriptor file(::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return base::Fault{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
    if (!holds(place_of(file.get()))) return outside(path);
    struct stat status {};
    if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return base::Fault{fmt::format("cannot read {}: it is not a plain file", path)};
    return contents(file.get(), path);
}

base::Result<void> Folder::write(const std::string& path, const std::string& text) const {
    if (text.size() > max_file) return base::Fault{fmt::format("{}: the text is too long", path)};
    auto relative = inside(path);
    if (!relative) return base::Fault{relative.error()};
    if (hidden(*relative))
        return base::Fault{fmt::format("{}: names that begin with a dot are not written", path)};
    fs::path full = fs::path(root_) / *relative;
    std::error_code fault;
    fs::file_status status = fs::symlink_status(full, fault);
    if (fs::exists(status) && !fs::is_regular_file(status))
        return base::Fault{fmt::format("cannot write {}: it is not a plain file", path)};
    if (!fs::is_directory(full.parent_path(), fault))
        return base::Fault{fmt::format("cannot write {}: there is no such folder", path)};
    return base::write_file(full.string(), text);
}

base::ReadFile Folder::reader() const {
    return [this](const std::string& path) { return read(path); };
}

std::vector<ListedFile> Folder::list() const {
    std::vector<ListedFile> found;
    std::error_code fault;
    fs::recursive_directory_iterator at(root_, fs::directory_options::skip_permission_denied, fault);
    for (; !fault && at != fs::end(at) && found.size() < max_listed; at.increment(fault)) {
        std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || name == "node_modules" || name == "__pycache__") {
            at.disable_recursion_pending();
            continue;
        }
        // Neither a folder nor a file that a link leads to; the file itself is listed where it is.
        if (!fs::is_regular_file(at->symlink_status(ignored))) continue;
        found.push_back({at->path().lexically_relative(root_).string(), at->file_size(ignored)});
    }
    std::sort(found.begin(), found.end(),
              [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
    return found;
}

}  // namespace treaty::workbench
