// What every answer has: the verdict, what it rests on, and what is wrong with the input.
//
// The answer to a question is a struct that begins with this one and adds its own fields, as typed data: no
// layout of text and no JSON. report/ renders it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/answer.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "model/run.h"

namespace treaty::api {

using Verdict = base::Answer;

// What was reached when a question could not be decided, in the order in which it is shown: {"states", 1000}.
struct Bound {
    std::vector<std::pair<std::string, std::variant<std::uint64_t, std::string>>> reached;

    void add(std::string name, std::uint64_t value) { reached.emplace_back(std::move(name), value); }
    void add(std::string name, std::string value) { reached.emplace_back(std::move(name), std::move(value)); }
    void stopped(base::StopReason why) { add("stopped", std::string(base::to_string(why))); }
    bool empty() const { return reached.empty(); }
};

struct Answer {
    std::vector<std::string> inputs;  // the files that it is about, as named in the question
    std::optional<Verdict>
        verdict;  // none: the input is unusable (see diagnostics), or the environment failed
    bool environment_failed = false;  // a file, the network or a process, not what was asked about
    std::string reason;               // one line: why this verdict
    std::string condition;            // under which it holds
    Bound bound;                      // what was reached when it is undecided
    std::optional<model::Run> witness;
    base::Diagnostics diagnostics;                       // their places are in the sources of the Workspace
    std::vector<std::shared_ptr<const void>> documents;  // what the places are in, so that it stays

    base::Exit exit() const {
        if (verdict) return base::exit_of(*verdict);
        return environment_failed ? base::Exit::world_failed : base::Exit::bad_input;
    }
};

}  // namespace treaty::api
