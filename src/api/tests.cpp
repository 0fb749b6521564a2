#include "api/tests.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/wording.h"
#include "testgen/codes.h"
#include "testgen/observer.h"

namespace treaty::api {
namespace {

constexpr std::size_t most_cases = 100'000;  // made of one role
constexpr std::size_t most_ordered = 4096;   // looked at to find an order

// "ROLE=FILE".
struct Against {
    std::string role, file;
};

Against split_against(const std::string& text) {
    std::size_t equals = text.find('=');
    return {text.substr(0, equals), text.substr(equals + 1)};
}

class Maker {
public:
    Maker(const Inquiry& inquiry, const TestsQuestion& question, TestsAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer) {}

    void run() {
        auto loaded = load_test_source(inquiry_, question_.file, question_.tests);
        if (!loaded) return;
        source_ = std::make_shared<const TestSource>(std::move(*loaded));
        auto cuts =
            choose_roles(inquiry_, source_->input->specification, *source_->input->protocol, question_.cuts);
        auto judging =
            cuts ? compliance_options(inquiry_, question_.judge, source_->alphabet()) : std::nullopt;
        if (!judging || !usable(*cuts)) return;
        judging_ = std::move(*judging);
        for (model::RoleId cut : *cuts) {
            if (!make(cut)) return;
            if (!answer_.verdict) continue;
            // A counterexample remains one, however the search ended.
            if (projection_.failed > 0)
                inquiry_.fails("a case is not suitable, and not all cases were judged");
            return;
        }
        conclude();
    }

private:
    // False after reporting what does not go together.
    bool usable(const std::vector<model::RoleId>& cuts) const {
        if (question_.tests.kind == TestKind::dual && question_.by_coverage) {
            inquiry_.report(codes::bad_usage, "--order is about tests that play the other roles, not --dual");
            return false;
        }
        for (const std::string& against : question_.against) {
            if (against.find('=') == std::string::npos) {
                inquiry_.report(codes::bad_usage,
                                fmt::format("--against {} is not of the form ROLE=FILE", against));
                return false;
            }
            std::string role = split_against(against).role;
            if (std::any_of(cuts.begin(), cuts.end(),
                            [&](model::RoleId cut) { return source_->alphabet().name(cut) == role; }))
                continue;
            inquiry_.report(codes::bad_usage,
                            fmt::format("--against {}: --cut does not name {}", against, role));
            return false;
        }
        return true;
    }

    // The part of one role; false after reporting a fault. A verdict that is set ends the whole.
    bool make(model::RoleId cut) {
        testgen::TestSuite suite = source_->suite(cut, question_.tests);
        Cases all(suite, question_.tests);
        if (!all.counted()) {
            inquiry_.undecided(
                fmt::format("the cases of {} combine in too many ways to be counted; --keep-all counts them",
                            source_->name(cut)));
            answer_.bound.add("stopped", "states");
            return true;
        }
        TestsOfRole& role = answer_.roles.emplace_back();
        role.role = source_->name(cut);
        role.count = all.size();
        role.transitions = suite.component().edge_count();
        total_ += all.size();
        if (question_.count_only) return true;
        auto numbers = select(suite, all, role);
        if (!numbers) return false;
        auto made = make_cases(suite, all, *numbers);
        if (!made) return true;
        if (question_.check)
            judge(suite, suite.component(), *made, projection_);
        else
            role.unsuitable = check_suitable(suite, *made);
        if (answer_.verdict) return true;
        if (!judge_others(suite, *made, role.role)) return false;
        if (!answer_.verdict) role.tests = std::move(made);
        return true;
    }

    // The numbers of the cases that are asked for; nothing after reporting that there are too many.
    std::optional<std::vector<Count>> select(const testgen::TestSuite& suite, const Cases& all,
                                             TestsOfRole& role) const {
        std::uint64_t wanted = question_.sample.value_or(question_.first.value_or(most_cases));
        bool limited = question_.first || question_.sample;
        if (wanted > most_cases || (!limited && all.size() > Count(most_cases))) {
            inquiry_
                .report(testgen::codes::too_many_cases,
                        fmt::format("there are {} cases, and at most {} are made", all.size().get_str(),
                                    most_cases))
                .help("--first N or --sample N takes some of them, --count only counts");
            return std::nullopt;
        }
        if (!question_.by_coverage)
            return question_.sample ? testgen::sample_cases(all.size(), wanted, inquiry_.context.seed)
                                    : testgen::first_cases(all.size(), wanted);
        auto pool = testgen::sample_cases(suite.size(), most_ordered, inquiry_.context.seed);
        role.order = testgen::by_coverage(suite, pool, judging_.channels);
        if (role.order.size() > wanted) role.order.resize(wanted);
        std::vector<Count> numbers;
        for (const testgen::OrderedCase& taken : role.order) numbers.push_back(taken.number);
        return numbers;
    }

