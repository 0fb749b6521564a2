#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/kept_failures.h"
#include "cli/pictures.h"
#include "cli/run_file.h"
#include "cli/verbs.h"
#include "drive/retry.h"
#include "report/sequence_chart.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

struct Request {
    std::string run, output, command, store;
    std::optional<std::uint64_t> forget;
};

// A protocol and a tester for a saved run; the session reports why there is none.
struct Bench {
    std::optional<ProtocolInput> input;
    model::RoleId cut;
    std::unique_ptr<drive::Tester> tester;
};

bool set_up(Session& session, const SavedRun& saved, Bench& bench) {
    bench.input = load_protocol(session, saved.request.file, saved.request.protocol);
    if (!bench.input) return false;
    auto roles = choose_roles(session, bench.input->specification, *bench.input->protocol, saved.request.cut);
    if (!roles) return false;
    bench.cut = roles->front();
    bench.tester = make_tester(session, saved.request, *bench.input, bench.cut);
    return bench.tester != nullptr;
}

// One run: what happens is drawn.
int replay_one(Session& session, const Request& request, SavedRun saved, std::size_t tries) {
    if (!request.command.empty()) saved.request.command = request.command;
    Bench bench;
    if (!set_up(session, saved, bench)) return session.finish();
    auto run_again = rerun_of(session, saved, bench.input->specification);
    if (!run_again) return session.finish();
    drive::Outcome outcome = drive::retry(*bench.tester, *run_again, tries).outcome;
    report::Result& result = session.result;
    bool changed = has_changed(saved, *bench.input);
    result.extra["protocol_changed"] = changed;
    if (changed) result.text += "the protocol has changed since this run was saved\n";
    result.extra["messages"] = outcome.exchanges.size();
    if (outcome.problem == drive::Problem::did_not_start) {
        session.report(codes::component_failed, outcome.reason);
        result.world_failed = true;
        return session.finish();
    }
    report::Run run =
        run_of(outcome, bench.input->specification, *bench.input->protocol, bench.cut, session.sources);
    if (!request.output.empty() && !write_chart(session, report::chart_of(run), request.output))
        return session.finish();
    result.witness = std::move(run);
    result.extra["failure"] =
        outcome.verdict == drive::Verdict::fail
            ? report::Json{{"problem", drive::to_string(outcome.problem)}, {"reason", outcome.reason}}
            : report::Json();
    if (outcome.verdict == drive::Verdict::fail) return session.fails("FAILED: " + result.witness->ending);
    if (outcome.verdict == drive::Verdict::pass)
        return session.holds(changed ? "it passes: the component does what the protocol says now"
                                     : "FIXED: the component does what the protocol says");
    result.answer = base::Answer::undecided;
    result.reason = outcome.problem == drive::Problem::another_course && changed
                        ? "what the run sends is not allowed there by the protocol as it is now"
                        : outcome.reason;
    return session.finish();
}

TriedAgain replay_saved(Session& session, const Request& request, const drive::SavedFailure& saved) {
    Session aside("replay");  // what is wrong with one must not keep the others from being tried
    aside.options = session.options;
    TriedAgain result{saved, TriedAgain::Verdict::undecided, {}, {}};
    auto run = parse_run(aside, fmt::format("failure {}", saved.number), saved.run);
    if (run && !request.command.empty()) run->request.command = request.command;
    Bench bench;
    if (run && set_up(aside, *run, bench)) return try_again(aside, saved, *bench.input, *bench.tester);
    result.reason =
        aside.diagnostics.all().empty() ? "it cannot be read" : aside.diagnostics.all().front().message;
    return result;
}

