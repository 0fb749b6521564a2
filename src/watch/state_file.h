// What a watch keeps on disk so that it can be killed at any moment: one SQLite file.
//
// A commit replaces all named parts and the sessions that have changed, together or not at all. The file
// belongs to one question: protocol, options and logs are its identity, and another one is refused.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/database.h"

namespace treaty::watch {

class StateFile {
public:
    using Parts = std::map<std::string, std::string>;
    using Sessions = std::vector<std::pair<std::string, std::optional<std::string>>>;  // none: it has ended

    // Null if it cannot be opened or belongs to something else; then `fault` says why.
    static std::unique_ptr<StateFile> open(const std::string& path, const std::string& identity,
                                           std::string& fault);

    // Empty parts: nothing was committed so far.
    bool load(Parts& parts, std::vector<std::string>& sessions, std::string& fault);
    bool commit(const Parts& parts, const Sessions& sessions, std::string& fault);

private:
    explicit StateFile(store::Database database) : database_(std::move(database)) {}
    bool run(const char* sql, std::string& fault);
    bool begin(const std::string& identity, std::string& fault);

    store::Database database_;
};

}  // namespace treaty::watch
