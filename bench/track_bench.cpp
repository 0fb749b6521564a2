// How fast conversations are tracked: one pass of events over many sessions at once, with sets remembered.
//
//   track_bench [EVENTS]
//
// Rows: the withdrawal, the cash machine and a two-buyers protocol, every role, a thousand sessions
// interleaved, asynchronous tracking without data; then with data: answers that must repeat what was asked,
// and a shop whose answer depends on the question. The last rows track two parallel segments, one of which
// only sends, as a net and flattened to one machine: how many configurations are possible at most.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "base/seeded_random.h"
#include "choreo/net_machine.h"
#include "choreo/project_net.h"
#include "choreo/testing/notation.h"
#include "track/tracker.h"

namespace {

using namespace treaty;
using track::EventVerdict;

const char* withdraw =
    "C->A:withdraw ; A->B:authW ; ch B { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }";
const char* atm =
    "C->A:auth ; A->B:authReq ; ch B { B->A:denied ; A->C:authFail } { B->A:granted ; A->C:granted ; ch C "
    "{ C->A:withdraw ; A->B:authWithdrawal ; ch B { B->A:allow ; A->C:money } { B->A:deny ; A->C:bye } } "
    "{ C->A:checkBalance ; A->B:getBalance ; B->A:balance ; A->C:balance } { C->A:quit ; A->B:quit } }";
const char* two_buyers =
    "A->S:title ; S->A:quote ; S->B:quoteB ; A->B:share ; ch B { B->S:buy ; B->A:yes ; S->B:date } "
    "{ B->S:quit ; B->A:no }";

// A random complete run of the net, seen at the role itself.
std::vector<model::LabelId> run_of(const model::Net& net, base::SeededRandom& random) {
    std::vector<model::LabelId> events;
    track::Marking marking = track::initial_marking(net);
    for (int i = 0; i < 1000; ++i) {
        std::vector<const model::Transition*> ways;
        for (const model::Transition& t : net.transitions())
            if (track::enabled(marking, t)) ways.push_back(&t);
        if (ways.empty()) break;
        const model::Transition& t = *ways[random.below(static_cast<std::uint32_t>(ways.size()))];
        marking = track::fired(marking, t);
        if (!t.silent()) events.push_back(t.label);
    }
    return events;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const char* name, const char* text, std::size_t events) {
    auto p = choreo::testing::read(text);
    double total = 0;
    std::size_t done = 0;
    for (model::RoleId role : p.protocol->roles()) {
        auto net = choreo::project_net(*p.spec, *p.protocol, role);
        auto tracked = std::make_shared<track::TrackedNet>(*net, role);
        base::SeededRandom random(7);
        constexpr std::size_t sessions = 1000;
        std::vector<std::vector<model::LabelId>> runs;
        for (std::size_t i = 0; i < sessions; ++i) runs.push_back(run_of(*net, random));
        std::vector<track::Tracker> trackers(sessions, track::Tracker(tracked));
        std::vector<std::size_t> at(sessions, 0);
        auto start = std::chrono::steady_clock::now();
        std::size_t refused = 0, count = 0;
        while (count < events)
            for (std::size_t s = 0; s < sessions; ++s) {
                if (at[s] == runs[s].size()) {
                    trackers[s].reset();
                    at[s] = 0;
                }
                refused += trackers[s].observe(runs[s][at[s]++]) != EventVerdict::allowed;
                ++count;
            }
        total += seconds_since(start);
        done += count;
        if (refused > 0) fmt::print("{}: {} refused\n", name, refused);
    }
    double rate = static_cast<double>(done) / total / 1e6;
    fmt::print("{:<34} {:>10.1f} million events/s (target 5){}\n", name, rate, rate < 5 ? "  MISSED" : "");
}

// One event of a session with data.
struct DataEvent {
    model::LabelId label;
    track::Values values;
};

// seller's part of: buyer asks(x); if x > 0 the seller tells x back, else it refuses; over and over.
struct DataModel {
    explicit DataModel(bool guarded) {
        expr::VarId x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
        buyer = spec.alphabet->role("buyer"), seller = spec.alphabet->role("seller");
        auto ask = spec.alphabet->message("ask"), tell = spec.alphabet->message("tell"),
             no = spec.alphabet->message("no");
        model::ProtocolBuilder builder("Shop", {}, {buyer, seller});
        builder.open_repeat({}, buyer);
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, buyer, seller, ask, {{x, {}, {}}});
        expr::ExprId positive = spec.pool->make(expr::Op::greater, spec.types->boolean(),
                                                std::array{spec.pool->var(x), spec.pool->integer(0)});
        if (guarded) builder.open_conditional({}, positive);
        builder.interaction({}, seller, buyer, tell, {{{}, spec.pool->var(x), {}}});
        if (guarded) builder.interaction({}, seller, buyer, no), builder.close();
        builder.close();
        builder.close();
        protocol = builder.finish();
        spec.messages.resize(spec.alphabet->message_count());
        for (std::int64_t i = 0; i < 1000; ++i) {
            std::int64_t n = guarded && i % 4 == 0 ? -i : i + 1;
            events.push_back({spec.alphabet->receive(buyer, seller, ask), {expr::Value(n)}});
            if (n > 0)
                events.push_back({spec.alphabet->send(seller, buyer, tell), {expr::Value(n)}});
            else
                events.push_back({spec.alphabet->send(seller, buyer, no), {}});
        }
    }
    model::Specification spec;
    model::RoleId buyer, seller;
    std::optional<model::Protocol> protocol;
    std::vector<DataEvent> events;
};

