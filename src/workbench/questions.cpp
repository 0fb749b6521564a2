#include "workbench/questions.h"

#include <array>

#include <fmt/format.h>

#include "report/render_diagnostics.h"
#include "workbench/methods.h"

namespace treaty::workbench {
namespace {

using Needs = Question::Needs;

constexpr auto all = std::to_array<Question>({
    {"check", "Check",
     "Errors in the text, values that a role cannot know, choices that a role cannot follow, runs in which "
     "the roles get stuck.",
     "One protocol", read_check},
    {"explore", "Explore",
     "Run all roles together over channels and search every configuration for deadlocks and other faults.",
     "One protocol", read_explore},
    {"project", "Project", "What one role, or a group of roles, must do.", "One protocol", read_project},
    {"repair", "Smart projection",
     "Which interactions must be added so that the roles can play the protocol.", "One protocol",
     read_repair},
    {"properties", "Properties",
     "Whether the protocol guarantees, violates or never triggers each property of the file.", "One protocol",
     read_check_properties},
    {"unfold", "Unfold", "Unroll the loops of a protocol.", "One protocol", read_unfold},
    {"conform", "Conform", "Does an implementation do exactly what a specification allows, for all data?",
     "Two models", read_conform},
    {"diff", "Compare versions",
     "What changed between two versions of a protocol, and which roles it concerns.", "Two models",
     read_diff},
    {"refine", "Refine", "Does one process do only what another allows?", "Two models", read_refine},
    {"tests", "Abstract tests", "Make abstract tests of one role from the protocol.", "Tests", read_tests},
    {"adherence", "Adherence", "Does every component that passes the tests follow the protocol?", "Tests",
     read_adherence},
    {"comply", "Comply", "Does a machine pass its tests?", "Tests", read_comply},
    {"mutate", "Mutate",
     "How good are the tests of a role: do they catch components that are wrong in one place?", "Tests",
     read_mutate},
    {"compare_tests", "Compare tests", "Both kinds of tests and both verdicts of a role in one table.",
     "Tests", read_compare_tests},
    {"plan", "Complete: plan", "The complete test set of a specification with a fault domain.", "Tests",
     read_plan},
    {"complete", "Complete", "Test a system until it is refuted or proved correct.", "Tests", read_complete,
     Needs::running},
    {"run", "Run a script", "Run the commands of a SChorA script, or check the assertions of a CSPM script.",
     "Files and data", read_run},
    {"convert", "Convert", "Write a model in another notation.", "Files and data", read_convert},
    {"format", "Format", "The file in canonical form.", "Files and data", read_format},
    {"data", "Make data", "Messages that satisfy their conditions, or break exactly one.", "Files and data",
     read_data},
    {"decode", "Decode", "Explain bytes field by field.", "Files and data", read_decode},
    {"mine", "Mine", "Guess a first protocol from logs.", "Files and data", read_mine},
    {"test", "Test a program", "Play all other roles against a program and judge every answer.", "Programs",
     read_test, Needs::running},
    {"replay", "Replay", "Repeat a failing run, or all that are kept.", "Programs", read_replay,
     Needs::running},
    {"failures", "Kept failures", "The failures that are kept to be repeated.", "Programs", read_failures,
     Needs::writing},
    {"watch", "Watch", "Judge recorded traffic against the protocol, also while it grows.", "Programs",
     read_watch},
    {"proxy", "Record", "Forward the traffic of services and record it, for Watch and for Mine.", "Programs",
     read_proxy, Needs::running},
});

bool allowed(const Question& question, const ServeOptions& options) {
    if (question.needs == Needs::running) return options.allow_run && !options.read_only;
    return question.needs == Needs::nothing || !options.read_only;
}

// Live traffic can be watched only by users who may run commands.
bool live_traffic(const ServeOptions& options) {
    return options.allow_run && !options.read_only;
}

const Question& find(const std::string& name) {
    for (const Question& question : all)
        if (question.name == name) return question;
    throw RequestFault{fmt::format("unknown question {}", name)};
}

// The limits that every question has; a visitor's limits cannot be raised.
void read_limits(Form& form, const VisitorLimits& limits, api::Context& context) {
    std::optional<std::chrono::milliseconds> time;
    std::optional<std::uint64_t> seed, states;
    form.time("limit time", time, "stop after this time, for example 30s");
    form.number("limit states", states, "stop after this many states", 10'000'000'000);
    form.number("seed", seed, "seed of all random choices (0, if it is empty)", UINT64_MAX);
    if (time && (limits.time.count() == 0 || *time < limits.time)) {
        context.deadline = context.deadline.part(*time);
        context.time_limited = true;
    }
    if (states) context.states = states;
    context.seed = seed.value_or(0);
}

}  // namespace

std::span<const Question> questions() {
    return all;
}

Json describe_questions(const Bench& bench) {
    Json list = Json::array();
    for (const Question& question : all) {
        if (!allowed(question, bench.options)) continue;
        Form form(bench.folder, nullptr, live_traffic(bench.options));
        question.read(form);
        Form limits(bench.folder, nullptr, false);
        api::Context unused;
        read_limits(limits, bench.options.limits, unused);
        list.push_back({{"name", question.name},
                        {"title", question.title},
                        {"about", question.about},
                        {"group", question.group},
                        {"fields", form.fields()},
                        {"limits", limits.fields()}});
    }
    return list;
}

Json Asking::shown(std::string_view verb, api::Answer& answer, const report::Own& own) const {
    answer.diagnostics.sort_by_place();
    if (!answer.verdict && answer.reason.empty()) answer.reason = report::summary(answer.diagnostics);
    std::string text = report::render(answer.diagnostics, workspace.sources(), {});
    if (answer.verdict) text += report::to_terminal(answer, own, {});
    return {{"json", report::to_json(verb, answer, own, workspace.sources())}, {"text", std::move(text)}};
}

Json ask(Task& task, Walks&) {
    const Question& question = find(task.params.at("question").get<std::string>());
    if (!allowed(question, task.bench.options))
        throw RequestFault{task.bench.options.read_only
                               ? "this workbench is read-only: nothing is run and nothing is written"
                               : "commands are run only if treaty serve is started with --allow-run"};
    const Json values = task.params.value("values", Json::object());
    if (!values.is_object()) throw RequestFault{"the values of a form are expected"};
    Form form(task.bench.folder, &values, live_traffic(task.bench.options));
    Asked asked = question.read(form);
    std::unique_ptr<api::Workspace> workspace = task.workspace();
    Asking asking{*workspace, task.context(), task};
    read_limits(form, task.bench.options.limits, asking.context);
    if (!form.faults().empty()) throw RequestFault{fmt::format("{}", fmt::join(form.faults(), "\n"))};
    Json result = asked(asking);
    result["cancelled"] = task.stop.requested();
    return result;
}

}  // namespace treaty::workbench
