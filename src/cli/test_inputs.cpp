#include "cli/test_inputs.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "choreo/project.h"
#include "cli/codes.h"
#include "formats/load.h"
#include "report/wording.h"
#include "testgen/codes.h"
#include "testgen/translate.h"

namespace treaty::cli {

void TestOptions::add_to(CommandLine& line) {
    line.option("-p,--protocol", "NAME", protocol, "which protocol of the file (default: the last)");
    line.option("--times", "N", times, "rounds of each loop at most (default: 2)");
    line.flag("--keep-all", keep_all,
              "also keep what other choices made unreachable, and cases that differ only there");
    line.option("--success", "STEP", success,
                "a test has succeeded after this step: LINE, LINE:COLUMN or the name of a rec block");
    line.flag("--wait", wait, "also cases in which a role that could send waits for a message first");
    line.flag("--dual", dual, "tests that mirror the component, instead of those that play the other roles");
}

void JudgeOptions::add_to(CommandLine& line) {
    channels.add_to(line);
    line.option("--oracle", "KIND", oracle,
                "global (default): what all roles saw must be one run; local: each by itself");
    line.option("--empty", "CHANNELS", empty, "channels that must be empty, as in A->B,B->A (default: all)");
    line.flag("--observe-final", observe_final, "see whether the component itself has ended, too");
}

std::optional<testgen::ComplianceOptions> JudgeOptions::read(Session& session,
                                                             const model::Alphabet& alphabet) const {
    testgen::ComplianceOptions options;
    auto read_channels = channels.read(session, {});
    if (!read_channels) return std::nullopt;
    options.channels = *read_channels;
    options.observe_final = observe_final;
    options.limits = session.options.search_limits();
    if (oracle != "global" && oracle != "local") {
        session.report(codes::bad_usage, fmt::format("--oracle {} is neither global nor local", oracle));
        return std::nullopt;
    }
    if (empty.empty()) return options;
    options.stable.emplace();
    for (std::size_t start = 0; start <= empty.size();) {
        std::size_t end = std::min(empty.find(',', start), empty.size());
        std::string_view name = std::string_view(empty).substr(start, end - start);
        start = end + 1;
        std::size_t arrow = name.find("->");
        model::RoleId from, to;
        if (arrow != std::string_view::npos) {
            from = alphabet.find_role(name.substr(0, arrow));
            to = alphabet.find_role(name.substr(arrow + 2));
        }
        if (!from || !to) {
            session.report(testgen::codes::bad_channel,
                           fmt::format("{} is not a channel between two roles", name));
            return std::nullopt;
        }
        options.stable->push_back({from, to});
    }
    return options;
}

std::optional<TestSource> load_test_source(Session& session, const std::string& path,
                                           const TestOptions& options) {
    auto input = load_protocol(session, path, options.protocol);
    if (!input) return std::nullopt;
    return make_test_source(session, std::move(*input), options);
}

std::optional<TestSource> make_test_source(Session& session, ProtocolInput input,
                                           const TestOptions& options) {
    constexpr std::uint64_t most_rounds = 1000;
    TestSource source;
    source.input = std::make_unique<ProtocolInput>(std::move(input));
    if (options.times.value_or(2) > most_rounds) {
        session.report(codes::bad_usage,
                       fmt::format("--times {} is more than {}", *options.times, most_rounds));
        return std::nullopt;
    }
    auto times = static_cast<std::uint32_t>(options.times.value_or(2));
    source.times = times;
    auto made = testgen::make_projections(source.input->specification, *source.input->protocol, times,
                                          session.options.machine_limits());
    if (!made.projections) {
        if (made.stopped == base::StopReason::none) {
            session.report(codes::no_meaning, made.reason);
        } else {
            session.result.answer = base::Answer::undecided;
            session.result.reason = made.reason;
            session.result.bound["stopped"] = base::to_string(made.stopped);
        }
        return std::nullopt;
    }
    source.projections = std::make_unique<testgen::Projections>(std::move(*made.projections));
    source.success = testgen::final_states(*source.projections);
    if (options.dual && options.wait) {
        session.report(codes::bad_usage, "--dual tests have no roles that could --wait");
        return std::nullopt;
    }
    if (options.success.empty()) return source;
    if (options.dual) {
        session.report(codes::bad_usage,
                       "--dual tests succeed where the component's machine ends: no --success");
        return std::nullopt;
    }
    auto steps =
        testgen::find_steps(*source.projections, *source.input->protocol, session.sources, options.success);
    if (steps.empty()) {
        session.report(testgen::codes::no_such_step, fmt::format("no step begins at {}", options.success))
            .help("--success takes LINE, LINE:COLUMN or the name of a rec block");
        return std::nullopt;
    }
    std::string why;
    auto success = testgen::success_states(*source.projections, steps, &why);
    if (!success) {
        session.report(codes::no_meaning, why);
        return std::nullopt;
    }
    source.success = std::move(*success);
    return source;
}

std::optional<model::Machine> load_component(Session& session, const TestSource& source, model::RoleId role,
                                             const std::string& path) {
    std::string_view name = source.alphabet().name(role);
    Loaded loaded = load(session, path);
    if (!loaded) return std::nullopt;
    std::optional<model::Machine> machine;
    if (auto* alone = loaded.get<model::Machine>()) machine = *alone;
    if (auto* system = loaded.get<model::System>()) {
        for (const model::Machine& m : system->machines())
            if (system->alphabet().name(m.role()) == name) machine = m;
        if (!machine) {
            session.report(testgen::codes::component_does_not_fit,
                           fmt::format("{} has no machine of {}", path, name));
            return std::nullopt;
        }
    }
    if (auto* specification = loaded.get<model::Specification>()) {
        const model::Protocol* protocol = choose_protocol(session, *specification, {});
        if (!protocol) return std::nullopt;
        model::RoleId own = specification->alphabet->find_role(name);
        if (own) {
            auto projected =
                choreo::project(*specification, *protocol, own, session.options.machine_limits());
            if (projected) projected = testgen::without_data(*projected);
            if (projected) machine = *projected;
        }
        if (!machine) {
            session.report(testgen::codes::component_does_not_fit,
                           fmt::format("{} has no machine of {}", path, name));
            return std::nullopt;
        }
    }
    if (!machine) {
        session.report(codes::wrong_content,
                       fmt::format("{} holds {}, not machines", path, formats::describe(loaded)));
        return std::nullopt;
    }
    std::string why;
    auto translated =
        testgen::translate(*machine, role, source.input->specification.alphabet, testgen::Acting::own, &why);
    if (!translated)
        session.report(testgen::codes::component_does_not_fit,
                       fmt::format("the machine of {} in {} {}", name, path, why));
    source.input->specification.messages.resize(source.alphabet().message_count());
    return translated;
}

Cases::Cases(const testgen::TestSuite& suite, const TestOptions& options) : suite_(suite) {
    if (options.dual) dual_.emplace(suite.component(), options.keep());
}

bool stopped(Session& session, const base::Deadline& deadline) {
    base::StopReason why = base::interrupt_flag() ? base::StopReason::interrupted
                           : deadline.passed()    ? base::StopReason::time
                                                  : base::StopReason::none;
    if (why == base::StopReason::none) return false;
    session.result.answer = base::Answer::undecided;
    session.result.reason = "not all cases were looked at";
    session.result.bound["stopped"] = base::to_string(why);
    return true;
}

report::Run run_of_test(const Session& session, const TestSource& source, const model::Machine& component,
                        const std::vector<testgen::TestMachine>& test, const testgen::Failure& failure) {
    report::Run run;
    const model::Alphabet& alphabet = source.alphabet();
    std::vector<const model::Machine*> machines{&component};
    for (const testgen::TestMachine& t : test) machines.push_back(&t.machine);
    for (model::RoleId role : source.projections->protocol->roles())
        run.roles.emplace_back(alphabet.name(role));
    std::vector<model::StateId> at(machines.size(), model::StateId(0u));
    for (const explore::Step& step : failure.run) {
        const model::Machine& machine = *machines[step.machine];
        const model::Event& event = alphabet.event(step.label);
        report::RunEvent out;
        if (event.kind == model::EventKind::silent) {
            out.direction = report::Direction::none;
            out.message = fmt::format("{}: tau", alphabet.name(machine.role()));
        } else {
            bool sent = event.kind == model::EventKind::send;
            out.direction = sent ? report::Direction::sent : report::Direction::received;
            out.from = alphabet.name(event.from);
            out.to = alphabet.name(event.to);
            out.message = alphabet.name(event.message);
        }
        auto edges = machine.out(at[step.machine]);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            model::NodeId node = machine.node(at[step.machine], i);
            if (edges[i].label != step.label || edges[i].target != step.target || !node) continue;
            base::Span span = (*source.projections->protocol)[node].span;
            if (span.valid()) out.line = session.sources.begin(span).line;
        }
        at[step.machine] = step.target;
        run.events.push_back(std::move(out));
    }
    run.ending = failure.reason;
    if (failure.kind == testgen::FailureKind::refused && !run.events.empty())
        run.failing = run.events.size() - 1;
    if (failure.kind == testgen::FailureKind::endless || failure.kind == testgen::FailureKind::flood)
        run.ending +=
            fmt::format(" (events {} to {} again and again)", failure.repeat + 1, failure.run.size());
    return run;
}

report::Json to_json(const testgen::Count& count) {
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    if (count < testgen::Count(exact)) return count.get_ui();
    return count.get_str();
}

std::string rounds(const TestSource& source) {
    return report::counted(source.times, "round");
}

std::string print_machine(const model::Machine& machine) {
    std::string out, finals;
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        for (const model::Edge& edge : machine.out(model::StateId(s)))
            out += fmt::format("  {} {} {}\n", s, machine.alphabet().print(edge.label), edge.target.index);
        if (machine.final(model::StateId(s)) || machine.out(model::StateId(s)).empty())
            finals += fmt::format(" {}", s);
    }
    return out + fmt::format("  ends in{}\n", finals);
}

std::vector<std::string> choices_of(const Session& session, const TestSource& source,
                                    const testgen::TestCase& test) {
    std::vector<std::string> lines;
    for (const testgen::FixedChoice& choice : test.choices) {
        std::string text = testgen::describe(source.alphabet(), choice);
        base::Span span = choice.node ? (*source.projections->protocol)[choice.node].span : base::Span{};
        if (span.valid()) text += fmt::format(" (line {})", session.sources.begin(span).line);
        lines.push_back(std::move(text));
    }
    return lines;
}

}  // namespace treaty::cli
