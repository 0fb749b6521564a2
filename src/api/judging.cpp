#include "api/judging.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "choreo/project.h"
#include "formats/load.h"
#include "testgen/codes.h"
#include "testgen/translate.h"

namespace treaty::api {
namespace {

// The role's projection without its data; nothing if the protocol has no such role.
std::optional<model::Machine> projection_of(const Inquiry& inquiry, const model::Specification& specification,
                                            const model::Protocol& protocol, std::string_view role) {
    model::RoleId own = specification.alphabet->find_role(role);
    if (!own) return std::nullopt;
    auto projected = choreo::project(specification, protocol, own, inquiry.context.machine_limits());
    if (projected) projected = testgen::without_data(*projected);
    return std::move(projected.machine);
}

// The machine of that role as the file has it.
std::optional<model::Machine> machine_in(const Inquiry& inquiry, const std::string& path,
                                         std::string_view role) {
    Loaded loaded = load(inquiry, path);
    if (!loaded) return std::nullopt;
    if (auto* alone = loaded.get<model::Machine>()) return *alone;
    std::optional<model::Machine> machine;
    if (auto* system = loaded.get<model::System>()) {
        for (const model::Machine& m : system->machines())
            if (system->alphabet().name(m.role()) == role) machine = m;
    } else if (auto* specification = loaded.get<model::Specification>()) {
        const model::Protocol* protocol = choose_protocol(inquiry, *specification, {});
        if (!protocol) return std::nullopt;
        machine = projection_of(inquiry, *specification, *protocol, role);
    } else {
        inquiry.report(codes::wrong_content,
                       fmt::format("{} contains {}, not machines", path, formats::describe(loaded)));
        return std::nullopt;
    }
    if (!machine)
        inquiry.report(testgen::codes::component_does_not_fit,
                       fmt::format("{} has no machine of {}", path, role));
    return machine;
}

// Each machine's steps, followed state by state: where the events of a run come from.
class Follower {
public:
    Follower(const base::SourceMap& sources, const TestSource& source, const model::Machine& component,
             const std::vector<testgen::TestMachine>& test)
        : sources_(sources), source_(source), machines_{&component} {
        for (const testgen::TestMachine& t : test) machines_.push_back(&t.machine);
        at_.assign(machines_.size(), model::StateId(0u));
    }

    model::RunEvent take(const explore::Step& step) {
        const model::Machine& machine = *machines_[step.machine];
        model::StateId& here = at_[step.machine];
        model::RunEvent event = model::event_of(source_.alphabet(), step.label, machine.role());
        auto edges = machine.out(here);
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (edges[i].label == step.label && edges[i].target == step.target && machine.node(here, i))
                event.line =
                    model::line_of(source_.projections->protocol.get(), machine.node(here, i), sources_);
        here = step.target;
        return event;
    }

private:
    const base::SourceMap& sources_;
    const TestSource& source_;
    std::vector<const model::Machine*> machines_;
    std::vector<model::StateId> at_;
};

}  // namespace

std::optional<testgen::ComplianceOptions> compliance_options(const Inquiry& inquiry,
                                                             const JudgeOptions& options,
                                                             const model::Alphabet& alphabet) {
    testgen::ComplianceOptions result;
    result.channels = options.channels;
    result.observe_final = options.observe_final;
    result.limits = inquiry.context.search_limits();
    if (!options.empty) return result;
    result.stable.emplace();
    for (const auto& [sender, receiver] : *options.empty) {
        model::RoleId from = alphabet.find_role(sender), to = alphabet.find_role(receiver);
        if (!from || !to) {
            inquiry.report(testgen::codes::bad_channel,
                           fmt::format("{}->{} is not a channel between two roles", sender, receiver));
            return std::nullopt;
        }
        result.stable->push_back({from, to});
    }
    return result;
}

std::optional<model::Machine> load_component(const Inquiry& inquiry, const TestSource& source,
                                             model::RoleId role, const std::string& path) {
    std::string name = source.name(role);
    auto machine = machine_in(inquiry, path, name);
    if (!machine) return std::nullopt;
    auto translated = testgen::translate(*machine, role, source.input->specification.alphabet);
    if (!translated)
        inquiry.report(testgen::codes::component_does_not_fit,
                       fmt::format("the machine of {} in {} {}", name, path, translated.error()));
    // The machine may have messages that the protocol does not have.
    source.input->specification.messages.resize(source.alphabet().message_count());
    if (!translated) return std::nullopt;
    return std::move(*translated);
}

bool stopped(const Inquiry& inquiry) {
    base::StopReason why = inquiry.context.deadline.reason();
    if (why == base::StopReason::none) return false;
    inquiry.undecided("not all cases were judged");
    inquiry.answer.bound.stopped(why);
    return true;
}

model::Run run_of_test(const base::SourceMap& sources, const TestSource& source,
                       const model::Machine& component, const std::vector<testgen::TestMachine>& test,
                       const testgen::Failure& failure) {
    model::Run run;
    for (model::RoleId role : source.projections->protocol->roles()) run.roles.push_back(source.name(role));
    Follower follower(sources, source, component, test);
    for (const explore::Step& step : failure.run) run.events.push_back(follower.take(step));
    run.ending = failure.reason;
    if (failure.kind == testgen::FailureKind::refused && !run.events.empty())
        run.failing = run.events.size() - 1;
    if (failure.kind == testgen::FailureKind::endless || failure.kind == testgen::FailureKind::flood)
        run.ending +=
            fmt::format(" (events {} to {} repeat for ever)", failure.repeat + 1, failure.run.size());
    return run;
}

}  // namespace treaty::api
