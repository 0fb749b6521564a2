// What a campaign of tests came to, as one HTML file that needs nothing but itself: no network, no script.
//
// Follows the reader's light or dark setting, fits a phone and paper. Any text may occur in it; pictures are
// SVG from this folder. The machine's picture is scaled to the width of the page, so that all of it can be
// seen; one for which letters would become too small for that is a list of its states instead.
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
    std::string command;
    std::vector<std::pair<std::string, std::string>> facts;  // "sessions", "100"
    std::vector<PageFinding> findings;
    std::vector<api::TestedLine> lines;
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
