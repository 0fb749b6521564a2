#include <gtest/gtest.h>

#include <fmt/format.h>

#include "complete/domains.h"
#include "complete/online.h"
#include "complete/program_sut.h"
#include "csp/script.h"
#include "explore/refine/freedom.h"
#include "explore/testing/random_lts.h"

namespace treaty::complete {
namespace {

using base::Answer;
using explore::Observation;
using model::LabelId;
using model::Machine;
using model::StateId;

// A script, and the pieces that tests are made of.
struct Setting {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::unique_ptr<csp::Script> script;
    std::unique_ptr<csp::ProcessGraph> spec;
    std::vector<LabelId> events;
    explore::Limits limits;

    Setting(std::string text, const std::string& name) {
        script = csp::Script::read(sources, sources.add("test.csp", std::move(text)), diagnostics);
        EXPECT_TRUE(script);
        spec = script->graph(name, limits);
        events = events_of(*spec, 100000).labels;
    }
    std::string print(const std::vector<LabelId>& trace) const {
        std::string out;
        for (LabelId l : trace) out += (out.empty() ? "" : ",") + script->alphabet()->print(l);
        return "<" + out + ">";
    }
    std::string print(const Ran& ran) const {
        return fmt::format("({}, {}) {}", print(ran.test.trace), script->alphabet()->print(ran.test.offer[0]),
                           to_string(ran.verdicts));
    }
};

const std::string counter = R"(
    channel add, sub
    Counter = add -> Counter1
    Counter1 = add -> Counter2 [] sub -> Counter
    Counter2 = sub -> Counter1
    SUT = add -> add -> STOP
    FDend = add -> add -> sub -> STOP
)";
const std::string unbounded = "channel a, b\nUNBOUNDED = a -> UNBOUNDED [] b -> STOP\n";
const std::string alternate = R"(
    channel a, b
    S1 = a -> b -> S1
    FD1 = a -> FD1 [] b -> FD1
    FD2 = a -> (a -> FD2 [] b -> FD2)
)";

TEST(Complete, Example1CounterIsWhatItSays) {
    Setting s(counter, "Counter");
    explore::NormalForm normal(*s.spec);
    EXPECT_EQ(normal.steps(normal.initial()).size(), 1u);
    EXPECT_EQ(s.events.size(), 2u);
}

TEST(Complete, Example2TestsInOrder) {
    Setting s(alternate, "S1");
    auto any = s.script->graph("FD1", {});
    Product product(*s.spec, *any, Observation::traces, {});
    Plan made = plan(product, 4, 10);
    EXPECT_FALSE(made.complete);
    ASSERT_EQ(made.tests.size(), 4u);
    std::vector<std::string> shown;
    for (const complete::Test& t : made.tests)
        shown.push_back(s.print(t.trace) + s.script->alphabet()->print(t.offer[0]));
    EXPECT_EQ(shown, (std::vector<std::string>{"<>b", "<a>a", "<a,b>b", "<a,b,a>a"}));
}

TEST(Complete, Examples3To5UselessTestsAreNotMade) {
    Setting s(alternate, "S1");
    auto domain = s.script->graph("FD2", {});
    Product product(*s.spec, *domain, Observation::traces, {});
    Plan made = plan(product, 2, 10);
    ASSERT_EQ(made.tests.size(), 2u);
    EXPECT_EQ(s.print(made.tests[0].trace), "<a>");
    EXPECT_EQ(s.print(made.tests[1].trace), "<a,b,a>");
}

TEST(Complete, Example6CounterIsVerifiedInFiveTests) {
    Setting s(counter, "Counter");
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    auto sut = s.script->graph("SUT", {});
    GraphSut tested(*sut, *s.script->alphabet());
    std::vector<std::string> ran;
    OnlineOptions options;
    options.ran = [&](const Ran& r) { ran.push_back(s.print(r)); };
    OnlineReport report = test_online(product, *s.script->alphabet(), tested, options);
    EXPECT_EQ(report.answer, Answer::holds);
    std::vector<std::string> expected{"(<>, sub) pass", "(<add,sub>, sub) inc", "(<add,add>, add) pass",
                                      "(<add,add,sub,add>, add) inc", "(<add,add,sub,sub>, sub) inc"};
    std::sort(ran.begin() + 1, ran.begin() + 3, std::greater<>());  // of equal length: in any order
    std::sort(ran.begin() + 3, ran.end());
    EXPECT_EQ(ran, expected);
    EXPECT_EQ(report.domain, "add -> add -> sub -> STOP");
    EXPECT_FALSE(product.endless());
}

