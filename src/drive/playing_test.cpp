// Whole sessions of random protocols with data, parallel segments and several connections: what the tester
// sends, whether it gets to the end, what it counts, and whether it finds the one message that is missing.
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "drive/tester.h"
#include "drive/testing/playing.h"

namespace treaty::drive {
namespace {

using base::SeededRandom;
using namespace std::chrono_literals;
using testing::Diary;
using testing::Seen;

struct Play {
    explicit Play(std::uint64_t seed) {
        SeededRandom random(seed * 131 + 7);
        std::uint32_t roles = 2 + random.below(3);
        protocol = testing::RandomPlay(spec, seed, roles).make(4 + random.below(6));
        if (!protocol) return;
        spec.messages.resize(spec.alphabet->message_count());
        cut = protocol->roles()[random.below(roles)];
        for (model::RoleId role : protocol->roles())
            if (role != cut) others.push_back(role), names[role] = spec.alphabet->name(role);
        if (auto made = roles::RolePart::make(spec, *protocol, cut, others, "")) part = std::move(*made);
    }
    model::Specification spec;
    std::optional<model::Protocol> protocol;
    model::RoleId cut;
    std::vector<model::RoleId> others;
    std::map<model::RoleId, std::string> names;
    std::unique_ptr<roles::RolePart> part;
};

std::string told(const model::Specification& spec, const SessionResult& outcome) {
    std::string text = outcome.reason + " " + outcome.obstacle + " after\n";
    for (const Exchange& e : outcome.exchanges) {
        text += fmt::format("{} -> {}: {}", spec.alphabet->name(e.from), spec.alphabet->name(e.to),
                            spec.alphabet->name(e.message));
        for (const expr::Value& v : e.values) text += fmt::format(" {}", std::get<std::int64_t>(v.v));
        text += '\n';
    }
    return text;
}

// Whether what the tester sent and got is a run of the protocol: the whole protocol is run step by step with
// every value, and each role's exchanges with the component must be those that were seen. A role that did not
// do its next step yet does nothing after it either; the same goes for the component and what was not sent to
// it.
class Reference {
public:
    Reference(const roles::RolePart& part, std::vector<Exchange> exchanges) : part_(part) {
        for (Exchange& e : exchanges) logs_[e.to_component ? e.from : e.to].push_back(std::move(e));
    }

    bool explained() { return explore({track::initial_marking(part_.whole), {}, {}, {}}, 0); }
    bool gave_up() const { return tries_ > most_tries; }

private:
    static constexpr std::size_t most_tries = 200'000;
    struct State {
        track::Marking marking;
        expr::Environment environment;
        std::map<model::RoleId, std::size_t> done;
        std::set<model::RoleId> stopped;
    };

    bool explore(const State& at, int silent) {
        if (++tries_ > most_tries) return true;
        bool all = true;
        for (const auto& [role, log] : logs_) {
            auto n = at.done.find(role);
            all = all && (n == at.done.end() ? 0 : n->second) == log.size();
        }
        if (all) return true;
        if (silent > 8) return false;
        for (const model::Transition& t : part_.whole.transitions()) {
            if (!track::enabled(at.marking, t)) continue;
            const model::Event& e = part_.whole.alphabet().event(t.label);
            std::size_t fields = t.silent() ? 0 : part_.specification.message(e.message).fields.size();
            for (int v = 0; v < (fields == 0 ? 1 : 3); ++v) {
                std::vector<expr::Value> values(fields, expr::Value(v));
                State next = at;
                next.marking = track::fired(at.marking, t);
                std::optional<std::span<const expr::Value>> known;
                if (!t.silent()) known = values;
                if (part_.whole.pool() && !track::run_data(*part_.whole.pool(), t, known, next.environment))
                    continue;
                if (!t.silent() && !happens(e, values, next)) continue;
                if (explore(next, t.silent() ? silent + 1 : 0)) return true;
            }
        }
        return false;
    }

    // Marks who has stopped; false if this step, seen with other values, cannot be.
    bool happens(const model::Event& e, const std::vector<expr::Value>& values, State& s) const {
        model::RoleId cut = part_.cut;
        if (e.from != cut && e.to != cut) {
            if (s.stopped.contains(e.from)) s.stopped.insert(e.to);
            // Nothing more can be learned from a run in which everybody waits.
            return !(s.stopped.contains(e.from) && s.stopped.contains(e.to) && s.stopped.contains(cut));
        }
        model::RoleId peer = e.from == cut ? e.to : e.from;
        std::size_t& n = s.done[peer];
        auto log = logs_.find(peer);
        bool more = log != logs_.end() && n < log->second.size();
        if (!s.stopped.contains(peer) && more && !(e.from == cut && s.stopped.contains(cut))) {
            const Exchange& seen = log->second[n];
            if (seen.message != e.message || seen.from != e.from || seen.values != values) return false;
            ++n;
            return true;
        }
        if (more) return false;  // it was seen to do more, so it has not stopped
        s.stopped.insert(peer);
        if (e.to == cut) s.stopped.insert(cut);
        return true;
    }

