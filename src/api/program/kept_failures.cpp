#include "api/program/kept_failures.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/codes.h"
#include "base/file.h"
#include "base/wording.h"
#include "campaign/retry.h"

namespace treaty::api {

using campaign::FailureStore;
using campaign::SavedFailure;
using State = KeptFailure::State;

std::string target_of(const TestRequest& r) {
    using Json = nlohmann::ordered_json;
    Json target{r.file, r.protocol, r.cut, r.play, r.wire, r.command, r.via};
    // Only where there are any: failures that were kept before surroundings existed keep their form.
    if (!r.surroundings.empty())
        target.insert(target.end(), {r.surroundings.variables, r.surroundings.directory});
    return target.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::unique_ptr<FailureStore> open_store(const Inquiry& inquiry, const std::string& path) {
    if (auto can = base::can_write(path); !can) {
        inquiry.environment_failed(codes::cannot_write, can.error());
        return nullptr;
    }
    auto store = FailureStore::open(path);
    if (store) return std::move(*store);
    inquiry.report(codes::not_a_store, fmt::format("{}: {}", path, store.error()));
    return nullptr;
}

std::string_view to_string(State state) {
    switch (state) {
        case State::fixed: return "FIXED";
        case State::failed: return "FAILED";
        case State::passes: return "passes";
        case State::not_tried: return "not tried";
        case State::undecided: break;
    }
    return "undecided";
}

namespace {

// The message of the run that could not be sent any more: the next one after those that were.
std::string not_sent(const drive::Rerun& run, const drive::SessionResult& outcome,
                     const model::Specification& s) {
    auto to_component = [](const drive::Exchange& e) { return e.to_component; };
    auto sent = std::count_if(outcome.exchanges.begin(), outcome.exchanges.end(), to_component);
    for (const drive::Exchange& e : run.exchanges)
        if (e.to_component && sent-- == 0) return std::string(s.alphabet->name(e.message));
    return "its next message";
}

// The verdict on one that was tried again.
void judge(KeptFailure& failure, const drive::SessionResult& outcome, const drive::Rerun& run,
           std::size_t tries, const model::Specification& s) {
    switch (outcome.verdict) {
        case drive::Verdict::pass:
            failure.state = failure.changed ? State::passes : State::fixed;
            failure.reason = fmt::format("passed {}", base::counted(tries, "time"));
            break;
        case drive::Verdict::fail:
            failure.state = State::failed;
            failure.reason = fmt::format("{}: {}", drive::to_string(outcome.problem), outcome.reason);
            break;
        case drive::Verdict::inconclusive:
            failure.reason = outcome.reason;
            if (failure.changed && outcome.problem == drive::Problem::another_course)
                failure.reason =
                    fmt::format("{} is not allowed where the run sends it", not_sent(run, outcome, s));
    }
}

// Why a test of this kind does not try a saved one; empty if it does.
std::string not_for(const SavedRun& saved, const TestRequest& now) {
    bool wrong = std::any_of(saved.exchanges.begin(), saved.exchanges.end(),
                             [](const SavedExchange& e) { return e.wrong; });
    bool corrupt = std::any_of(saved.exchanges.begin(), saved.exchanges.end(),
                               [](const SavedExchange& e) { return e.corruption.has_value(); });
    if (corrupt && now.strategy != Strategy::corrupt) return "it needs --strategy corrupt";
    if (wrong && !corrupt && now.strategy != Strategy::negative) return "it needs --strategy negative";
    if (saved.sessions > 1 && !now.keep) return "it needs --keep: it has several sessions with one component";
    return "";
}

std::string name_of(const SavedFailure& saved) {
    return fmt::format("failure {}", saved.number);
}

}  // namespace

TriedAgain try_again(const Inquiry& inquiry, const SavedFailure& saved, const ProtocolInput& input,
                     drive::Tester& tester) {
    TriedAgain result{{saved, State::undecided, {}, false, false}, {}};
    KeptFailure& failure = result.failure;
    // That a run does not fit any more is not a fault of what is asked.
    Answer separate;
    Inquiry about_it(inquiry.workspace, inquiry.context, separate);
    auto run = parse_saved(about_it, name_of(saved), saved.run);
    failure.changed = run && has_changed(*run, input);
    auto again = run ? rerun_of(about_it, *run, input.specification) : std::nullopt;
    if (again) {
        campaign::Retried tried =
            campaign::retry(tester, *again, campaign::tries_needed(saved.failed, saved.repeated));
        result.outcome = std::move(tried.outcome);
        judge(failure, result.outcome, *again, tried.tries, input.specification);
    } else {
        failure.reason = "its messages are no longer in the protocol";
    }
    if (failure.changed) failure.reason += " (the protocol has changed since it was found)";
    return result;
}

KeptFailures::KeptFailures(const Inquiry& inquiry, const TestRequest& request, std::string path)
    : inquiry_(inquiry), request_(request), path_(std::move(path)), named_(!path_.empty()) {
    if (!named_) path_ = FailureStore::default_path;
}

bool KeptFailures::open() {
    std::error_code ignored;
    if (!named_ && !std::filesystem::exists(path_, ignored)) return true;
    store_ = open_store(inquiry_, path_);
    return store_ != nullptr;
}

// Before the first failure is kept.
bool KeptFailures::make() {
    if (store_ || !fault_.empty()) return store_ != nullptr;
    auto made = FailureStore::open(path_);
    if (made)
        store_ = std::move(*made);
    else
        fault_ = made.error();
    return store_ != nullptr;
}

std::optional<std::vector<KeptFailure>> KeptFailures::try_all(const ProtocolInput& input,
                                                              drive::Tester& tester) {
    if (!store_) return std::nullopt;
    auto failures = store_->failures(target_of(request_));
    std::vector<KeptFailure> all;
    if (!failures) {
        fault_ = failures.error();
        return all;
    }
    for (const SavedFailure& saved : *failures) {
        Answer separate;
        auto run =
            parse_saved(Inquiry(inquiry_.workspace, inquiry_.context, separate), name_of(saved), saved.run);
        std::string other = run ? not_for(*run, request_) : "";
        TriedAgain one = other.empty() ? try_again(inquiry_, saved, input, tester)
                                       : TriedAgain{{saved, State::not_tried, other, false, false}, {}};
        KeptFailure& failure = one.failure;
        bool passes = failure.state == State::fixed || failure.state == State::passes;
        auto dropped = passes ? store_->drop(saved.number) : false;
        failure.dropped = dropped && *dropped;
        all.push_back(failure);
        tried_.push_back(std::move(one));
    }
    return all;
}

std::vector<campaign::Finding> KeptFailures::still_failing() const {
    std::vector<campaign::Finding> result;
    for (const TriedAgain& one : tried_)
        if (one.failure.state == State::failed)
            result.push_back({one.outcome, 0, 0, one.failure.saved.number, true});
    return result;
}

bool KeptFailures::small_already(std::int64_t number) const {
    return std::any_of(tried_.begin(), tried_.end(), [&](const TriedAgain& one) {
        return one.failure.saved.number == number && one.failure.saved.shrunk;
    });
}

SavedFailure KeptFailures::saved(const model::Specification& specification,
                                 const drive::SessionResult& outcome) const {
    SavedFailure failure;
    failure.target = target_of(request_);
    // The same in a run that sends what is not allowed is kept apart: it is tried again by other tests.
    bool wrong = std::any_of(outcome.exchanges.begin(), outcome.exchanges.end(),
                             [](const drive::Exchange& e) { return e.wrong; });
    bool corrupt = std::any_of(outcome.exchanges.begin(), outcome.exchanges.end(),
                               [](const drive::Exchange& e) { return e.corruption.has_value(); });
    failure.cause = (corrupt ? "corrupt: " : wrong ? "negative: " : "") + drive::cause_of(outcome);
    failure.problem = drive::to_string(outcome.problem);
    failure.reason = outcome.reason;
    failure.run = saved_text(request_, specification, outcome);
    failure.messages = outcome.exchanges.size();
    return failure;
}

campaign::KeepFinding KeptFailures::keep() {
    return [this](const drive::Tester& tester, const drive::SessionResult& outcome) -> std::int64_t {
        if (!make()) return 0;
        auto number = store_->add(saved(tester.part().specification, outcome));
        if (number) return *number;
        fault_ = number.error();
        return 0;
    };
}

void KeptFailures::improve(std::int64_t number, const model::Specification& specification,
                           const campaign::Shrunk& small) {
    if (number == 0 || !store_) return;
    SavedFailure failure = saved(specification, small.outcome);
    failure.number = number;
    failure.repeated = small.repeated;
    failure.failed = small.failed;
    if (auto improved = store_->improve(failure); !improved) fault_ = improved.error();
}

std::optional<MergedCoverage> KeptFailures::merge(const ProtocolInput& input,
                                                  const campaign::CampaignResult& campaign) {
    if (!store_) return std::nullopt;
    auto name = [](const roles::Coverage::Step& step) {
        return fmt::format("{} {}", step.node.index, step.to_component ? '?' : '!');
    };
    FailureStore::Seen now{1, campaign.sessions, {}, {}};
    for (const roles::Coverage::Step& step : campaign.coverage.steps)
        if (step.seen > 0) now.steps[name(step)] = step.seen;
    const model::Specification& spec = input.specification;
    for (const auto& [field, classes] : campaign.coverage.values) {
        const expr::Field& declared = spec.message(field.first).fields[field.second];
        auto& kept = now.values[{std::string(spec.alphabet->name(field.first)),
                                 std::string(spec.names->text(declared.name))}];
        for (const auto& [one, times] : classes)
            kept[roles::class_text(one, *spec.types, declared.type, *spec.names)] = times;
    }
    auto all = store_->merge(target_of(request_), input.digest, now);
    if (!all) {
        fault_ = all.error();
        return std::nullopt;
    }
    return MergedCoverage{std::move(*all), campaign.coverage.steps.size()};
}

void KeptFailures::finish() {
    if (fault_.empty()) return;
    inquiry_.report(codes::cannot_write, fmt::format("failures cannot be kept in {}: {}", path_, fault_));
}

}  // namespace treaty::api
