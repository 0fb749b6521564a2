// Random protocols with data: a correct component, simulated with every delay and with values, is never
// blamed.
#include <gtest/gtest.h>

#include <map>

#include "base/seeded_random.h"
#include "choreo/project_net.h"
#include "choreo/testing/data.h"
#include "choreo/testing/seeds.h"
#include "track/tracker.h"

namespace treaty::track {
namespace {

using base::SeededRandom;

struct Message {
    model::LabelId label;
    Values values;
};

// The component itself: marking, values, and the messages on their way in both directions, by peer.
class DataComponent {
public:
    DataComponent(const model::Net& net, model::RoleId role, SeededRandom& random)
        : net_(net), relevance_(net, role), random_(random), marking_(initial_marking(net)) {}

    Values some_values(const model::Transition& t) {
        Values values;
        for (const model::Argument& a : t.data) {
            auto known = a.value ? expr::evaluate(*net_.pool(), a.value, environment_) : expr::Result();
            auto* value = a.value ? std::get_if<expr::Value>(&known) : nullptr;
            values.push_back(value ? *value : expr::Value(std::int64_t{random_.below(3)}));
        }
        return values;
    }

    // One step on its own, if the chosen one can be made.
    void step() {
        std::vector<std::pair<const model::Transition*, Values>> ways;
        for (const model::Transition& t : net_.transitions()) {
            if (!enabled(marking_, t)) continue;
            Values values;
            if (relevance_.input(t.label)) {
                auto& queue = inputs[relevance_.peer(t.label)];
                if (queue.empty() || queue.front().label != t.label) continue;
                values = queue.front().values;
            } else {
                values = some_values(t);
            }
            expr::Environment environment = environment_;
            if (run_data(*net_.pool(), t, given(t, values), environment)) ways.push_back({&t, values});
        }
        if (ways.empty()) return;
        auto& [t, values] = ways[random_.below(static_cast<std::uint32_t>(ways.size()))];
        run_data(*net_.pool(), *t, given(*t, values), environment_);
        marking_ = fired(marking_, *t);
        if (relevance_.input(t->label)) {
            auto& queue = inputs[relevance_.peer(t->label)];
            queue.erase(queue.begin());
        } else if (relevance_.output(t->label)) {
            outputs[relevance_.peer(t->label)].push_back({t->label, values});
        }
    }

    std::map<model::RoleId, std::vector<Message>> inputs, outputs;
    const Relevance& relevance() const { return relevance_; }

private:
    static std::optional<std::span<const expr::Value>> given(const model::Transition& t,
                                                             const Values& values) {
        if (t.silent()) return std::nullopt;
        return values;
    }

    const model::Net& net_;
    Relevance relevance_;
    SeededRandom& random_;
    Marking marking_;
    expr::Environment environment_;
};

// The sets of the tracker, which remembers steps, against inference from nothing.
class FromNothing {
public:
    FromNothing(const model::Net& net, model::RoleId role, const TrackOptions& options)
        : inference_(net, role, options), set_(inference_.start()) {}

    void check(const Tracker& tracker, model::LabelId label, const Values& values) {
        bool data = tracker.net().has_data();  // else no values are kept
        EventResult step =
            inference_.observe(set_, label, data ? std::make_shared<const Values>(values) : nullptr);
        if (tracker.lost()) return;
        set_ = std::move(step.after);
        auto got = tracker.configurations();
        EXPECT_EQ(got.size(), set_.size());
        for (const Configuration& c : set_) EXPECT_NE(std::find(got.begin(), got.end(), c), got.end());
        single += set_.size() == 1;
    }

