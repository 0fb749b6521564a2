// One SQLite file and the statements that are run on it.
//
// If a call fails once it is open, fault() has SQLite's message; nothing throws. One thread at a
// time; other processes may have the same file open.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace treaty::store {

class Database {
public:
    // Makes the file if there is none, when something is written.
    static base::Result<Database> open(const std::string& path);
    ~Database();
    Database(Database&& other) noexcept;
    Database& operator=(Database&&) = delete;

    bool run(const char* sql);  // statements without values or rows
    std::string fault() const;  // of the last call
    void wait_for_turn(int at_most_ms);
    std::int64_t changed() const;  // rows, by the last statement that changes any
    bool in_transaction() const;

private:
    friend class Statement;
    explicit Database(sqlite3* database) : database_(database) {}
    sqlite3* database_;
};

// Its `?` are filled in order by with(); then row() as long as there are rows, or done() if there are to be
// none. Must not outlive the database.
class Statement {
public:
    Statement(Database& database, const char* sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& with(std::string_view text);
    Statement& with_bytes(std::string_view bytes);
    Statement& with(std::int64_t number);
    Statement& with(std::uint64_t number) { return with(static_cast<std::int64_t>(number)); }
    Statement& with(bool flag) { return with(std::int64_t{flag}); }
    Statement& with(const std::string& text) { return with(std::string_view(text)); }
    Statement& with(const char*) = delete;  // it would be taken for a flag

    bool row();
    // Whether it completed and had no further row. Then it can be bound and run again.
    bool done();
    bool ok() const { return ok_; }  // nothing has gone wrong until now

    std::string text(int column) const;
    std::string bytes(int column) const;
    std::int64_t number(int column) const;
    std::uint64_t count(int column) const { return static_cast<std::uint64_t>(number(column)); }

private:
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
    bool ok_ = false;
};

}  // namespace treaty::store