    // Null if there was no time for all.
    std::shared_ptr<const RoleTests> make_cases(const testgen::TestSuite& suite, const Cases& all,
                                                const std::vector<Count>& numbers) const {
        auto made = std::make_shared<RoleTests>();
        made->source = source_;
        made->cut = suite.cut();
        made->whole_run = suite.whole_run();
        made->kind = question_.tests.kind;
        made->size = all.size();
        for (const Count& number : numbers) {
            if (stopped(inquiry_)) return nullptr;
            made->cases.push_back(all.at(number));
            made->choices.push_back(choices_of(inquiry_.sources(), *source_, made->cases.back()));
        }
        return made;
    }

    void progress(std::size_t done, std::size_t total) const {
        if (inquiry_.context.progress)
            inquiry_.context.progress(CountProgress{"judging cases", done, total, {}});
    }

    testgen::Observer observer(const testgen::TestSuite& suite) const {
        return testgen::Observer(*source_->projections, suite.cut(), judging_.channels,
                                 inquiry_.context.deadline);
    }

    // Why the role's projection fails the cases (Coto 2023, definition 3.7); empty where it passes. No
    // value if not all cases were run. Channels that do not suit the protocol show here first, so this runs
    // whenever cases are made.
    std::optional<std::vector<std::string>> check_suitable(const testgen::TestSuite& suite,
                                                           const RoleTests& made) const {
        testgen::ComplianceOptions options = judging_;
        options.whole_run = suite.whole_run();
        testgen::Observer seen = observer(suite);
        std::vector<std::string> why;
        for (const testgen::TestCase& test : made.cases) {
            if (stopped(inquiry_)) return std::nullopt;
            progress(why.size(), made.cases.size());
            auto verdict = testgen::comply(suite.component(), test.machines,
                                           question_.judge.global ? &seen : nullptr, options);
            why.push_back(verdict.answer == Verdict::holds ? ""
                          : verdict.failure                ? verdict.failure->reason
                                                           : verdict.reason);
        }
        return why;
    }

    // Judges every case. The first failure of the projection becomes the witness.
    void judge(const testgen::TestSuite& suite, const model::Machine& component, const RoleTests& made,
               TestedMachine& row) {
        testgen::ComplianceOptions options = judging_;
        options.whole_run = suite.whole_run();
        options.rounds = source_->projections.get();
        testgen::Observer seen = observer(suite);
        for (const testgen::TestCase& test : made.cases) {
            if (stopped(inquiry_)) return;
            progress(row.tests, made.cases.size());
            auto verdict =
                testgen::comply(component, test.machines, question_.judge.global ? &seen : nullptr, options);
            ++row.tests;
            if (verdict.answer == Verdict::undecided) ++row.undecided;
            if (verdict.answer != Verdict::fails) continue;
            ++row.failed;
            if (&row != &projection_ || answer_.witness) continue;
            unsuitable_ = fmt::format("case {} of {} is not suitable: {}", test.index.get_str(),
                                      source_->alphabet().name(suite.cut()), verdict.failure->reason);
            answer_.witness =
                run_of_test(inquiry_.sources(), *source_, component, test.machines, *verdict.failure);
        }
    }

    // False after reporting a machine that cannot play the role.
    bool judge_others(const testgen::TestSuite& suite, const RoleTests& made, const std::string& role) {
        for (const std::string& text : question_.against) {
            Against against = split_against(text);
            if (against.role != role) continue;
            auto component = load_component(inquiry_, *source_, suite.cut(), against.file);
            if (!component) return false;
            TestedMachine& row = others_.emplace_back();
            row.component = against.file;
            row.roles = role;
            judge(suite, *component, made, row);
            if (answer_.verdict) break;
        }
        return true;
    }

    void conclude() {
        answer_.total = total_;
        answer_.data_left_aside = source_->projections->has_data;
        if (question_.check) {
            projection_.component = "projection";
            projection_.roles = question_.cuts;
            answer_.machines.push_back(projection_);
        }
        answer_.machines.insert(answer_.machines.end(), others_.begin(), others_.end());
        if (projection_.failed > 0) return inquiry_.fails(unsuitable_);
        if (projection_.undecided > 0)
            return inquiry_.undecided(
                fmt::format("{} undecided", base::counted(projection_.undecided, "test")));
        inquiry_.holds(question_.check ? "every test is suitable" : "");
    }

    const Inquiry& inquiry_;
    const TestsQuestion& question_;
    TestsAnswer& answer_;
    std::shared_ptr<const TestSource> source_;
    testgen::ComplianceOptions judging_;
    Count total_ = 0;
    TestedMachine projection_;  // if `check` asks
    std::vector<TestedMachine> others_;
    std::string unsuitable_;  // the first case that the projection does not pass, and why
};

}  // namespace

TestsAnswer tests(const Workspace& workspace, const TestsQuestion& question, const Context& context) {
    TestsAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    Maker(inquiry, question, answer).run();
    return answer;
}

}  // namespace treaty::api
