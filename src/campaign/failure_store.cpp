#include "campaign/failure_store.h"

namespace treaty::campaign {

using store::Statement;

namespace {

constexpr int application = 0x74727479;  // "trty": what the file says it belongs to
constexpr int version = 1;

// Files that were made before values were kept have no table for them.
constexpr const char* make_values =
    "CREATE TABLE IF NOT EXISTS seen_value(target TEXT, message TEXT, field TEXT, class TEXT, times INTEGER,"
    " PRIMARY KEY(target, message, field, class))";

}  // namespace

base::Fault FailureStore::failed() {
    base::Fault fault{database_.fault()};
    if (database_.in_transaction()) database_.run("ROLLBACK");
    return fault;
}

base::Result<void> FailureStore::run(const char* sql) {
    if (!database_.run(sql)) return failed();
    return {};
}

// Tables in an empty file; a file of something else is refused before anything is written.
base::Result<void> FailureStore::prepare() {
    database_.wait_for_turn(10'000);
    Statement whose(database_,
                    "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version "
                    "FROM pragma_application_id, pragma_user_version");
    if (!whose.row()) return failed();
    bool empty = whose.number(0) == 0 && whose.number(1) == 0;
    if (!empty && whose.number(1) != application)
        return base::Fault{"the database belongs to another program"};
    if (!empty && whose.number(2) != version)
        return base::Fault{"the database was made by another version of Treaty"};
    if (!empty) return {};
    static_assert(application == 0x74727479 && version == 1);
    return run(
        "BEGIN IMMEDIATE;"
        "PRAGMA application_id = 0x74727479; PRAGMA user_version = 1;"
        "CREATE TABLE IF NOT EXISTS failure(number INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT, cause "
        "TEXT,"
        " problem TEXT, reason TEXT, run TEXT, messages INTEGER, shrunk INTEGER, count INTEGER,"
        " repeated INTEGER, failed INTEGER, UNIQUE(target, cause));"
        "CREATE TABLE IF NOT EXISTS tested(target TEXT PRIMARY KEY, text TEXT, runs INTEGER, sessions "
        "INTEGER);"
        "CREATE TABLE IF NOT EXISTS seen(target TEXT, step TEXT, times INTEGER, PRIMARY KEY(target, step));"
        "COMMIT");
}

base::Result<std::unique_ptr<FailureStore>> FailureStore::open(const std::string& path) {
    auto database = store::Database::open(path);
    if (!database) return base::Fault{database.error()};
    std::unique_ptr<FailureStore> made(new FailureStore(std::move(*database)));
    if (auto prepared = made->prepare(); !prepared) return base::Fault{prepared.error()};
    return made;
}

base::Result<std::vector<SavedFailure>> FailureStore::failures(const std::optional<std::string>& target) {
    std::vector<SavedFailure> all;
    Statement find(database_,
                   "SELECT number, target, cause, problem, reason, run, messages, shrunk, count, repeated, "
                   "failed FROM failure WHERE ?1 = 0 OR target = ?2 ORDER BY number");
    find.with(target.has_value()).with(target.value_or(""));
    while (find.row())
        all.push_back({find.number(0), find.text(1), find.text(2), find.text(3), find.text(4), find.text(5),
                       find.count(6), find.number(7) != 0, find.count(8), find.count(9), find.count(10)});
    if (!find.ok()) return failed();
    return all;
}

base::Result<std::int64_t> FailureStore::add(const SavedFailure& f) {
    Statement insert(database_,
                     "INSERT INTO failure(target, cause, problem, reason, run, messages, shrunk, count, "
                     "repeated, failed) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                     "ON CONFLICT(target, cause) DO UPDATE SET count = count + excluded.count "
                     "RETURNING number");
    insert.with(f.target).with(f.cause).with(f.problem).with(f.reason).with(f.run).with(f.messages);
    insert.with(f.shrunk).with(f.count).with(f.repeated).with(f.failed);
    if (insert.row()) {
        std::int64_t number = insert.number(0);
        if (insert.done()) return number;
    }
    return failed();
}

base::Result<void> FailureStore::improve(const SavedFailure& f) {
    Statement update(database_,
                     "UPDATE failure SET problem = ?, reason = ?, run = ?, messages = ?, shrunk = 1, "
                     "repeated = ?, failed = ? WHERE number = ? AND (shrunk = 0 OR messages >= ?)");
    update.with(f.problem).with(f.reason).with(f.run).with(f.messages).with(f.repeated).with(f.failed);
    update.with(f.number).with(f.messages);
    if (!update.done()) return failed();
    return {};
}

base::Result<bool> FailureStore::drop(std::int64_t number) {
    Statement remove(database_, "DELETE FROM failure WHERE number = ?");
    if (!remove.with(number).done()) return failed();
    return database_.changed() > 0;
}

base::Result<void> FailureStore::add_seen(const std::string& target, const std::string& text,
                                          const Seen& now) {
    if (auto made = run(make_values); !made) return made;
    Statement stale(database_,
                    "DELETE FROM seen WHERE target = ?1 AND NOT EXISTS "
                    "(SELECT 1 FROM tested WHERE target = ?1 AND text = ?2)");
    Statement stale_values(database_,
                           "DELETE FROM seen_value WHERE target = ?1 AND NOT EXISTS "
                           "(SELECT 1 FROM tested WHERE target = ?1 AND text = ?2)");
    Statement tested(database_,
                     "INSERT INTO tested VALUES(?, ?, ?, ?) ON CONFLICT(target) DO UPDATE SET "
                     "runs = CASE text WHEN excluded.text THEN runs ELSE 0 END + excluded.runs, "
                     "sessions = CASE text WHEN excluded.text THEN sessions ELSE 0 END + excluded.sessions, "
                     "text = excluded.text");
    if (!stale.with(target).with(text).done() || !stale_values.with(target).with(text).done() ||
        !tested.with(target).with(text).with(now.runs).with(now.sessions).done())
        return failed();
    Statement add(database_,
                  "INSERT INTO seen VALUES(?, ?, ?) "
                  "ON CONFLICT(target, step) DO UPDATE SET times = times + excluded.times");
    for (const auto& [step, times] : now.steps)
        if (!add.with(target).with(step).with(times).done()) return failed();
    Statement add_value(database_,
                        "INSERT INTO seen_value VALUES(?, ?, ?, ?, ?) ON CONFLICT(target, message, field, "
                        "class) DO UPDATE SET times = times + excluded.times");
    for (const auto& [field, classes] : now.values)
        for (const auto& [name, times] : classes)
            if (!add_value.with(target).with(field.first).with(field.second).with(name).with(times).done())
                return failed();
    return {};
}

base::Result<FailureStore::Seen> FailureStore::merge(const std::string& target, const std::string& text,
                                                     const Seen& now) {
    if (auto begun = run("BEGIN IMMEDIATE"); !begun) return base::Fault{begun.error()};
    if (auto added = add_seen(target, text, now); !added) return base::Fault{added.error()};
    Seen all;
    {
        Statement tested(database_, "SELECT runs, sessions FROM tested WHERE target = ?");
        if (tested.with(target).row()) {
            all.runs = tested.count(0);
            all.sessions = tested.count(1);
        }
        Statement seen(database_, "SELECT step, times FROM seen WHERE target = ?");
        seen.with(target);
        while (seen.row()) all.steps[seen.text(0)] = seen.count(1);
        Statement values(database_, "SELECT message, field, class, times FROM seen_value WHERE target = ?");
        values.with(target);
        while (values.row()) all.values[{values.text(0), values.text(1)}][values.text(2)] = values.count(3);
    }
    if (auto done = run("COMMIT"); !done) return base::Fault{done.error()};
    return all;
}

}  // namespace treaty::campaign
