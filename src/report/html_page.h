// The results of a campaign of tests, as one HTML file that needs no other file and no network.
//
// It has the looks of the workbench (web/shared/), follows the reader's light or dark setting, and fits a
// phone and paper. Any text may occur in it; pictures are SVG from draw/. The machine's picture is scaled to
// the width of the page, so that all of it can be seen, and can be moved and enlarged; where its letters
// would be too small, its states are listed as well. All is there without scripts, but for moving the
// picture.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/test_component.h"

namespace treaty::report {

struct PageFinding {
    std::string title;  // "wrong data"
    std::string reason;
    std::string frequency;  // "12 of 100 sessions, first in session 4"
    std::vector<std::string> notes;
    std::string chart_svg;
    std::string log;     // the end of the component's standard error
    std::string replay;  // the command
};

struct CampaignPage {
    std::string title;
    std::string verdict;  // "holds", "fails", "undecided"
    std::string reason;
    std::vector<std::pair<std::string, std::string>> facts;  // numbers: "sessions", "100"
    std::vector<std::pair<std::string, std::string>> about;  // "date", "2026-11-18 19:30:00 UTC"
    std::string invocation;                                  // the command that asks the same; empty: unknown
    std::vector<PageFinding> findings;
    std::vector<api::TestedLine> lines;
    std::vector<api::TestedSession> records;
    // The component's machine, the initial state first; none if there is none, or one too large to be looked
    // at.
    std::vector<api::TestedState> machine;
    std::string machine_svg;  // the same drawn, edges of the classes `seen` and `unseen`; empty: not drawn
    std::vector<std::string> never_seen;
    std::size_t covered = 0, total = 0;
    std::vector<std::pair<std::uint64_t, std::size_t>> curve;  // sessions, steps seen
    std::uint64_t sessions = 0, passed = 0, failed = 0, unfinished = 0;
};

std::string to_html(const CampaignPage& page);

// For CI systems: a test suite with one case per finding, and one for the sessions together, which fails when
// one of them did.
std::string junit_suite(const CampaignPage& page, double seconds);
// A campaign without a session: its only case has an error, or is skipped if it was undecided.
std::string junit_suite_without_sessions(const std::string& title, const api::Answer& answer);
// The file that has these suites.
std::string to_junit(const std::vector<std::string>& suites);

}  // namespace treaty::report
