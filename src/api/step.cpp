#include "api/step.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/models/derive.h"
#include "api/program/saved_run.h"
#include "base/hash.h"
#include "base/wording.h"
#include "explore/judge_safety.h"
#include "step/net_walk.h"
#include "step/system_walk.h"

namespace treaty::api {
namespace {

constexpr std::size_t most_tokens = 10'000;

bool only_closes(std::string_view line) {
    return line.find('}') != std::string_view::npos &&
           line.find_first_not_of(" \t\r}") == std::string_view::npos;
}

// The last line of a protocol: that of its last step, and of what closes after it.
std::uint32_t last_line(const model::Protocol& protocol, const base::SourceMap& sources) {
    base::FileId file = protocol.span().file;
    std::uint32_t last = sources.begin(protocol.span()).line;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        base::Span span = protocol[model::NodeId(i)].span;
        if (span.valid() && span.file == file) last = std::max(last, sources.line_number(file, span.end));
    }
    while (only_closes(sources.line(file, last + 1))) ++last;
    return last;
}

}  // namespace

class WalkMaker {
public:
    WalkMaker(const Inquiry& inquiry, const StepQuestion& question)
        : inquiry_(inquiry),
          question_(question),
          session_(new StepSession(inquiry.sources(), inquiry.context.seed)) {}

    std::unique_ptr<StepSession> make() {
        Loaded loaded = load(inquiry_, question_.file);
        if (!loaded || !walk(std::move(loaded))) return nullptr;
        session_->documents_ = inquiry_.answer.documents;
        return std::move(session_);
    }

private:
    bool over_channels() const { return question_.mode || question_.bound; }

    bool refuse(std::string why) const {
        inquiry_.report(codes::bad_usage, std::move(why));
        return false;
    }

    bool walk(Loaded loaded) {
        if (auto* system = loaded.get<model::System>()) return walk(*system);
        if (auto* machine = loaded.get<model::Machine>()) {
            session_->title_ = machine->name();
            if (!question_.role.empty())
                return refuse("the file has only one machine, so --role has no meaning");
            return walk(*machine);
        }
        if (auto* net = loaded.get<model::Net>()) return walk(*net);
        session_->input_ = protocol_of(inquiry_, std::move(loaded), question_.file, question_.protocol);
        return session_->input_ && walk(*session_->input_);
    }

    bool walk(const model::System& system) {
        if (question_.role.empty()) {
            session_->title_ = system.name();
            return walk_all(system);
        }
        session_->title_ = question_.role;
        model::RoleId role = system.alphabet().find_role(question_.role);
        auto position = role ? system.machine_of(role) : std::nullopt;
        if (position) return walk(system.machines()[*position]);
        inquiry_.report(codes::no_such_role, fmt::format("the system has no role {}", question_.role));
        return false;
    }

    bool walk_all(const model::System& system) {
        model::Channels channels = system.channels();
        if (question_.mode) channels.mode = *question_.mode;
        if (question_.bound) channels.bound = question_.bound;
        session_->system_ = explore::with_channels(system, channels);
        for (const model::Machine& machine : system.machines())
            session_->roles_.emplace_back(system.alphabet().name(machine.role()));
        session_->title_ += fmt::format(", channels {}", model::to_string(channels.mode));
        session_->walk_ = std::make_unique<step::SystemWalk>(*session_->system_);
        return true;
    }

    bool walk(const model::Machine& machine) {
        if (over_channels()) return refuse("--mode and --bound are for all roles together");
        if (machine.role()) session_->roles_.emplace_back(machine.alphabet().name(machine.role()));
        return walk(step::net_of(machine), machine.role(), nullptr);
    }

    bool walk(const model::Net& net) {
        session_->title_ = net.name();
        if (!question_.role.empty() || over_channels())
            return refuse("the file is a net: --role, --mode and --bound have no meaning");
        if (net.initial().size() > most_tokens)
            return refuse(fmt::format("this net has {} tokens; only nets with at most {} can be walked",
                                      net.initial().size(), most_tokens));
        return walk(net, {}, nullptr);
    }