    const roles::RolePart& part_;
    std::map<model::RoleId, std::vector<Exchange>> logs_;
    std::size_t tries_ = 0;
};

TEST(Playing, ACompleteSessionWithEveryDelayAndAllItsStepsCounted) {
    std::size_t sessions = 0, exchanges = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(300); ++seed) {
        SCOPED_TRACE(seed);
        Play play(seed);
        if (!play.part) continue;
        const roles::RolePart& part = *play.part;
        Diary diary;
        SessionOptions options;
        options.guided = seed % 3 == 0;
        Tester tester(std::move(play.part),
                      make_in_process_stage(testing::component_of(part, seed, diary), play.names), options);
        for (std::uint64_t session = 0; session < 3; ++session) {
            SessionResult outcome = tester.run(session);
            if (diary.gave_up) break;
            ASSERT_TRUE(outcome.completed) << told(play.spec, outcome);
            ++sessions;
            exchanges += outcome.exchanges.size();
        }
        if (diary.gave_up) continue;
        for (const roles::Coverage::Step& step : tester.coverage().steps) {
            auto found = diary.steps.find({step.node, step.to_component});
            std::uint64_t did = found == diary.steps.end() ? 0 : found->second;
            // The last messages to it may not have been taken when the session ends.
            ASSERT_TRUE(step.to_component ? step.seen >= did : step.seen == did)
                << step.node.index << ": " << step.seen << " " << did;
        }
    }
    EXPECT_GT(sessions, choreo::testing::seeds(300));
    EXPECT_GT(exchanges, 3 * choreo::testing::seeds(300));
}

enum class Strategy { random, coverage, tests, profile, negative, pairs, triples };

std::string name_of(const ::testing::TestParamInfo<Strategy>& info) {
    const char* names[] = {"Random", "Coverage", "Tests", "Profile", "Negative", "Pairs", "Triples"};
    return names[static_cast<std::size_t>(info.param)];
}

// Every message has a weight of its own, and every field should be 2.
wire::Profile some_profile(const roles::RolePart& part, std::uint64_t seed) {
    SeededRandom random(seed);
    std::string messages, fields;
    for (std::size_t i = 0; i < part.shapes.size(); ++i) {
        std::string name(part.name(model::MessageId(i)));
        messages += fmt::format("{}\"{}\": {}", messages.empty() ? "" : ", ", name, 1 + random.below(5));
        if (!part.specification.message(model::MessageId(i)).fields.empty())
            fields += fmt::format("{}\"{}.f\": [{{\"weight\": 1, \"value\": 2}}]", fields.empty() ? "" : ", ",
                                  name);
    }
    auto made =
        wire::Profile::read(fmt::format("{{\"messages\": {{{}}}, \"fields\": {{{}}}}}", messages, fields),
                            *part.specification.pool, part.shapes);
    EXPECT_TRUE(made) << made.error();
    return std::move(*made);
}

class EveryStrategy : public ::testing::TestWithParam<Strategy> {
protected:
    // One run of the tester; nothing where the component gave up or the roles have no machines.
    std::optional<SessionResult> run(Play& play, std::uint64_t seed, std::size_t length) {
        roles::RolePart& part = *play.part;
        if (GetParam() == Strategy::profile) part.use(some_profile(part, seed));
        if (GetParam() == Strategy::pairs) part.use(roles::Combinations(2u));
        if (GetParam() == Strategy::triples) part.use(roles::Combinations(3u));
        std::unique_ptr<Director> director;
        if (GetParam() == Strategy::tests && !(director = testing::random_director(part, seed)))
            return std::nullopt;
        SessionOptions options;
        options.length = length;
        options.guided = GetParam() == Strategy::coverage;
        bool negative = GetParam() == Strategy::negative;
        Diary diary;
        tester_ = std::make_unique<Tester>(
            std::move(play.part), make_in_process_stage(testing::component_of(part, seed, diary), play.names),
            options, negative);
        SessionResult outcome = negative ? tester_->challenge(seed) : tester_->run(seed, director.get());
        if (diary.gave_up) return std::nullopt;
        return outcome;
    }

