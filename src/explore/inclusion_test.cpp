#include "explore/inclusion.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/hash.h"
#include "explore/testing/random_system.h"

namespace treaty::explore {
namespace {

using base::Answer;
using model::Channels;
using model::EventKind;
using model::LabelId;
using model::Machine;
using model::Mode;
using model::StateId;
using Word = std::vector<LabelId>;

Word word_of(const model::System& system, const Run& step, bool interactions) {
    model::Alphabet& alphabet = *system.alphabet_ptr();
    Word word;
    if (step.size() == 2 && interactions) {
        model::Event event = alphabet.event(step[0].label);
        event.kind = EventKind::interaction;
        return {alphabet.label(event)};
    }
    for (const Step& s : step)
        if (s.label != alphabet.silent()) word.push_back(s.label);
    return word;
}

// A configuration, after the rest of a word has been read.
using Node = std::pair<Configuration, Word>;

// The language of a system as a deterministic machine, by the subset construction on plain configurations.
class Determinizer {
public:
    Determinizer(const Semantics& semantics, bool interactions)
        : semantics_(semantics), interactions_(interactions) {}

    std::optional<Machine> run(std::size_t limit, std::uint64_t drop) {
        model::MachineBuilder builder("language", semantics_.system().alphabet_ptr());
        number({{semantics_.initial(), {}}}, builder);
        std::size_t edges = 0;
        for (std::size_t i = 0; i < sets_.size(); ++i) {
            if (sets_.size() > limit) return std::nullopt;
            std::map<LabelId, std::set<Node>> next;
            for (const Node& node : sets_[i]) {
                if (!node.second.empty()) {
                    next[node.second[0]].insert(
                        {node.first, Word(node.second.begin() + 1, node.second.end())});
                    continue;
                }
                for (const Run& step : semantics_.steps(node.first)) {
                    Word word = word_of(semantics_.system(), step, interactions_);
                    if (word.empty()) continue;
                    next[word[0]].insert(
                        {*semantics_.after(node.first, step), Word(word.begin() + 1, word.end())});
                }
            }
            for (auto& [label, set] : next) {
                std::size_t target = number(std::move(set), builder);
                // A machine that lacks an edge does not include the system.
                if (++edges != drop) builder.edge(StateId(i), label, StateId(target));
            }
        }
        return builder.finish();
    }

private:
    std::size_t number(std::set<Node> set, model::MachineBuilder& builder) {
        std::vector<Node> todo(set.begin(), set.end());
        while (!todo.empty()) {
            Node node = std::move(todo.back());
            todo.pop_back();
            if (!node.second.empty()) continue;
            for (const Run& step : semantics_.steps(node.first)) {
                if (!word_of(semantics_.system(), step, interactions_).empty()) continue;
                Node silent{*semantics_.after(node.first, step), {}};
                if (set.insert(silent).second) todo.push_back(silent);
            }
        }
        auto [known, added] = numbers_.emplace(set, sets_.size());
        if (added) {
            sets_.push_back(std::move(set));
            builder.state();
        }
        return known->second;
    }

    const Semantics& semantics_;
    bool interactions_;
    std::map<std::set<Node>, std::size_t> numbers_;
    std::vector<std::set<Node>> sets_;
};

// Steps to the nearest refusal, by searching pairs of plain configurations and machine states.
std::optional<std::size_t> nearest_refusal(const Semantics& semantics, const Machine& language,
                                           bool interactions) {
    std::map<std::pair<Configuration, std::uint32_t>, std::size_t> depths;
    std::vector<std::pair<Configuration, std::uint32_t>> queue{{semantics.initial(), 0}};
    depths[queue[0]] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        auto [c, at] = queue[i];
        std::size_t depth = depths[queue[i]];
        for (const Run& step : semantics.steps(c)) {
            std::optional<std::uint32_t> state = at;
            for (LabelId label : word_of(semantics.system(), step, interactions)) {
                std::optional<std::uint32_t> next;
                if (state)
                    for (const model::Edge& e : language.out(StateId(std::size_t(*state))))
                        if (e.label == label) next = e.target.index;
                state = next;
            }
            if (!state) return depth + 1;
            std::pair next{*semantics.after(c, step), *state};
            if (depths.emplace(next, depth + 1).second) queue.push_back(next);
        }
    }
    return std::nullopt;
}

bool has_interactions(const Machine& m) {
    for (std::size_t s = 0; s < m.state_count(); ++s)
        for (const model::Edge& e : m.out(StateId(s)))
            if (m.alphabet().event(e.label).kind == EventKind::interaction) return true;
    return false;
}

TEST(Inclusion, agrees_with_a_plain_product) {
    int holds = 0, fails = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(seed);
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed / 8 % 2);
        Channels channels{static_cast<Mode>(seed % 4), 1 + static_cast<std::uint32_t>(seed / 4 % 2)};
        model::System system = random_system(seed, shape, channels);
        Semantics semantics(system);
        bool interactions = seed % 8 < 4;
        std::uint64_t drop = seed % 3 == 0 ? 0 : 1 + base::mix(seed) % 12;
        auto language = Determinizer(semantics, interactions).run(60, drop);
        if (!language) continue;
        // Without any interaction left the language speaks of sends and receives.
        if (channels.mode == Mode::sync && interactions && !has_interactions(*language)) continue;
        auto expected = nearest_refusal(semantics, *language, interactions);
        InclusionOptions options;
        options.jobs = 1 + static_cast<unsigned>(seed % 2);
        options.compress = seed % 5 == 0;
        InclusionReport report = included(system, *language, options);
        ASSERT_EQ(report.answer, expected ? Answer::fails : Answer::holds) << report.reason;
        expected ? ++fails : ++holds;
        if (!expected) continue;
        EXPECT_TRUE(semantics.replay(report.run));
        std::size_t steps = 0;
        for (const Step& s : report.run)
            steps +=
                channels.mode != Mode::sync || system.alphabet().event(s.label).kind != EventKind::receive;
        EXPECT_EQ(steps, *expected);
    }
    EXPECT_GT(holds, 200);
    EXPECT_GT(fails, 200);
}