    bool walk(ProtocolInput& input) {
        const model::Protocol& protocol = *input.protocol;
        session_->title_ = protocol.name();
        if (over_channels()) return walk_over_channels(input);
        for (model::RoleId role : protocol.roles())
            session_->roles_.emplace_back(input.specification.alphabet->name(role));
        std::vector<model::RoleId> roles;
        if (!question_.role.empty()) {
            auto chosen = choose_roles(inquiry_, input.specification, protocol, question_.role);
            if (!chosen) return false;
            if (chosen->size() != 1) return refuse("--role names one role");
            roles = *chosen;
            session_->title_ += fmt::format(", the part of {}", question_.role);
        }
        auto net = derive_net(inquiry_, input, roles);
        session_->with_data_ = true;
        return net && walk(std::move(*net), roles.empty() ? model::RoleId() : roles[0], &input.specification);
    }

    bool walk_over_channels(const ProtocolInput& input) {
        if (!question_.role.empty()) return refuse("--mode and --bound cannot be combined with --role");
        auto system = derive_system(inquiry_, input, {}, inquiry_.context.machine_limits());
        if (input.protocol->has_data()) session_->title_ += ", data ignored";
        return system && walk_all(*system);
    }

    bool walk(model::Net net, model::RoleId role, model::Specification* specification) {
        session_->net_ = std::move(net);
        session_->walk_ =
            std::make_unique<step::NetWalk>(*session_->net_, role, specification, inquiry_.context.seed);
        return true;
    }

    const Inquiry& inquiry_;
    const StepQuestion& question_;
    std::unique_ptr<StepSession> session_;
};

StepSession::StepSession(const base::SourceMap& sources, std::uint64_t seed)
    : sources_(sources), random_(seed) {}

StepSession::~StepSession() = default;

const std::vector<expr::Field>* StepSession::fields_of(model::LabelId label) const {
    const model::Event& event = walk_->alphabet().event(label);
    bool message = event.kind != model::EventKind::silent && event.kind != model::EventKind::plain;
    return with_data_ && message ? &input_->specification.message(event.message).fields : nullptr;
}

std::vector<EnabledEvent> StepSession::enabled() const {
    std::vector<EnabledEvent> all;
    for (const step::Option& option : walk_->options()) {
        EnabledEvent& one = all.emplace_back();
        one.event = model::event_of(walk_->alphabet(), option.label, option.actor);
        one.event.line = model::line_of(input_ ? input_->protocol : nullptr, option.node, sources_);
        one.proposed = option.proposal.has_value();
        const auto* fields = fields_of(option.label);
        for (std::size_t i = 0; fields && i < fields->size(); ++i) {
            const expr::Field& field = (*fields)[i];
            EventField& added = one.fields.emplace_back();
            added.name = input_->specification.names->text(field.name);
            added.type = field.type;
            if (i < option.fixed.size()) added.fixed = option.fixed[i];
            if (option.proposal) added.proposed = (*option.proposal)[i];
        }
    }
    return all;
}

std::optional<std::size_t> StepSession::take_random() {
    std::vector<std::size_t> possible;
    for (std::size_t i = 0; i < walk_->options().size(); ++i)
        if (walk_->options()[i].proposal) possible.push_back(i);
    if (possible.empty()) return std::nullopt;
    random_ = base::mix(random_ + 0x9e3779b97f4a7c15);
    std::size_t chosen = possible[random_ % possible.size()];
    step::Values values = *walk_->options()[chosen].proposal;
    if (!walk_->take(chosen, values)) return std::nullopt;
    return chosen;
}