    std::unique_ptr<Tester> tester_;
};

TEST_P(EveryStrategy, SendsOnlyWhatTheProtocolAllows) {
    std::size_t compared = 0, wrong = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(200); ++seed) {
        SCOPED_TRACE(seed);
        Play play(seed + 5000);
        if (!play.part) continue;
        auto outcome = run(play, seed, 6);
        if (!outcome || outcome->exchanges.size() > 14) continue;
        std::vector<Exchange> so_far;
        for (const Exchange& e : outcome->exchanges) {
            if (!so_far.empty() && so_far.back().session != e.session) so_far.clear();
            so_far.push_back(e);
            wrong += e.wrong;
            if (e.wrong) so_far.clear();
            if (so_far.empty() || !e.to_component) continue;
            Reference reference(tester_->part(), so_far);
            ASSERT_TRUE(reference.explained()) << "message " << so_far.size() << told(play.spec, *outcome);
            compared += !reference.gave_up();
        }
    }
    // A session in which something wrong is sent is over after it, and may begin with it.
    EXPECT_GT(compared, choreo::testing::seeds(200) / (GetParam() == Strategy::negative ? 4 : 1));
    EXPECT_EQ(GetParam() == Strategy::negative, wrong > 0);
}

INSTANTIATE_TEST_SUITE_P(Playing, EveryStrategy,
                         ::testing::Values(Strategy::random, Strategy::coverage, Strategy::tests,
                                           Strategy::profile, Strategy::negative, Strategy::pairs,
                                           Strategy::triples),
                         name_of);

// Every place and every message on its way that agree with what was seen, no analysis and no shortcut; then
// whether the component may have come to a place where it waits.
class PlainJudge {
public:
    PlainJudge(const roles::RolePart& part, const std::vector<Exchange>& exchanges) : part_(part) {
        for (const Exchange& e : exchanges) {
            auto label = e.to_component ? part.input(e.from, e.message) : part.output(e.to, e.message);
            trace_.push_back({*label, e.values});
        }
    }

    bool silence_allowed() {
        std::vector<World> worlds = {{track::initial_marking(part_.net), {}, {}, {}}};
        close(worlds, 0);
        for (std::size_t i = 0; i < trace_.size(); ++i) {
            const model::Event& e = part_.event(trace_[i].label);
            std::vector<World> after;
            for (World& w : worlds) {
                if (e.kind == model::EventKind::receive) {
                    w.inputs[e.from].push_back(trace_[i]);
                } else {
                    auto& queue = w.outputs[e.to];
                    if (queue.empty()) continue;
                    queue.erase(queue.begin());
                }
                after.push_back(std::move(w));
            }
            worlds = std::move(after);
            close(worlds, i + 1);
        }
        return std::any_of(worlds.begin(), worlds.end(), [&](const World& w) { return waits(w); });
    }

private:
    struct World {
        track::Marking marking;
        expr::Environment environment;
        std::map<model::RoleId, std::vector<Seen>> inputs, outputs;
        friend bool operator==(const World&, const World&) = default;
    };

    // What it can do next; outputs only those after `position`, next on their channel.
    std::vector<World> next(const World& w, std::size_t position) const {
        std::vector<World> result;
        for (const model::Transition& t : part_.net.transitions()) {
            if (!track::enabled(w.marking, t)) continue;
            const model::Event& e = part_.event(t.label);
            World after = w;
            after.marking = track::fired(w.marking, t);
            std::optional<std::span<const expr::Value>> values;
            if (e.kind == model::EventKind::receive) {
                auto queue = w.inputs.find(e.from);
                if (queue == w.inputs.end() || queue->second.empty() ||
                    queue->second.front().label != t.label)
                    continue;
                values = queue->second.front().values;
                auto& rest = after.inputs[e.from];
                rest.erase(rest.begin());
            } else if (e.kind == model::EventKind::send) {
                auto waiting = w.outputs.find(e.to);
                std::size_t skip = waiting == w.outputs.end() ? 0 : waiting->second.size();
                const Seen* seen = coming(e.to, position, skip);
                if (!seen || seen->label != t.label) continue;
                values = seen->values;
                after.outputs[e.to].push_back(*seen);
            }
            if (part_.net.pool() && !track::run_data(*part_.net.pool(), t, values, after.environment))
                continue;
            result.push_back(std::move(after));
        }
        return result;
    }

    const Seen* coming(model::RoleId to, std::size_t position, std::size_t skip) const {
        for (std::size_t i = position; i < trace_.size(); ++i) {
            const model::Event& e = part_.event(trace_[i].label);
            if (e.kind == model::EventKind::send && e.to == to && skip-- == 0) return &trace_[i];
        }
        return nullptr;
    }

