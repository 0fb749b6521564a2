#include <unistd.h>
#include <cstdlib>

#include <fmt/format.h>

#include "base/file.h"
#include "base/suggest.h"

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/complete_alphabet.h"
#include "cli/complete_tests.h"
#include "cli/processes.h"
#include "cli/verbs.h"
#include "complete/codes.h"
#include "complete/domains.h"
#include "complete/online.h"
#include "complete/program_sut.h"
#include "csp/script.h"
#include "formats/names.h"
#include "report/progress.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using base::Answer;
using complete::Ran;
using explore::Observation;
using model::LabelId;

constexpr std::size_t max_listed = 1000;  // tests in the result

struct Request {
    std::string file, spec, domain, sut, via, in = "traces", ends = "auto", alphabet, probe, patience, output;
    std::vector<std::string> events;
    std::optional<std::uint64_t> tests, times, length;
    bool plan = false, sharp = false, keep = false, silence_refuses = false;
};

// Everything a run is made of; parts point at one another.
struct Bench {
    explore::Limits limits;
    Observation observation = Observation::traces;
    ProcessInput spec;
    std::optional<ProcessInput> domain_input, sut_input;
    std::unique_ptr<csp::ProcessGraph> domain_process, sut_process;  // of the specification's own script
    std::optional<model::Machine> domain_machine;
    std::unique_ptr<explore::MachineGraph> domain_graph;
    std::vector<std::unique_ptr<explore::WithoutEnds>> without_ends;
    TestedAlphabet alphabet;
    bool ends = false;  // whether ends are tested
    std::unique_ptr<complete::Product> product;
    std::unique_ptr<complete::Sut> sut;
    std::optional<complete::Place> place;  // of a program under test
    complete::ProgramOptions program;
    std::string domain_name;

    explore::Graph& domain() {
        if (domain_process) return *domain_process;
        return domain_input ? *domain_input->graph : *domain_graph;
    }
    bool sut_is_model() const { return sut_process || sut_input; }
    explore::Graph& sut_graph() { return sut_process ? *sut_process : *sut_input->graph; }
    // A graph as it is tested: with its ends, or without.
    explore::Graph& seen(explore::Graph& graph) {
        if (ends) return graph;
        without_ends.push_back(std::make_unique<explore::WithoutEnds>(graph));
        return *without_ends.back();
    }
};

bool model_file(const std::string& text) {
    std::string extension = formats::extension_of(split_process(text).file);
    for (std::string_view known : {"csp", "fsa", "aut", "json", "treaty", "gc"})
        if (extension == known && text.find(' ') == std::string::npos) return true;
    return false;
}

// A process of the specification's script, or of another file.
bool load_other(Session& session, Bench& bench, const std::string& text, std::optional<ProcessInput>& input,
                std::unique_ptr<csp::ProcessGraph>& process) {
    if (model_file(text)) {
        input = load_process(session, split_process(text), bench.limits);
        return input.has_value();
    }
    if (!bench.spec.script) {
        session.report(codes::bad_usage,
                       fmt::format("{} is not a file, and there is no script to find it in", text));
        return false;
    }
    process = bench.spec.script->graph(text, bench.limits);
    return process != nullptr;
}

// A single word that is no command is more likely a process with a slip in its name.
bool known_command(Session& session, const Request& request, const Bench& bench) {
    const std::string& word = request.sut;
    if (!bench.spec.script || word.find_first_of(" /:'\"$;|&<>") != std::string::npos) return true;
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    for (std::size_t at = 0; at <= folders.size();) {
        std::size_t end = std::min(folders.find(':', at), folders.size());
        if (access((folders.substr(at, end - at) + '/' + word).c_str(), X_OK) == 0) return true;
        at = end + 1;
    }
    std::vector<std::string_view> names = bench.spec.script->definitions();
    auto& fault = session.report(codes::bad_usage,
                                 fmt::format("{} is neither a process of the script nor a command", word));
    std::string_view meant = base::nearest(word, names);
    if (!meant.empty()) fault.help(fmt::format("did you mean {}?", meant));
    return false;
}