    std::size_t single = 0;

private:
    Inference inference_;
    std::vector<Configuration> set_;
};

TEST(DataTracking, ACorrectComponentIsNeverBlamed) {
    std::size_t outputs = 0, with_data = 0, single = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(500); ++seed) {
        SCOPED_TRACE(seed);
        model::Specification spec;
        SeededRandom random(seed * 31);
        model::Protocol protocol = choreo::testing::RandomData(spec, seed, seed % 3 == 0).make(5);
        model::RoleId role = protocol.roles()[random.below(3)];
        auto net = choreo::project_net(spec, protocol, role);
        if (!net || !net->pool()) continue;
        TrackOptions options;
        options.shortcut = seed % 4 != 0;
        Tracker tracker(std::make_shared<TrackedNet>(*net, role, options));
        FromNothing plain(*net, role, options);
        DataComponent component(*net, role, random);
        std::string trace;
        for (int turn = 0; turn < 60 && !tracker.lost(); ++turn) {
            std::uint32_t kind = random.below(10);
            if (kind < 5) {
                component.step();
            } else if (kind < 8) {
                for (auto& [peer, queue] : component.outputs) {
                    if (queue.empty() || random.percent(40)) continue;
                    Message m = queue.front();
                    queue.erase(queue.begin());
                    trace += net->alphabet().print(m.label) + " ";
                    ++outputs;
                    with_data += !m.values.empty();
                    ASSERT_NE(tracker.observe_output(m.label, m.values), EventVerdict::refused) << trace;
                    plain.check(tracker, m.label, m.values);
                    break;
                }
            } else {
                auto choices = tracker.allowed_inputs();
                if (choices.empty()) continue;
                const InputChoice& choice = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
                const model::Transition& t =
                    net->transitions()[component.relevance().of_label(choice.label)[0].index];
                Values values(t.data.size(), expr::Value(std::int64_t{random.below(3)}));
                if (!tracker.takes(choice.label, values)) continue;
                trace += net->alphabet().print(choice.label) + " ";
                component.inputs[component.relevance().peer(choice.label)].push_back({choice.label, values});
                // A copy: what was allowed is asked anew after the event.
                model::LabelId label = choice.label;
                ASSERT_EQ(tracker.observe_input(label, values), EventVerdict::allowed) << trace;
                plain.check(tracker, label, values);
            }
        }
        single += plain.single;
    }
    EXPECT_GT(single, 300u);
    EXPECT_GT(outputs, 300u);
    EXPECT_GT(with_data, 100u);
}

TEST(DataTracking, ValuesAreCheckedAndExpected) {
    model::Specification spec;
    expr::VarId x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
    model::RoleId a = spec.alphabet->role("A"), b = spec.alphabet->role("B");
    model::MessageId ping = spec.alphabet->message("ping"), pong = spec.alphabet->message("pong");
    model::ProtocolBuilder builder("Ping", {}, {a, b});
    builder.open(model::NodeKind::sequence, {});
    builder.interaction({}, a, b, ping, {{x, {}, {}}});
    builder.interaction({}, b, a, pong, {{{}, spec.pool->var(x), {}}});
    builder.close();
    auto protocol = builder.finish();
    spec.messages.resize(spec.alphabet->message_count());
    auto net = choreo::project_net(spec, *protocol, b);
    Tracker tracker(std::make_shared<TrackedNet>(*net, b));
    model::LabelId sent = spec.alphabet->receive(a, b, ping), back = spec.alphabet->send(b, a, pong);
    ASSERT_EQ(tracker.observe_input(sent, Values{expr::Value(std::int64_t{7})}), EventVerdict::allowed);
    auto expected = tracker.expected_outputs();
    ASSERT_EQ(expected.size(), 1u);
    auto fields = tracker.known_fields(expected[0]);
    ASSERT_TRUE(fields.at(0).has_value());
    EXPECT_EQ(fields[0]->integer(), 7);
    Tracker snapshot = tracker;
    EXPECT_EQ(tracker.observe_output(back, Values{expr::Value(std::int64_t{8})}), EventVerdict::refused);
    EXPECT_EQ(snapshot.observe_output(back, Values{expr::Value(std::int64_t{7})}), EventVerdict::allowed);
    EXPECT_TRUE(snapshot.may_end());
}

// Many configurations that only their data tells apart: none twice, in the order in which they came.
TEST(ConfigurationSet, IsOfDataToo) {
    ConfigurationSet set;
    constexpr std::int64_t many = 5000;
    auto with = [](std::int64_t n) {
        Configuration c{{1, 2}, {}, {}};
        c.environment.set(expr::VarId(1), n);
        return c;
    };
    for (std::int64_t n = 0; n < many; ++n) {
        EXPECT_TRUE(set.add(with(n)));
        EXPECT_FALSE(set.add(with(n / 2)));
    }
    ASSERT_EQ(set.size(), static_cast<std::size_t>(many));
    for (std::int64_t n = 0; n < many; ++n) EXPECT_EQ(set[static_cast<std::size_t>(n)], with(n));
}

}  // namespace
}  // namespace treaty::track
