// Klomp 2018, tables 1 to 10 and figure 6. Its figures are lost; the nets are rebuilt from the text.
#include <algorithm>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "track/testing/nets.h"
#include "track/tracker.h"

namespace treaty::track {
namespace {

using testing::make_net;
using testing::TestNet;

const char* spec3 = "s0 a? s1  s1 y! s2  s0 x! s3  s3 a? s4  s4 z! s5";
const char* spec4 = "s0 a? s1  s1 b? s2  s0 x! s3  s3 a? s4";
const char* spec5a = "s0 a? s1  s1 b? s2  s2 x! s3";
const char* spec5b = "s0 a? s1  s1 x! s2  s0 x! s3  s3 a? s4";
const char* spec6 = "s0 a? s1  s1 x! s0  s0 b? s2  s2 y! s0  s1 b? s3  s2 a? s3  s3 x! s2  s3 y! s1";
const char* spec7 = "p0 x! p5  p0 x! p1+p3  p1 y! p2  p3 z! p4";
const char* spec8 = "p1 a? p2  p0+p2 x! p3";
const char* spec9 = "p0 z! p1+p3  p1 a? p2  p2 x! p1  p3 b? p4  p4 y! p3  p2+p4 z! p5";
const char* spec10 = "p0 x! p1  p1 a? p2  p1 ~ p2  p2 b? p3";
const char* spec11 = "p0 ~ p1  p2 ~ p3+p4  p2 ~ p4+p5  p4 x! p6";

// Each step: the event and the set after it.
struct Step {
    const char* event;
    const char* set;
};

void expect_table(const char* spec, bool shortcut, const std::vector<Step>& steps, const char* initial = "") {
    TestNet n = make_net(spec, initial);
    TrackOptions options;
    options.shortcut = shortcut;
    Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component, options));
    for (const Step& step : steps) {
        if (*step.event) {
            EventVerdict verdict = tracker.observe(n.label(step.event));
            EventVerdict wanted = *step.set ? EventVerdict::allowed : EventVerdict::refused;
            EXPECT_EQ(verdict, wanted) << spec << " at " << step.event;
        }
        if (!*step.set) continue;
        EXPECT_EQ(n.show(tracker.configurations()), step.set) << spec << " after " << step.event;
    }
}

// Aping (Klomp 2018, section 1.3, after Tretmans): whether a role may have run through `specified`, seen at
// the role itself, when an observer at the other end of two first-in first-out channels saw `observed`. The
// definition word for word, for traces without data over one channel each way. `subject` is the role; its
// receptions are the inputs, its sends the outputs.
//
// Output by output: the inputs that the role took before its first output must be a beginning of those sent
// before that output arrived; what was sent and not yet taken is carried over to the rest. Cost: quadratic.
bool apes(const model::Alphabet& alphabet, model::RoleId subject, std::span<const model::LabelId> specified,
          std::span<const model::LabelId> observed) {
    auto output = [&](model::LabelId label) {
        return alphabet.subject(label) == subject && alphabet.event(label).kind == model::EventKind::send;
    };
    std::vector<model::LabelId> sent;  // and not yet taken, in order
    while (true) {
        auto s = std::find_if(specified.begin(), specified.end(), output);
        auto o = std::find_if(observed.begin(), observed.end(), output);
        sent.insert(sent.end(), observed.begin(), o);
        std::span taken(specified.begin(), s);
        if (taken.size() > sent.size() || !std::equal(taken.begin(), taken.end(), sent.begin())) return false;
        if ((s == specified.end()) != (o == observed.end())) return false;
        if (s == specified.end()) return true;
        if (*s != *o) return false;
        sent.erase(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(taken.size()));
        specified = std::span(s + 1, specified.end());
        observed = std::span(o + 1, observed.end());
    }
}

TEST(Tables, Aping) {
    TestNet n = make_net("s0 a? s1  s1 b? s2  s2 x! s3");
    auto trace = [&](std::vector<const char*> events) {
        std::vector<model::LabelId> labels;
        labels.reserve(events.size());
        for (const char* e : events) labels.push_back(n.label(e));
        return labels;
    };
    auto ape = [&](std::vector<const char*> specified, std::vector<const char*> observed) {
        return apes(*n.alphabet, n.component, trace(specified), trace(observed));
    };
    EXPECT_TRUE(ape({"x!"}, {"a?", "x!"}));
    EXPECT_TRUE(ape({"x!", "a?"}, {"a?", "x!"}));
    EXPECT_FALSE(ape({"b?"}, {"a?", "b?"}));
    EXPECT_FALSE(ape({"a?", "x!"}, {"x!", "a?"}));
    EXPECT_TRUE(ape({}, {"a?", "b?"}));
    EXPECT_TRUE(ape({"a?"}, {"a?", "b?"}));
    EXPECT_FALSE(ape({"x!", "b?"}, {"a?", "b?", "x!"}));
}

