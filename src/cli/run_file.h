// A tested conversation as a file: everything that is needed to try it again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "cli/tester_setup.h"
#include "drive/outcome.h"
#include "model/specification.h"
#include "report/run.h"

namespace treaty::cli {

report::Json to_json(const TestRequest& request, const model::Specification& specification,
                     const drive::Outcome& outcome);

// The same as text.
std::string run_text(const TestRequest& request, const model::Specification& specification,
                     const drive::Outcome& outcome);

struct SavedRun {
    TestRequest request;
    report::Json exchanges;
    std::uint32_t sessions = 1;
    bool complete = true;  // see drive::Rerun
    bool inner = false;    // likewise
};
std::optional<SavedRun> read_run(Session& session, const std::string& path);
// name: what it is called in a report.
std::optional<SavedRun> parse_run(Session& session, const std::string& name, const std::string& text);
// What a saved run has to say and when; nothing after reporting that it is not of this protocol.
std::optional<drive::Rerun> rerun_of(Session& session, const SavedRun& saved,
                                     const model::Specification& specification);

// One message with its data and the line of its step.
report::RunEvent event_of(const drive::Exchange& exchange, const model::Specification& specification,
                          const model::Protocol& protocol, const base::SourceMap& sources);

// As a witness: the messages with their lines, and what is the matter.
report::Run run_of(const drive::Outcome& outcome, const model::Specification& specification,
                   const model::Protocol& protocol, model::RoleId cut, const base::SourceMap& sources);

}  // namespace treaty::cli
