// A session: start, connect, then in a loop: take what has come; decide whether to send, to listen or to end;
// do it. The tracker says what the component may do and what it can take; the verdict falls when something comes
// that it allows in no way, when something that is due does not come, or when the component breaks.

#include "drive/tester.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/check.h"
#include "choreo/project_net.h"
#include "drive/component.h"
#include "drive/message_maker.h"
#include "drive/way_to_end.h"
#include "model/wire_shapes.h"
#include "track/tracker.h"

namespace treaty::drive {

using model::LabelId;
using model::MessageId;
using model::NodeId;
using model::RoleId;
using std::chrono::milliseconds;

namespace {

// A folder of a session's own, removed with it.
class Folder {
public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "treaty-XXXXXX").string();
        if (mkdtemp(pattern.data())) path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// The connection of one role that the tester plays.
struct Line {
    Line(RoleId played, const wire::Codec& codec) : role(played), decoder(codec), encoder(codec) {}
    RoleId role;
    Connection connection;
    wire::Decoder decoder;
    wire::Encoder encoder;
    std::vector<wire::MessageIndex> from_component;  // what can come at all
    bool ended = false;                              // nothing more will come
};

}  // namespace

struct Tester::Impl {
    Impl(model::Specification& s, const model::Protocol& p, RoleId role, TesterOptions o, model::Net n)
        : specification(s),
          protocol(p),
          cut(role),
          options(std::move(o)),
          net(std::move(n)),
          shapes(model::wire_shapes(s)),
          wire(model::find_wire(s, options.wire)) {
        if (!wire) {
            plain_json.framing = wire::Framing::json;
            plain_json.name = s.names->intern("json");
            wire = &plain_json;
        }
        codec.emplace(*s.pool, *wire, shapes);
        maker.emplace(s, net, wire, shapes);
        tracker.emplace(std::make_shared<track::TrackedNet>(net, role));
        to_end.emplace(net);
        for (const model::Transition& t : net.transitions()) {
            const model::Event& e = net.alphabet().event(t.label);
            if (e.kind != model::EventKind::silent) coverage.steps.push_back({t.node, e.kind == model::EventKind::receive, 0});
        }
        std::sort(coverage.steps.begin(), coverage.steps.end(),
                  [](const auto& a, const auto& b) { return a.node.index < b.node.index; });
        auto same = [](const auto& a, const auto& b) { return a.node == b.node && a.to_component == b.to_component; };
        coverage.steps.erase(std::unique(coverage.steps.begin(), coverage.steps.end(), same), coverage.steps.end());
    }

    model::Specification& specification;
    const model::Protocol& protocol;
    RoleId cut;
    TesterOptions options;
    model::Net net;
    std::vector<wire::MessageShape> shapes;
    wire::Wire plain_json;
    const wire::Wire* wire;
    std::optional<wire::Codec> codec;
    std::optional<MessageMaker> maker;
    std::optional<track::Tracker> tracker;
    std::optional<WayToEnd> to_end;
    Coverage coverage;

    // The component and where it is reached; outlives a session when it is kept.
    std::unique_ptr<Component> component;
    std::unique_ptr<Folder> folder;
    std::map<std::string, std::string> placeholders;
    std::map<RoleId, Descriptor> listeners;

    bool is_played(RoleId role) const { return options.via.contains(role); }
    std::optional<Address> address(RoleId role, std::string& fault) const {
        return parse_address(expand(options.via.at(role), placeholders), fault);
    }
    bool start_component(std::string& fault);
    void end_component() {
        component.reset();
        listeners.clear();
        folder.reset();
    }
};

bool Tester::Impl::start_component(std::string& fault) {
    if (component && options.keep) {
        component->look();
        if (!component->ending().ended) return true;
    }
    end_component();
    folder = std::make_unique<Folder>();
    placeholders = {{"port", std::to_string(free_port())}, {"tmp", folder->path()}};
    bool stdio = false;
    for (const auto& [role, text] : options.via) {
        auto at = address(role, fault);
        if (!at) return false;
        stdio = stdio || at->kind == AddressKind::stdio;
        if (!at->listen) continue;
        auto listener = listen_at(*at, fault);
        if (!listener) return false;
        listeners[role] = std::move(*listener);
    }
    if (options.command.empty()) return true;
    component = Component::start(expand(options.command, placeholders), stdio, fault);
    return component != nullptr;
}

namespace {

// A message that the component can take, and where its data comes from.
struct Input {
    LabelId label;
    model::TransitionId transition;
    expr::Environment environment;
};

// One conversation.
class Conversation {
public:
    explicit Conversation(Tester::Impl& t) : t_(t) { t_.tracker->reset(); }