TEST(Tables, Two) {
    expect_table(spec3, true, {{"", "s0"}, {"a?", "s0 a? | s1"}, {"x!", "s3 a? | s4"}, {"z!", "s5"}});
}

TEST(Tables, Three) {
    expect_table(spec4, true, {{"", "s0"}, {"a?", "s0 a? | s1"}, {"x!", "s3 a? | s4"}});
}

TEST(Tables, Four) {
    expect_table(spec5a, false,
                 {{"", "s0"}, {"a?", "s0 a? | s1"}, {"b?", "s0 a?.b? | s1 b? | s2"}, {"x!", "s3"}});
}

TEST(Tables, FourWithTheShortcut) {
    expect_table(spec5a, true, {{"a?", "s1"}, {"b?", "s2"}, {"x!", "s3"}});
}

TEST(Tables, FiveIsRefusedEitherWay) {
    expect_table(spec5a, true, {{"", "s0"}, {"a?", "s1"}, {"x!", ""}});
    // Tracked again without the shortcut, the report knows both places where it may have been sent.
    expect_table(spec5a, false, {{"", "s0"}, {"a?", "s0 a? | s1"}, {"x!", ""}});
}

TEST(Tables, TheMachineOfParallelSegmentsIsInaccurate) {
    expect_table(spec6, true, {{"a?", "s1"}, {"b?", "s1 b? | s3"}});
}

TEST(Tables, Six) {
    expect_table(spec7, true, {{"", "p0"}, {"x!", "p1,p3 | p5"}, {"y!", "p2,p3"}});
}

TEST(Tables, SixWithTheSameEventTwice) {
    expect_table("p0 x! p5  p0 x! p1+p3  p1 y! p2  p3 y! p4", true,
                 {{"x!", "p1,p3 | p5"}, {"y!", "p1,p4 | p2,p3"}});
}

TEST(Tables, SynchronisationOfTokens) {
    expect_table(spec8, true, {{"x!", ""}, {"a?", "p0,p2"}, {"x!", "p3"}}, "p0+p1");
}

TEST(Tables, Seven) {
    expect_table(spec9, true, {{"", "p0"}, {"z!", "p1,p3"}, {"a?", "p2,p3"}, {"b?", "p2,p4"}, {"z!", "p5"}});
}

TEST(Tables, EightAndNine) {
    // Table 8 is what taking silent steps at once would give; they are taken late, as in table 9.
    expect_table(spec10, true, {{"", "p0"}, {"x!", "p1"}, {"b?", "p3"}});
    expect_table(spec10, true, {{"x!", "p1"}, {"a?", "p2"}, {"b?", "p3"}});
}

TEST(Tables, Ten) {
    expect_table(spec11, true, {{"", "p0,p2"}, {"x!", "p0,p3,p6 | p0,p5,p6"}}, "p0+p2");
}

// By place: the inputs after which asynchronous inference is needed.
std::string must_wait(const char* spec) {
    TestNet n = make_net(spec);
    Relevance relevance(*n.net, n.component);
    std::map<std::string, std::string> rows;
    for (const auto& [name, place] : n.places)
        for (std::uint32_t l = 1; l < n.alphabet->label_count(); ++l) {
            if (!relevance.input(model::LabelId(l)) ||
                !relevance.must_wait(model::PlaceId(place), model::LabelId(l)))
                continue;
            rows[name] += n.alphabet->name(n.alphabet->event(model::LabelId(l)).message);
        }
    std::string result;
    for (const auto& [name, inputs] : rows) result += (result.empty() ? "" : " ") + name + ":" + inputs;
    return result;
}

TEST(Tables, FigureSix) {
    EXPECT_EQ(must_wait(spec3), "s0:a");
    EXPECT_EQ(must_wait(spec4), "s0:a");
    EXPECT_EQ(must_wait(spec5a), "");
    EXPECT_EQ(must_wait(spec5b), "s0:a");
    EXPECT_EQ(must_wait(spec6), "s1:ab s2:ab s3:ab");
    EXPECT_EQ(must_wait("A0 a? A1  A1 x! A0"), "A1:a");
    EXPECT_EQ(must_wait(spec7), "");
    EXPECT_EQ(must_wait(spec8), "");
    EXPECT_EQ(must_wait(spec9), "p0:ab p2:a p4:b");
    EXPECT_EQ(must_wait("p0 x! p0  p0 a? p1"), "p0:a");
}

TEST(Tables, WhatMayBeSent) {
    TestNet n = make_net(spec4);
    Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component));
    auto inputs = tracker.allowed_inputs();
    ASSERT_EQ(inputs.size(), 1u);
    EXPECT_EQ(inputs[0].label, n.label("a?"));
    EXPECT_TRUE(inputs[0].safe);
    EXPECT_FALSE(inputs[0].immediate);
    tracker.observe_input(n.label("a?"));
    // b is what the component waits for unless x is on its way: a race.
    inputs = tracker.allowed_inputs();
    ASSERT_EQ(inputs.size(), 1u);
    EXPECT_EQ(inputs[0].label, n.label("b?"));
    EXPECT_FALSE(inputs[0].safe);
    tracker.observe_output(n.label("x!"));
    EXPECT_TRUE(tracker.allowed_inputs().empty());
}