TEST(Complete, SharpExclusionNeedsFewerTests) {
    Setting s(counter, "Counter");
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    auto sut = s.script->graph("SUT", {});
    GraphSut tested(*sut, *s.script->alphabet());
    OnlineOptions options;
    options.sharp = true;
    OnlineReport report = test_online(product, *s.script->alphabet(), tested, options);
    EXPECT_EQ(report.answer, Answer::holds);
    EXPECT_EQ(report.tests, 4u);
}

TEST(Complete, Example7UnboundedIsKnownNotToEnd) {
    Setting s(unbounded, "UNBOUNDED");
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    auto lasso = product.endless();
    ASSERT_TRUE(lasso);
    EXPECT_EQ(s.print(lasso->cycle), "<a>");
    auto sut = s.script->graph("STOP", {});
    GraphSut tested(*sut, *s.script->alphabet());
    OnlineOptions options;
    options.tests = 100;
    OnlineReport report = test_online(product, *s.script->alphabet(), tested, options);
    EXPECT_EQ(report.answer, Answer::undecided);
    EXPECT_EQ(report.tests, 100u);
    // A probe, an event that nobody has, restores it.
    s.events.push_back(s.script->alphabet()->plain("probe"));
    Machine probed = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph wider(probed);
    Product restored(*s.spec, wider, Observation::traces, {});
    EXPECT_FALSE(restored.endless());
    EXPECT_EQ(test_online(restored, *s.script->alphabet(), tested, options).answer, Answer::holds);
}

TEST(Complete, Example8EveryFiniteCorrectCounterIsDecided) {
    Setting s(counter, "Counter");
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    EXPECT_FALSE(product.endless());
    EXPECT_TRUE(product.unbounded());
    for (const char* sut :
         {"STOP", "add -> STOP", "add -> sub -> add -> STOP", "add -> (sub -> STOP [] add -> STOP)"}) {
        auto graph = s.script->graph(sut, {});
        GraphSut tested(*graph, *s.script->alphabet());
        EXPECT_EQ(test_online(product, *s.script->alphabet(), tested).answer, Answer::holds) << sut;
    }
}

// A sensor: it samples when asked, its local processing filters, and a report is given or an alarm raised.
const std::string sensor = R"(
    datatype Level = low | high
    channel start, stop, tick
    channel sample, filtered, report, alarm : Level
    SENSOR = start -> SAMPLING
    SAMPLING = stop -> SENSOR [] tick -> sample?l -> PROCESS(l)
    PROCESS(l) = filtered.l -> (if l == high then alarm.l -> SAMPLING [] report.l -> SAMPLING
                                else report.l -> SAMPLING)
)";
// A caller's phone, the call centre that sorts calls, and the unit that answers.
const std::string emergency = R"(
    datatype Kind = fire | ill
    channel dial, hang, busy
    channel call, route, reject : Kind
    channel dispatch, arrived, done : Kind
    PHONE = dial -> call?k -> (hang -> PHONE [] busy -> PHONE)
    CENTRE = call?k -> (route.k -> CENTRE [] reject.k -> busy -> CENTRE)
    UNIT = route?k -> dispatch.k -> arrived.k -> done.k -> UNIT
    ERS = (PHONE [|{| call, busy |}|] CENTRE) [|{| route |}|] UNIT
    SPEC = ERS \ {| route |}
)";

// The traces of a random walk through the specification, sometimes with a wrong turn: a finite tree.
Machine random_finite(std::mt19937_64& random, explore::NormalForm& spec, const std::vector<LabelId>& events,
                      const std::shared_ptr<model::Alphabet>& alphabet) {
    model::MachineBuilder builder("sut", alphabet);
    struct Place {
        StateId state;
        explore::NormalId node;
        std::size_t depth;
    };
    std::vector<Place> work{{builder.state(), spec.initial(), 0}};
    bool faulty = random() % 2 == 0;
    std::size_t depth = 1 + random() % 4;
    for (std::size_t i = 0; i < work.size() && i < 30; ++i) {
        Place at = work[i];
        if (at.depth >= depth) continue;
        if (at.node) {
            auto steps = spec.steps(at.node);
            std::vector<explore::NormalStep> all(steps.begin(), steps.end());
            for (const auto& step : all) {
                if (random() % 4 == 0) continue;
                StateId next = builder.state();
                builder.edge(at.state, step.label, next);
                work.push_back({next, step.target, at.depth + 1});
            }
        }
        if (faulty && random() % 2 == 0)
            builder.edge(at.state, events[random() % events.size()], builder.state());
        if (random() % 5 == 0) builder.edge(at.state, alphabet->silent(), builder.state());
    }
    return builder.finish().value();
}

