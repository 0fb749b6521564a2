// A tested conversation as a text: everything that is needed to try it again. What `test` saves and `replay`
// reads.
//
// The text is JSON of a version of its own; texts that JSON cannot carry are {"hex": "9f..."}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "api/program/tester_setup.h"
#include "drive/session_result.h"
#include "expr/datum.h"
#include "model/run.h"
#include "model/specification.h"

namespace treaty::api {

std::string saved_text(const TestRequest& request, const model::Specification& specification,
                       const drive::SessionResult& outcome);

// One message as it was saved, before it is known whether the protocol still has it. One that cannot be read
// has no name.
struct SavedExchange {
    std::string from, to, message;
    std::vector<expr::Datum> data;
    std::uint32_t awaited = 0, session = 0;  // see drive::Exchange
    bool wrong = false, after_silence = false;
    std::optional<drive::SentCorrupted> corruption = {};
};

struct SavedRun {
    TestRequest request;
    std::vector<SavedExchange> exchanges;
    std::uint32_t sessions = 1;
    bool complete = true;  // see drive::Rerun
    bool inner = false;    // likewise
};

std::optional<SavedRun> read_saved(const Inquiry& inquiry, const std::string& path);
// name: what it is called in a report.
std::optional<SavedRun> parse_saved(const Inquiry& inquiry, const std::string& name, const std::string& text);

// What a saved run sends and when; nothing after reporting that it is not of this protocol.
std::optional<drive::Rerun> rerun_of(const Inquiry& inquiry, const SavedRun& saved,
                                     const model::Specification& specification);

// Whether the protocol has another text than when the run was saved; no if that is not known.
bool has_changed(const SavedRun& run, const ProtocolInput& input);

// One message with its data and the line of its step.
model::RunEvent event_of(const drive::Exchange& exchange, const ProtocolInput& input,
                         const base::SourceMap& sources);

// As a witness: the messages with their lines, and what is the matter.
model::Run run_of(const drive::SessionResult& outcome, const ProtocolInput& input, model::RoleId cut,
                  const base::SourceMap& sources);

}  // namespace treaty::api
