#include "api/replay.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/inquiry.h"
#include "api/program/saved_run.h"
#include "base/wording.h"
#include "campaign/retry.h"

namespace treaty::api {
namespace {

using State = KeptFailure::State;

// A protocol and a tester for a saved run.
struct SetUp {
    std::unique_ptr<ProtocolInput> input;
    model::RoleId cut;
    std::unique_ptr<drive::Tester> tester;
};

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

bool is_number(const std::string& text) {
    return !text.empty() && text.size() < 19 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A number names a kept failure, unless there is a file of that name.
bool names_file(const std::string& run) {
    return !run.empty() && (!is_number(run) || exists(run));
}

std::string name_of(const campaign::SavedFailure& saved) {
    return fmt::format("failure {}", saved.number);
}

class Replay {
public:
    Replay(const Inquiry& inquiry, const ReplayQuestion& question, ReplayAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer) {}

    void file(const std::string& path) const {
        if (auto saved = read_saved(inquiry_, path)) one(std::move(*saved), 1);
    }

    void store() const {
        if (!exists(answer_.store)) {
            inquiry_.report(codes::not_a_store, fmt::format("{}: no such file", answer_.store))
                .help("treaty test creates it when it finds a failure; --store names another file");
            return;
        }
        auto store = open_store(inquiry_, answer_.store);
        if (!store) return;
        if (question_.forget) return forget(*store, *question_.forget);
        auto failures = store->failures();
        if (!failures) {
            inquiry_.report(codes::not_a_store, fmt::format("{}: {}", answer_.store, failures.error()));
            return;
        }
        if (question_.run.empty()) return all(*failures);
        for (const campaign::SavedFailure& saved : *failures)
            if (std::to_string(saved.number) == question_.run) return kept(saved);
        none(question_.run);
    }

private:
    void none(const std::string& number) const {
        inquiry_.report(codes::bad_usage, fmt::format("{1} has no failure {0}", number, answer_.store));
    }

    void forget(campaign::FailureStore& store, std::uint64_t number) const {
        auto dropped = store.drop(static_cast<std::int64_t>(number));
        if (!dropped) {
            inquiry_.report(codes::not_a_store, dropped.error());
        } else if (!*dropped) {
            none(std::to_string(number));
        } else {
            inquiry_.holds(fmt::format("failure {} is no longer kept", number));
        }
    }

    // Nothing after reporting, to the inquiry, what does not fit.
    std::optional<SetUp> set_up(const Inquiry& inquiry, const TestRequest& request) const {
        SetUp result;
        auto input = load_protocol(inquiry, request.file, request.protocol);
        if (!input) return std::nullopt;
        result.input = std::make_unique<ProtocolInput>(std::move(*input));
        auto roles = choose_roles(inquiry, result.input->specification, *result.input->protocol, request.cut);
        if (!roles) return std::nullopt;
        result.cut = roles->front();
        result.tester = make_tester(inquiry, request, *result.input, result.cut, question_.component);
        if (!result.tester) return std::nullopt;
        return result;
    }

    void kept(const campaign::SavedFailure& saved) const {
        auto run = parse_saved(inquiry_, name_of(saved), saved.run);
        if (run) one(std::move(*run), campaign::tries_needed(saved.failed, saved.repeated));
    }

    // What the question has instead of what was saved.
    void change(TestRequest& request) const {
        if (!question_.command.empty()) request.command = question_.command;
        process::Surroundings& saved = request.surroundings;
        const process::Surroundings& now = question_.surroundings;
        saved.variables.insert(saved.variables.end(), now.variables.begin(), now.variables.end());
        if (!now.directory.empty()) saved.directory = now.directory;
    }

    void one(SavedRun saved, std::size_t tries) const {
        change(saved.request);
        auto with = set_up(inquiry_, saved.request);
        auto again = with ? rerun_of(inquiry_, saved, with->input->specification) : std::nullopt;
        if (!again) return;
        drive::SessionResult outcome = campaign::retry(*with->tester, *again, tries).outcome;
        ReplayedRun& result = answer_.run.emplace();
        result.protocol_changed = has_changed(saved, *with->input);
        result.messages = outcome.exchanges.size();
        result.started = outcome.problem != drive::Problem::did_not_start;
        if (!result.started) return inquiry_.environment_failed(codes::component_failed, outcome.reason);
        answer_.witness = run_of(outcome, *with->input, with->cut, inquiry_.sources());
        judge(outcome, result);
    }

    void judge(const drive::SessionResult& outcome, ReplayedRun& result) const {
        bool changed = result.protocol_changed;
        switch (outcome.verdict) {
            case drive::Verdict::fail:
                result.failure = ReplayedRun::Failure{outcome.problem, outcome.reason};
                return inquiry_.fails("FAILED: " + answer_.witness->ending);
            case drive::Verdict::pass:
                return inquiry_.holds(changed
                                          ? "it passes: the component conforms to the protocol as it is now"
                                          : "FIXED: the component conforms to the protocol");
            case drive::Verdict::inconclusive: break;
        }
        bool not_allowed = outcome.problem == drive::Problem::another_course && changed;
        inquiry_.undecided(not_allowed ? "the current protocol does not allow the messages of this run"
                                       : outcome.reason);
    }

    KeptFailure try_one(const campaign::SavedFailure& saved) const {
        Answer separate;
        Inquiry about_it(inquiry_.workspace, inquiry_.context, separate);
        auto run = parse_saved(about_it, name_of(saved), saved.run);
        if (run) change(run->request);
        auto with = run ? set_up(about_it, run->request) : std::nullopt;
        if (with) return try_again(about_it, saved, *with->input, *with->tester).failure;
        KeptFailure result{saved, State::undecided, "it cannot be read", false, false};
        if (!separate.diagnostics.all().empty()) result.reason = separate.diagnostics.all().front().message;
        return result;
    }

    void all(const std::vector<campaign::SavedFailure>& failures) const {
        answer_.kept.emplace();
        for (const campaign::SavedFailure& saved : failures) {
            if (inquiry_.context.deadline.interrupted()) break;
            if (inquiry_.context.progress)
                inquiry_.context.progress(
                    CountProgress{"replaying", answer_.kept->size(), failures.size(), {}});
            answer_.kept->push_back(try_one(saved));
        }
        conclude(failures.size());
    }

    void conclude(std::size_t there_are) const {
        auto count = [&](State state) {
            return static_cast<std::size_t>(
                std::count_if(answer_.kept->begin(), answer_.kept->end(),
                              [&](const KeptFailure& f) { return f.state == state; }));
        };
        std::size_t failed = count(State::failed), fixed = count(State::fixed),
                    passing = count(State::passes);
        std::string of = base::counted(there_are, "kept failure");
        if (failed > 0) return inquiry_.fails(fmt::format("{} of {} still FAILED", failed, of));
        if (fixed + passing < there_are)
            return inquiry_.undecided(fmt::format(
                "{} of {} FIXED, none FAILED; the others could not be repeated", fixed + passing, of));
        if (there_are == 0) return inquiry_.holds(fmt::format("no failure is kept in {}", answer_.store));
        if (passing == 0) return inquiry_.holds(fmt::format("FIXED: {}", of));
        inquiry_.holds(fmt::format("none of {} fails any more: {} FIXED, {} because the protocol has changed",
                                   of, fixed, passing));
    }

    const Inquiry& inquiry_;
    const ReplayQuestion& question_;
    ReplayAnswer& answer_;
};

}  // namespace

ReplayAnswer replay(const Workspace& workspace, const ReplayQuestion& question, const Context& context) {
    ReplayAnswer answer;
    answer.store = question.store.empty() ? campaign::FailureStore::default_path : question.store;
    bool file = names_file(question.run);
    answer.inputs = {file ? question.run : answer.store};
    Inquiry inquiry(workspace, context, answer);
    Replay work(inquiry, question, answer);
    if (file) {
        work.file(question.run);
    } else {
        work.store();
    }
    return answer;
}

}  // namespace treaty::api
