#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace treaty::base {
namespace {

struct Closer {
    void operator()(std::FILE* f) const {
        if (f != stdin) std::fclose(f);
    }
};

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
    std::unique_ptr<std::FILE, Closer> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) return Fault{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
    struct stat status {};
    if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode))
        return Fault{fmt::format("cannot read {}: it is a directory", path)};
    std::string text;
    char buffer[1 << 16];
    while (std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
        if (text.size() + n > limit)
            return Fault{fmt::format("cannot read {}: it is larger than {} bytes", path, limit)};
        text.append(buffer, n);
    }
    if (std::ferror(file.get())) return Fault{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
    return text;
}

Result<std::string> read_from_disk(const std::string& path) {
    return read_file(path);
}

Result<void> write_file(const std::string& path, std::string_view text) {
    if (path == "-") {
        bool written =
            std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
        if (!written) return Fault{fmt::format("cannot write to standard output: {}", std::strerror(errno))};
        return {};
    }
    // A device or a pipe (/dev/stdout) cannot be renamed over.
    struct stat status {};
    bool in_place = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    std::string target = in_place ? path : fmt::format("{}.{}.part", path, getpid());
    std::FILE* file = std::fopen(target.c_str(), "wb");
    if (!file) return Fault{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
    bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    int close_failed = std::fclose(file);
    if (written && close_failed == 0 && (in_place || std::rename(target.c_str(), path.c_str()) == 0))
        return {};
    Fault fault{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
    if (!in_place) std::remove(target.c_str());
    return fault;
}

Result<void> can_write(const std::string& path) {
    bool there = access(path.c_str(), F_OK) == 0;
    int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0) return Fault{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
    close(opened);
    if (!there) unlink(path.c_str());
    return {};
}

}  // namespace treaty::base
