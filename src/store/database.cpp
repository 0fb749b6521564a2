#include "store/database.h"

#include <utility>

#include <sqlite3.h>

namespace treaty::store {

base::Result<Database> Database::open(const std::string& path) {
    sqlite3* database = nullptr;
    int opened = sqlite3_open_v2(path.c_str(), &database,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    Database made(database);
    if (opened == SQLITE_OK) return made;
    return base::Fault{database ? sqlite3_errmsg(database) : "no memory"};
}

Database::Database(Database&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Database::~Database() {
    sqlite3_close(database_);
}

bool Database::run(const char* sql) {
    return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::string Database::fault() const {
    return sqlite3_errmsg(database_);
}

void Database::wait_for_turn(int at_most_ms) {
    sqlite3_busy_timeout(database_, at_most_ms);
}

std::int64_t Database::changed() const {
    return sqlite3_changes(database_);
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(database_) == 0;
}

Statement::Statement(Database& database, const char* sql) {
    ok_ = sqlite3_prepare_v2(database.database_, sql, -1, &statement_, nullptr) == SQLITE_OK;
}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

Statement& Statement::with(std::string_view text) {
    ok_ = ok_ && sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8) == SQLITE_OK;
    return *this;
}

Statement& Statement::with_bytes(std::string_view bytes) {
    // A null pointer would mean no value at all, and there may be no bytes.
    const char* data = bytes.empty() ? "" : bytes.data();
    ok_ = ok_ && sqlite3_bind_blob64(statement_, ++bound_, data, bytes.size(), SQLITE_TRANSIENT) == SQLITE_OK;
    return *this;
}

Statement& Statement::with(std::int64_t number) {
    ok_ = ok_ && sqlite3_bind_int64(statement_, ++bound_, number) == SQLITE_OK;
    return *this;
}

bool Statement::row() {
    int said = ok_ ? sqlite3_step(statement_) : SQLITE_ERROR;
    ok_ = said == SQLITE_ROW || said == SQLITE_DONE;
    return said == SQLITE_ROW;
}

bool Statement::done() {
    bool finished = !row() && ok_;
    sqlite3_reset(statement_);
    bound_ = 0;
    return finished;
}

std::string Statement::text(int column) const {
    const auto* data = sqlite3_column_text(statement_, column);
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data ? std::string(reinterpret_cast<const char*>(data), size) : std::string();
}

std::string Statement::bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data ? std::string(static_cast<const char*>(data), size) : std::string();
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_, column);
}

}  // namespace treaty::store
