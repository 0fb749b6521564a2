#include "api/campaigns/project_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api/campaigns/toml.h"

namespace treaty::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

struct ProjectFiles : testing::Test {
    base::SourceMap sources;
    base::Diagnostics diagnostics;

    std::optional<ProjectFile> read(std::string text, std::string path = "treaty.toml") {
        return read_project_file(sources.add(std::move(path), std::move(text)), sources, diagnostics);
    }
    // "3:8 T0917 unknown key sesions [did you mean sessions?]", one per line.
    std::string faults() {
        diagnostics.sort_by_place();
        std::string all;
        for (const base::Diagnostic& one : diagnostics.all()) {
            base::Position at = sources.begin(one.span);
            all += fmt::format("{}:{} {} {} [{}]\n", at.line, at.column, base::to_string(*one.code),
                               one.message, one.hint);
        }
        return all;
    }
};

TEST_F(ProjectFiles, ACampaignHasTheSettingsOfTheDefaultsAndItsOwn) {
    auto project = read(R"(
[defaults]
file = "shop.treaty"
sessions = 7
silence = "250ms"
keep = true
env = { LOG = "debug", LEVEL = 3, FAST = true }
junit = "all.xml"
html = "out/report.html"

[[campaign]]
name = "b"
cut = "stock"
run = "python3 stock.py"
via = "http://127.0.0.1:{port}"
sessions = 9
env = { LOG = "" }

[[campaign]]
name = "a"
cut = "order"
via = { client = "stdio:", stock = "tcp://127.0.0.1:{port}" }
play = ["client", "stock"]
strategy = "negative"
keep = false
html = "a.html"
limit-time = 60
)");
    ASSERT_TRUE(project) << faults();
    ASSERT_EQ(project->campaigns.size(), 2u);
    EXPECT_EQ(project->junit, "all.xml");
    const Campaign& first = project->campaigns[0];
    EXPECT_EQ(first.name, "b");
    EXPECT_EQ(first.settings.html, "out/report-b.html");
    TestQuestion question = question_of(first.settings);
    EXPECT_EQ(question.test.file, "shop.treaty");
    EXPECT_EQ(question.test.command, "python3 stock.py");
    EXPECT_EQ(question.sessions, 9u);
    EXPECT_EQ(question.test.silence_ms, 250u);
    EXPECT_TRUE(question.test.keep);
    EXPECT_TRUE(question.details);
    EXPECT_THAT(question.test.via, ElementsAre("http://127.0.0.1:{port}"));
    EXPECT_THAT(question.test.surroundings.variables,
                ElementsAre("LOG=debug", "LEVEL=3", "FAST=true", "LOG="));
    EXPECT_EQ(question.test.surroundings.directory, "");

    const Campaign& second = project->campaigns[1];
    EXPECT_EQ(second.settings.html, "a.html");
    EXPECT_EQ(second.settings.limit_time, 60s);
    question = question_of(second.settings);
    EXPECT_EQ(question.sessions, 7u);
    EXPECT_FALSE(question.test.keep);
    EXPECT_EQ(question.test.play, "client,stock");
    EXPECT_EQ(question.test.strategy, Strategy::negative);
    EXPECT_THAT(question.test.via, ElementsAre("client=stdio:", "stock=tcp://127.0.0.1:{port}"));
}

TEST_F(ProjectFiles, PathsAreRelativeToTheFileAndProgramsRunInItsFolder) {
    auto project = read(R"(
[[campaign]]
name = "a"
file = "../shop.treaty"
cut = "stock"
profile = "/etc/profile"
store = "{env:HOME}/store.db"
with = ["cache=./cache"]

[[campaign]]
name = "b"
file = "b.treaty"
cut = "stock"
dir = "server"

[[campaign.with]]
name = "db"
run = "./db {port:db}"
ready = "port:{port:db}"
dir = "db"
env = { DATA = "{tmp}" }
)",
                        "here/sub/treaty.toml");
    ASSERT_TRUE(project) << faults();
    TestQuestion question = question_of(project->campaigns[0].settings);
    EXPECT_EQ(question.test.file, "here/shop.treaty");
    EXPECT_EQ(question.test.profile, "/etc/profile");
    EXPECT_EQ(question.store, "{env:HOME}/store.db");
    EXPECT_EQ(question.test.surroundings.directory, "here/sub");
    EXPECT_THAT(question.test.beside, ElementsAre("cache=./cache"));
    EXPECT_EQ(question.test.companion_surroundings.at("cache").directory, "here/sub");
    question = question_of(project->campaigns[1].settings);
    EXPECT_EQ(question.test.surroundings.directory, "here/sub/server");
    EXPECT_THAT(question.test.beside, ElementsAre("db=./db {port:db}"));
    EXPECT_THAT(question.test.ready, ElementsAre("db=port:{port:db}"));
    EXPECT_EQ(question.test.companion_surroundings.at("db"),
              (process::Surroundings{{"DATA={tmp}"}, "here/sub/db"}));
}