// A machine that tells only so many different answers; those it remembers.
class Forgetful final : public Acceptor {
public:
    Forgetful(const Machine& machine, std::size_t room) : machine_(machine), room_(room) {}
    std::uint32_t initial() override { return 0; }
    std::uint32_t next(std::uint32_t state, LabelId label) override {
        if (!told_.contains({state, label})) {
            if (told_.size() == room_) {
                full = true;
                return unknown;
            }
            told_.insert({state, label});
        }
        for (const model::Edge& e : machine_.out(StateId(std::size_t(state))))
            if (e.label == label) return e.target.index;
        return refused;
    }
    std::string why_unknown() const override { return "no room"; }
    bool speaks_of_interactions() const override { return has_interactions(machine_); }

    bool full = false;

private:
    const Machine& machine_;
    std::size_t room_;
    std::set<std::pair<std::uint32_t, LabelId>> told_;
};

// A language that cannot be followed to its end gives no wrong answer: it is decided as with all of it, or
// not at all.
TEST(Inclusion, a_language_that_runs_out_of_room_is_undecided) {
    int undecided = 0, holds = 0, fails = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(seed);
        RandomShape shape;
        shape.machines = seed % 2 ? 4 : 2;
        shape.states = 2;
        shape.groups = seed % 2 ? 2 : 1;
        shape.endless = seed % 3 != 0;
        Channels channels{static_cast<Mode>(seed / 2 % 4), 1};
        model::System system = random_system(seed, shape, channels);
        Semantics semantics(system);
        auto language = Determinizer(semantics, false).run(100, seed % 5 < 3 ? 0 : 1 + base::mix(seed) % 20);
        if (!language) continue;
        auto expected = nearest_refusal(semantics, *language, false);
        Forgetful acceptor(*language, base::mix(seed) % 25);
        InclusionReport report = included(system, acceptor);
        if (report.answer == Answer::undecided) {
            ++undecided;
            EXPECT_TRUE(acceptor.full);
            EXPECT_EQ(report.reason, "no room");
            continue;
        }
        ASSERT_EQ(report.answer, expected ? Answer::fails : Answer::holds) << report.reason;
        expected ? ++fails : ++holds;
        EXPECT_TRUE(semantics.replay(report.run));
    }
    EXPECT_GT(undecided, 100);
    EXPECT_GT(holds, 30);
    EXPECT_GT(fails, 30);
}

struct Talk {
    std::shared_ptr<model::Alphabet> alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("B");
    LabelId send = alphabet->send(a, b, alphabet->message("m"));
    LabelId receive = alphabet->receive(a, b, alphabet->message("m"));

    Machine machine(std::string name, model::RoleId role,
                    std::vector<std::tuple<std::size_t, LabelId, std::size_t>> edges) {
        model::MachineBuilder builder(std::move(name), alphabet, role);
        std::size_t last = 0;
        for (auto [from, label, to] : edges) last = std::max({last, from, to});
        for (std::size_t s = 0; s <= last; ++s) builder.state();
        for (auto [from, label, to] : edges) builder.edge(StateId(from), label, StateId(to));
        return *builder.finish();
    }
    model::System system(Channels channels) {
        std::vector<Machine> machines;
        machines.push_back(machine("A", a, {{0, send, 0}}));
        machines.push_back(machine("B", b, {{0, receive, 0}}));
        return *model::make_system("talk", std::move(machines), channels);
    }
};

TEST(Inclusion, says_why_it_cannot_decide) {
    Talk talk;
    model::System system = talk.system({Mode::fifo, std::nullopt});
    Machine anything = talk.machine("any", {}, {{0, talk.send, 0}, {0, talk.receive, 0}});
    InclusionReport report = included(system, anything);
    EXPECT_EQ(report.answer, Answer::undecided);
    EXPECT_EQ(report.reason, "the channel from A to B is unbounded");

    // A counterexample near the start is found all the same.
    Machine two = talk.machine(
        "two", {}, {{0, talk.send, 1}, {1, talk.send, 2}, {1, talk.receive, 1}, {2, talk.receive, 2}});
    report = included(system, two);
    EXPECT_EQ(report.answer, Answer::fails);
    EXPECT_EQ(report.run.size(), 3u);

    Machine unclear = talk.machine("unclear", {}, {{0, talk.send, 0}, {0, talk.send, 1}});
    EXPECT_EQ(included(system, unclear).reason, "machine unclear is not deterministic");
    Machine silent = talk.machine("silent", {}, {{0, talk.alphabet->silent(), 0}});
    EXPECT_EQ(included(system, silent).answer, Answer::undecided);
    Talk other;
    EXPECT_EQ(included(system, other.machine("any", {}, {{0, other.send, 0}})).reason,
              "the system and the language have different alphabets");

    InclusionOptions options;
    options.limits.states = 1;
    model::System bounded = talk.system({Mode::fifo, 3});
    report = included(bounded, anything, options);
    EXPECT_EQ(report.answer, Answer::undecided);
    EXPECT_EQ(report.stopped, base::StopReason::states);
    EXPECT_EQ(included(bounded, anything).answer, Answer::holds);
}

}  // namespace
}  // namespace treaty::explore