bool program_options(Session& session, const Request& request, Bench& bench) {
    complete::ProgramOptions& options = bench.program;
    options.times = request.times.value_or(1);
    if (options.times == 0) {
        session.report(codes::bad_usage, "--times 0 would run no test at all");
        return false;
    }
    if (!known_command(session, request, bench)) return false;
    options.keep = request.keep;
    options.silence_refuses = request.silence_refuses;
    // Where silence is an answer it is waited for often.
    if (options.silence_refuses) options.patience = std::chrono::seconds(2);
    if (!request.patience.empty()) {
        auto patience = base::parse_duration(request.patience);
        if (!patience) {
            session.report(codes::bad_usage,
                           fmt::format("--patience {} is not a duration such as 250ms", request.patience));
            return false;
        }
        options.patience = std::chrono::duration_cast<std::chrono::milliseconds>(*patience);
    }
    if (!request.via.empty() && complete::looks_like_address(request.sut)) {
        session.report(codes::bad_usage,
                       fmt::format("--via says where a command is reached, and {} is none", request.sut));
        return false;
    }
    std::string fault;
    bench.place = complete::parse_place(request.sut, request.via, fault);
    if (bench.place) return true;
    const std::string& written = request.via.empty() ? request.sut : request.via;
    session.report(codes::bad_usage, fmt::format("{} is not an address: {}", written, fault));
    return false;
}

bool load_sut(Session& session, const Request& request, Bench& bench) {
    if (request.sut.empty()) {
        if (request.plan) return true;
        session.report(codes::bad_usage, "treaty complete needs --sut, or --plan")
            .help(
                "--sut takes a process of the script, a model's file, a command, or an address such as "
                "tcp://host:port");
        return false;
    }
    std::string_view name = std::string_view(request.sut).substr(0, request.sut.find('('));
    bool process = bench.spec.script && bench.spec.script->defines(name);
    for (std::string_view known : {"STOP", "SKIP", "DIV", "RUN", "CHAOS"})
        process = process || (bench.spec.script && name == known);
    if (process || model_file(request.sut)) {
        if (!request.via.empty()) {
            session.report(codes::bad_usage, "--via says where a command is reached, and a model is none");
            return false;
        }
        if (!load_other(session, bench, request.sut, bench.sut_input, bench.sut_process)) return false;
        bench.alphabet.add(bench.sut_graph());
        return true;
    }
    return program_options(session, request, bench);
}

// The system under test, now that it is known what can be seen of it.
void make_sut(Bench& bench) {
    if (bench.sut_is_model())
        bench.sut = std::make_unique<complete::GraphSut>(bench.seen(bench.sut_graph()), *bench.spec.alphabet);
    bench.program.ends = bench.ends;
    if (bench.place)
        bench.sut = std::make_unique<complete::ProgramSut>(*bench.place, *bench.spec.alphabet, bench.program);
}

// Ends are tested where a model can end, unless one of the notations cannot say so.
bool choose_ends(Session& session, const Request& request, Bench& bench) {
    if (request.ends != "auto" && request.ends != "always" && request.ends != "never") {
        session.report(codes::bad_usage,
                       fmt::format("--ends {} is none of auto, always and never", request.ends));
        return false;
    }
    bool known = bench.spec.knows_ends && (!bench.sut_input || bench.sut_input->knows_ends) &&
                 (!bench.domain_input || bench.domain_input->knows_ends);
    bool wanted = bench.alphabet.some_model_ends();
    bench.ends = request.ends == "always" || (request.ends == "auto" && wanted && known);
    if (wanted && !bench.ends && request.ends == "auto")
        session.result.text += ".aut knows no ends, so where a process may end is not tested\n";
    return true;
}

