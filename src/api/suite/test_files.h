// Test cases in files: one JSON file, or a folder with one file per case and manifest.json.
//
// The manifest holds the protocol itself, so that tests can be judged wherever they are moved to: what was
// seen is compared with it. Each case has the choices it fixes in words, its machines (inside, or in a file
// beside it) and the names of each machine's success states. Tests that mirror the component have one machine
// that belongs to no role, always as JSON. docs/testing.md describes the fields. Nothing here writes a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/inquiry.h"
#include "api/suite/test_source.h"

namespace treaty::api {

// Cases of one role.
struct RoleTests {
    std::shared_ptr<const TestSource> source;
    model::RoleId cut;
    bool whole_run = true;  // success means the end of the protocol
    TestKind kind = TestKind::roles;
    Count size = 0;  // of all cases of the role; these may be some of them
    std::vector<testgen::TestCase> cases;
    std::vector<std::vector<std::string>> choices;  // of each case, in words
    bool every_case = false;  // these are all of the protocol in which no role waits (testgen/split.h)
};

// The whole, for a file of its own.
std::string tests_as_json(const RoleTests& tests);

// The parts, for a folder. format: of the cases, fsa or json. The manifest is written last: a folder without
// it holds no tests, so one that was not completed is not mistaken for one that was.
inline constexpr std::string_view manifest_name = "manifest.json";
std::string manifest_text(const RoleTests& tests, std::string_view format);
std::string case_name(std::size_t i, std::string_view format);  // "case00001.fsa"
// Nothing after reporting what the format cannot carry.
std::optional<std::string> case_text(const RoleTests& tests, std::size_t i, std::string_view format,
                                     base::Diagnostics& diagnostics);

// Whether the path is that of tests: a folder, or a JSON file that is marked as one.
bool holds_tests(const Workspace& workspace, const std::string& path);
// Nothing after reporting what is wrong with them.
std::optional<RoleTests> load_tests(const Inquiry& inquiry, const std::string& path);

}  // namespace treaty::api