    void close(std::vector<World>& worlds, std::size_t position) const {
        for (std::size_t i = 0; i < worlds.size(); ++i)
            for (World& n : next(worlds[i], position))
                if (std::find(worlds.begin(), worlds.end(), n) == worlds.end())
                    worlds.push_back(std::move(n));
    }

    // Whether, with what it has got, it need not send: it has taken what it can and no way on sends.
    bool waits(const World& w) const {
        std::vector<track::Configuration> ways = {{w.marking, w.environment, {}}};
        bool sends = false;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            if (track::successful(part_.net, ways[i].marking)) return true;
            for (const model::Transition& t : part_.net.transitions()) {
                const model::Event& e = part_.event(t.label);
                if (!track::enabled(ways[i].marking, t)) continue;
                track::Configuration after{track::fired(ways[i].marking, t), ways[i].environment, {}};
                auto queue = w.inputs.find(e.from);
                bool takes = e.kind == model::EventKind::receive && queue != w.inputs.end() &&
                             !queue->second.empty() && queue->second.front().label == t.label;
                if (t.silent() &&
                    (!part_.net.pool() ||
                     track::run_data(*part_.net.pool(), t, std::nullopt, after.environment)) &&
                    std::find(ways.begin(), ways.end(), after) == ways.end())
                    ways.push_back(std::move(after));
                else if (e.kind == model::EventKind::send || takes)
                    sends = true;
            }
        }
        return !sends;
    }

    const roles::RolePart& part_;
    std::vector<Seen> trace_;
};

TEST(Playing, AMessageThatIsLeftOutIsMissed) {
    std::size_t dropped = 0, found = 0, allowed = 0, missing = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(400); ++seed) {
        SCOPED_TRACE(seed);
        Play play(seed + 9000);
        if (!play.part) continue;
        const roles::RolePart& part = *play.part;
        Diary diary;
        Tester tester(std::move(play.part),
                      make_in_process_stage(testing::component_of(part, seed, diary, seed % 4), play.names),
                      SessionOptions());
        SessionResult outcome = tester.run(seed);
        if (!diary.dropped || diary.gave_up) continue;
        ++dropped;
        found += outcome.verdict == Verdict::fail;
        missing += outcome.problem == Problem::missing_message;
        if (outcome.verdict == Verdict::fail) continue;
        ++allowed;
        ASSERT_TRUE(PlainJudge(tester.part(), outcome.exchanges).silence_allowed())
            << told(play.spec, outcome);
    }
    EXPECT_GT(found, dropped / 2);
    EXPECT_GT(missing, 0u);
    EXPECT_LT(allowed, dropped / 4);
}

// The same stage, and how often it is waited on.
class CountingStage final : public Stage {
public:
    CountingStage(std::unique_ptr<Stage> stage, std::size_t& waits)
        : stage_(std::move(stage)), waits_(waits) {}

    base::Result<void> begin() override { return stage_->begin(); }
    base::Result<std::unique_ptr<Transport>> open(model::RoleId role, Time deadline) override {
        return stage_->open(role, deadline);
    }
    void wait(std::span<Transport* const> transports, Time until) override {
        ++waits_;
        stage_->wait(transports, until);
    }
    Time now() const override { return stage_->now(); }
    const Ending& ending() const override { return stage_->ending(); }
    const std::string& errors() const override { return stage_->errors(); }
    void look() override { stage_->look(); }
    void end(Time until) override { stage_->end(until); }

private:
    std::unique_ptr<Stage> stage_;
    std::size_t& waits_;
};

// A publisher and a subscriber at a server. After `a` the publisher and the server go on, and beside it the
// subscriber hears of it or not. What happens is the same whether that is a condition inside of `par`, or the
// other steps of the segment come first, or everything is in sequence.
struct Published {
    enum Form { condition_in_par, par, par_after, sequence };

