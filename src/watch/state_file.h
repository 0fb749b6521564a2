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

#include "base/result.h"
#include "store/database.h"

namespace treaty::watch {

class StateFile {
public:
    using Parts = std::map<std::string, std::string>;
    using Sessions = std::vector<std::pair<std::string, std::optional<std::string>>>;  // none: it has ended

    struct Loaded {
        Parts parts;  // empty: nothing was committed so far
        std::vector<std::string> sessions;
    };

    // A fault if it cannot be opened or belongs to something else.
    static base::Result<std::unique_ptr<StateFile>> open(const std::string& path,
                                                         const std::string& identity);

    base::Result<Loaded> load();
    base::Result<void> commit(const Parts& parts, const Sessions& sessions);

private:
    explicit StateFile(store::Database database) : database_(std::move(database)) {}
    base::Result<void> run(const char* sql);
    base::Result<void> begin(const std::string& identity);
    base::Result<void> replace(const Parts& parts, const Sessions& sessions);

    store::Database database_;
};

}  // namespace treaty::watch
