// Random protocols, every role of them as the component, every delay: the tracker against the plain judge.
#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/net_machine.h"
#include "choreo/project_net.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "track/steps_of_run.h"
#include "track/testing/component.h"
#include "track/tracker.h"

namespace treaty::track {
namespace {

using base::SeededRandom;
using testing::Component;
using testing::Judge;
using testing::World;

choreo::RandomShape shape_of(SeededRandom& random) {
    choreo::RandomShape shape;
    shape.roles = 2 + random.below(2);
    shape.messages = 2 + random.below(3);
    shape.steps = 3 + random.below(6);
    shape.depth = 1 + random.below(3);
    shape.recursion = random.percent(30);
    shape.interrupts = random.percent(30);
    shape.semaphores = random.percent(20);
    shape.announced = random.percent(50);
    shape.careless = random.below(30);
    return shape;
}

// A trace as a tester sees it, and whether each input was safe to send.
struct Observed {
    std::vector<model::LabelId> trace;
    bool safe = true;
};

std::string text(const model::Net& net, const std::vector<model::LabelId>& trace) {
    std::string result;
    for (model::LabelId l : trace) result += (result.empty() ? "" : ", ") + net.alphabet().print(l);
    return result;
}

// Runs the component and a tester that sends what it may; `careful`: only what is safe.
Observed simulate(const model::Net& net, const Component& component, std::shared_ptr<TrackedNet> tracked,
                  SeededRandom& random, bool careful) {
    Observed result;
    World world = component.start();
    Tracker tracker(std::move(tracked));
    auto seen = [&](model::LabelId label) {
        result.trace.push_back(label);
        ASSERT_NE(tracker.observe(label), EventVerdict::refused)
            << "a correct component is blamed after " << text(net, result.trace);
    };
    for (int turn = 0; turn < 40 && result.trace.size() < 8 && !tracker.lost(); ++turn) {
        std::uint32_t kind = random.below(10);
        if (kind < 5) {
            auto next = component.next(world);
            if (!next.empty()) world = next[random.below(static_cast<std::uint32_t>(next.size()))];
        } else if (kind < 8 && !world.outputs.empty()) {
            auto queue = world.outputs.begin();
            std::advance(queue, random.below(static_cast<std::uint32_t>(world.outputs.size())));
            model::RoleId peer = queue->first;
            model::LabelId label = queue->second.front();
            Component::pop(world.outputs, peer);
            seen(label);
        } else {
            auto inputs = tracker.allowed_inputs();
            std::erase_if(inputs, [&](const InputChoice& c) { return careful && !c.safe; });
            if (inputs.empty()) continue;
            const InputChoice& choice = inputs[random.below(static_cast<std::uint32_t>(inputs.size()))];
            result.safe = result.safe && choice.safe;
            Component::push(world.inputs, component.relevance().peer(choice.label), choice.label);
            seen(choice.label);
        }
        if (::testing::Test::HasFatalFailure()) break;
    }
    return result;
}

// The trace with one event replaced, dropped or added.
std::vector<model::LabelId> changed(const model::Net& net, const Component& component,
                                    std::vector<model::LabelId> trace, SeededRandom& random) {
    std::vector<model::LabelId> outputs;
    for (const model::Transition& t : net.transitions())
        if (component.relevance().output(t.label)) outputs.push_back(t.label);
    if (outputs.empty()) return trace;
    auto any = outputs[random.below(static_cast<std::uint32_t>(outputs.size()))];
    auto at = random.below(static_cast<std::uint32_t>(trace.size() + 1));
    if (at < trace.size() && component.relevance().output(trace[at])) {
        if (random.percent(50))
            trace[at] = any;
        else
            trace.erase(trace.begin() + at);
    } else {
        trace.insert(trace.begin() + at, any);
    }
    return trace;
}

struct Counts {
    std::size_t traces = 0, refused = 0, lost = 0, most = 0;
};

// The verdict of every event, one letter each: a(llowed), r(efused: the trace ends), l(ost).
std::string verdicts(std::shared_ptr<TrackedNet> tracked, const std::vector<model::LabelId>& trace,
                     Counts& counts) {
    Tracker tracker(std::move(tracked));
    std::string result;
    for (model::LabelId label : trace) {
        EventVerdict verdict = tracker.observe(label);
        result += verdict == EventVerdict::allowed ? 'a' : verdict == EventVerdict::refused ? 'r' : 'l';
        counts.most = std::max(counts.most, tracker.configurations().size());
        if (verdict != EventVerdict::allowed) break;
    }
    return result;
}

void compare(const model::Net& net, const Component& component, std::shared_ptr<TrackedNet> exact,
             std::shared_ptr<TrackedNet> quick, const Observed& observed, bool compare_quick,
             Counts& counts) {
    ++counts.traces;
    std::string all = verdicts(exact, observed.trace, counts);
    if (all.find('l') != std::string::npos) {
        ++counts.lost;
        return;
    }
    // An input that no configuration can ever take ends the comparison: the judge never refuses inputs.
    bool input_refused =
        !all.empty() && all.back() == 'r' && component.relevance().input(observed.trace[all.size() - 1]);
    std::vector<model::LabelId> judged(observed.trace.begin(),
                                       observed.trace.begin() + static_cast<std::ptrdiff_t>(all.size()));
    if (input_refused) judged.pop_back();
    std::string plain;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        // Events after this one must not decide about it.
        Judge here(component, {judged.begin(), judged.begin() + static_cast<std::ptrdiff_t>(i + 1)});
        bool fine = true;
        for (std::size_t k = 0; k <= i && fine; ++k) fine = here.step();
        plain += fine ? 'a' : 'r';
        if (!fine) break;
    }
    std::string mine = all.substr(0, judged.size());
    counts.refused += mine.find('r') != std::string::npos;
    EXPECT_EQ(mine, plain) << text(net, judged);
    if (!compare_quick) return;
    std::string with_shortcut = verdicts(quick, judged, counts);
    if (with_shortcut.find('l') != std::string::npos) return;
    EXPECT_EQ(with_shortcut, mine) << text(net, judged);
}

TEST(RandomTracking, AgreesWithThePlainJudge) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(1200); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        model::Specification spec;
        model::Protocol protocol = choreo::random_protocol(spec, shape_of(random), seed);
        model::RoleId role =
            protocol.roles()[random.below(static_cast<std::uint32_t>(protocol.roles().size()))];
        auto net = choreo::project_net(spec, protocol, role);
        if (!net || !choreo::net_machine(*net, {}, role).machine) continue;
        Component component(*net, role);
        TrackOptions options;
        auto quick = std::make_shared<TrackedNet>(*net, role, options);
        options.shortcut = false;
        auto exact = std::make_shared<TrackedNet>(*net, role, options);
        for (int run = 0; run < 3; ++run) {
            bool careful = run != 2;
            Observed observed = simulate(*net, component, run == 1 ? exact : quick, random, careful);
            if (HasFatalFailure()) return;
            compare(*net, component, exact, quick, observed, observed.safe, counts);
            Observed other{changed(*net, component, observed.trace, random), false};
            compare(*net, component, exact, quick, other, false, counts);
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(counts.refused, counts.traces / 20);
    EXPECT_LT(counts.lost, counts.traces / 50);
}

// Whether the judge allows all of the trace; the role may take what was sent to it later than everything
// else.
bool allowed(const Component& component, const std::vector<model::LabelId>& trace) {
    Judge judge(component, trace);
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (!judge.step()) return false;
    return true;
}

TEST(RandomTracking, ThereIsARunForWhatIsAllowedAndItsStepsAreThoseMessages) {
    std::size_t found = 0, refused = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(1200); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        model::Specification spec;
        model::Protocol protocol = choreo::random_protocol(spec, shape_of(random), seed);
        model::RoleId role =
            protocol.roles()[random.below(static_cast<std::uint32_t>(protocol.roles().size()))];
        auto net = choreo::project_net(spec, protocol, role);
        if (!net || !choreo::net_machine(*net, {}, role).machine) continue;
        Component component(*net, role);
        auto tracked = std::make_shared<TrackedNet>(*net, role, TrackOptions());
        for (bool altered : {false, true}) {
            Observed observed = simulate(*net, component, tracked, random, true);
            if (HasFatalFailure()) return;
            if (altered) observed.trace = changed(*net, component, observed.trace, random);
            bool outputs = std::any_of(observed.trace.begin(), observed.trace.end(),
                                       [&](model::LabelId l) { return component.relevance().output(l); });
            if (!outputs) continue;
            std::vector<SeenEvent> events;
            for (model::LabelId l : observed.trace) events.push_back({l, {}});
            std::vector<model::NodeId> steps = steps_of_run(tracked->inference(), events);
            ASSERT_EQ(!steps.empty(), allowed(component, observed.trace)) << text(*net, observed.trace);
            ++(steps.empty() ? refused : found);
            for (std::size_t i = 0; i < steps.size(); ++i) {
                auto is_it = [&](const model::Transition& t) {
                    return t.label == observed.trace[i] && t.node == steps[i];
                };
                bool taken = std::any_of(net->transitions().begin(), net->transitions().end(), is_it);
                ASSERT_TRUE(taken || (!steps[i] && component.relevance().input(observed.trace[i])))
                    << text(*net, observed.trace);
            }
        }
    }
    EXPECT_GT(found, 500u);
    EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace treaty::track
