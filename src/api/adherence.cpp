#include "api/adherence.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "base/wording.h"
#include "testgen/adherence.h"

namespace treaty::api {
namespace {

WrongComponent describe(const TestSource& source, const testgen::WrongPasser& wrong) {
    std::vector<model::Machine> machines;
    std::size_t next = 0;
    for (model::RoleId role : source.projections->protocol->roles())
        machines.push_back(role == wrong.component.role() ? wrong.component
                                                          : wrong.test.machines[next++].machine);
    auto system = model::make_system(std::string(source.input->protocol->name()), std::move(machines), {});
    return {wrong.departure.what, wrong.component, wrong.test.index, std::move(system.value())};
}

model::Run run_of(const base::SourceMap& sources, const TestSource& source,
                  const testgen::WrongPasser& wrong) {
    testgen::Failure shown;
    shown.kind = wrong.departure.early ? testgen::FailureKind::incomplete : testgen::FailureKind::refused;
    shown.run = wrong.departure.run;
    shown.reason = "no run of the protocol has this, and no test notices";
    return run_of_test(sources, source, wrong.component, wrong.test.machines, shown);
}

// The role and how its tests are judged; nothing after reporting what does not fit.
struct Subject {
    model::RoleId cut;
    testgen::ComplianceOptions judging;
};

std::optional<Subject> subject_of(const Inquiry& inquiry, const AdherenceQuestion& question,
                                  const TestSource& source) {
    auto roles = choose_roles(inquiry, source.input->specification, *source.input->protocol, question.cut);
    auto judging = roles ? compliance_options(inquiry, question.judge, source.alphabet()) : std::nullopt;
    if (!judging) return std::nullopt;
    if (roles->size() != 1) {
        inquiry.report(codes::bad_usage, "--adherence needs one role: give --cut only one");
        return std::nullopt;
    }
    if (question.tests.kind == TestKind::dual) {
        inquiry.report(codes::bad_usage, "--adherence is about tests that play the other roles, not --dual");
        return std::nullopt;
    }
    return Subject{roles->front(), std::move(*judging)};
}

void conclude(const Inquiry& inquiry, AdherenceAnswer& answer, const TestSource& source,
              const std::string& role, const testgen::Adherence& found) {
    answer.decided = true;
    answer.knowledge = found.knowledge;
    answer.configurations = found.configurations;
    if (found.wrong) {
        answer.wrong = describe(source, *found.wrong);
        answer.witness = run_of(inquiry.sources(), source, *found.wrong);
        return inquiry.fails(
            fmt::format("a component passes every test of {}, but {}", role, answer.wrong->what));
    }
    if (found.answer == Verdict::undecided) {
        answer.bound.add("configurations", std::uint64_t{found.configurations});
        return inquiry.undecided(found.reason);
    }
    if (source.projections->unfolded) {
        // Later rounds are not tested, so a component may do anything there.
        answer.bound.add("rounds", std::uint64_t{source.times});
        return inquiry.undecided(
            fmt::format("it holds for runs of at most {} of each loop; later ones are not tested",
                        base::counted(source.times, "round")));
    }
    if (!found.reason.empty()) return inquiry.holds(found.reason);
    inquiry.holds(fmt::format(
        "every run of every component that passes the tests of {} is one of the protocol ({} of knowledge, "
        "{})",
        role, base::counted(found.knowledge, "state"), base::counted(found.configurations, "configuration")));
}

}  // namespace

AdherenceAnswer adherence(const Workspace& workspace, const AdherenceQuestion& question,
                          const Context& context) {
    AdherenceAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    auto source = load_test_source(inquiry, question.file, question.tests);
    auto subject = source ? subject_of(inquiry, question, *source) : std::nullopt;
    if (!subject) return answer;
    testgen::TestSuite suite = source->suite(subject->cut, question.tests);
    std::string role = source->name(subject->cut);
    if (!suite.counted()) {
        inquiry.undecided(fmt::format("the cases of {} combine in too many ways to be counted", role));
        answer.bound.add("stopped", "states");
        return answer;
    }
    conclude(inquiry, answer, *source, role,
             testgen::adherence(suite, subject->judging, question.judge.global));
    return answer;
}

}  // namespace treaty::api
