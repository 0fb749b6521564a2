// failures: what is kept in a store of failures (campaign/failure_store.h), without trying any of it.
//
// Holds if the store can be read; a store that is not there has none.
#pragma once

#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "campaign/failure_store.h"

namespace treaty::api {

struct FailuresQuestion {
    std::string store;  // empty: campaign::FailureStore::default_path
};

struct FailuresAnswer : Answer {
    std::string store;
    std::vector<campaign::SavedFailure> failures;  // by their numbers
};

FailuresAnswer failures(const Workspace& workspace, const FailuresQuestion& question, const Context& context);

}  // namespace treaty::api
