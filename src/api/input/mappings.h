// How logs that were not written for Treaty are read: mappings (watch/mapping/mapping.h), as questions name
// them. Each is MAPPING for all logs, or LOG=MAPPING for one of them; a mapping is a file, or the name of one
// that comes with Treaty.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/input/logs.h"
#include "api/inquiry.h"
#include "watch/mapping/mapping.h"

namespace treaty::api {

class Mappings {
public:
    // Reports what is wrong with them, and logs that are not among `logs`.
    Mappings(const Inquiry& inquiry, const std::vector<std::string>& named,
             const std::vector<std::string>& logs);

    // None: the log is in a form that Treaty knows.
    const watch::Mapping* of(const LogName& log) const;
    std::vector<const watch::Mapping*> all() const;

private:
    struct Entry {
        std::string log;  // empty: all
        std::shared_ptr<const watch::Mapping> mapping;
    };
    std::vector<Entry> entries_;
};

// A kind of records that were not understood, by the first of them.
struct UnknownKind {
    std::string log;
    std::uint64_t line = 0;
    std::string text;
    std::string reason;
    std::uint64_t count = 0;
};
std::vector<UnknownKind> unknown_kinds(const watch::Merge& merge, const std::vector<std::string>& names);

}  // namespace treaty::api
