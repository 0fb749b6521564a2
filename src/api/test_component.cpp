#include "api/test_component.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/inquiry.h"
#include "api/program/abstract_tests.h"
#include "api/program/campaign_verdict.h"
#include "campaign/campaign.h"
#include "campaign/shrink_run.h"

namespace treaty::api {
namespace {

constexpr std::uint64_t most_parallel = 256;
constexpr std::chrono::seconds longest_shrinking{60};

// How long the component may take to be ready, unless the user sets another time.
std::chrono::milliseconds default_startup(const TestRequest& request) {
    // Without a command the component should run already, unless it is the one that connects.
    auto connects = [](const std::string& via) { return via.find("-listen:") != std::string::npos; };
    bool awaited = !request.command.empty() || std::any_of(request.via.begin(), request.via.end(), connects);
    return awaited ? std::chrono::seconds(60) : std::chrono::seconds(5);
}

std::string last_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

std::string_view trimmed(std::string_view line) {
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    return line;
}

TestNumbers numbers_of(const campaign::CampaignResult& c) {
    TestNumbers n;
    n.sessions = c.sessions;
    n.completed = c.completed;
    n.failed = c.fail;
    n.unfinished = c.unfinished;
    n.messages = c.messages;
    n.solver_calls = c.solver_calls;
    n.ended = c.ended;
    n.nothing_sent = c.nothing_sent;
    n.possibilities = c.possibilities;
    n.covered = c.coverage.covered();
    n.steps = c.coverage.steps.size();
    n.curve = c.curve;
    n.time_up = c.time_up;
    return n;
}

// With tables of its own, so that another thread can work on it.
ProtocolInput copy_of(const ProtocolInput& input) {
    auto position = input.protocol - input.specification.protocols.data();
    ProtocolInput result{input.specification.copy(), nullptr, input.digest};
    result.protocol = &result.specification.protocols[static_cast<std::size_t>(position)];
    return result;
}

// One test: a tester per session at once, each with a copy of the protocol; the first has the one that was
// read.
class ComponentTest {
public:
    ComponentTest(const Inquiry& inquiry, const TestQuestion& question, TestAnswer& answer)
        : inquiry_(inquiry),
          question_(question),
          request_(question.test),
          answer_(answer),
          kept_(inquiry, request_, question.store) {}

    // False after reporting what does not fit.
    bool set_up() {
        if ((request_.strategy == Strategy::profile) != !request_.profile.empty()) {
            inquiry_.report(codes::bad_usage, "--strategy profile and --profile FILE must be used together");
            return false;
        }
        request_.parallel = std::clamp<std::uint64_t>(request_.parallel, 1, most_parallel);
        auto startup = question_.startup.value_or(default_startup(request_));
        request_.startup_ms = static_cast<std::uint64_t>(startup.count());
        auto input = load_protocol(inquiry_, request_.file, request_.protocol);
        auto cut = input ? choose_role(inquiry_, *input, request_.cut, "--cut") : std::nullopt;
        if (!cut) return false;
        request_.digest = input->digest;
        cut_ = *cut;
        answer_.protocol = input->protocol->name();
        answer_.component = input->specification.alphabet->name(cut_);
        inputs_.push_back(std::make_unique<ProtocolInput>(std::move(*input)));
        while (inputs_.size() < request_.parallel)
            inputs_.push_back(std::make_unique<ProtocolInput>(copy_of(*inputs_.front())));
        for (const auto& one : inputs_) {
            auto tester = make_tester(inquiry_, request_, *one, cut_, question_.component);
            if (!tester) return false;
            testers_.push_back(std::move(tester));
        }
        return true;
    }

    void run() {
        if (!kept_.open()) return;
        answer_.store = kept_.path();
        answer_.seed = inquiry_.context.seed;
        answer_.strategy = request_.strategy;
        answer_.kept = kept_.try_all(input(), *testers_.front());
        campaign::CampaignOptions options = campaign_options();
        if (request_.strategy == Strategy::tests && !direct(options)) return;
        auto started = std::chrono::steady_clock::now();
        answer_.started = std::chrono::system_clock::now();
        begin_details();
        campaign::CampaignResult campaign = campaign::run_campaign(
            testers_, options,
            [&](const campaign::CampaignResult& so_far) { show(so_far, options.sessions); });
        answer_.numbers = numbers_of(campaign);
        if (campaign.unjudged && campaign.findings.empty() && !was_there(*campaign.unjudged)) return;
        if (campaign.sessions > 0) cover(campaign);
        add_findings(campaign.findings);
        kept_.finish();
        conclude(campaign, options.sessions);
        if (question_.details) {
            answer_.details = details_->of(campaign.coverage);
            for (const campaign::SessionRecord& one : campaign.records)
                answer_.records.push_back(session_of(one));
        }
        answer_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    }

private:
    ProtocolInput& input() { return *inputs_.front(); }