void measure_data(const char* name, bool guarded, std::size_t events) {
    DataModel m(guarded);
    auto net = choreo::project_net(m.spec, *m.protocol, m.seller);
    auto tracked = std::make_shared<track::TrackedNet>(*net, m.seller);
    constexpr std::size_t sessions = 1000;
    std::vector<track::Tracker> trackers(sessions, track::Tracker(tracked));
    auto start = std::chrono::steady_clock::now();
    std::size_t refused = 0, count = 0;
    for (std::size_t at = 0; count < events; ++at)
        for (std::size_t s = 0; s < sessions; ++s, ++count) {
            const DataEvent& e = m.events[(at + 2 * s) % m.events.size()];
            refused += trackers[s].observe(e.label, e.values) != EventVerdict::allowed;
        }
    double rate = static_cast<double>(count) / seconds_since(start) / 1e6;
    if (refused > 0) fmt::print("{}: {} refused\n", name, refused);
    fmt::print("{:<34} {:>10.1f} million events/s (target 1){}\n", name, rate, rate < 1 ? "  MISSED" : "");
}

// The role's net flattened to one token, as a machine would have it.
std::optional<model::Net> flattened(const model::Net& net, model::RoleId role) {
    auto machine = choreo::net_machine(net, {}, role);
    if (!machine) return std::nullopt;
    model::NetBuilder builder("flat", net.alphabet_ptr());
    for (std::size_t s = 0; s < machine->state_count(); ++s) builder.place();
    for (std::size_t s = 0; s < machine->state_count(); ++s)
        for (const model::Edge& e : machine->out(model::StateId(s))) {
            model::Transition t;
            t.label = e.label;
            t.from = {model::PlaceId(s)};
            t.to = {model::PlaceId(e.target.index)};
            builder.transition(std::move(t));
        }
    builder.initial(model::PlaceId(0u));
    return builder.finish();
}

void compare_with_machine() {
    // Like the data phase of WebSocket: a segment of questions and answers beside one that only sends.
    auto p = choreo::testing::read("par { rep T { T->S:ping ; S->T:pong } } { rep T { T->S:frame } }");
    model::RoleId role = p.role("S");
    auto net = choreo::project_net(*p.spec, *p.protocol, role);
    auto flat = flattened(*net, role);
    if (!flat) return;
    auto label = [&](const char* message, bool input) {
        model::MessageId m = p.spec->alphabet->find_message(message);
        return input ? p.spec->alphabet->receive(p.role("T"), role, m)
                     : p.spec->alphabet->send(role, p.role("T"), m);
    };
    for (const model::Net* n : {&*net, &*flat}) {
        track::TrackOptions options;
        options.limit = 100'000;
        track::Tracker tracker(std::make_shared<track::TrackedNet>(*n, role, options));
        std::size_t most = 0, events = 0;
        auto start = std::chrono::steady_clock::now();
        auto see = [&](const char* message, bool input) {
            tracker.observe(label(message, input));
            ++events;
            most = std::max(most, tracker.configurations().size());
        };
        for (int round = 0; round < 3; ++round) {
            see("ping", true);
            for (int i = 0; i < 300 && !tracker.lost(); ++i) see("frame", true);
            see("pong", false);
        }
        fmt::print("{:<34} {:>10} configurations at most in {} events, {:.3f} s{}\n",
                   n == &*net ? "WebSocket-like, net" : "WebSocket-like, flattened machine", most, events,
                   seconds_since(start), tracker.lost() ? " (lost)" : "");
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    measure("withdraw, 1000 sessions", withdraw, events);
    measure("atm, 1000 sessions", atm, events);
    measure("two buyers, 1000 sessions", two_buyers, events);
    measure_data("answers repeat what was asked", false, events / 4);
    measure_data("answers depend on what was asked", true, events / 4);
    compare_with_machine();
}
