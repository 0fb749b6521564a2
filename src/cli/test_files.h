// Test cases in files: one JSON file, or a folder with one file a case and manifest.json.
//
// The manifest holds the protocol itself, so that tests can be judged wherever they are moved to: what was
// seen is compared with it. Each case has the choices it fixes in words, its machines (inside, or in a file
// beside it) and the names of each machine's success states. Tests that mirror the component have one machine
// that is no role's own, always as JSON. docs/testing.md describes the fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/test_inputs.h"

namespace treaty::cli {

struct SavedTests {
    TestSource source;
    model::RoleId cut;
    bool whole_run = true;
    bool dual = false;  // they mirror the component
    std::vector<testgen::TestCase> cases;
    std::vector<std::vector<std::string>> choices;  // of each case, in words
    bool every_case = false;  // these are all of the protocol in which no role waits (testgen/split.h)
};

// What all cases have in common.
struct SuiteFacts {
    model::RoleId cut;
    bool whole_run = true;
    bool dual = false;
    testgen::Count size = 0;  // of which these are some
};

// In a folder the manifest comes last: one that is not complete has none and holds no tests. To a file if the
// path ends in .json, else to a folder with a file of that format (fsa or json) for each case. False after
// reporting why not.
bool write_tests(Session& session, const TestSource& source, const SuiteFacts& suite,
                 const std::vector<testgen::TestCase>& cases, const std::string& path,
                 const std::string& format);

// Whether the path is one that write_tests() wrote: a folder with a manifest, or a JSON file that says so.
bool holds_tests(const std::string& path);
std::optional<SavedTests> load_tests(Session& session, const std::string& path);

}  // namespace treaty::cli
