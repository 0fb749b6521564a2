#include "store/database.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace treaty::store {
namespace {

TEST(Database, KeepsWhatItIsGivenAsItIs) {
    auto database = Database::open(":memory:");
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->run("CREATE TABLE t(a TEXT, b BLOB, c INTEGER)"));
    const std::string odd("a\0'b\xff", 5);
    Statement insert(*database, "INSERT INTO t VALUES(?, ?, ?)");
    EXPECT_TRUE(insert.with(std::string("it's")).with_bytes(odd).with(std::int64_t{-5}).done());
    EXPECT_TRUE(insert.with(std::string()).with_bytes("").with(UINT64_MAX).done()) << "used again";
    EXPECT_EQ(database->changed(), 1);
    Statement find(*database, "SELECT a, b, c, b IS NULL FROM t ORDER BY rowid");
    ASSERT_TRUE(find.row());
    EXPECT_EQ(find.text(0), "it's");
    EXPECT_EQ(find.bytes(1), odd);
    EXPECT_EQ(find.number(2), -5);
    ASSERT_TRUE(find.row());
    EXPECT_EQ(find.text(0), "");
    EXPECT_EQ(find.bytes(1), "");
    EXPECT_EQ(find.number(3), 0) << "no bytes are not no value";
    EXPECT_EQ(find.count(2), UINT64_MAX);
    EXPECT_FALSE(find.row());
    EXPECT_TRUE(find.ok());
}

TEST(Database, WhatGoesWrongIsTold) {
    auto nowhere = Database::open((std::filesystem::temp_directory_path() / "no/such/folder.db").string());
    ASSERT_FALSE(nowhere);
    EXPECT_FALSE(nowhere.error().empty());
    auto database = Database::open(":memory:");
    ASSERT_TRUE(database);
    EXPECT_FALSE(database->run("no SQL"));
    EXPECT_NE(database->fault().find("syntax"), std::string::npos) << database->fault();
    Statement missing(*database, "SELECT * FROM nowhere");
    EXPECT_FALSE(missing.ok());
    EXPECT_FALSE(missing.row());
    EXPECT_FALSE(missing.done());
    ASSERT_TRUE(database->run("CREATE TABLE t(a INTEGER UNIQUE); BEGIN"));
    EXPECT_TRUE(database->in_transaction());
    Statement insert(*database, "INSERT INTO t VALUES(?)");
    EXPECT_TRUE(insert.with(true).done());
    EXPECT_FALSE(insert.with(true).done());
    EXPECT_NE(database->fault().find("UNIQUE"), std::string::npos) << database->fault();
    ASSERT_TRUE(database->run("ROLLBACK"));
    EXPECT_FALSE(database->in_transaction());
}

}  // namespace
}  // namespace treaty::store