void thousand(const std::string& text, const std::string& name) {
    Setting s(text, name);
    const auto& alphabet = s.script->alphabet();
    Machine any = any_process(alphabet, s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    ASSERT_TRUE(product.complete());
    ASSERT_FALSE(product.endless());
    explore::NormalForm walk(*s.spec);
    std::size_t wrong = 0, right = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
        std::mt19937_64 random(seed);
        Machine sut = random_finite(random, walk, s.events, alphabet);
        explore::MachineGraph graph(sut, explore::MachineGraph::Finals::ignored);
        bool correct = explore::refines(*s.spec, graph).answer == Answer::holds;
        GraphSut tested(graph, *alphabet);
        OnlineReport report = test_online(product, *alphabet, tested);
        ASSERT_EQ(report.answer, correct ? Answer::holds : Answer::fails) << report.reason;
        (correct ? right : wrong)++;
    }
    EXPECT_GT(wrong, 150u);
    EXPECT_GT(right, 150u);
}

TEST(Complete, AThousandCounters) {
    thousand(counter, "Counter");
}
TEST(Complete, AThousandSensors) {
    thousand(sensor, "SENSOR");
}
TEST(Complete, AThousandEmergencies) {
    thousand(emergency, "SPEC");
}

// Whatever specification, domain and system: a verdict agrees with refinement, and domains only save tests.
TEST(Complete, RandomMachinesAgreeWithRefinement) {
    std::size_t decided = 0, ending = 0, silent = 0;
    for (std::uint64_t seed = 0; seed < 1200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        std::vector<LabelId> events{alphabet->plain("a"), alphabet->plain("b")};
        unsigned ends = seed % 2 == 0 ? 0 : 30;
        Machine spec =
            explore::random_lts(random, {1 + random() % 3, 2, 1 + random() % 6, 15, ends}, alphabet);
        unsigned taus = seed % 4 < 2 ? 15 : 45;
        Machine sut = explore::random_lts(random, {1 + random() % 3, 2, random() % 5, taus, ends}, alphabet);
        explore::MachineGraph s(spec), u(sut);
        for (Observation o : {Observation::traces, Observation::failures}) {
            explore::RefineOptions refine;
            refine.observation = o;
            bool calm = explore::divergence_free(s).answer == Answer::holds;
            silent +=
                o == Observation::failures && calm && explore::divergence_free(u).answer != Answer::holds;
            bool correct = explore::refines(s, u, refine).answer == Answer::holds;
            Machine any = any_process(alphabet, events, o, Ends::seen);
            explore::MachineGraph domain(any);
            Product product(s, domain, o, {});
            GraphSut tested(u, *alphabet);
            OnlineOptions options;
            options.tests = 200;
            OnlineReport report = test_online(product, *alphabet, tested, options);
            decided += report.answer != Answer::undecided;
            // What a specification refuses that runs silently for ever is not tested, and that is reported.
            if (report.answer == Answer::undecided && report.tests < options.tests) {
                ASSERT_TRUE(o == Observation::failures && !calm) << report.reason;
            }
            ending += report.answer == Answer::fails && report.last->test.offer.front().index == 0;
            if (report.answer != Answer::undecided) {
                ASSERT_EQ(report.answer == Answer::holds, correct) << to_string(o) << report.reason;
            }
            options.sharp = true;
            OnlineReport sharp = test_online(product, *alphabet, tested, options);
            if (sharp.answer != Answer::undecided) {
                ASSERT_EQ(sharp.answer == Answer::holds, correct);
            }
        }
    }
    EXPECT_GT(decided, 500u);
    EXPECT_GT(ending, 50u);
    EXPECT_GT(silent, 150u);
}

