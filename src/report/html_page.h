// What a campaign of tests came to, as one HTML file that needs nothing but itself: no network, no script.
//
// Follows the reader's light or dark setting, fits a phone and paper. Any text may occur in it; pictures are
// SVG from this folder and are put in as they are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

struct PageLine {  // of the protocol's text
    std::uint32_t number = 0;
    std::string text;
    bool is_step = false;
    std::uint64_t seen = 0;
};

struct CampaignPage {
    std::string title;
    std::string verdict;  // "holds", "fails", "undecided"
    std::string reason;
    std::string command;
    std::vector<std::pair<std::string, std::string>> facts;  // "sessions", "100"
    std::vector<PageFinding> findings;
    std::vector<PageLine> lines;
    std::string machine_svg;  // the component's machine, coloured by what was seen; empty: none
    std::vector<std::string> never_seen;
    std::size_t covered = 0, total = 0;
    std::vector<std::pair<std::uint64_t, std::size_t>> curve;  // sessions, steps seen
    std::uint64_t sessions = 0;
};

std::string to_html(const CampaignPage& page);

// For CI systems: a test suite with a case a finding, and one for the sessions that passed.
std::string to_junit(const CampaignPage& page, double seconds);

}  // namespace treaty::report