TEST_F(ProjectFiles, EveryFaultIsReportedAtItsPlace) {
    EXPECT_FALSE(read(R"([defaults]
sesions = 3
silence = "soon"
keep = "yes"
strategy = "randm"
with = 3
env = { A = [] }

[[campaign]]
name = "a"
file = "a.treaty"
cut = 1979-05-27
length = -1
junit = "a.xml"

[[campaign]]
name = "a"
file = "a.treaty"
cut = "A"

[[campaign]]
file = "a.treaty"

[[campaign]]
name = "b"
[[campaign.with]]
name = "a=b"
comand = "x"

[other]
)"));
    EXPECT_EQ(faults(), R"(2:1 T0917 unknown key sesions [did you mean sessions?]
3:11 T0918 silence is not a duration ["250ms", "3s" or "5m"]
4:8 T0918 keep must be true or false, not a string []
5:12 T0918 unknown strategy randm [did you mean random?]
6:8 T0918 with must be an array of programs, as tables or as strings NAME=COMMAND, not a whole number []
7:13 T0918 A must be a string, not an array []
12:7 T0918 cut must be a string, not a date or time []
13:10 T0918 length must not be negative []
14:1 T0917 a campaign has no junit of its own [one report has all campaigns: set junit in [defaults], or use --junit]
17:8 T0920 two campaigns have the name a []
21:1 T0919 the campaign has no name [for example name = "stock"]
25:8 T0919 campaign b has no file [set it here or in [defaults]: file = "FILE.treaty"]
25:8 T0919 campaign b has no cut [set it here or in [defaults]: cut = "ROLE"]
26:1 T0919 the program has no run []
28:1 T0917 unknown key comand [a program has name, run, ready, env and dir]
30:2 T0917 unknown key other [the file has [defaults] and [[campaign]] tables]
)");
}

TEST_F(ProjectFiles, AFileWithoutACampaignIsAFault) {
    EXPECT_FALSE(read(""));
    EXPECT_FALSE(read("campaign = []"));
    EXPECT_FALSE(read("campaign = 3"));
    EXPECT_FALSE(read("[campaign]\nname = \"a\""));
    EXPECT_FALSE(read("campaign = [3]"));
    EXPECT_EQ(diagnostics.errors(), 5u) << faults();
}

TEST_F(ProjectFiles, ASyntaxErrorHasItsPlace) {
    EXPECT_FALSE(read("[defaults]\n# größe\nfile = \"ä\" x\n"));
    EXPECT_THAT(faults(), HasSubstr("3:12 T0916 "));
    EXPECT_FALSE(read("a = \"\xff\""));
    EXPECT_FALSE(read("[[ = 1"));
    EXPECT_FALSE(read("[[[1]]]"));
    EXPECT_FALSE(read(std::string(5 << 20, '\n')));
    EXPECT_EQ(diagnostics.errors(), 5u);
}

TEST(Toml, TablesKeepTheOrderOfTheTextAndValuesTheirPlaces) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("a.toml", "z = \"ü\"\na = [1, 2]\n[b]\nc.d = 1.5\n");
    auto root = read_toml(file, sources, diagnostics);
    ASSERT_TRUE(root);
    ASSERT_EQ(root->children.size(), 3u);
    EXPECT_EQ(root->children[0].key, "z");
    EXPECT_EQ(sources.text(root->children[0].span), "\"ü\"");
    EXPECT_EQ(sources.text(root->children[0].key_span), "z");
    EXPECT_EQ(root->children[1].children[1].integer, 2);
    EXPECT_EQ(sources.text(root->children[1].span), "[1, 2]");
    const TomlValue* table = root->find("b");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->find("c")->find("d")->kind, TomlValue::Kind::real);
}

TEST(TestSettings, WhatTheCommandLineGivesReplacesWhatTheFileHas) {
    TestSettings file, line;
    file.sessions = 5;
    file.cut = "A";
    file.via = std::vector<std::string>{"a", "b"};
    file.with.emplace().push_back({"db=./db", "port:1"});
    file.env = {"A=1"};
    line.via = std::vector<std::string>{"c"};
    line.with.emplace().push_back({"other=./other", ""});
    line.env = {"A=2"};
    line.sessions = 6;
    TestQuestion question = question_of(replaced(file, line));
    EXPECT_EQ(question.sessions, 6u);
    EXPECT_EQ(question.test.cut, "A");
    EXPECT_THAT(question.test.via, ElementsAre("c"));
    EXPECT_THAT(question.test.beside, ElementsAre("other=./other"));
    EXPECT_TRUE(question.test.ready.empty()) << "readiness goes with its program";
    EXPECT_THAT(question.test.surroundings.variables, ElementsAre("A=1", "A=2"));
}

TEST(TestSettings, FilesOfSeveralCampaignsHaveTheirNames) {
    TestSettings shared;
    shared.html = "out.d/report.html";
    shared.save = "out.d/run";
    TestSettings own = for_campaign(shared, "stock");
    EXPECT_EQ(own.html, "out.d/report-stock.html");
    EXPECT_EQ(own.save, "out.d/run-stock");
}

}  // namespace
}  // namespace treaty::api
