#include <unistd.h>

#include <fmt/format.h>

#include "cli/channel_options.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/step_terminal.h"
#include "cli/verbs.h"
#include "report/sequence_chart.h"
#include "report/wording.h"
#include "step/net_walk.h"
#include "step/system_walk.h"

namespace treaty::cli {
namespace {

constexpr std::size_t most_tokens = 10'000;  // every event of a walk keeps a marking

struct Request {
    std::string file, protocol, role, output;
    ChannelOptions channels;
    bool over_channels() const { return !channels.mode.empty() || channels.bound; }
};

// A walk and everything it stands on, in order of dependence.
struct Subject {
    Loaded loaded;
    std::optional<ProtocolInput> input;
    std::optional<model::System> system;
    std::optional<model::Net> net;
    std::unique_ptr<step::Walk> walk;
    StepSubject about;
};

bool refuse(Session& session, std::string why) {
    session.report(codes::bad_usage, std::move(why));
    return false;
}

bool walk_system(Session& session, const Request& request, const model::System& system, Subject& subject) {
    auto channels = request.channels.read(session, system.channels());
    if (!channels) return false;
    model::System changed = over(system, *channels);
    subject.system = std::move(changed);
    for (const model::Machine& machine : subject.system->machines())
        subject.about.roles.emplace_back(subject.system->alphabet().name(machine.role()));
    subject.about.title += fmt::format(", channels {}", model::to_string(channels->mode));
    subject.walk = std::make_unique<step::SystemWalk>(*subject.system);
    return true;
}

bool walk_machine(Session& session, const Request& request, const model::Machine& machine, Subject& subject) {
    if (request.over_channels()) return refuse(session, "--mode and --bound are for all roles together");
    if (machine.role()) subject.about.roles.emplace_back(machine.alphabet().name(machine.role()));
    subject.net = step::net_of(machine);
    subject.walk =
        std::make_unique<step::NetWalk>(*subject.net, machine.role(), nullptr, session.options.seed);
    return true;
}

bool walk_role_of_system(Session& session, const Request& request, const model::System& system,
                         Subject& subject) {
    model::RoleId role = system.alphabet().find_role(request.role);
    auto position = role ? system.machine_of(role) : std::nullopt;
    if (position) return walk_machine(session, request, system.machines()[*position], subject);
    session.report(codes::no_such_role, fmt::format("the system has no role {}", request.role));
    return false;
}

bool walk_protocol(Session& session, const Request& request, Subject& subject) {
    const model::Protocol& protocol = *subject.input->protocol;
    subject.about.protocol = &protocol;
    for (model::RoleId role : protocol.roles())
        subject.about.roles.emplace_back(subject.input->specification.alphabet->name(role));
    if (request.over_channels()) {
        if (!request.role.empty())
            return refuse(session, "--mode and --bound are for all roles together, not for --role");
        auto system = derive_system(session, *subject.input, {}, session.options.machine_limits());
        if (!system) return false;
        subject.about.roles.clear();
        if (protocol.has_data()) subject.about.title += ", data left aside";
        return walk_system(session, request, *system, subject);
    }
    std::vector<model::RoleId> roles;
    if (!request.role.empty()) {
        auto chosen = choose_roles(session, subject.input->specification, protocol, request.role);
        if (!chosen) return false;
        if (chosen->size() != 1) return refuse(session, "--role names one role");
        roles = *chosen;
        subject.about.title += fmt::format(", the part of {}", request.role);
    }
    subject.net = derive_net(session, *subject.input, roles);
    if (!subject.net) return false;
    subject.about.specification = &subject.input->specification;
    subject.walk = std::make_unique<step::NetWalk>(*subject.net, roles.empty() ? model::RoleId() : roles[0],
                                                   &subject.input->specification, session.options.seed);
    return true;
}

bool make_walk(Session& session, const Request& request, Subject& subject) {
    subject.loaded = load(session, request.file);
    subject.about.sources = &session.sources;
    if (!subject.loaded) return false;
    if (auto* system = subject.loaded.get<model::System>()) {
        subject.about.title = request.role.empty() ? system->name() : request.role;
        return request.role.empty() ? walk_system(session, request, *system, subject)
                                    : walk_role_of_system(session, request, *system, subject);
    }
    if (auto* machine = subject.loaded.get<model::Machine>()) {
        subject.about.title = machine->name();
        if (!request.role.empty())
            return refuse(session, "the file holds one machine, so --role has no meaning");
        return walk_machine(session, request, *machine, subject);
    }
    if (auto* net = subject.loaded.get<model::Net>()) {
        subject.about.title = net->name();
        if (!request.role.empty() || request.over_channels())
            return refuse(session, "the file holds a net: only it can be walked");
        if (net->initial().size() > most_tokens)
            return refuse(session, fmt::format("this net has {} tokens; only nets with at most {} can be walked",
                                               net->initial().size(), most_tokens));
        subject.walk = std::make_unique<step::NetWalk>(*net, model::RoleId(), nullptr, session.options.seed);
        return true;
    }
    subject.input = protocol_of(session, std::move(subject.loaded), request.file, request.protocol);
    if (!subject.input) return false;
    subject.about.title = subject.input->protocol->name();
    return walk_protocol(session, request, subject);
}

void fill_result(Session& session, const Subject& subject) {
    report::Result& result = session.result;
    std::string events = report::counted(subject.walk->taken().size(), "event");
    report::Run run = run_of(*subject.walk, subject.about);
    std::string_view standing = "going";
    result.answer = base::Answer::holds;
    result.reason = fmt::format("left after {}", events);
    switch (subject.walk->standing()) {
        case step::Standing::going: break;
        case step::Standing::may_end:
            standing = "may end";
            result.reason += ", where it may end";
            break;
        case step::Standing::over:
            standing = "over";
            result.reason = fmt::format("the conversation is over after {}", events);
            break;
        case step::Standing::stuck:
            standing = "stuck";
            result.answer = base::Answer::fails;
            result.reason = fmt::format("stuck after {}: nothing can come next, and this is no end", events);
            break;
        case step::Standing::lost:
            standing = "lost";
            result.answer = base::Answer::undecided;
            result.reason = fmt::format("after {} too many situations are possible", events);
            break;
    }
    result.extra["standing"] = standing;
    result.extra["run"] = report::to_json(run);
    result.text = run.events.empty() ? "\n" : '\n' + drawn(run, session.style());
}

}  // namespace

int verb_step(Arguments arguments) {
    Session session("step");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a protocol, machines, or a net");
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    line.option("--role", "ROLE", request.role, "only the part of this role");
    request.channels.add_to(line);
    line.option("-o,--output", "FILE", request.output, "draw the run that was taken: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    Subject subject;
    if (!make_walk(session, request, subject)) return session.finish();
    // With --json standard output is for the result alone.
    std::FILE* out = session.options.json ? stderr : stdout;
    report::Style style =
        session.options.json ? report::style_for(STDERR_FILENO, session.options.color) : session.style();
    StepTerminal(*subject.walk, subject.about, style, out, session.options.seed).run();
    fill_result(session, subject);
    if (!request.output.empty() &&
        !write_chart(session, report::chart_of(run_of(*subject.walk, subject.about)), request.output))
        session.result.answer.reset();
    return session.finish();
}

}  // namespace treaty::cli
