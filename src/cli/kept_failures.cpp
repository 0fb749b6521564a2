#include "cli/kept_failures.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/codes.h"
#include "drive/retry.h"
#include "report/wording.h"

namespace treaty::cli {

using drive::FailureStore;
using drive::SavedFailure;

std::string target_of(const TestRequest& r) {
    return report::Json{r.file, r.protocol, r.cut, r.play, r.wire, r.command, r.via}.dump(
        -1, ' ', false, report::Json::error_handler_t::replace);
}

std::string replay_command(const std::string& store, std::int64_t number) {
    return fmt::format("treaty replay {}{}", number,
                       store == FailureStore::default_path ? "" : " --store " + store);
}

std::unique_ptr<FailureStore> open_store(Session& session, const std::string& path) {
    std::string fault;
    auto store = FailureStore::open(path, fault);
    if (!store) session.report(codes::not_a_store, fmt::format("{}: {}", path, fault));
    return store;
}

std::string_view to_string(TriedAgain::Verdict verdict) {
    switch (verdict) {
        case TriedAgain::Verdict::fixed: return "FIXED";
        case TriedAgain::Verdict::failed: return "FAILED";
        case TriedAgain::Verdict::passes: return "passes";
        case TriedAgain::Verdict::not_tried: return "not tried";
        case TriedAgain::Verdict::undecided: break;
    }
    return "undecided";
}

report::Json to_json(const TriedAgain& one, const std::string& store) {
    return {{"number", one.saved.number},     {"verdict", to_string(one.verdict)},
            {"problem", one.saved.problem},   {"was", one.saved.reason},
            {"reason", one.reason},           {"count", one.saved.count},
            {"messages", one.saved.messages}, {"replay", replay_command(store, one.saved.number)}};
}

bool has_changed(const SavedRun& run, const ProtocolInput& input) {
    return !run.request.digest.empty() && !input.digest.empty() && run.request.digest != input.digest;
}

namespace {

constexpr std::string_view protocol_changed = "the protocol has changed since it was found";

// The message of the run that could not be sent any more: the next one after those that were.
std::string not_sent(const drive::Rerun& run, const drive::Outcome& outcome, const model::Specification& s) {
    auto to_component = [](const drive::Exchange& e) { return e.to_component; };
    auto sent = std::count_if(outcome.exchanges.begin(), outcome.exchanges.end(), to_component);
    for (const drive::Exchange& e : run.exchanges)
        if (e.to_component && sent-- == 0) return std::string(s.alphabet->name(e.message));
    return "its next message";
}

// The verdict on one that was tried again.
void judge(TriedAgain& result, const drive::Rerun& run, std::size_t tries, bool changed,
           const model::Specification& s) {
    switch (result.outcome.verdict) {
        case drive::Verdict::pass:
            result.verdict = changed ? TriedAgain::Verdict::passes : TriedAgain::Verdict::fixed;
            result.reason = fmt::format("passed {}", report::counted(tries, "time"));
            break;
        case drive::Verdict::fail:
            result.verdict = TriedAgain::Verdict::failed;
            result.reason =
                fmt::format("{}: {}", drive::to_string(result.outcome.problem), result.outcome.reason);
            break;
        case drive::Verdict::inconclusive:
            result.reason = result.outcome.reason;
            if (changed && result.outcome.problem == drive::Problem::another_course)
                result.reason = fmt::format("{} is not allowed where the run sends it",
                                            not_sent(run, result.outcome, s));
    }
    if (changed) result.reason += fmt::format(" ({})", protocol_changed);
}

// Why a run of this kind does not try a saved one; empty if it does.
std::string not_for(const SavedRun& saved, const TestRequest& now) {
    bool wrong = std::any_of(saved.exchanges.begin(), saved.exchanges.end(), [](const report::Json& e) {
        return e.is_object() && e.contains("wrong") && e["wrong"] == true;
    });
    if (wrong && now.strategy != Strategy::negative) return "only --strategy negative sends what it needs";
    if (saved.sessions > 1 && !now.keep) return "only --keep has several sessions with one component";
    return "";
}

}  // namespace

TriedAgain try_again(Session& session, const SavedFailure& saved, const ProtocolInput& input,
                     drive::Tester& tester) {
    TriedAgain result{saved, TriedAgain::Verdict::undecided, {}, {}};
    Session aside("replay");  // a run that does not fit any more is a matter of its own
    aside.options = session.options;
    auto run = parse_run(aside, fmt::format("failure {}", saved.number), saved.run);
    bool changed = run && has_changed(*run, input);
    auto again = run ? rerun_of(aside, *run, input.specification) : std::nullopt;
    if (!again) {
        result.reason = "its messages are not those of the protocol any more";
        if (changed) result.reason += fmt::format(" ({})", protocol_changed);
        return result;
    }
    drive::Retried tried = drive::retry(tester, *again, drive::tries_needed(saved.failed, saved.repeated));
    result.outcome = std::move(tried.outcome);
    judge(result, *again, tried.tries, changed, input.specification);
    return result;
}

KeptFailures::KeptFailures(Session& session, const TestRequest& request, std::string path)
    : session_(session), request_(request), path_(std::move(path)), named_(!path_.empty()) {
    if (!named_) path_ = FailureStore::default_path;
}

bool KeptFailures::open() {
    std::error_code ignored;
    if (!named_ && !std::filesystem::exists(path_, ignored)) return true;
    store_ = open_store(session_, path_);
    return store_ != nullptr;
}

// Before the first failure is kept.
bool KeptFailures::make() {
    if (!store_ && fault_.empty()) store_ = FailureStore::open(path_, fault_);
    return store_ != nullptr;
}

void KeptFailures::try_all(const ProtocolInput& input, drive::Tester& tester) {
    if (!store_) return;
    auto failures = store_->failures(target_of(request_));
    if (!failures) fault_ = store_->fault();
    report::Json all = report::Json::array();
    for (const SavedFailure& saved : failures.value_or(std::vector<SavedFailure>())) {
        Session aside("replay");
        auto run = parse_run(aside, fmt::format("failure {}", saved.number), saved.run);
        std::string other = run ? not_for(*run, request_) : "";
        TriedAgain one = other.empty() ? try_again(session_, saved, input, tester)
                                       : TriedAgain{saved, TriedAgain::Verdict::not_tried, other, {}};
        bool passes =
            one.verdict == TriedAgain::Verdict::fixed || one.verdict == TriedAgain::Verdict::passes;
        tell(one, passes && store_->drop(saved.number).value_or(false));
        all.push_back(to_json(one, path_));
        tried_.push_back(std::move(one));
    }
    session_.result.extra["saved"] = std::move(all);
}

void KeptFailures::tell(const TriedAgain& one, bool dropped) {
    std::int64_t number = one.saved.number;
    std::string was = fmt::format("it was {}: {}", one.saved.problem, one.saved.reason);
    std::string kept = dropped ? "no longer kept" : "still kept";
    auto line = [&] {
        switch (one.verdict) {
            case TriedAgain::Verdict::fixed:
                return fmt::format("failure {} is FIXED and {}: {}", number, kept, was);
            case TriedAgain::Verdict::passes:
                return fmt::format("failure {} passes now and is {}: {}; {}", number, kept, protocol_changed, was);
            case TriedAgain::Verdict::failed:
                return fmt::format("failure {} was kept, and still FAILED", number);
            case TriedAgain::Verdict::not_tried:
                return fmt::format("failure {} is kept and was not tried: {}", number, one.reason);
            case TriedAgain::Verdict::undecided: break;
        }
        return fmt::format("failure {} is kept, for it could not be decided: {}\n  drop it with: {}", number,
                           one.reason, fmt::format("treaty replay --forget {}{}", number,
                                                   path_ == FailureStore::default_path ? "" : " --store " + path_));
    };
    session_.result.text += line() + '\n';
}

std::vector<drive::Finding> KeptFailures::still_failing() const {
    std::vector<drive::Finding> result;
    for (const TriedAgain& one : tried_)
        if (one.verdict == TriedAgain::Verdict::failed)
            result.push_back({one.outcome, 0, 0, one.saved.number, true});
    return result;
}

bool KeptFailures::small_already(std::int64_t number) const {
    return std::any_of(tried_.begin(), tried_.end(),
                       [&](const TriedAgain& one) { return one.saved.number == number && one.saved.shrunk; });
}

SavedFailure KeptFailures::saved(const model::Specification& specification,
                                 const drive::Outcome& outcome) const {
    SavedFailure failure;
    failure.target = target_of(request_);
    // The same in a run that sends what is not allowed is kept apart: it is tried again by other tests.
    bool wrong = std::any_of(outcome.exchanges.begin(), outcome.exchanges.end(),
                             [](const drive::Exchange& e) { return e.wrong; });
    failure.cause = (wrong ? "negative: " : "") + drive::cause_of(outcome);
    failure.problem = drive::to_string(outcome.problem);
    failure.reason = outcome.reason;
    failure.run = run_text(request_, specification, outcome);
    failure.messages = outcome.exchanges.size();
    return failure;
}

drive::KeepFinding KeptFailures::keep() {
    return [this](const drive::Tester& tester, const drive::Outcome& outcome) -> std::int64_t {
        if (!make()) return 0;
        auto number = store_->add(saved(tester.part().specification, outcome));
        if (!number) fault_ = store_->fault();
        return number.value_or(0);
    };
}

void KeptFailures::improve(std::int64_t number, const model::Specification& specification,
                           const drive::Shrunk& small) {
    if (number == 0 || !store_) return;
    SavedFailure failure = saved(specification, small.outcome);
    failure.number = number;
    failure.repeated = small.repeated;
    failure.failed = small.failed;
    if (!store_->improve(failure)) fault_ = store_->fault();
}

void KeptFailures::merge(const ProtocolInput& input, const drive::CampaignResult& campaign) {
    if (!store_) return;
    auto name = [](const drive::Coverage::Step& step) {
        return fmt::format("{} {}", step.node.index, step.to_component ? '?' : '!');
    };
    FailureStore::Seen now{1, campaign.sessions, {}, {}};
    for (const drive::Coverage::Step& step : campaign.coverage.steps)
        if (step.seen > 0) now.steps[name(step)] = step.seen;
    for (const auto& [field, classes] : campaign.coverage.values) {
        const model::Specification& spec = input.specification;
        const expr::Field& declared = spec.message(field.first).fields[field.second];
        auto& kept = now.values[{std::string(spec.alphabet->name(field.first)),
                                 std::string(spec.names->text(declared.name))}];
        for (const auto& [one, times] : classes)
            kept[drive::class_text(one, *spec.types, declared.type, *spec.names)] = times;
    }
    auto all = store_->merge(target_of(request_), input.digest, now);
    if (!all) {
        fault_ = store_->fault();
        return;
    }
    std::size_t total = campaign.coverage.steps.size();
    report::Json values = report::Json::object();
    for (const auto& [field, classes] : all->values)
        for (const auto& [one, times] : classes) values[field.first][field.second][one] = times;
    session_.result.extra["coverage"]["merged"] = {{"runs", all->runs},
                                                   {"sessions", all->sessions},
                                                   {"covered", all->steps.size()},
                                                   {"total", total},
                                                   {"values", std::move(values)}};
    if (all->runs > 1)
        session_.result.text += fmt::format("    over {} runs: {} of {}\n", all->runs, all->steps.size(),
                                            report::counted(total, "step"));
}

void KeptFailures::finish() {
    if (fault_.empty()) return;
    session_.report(codes::cannot_write, fmt::format("failures cannot be kept in {}: {}", path_, fault_));
}

}  // namespace treaty::cli
