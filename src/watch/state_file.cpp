#include "watch/state_file.h"

#include <sqlite3.h>

namespace treaty::watch {

namespace {

class Statement {
public:
    Statement(sqlite3* database, const char* sql) {
        ok_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) == SQLITE_OK;
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int at, const std::string& bytes) {
        ok_ = ok_ &&
              sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_TRANSIENT) == SQLITE_OK;
    }
    bool row() { return ok_ && sqlite3_step(statement_) == SQLITE_ROW; }
    bool done() {
        bool finished = ok_ && sqlite3_step(statement_) == SQLITE_DONE;
        sqlite3_reset(statement_);
        return finished;
    }
    std::string bytes(int column) const {
        const void* data = sqlite3_column_blob(statement_, column);
        auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return data ? std::string(static_cast<const char*>(data), size) : std::string();
    }

private:
    sqlite3_stmt* statement_ = nullptr;
    bool ok_ = false;
};

}  // namespace

StateFile::~StateFile() {
    sqlite3_close(database_);
}

bool StateFile::run(const char* sql, std::string& fault) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return true;
    fault = sqlite3_errmsg(database_);
    return false;
}

bool StateFile::begin(const std::string& identity, std::string& fault) {
    // A second watch on the same file would judge everything twice: the lock is kept.
    if (!run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
             "BEGIN IMMEDIATE;"
             "CREATE TABLE IF NOT EXISTS part(name BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID;"
             "CREATE TABLE IF NOT EXISTS session(name BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID;",
             fault))
        return false;
    std::string known;
    {
        Statement find(database_, "SELECT body FROM part WHERE name = CAST('identity' AS BLOB)");
        if (find.row()) known = find.bytes(0);
    }
    if (known.empty()) {
        Statement insert(database_, "INSERT INTO part VALUES(CAST('identity' AS BLOB), ?)");
        insert.bind(1, identity);
        if (!insert.done()) {
            fault = sqlite3_errmsg(database_);
            return false;
        }
    } else if (known != identity) {
        fault = "it was written for another protocol, other options or other logs";
        return false;
    }
    return run("COMMIT", fault);
}

std::unique_ptr<StateFile> StateFile::open(const std::string& path, const std::string& identity,
                                           std::string& fault) {
    sqlite3* database = nullptr;
    int opened = sqlite3_open_v2(path.c_str(), &database,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    std::unique_ptr<StateFile> file(new StateFile(database));
    if (opened != SQLITE_OK) {
        fault = database ? sqlite3_errmsg(database) : "no memory";
        return nullptr;
    }
    if (!file->begin(identity, fault)) return nullptr;
    return file;
}

bool StateFile::load(Parts& parts, std::vector<std::string>& sessions, std::string& fault) {
    Statement part(database_, "SELECT name, body FROM part WHERE name <> CAST('identity' AS BLOB)");
    while (part.row()) parts[part.bytes(0)] = part.bytes(1);
    Statement session(database_, "SELECT body FROM session");
    while (session.row()) sessions.push_back(session.bytes(0));
    if (sqlite3_errcode(database_) == SQLITE_DONE || sqlite3_errcode(database_) == SQLITE_OK) return true;
    fault = sqlite3_errmsg(database_);
    return false;
}

bool StateFile::commit(const Parts& parts, const Sessions& sessions, std::string& fault) {
    if (!run("BEGIN IMMEDIATE", fault)) return false;
    bool ok = true;
    {
        Statement part(database_, "INSERT OR REPLACE INTO part VALUES(?, ?)");
        for (const auto& [name, body] : parts) {
            part.bind(1, name);
            part.bind(2, body);
            ok = ok && part.done();
        }
        Statement keep(database_, "INSERT OR REPLACE INTO session VALUES(?, ?)");
        Statement drop(database_, "DELETE FROM session WHERE name = ?");
        for (const auto& [name, body] : sessions) {
            Statement& statement = body ? keep : drop;
            statement.bind(1, name);
            if (body) statement.bind(2, *body);
            ok = ok && statement.done();
        }
    }
    if (!ok) fault = sqlite3_errmsg(database_);
    std::string ignored;
    return run(ok ? "COMMIT" : "ROLLBACK", ok ? fault : ignored) && ok;
}

}  // namespace treaty::watch