// A domain that is named says itself which events there are.
bool load_domain(Session& session, const Request& request, Bench& bench) {
    bench.domain_name = request.domain.empty() ? "any process over the alphabet" : request.domain;
    if (request.domain.empty() || request.domain == "mutants")
        return bench.alphabet.add_declared(session, bench.spec.script.get(), request.alphabet);
    if (!request.alphabet.empty()) {
        session.report(
            codes::bad_usage,
            fmt::format("the domain {} says which events there are: --alphabet cannot", request.domain));
        return false;
    }
    if (!load_other(session, bench, request.domain, bench.domain_input, bench.domain_process)) return false;
    bench.alphabet.add(bench.domain());
    return true;
}

// The domains that are made from the specification and the alphabet.
bool make_domain(Session& session, const Request& request, Bench& bench) {
    if (bench.domain_input || bench.domain_process) return true;
    auto ends = bench.ends ? complete::Ends::seen : complete::Ends::ignored;
    if (request.domain.empty()) {
        bench.domain_machine =
            complete::any_process(bench.spec.alphabet, bench.alphabet.events(), bench.observation, ends);
    } else {
        bench.domain_name = "the mutants of the specification";
        std::optional<model::Machine> compiled;
        if (bench.spec.script)
            compiled = csp::compile(static_cast<csp::ProcessGraph&>(*bench.spec.graph), bench.spec.alphabet,
                                    bench.spec.name);
        const model::Machine* spec = bench.spec.machine ? bench.spec.machine.get()
                                     : compiled         ? &*compiled
                                                        : nullptr;
        if (spec) bench.domain_machine = complete::mutants(*spec, bench.alphabet.events(), 2'000'000, ends);
        if (!bench.domain_machine) {
            session.result.answer = Answer::undecided;
            session.result.reason = "the specification is too large for a domain of mutants";
            return false;
        }
    }
    bench.domain_graph = std::make_unique<explore::MachineGraph>(*bench.domain_machine);
    return true;
}

void foretell(Session& session, const Bench& bench) {
    report::Result& result = session.result;
    if (!bench.product->complete()) {
        result.text +=
            fmt::format("whether testing ends cannot be said beforehand: {}\n", bench.product->why());
        result.extra["terminates"] = nullptr;
        return;
    }
    auto lasso = bench.product->endless();
    result.extra["terminates"] = !lasso.has_value();
    if (!lasso) {
        result.text += "testing ends for every correct system that is finite (lemma 3's condition holds)\n";
        return;
    }
    const model::Alphabet& names = *bench.spec.alphabet;
    result.text += fmt::format(
        "testing may not end for a correct system (lemma 3's condition fails): behind {} the events {} can "
        "go on for "
        "ever without a test\nan event that nobody has would restore it: --probe probe\n",
        print_trace(names, lasso->way), print_trace(names, lasso->cycle));
    result.extra["probe"] = "probe";
}

// Prints the text so far at once, since tests may take long; with --json it waits for the rest.
void say_now(Session& session) {
    if (session.options.json) return;
    // Whoever cannot be told now cannot be told in the end either, and the end says so.
    if (!base::write_file("-", session.result.text)) session.result.text.clear();
}

