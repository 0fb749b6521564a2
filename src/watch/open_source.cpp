#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "watch/source.h"

namespace treaty::watch {

namespace {

// The magic numbers of pcap files (both byte orders, micro- and nanoseconds) and of pcapng.
bool is_capture(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    unsigned char b[4] = {};
    if (!file.read(reinterpret_cast<char*>(b), 4)) return false;
    auto is = [&](std::uint32_t magic) {
        std::uint32_t big =
            (std::uint32_t{b[0]} << 24) | (std::uint32_t{b[1]} << 16) | (std::uint32_t{b[2]} << 8) | b[3];
        return big == magic;
    };
    return is(0xa1b2c3d4u) || is(0xd4c3b2a1u) || is(0xa1b23c4du) || is(0x4d3cb2a1u) || is(0x0a0d0d0au);
}

}  // namespace

base::Result<std::unique_ptr<Source>> open_source(const std::string& path, const Vocabulary& vocabulary,
                                                  const SourceOptions& options) {
    if (options.mapping) {
        errno = 0;
        auto lines = std::make_unique<LineReader>(path, options.follow);
        if (!lines->ok()) return base::Fault{std::strerror(errno)};
        return mapped_source(std::move(lines), vocabulary, options);
    }
    std::error_code ignored;
    bool plain = path != "-" && std::filesystem::is_regular_file(path, ignored);
    if (path.starts_with("capture:") || (plain && is_capture(path)))
        return capture_source(path, vocabulary, options);
    errno = 0;
    auto lines = std::make_unique<LineReader>(path, options.follow);
    if (!lines->ok()) return base::Fault{std::strerror(errno)};
    if (path.ends_with(".jsonl")) return json_source(std::move(lines), vocabulary, options);
    switch (lines->first()) {
        case '<': return xml_source(std::move(lines), vocabulary);
        case '{': return json_source(std::move(lines), vocabulary, options);
        case 0:
            // Nothing there yet: a followed log is JSON lines unless its contents show otherwise.
            if (options.follow) return json_source(std::move(lines), vocabulary, options);
            [[fallthrough]];
        default: return text_source(std::move(lines), vocabulary, options);
    }
}

}  // namespace treaty::watch