    Outcome run(std::uint64_t seed) {
        if (!start()) return finish();
        expr::Choices choices(seed);
        while (!over()) step(choices);
        return finish();
    }

    Outcome replay(std::span<const Exchange> exchanges) {
        if (!start()) return finish();
        for (const Exchange& e : exchanges) {
            if (!e.to_component) continue;
            await_count(e.awaited);
            if (over()) return finish();
            send(e, {});
        }
        while (!over()) listen_or_end();
        return finish();
    }

private:
    bool over() const { return over_; }
    void fail(Problem problem, std::string reason) {
        if (over_) return;
        over_ = true;
        outcome_.problem = problem;
        outcome_.reason = std::move(reason);
    }

    bool start();
    bool connect(Line& line, Clock::time_point deadline, std::string& fault);
    void step(expr::Choices& choices);
    void listen_or_end();
    void await_count(std::uint32_t count);
    bool listen(Clock::time_point until);
    void take(Line& line);
    void take_message(Line& line, wire::Decoded& decoded);
    bool decode(Line& line, wire::Decoded& decoded);
    bool may_come(const Line& line, MessageId message, const std::vector<expr::Value>& values);
    void came(Line& line, MessageId message, std::vector<expr::Value> values);
    bool well_formed(MessageId message, const std::vector<expr::Value>& values) const;
    bool send_something(expr::Choices& choices);
    void send(Exchange exchange, NodeId node);
    void end_conversation();
    void look_at_component();
    Clock::time_point patience() const;
    std::string expectation() const;
    void note(const Exchange& exchange);
    Line* line_of(RoleId role);
    std::string_view name(RoleId role) const { return t_.net.alphabet().name(role); }
    std::string_view name(MessageId m) const { return t_.net.alphabet().name(m); }
    Outcome finish();