// A system that only runs silently for ever takes nothing and refuses nothing: as in failures refinement that
// is not a failure, wherever it happens, and the report names the place.
TEST(Complete, RunningSilentlyForEverIsNoRefusal) {
    Setting t(
        "channel a, b\nS = a -> b -> STOP\nLate = a -> DIV\nSome = a -> (DIV [] b -> STOP)\nLoud = DIV [] b "
        "-> STOP\n"
        "Weak = DIV |~| STOP\n",
        "S");
    struct Case {
        const char* process;
        Answer answer;
        std::optional<std::string> silent_after;
    };
    for (const Case& c : {Case{"DIV", Answer::holds, "<>"}, Case{"Late", Answer::holds, "<a>"},
                          Case{"Some", Answer::holds, "<a>"}, Case{"Loud", Answer::fails, std::nullopt},
                          Case{"Weak", Answer::fails, "<>"}, Case{"STOP", Answer::fails, std::nullopt}}) {
        SCOPED_TRACE(c.process);
        auto system = t.script->graph(c.process, t.limits);
        Machine any = any_process(t.script->alphabet(), t.events, Observation::failures, Ends::ignored);
        explore::MachineGraph domain(any);
        Product product(*t.spec, domain, Observation::failures, {});
        GraphSut tested(*system, *t.script->alphabet());
        OnlineReport report = test_online(product, *t.script->alphabet(), tested);
        EXPECT_EQ(report.answer, c.answer) << report.reason;
        auto silent = report.silent_after ? std::optional(t.print(*report.silent_after)) : std::nullopt;
        EXPECT_EQ(silent, c.silent_after);
        explore::RefineOptions refine;
        refine.observation = Observation::failures;
        EXPECT_EQ(explore::refines(*t.spec, *system, refine).answer, c.answer);
    }
}

// Forbidden traces and forbidden deadlocks together are failures refinement, and neither is alone: all tests
// with traces of up to a length are run, whatever their verdicts, and a system fails one exactly if
// refinement has a counterexample of that length.
TEST(Complete, BothFamiliesTogetherAreFailuresRefinement) {
    constexpr std::size_t length = 5;
    std::size_t right = 0, by_trace = 0, by_conf = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        std::vector<LabelId> events{alphabet->plain("a"), alphabet->plain("b")};
        unsigned ends = seed % 3 == 0 ? 25 : 0;
        Machine spec =
            explore::random_lts(random, {1 + random() % 3, 2, 1 + random() % 7, 20, ends}, alphabet);
        Machine sut = explore::random_lts(random, {1 + random() % 3, 2, random() % 5, 20, ends}, alphabet);
        explore::MachineGraph s(spec), u(sut);
        if (explore::divergence_free(s).answer != Answer::holds) continue;
        Machine any = any_process(alphabet, events, Observation::failures, Ends::seen);
        explore::MachineGraph domain(any);
        Product product(s, domain, Observation::failures, {});
        ASSERT_TRUE(product.complete());
        GraphSut tested(u, *alphabet);
        bool failed[2] = {};
        for (const complete::Test& test : plan(product, 100000, length).tests)
            if (tested.run(test).fail) failed[test.kind == TestKind::conf ? 1 : 0] = true;
        explore::RefineOptions refine;
        refine.observation = Observation::failures;
        explore::RefineReport report = explore::refines(s, u, refine);
        // A test of n events and one more shows what is wrong after n, or with the event that follows.
        bool near = report.answer == Answer::fails && report.counterexample->trace.size() <= length;
        if (report.answer == Answer::holds) {
            ASSERT_FALSE(failed[0] || failed[1]);
        } else if (near) {
            ASSERT_TRUE(failed[0] || failed[1]);
        }
        right += report.answer == Answer::holds;
        by_trace += failed[0] && !failed[1];
        by_conf += failed[1] && !failed[0];
    }
    EXPECT_GT(right, 100u);
    EXPECT_GT(by_trace, 30u);
    EXPECT_GT(by_conf, 100u);
}

// Counts the events that are not those of the test before: what a test costs beside its verdict.
class CountingSut final : public Sut {
public:
    explicit CountingSut(Sut& of) : of_(of) {}
    Verdicts run(const complete::Test& test) override {
        EXPECT_LE(test.same, std::min(test.trace.size(), last_.size()));
        for (std::size_t i = 0; i < test.same; ++i) EXPECT_EQ(test.trace[i], last_[i]);
        last_ = test.trace;
        fresh += test.trace.size() - test.same;
        all += test.trace.size();
        return of_.run(test);
    }
    std::uint64_t fresh = 0, all = 0;

private:
    Sut& of_;
    std::vector<LabelId> last_;
};

