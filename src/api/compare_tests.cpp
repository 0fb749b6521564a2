#include "api/compare_tests.h"

#include "api/suite/mutation_setup.h"

namespace treaty::api {

CompareTestsAnswer compare_tests(const Workspace& workspace, const MutateQuestion& question,
                                 const Context& context) {
    CompareTestsAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    auto setup = load_mutation(inquiry, question);
    if (!setup) return answer;
    std::vector<testgen::Mutant> mutants = make_mutants(inquiry, *setup, question.level);
    for (TestKind kind : {TestKind::roles, TestKind::dual})
        for (bool global : {true, false}) {
            TestOptions which = question.which;
            which.kind = kind;
            auto tests = sample_tests(inquiry, *setup, which, question.sample);
            if (!tests) return answer;
            testgen::ComplianceOptions judging = setup->judging;
            judging.whole_run = kind == TestKind::dual || setup->suite.whole_run();
            bool every_case = kind == TestKind::roles && setup->suite.size() == Count(tests->size());
            testgen::MutationOptions how{judging, global, context.jobs, every_case};
            ComparedTests& row = answer.rows.emplace_back();
            row.kind = kind;
            row.global = global;
            row.tests = tests->size();
            for (const testgen::MutantVerdict& verdict : testgen::judge_mutants(
                     *setup->source.projections, setup->cut(), mutants, *tests, setup->suite.whole(), how))
                row.mutants.add(verdict.fate);
        }
    answer.mutants = mutants.size();
    inquiry.holds();
    return answer;
}

}  // namespace treaty::api
