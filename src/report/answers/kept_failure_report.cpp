#include "report/answers/kept_failure_report.h"

#include <fmt/format.h>

namespace treaty::report {
namespace {

using State = api::KeptFailure::State;

std::string in_store(const std::string& store) {
    return store == campaign::FailureStore::default_path ? "" : " --store " + store;
}

}  // namespace

std::string replay_command(const std::string& store, std::int64_t number) {
    return fmt::format("treaty replay {}{}", number, in_store(store));
}

Json to_json(const api::KeptFailure& failure, const std::string& store) {
    const campaign::SavedFailure& saved = failure.saved;
    return {{"number", saved.number},     {"verdict", api::to_string(failure.state)},
            {"problem", saved.problem},   {"was", saved.reason},
            {"reason", failure.reason},   {"count", saved.count},
            {"messages", saved.messages}, {"replay", replay_command(store, saved.number)}};
}

std::string print(const api::KeptFailure& failure, const std::string& store) {
    std::int64_t number = failure.saved.number;
    std::string was = fmt::format("it was {}: {}", failure.saved.problem, failure.saved.reason);
    std::string_view kept = failure.dropped ? "no longer kept" : "still kept";
    switch (failure.state) {
        case State::fixed: return fmt::format("failure {} is FIXED and {}: {}\n", number, kept, was);
        case State::passes:
            return fmt::format(
                "failure {} passes now and is {}: the protocol has changed since it was found; {}\n", number,
                kept, was);
        case State::failed:
            return fmt::format("failure {}, kept from an earlier run, still FAILED\n", number);
        case State::not_tried:
            return fmt::format("failure {} was not repeated: {}; kept\n", number, failure.reason);
        case State::undecided: break;
    }
    return fmt::format(
        "failure {} could not be decided: {}; kept\n  drop it with: treaty replay --forget {}{}\n", number,
        failure.reason, number, in_store(store));
}

}  // namespace treaty::report