TEST(Complete, ATestCostsTheSameHoweverManyTracesAreExcluded) {
    Setting s(counter, "Counter");
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    GraphSut right(*s.spec, *s.script->alphabet());
    for (std::uint64_t tests : {1000, 20000}) {
        CountingSut counting(right);
        OnlineOptions options;
        options.tests = tests;
        OnlineReport report = test_online(product, *s.script->alphabet(), counting, options);
        EXPECT_EQ(report.excluded, tests);
        EXPECT_LT(counting.fresh, tests * 4);
        EXPECT_GT(counting.all, counting.fresh * 3);  // traces are much longer than what is new in them
    }
}

TEST(Complete, EndsAreTestedLikeEvents) {
    Setting s(
        "channel a, b\nSPEC = a -> (b -> SPEC [] SKIP)\nGOOD = a -> SKIP\nBAD = SKIP\nSTUCK = a -> STOP\n",
        "SPEC");
    EXPECT_TRUE(events_of(*s.spec, 1000).ends);
    auto test = [&](const std::string& name, Observation o) {
        Machine any = any_process(s.script->alphabet(), s.events, o, Ends::seen);
        explore::MachineGraph domain(any);
        Product product(*s.spec, domain, o, {});
        auto sut = s.script->graph(name, {});
        GraphSut tested(*sut, *s.script->alphabet());
        return test_online(product, *s.script->alphabet(), tested);
    };
    OnlineReport good = test("GOOD", Observation::traces);
    EXPECT_EQ(good.answer, Answer::holds);
    EXPECT_EQ(good.domain, "a -> SKIP");
    OnlineReport bad = test("BAD", Observation::traces);
    EXPECT_EQ(bad.answer, Answer::fails);
    EXPECT_EQ(bad.reason, "refuted: it ends at once, which is not allowed");
    // Not ending where one must is seen by what is refused.
    EXPECT_EQ(test("STUCK", Observation::traces).answer, Answer::holds);
    OnlineReport stuck = test("STUCK", Observation::failures);
    EXPECT_EQ(stuck.answer, Answer::fails);
    EXPECT_EQ(stuck.reason, "refuted: after 1 event it does not end, as it must");
    EXPECT_EQ(test("GOOD", Observation::failures).answer, Answer::holds);
}

TEST(Complete, MutantsAreADomain) {
    Setting s(counter, "Counter");
    Machine spec = *csp::compile(*s.spec, s.script->alphabet(), "Counter");
    auto union_of = mutants(spec, s.events, 100000);
    ASSERT_TRUE(union_of);
    explore::MachineGraph domain(*union_of);
    Product product(*s.spec, domain, Observation::traces, {});
    GraphSut right(*s.spec, *s.script->alphabet());
    OnlineOptions options;
    options.tests = 1000;
    // The specification itself is infinite, so only a domain decides it.
    OnlineReport report = test_online(product, *s.script->alphabet(), right, options);
    EXPECT_NE(report.answer, Answer::fails);
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph all(any);
    Product wider(*s.spec, all, Observation::traces, {});
    EXPECT_EQ(test_online(wider, *s.script->alphabet(), right, options).answer, Answer::undecided);
}

// A specification without cycles and a system that is one change away from it: the system is in the domain of
// mutants, and testing within that domain decides it, with no more tests than without a domain.
TEST(Complete, EveryMutantIsDecidedWithinTheMutants) {
    std::size_t right = 0, wrong = 0, saved = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        std::vector<LabelId> events{alphabet->plain("a"), alphabet->plain("b"), alphabet->plain("c")};
        std::size_t states = 2 + random() % 4;
        struct Arc {
            std::size_t from, to;
            LabelId label;
        };
        std::vector<Arc> arcs;
        for (std::size_t s = 0; s + 1 < states; ++s)
            for (std::size_t n = 1 + random() % 2; n > 0; --n)
                arcs.push_back({s, s + 1 + random() % (states - s - 1), events[random() % 3]});
        auto build = [&] {
            model::MachineBuilder builder("m", alphabet);
            for (std::size_t s = 0; s < states; ++s) builder.state();
            for (const Arc& e : arcs) builder.edge(StateId(e.from), e.label, StateId(e.to));
            return builder.finish().value();
        };
        Machine spec = build();
        Arc& changed = arcs[random() % arcs.size()];
        switch (random() % 4) {
            case 0: changed.label = events[random() % 3]; break;
            case 1: changed.to = random() % states; break;
            case 2: arcs.erase(arcs.begin()); break;
            default: arcs.push_back({random() % states, random() % states, events[random() % 3]}); break;
        }
        Machine sut = build();
        for (Observation o : {Observation::traces, Observation::failures}) {
            explore::RefineOptions refine;
            refine.observation = o;
            explore::MachineGraph s(spec), u(sut);
            auto all = mutants(spec, events, 100000);
            ASSERT_TRUE(all);
            explore::MachineGraph domain(*all);
            ASSERT_EQ(explore::refines(domain, u, refine).answer, Answer::holds);
            bool correct = explore::refines(s, u, refine).answer == Answer::holds;
            Product product(s, domain, o, {});
            GraphSut tested(u, *alphabet);
            OnlineReport report = test_online(product, *alphabet, tested);
            ASSERT_EQ(report.answer, correct ? Answer::holds : Answer::fails) << report.reason;
            Machine any = any_process(alphabet, events, o);
            explore::MachineGraph wide(any);
            OnlineReport wider = test_online(Product(s, wide, o, {}), *alphabet, tested);
            ASSERT_EQ(wider.answer, report.answer);
            ASSERT_LE(report.tests, wider.tests);
            saved += report.tests < wider.tests;
            (correct ? right : wrong)++;
        }
    }
    EXPECT_GT(right, 80u);
    EXPECT_GT(wrong, 200u);
    EXPECT_GT(saved, 15u);  // on machines this small there is not often something to save
}