model::RunEvent StepSession::event_of(const step::Taken& taken) const {
    model::RunEvent event = model::event_of(walk_->alphabet(), taken.label, taken.actor);
    if (fields_of(taken.label))
        model::add_values(event, input_->specification, walk_->alphabet().event(taken.label).message,
                          taken.values);
    event.line = model::line_of(input_ ? input_->protocol : nullptr, taken.node, sources_);
    return event;
}

model::Run StepSession::run() const {
    model::Run run;
    run.roles = roles_;
    for (const step::Taken& taken : walk_->taken()) run.events.push_back(event_of(taken));
    return run;
}

base::Result<std::string> StepSession::as_test(TestRequest request) const {
    if (!with_data_)
        return base::Fault{"only a walk through a whole protocol, without channels, can be a test"};
    const model::Alphabet& alphabet = walk_->alphabet();
    model::RoleId cut = alphabet.find_role(request.cut);
    const auto& roles = input_->protocol->roles();
    if (!cut || std::find(roles.begin(), roles.end(), cut) == roles.end())
        return base::Fault{fmt::format("the protocol has no role {}", request.cut)};
    drive::SessionResult session;
    std::uint32_t received = 0;
    for (const step::Taken& taken : walk_->taken()) {
        const model::Event& event = alphabet.event(taken.label);
        if (event.kind != model::EventKind::interaction)
            return base::Fault{"only a walk through a whole protocol, without channels, can be a test"};
        drive::Exchange exchange{event.to == cut, event.from,   event.to,
                                 event.message,   taken.values, taken.node};
        exchange.awaited = received;
        if (event.from == cut) ++received;
        if (event.from == cut || event.to == cut)
            session.exchanges.push_back(std::move(exchange));
        else
            session.inner.emplace_back(session.exchanges.size(), std::move(exchange));
    }
    request.protocol = input_->protocol->name();
    request.digest = input_->digest;
    return saved_text(request, input_->specification, session);
}

model::RunEvent StepSession::last_event() const {
    return event_of(walk_->taken().back());
}

std::vector<WalkedLine> StepSession::text() const {
    if (!input_ || !input_->protocol->span().valid()) return {};
    const model::Protocol& protocol = *input_->protocol;
    std::vector<std::uint32_t> next;
    for (const step::Option& option : walk_->options())
        next.push_back(model::line_of(&protocol, option.node, sources_));
    base::FileId file = protocol.span().file;
    std::uint32_t last = last_line(protocol, sources_);
    std::vector<WalkedLine> lines;
    for (std::uint32_t line = sources_.begin(protocol.span()).line; line <= last; ++line)
        lines.push_back({line, std::string(sources_.line(file, line)),
                         std::find(next.begin(), next.end(), line) != next.end()});
    return lines;
}

StepStart begin_walk(const Workspace& workspace, const StepQuestion& question, const Context& context) {
    StepStart start;
    start.inputs = {question.file};
    Inquiry inquiry(workspace, context, start);
    start.session = WalkMaker(inquiry, question).make();
    return start;
}

StepAnswer end_walk(const StepStart& start) {
    StepAnswer answer;
    static_cast<Answer&>(answer) = start;
    if (!start.session) return answer;
    answer.standing = start.session->standing();
    answer.run = start.session->run();
    std::string events = base::counted(answer.run.events.size(), "event");
    answer.verdict = Verdict::holds;
    answer.reason = fmt::format("stopped after {}", events);
    switch (answer.standing) {
        case step::Standing::going: break;
        case step::Standing::may_end: answer.reason += ", where it may end"; break;
        case step::Standing::over:
            answer.reason = fmt::format("the conversation is over after {}", events);
            break;
        case step::Standing::stuck:
            answer.verdict = Verdict::fails;
            answer.reason = fmt::format(
                "stuck after {}: nothing can come next, but the conversation is not over", events);
            break;
        case step::Standing::lost:
            answer.verdict = Verdict::undecided;
            answer.reason = fmt::format("after {} too many situations are possible", events);
            break;
    }
    return answer;
}

}  // namespace treaty::api