    campaign::CampaignOptions campaign_options() {
        campaign::CampaignOptions options;
        options.seed = inquiry_.context.seed;
        options.sessions = question_.sessions;
        options.deadline = inquiry_.context.deadline;
        options.keep_going = question_.keep_going;
        options.coverage = question_.until_coverage;
        options.challenge = request_.strategy == Strategy::negative || request_.strategy == Strategy::corrupt;
        options.known = kept_.still_failing();
        options.keep = kept_.keep();
        return options;
    }

    // The abstract tests of the role, one per session. False after reporting that there are none.
    bool direct(campaign::CampaignOptions& options) {
        tests_ = AbstractTests::make(inquiry_, request_.file, request_.protocol, cut_);
        if (!tests_) return false;
        options.sessions = tests_->choose(options.sessions, inquiry_.context.seed);
        options.director = [this](std::uint64_t number) { return tests_->director(number); };
        return true;
    }

    void show(const campaign::CampaignResult& so_far, std::uint64_t wanted) {
        tell(so_far);
        if (!inquiry_.context.progress) return;
        inquiry_.context.progress(CampaignProgress{so_far.sessions, wanted, so_far.messages,
                                                   so_far.coverage.covered(), so_far.coverage.steps.size(),
                                                   so_far.fail});
    }

    // What is shown while the campaign runs is made with a copy of the tables: those of the testers change.
    void begin_details() {
        if (!question_.details && !question_.observer.seen && !question_.observer.found) return;
        observed_ = std::make_unique<ProtocolInput>(copy_of(input()));
        details_.emplace(inquiry_, *observed_, cut_);
        if (question_.observer.seen)
            question_.observer.seen(details_->of(roles::Coverage(testers_.front()->part().net)));
    }

    // What has been seen for the first time, and failures with a new cause.
    void tell(const campaign::CampaignResult& so_far) {
        std::size_t covered = so_far.coverage.covered();
        if (question_.observer.seen && covered > told_covered_)
            question_.observer.seen(details_->of(so_far.coverage));
        told_covered_ = covered;
        for (; told_findings_ < so_far.findings.size(); ++told_findings_) {
            const campaign::Finding& one = so_far.findings[told_findings_];
            if (question_.observer.found) question_.observer.found(finding_of(one, std::nullopt, *observed_));
        }
    }

    static TestedSession session_of(const campaign::SessionRecord& record) {
        std::string_view outcome = record.problem != drive::Problem::none ? drive::to_string(record.problem)
                                   : record.completed                     ? "completed"
                                                                          : "unfinished";
        return {record.number,   std::string(outcome), record.verdict == drive::Verdict::fail,
                record.messages, record.sent_bytes,    record.received_bytes,
                record.seconds};
    }

    // Whether there was a component to test; reported if not.
    bool was_there(const drive::SessionResult& outcome) const {
        if (outcome.problem != drive::Problem::did_not_start) return true;
        std::string help =
            "without --run the component must already be running: start it first, or check --via";
        if (!request_.command.empty()) {
            std::string line = last_line(outcome.errors);
            help = line.empty() ? "" : "last line on its standard error: " + line;
        }
        inquiry_.report(codes::component_failed, outcome.reason).help(std::move(help));
        answer_.environment_failed = true;
        return false;
    }

    void cover(const campaign::CampaignResult& campaign) {
        // A failure is reported soon, and what was not seen yet matters less then.
        constexpr std::chrono::milliseconds after_failure{300}, otherwise{2000};
        answer_.coverage = tested_coverage(inquiry_, input(), testers_.front()->part(), campaign.coverage,
                                           campaign.findings.empty() ? otherwise : after_failure);
        answer_.coverage->merged = kept_.merge(input(), campaign);
        if (tests_) answer_.tests = ExecutedTests{tests_->size(), campaign.sessions, campaign.tests_passed};
        if (request_.strategy == Strategy::negative || request_.strategy == Strategy::corrupt)
            answer_.challenges = campaign.challenges;
        if (!testers_.front()->part().combinations) return;
        roles::Combinations all = *testers_.front()->part().combinations;
        for (const auto& one : testers_) all.merge(*one->part().combinations);
        auto [covered, refused, total] = all.totals();
        answer_.combinations = FieldCombinations{all.strength(), covered, refused, total};
    }

