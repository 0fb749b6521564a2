// For tests: a log on disk, for as long as it lives.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.h"

namespace treaty::api {

class LogFile {
public:
    explicit LogFile(std::string_view text) {
        std::string pattern = testing::TempDir() + "treaty-log.XXXXXX";
        int file = mkstemp(pattern.data());
        EXPECT_GE(file, 0);
        close(file);
        path_ = pattern;
        EXPECT_TRUE(base::write_file(path_, text));
    }
    ~LogFile() { std::remove(path_.c_str()); }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace treaty::api
