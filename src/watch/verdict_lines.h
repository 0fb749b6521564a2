// Verdicts as JSON lines, each as it falls, numbered from 1.
//
//   {"n": 1, "of": "property", "name": "Quoted", "session": "s1", "verdict": "pass",
//    "messages": [{"log": "sq.jsonl", "line": 2}, ...]}
//   {"n": 2, "of": "role", "role": "sq", "session": "s1", "verdict": "fail", "log": "sq.jsonl", "line": 7,
//    "event": "...", "reason": "...", "expected": [...]}                  "of": "whole" if no single role is
//   {"n": 3, "of": "session", "session": "s1", "verdict": "fail", "incomplete": true, "ending": "expired",
//    "roles": {"c": "pass", ...}, "properties": {"SamePrice": "inconclusive", ...}}
#pragma once

#include <string>
#include <vector>

#include "watch/monitor.h"

namespace treaty::watch {

class VerdictLines {
public:
    VerdictLines(const model::Specification& specification, const model::Protocol& protocol,
                 std::vector<std::string> logs)
        : specification_(specification), protocol_(protocol), logs_(std::move(logs)) {}

    // With its line break.
    std::string line(const Notice& notices);
    std::uint64_t count() const { return count_; }
    void set_count(std::uint64_t count) { count_ = count; }

private:
    const model::Specification& specification_;
    const model::Protocol& protocol_;
    std::vector<std::string> logs_;
    std::uint64_t count_ = 0;
};

}  // namespace treaty::watch
