#include "api/simulate.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "api/input/wires.h"
#include "api/inquiry.h"
#include "api/program/saved_run.h"
#include "api/program/tester_setup.h"
#include "base/seeds.h"
#include "base/wording.h"
#include "drive/process_stage.h"

namespace treaty::api {
namespace {

using drive::Played;
using drive::PlayNews;
using Kind = SimulateNews::Kind;

// A program that is started should be there soon; a person may take any time.
constexpr std::chrono::seconds startup_of_program{60};

Kind kind_of(PlayNews::Kind kind) {
    switch (kind) {
        case PlayNews::Kind::ready: return Kind::connected;
        case PlayNews::Kind::sent: return Kind::sent;
        case PlayNews::Kind::came: return Kind::received;
        case PlayNews::Kind::refused: return Kind::refused;
        case PlayNews::Kind::now: break;
    }
    return Kind::now;
}

model::Run run_of(const Played& played, const ProtocolInput& input, const base::SourceMap& sources) {
    model::Run run;
    for (model::RoleId role : input.protocol->roles())
        run.roles.emplace_back(input.specification.alphabet->name(role));
    for (const drive::Exchange& e : played.exchanges) run.events.push_back(event_of(e, input, sources));
    run.ending = played.reason;
    return run;
}

class Simulation {
public:
    Simulation(const Inquiry& inquiry, const SimulateQuestion& question, SimulateAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer) {}

    void run() {
        auto input = load_protocol(inquiry_, question_.file, question_.protocol);
        auto role = input ? choose_role(inquiry_, *input, question_.role, "--role") : std::nullopt;
        if (!role) return;
        answer_.role = input->specification.alphabet->name(*role);
        std::vector<model::RoleId> others = peers_of(*input->protocol, *role);
        auto via = addresses(inquiry_, question_.via, input->specification, others);
        if (!via || (!question_.wire.empty() && !choose_wire(inquiry_, input->specification, question_.wire)))
            return;
        auto made =
            roles::RolePart::make(input->specification, *input->protocol, *role, others, question_.wire);
        if (!made) {
            inquiry_.report(codes::no_meaning, made.error());
            return;
        }
        std::unique_ptr<roles::RolePart> part = std::move(*made);
        part->sources = &inquiry_.sources();
        for (const auto& [other, address] : *via)
            tell({Kind::meets, address, std::string(input->specification.alphabet->name(other)), {}});
        if (!usable(inquiry_, question_.surroundings)) return;
        drive::ProgramOptions program;
        program.command = question_.command;
        program.via = std::move(*via);
        program.http_messages = speaks_http(input->specification, question_.wire);
        program.deadline = inquiry_.context.deadline;
        program.surroundings = question_.surroundings;
        auto stage = drive::make_process_stage(std::move(program));
        conclude(play(*input, *part, *stage), *input);
    }

private:
    void tell(const SimulateNews& news) const {
        if (question_.tell) question_.tell(news);
    }

    drive::PlayOptions options() const {
        drive::PlayOptions options;
        options.deadline = inquiry_.context.deadline;
        options.think = question_.think;
        options.silence = question_.silence;
        if (!question_.command.empty()) options.startup = startup_of_program;
        return options;
    }

    // The last conversation.
    Played play(const ProtocolInput& input, roles::RolePart& part, drive::Stage& stage) {
        Played last;
        answer_.sessions.emplace();
        auto passed_on = [&](const PlayNews& news) {
            SimulateNews one{kind_of(news.kind), news.text, {}, {}};
            if (news.exchange) one.event = event_of(*news.exchange, input, inquiry_.sources());
            tell(one);
        };
        bool endless = question_.sessions == 0;
        for (std::uint64_t i = 0;
             (endless || i < question_.sessions) && !inquiry_.context.deadline.interrupted(); ++i) {
            last =
                drive::Player(part, stage, options(), passed_on).run(base::seed_of(inquiry_.context.seed, i));
            tell({Kind::over, last.reason, {}, {}});
            answer_.refused += last.refused;
            answer_.sessions->push_back({last.end, last.exchanges.size(), last.refused});
            if (last.end == Played::End::not_reached) break;
        }
        return last;
    }

    void conclude(const Played& last, const ProtocolInput& input) const {
        if (answer_.sessions->empty()) return inquiry_.undecided("stopped before the first conversation");
        if (last.end == Played::End::not_reached)
            return inquiry_.environment_failed(codes::component_failed, last.reason);
        answer_.witness = run_of(last, input, inquiry_.sources());
        if (answer_.refused > 0)
            return inquiry_.fails(fmt::format("{} came that the protocol does not allow",
                                              base::counted(answer_.refused, "message")));
        if (last.end == Played::End::finished) return inquiry_.holds(last.reason);
        inquiry_.undecided(last.reason);
    }

    const Inquiry& inquiry_;
    const SimulateQuestion& question_;
    SimulateAnswer& answer_;
};

}  // namespace

SimulateAnswer simulate(const Workspace& workspace, const SimulateQuestion& question,
                        const Context& context) {
    SimulateAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    Simulation(inquiry, question, answer).run();
    return answer;
}

}  // namespace treaty::api
