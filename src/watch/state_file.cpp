#include "watch/state_file.h"

namespace treaty::watch {

using store::Statement;

bool StateFile::run(const char* sql, std::string& fault) {
    if (database_.run(sql)) return true;
    fault = database_.fault();
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
        if (!insert.with_bytes(identity).done()) {
            fault = database_.fault();
            return false;
        }
    } else if (known != identity) {
        fault = "it belongs to another protocol, other options or other logs";
        return false;
    }
    return run("COMMIT", fault);
}

std::unique_ptr<StateFile> StateFile::open(const std::string& path, const std::string& identity,
                                           std::string& fault) {
    auto database = store::Database::open(path);
    if (!database) {
        fault = database.error();
        return nullptr;
    }
    std::unique_ptr<StateFile> file(new StateFile(std::move(*database)));
    if (!file->begin(identity, fault)) return nullptr;
    return file;
}

bool StateFile::load(Parts& parts, std::vector<std::string>& sessions, std::string& fault) {
    Statement part(database_, "SELECT name, body FROM part WHERE name <> CAST('identity' AS BLOB)");
    while (part.row()) parts[part.bytes(0)] = part.bytes(1);
    Statement session(database_, "SELECT body FROM session");
    while (session.row()) sessions.push_back(session.bytes(0));
    if (part.ok() && session.ok()) return true;
    fault = database_.fault();
    return false;
}

bool StateFile::commit(const Parts& parts, const Sessions& sessions, std::string& fault) {
    if (!run("BEGIN IMMEDIATE", fault)) return false;
    bool ok = true;
    {
        Statement part(database_, "INSERT OR REPLACE INTO part VALUES(?, ?)");
        for (const auto& [name, body] : parts)
            if (!(ok = part.with_bytes(name).with_bytes(body).done())) break;
        Statement keep(database_, "INSERT OR REPLACE INTO session VALUES(?, ?)");
        Statement drop(database_, "DELETE FROM session WHERE name = ?");
        for (const auto& [name, body] : sessions) {
            if (!ok) break;
            Statement& statement = (body ? keep : drop).with_bytes(name);
            ok = (body ? statement.with_bytes(*body) : statement).done();
        }
        if (!ok) fault = database_.fault();
    }
    std::string ignored;
    return run(ok ? "COMMIT" : "ROLLBACK", ok ? fault : ignored) && ok;
}

}  // namespace treaty::watch