    Tester::Impl& t_;
    std::vector<std::unique_ptr<Line>> lines_;
    std::uint32_t received_ = 0;
    bool over_ = false;
    Outcome outcome_;
};

bool Conversation::start() {
    std::string fault;
    if (!t_.start_component(fault)) {
        fail(Problem::did_not_start, "the component cannot be started: " + fault);
        return false;
    }
    auto deadline = Clock::now() + t_.options.startup;
    for (const auto& [role, via] : t_.options.via) {
        auto& line = lines_.emplace_back(std::make_unique<Line>(role, *t_.codec));
        for (const model::Transition& t : t_.net.transitions()) {
            const model::Event& e = t_.net.alphabet().event(t.label);
            if (e.kind == model::EventKind::send && e.to == role) line->from_component.push_back(e.message.index);
        }
        auto& all = line->from_component;
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        if (!connect(*line, deadline, fault)) {
            if (t_.component) t_.component->look();
            bool ended = t_.component && t_.component->ending().ended;
            fail(Problem::did_not_start, fmt::format("{} cannot reach the component at {}: {}", name(role),
                                                     expand(via, t_.placeholders),
                                                     ended ? "it has ended already" : fault));
            return false;
        }
    }
    return true;
}

bool Conversation::connect(Line& line, Clock::time_point deadline, std::string& fault) {
    auto address = t_.address(line.role, fault);
    if (!address) return false;
    auto gone = [this] {
        if (base::interrupt_flag()) return true;
        if (t_.component) t_.component->look();
        return t_.component && t_.component->ending().ended;
    };
    std::optional<Connection> made;
    if (address->kind == AddressKind::stdio) {
        if (t_.component) made = t_.component->take_stdio();
        fault = "standard input and output belong to one role and one session of a component that is started";
    } else if (address->listen) {
        // Short waits, so that a component that ends is noticed.
        while (!made && !gone() && Clock::now() < deadline)
            made = accept_until(t_.listeners[line.role], std::min(deadline, Clock::now() + milliseconds(20)));
        fault = "it does not connect";
    } else {
        made = connect_until(*address, deadline, gone, fault);
    }
    if (!made) return false;
    line.connection = std::move(*made);
    return true;
}

// Sends, listens, or ends, whatever is possible and the choices say.
void Conversation::step(expr::Choices& choices) {
    if (base::interrupt_flag() || t_.options.deadline.passed()) {
        over_ = true;
        return;
    }
    listen(Clock::now());  // what is there already
    if (over_) return;
    bool must = t_.tracker->must_output();
    bool enough = outcome_.exchanges.size() >= t_.options.length;
    if (enough && t_.tracker->may_end()) return end_conversation();
    if (must) {
        if (!listen(patience()) && !over_) fail(Problem::silence, "nothing came for too long, but " + expectation());
        return;
    }
    // Where it may speak, sometimes let it.
    bool may_speak = !t_.tracker->expected_outputs().empty();
    if (may_speak && choices.flag(50) && listen(Clock::now() + t_.options.quiet)) return;
    if (over_) return;
    bool too_long = outcome_.exchanges.size() >= 10 * t_.options.length + 100;
    if (!too_long && !(t_.tracker->may_end() && choices.flag(5)) && send_something(choices)) return;
    if (over_) return;
    if (may_speak && listen(patience())) return;
    if (!over_) end_conversation();
}

// Without a will of its own: takes what comes until nothing is due.
void Conversation::listen_or_end() {
    if (base::interrupt_flag() || t_.options.deadline.passed()) {
        over_ = true;
        return;
    }
    bool must = t_.tracker->must_output();
    bool came = listen(must ? patience() : Clock::now() + t_.options.quiet);
    if (came || over_) return;
    if (must) fail(Problem::silence, "nothing came for too long, but " + expectation());
    else end_conversation();
}

void Conversation::await_count(std::uint32_t count) {
    auto waiting = [&] {
        return count == Exchange::when_nothing_is_due ? t_.tracker->must_output() : received_ < count;
    };
    while (!over_ && waiting() && !base::interrupt_flag()) {
        if (listen(patience()) || over_) continue;
        if (t_.tracker->must_output()) fail(Problem::silence, "nothing came for too long, but " + expectation());
        return;
    }
}

// Takes what comes until something has come or the time is up; true if a message came.
bool Conversation::listen(Clock::time_point until) {
    std::uint32_t before = received_;
    for (bool first = true; !over_ && received_ == before; first = false) {
        std::vector<Connection*> open;
        for (auto& line : lines_)
            if (!line->ended) open.push_back(&line->connection);
        std::array<int, 1> errors{t_.component ? t_.component->error_descriptor() : -1};
        if (!first) {
            if (Clock::now() >= until || base::interrupt_flag()) break;
            if (open.empty()) {
                pause_until(std::min(until, Clock::now() + milliseconds(2)));
            } else {
                wait(open, errors, std::min(until, Clock::now() + milliseconds(100)));
            }
        }
        for (auto& line : lines_)
            if (!over_) take(*line);
        look_at_component();
        if (open.empty() && !first && t_.tracker->must_output()) break;
    }
    return received_ != before;
}

// What the connection has: bytes to messages to the tracker.
void Conversation::take(Line& line) {
    if (line.ended) return;
    std::string_view bytes = line.connection.receive();
    if (!bytes.empty()) line.decoder.feed(bytes);
    if (line.connection.closed()) line.decoder.finish();
    wire::Decoded decoded;
    while (!over_ && decode(line, decoded)) take_message(line, decoded);
    if (over_ || !line.connection.closed()) return;
    line.ended = true;
    if (t_.tracker->must_output()) {
        look_at_component();
        fail(Problem::closed_early, fmt::format("the connection to {} was closed, but {}", name(line.role), expectation()));
    }
}

// First as what is expected now, then as anything that the component can say at all.
bool Conversation::decode(Line& line, wire::Decoded& decoded) {
    std::vector<wire::MessageIndex> now;
    for (const track::ExpectedOutput& one : t_.tracker->expected_outputs())
        if (const auto& e = t_.net.alphabet().event(one.label); e.to == line.role) now.push_back(e.message.index);
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    line.decoder.expect(now.empty() ? line.from_component : now);
    wire::DecodeStatus status = line.decoder.next(decoded);
    if (status == wire::DecodeStatus::fault && !now.empty()) {
        line.decoder.again();
        line.decoder.expect(line.from_component);
        status = line.decoder.next(decoded);
    }
    if (status == wire::DecodeStatus::fault) {
        const wire::DecodeFault& fault = line.decoder.fault();
        // Up to the end of the first line: what a person would call "what it said".
        std::string_view bytes = line.decoder.waiting().substr(0, 60);
        bytes = bytes.substr(0, bytes.find_first_of("\r\n"));
        fail(Problem::undecodable, fmt::format("{} came at {}; {} (byte {}: {})", expr::quote(bytes), name(line.role),
                                               expectation(), fault.offset, fault.reason));
    }
    return status == wire::DecodeStatus::message;
}

// Bytes that could be several messages are the first one that the component may send.
void Conversation::take_message(Line& line, wire::Decoded& decoded) {
    std::vector<wire::MessageIndex> also = decoded.also;
    std::string raw(line.decoder.raw(decoded));
    MessageId message(decoded.message);
    std::vector<expr::Value> values = line.decoder.values(decoded);
    for (std::size_t i = 0; i < also.size() && !may_come(line, message, values); ++i) {
        wire::Decoder other(*t_.codec);
        other.expect({&also[i], 1});
        other.feed(raw);
        other.finish();
        wire::Decoded second;
        if (other.next(second) != wire::DecodeStatus::message) continue;
        std::vector<expr::Value> others = other.values(second);
        if (!may_come(line, MessageId(second.message), others)) continue;
        message = MessageId(second.message);
        values = std::move(others);
    }
    came(line, message, std::move(values));
}

bool Conversation::may_come(const Line& line, MessageId message, const std::vector<expr::Value>& values) {
    auto label = t_.net.alphabet().find_label({model::EventKind::send, t_.cut, line.role, message});
    track::Tracker probe = *t_.tracker;
    return label && probe.observe_output(*label, values) != track::Outcome::refused;
}

void Conversation::came(Line& line, MessageId message, std::vector<expr::Value> values) {
    ++received_;
    Exchange exchange{false, t_.cut, line.role, message, values, {}, received_ - 1};
    auto label = t_.net.alphabet().find_label({model::EventKind::send, t_.cut, line.role, message});
    bool foreseen = false;
    for (const track::ExpectedOutput& one : t_.tracker->expected_outputs()) {
        if (!label || one.label != *label) continue;
        foreseen = true;
        exchange.node = one.node;
    }
    if (!well_formed(message, values)) {
        outcome_.exchanges.push_back(exchange);
        return fail(Problem::wrong_data, fmt::format("{} came at {}, but its data breaks the message's own conditions",
                                                     name(message), name(line.role)));
    }
    std::string expected = expectation();
    std::vector<NodeId> nodes;
    for (const track::ExpectedOutput& one : t_.tracker->expected_outputs()) nodes.push_back(one.node);
    track::Outcome said = label ? t_.tracker->observe_output(*label, values) : track::Outcome::refused;
    outcome_.exchanges.push_back(exchange);
    if (said == track::Outcome::allowed) return note(exchange);
    outcome_.expected = std::move(nodes);
    if (said == track::Outcome::lost)
        return fail(Problem::lost_track, "there are more possible configurations than the limit");
    fail(foreseen ? Problem::wrong_data : Problem::unexpected_message,
         fmt::format("{} came at {}{}; {}", name(message), name(line.role),
                     foreseen ? ", but its data breaks a condition" : "", expected));
}

// Whether the values are of the fields' types and satisfy what the message's declaration says.
bool Conversation::well_formed(MessageId message, const std::vector<expr::Value>& values) const {
    const model::Message& declared = t_.specification.message(message);
    expr::Environment environment;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!expr::belongs(values[i], declared.fields[i].type, *t_.specification.types)) return false;
        if (i < declared.variables.size()) environment.set(declared.variables[i], values[i]);
    }
    return !declared.where || expr::satisfied(*t_.specification.pool, declared.where, environment);
}

