#include "drive/failure_store.h"

#include <sqlite3.h>

namespace treaty::drive {
namespace {

constexpr int application = 0x74727479;  // "trty": what the file says it belongs to
constexpr int version = 1;

class Statement {
public:
    Statement(sqlite3* database, const char* sql) {
        ok_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) == SQLITE_OK;
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& with(const std::string& text) {
        ok_ = ok_ && sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                                         SQLITE_UTF8) == SQLITE_OK;
        return *this;
    }
    Statement& with(std::int64_t number) {
        ok_ = ok_ && sqlite3_bind_int64(statement_, ++bound_, number) == SQLITE_OK;
        return *this;
    }
    Statement& with(std::uint64_t number) { return with(static_cast<std::int64_t>(number)); }
    Statement& with(bool flag) { return with(std::int64_t{flag}); }

    bool row() {
        int said = ok_ ? sqlite3_step(statement_) : SQLITE_ERROR;
        ok_ = said == SQLITE_ROW || said == SQLITE_DONE;
        return said == SQLITE_ROW;
    }
    bool done() { return !row() && ok_; }
    bool ok() const { return ok_; }
    std::string text(int column) const {
        const auto* data = sqlite3_column_text(statement_, column);
        auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return data ? std::string(reinterpret_cast<const char*>(data), size) : std::string();
    }
    std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
    std::uint64_t count(int column) const { return static_cast<std::uint64_t>(number(column)); }

private:
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
    bool ok_ = false;
};

}  // namespace

FailureStore::~FailureStore() {
    sqlite3_close(database_);
}

bool FailureStore::failed() {
    fault_ = sqlite3_errmsg(database_);
    if (!sqlite3_get_autocommit(database_)) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    return false;
}

bool FailureStore::run(const char* sql) {
    return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK || failed();
}

// Tables in an empty file; a file of something else is refused before anything is written.
bool FailureStore::prepare() {
    sqlite3_busy_timeout(database_, 10'000);
    Statement whose(database_,
                    "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version "
                    "FROM pragma_application_id, pragma_user_version");
    if (!whose.row()) return failed();
    bool empty = whose.number(0) == 0 && whose.number(1) == 0;
    if (!empty && whose.number(1) != application) {
        fault_ = "this is another program's database";
        return false;
    }
    if (!empty && whose.number(2) != version) {
        fault_ = "it was made by another version";
        return false;
    }
    if (!empty) return true;
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

std::unique_ptr<FailureStore> FailureStore::open(const std::string& path, std::string& fault) {
    sqlite3* database = nullptr;
    int opened = sqlite3_open_v2(path.c_str(), &database,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    std::unique_ptr<FailureStore> store(new FailureStore(database));
    if (opened == SQLITE_OK && store->prepare()) return store;
    if (opened != SQLITE_OK) store->fault_ = database ? sqlite3_errmsg(database) : "no memory";
    fault = store->fault_;
    return nullptr;
}

std::optional<std::vector<SavedFailure>> FailureStore::failures(const std::optional<std::string>& target) {
    std::vector<SavedFailure> all;
    Statement find(database_,
                   "SELECT number, target, cause, problem, reason, run, messages, shrunk, count, repeated, "
                   "failed FROM failure WHERE ?1 = 0 OR target = ?2 ORDER BY number");
    find.with(target.has_value()).with(target.value_or(""));
    while (find.row())
        all.push_back({find.number(0), find.text(1), find.text(2), find.text(3), find.text(4), find.text(5),
                       find.count(6), find.number(7) != 0, find.count(8), find.count(9), find.count(10)});
    if (find.ok()) return all;
    failed();
    return std::nullopt;
}

std::optional<std::int64_t> FailureStore::add(const SavedFailure& f) {
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
    failed();
    return std::nullopt;
}

bool FailureStore::improve(const SavedFailure& f) {
    Statement update(database_,
                     "UPDATE failure SET problem = ?, reason = ?, run = ?, messages = ?, shrunk = 1, "
                     "repeated = ?, failed = ? WHERE number = ? AND (shrunk = 0 OR messages >= ?)");
    update.with(f.problem).with(f.reason).with(f.run).with(f.messages).with(f.repeated).with(f.failed);
    update.with(f.number).with(f.messages);
    return update.done() || failed();
}

std::optional<bool> FailureStore::drop(std::int64_t number) {
    Statement remove(database_, "DELETE FROM failure WHERE number = ?");
    if (remove.with(number).done()) return sqlite3_changes(database_) > 0;
    failed();
    return std::nullopt;
}

bool FailureStore::add_seen(const std::string& target, const std::string& text, const Seen& now) {
    Statement stale(database_,
                    "DELETE FROM seen WHERE target = ?1 AND NOT EXISTS "
                    "(SELECT 1 FROM tested WHERE target = ?1 AND text = ?2)");
    Statement tested(database_,
                     "INSERT INTO tested VALUES(?, ?, ?, ?) ON CONFLICT(target) DO UPDATE SET "
                     "runs = CASE text WHEN excluded.text THEN runs ELSE 0 END + excluded.runs, "
                     "sessions = CASE text WHEN excluded.text THEN sessions ELSE 0 END + excluded.sessions, "
                     "text = excluded.text");
    if (!stale.with(target).with(text).done() ||
        !tested.with(target).with(text).with(now.runs).with(now.sessions).done())
        return failed();
    for (const auto& [step, times] : now.steps) {
        Statement add(database_,
                      "INSERT INTO seen VALUES(?, ?, ?) "
                      "ON CONFLICT(target, step) DO UPDATE SET times = times + excluded.times");
        if (!add.with(target).with(step).with(times).done()) return failed();
    }
    return true;
}

std::optional<FailureStore::Seen> FailureStore::merge(const std::string& target, const std::string& text,
                                                      const Seen& now) {
    if (!run("BEGIN IMMEDIATE") || !add_seen(target, text, now)) return std::nullopt;
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
    }
    if (!run("COMMIT")) return std::nullopt;
    return all;
}

}  // namespace treaty::drive
