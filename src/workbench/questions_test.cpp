#include "workbench/questions.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "workbench/gate.h"

namespace treaty::workbench {
namespace {

class QuestionsTest : public testing::Test {
protected:
    QuestionsTest() : folder_(*Folder::open(std::filesystem::temp_directory_path().string())) {}
    Folder folder_;
};

TEST_F(QuestionsTest, EveryFieldHasANameAndHelp) {
    std::set<std::string_view> names;
    for (const Question& question : questions()) {
        EXPECT_TRUE(names.insert(question.name).second) << question.name;
        Form form(folder_, nullptr, true);
        question.read(form);
        EXPECT_TRUE(form.faults().empty());
        std::set<std::string> fields;
        for (const Json& field : form.fields()) {
            EXPECT_TRUE(fields.insert(field["name"].get<std::string>()).second) << question.name << field;
            EXPECT_FALSE(field["about"].get<std::string>().empty()) << question.name << field;
        }
    }
    EXPECT_EQ(names.size(), 27u);
}

TEST_F(QuestionsTest, WhatIsNeededIsDemanded) {
    Json none = Json::object();
    for (const Question& question : questions()) {
        Form form(folder_, &none, true);
        question.read(form);
        std::size_t needed = 0;
        for (const Json& field : form.fields()) needed += field["needed"].get<bool>() ? 1 : 0;
        EXPECT_EQ(form.faults().size(), needed) << question.name;
    }
}

// Values of every wrong kind in every field are faults of that field, and nothing else.
TEST_F(QuestionsTest, WrongValuesAreFaults) {
    for (const Question& question : questions()) {
        Form described(folder_, nullptr, true);
        question.read(described);
        for (const Json& field : described.fields()) {
            for (const Json& wrong :
                 {Json(Json::array()), Json(Json::object()), Json(-1), Json(1.5), Json(nullptr)}) {
                Json values{{field["name"].get<std::string>(), wrong}};
                Form form(folder_, &values, true);
                question.read(form);
                for (const std::string& fault : form.faults())
                    EXPECT_NE(fault.find(": "), std::string::npos) << fault;
                EXPECT_TRUE(wrong.is_null() || !form.faults().empty()) << question.name << field << wrong;
            }
        }
    }
}

TEST_F(QuestionsTest, LiveTrafficIsWatchedOnlyWhereItIsAllowed) {
    Json values{{"file", "x.treaty"}, {"logs", "capture:lo\nA=capture:lo"}};
    for (bool live : {false, true}) {
        Form form(folder_, &values, live);
        read_watch(form);
        EXPECT_EQ(form.faults().size(), live ? 0u : 2u);
    }
}

TEST_F(QuestionsTest, AProxyListensOnlyForThisMachine) {
    auto faults = [&](const char* links) {
        Json values{{"links", links}};
        Form form(folder_, &values, true);
        read_proxy(form);
        return form.faults().size();
    };
    EXPECT_EQ(faults("127.0.0.1:0 10.0.0.1:25 client,server\nlocalhost:0 x:1 a,b"), 0u);
    EXPECT_EQ(faults("0.0.0.0:0 127.0.0.1:25 client,server"), 1u);
    EXPECT_EQ(faults("127.0.0.1:0 127.0.0.1:25"), 1u);
    EXPECT_EQ(faults("nonsense"), 1u);
}

}  // namespace
}  // namespace treaty::workbench