// What the other role leaves out is not a step of this one: it waits for both.
TEST(Tables, WhatIsOptionalMayBeSent) {
    auto safe = [](const std::string& net) {
        TestNet n = make_net(net);
        Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component));
        std::string result;
        for (const InputChoice& one : tracker.allowed_inputs())
            if (one.safe) result += n.alphabet->name(n.alphabet->event(one.label).message);
        return result;
    };
    EXPECT_EQ(safe("p0 x? p1  p1 z! p2  p0 ~ p2  p2 y? p3"), "xy");
    EXPECT_EQ(safe("p0 ~ p1  p0 ~ p3  p1 x? p2  p2 w? p3  p3 y? p4"), "xy");
    // Beside another segment that sends.
    EXPECT_EQ(safe("p0 ~ q0+r0  q0 x? q1  q0 ~ q1  q1 y? q2  r0 o! r1"), "xy");
    // Here the role may send instead of waiting: x may come too late.
    EXPECT_EQ(safe("p0 x? p1  p0 ~ p1  p1 w! p2"), "");
    // The role may have decided to send nothing more, and then it does not take x.
    EXPECT_EQ(safe("p0 w! p1  p1 x? p0  p0 ~ p2"), "");
    EXPECT_EQ(safe("p0 w! p1  p1 x? p0  p0 ~ p2  p2 y? p3"), "");
    EXPECT_EQ(safe("p0 w! p1  p1 x? p2  p0 ~ p2  p2 y? p3"), "");
    EXPECT_EQ(safe("p0 w! p1  p1 x? p2  p0 x? p2"), "x");
    EXPECT_EQ(safe("p0 w! p1  p1 x? p0  p0 end"), "");
    // It may be finished where others decide whether x comes.
    EXPECT_EQ(safe("p0 x? p1  p1 w! p0  p0 end"), "x");
    EXPECT_EQ(safe("p0 w! p1  p1 x? p2  p0 x? p2  p0 end"), "x");
}

TEST(Tables, WhatWasSentIsNotLeftOut) {
    // It may send x any number of times, then takes a and must answer, unless a is left out.
    TestNet n = make_net("p0 x! p0  p0 ~ p1  p1 a?U p2  p2 y! p3  p1 ~ p3");
    Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component));
    EXPECT_NE(tracker.fall_silent(), Silence::missing);
    tracker.observe_input(n.label("a?U"));
    EXPECT_EQ(tracker.fall_silent(), Silence::missing);
}

// Two peers that speak in turn: a reply that has come was sent, and says all that is to be known.
TEST(Tables, RepliesToOnePeerSettleWhatTheOtherMaySend) {
    TestNet n = make_net("p0 a? p1  p1 x! p2  p2 b?U p3  p3 y!U p4");
    Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component));
    tracker.observe_input(n.label("a?"));
    tracker.observe_output(n.label("x!"));
    EXPECT_EQ(n.show(tracker.configurations()), "p2");
    auto inputs = tracker.allowed_inputs();
    ASSERT_EQ(inputs.size(), 1u);
    EXPECT_EQ(inputs[0].label, n.label("b?U"));
    EXPECT_TRUE(inputs[0].safe && inputs[0].immediate);
    EXPECT_EQ(inputs[0].transitions.size(), 1u);
}

TEST(Tables, AReplyMayOvertakeOneToAnotherPeer) {
    TestNet n = make_net("p0 a? p1  p1 x!U p2  p2 y! p3");
    Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component));
    tracker.observe_input(n.label("a?"));
    EXPECT_EQ(tracker.observe_output(n.label("y!")), EventVerdict::allowed);
    EXPECT_EQ(n.show(tracker.configurations()), "p1 y!");
    EXPECT_EQ(tracker.observe_output(n.label("x!U")), EventVerdict::allowed);
    EXPECT_EQ(n.show(tracker.configurations()), "p3");
}

TEST(Tables, Silence) {
    TestNet n = make_net(spec5a);
    Tracker tracker(std::make_shared<TrackedNet>(*n.net, n.component));
    EXPECT_FALSE(tracker.must_output());
    tracker.observe_input(n.label("a?"));
    EXPECT_FALSE(tracker.must_output());
    tracker.observe_input(n.label("b?"));
    EXPECT_TRUE(tracker.must_output());
    auto expected = tracker.expected_outputs();
    ASSERT_EQ(expected.size(), 1u);
    EXPECT_EQ(expected[0].label, n.label("x!"));
    tracker.observe_output(n.label("x!"));
    EXPECT_FALSE(tracker.must_output());
    tracker.reset();
    EXPECT_EQ(n.show(tracker.configurations()), "s0");
}

}  // namespace
}  // namespace treaty::track