    // Makes the findings small, unless that is not wanted or was done before.
    void add_findings(const std::vector<campaign::Finding>& findings) {
        answer_.findings.emplace();
        for (const campaign::Finding& one : findings) {
            std::optional<campaign::Shrunk> shrunk;
            if (question_.shrink && !kept_.small_already(one.kept)) {
                campaign::ShrinkLimits limits;
                limits.deadline = inquiry_.context.deadline;
                limits.time = longest_shrinking;
                if (inquiry_.context.progress)
                    limits.progress = [&](std::size_t tries, std::size_t messages) {
                        inquiry_.context.progress(CountProgress{
                            "shrinking the failing run", tries, limits.tries,
                            fmt::format("{} of {} messages left", messages, one.outcome.exchanges.size())});
                    };
                shrunk = campaign::shrink_run(*testers_.front(), one.outcome, limits);
                kept_.improve(one.kept, input().specification, *shrunk);
            }
            answer_.findings->push_back(finding_of(one, shrunk, input()));
        }
    }

    TestFinding finding_of(const campaign::Finding& found, const std::optional<campaign::Shrunk>& shrunk,
                           const ProtocolInput& input) const {
        const drive::SessionResult& outcome = shrunk ? shrunk->outcome : found.outcome;
        TestFinding result;
        result.problem = outcome.problem;
        result.reason = outcome.reason;
        result.run = run_of(outcome, input, cut_, inquiry_.sources());
        result.explanations = outcome.explanations;
        for (model::NodeId node : outcome.expected) {
            std::uint32_t line = model::line_of(input.protocol, node, inquiry_.sources());
            if (line == 0) continue;
            TestFinding::Step step{
                line, std::string(trimmed(inquiry_.sources().line((*input.protocol)[node].span.file, line)))};
            auto same = [&](const TestFinding::Step& s) { return s.line == line && s.text == step.text; };
            if (std::none_of(result.expected.begin(), result.expected.end(), same))
                result.expected.push_back(std::move(step));
        }
        result.answers = outcome.answers;
        result.errors = outcome.errors;
        result.sessions = outcome.sessions;
        for (const drive::Exchange& e : outcome.exchanges) result.session_of.push_back(e.session);
        result.session = found.session;
        result.count = found.count;
        result.number = found.kept;
        result.known_before = found.known_before;
        if (shrunk)
            result.shrunk =
                TestFinding::Shrinking{found.outcome.exchanges.size(),
                                       outcome.sessions - std::min(outcome.sessions, found.outcome.sessions),
                                       shrunk->tries,
                                       shrunk->repeated,
                                       shrunk->failed,
                                       shrunk->gone};
        result.saved = saved_text(request_, input.specification, outcome);
        return result;
    }

    void conclude(const campaign::CampaignResult& campaign, std::uint64_t wanted) {
        if (!answer_.findings->empty()) {
            answer_.witness = answer_.findings->front().run;
            return inquiry_.fails(answer_.witness->ending);
        }
        CampaignVerdict verdict = judge(campaign, wanted, answer_.component, request_.strategy);
        answer_.verdict = verdict.verdict;
        answer_.reason = verdict.reason;
        answer_.failure_rate = verdict.failure_rate;
        if (verdict.verdict != Verdict::holds) answer_.bound.add("sessions", campaign.sessions);
    }

    const Inquiry& inquiry_;
    const TestQuestion& question_;
    TestRequest request_;
    TestAnswer& answer_;
    model::RoleId cut_;
    KeptFailures kept_;
    std::vector<std::unique_ptr<ProtocolInput>> inputs_;
    std::vector<std::unique_ptr<drive::Tester>> testers_;
    std::unique_ptr<AbstractTests> tests_;
    std::unique_ptr<ProtocolInput> observed_;
    std::optional<DetailsMaker> details_;
    std::size_t told_covered_ = 0, told_findings_ = 0;
};

}  // namespace

TestAnswer test_component(const Workspace& workspace, const TestQuestion& question, const Context& context) {
    TestAnswer answer;
    answer.inputs = {question.test.file};
    Inquiry inquiry(workspace, context, answer);
    ComponentTest test(inquiry, question, answer);
    if (test.set_up()) test.run();
    return answer;
}

}  // namespace treaty::api