int write_plan(Session& session, const Request& request, Bench& bench) {
    report::Result& result = session.result;
    complete::Plan made = complete::plan(*bench.product, request.tests.value_or(100'000),
                                         request.length.value_or(1000), session.options.deadline);
    report::Json tests = report::Json::array();
    std::size_t shown = 0;
    for (const complete::Test& test : made.tests) {
        tests.push_back(to_json(*bench.spec.alphabet, test));
        if (shown++ < max_listed) result.text += print(*bench.spec.alphabet, test) + '\n';
    }
    if (!request.output.empty() && !write_tests(session, *bench.spec.alphabet, made.tests,
                                                {request.file, bench.spec.script.get()}, request.output))
        return session.finish();
    result.extra["count"] = made.tests.size();
    result.extra["tests"] = std::move(tests);
    auto cycle = bench.product->complete() ? bench.product->unbounded() : std::nullopt;
    if (made.complete)
        return session.holds(fmt::format("a complete test set of {}{}",
                                         report::counted(made.tests.size(), "test"),
                                         bench.alphabet.caveat(true)));
    if (cycle)
        return session.fails(fmt::format(
            "there is no finite complete test set: {} can be repeated behind {}; these are the first {}",
            print_trace(*bench.spec.alphabet, cycle->cycle), print_trace(*bench.spec.alphabet, cycle->way),
            made.tests.size()));
    result.answer = Answer::undecided;
    result.reason = made.why;
    return session.finish();
}

const base::Code& code_of(complete::WorldFault fault) {
    switch (fault) {
        case complete::WorldFault::start: return complete::codes::sut_start;
        case complete::WorldFault::gone: return complete::codes::sut_gone;
        case complete::WorldFault::silent: return complete::codes::sut_silent;
        case complete::WorldFault::nonsense:
        case complete::WorldFault::none: break;
    }
    return complete::codes::sut_nonsense;
}

int run_tests(Session& session, const Request& request, Bench& bench) {
    report::Result& result = session.result;
    report::Progress progress(stderr, session.on_terminal());
    complete::OnlineOptions options;
    options.limits = bench.limits;
    options.sharp = request.sharp;
    if (request.tests) options.tests = *request.tests;
    report::Json tests = report::Json::array();
    options.ran = [&](const Ran& ran) {
        if (tests.size() >= max_listed) return;
        report::Json one = to_json(*bench.spec.alphabet, ran.test);
        one["verdict"] = complete::to_string(ran.verdicts);
        one["verdicts"] = complete::names_of(ran.verdicts);
        tests.push_back(std::move(one));
        if (tests.size() <= 50)
            result.text += fmt::format("{} {}\n", print(*bench.spec.alphabet, ran.test),
                                       complete::to_string(ran.verdicts));
    };
    if (bench.place) options.progress_every = 1;
    options.progress = [&](const complete::OnlineProgress& p) {
        progress.update([&] {
            return fmt::format("testing: {} tests, domain of {} states, {} traces left, of {} events",
                               p.tests, p.domain, p.waiting, p.length);
        });
    };
    complete::OnlineReport report =
        complete::test_online(*bench.product, *bench.spec.alphabet, *bench.sut, options);
    if (report.tests > 50) result.text += fmt::format("and {} more tests\n", report.tests - 50);
    result.extra["tests"] = std::move(tests);
    result.extra["count"] = report.tests;
    result.extra["excluded"] = report.excluded;
    result.extra["waiting"] = report.waiting;
    result.extra["domain_size"] = report.domain_size;
    result.extra["domain"] = report.domain.empty() ? report::Json(nullptr) : report::Json(report.domain);
    // All tests of shorter traces are done: that much is known however it ended.
    if (report.waiting > 0 && report.answer != Answer::fails && report.tests > 0)
        result.text += fmt::format(
            "learnt so far: {} excluded, a domain of {} left; no trace of fewer than {} is wrong\n",
            report::counted(report.excluded, "trace"), report::counted(report.domain_size, "state"),
            report::counted(report.length + 1, "event"));
    if (report.silent_after) {
        result.extra["silent_after"] = report::Json::array();
        for (LabelId l : *report.silent_after) result.extra["silent_after"].push_back(bench.spec.alphabet->print(l));
        result.text += fmt::format(
            "after {} it can run silently for ever, which no test sees: ask treaty refine --in failures-divergences\n",
            print_trace(*bench.spec.alphabet, *report.silent_after));
    }
    if (report.fault != complete::WorldFault::none) {
        session.report(code_of(report.fault), report.reason)
            .help(fmt::format("it was in the test {}; {} done before",
                              print(*bench.spec.alphabet, report.last->test),
                              report::counted(report.tests, "test")));
        result.world_failed = true;
        return session.finish();
    }
    result.answer = report.answer;
    result.reason = report.reason;
    if (report.answer == Answer::holds) result.reason += bench.alphabet.caveat(bench.place.has_value());
    if (report.answer == Answer::holds && !report.domain.empty())
        result.text += "domain left: " + report.domain + '\n';
    if (report.answer == Answer::undecided)
        result.bound = {{"tests", report.tests}, {"length", report.length}, {"traces left", report.waiting}};
    if (report.answer == Answer::fails) {
        std::vector<LabelId> trace = report.last->test.trace;
        bool event = report.last->test.kind == complete::TestKind::trace;
        event = event && report.last->test.offer[0].index != 0;
        if (event) trace.push_back(report.last->test.offer[0]);
        result.witness = run_of(*bench.spec.alphabet, trace);
        if (event) result.witness->failing = trace.size() - 1;
        result.witness->ending = report.reason;
    }
    return session.finish();
}

}  // namespace

