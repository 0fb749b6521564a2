// replay: does a component still fail in a run that was saved?
//
// One run, from a file or by the number of a kept failure, is tried as often as it takes (campaign/retry.h),
// and what happens is the witness. Without a run all failures of the store are tried, each with its own
// protocol and component; what is wrong with one does not keep the others from being tried. The store is not
// changed, except by `forget`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/program/kept_failures.h"
#include "api/program/tester_setup.h"
#include "api/workspace.h"
#include "drive/session_result.h"
#include "process/surroundings.h"

namespace treaty::api {

struct ReplayQuestion {
    std::string run;      // a file, or the number of a kept failure; empty: all that are kept
    std::string store;    // where failures are kept; empty: campaign::FailureStore::default_path
    std::string command;  // starts the component instead of what was saved; empty: as it was saved
    process::Surroundings surroundings;   // of the component, beside and before what was saved
    std::optional<std::uint64_t> forget;  // nothing is tried: this failure is kept no longer
    TestedComponent component;
};

// One run that was tried again.
struct ReplayedRun {
    bool protocol_changed = false;  // since it was saved
    std::size_t messages = 0;
    bool started = true;  // no: there was no component
    struct Failure {
        drive::Problem problem = drive::Problem::none;
        std::string reason;
    };
    std::optional<Failure> failure;
};

struct ReplayAnswer : Answer {
    std::string store;
    std::optional<ReplayedRun> run;                // if one was asked for
    std::optional<std::vector<KeptFailure>> kept;  // if all were
};

ReplayAnswer replay(const Workspace& workspace, const ReplayQuestion& question, const Context& context);

}  // namespace treaty::api
