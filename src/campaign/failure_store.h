// Failures that were found and are not fixed yet, and what was covered so far: one SQLite file beside the
// project under test.
//
// Each call is one transaction and is on disk when it returns, so a process that is killed right after it
// loses nothing. A failure is identified by what was tested (its target) and its cause; finding it again
// increases its count. Numbers are never reused. The caller defines the format of a run. One thread at a
// time; other processes may have the same file open, and each call waits for the lock.
//
// Faults are returned. A file that is not a store is never changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace treaty::campaign {

struct SavedFailure {
    std::int64_t number = 0;
    std::string target;  // what was tested, and how
    std::string cause;
    std::string problem, reason;  // for people
    std::string run;              // everything needed to repeat it
    std::uint64_t messages = 0;   // of the run
    bool shrunk = false;
    std::uint64_t count = 1;                 // sessions that failed with this cause
    std::uint64_t repeated = 0, failed = 0;  // how often the shrunk run was repeated, and failed
};

class FailureStore {
public:
    static constexpr const char* default_path = "treaty-failures.db";

    // Creates the file if it does not exist. A fault if it cannot be opened or is not a store.
    static base::Result<std::unique_ptr<FailureStore>> open(const std::string& path);
    FailureStore(const FailureStore&) = delete;
    FailureStore& operator=(const FailureStore&) = delete;

    // All of them, or those of one target, by their numbers.
    base::Result<std::vector<SavedFailure>> failures(const std::optional<std::string>& target = {});
    // Returns its number. If one with the same target and cause exists, only its count grows.
    base::Result<std::int64_t> add(const SavedFailure& failure);
    // A smaller run: replaces the stored one, unless that is already shrunk and shorter.
    base::Result<void> improve(const SavedFailure& failure);
    // Whether it existed.
    base::Result<bool> drop(std::int64_t number);

    // How often each step was seen, by its name, and of each field, by message and name, each class of
    // values.
    struct Seen {
        using Classes = std::map<std::string, std::uint64_t>;
        std::uint64_t runs = 0, sessions = 0;
        std::map<std::string, std::uint64_t> steps;
        std::map<std::pair<std::string, std::string>, Classes> values;
    };
    // Adds what this run has seen and returns the sum. Counts of an older text of the protocol are dropped.
    base::Result<Seen> merge(const std::string& target, const std::string& text, const Seen& now);

private:
    explicit FailureStore(store::Database database) : database_(std::move(database)) {}
    base::Result<void> run(const char* sql);
    base::Result<void> prepare();
    base::Fault failed();  // the database's message; nothing of a transaction is kept
    base::Result<void> add_seen(const std::string& target, const std::string& text, const Seen& now);

    store::Database database_;
};

}  // namespace treaty::campaign
