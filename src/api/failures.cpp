#include "api/failures.h"

#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/inquiry.h"
#include "api/program/kept_failures.h"
#include "base/wording.h"

namespace treaty::api {

FailuresAnswer failures(const Workspace& workspace, const FailuresQuestion& question,
                        const Context& context) {
    FailuresAnswer answer;
    answer.store = question.store.empty() ? campaign::FailureStore::default_path : question.store;
    Inquiry inquiry(workspace, context, answer);
    std::error_code ignored;
    // A question does not make a file.
    if (!std::filesystem::exists(answer.store, ignored)) {
        inquiry.holds("no failure is kept");
        return answer;
    }
    auto store = open_store(inquiry, answer.store);
    if (!store) return answer;
    auto kept = store->failures();
    if (!kept) {
        inquiry.report(codes::not_a_store, fmt::format("{}: {}", answer.store, kept.error()));
        return answer;
    }
    answer.failures = std::move(*kept);
    inquiry.holds(answer.failures.empty()
                      ? "no failure is kept"
                      : fmt::format("{} kept", base::counted(answer.failures.size(), "failure")));
    return answer;
}

}  // namespace treaty::api