TEST(Complete, LeastSetsThatMeetAll) {
    LabelId a(1u), b(2u), c(3u);
    auto sets = least_meeting({{a, b}, {b, c}}, 10);
    ASSERT_TRUE(sets);
    EXPECT_EQ(*sets, (std::vector<explore::Acceptance>{{b}, {a, c}}));
}

// A program in place of a model: a shell script that accepts add twice.
TEST(Complete, ProgramsAreTestedOverTheirStandardStreams) {
    Setting s(counter, "Counter");
    Machine any = any_process(s.script->alphabet(), s.events, Observation::traces);
    explore::MachineGraph domain(any);
    Product product(*s.spec, domain, Observation::traces, {});
    auto test = [&](const std::string& command, bool keep = false, int patience = 5000) {
        ProgramOptions options;
        options.keep = keep;
        options.patience = std::chrono::milliseconds(patience);
        ProgramSut sut(*parse_place(command, ""), *s.script->alphabet(), options);
        return test_online(product, *s.script->alphabet(), sut);
    };
    std::string twice =
        "n=0; while read w e; do if [ $w = reset ]; then n=0; echo ready; continue; fi; "
        "if [ $e = add ] && [ $n -lt 2 ]; then n=$((n+1)); echo accept $e; else echo refuse; fi; done";
    for (bool keep : {false, true}) {
        OnlineReport report = test(twice, keep);
        EXPECT_EQ(report.answer, Answer::holds) << report.reason;
        EXPECT_EQ(report.tests, 5u);
    }
    OnlineReport three =
        test("while read w e; do if [ $e = add ]; then echo accept $e; else echo refuse; fi; done");
    EXPECT_EQ(three.answer, Answer::fails);
    EXPECT_EQ(s.print(three.last->test.trace), "<add,add>");
    EXPECT_EQ(test("while read w e; do echo end; done").fault,
              WorldFault::nonsense);  // nobody said that it ends
    EXPECT_EQ(test("read w e; exit 3").fault, WorldFault::gone);
    EXPECT_EQ(test("while read w e; do echo accept mul; done").fault, WorldFault::nonsense);
    EXPECT_EQ(test("while read w e; do echo hello; done").fault, WorldFault::nonsense);
    EXPECT_EQ(test("tcp://127.0.0.1:1", false, 50).fault, WorldFault::start);
    EXPECT_EQ(test("unix:/nowhere/at/all", false, 50).fault, WorldFault::start);
    EXPECT_FALSE(parse_place("tcp://nowhere", ""));
    EXPECT_FALSE(parse_place("unix:", ""));
    EXPECT_FALSE(parse_place("stdio:", ""));
    EXPECT_FALSE(parse_place("sh serve.sh", "tpc://127.0.0.1:{port}"));
    auto started = parse_place("sh serve.sh", "udp-listen://127.0.0.1:{port}");
    ASSERT_TRUE(started);
    EXPECT_TRUE(started->calls && started->bound);
    EXPECT_FALSE(parse_place("udp://127.0.0.1:9", "")->bound);
}

}  // namespace
}  // namespace treaty::complete
