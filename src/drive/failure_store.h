// Failures that were found and are not fixed yet, and what was covered so far: one SQLite file beside the
// project under test.
//
// Each call is one transaction, on disk when it returns: who is killed the moment after loses nothing. A
// failure is known by what was tested (its target) and its cause; finding it again counts, it is not kept
// twice. Numbers are never given a second time. What a run looks like is the caller's business. One thread
// at a time; other processes may have the same file open, each call waits for its turn.
//
// What goes wrong is returned; a file that is not a store is never changed.
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

namespace treaty::drive {

struct SavedFailure {
    std::int64_t number = 0;
    std::string target;  // what was tested, and how
    std::string cause;
    std::string problem, reason;  // for people
    std::string run;              // everything that is needed to try it again
    std::uint64_t messages = 0;   // of the run
    bool shrunk = false;
    std::uint64_t count = 1;                 // sessions that failed so
    std::uint64_t repeated = 0, failed = 0;  // how often it was tried again when it was small, and failed
};

class FailureStore {
public:
    static constexpr const char* default_path = "treaty-failures.db";

    // Makes the file if there is none. A fault if it cannot be opened or is something else.
    static base::Result<std::unique_ptr<FailureStore>> open(const std::string& path);
    FailureStore(const FailureStore&) = delete;
    FailureStore& operator=(const FailureStore&) = delete;

    // All of them, or those of one target, by their numbers.
    base::Result<std::vector<SavedFailure>> failures(const std::optional<std::string>& target = {});
    // Its number. One with the same target and cause that is there already keeps its run; its count grows.
    base::Result<std::int64_t> add(const SavedFailure& failure);
    // The run is made smaller: replaces the one that is there, unless that is small already and shorter.
    base::Result<void> improve(const SavedFailure& failure);
    // Whether it was there.
    base::Result<bool> drop(std::int64_t number);

    // How often each step was seen, by its name, and of each field, by message and name, each class of
    // values.
    struct Seen {
        using Classes = std::map<std::string, std::uint64_t>;
        std::uint64_t runs = 0, sessions = 0;
        std::map<std::string, std::uint64_t> steps;
        std::map<std::pair<std::string, std::string>, Classes> values;
    };
    // Adds what this run has seen and gives the sum. What was seen of another text of the protocol is
    // forgotten.
    base::Result<Seen> merge(const std::string& target, const std::string& text, const Seen& now);

private:
    explicit FailureStore(store::Database database) : database_(std::move(database)) {}
    base::Result<void> run(const char* sql);
    base::Result<void> prepare();
    base::Fault failed();  // what the database says; nothing of a transaction is kept
    base::Result<void> add_seen(const std::string& target, const std::string& text, const Seen& now);

    store::Database database_;
};

}  // namespace treaty::drive
