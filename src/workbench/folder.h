// The files of one folder, and nothing outside of it: whatever the path is, and wherever links lead.
//
// Paths are relative to the folder, or absolute and inside it. A path is judged by where it really leads: for
// reading after the file was opened, so that a link which is changed in between gains nothing. Only plain
// files of at most max_file bytes are read. Names that begin with a dot are not listed and not written. Safe
// for many threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace treaty::workbench {

struct ListedFile {
    std::string path;  // relative, with slashes
    std::uint64_t bytes = 0;
};

class Folder {
public:
    static constexpr std::size_t max_file = std::size_t{64} << 20;
    static constexpr std::size_t max_listed = 2000;

    // A fault if it is not a folder.
    static base::Result<Folder> open(const std::string& path);

    const std::string& root() const { return root_; }  // absolute, without links

    // The plain files in it and in folders below, by name; at most max_listed.
    std::vector<ListedFile> list() const;
    base::Result<std::string> read(const std::string& path) const;
    base::Result<void> write(const std::string& path, const std::string& text) const;
    // The path, relative to the folder, of something that is there or could be made; a fault if it is
    // outside.
    base::Result<std::string> inside(const std::string& path) const;
    // As a workspace wants it. The folder must outlive it.
    base::ReadFile reader() const;

private:
    explicit Folder(std::string root) : root_(std::move(root)) {}
    bool holds(const std::string& real) const;

    std::string root_;
};

}  // namespace treaty::workbench