    explicit Published(Form form) {
        model::RoleId pub = spec.alphabet->role("pub"), sub = spec.alphabet->role("sub");
        server = spec.alphabet->role("server");
        names = {{pub, "pub"}, {sub, "sub"}};
        auto message = [&](const char* name) { return spec.alphabet->message(name); };
        model::MessageId go = message("go");
        spec.messages.resize(spec.alphabet->message_count());
        expr::TypeId bit = spec.types->integer(0, 1);
        spec.messages[go.index].fields.push_back({spec.names->intern("q"), bit});
        expr::Pool& pool = *spec.pool;
        expr::VarId q = pool.declare(spec.names->intern("q"), bit);
        model::ProtocolBuilder builder("P", {}, {pub, sub, server});
        auto step = [&](model::RoleId from, model::RoleId to, const char* name) {
            builder.interaction({}, from, to, message(name));
        };
        auto open = [&](model::NodeKind kind) { builder.open(kind, {}); };
        auto not_told = [&] { step(pub, sub, "nothing"), step(sub, pub, "seen"); };
        open(model::NodeKind::sequence);
        step(sub, server, "hello"), step(server, sub, "d"), step(sub, pub, "ready");
        if (form == condition_in_par)
            builder.interaction({}, pub, server, go, {{q, {}, {}}});
        else
            builder.interaction({}, pub, server, go, {{{}, pool.integer(0), {}}});
        step(server, pub, "a");
        if (form == par_after || form == sequence) step(pub, server, "b");
        if (form == sequence) step(server, pub, "c");
        if (form != sequence) {
            open(model::NodeKind::parallel), open(model::NodeKind::sequence);
            if (form != par_after) step(pub, server, "b");
            step(server, pub, "c");
            builder.close(), open(model::NodeKind::sequence);
        }
        if (form == condition_in_par) {
            builder.open_conditional({}, pool.equal(pool.var(q), pool.integer(1)));
            open(model::NodeKind::sequence), step(server, sub, "d"), step(sub, pub, "seen"), builder.close();
            open(model::NodeKind::sequence), not_told(), builder.close();
            builder.close();
        } else {
            not_told();
        }
        if (form != sequence) builder.close(), builder.close();
        builder.close();
        protocol = builder.finish();
        EXPECT_TRUE(protocol) << builder.fault();
        spec.messages.resize(spec.alphabet->message_count());
        part = std::move(*roles::RolePart::make(spec, *protocol, server, {pub, sub}, ""));
    }

    model::Specification spec;
    std::optional<model::Protocol> protocol;
    model::RoleId server;
    std::map<model::RoleId, std::string> names;
    std::unique_ptr<roles::RolePart> part;
};

// Tells the subscriber although nothing was published, before it answers the publisher.
Task tells_too_much(InProcess& here) {
    if (!co_await here.receive("sub")) co_return;
    here.send("sub", "{\"message\": \"d\"}\n");
    auto go = co_await here.receive("pub");
    if (!go) co_return;
    here.send("sub", "{\"message\": \"d\"}\n");
    co_await here.pause(10ms);
    here.send("pub", "{\"message\": \"a\"}\n");
    co_await here.receive_any();
}

TEST(Playing, AMessageWithoutDataDoesNotBreakAConditionOnData) {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Published published(Published::condition_in_par);
        Tester tester(std::move(published.part), make_in_process_stage(tells_too_much, published.names),
                      SessionOptions());
        SessionResult outcome = tester.run(seed);
        ASSERT_NE(outcome.problem, Problem::wrong_data) << told(published.spec, outcome);
        // What is named is the message that may not come, not the right one after it.
        ASSERT_EQ(outcome.reason.find("received a"), std::string::npos) << outcome.reason;
        found += outcome.reason.find("sub received d") != std::string::npos;
    }
    EXPECT_GT(found, 0u);
}

// What a session costs, at most.
struct Work {
    std::size_t waits = 0, possibilities = 0;
    std::chrono::milliseconds time{};  // of the virtual clock
};

Work work_of(Published::Form form) {
    Work most;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(60); ++seed) {
        SCOPED_TRACE(seed);
        Published published(form);
        const roles::RolePart& part = *published.part;
        Diary diary;
        std::size_t waits = 0;
        auto stage = std::make_unique<CountingStage>(
            make_in_process_stage(testing::component_of(part, seed, diary), published.names), waits);
        Stage& clock = *stage;
        Tester tester(std::move(published.part), std::move(stage), SessionOptions());
        Time began = clock.now();
        SessionResult outcome = tester.run(seed);
        EXPECT_TRUE(outcome.completed) << told(published.spec, outcome);
        most.waits = std::max(most.waits, waits);
        most.possibilities = std::max(most.possibilities, outcome.possibilities);
        most.time =
            std::max(most.time, std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - began));
    }
    return most;
}

TEST(Playing, AnotherFormOfTheSameProtocolCostsNoMore) {
    Work plain = work_of(Published::sequence);
    for (Published::Form form : {Published::par_after, Published::par, Published::condition_in_par}) {
        SCOPED_TRACE(static_cast<int>(form));
        Work work = work_of(form);
        EXPECT_LE(work.waits, 2 * plain.waits);
        EXPECT_LE(work.possibilities, plain.possibilities + 4);
        EXPECT_LE(work.time, 2 * plain.time);
    }
}

}  // namespace
}  // namespace treaty::drive
