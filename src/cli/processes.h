// Processes from any file: one of a CSPM script, a machine, a role's part of a protocol, a system's
// configurations.
//
// Written FILE or FILE:NAME. The name is an expression of a script ("f.csp:COUNT(0)"), or a role of a
// protocol or a system; without one, a script's last definition, a protocol as a whole, a system's
// configurations.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/inputs.h"
#include "cli/session.h"
#include "csp/script.h"
#include "explore/refine.h"
#include "report/run.h"

namespace treaty::cli {

// Its parts point at one another and stay where they are.
struct ProcessInput {
    std::string name;
    std::unique_ptr<csp::Script> script;      // of a .csp file
    std::unique_ptr<model::Machine> machine;  // of any other
    std::unique_ptr<explore::Graph> graph;
    std::shared_ptr<model::Alphabet> alphabet;
    bool knows_ends = true;  // whether the notation can say that a process ends
    bool data_left_aside = false;
};

struct ProcessName {
    std::string file, name;
};
ProcessName split_process(const std::string& text);

// Nothing after reporting why, or with the answer "undecided".
std::optional<ProcessInput> load_process(Session& session, const ProcessName& which,
                                         const explore::Limits& limits);
std::unique_ptr<csp::Script> load_script(Session& session, const std::string& path);

// The user's limits; without one on states a large one, since scripts may describe infinite processes.
explore::Limits process_limits(const Session& session);

report::RunEvent event_of(const model::Alphabet& alphabet, model::LabelId label);
report::Run run_of(const model::Alphabet& alphabet, std::span<const model::LabelId> trace);
// "<a, b>"
std::string print_trace(const model::Alphabet& alphabet, std::span<const model::LabelId> trace);

// A counterexample as the session's witness, its refusals as JSON beside it.
void add_counterexample(Session& session, const model::Alphabet& alphabet,
                        const explore::Counterexample& found);
report::Json to_json(const model::Alphabet& alphabet, const explore::Counterexample& found);

}  // namespace treaty::cli
