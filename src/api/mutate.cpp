#include "api/mutate.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "api/mutation_setup.h"
#include "api/test_files.h"
#include "base/wording.h"
#include "model/protocol_edit.h"
#include "testgen/translate.h"

namespace treaty::api {
namespace {

using testgen::Fate;
using testgen::Mutant;
using testgen::MutantVerdict;

// The cases that mutants are run with.
struct ChosenTests {
    std::vector<testgen::TestCase> cases;
    bool whole_run = true;
    bool every_case = false;  // these are all of the protocol in which no role waits
};

// Tests from a file have an alphabet of their own: they are translated to that of the protocol that is
// changed.
std::optional<std::vector<testgen::TestCase>> in_alphabet_of(const Inquiry& inquiry, const TestSource& source,
                                                             const RoleTests& saved) {
    std::vector<testgen::TestCase> cases;
    const auto& alphabet = source.input->specification.alphabet;
    auto acting = saved.kind == TestKind::dual ? testgen::Acting::others : testgen::Acting::own;
    for (const testgen::TestCase& old : saved.cases) {
        testgen::TestCase test;
        test.index = old.index;
        for (const testgen::TestMachine& machine : old.machines) {
            model::RoleId role = alphabet->find_role(saved.source->alphabet().name(machine.machine.role()));
            auto translated = testgen::translate(machine.machine, role, alphabet, acting);
            if (!role || !translated) {
                inquiry.report(codes::bad_usage, "the tests are for another protocol");
                return std::nullopt;
            }
            test.machines.push_back({std::move(*translated), machine.success, machine.waits});
        }
        cases.push_back(std::move(test));
    }
    return cases;
}

std::optional<ChosenTests> saved_tests(const Inquiry& inquiry, const std::string& path,
                                       const MutationSetup& setup) {
    auto saved = load_tests(inquiry, path);
    if (!saved) return std::nullopt;
    if (saved->source->name(saved->cut) != setup.source.name(setup.cut())) {
        inquiry.report(codes::bad_usage, fmt::format("{} has tests of another role", path));
        return std::nullopt;
    }
    auto cases = in_alphabet_of(inquiry, setup.source, *saved);
    if (!cases) return std::nullopt;
    return ChosenTests{std::move(*cases), saved->whole_run, false};
}

std::optional<ChosenTests> choose_tests(const Inquiry& inquiry, const MutateQuestion& question,
                                        const MutationSetup& setup) {
    if (!question.tests.empty()) return saved_tests(inquiry, question.tests, setup);
    auto cases = sample_tests(inquiry, setup, question.which, question.sample);
    if (!cases) return std::nullopt;
    bool every_case = question.which.kind == TestKind::roles && setup.suite.size() == Count(cases->size());
    return ChosenTests{std::move(*cases), setup.suite.whole_run(), every_case};
}

// The places of the machine that a mutant has changed. A change of the protocol is at the transitions of the
// step it is about, in all rounds of a loop.
std::vector<MutantPlace> places_of(const MutationSetup& setup, const Mutant& mutant) {
    std::vector<MutantPlace> places;
    if (mutant.state) {
        std::optional<std::size_t> edge;
        if (mutant.edge != UINT32_MAX) edge = mutant.edge;
        return {{mutant.state, edge}};
    }
    if (!mutant.node) return places;
    const model::Machine& machine = setup.suite.component();
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (std::size_t e = 0; e < machine.out(model::StateId(s)).size(); ++e)
            if (model::NodeId node = machine.node(model::StateId(s), e);
                node && model::same_step(*setup.source.projections->protocol, node, mutant.node))
                places.push_back({model::StateId(s), e});
    return places;
}

JudgedMutant describe(const Inquiry& inquiry, const MutationSetup& setup, const Mutant& mutant,
                      const MutantVerdict& verdict, const std::vector<testgen::TestCase>& tests) {
    JudgedMutant out;
    out.op = mutant.op;
    out.what = mutant.what;
    out.line = model::line_of(setup.source.projections->protocol.get(), mutant.node, inquiry.sources());
    out.fate = verdict.fate;
    out.explanation = verdict.explanation;
    out.places = places_of(setup, mutant);
    bool killed = verdict.fate == Fate::killed;
    if (killed && verdict.own_test)
        out.choices = choices_of(inquiry.sources(), setup.source, *verdict.own_test);
    else if (killed)
        out.test = tests[verdict.test].index;
    if (!verdict.failure) return out;
    const model::Machine& component = verdict.setting ? *verdict.setting->component : mutant.machine;
    testgen::TestCase with = verdict.own_test ? *verdict.own_test
                             : killed         ? tests[verdict.test]
                                              : setup.suite.whole();
    out.run = run_of_test(inquiry.sources(), setup.source, component, with.machines, *verdict.failure);
    return out;
}

void conclude(MutateAnswer& answer) {
    MutantCounts total = answer.total();
    std::size_t survived = total.of(Fate::survived), undecided = total.of(Fate::undecided);
    answer.reason =
        fmt::format("{} survived; score {:.3f}", base::counted(survived, "mutant"), total.score());
    if (undecided > 0) answer.bound.add("undecided", std::uint64_t{undecided});
    answer.verdict = survived > 0 ? Verdict::fails : undecided > 0 ? Verdict::undecided : Verdict::holds;
}

}  // namespace

std::size_t MutantCounts::all() const {
    std::size_t sum = 0;
    for (std::size_t n : by_fate_) sum += n;
    return sum;
}

double MutantCounts::score() const {
    std::size_t whole = of(Fate::killed) + of(Fate::survived) + of(Fate::undecided);
    return whole == 0 ? 1.0 : static_cast<double>(of(Fate::killed)) / static_cast<double>(whole);
}

MutantCounts MutateAnswer::total() const {
    MutantCounts counts;
    for (const JudgedMutant& mutant : mutants) counts.add(mutant.fate);
    return counts;
}

MutantCounts MutateAnswer::of(testgen::Operator op) const {
    MutantCounts counts;
    for (const JudgedMutant& mutant : mutants)
        if (mutant.op == op) counts.add(mutant.fate);
    return counts;
}

MutateAnswer mutate(const Workspace& workspace, const MutateQuestion& question, const Context& context) {
    MutateAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    auto setup = load_mutation(inquiry, question);
    auto tests = setup ? choose_tests(inquiry, question, *setup) : std::nullopt;
    if (!tests) return answer;
    std::vector<Mutant> mutants = make_mutants(inquiry, *setup, question.level);
    testgen::ComplianceOptions judging = setup->judging;
    judging.whole_run = tests->whole_run;
    testgen::MutationOptions how{judging, question.judge.global, context.jobs, tests->every_case};
    auto verdicts = testgen::judge_mutants(*setup->source.projections, setup->cut(), mutants, tests->cases,
                                           setup->suite.whole(), how);
    answer.tests = tests->cases.size();
    answer.component = setup->suite.component();
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        JudgedMutant judged = describe(inquiry, *setup, mutants[i], verdicts[i], tests->cases);
        if (judged.fate == Fate::survived && !answer.witness) answer.witness = judged.run;
        answer.mutants.push_back(std::move(judged));
    }
    conclude(answer);
    return answer;
}

}  // namespace treaty::api