// A random message of those that the component can take, with data; false if there is none.
bool Conversation::send_something(expr::Choices& choices) {
    std::vector<Input> inputs;
    for (track::InputChoice& one : t_.tracker->allowed_inputs()) {
        // What may cross an answer on its way is a race that the component need not win.
        if (!one.safe || !t_.is_played(t_.net.alphabet().event(one.label).from)) continue;
        for (track::Way& way : one.ways) inputs.push_back({one.label, way.transition, std::move(way.environment)});
    }
    std::string why;
    bool hurry = outcome_.exchanges.size() >= t_.options.length;
    if (hurry) t_.to_end->sort(inputs);
    while (!inputs.empty()) {
        std::size_t at = hurry ? 0 : choices.draw(inputs.size());
        const Input& one = inputs[at];
        const model::Event& e = t_.net.alphabet().event(one.label);
        NodeId node = t_.net.transitions()[one.transition.index].node;
        for (int tries = 0; tries < 5; ++tries) {
            auto values = t_.maker->make(one.transition, one.environment, choices, why);
            if (!values) break;
            if (!t_.tracker->takes(one.label, *values)) continue;
            send({true, e.from, t_.cut, e.message, std::move(*values), node, received_}, node);
            return true;
        }
        inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return false;
}

void Conversation::send(Exchange exchange, NodeId node) {
    Line* line = line_of(exchange.from);
    auto label = t_.net.alphabet().find_label({model::EventKind::receive, exchange.from, t_.cut, exchange.message});
    if (!line || !label) return fail(Problem::no_data, "a message to the component is not one of the protocol");
    std::string bytes;
    if (auto fault = line->encoder.encode(exchange.message.index, exchange.values, bytes))
        return fail(Problem::no_data, fmt::format("{} cannot be written: {}", name(exchange.message), fault->reason));
    exchange.awaited = received_;
    exchange.node = node;
    if (!node)
        for (const track::InputChoice& one : t_.tracker->allowed_inputs())
            if (one.label == *label && !one.nodes.empty()) exchange.node = one.nodes.front();
    track::Outcome said = t_.tracker->observe_input(*label, exchange.values);
    outcome_.exchanges.push_back(exchange);
    if (said == track::Outcome::lost)
        return fail(Problem::lost_track, "there are more possible configurations than the limit");
    if (said == track::Outcome::refused)  // only when replaying
        return fail(Problem::another_course, "the component has taken another course, on which this message has no place");
    note(exchange);
    if (!line->connection.send(bytes)) {
        // It may have said why before it closed: that is read first.
        listen(Clock::now() + t_.options.quiet);
        if (!over_) fail(Problem::closed_early, fmt::format("the component does not take {} any more", name(exchange.message)));
    }
}

// The tester says that it has finished and listens for what must not come any more. A conversation that is cut off is
// not judged further: what a component does then is not the protocol's business.
void Conversation::end_conversation() {
    outcome_.ended = t_.tracker->may_end();
    if (outcome_.ended) {
        for (auto& line : lines_)
            if (!line->ended) line->connection.finish();
        auto until = Clock::now() + t_.options.quiet;
        while (!over_ && listen(until)) {
        }
    }
    over_ = true;
}

void Conversation::look_at_component() {
    if (!t_.component || over_) return;
    t_.component->look();
    const Ending& ending = t_.component->ending();
    if (!ending.ended || ending.by_us) return;
    if (ending.signal != 0)
        return fail(Problem::crashed, fmt::format("the component was ended by signal {}; {}", ending.signal, expectation()));
    if (ending.status != 0) {
        std::string said = broken_message(t_.component->errors());
        fail(Problem::crashed, fmt::format("the component ended with status {}{}; {}", ending.status,
                                           said.empty() ? "" : " (" + said + ")", expectation()));
    }
}

// Until when what is due may take, by the most patient of the steps that could be next.
Clock::time_point Conversation::patience() const {
    std::chrono::nanoseconds longest{0};
    for (const track::ExpectedOutput& one : t_.tracker->expected_outputs()) {
        std::int64_t within = one.node ? t_.protocol[one.node].within_ns : -1;
        longest = std::max(longest, within < 0 ? std::chrono::nanoseconds(t_.options.silence) : std::chrono::nanoseconds(within));
    }
    if (longest.count() == 0) longest = t_.options.silence;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(longest);
}

// "ok is due at client", or what else would be right.
std::string Conversation::expectation() const {
    std::vector<std::string> names;
    for (const track::ExpectedOutput& one : t_.tracker->expected_outputs()) {
        const model::Event& e = t_.net.alphabet().event(one.label);
        std::string text = fmt::format("{} to {}", name(e.message), name(e.to));
        if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(std::move(text));
    }
    if (names.empty()) return t_.tracker->may_end() ? "the conversation was over" : "it was not its turn";
    return fmt::format("{} was {}", fmt::join(names, " or "), t_.tracker->must_output() ? "due" : "possible");
}

void Conversation::note(const Exchange& exchange) {
    for (Coverage::Step& step : t_.coverage.steps)
        if (step.node == exchange.node && step.to_component == exchange.to_component) ++step.seen;
}

Line* Conversation::line_of(RoleId role) {
    for (auto& line : lines_)
        if (line->role == role) return line.get();
    return nullptr;
}

Outcome Conversation::finish() {
    lines_.clear();
    if (t_.component) {
        // A program that ends with its input gets the time to; what breaks it then is still its fault.
        if (!t_.options.keep) t_.component->await_end(Clock::now() + t_.options.quiet);
        over_ = outcome_.problem != Problem::none || !outcome_.ended;
        look_at_component();
        if (!t_.options.keep) t_.component->stop();
        outcome_.errors = t_.component->errors();
        std::string said = broken_message(outcome_.errors);
        if (!said.empty()) fail(Problem::crashed, "the component says: " + said);
        if (outcome_.problem == Problem::closed_early && !said.empty()) outcome_.reason += " (" + said + ")";
        if (!t_.options.keep) t_.end_component();
    }
    outcome_.verdict = verdict_of(outcome_.problem);
    return std::move(outcome_);
}

}  // namespace

std::size_t Coverage::covered() const {
    return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.seen > 0; }));
}

std::unique_ptr<Tester> Tester::make(model::Specification& specification, const model::Protocol& protocol, RoleId cut,
                                     TesterOptions options, std::string& fault) {
    auto net = choreo::project_net(specification, protocol, cut);
    if (!net) {
        fault = "a `continue` leaves a parallel branch, which has no meaning";
        return nullptr;
    }
    return std::unique_ptr<Tester>(
        new Tester(std::make_unique<Impl>(specification, protocol, cut, std::move(options), std::move(*net))));
}

Tester::Tester(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tester::~Tester() = default;

Outcome Tester::run(std::uint64_t seed) {
    return Conversation(*impl_).run(seed);
}

Outcome Tester::replay(std::span<const Exchange> exchanges) {
    return Conversation(*impl_).replay(exchanges);
}

const Coverage& Tester::coverage() const {
    return impl_->coverage;
}

}  // namespace treaty::drive