int verb_complete(Arguments arguments) {
    Session session("complete");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a CSPM script, or any file with a machine");
    line.option("-s,--spec", "NAME", request.spec, "the specification: a process of the script, or a role");
    line.option("-d,--domain", "NAME", request.domain,
                "the fault domain: a process, a file, or mutants (default: any process over the alphabet)");
    line.option(
        "--sut", "SUT", request.sut,
        "what is tested: a process, a model's file, a command, or an address such as tcp://host:port");
    line.option("--via", "ADDRESS", request.via,
                "where the command is reached (default: its standard input and output)");
    line.option("--in", "MODEL", request.in, "traces (default), or failures: conf tests too");
    line.option("--ends", "WHEN", request.ends,
                "test successful ends: auto (default: if a model can end), always or never");
    line.option("--alphabet", "SET", request.alphabet,
                "events of the script that are tested beside those of the models (default: all)");
    line.option("--event", "EVENT", request.events, "one more event of the alphabet");
    line.option("--probe", "EVENT", request.probe, "add an event that nobody has, so that testing ends");
    line.option("--tests", "N", request.tests, "stop after this many tests");
    line.option("--length", "N", request.length, "with --plan: traces of at most this many events");
    line.option("--times", "N", request.times, "run each test this often: the verdicts are taken together");
    line.option("--patience", "TIME", request.patience,
                "how long a program may take to answer (default: 10s; 2s with --silence-refuses)");
    line.flag("--silence-refuses", request.silence_refuses, "a program that does not answer in time refuses");
    line.flag("--keep", request.keep, "reset the program between tests instead of starting it again");
    line.flag("--sharp", request.sharp, "exclude the shortest prefix that was refused: fewer tests");
    line.flag("--plan", request.plan, "write out the complete test set instead of running it");
    line.option("-o,--output", "FILE", request.output, "with --plan: write the tests: .txt, .json or .csp");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    if (!request.output.empty() && !request.plan) {
        session.report(codes::bad_usage, "--output is where --plan writes its tests");
        return session.finish();
    }
    auto observation = explore::parse_observation(request.in);
    if (!observation || *observation == Observation::failures_divergences) {
        session.report(codes::bad_usage, fmt::format("--in {} cannot be tested for", request.in))
            .help("models are traces and failures");
        return session.finish();
    }
    Bench bench;
    bench.limits = process_limits(session);
    bench.observation = *observation;
    auto spec = load_process(session, {request.file, request.spec}, bench.limits);
    if (!spec) return session.finish();
    bench.spec = std::move(*spec);
    bench.alphabet.begin(bench.spec);
    bench.alphabet.add(*bench.spec.graph);
    for (const std::string& event : request.events) bench.alphabet.add(event);
    if (!request.probe.empty()) bench.alphabet.add(request.probe);
    if (!load_sut(session, request, bench) || !load_domain(session, request, bench) ||
        !choose_ends(session, request, bench) || !make_domain(session, request, bench))
        return session.finish();
    make_sut(bench);
    bench.product = std::make_unique<complete::Product>(
        bench.seen(*bench.spec.graph), bench.seen(bench.domain()), bench.observation, bench.limits);
    if (!session.diagnostics.ok()) return session.finish();
    session.result.extra["domain_name"] = bench.domain_name;
    bench.alphabet.say(session, bench.ends);
    if (request.plan) return write_plan(session, request, bench);
    foretell(session, bench);
    say_now(session);
    return run_tests(session, request, bench);
}

}  // namespace treaty::cli
