// The type checker of CSPM on a catalogue of small scripts, on every script of this repository, and on random
// scripts.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "choreo/testing/seeds.h"
#include "csp/testing/scripts.h"
#include "random_script.h"

namespace treaty::csp {
namespace {

const std::filesystem::path root = TREATY_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Case {
    std::string name, codes, text;
};

// "=== name: codes", or "=== name", then a script.
std::vector<Case> cases(const char* file, bool refused) {
    std::vector<Case> found;
    std::istringstream lines(read(root / "tests/csp_types" / file));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("=== ")) {
            std::size_t colon = refused ? line.rfind(": ") : std::string::npos;
            found.push_back(
                {line.substr(4, colon - 4), colon == std::string::npos ? "" : line.substr(colon + 2), {}});
        } else if (!found.empty()) {
            found.back().text += line + '\n';
        }
    }
    return found;
}

std::string codes_of(const base::Diagnostics& diagnostics) {
    std::string all;
    for (const auto& d : diagnostics.all()) all += (all.empty() ? "" : " ") + base::to_string(*d.code);
    return all;
}

TEST(CspTypes, RefusesWhatDoesNotFit) {
    std::vector<Case> all = cases("refused.txt", true);
    ASSERT_GE(all.size(), 60u);
    for (const Case& c : all) {
        Read script(c.text);
        ASSERT_TRUE(script.script) << c.name << '\n' << script.faults();
        script.script->check_types(script.diagnostics);
        EXPECT_EQ(codes_of(script.diagnostics), c.codes) << c.name << '\n' << c.text << script.faults();
    }
}

TEST(CspTypes, AcceptsWhatFits) {
    std::vector<Case> all = cases("accepted.txt", false);
    ASSERT_GE(all.size(), 60u);
    for (const Case& c : all) EXPECT_EQ(type_errors(c.text), "") << c.name << '\n' << c.text;
}

// Scripts of golden tests that are wrong on purpose, with the codes of their type errors.
const std::map<std::string, std::string> wrong = {
    {"complete/alphabet.test/faulty.csp", "T1616"},
    {"csp/constructor_patterns.test/outside.csp", "T1616"},
    {"csp/constructors.test/missing.csp", "T1620 T1620 T1620 T1616"},
    {"csp/value_faults.test/values.csp", "T1616"},
    {"fuzz/corpus/csp/data.csp", "T1616 T1616"},
    {"fuzz/corpus/csp/modules.csp", "T1621"},
};

void check_file(const std::string& name, const std::string& text, std::set<std::string>& seen,
                int& read_well) {
    Read script(text);
    if (!script.script) return;
    ++read_well;
    std::size_t before = script.diagnostics.all().size();
    script.script->check_types(script.diagnostics);
    std::string codes;
    for (std::size_t i = before; i < script.diagnostics.all().size(); ++i)
        codes += (codes.empty() ? "" : " ") + base::to_string(*script.diagnostics.all()[i].code);
    auto expected = wrong.find(name);
    if (expected != wrong.end()) seen.insert(name);
    EXPECT_EQ(codes, expected == wrong.end() ? "" : expected->second) << name << '\n' << script.faults();
}

TEST(CspTypes, AcceptsTheScriptsOfThisRepository) {
    std::set<std::string> seen;
    int scripts = 0;
    for (const char* folder : {"examples", "bench", "fuzz/corpus/csp"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() != ".csp") continue;
            check_file(std::filesystem::relative(entry.path(), root).string(), read(entry.path()), seen,
                       scripts);
        }
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests/golden")) {
        // That one shows type errors.
        if (entry.path().extension() != ".test" || entry.path().filename() == "types.test") continue;
        std::string name, text;
        std::istringstream lines(read(entry.path()));
        auto finish = [&] {
            if (name.ends_with(".csp"))
                check_file(
                    std::filesystem::relative(entry.path(), root / "tests/golden").string() + '/' + name,
                    text, seen, scripts);
            name.clear();
            text.clear();
        };
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("--- ")) {
                text += line + '\n';
                continue;
            }
            finish();
            if (line.starts_with("--- file ")) name = line.substr(9);
        }
        finish();
    }
    EXPECT_GT(scripts, 60);
    EXPECT_EQ(seen.size(), wrong.size()) << "a script that is listed as wrong does not exist";
}

// A script whose types fit is accepted, and evaluating it meets no value of the wrong kind. Other faults may
// come, such as the head of an empty sequence.
TEST(RandomScripts, AcceptedOnesMeetNoValueOfTheWrongKind) {
    std::uint64_t tried = choreo::testing::seeds(2000), assertions = 0, evaluated = 0;
    explore::Limits limits;
    limits.states = 100;
    for (std::uint64_t seed = 0; seed < tried; ++seed) {
        RandomScript random = random_script(seed);
        Read read(random.text);
        ASSERT_TRUE(read.script) << "seed " << seed << '\n' << random.text << read.faults();
        read.script->check_types(read.diagnostics);
        ASSERT_EQ(read.faults(), "") << "seed " << seed << '\n' << random.text;
        for (std::size_t i = 0; i < read.script->assertion_count(); ++i) {
            limits.time = base::Deadline::after(std::chrono::milliseconds(50));
            ++assertions;
            if (read.script->check(i, limits).answer) ++evaluated;
        }
        ASSERT_EQ(read.faults().find("T1605"), std::string::npos) << "seed " << seed << '\n'
                                                                  << random.text << read.faults();
    }
    // Enough of it is really evaluated.
    EXPECT_GT(evaluated * 2, assertions) << evaluated << " of " << assertions;
}

TEST(RandomScripts, OneValueOfAnotherKindIsRefused) {
    std::uint64_t tried = choreo::testing::seeds(2000), changed = 0;
    for (std::uint64_t seed = 0; seed < tried; ++seed) {
        std::uint64_t places = random_script(seed).forced;
        if (places == 0) continue;
        RandomScript random = random_script(seed, (seed * 7919 + 13) % places);
        Read read(random.text);
        ASSERT_TRUE(read.script) << "seed " << seed << '\n' << random.text << read.faults();
        read.script->check_types(read.diagnostics);
        ++changed;
        EXPECT_GT(read.diagnostics.errors(), 0u) << "seed " << seed << '\n' << random.text;
    }
    EXPECT_GT(changed, tried / 2);
}

}  // namespace
}  // namespace treaty::csp
