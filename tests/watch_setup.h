// What the tests of watching share: specifications from text and examples, and files to write logs into.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "formats/load.h"

namespace treaty::watch {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

inline model::Specification specification(const std::string& text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    auto loaded = formats::read(sources, sources.add("test.treaty", text), diagnostics);
    EXPECT_TRUE(loaded.get<model::Specification>()) << text;
    return std::get<model::Specification>(std::move(loaded.model));
}

class Folder {
public:
    Folder() {
        static int count = 0;
        path_ = std::filesystem::temp_directory_path() /
                fmt::format("treaty-watch-test-{}-{}", ::getpid(), count++);
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

inline void write(const std::string& path, std::string_view text, bool append = false) {
    std::ofstream file(path, append ? std::ios::binary | std::ios::app : std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
}

inline std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace treaty::watch