// All that are kept: a verdict each, and the line that tries one alone.
int replay_all(Session& session, const Request& request, const std::vector<drive::SavedFailure>& failures) {
    report::Result& result = session.result;
    report::Json all = report::Json::array();
    std::size_t failed = 0, fixed = 0, passing = 0;
    for (const drive::SavedFailure& saved : failures) {
        if (base::interrupt_flag()) break;
        TriedAgain one = replay_saved(session, request, saved);
        failed += one.verdict == TriedAgain::Verdict::failed;
        fixed += one.verdict == TriedAgain::Verdict::fixed;
        passing += one.verdict == TriedAgain::Verdict::passes;
        result.text += fmt::format("{:<9} failure {}: {}: {}\n", to_string(one.verdict), saved.number,
                                   saved.problem, saved.reason);
        if (one.verdict == TriedAgain::Verdict::undecided || one.verdict == TriedAgain::Verdict::passes)
            result.text += fmt::format("{:<9} {}\n", "", one.reason);
        if (one.verdict == TriedAgain::Verdict::undecided || one.verdict == TriedAgain::Verdict::failed)
            result.text += fmt::format("{:<9} {}\n", "", replay_command(request.store, saved.number));
        all.push_back(to_json(one, request.store));
    }
    result.extra["saved"] = std::move(all);
    std::string of = report::counted(failures.size(), "kept failure");
    if (failed > 0) return session.fails(fmt::format("{} of {} still FAILED", failed, of));
    if (fixed + passing == failures.size())
        return session.holds(failures.empty() ? fmt::format("no failure is kept in {}", request.store)
                             : passing == 0   ? fmt::format("FIXED: {}", of)
                                              : fmt::format("none of {} fails any more: {} FIXED, {} since the "
                                                            "protocol has changed",
                                                            of, fixed, passing));
    result.answer = base::Answer::undecided;
    result.reason = fmt::format("{} of {} FIXED, none FAILED, the others could not be tried", fixed + passing, of);
    return session.finish();
}

int forget(Session& session, const Request& request, drive::FailureStore& store) {
    auto dropped = store.drop(static_cast<std::int64_t>(*request.forget));
    if (dropped && *dropped)
        return session.holds(fmt::format("failure {} is no longer kept", *request.forget));
    session.report(dropped ? codes::bad_usage : codes::not_a_store,
                   dropped ? fmt::format("there is no failure {} in {}", *request.forget, request.store)
                           : store.fault());
    return session.finish();
}

bool is_number(const std::string& text) {
    return !text.empty() && text.size() < 19 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int replay_store(Session& session, const Request& request) {
    std::error_code ignored;
    if (!std::filesystem::exists(request.store, ignored)) {
        session.report(codes::not_a_store, fmt::format("{}: there is no such file", request.store))
            .help("treaty test makes it when it finds a failure; --store names another");
        return session.finish();
    }
    auto store = open_store(session, request.store);
    if (!store) return session.finish();
    if (request.forget) return forget(session, request, *store);
    auto failures = store->failures();
    if (!failures) {
        session.report(codes::not_a_store, fmt::format("{}: {}", request.store, store->fault()));
        return session.finish();
    }
    if (request.run.empty()) return replay_all(session, request, *failures);
    for (const drive::SavedFailure& saved : *failures)
        if (std::to_string(saved.number) == request.run) {
            auto run = parse_run(session, fmt::format("failure {}", saved.number), saved.run);
            return run ? replay_one(session, request, std::move(*run),
                                    drive::tries_needed(saved.failed, saved.repeated))
                       : session.finish();
        }
    session.report(codes::bad_usage, fmt::format("there is no failure {} in {}", request.run, request.store));
    return session.finish();
}

}  // namespace

int verb_replay(Arguments arguments) {
    Session session("replay");
    CommandLine line(session);
    Request request;
    request.store = drive::FailureStore::default_path;
    line.positional(
        "RUN", request.run,
        "the number of a kept failure, or a file that treaty test --save has written (default: all "
        "that are kept)",
        Needed::no);
    line.option("--store", "FILE", request.store, "where failures are kept (default: treaty-failures.db)");
    line.option("--run", "COMMAND", request.command, "start the component with this instead");
    line.option("--forget", "N", request.forget, "keep failure N no longer");
    line.option("-o,--output", "FILE", request.output, "draw the run here: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    std::error_code ignored;
    bool file =
        !request.run.empty() && (!is_number(request.run) || std::filesystem::exists(request.run, ignored));
    session.result.inputs = {file ? request.run : request.store};
    if (!file) return replay_store(session, request);
    auto saved = read_run(session, request.run);
    return saved ? replay_one(session, request, std::move(*saved), 1) : session.finish();
}

}  // namespace treaty::cli
