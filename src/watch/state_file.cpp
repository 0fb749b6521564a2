#include "watch/state_file.h"

namespace treaty::watch {

using store::Statement;

base::Result<void> StateFile::run(const char* sql) {
    if (!database_.run(sql)) return base::Fault{database_.fault()};
    return {};
}

base::Result<void> StateFile::begin(const std::string& identity) {
    // A second watch on the same file would judge everything twice: the lock is kept.
    auto begun =
        run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            "BEGIN IMMEDIATE;"
            "CREATE TABLE IF NOT EXISTS part(name BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID;"
            "CREATE TABLE IF NOT EXISTS session(name BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID;");
    if (!begun) return begun;
    std::string known;
    {
        Statement find(database_, "SELECT body FROM part WHERE name = CAST('identity' AS BLOB)");
        if (find.row()) known = find.bytes(0);
    }
    if (known.empty()) {
        Statement insert(database_, "INSERT INTO part VALUES(CAST('identity' AS BLOB), ?)");
        if (!insert.with_bytes(identity).done()) return base::Fault{database_.fault()};
    } else if (known != identity) {
        return base::Fault{"it belongs to another protocol, other options or other logs"};
    }
    return run("COMMIT");
}

base::Result<std::unique_ptr<StateFile>> StateFile::open(const std::string& path,
                                                         const std::string& identity) {
    auto database = store::Database::open(path);
    if (!database) return base::Fault{database.error()};
    std::unique_ptr<StateFile> file(new StateFile(std::move(*database)));
    if (auto begun = file->begin(identity); !begun) return base::Fault{begun.error()};
    return file;
}

base::Result<StateFile::Loaded> StateFile::load() {
    Loaded loaded;
    Statement part(database_, "SELECT name, body FROM part WHERE name <> CAST('identity' AS BLOB)");
    while (part.row()) loaded.parts[part.bytes(0)] = part.bytes(1);
    Statement session(database_, "SELECT body FROM session");
    while (session.row()) loaded.sessions.push_back(session.bytes(0));
    if (!part.ok() || !session.ok()) return base::Fault{database_.fault()};
    return loaded;
}

base::Result<void> StateFile::replace(const Parts& parts, const Sessions& sessions) {
    Statement part(database_, "INSERT OR REPLACE INTO part VALUES(?, ?)");
    for (const auto& [name, body] : parts)
        if (!part.with_bytes(name).with_bytes(body).done()) return base::Fault{database_.fault()};
    Statement keep(database_, "INSERT OR REPLACE INTO session VALUES(?, ?)");
    Statement drop(database_, "DELETE FROM session WHERE name = ?");
    for (const auto& [name, body] : sessions) {
        Statement& statement = (body ? keep : drop).with_bytes(name);
        bool done = (body ? statement.with_bytes(*body) : statement).done();
        if (!done) return base::Fault{database_.fault()};
    }
    return {};
}

base::Result<void> StateFile::commit(const Parts& parts, const Sessions& sessions) {
    if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
    if (auto replaced = replace(parts, sessions); !replaced) {
        database_.run("ROLLBACK");
        return replaced;
    }
    return run("COMMIT");
}

}  // namespace treaty::watch
