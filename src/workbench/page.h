// The files of the page: part of the program, built from web/ by esbuild, or read from a folder.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/server.h"

namespace treaty::workbench {

class Page {
public:
    // Those in the program. None if it was built without npm.
    static Page embedded();
    // A folder as `npm run build` makes it.
    static base::Result<Page> from(const std::string& folder);

    bool empty() const { return files_.empty(); }
    // "" is the page itself, with a nonce of its own each time.
    net::Reply find(const std::string& name) const;

private:
    struct File {
        std::string bytes;
        bool compressed = false;
    };
    std::map<std::string, File> files_;
};

}  // namespace treaty::workbench
