// A project file, treaty.toml: the campaigns of a project, each with the settings of one `treaty test`.
//
//     [defaults]
//     file = "shop.treaty"
//     silence = "20s"
//
//     [[campaign]]
//     name = "stock"
//     cut = "stock"
//     run = "python3 stock.py --port {port}"
//     via = "http://127.0.0.1:{port}"
//
// Settings have the names of the options (api/campaigns/test_settings.h). A campaign has those of [defaults],
// unless it has its own. Paths are relative to the folder of the file, and programs run in it. Reading goes
// on after a fault, so that all are reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/campaigns/test_settings.h"
#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::api {

constexpr const char* default_project_file = "treaty.toml";

struct Campaign {
    std::string name;
    TestSettings settings;  // with those of [defaults]; it has a file and a role under test
    base::Span span;        // of its name
    std::map<std::string, base::Span, std::less<>> spans;  // of its settings, by their names
};

struct ProjectFile {
    std::vector<Campaign> campaigns;   // in the order of the file, one at least; no two of a name
    std::optional<std::string> junit;  // one report on all of them
};

// Nothing after reporting what is wrong. Its folder is that of the path in the sources.
std::optional<ProjectFile> read_project_file(base::FileId file, const base::SourceMap& sources,
                                             base::Diagnostics& diagnostics);

}  // namespace treaty::api
