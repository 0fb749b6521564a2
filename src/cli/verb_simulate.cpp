// The verb `simulate`: plays one role for a person or a program to talk to.
#include <cstdio>

#include <fmt/format.h>

#include "base/seeds.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/run_file.h"
#include "cli/tester_setup.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "drive/player.h"
#include "drive/process_stage.h"
#include "report/sequence_chart.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using drive::Played;
using drive::PlayNews;

struct Request {
    std::string file, protocol, role, wire, command, output, think, silence;
    std::vector<std::string> via;
    std::uint64_t sessions = 1;
};

// What happens is said as it happens; the result follows when it is over.
class Teller {
public:
    Teller(Session& session, const ProtocolInput& input, model::RoleId role)
        : session_(session), input_(input), name_(input.specification.alphabet->name(role)) {}

    void operator()(const PlayNews& news) const {
        switch (news.kind) {
            case PlayNews::Kind::ready: return say("somebody is there");
            case PlayNews::Kind::sent: return say("sends   " + text(*news.exchange));
            case PlayNews::Kind::came: return say("takes   " + text(*news.exchange));
            case PlayNews::Kind::now: return say("  now: " + news.text);
            case PlayNews::Kind::refused:
                return say("REFUSES " + (news.exchange ? text(*news.exchange) + ": " : "") + news.text);
        }
    }

    void say(const std::string& line) const {
        fmt::print(stderr, "{}: {}\n", name_, line);
        std::fflush(stderr);
    }

private:
    std::string text(const drive::Exchange& e) const {
        report::RunEvent event = event_of(e, input_.specification, *input_.protocol, session_.sources);
        return report::print(event) + (event.line ? fmt::format("   (line {})", event.line) : "");
    }

    Session& session_;
    const ProtocolInput& input_;
    std::string name_;
};

report::Run run_of(Session& session, const ProtocolInput& input, const Played& played) {
    report::Run run;
    for (model::RoleId role : input.protocol->roles())
        run.roles.emplace_back(input.specification.alphabet->name(role));
    for (const drive::Exchange& e : played.exchanges)
        run.events.push_back(event_of(e, input.specification, *input.protocol, session.sources));
    run.ending = played.reason;
    return run;
}

std::string_view to_string(Played::End end) {
    switch (end) {
        case Played::End::finished: return "finished";
        case Played::End::others_left: return "others left";
        case Played::End::silence: return "silence";
        case Played::End::stopped: return "stopped";
        case Played::End::not_reached: return "not reached";
        case Played::End::stuck: return "stuck";
    }
    return "";
}

int play(Session& session, const Request& request, ProtocolInput& input, model::RoleId role,
         drive::ProgramOptions program, const drive::PlayOptions& options) {
    std::string fault;
    auto part = drive::Part::make(input.specification, *input.protocol, role, peers_of(*input.protocol, role),
                                  request.wire, fault);
    if (!part) {
        session.report(codes::no_meaning, fault);
        return session.finish();
    }
    Teller tell(session, input, role);
    for (const auto& [other, via] : program.via)
        tell.say(fmt::format("meets {} at {}", input.specification.alphabet->name(other), via));
    auto stage = drive::make_process_stage(std::move(program));
    report::Json ends = report::Json::array();
    std::size_t refused = 0;
    Played last;
    for (std::uint64_t i = 0; (request.sessions == 0 || i < request.sessions) && !base::interrupt_flag();
         ++i) {
        last = drive::Player(*part, *stage, options, tell).run(base::seed_of(session.options.seed, i));
        tell.say(last.reason);
        refused += last.refused;
        ends.push_back(
            {{"end", to_string(last.end)}, {"messages", last.exchanges.size()}, {"refused", last.refused}});
        if (last.end == Played::End::not_reached) break;
    }
    report::Result& result = session.result;
    result.extra["sessions"] = ends;
    result.extra["refused"] = refused;
    if (last.end == Played::End::not_reached) {
        session.report(codes::component_failed, last.reason);
        result.world_failed = true;
        return session.finish();
    }
    report::Run run = run_of(session, input, last);
    if (!request.output.empty() && !write_chart(session, report::chart_of(run), request.output))
        return session.finish();
    result.witness = std::move(run);
    if (refused > 0)
        return session.fails(
            fmt::format("{} came that the protocol does not allow", report::counted(refused, "message")));
    if (last.end == Played::End::finished) return session.holds(last.reason);
    result.answer = base::Answer::undecided;
    result.reason = last.reason;
    return session.finish();
}

}  // namespace

int verb_simulate(Arguments arguments) {
    Session session("simulate");
    CommandLine line(session);
    Request request;
    std::optional<std::uint64_t> sessions;
    line.positional("FILE", request.file, "a protocol");
    line.option("--role", "ROLE", request.role, "the role that is played", Needed::yes);
    line.option("--via", "[ROLE=]ADDRESS", request.via,
                "where the others are met: tcp-listen://HOST:PORT and all that treaty test knows");
    line.option("--run", "COMMAND", request.command,
                "starts the other side; {port} is a free port, {tmp} a folder of its own");
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    line.option("--wire", "NAME", request.wire,
                "which wire of the file (default: the last; JSON if there is none)");
    line.option("--sessions", "N", sessions,
                "conversations one after the other; 0: until stopped (default: 1)");
    line.option("--think", "TIME", request.think,
                "how long it gives the others before it sends (default: 200ms)");
    line.option("--silence", "TIME", request.silence,
                "ends when nobody has spoken for so long (default: never)");
    line.option("-o,--output", "FILE", request.output, "draw the last conversation here: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    request.sessions = sessions.value_or(1);
    std::uint64_t think = 200, silence = 0;
    auto input = load_protocol(session, request.file, request.protocol);
    if (!input || !read_milliseconds(session, "--think", request.think, think) ||
        !read_milliseconds(session, "--silence", request.silence, silence))
        return session.finish();
    auto roles = choose_roles(session, input->specification, *input->protocol, request.role);
    if (!roles) return session.finish();
    if (roles->size() != 1) {
        session.report(codes::bad_usage, "--role names one role");
        return session.finish();
    }
    auto via = addresses(session, request.via, input->specification, peers_of(*input->protocol, (*roles)[0]));
    if (!via || (!request.wire.empty() && !choose_wire(session, input->specification, request.wire)))
        return session.finish();
    drive::PlayOptions options;
    options.think = std::chrono::milliseconds(think);
    options.silence = std::chrono::milliseconds(silence);
    // A program that is started should be there soon; a person may take any time.
    if (!request.command.empty()) options.startup = std::chrono::seconds(60);
    return play(session, request, *input, (*roles)[0],
                {request.command, std::move(*via), {}, false, session.options.deadline}, options);
}

}  // namespace treaty::cli
