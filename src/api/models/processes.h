// Processes from any file: one of a CSPM script, a machine, a role's part of a protocol, a system's
// configurations.
//
// Written FILE or FILE:NAME. The name is an expression of a script ("f.csp:COUNT(0)"), or a role of a
// protocol or a system; without one, a script's last definition, a protocol as a whole, a system's
// configurations.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "csp/script.h"
#include "explore/refine/refine.h"
#include "model/run.h"

namespace treaty::api {

// Its parts point at one another and stay where they are. It lives no longer than the answer of the inquiry.
struct ProcessInput {
    std::string name;
    std::unique_ptr<csp::Script> script;      // of a .csp file
    std::unique_ptr<model::Machine> machine;  // of any other
    std::unique_ptr<explore::Graph> graph;
    std::shared_ptr<model::Alphabet> alphabet;
    bool knows_ends = true;  // whether the notation can express that a process ends
    bool data_left_aside = false;
};

struct ProcessName {
    std::string file, name;
};
ProcessName split_process(const std::string& text);

// Nothing after reporting why, or with the verdict "undecided". A script of several definitions whose last
// one was taken, since no name was given, is added to `chosen` with the name that was taken.
std::optional<ProcessInput> load_process(const Inquiry& inquiry, const ProcessName& which,
                                         const explore::Limits& limits, std::vector<ProcessName>& chosen);
std::unique_ptr<csp::Script> load_script(const Inquiry& inquiry, const std::string& path);

// The user's limits; without one on states a large one, since scripts may describe infinite processes.
explore::Limits process_limits(const Inquiry& inquiry);

model::Run run_of(const model::Alphabet& alphabet, std::span<const model::LabelId> trace);
// "<a, b>"
std::string print_trace(const model::Alphabet& alphabet, std::span<const model::LabelId> trace);

}  // namespace treaty::api
