#include "campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/seeds.h"
#include "campaign/retry.h"

namespace treaty::campaign {
namespace {

// Those that a program seldom sends to itself.
bool is_sent_by_others(int signal) {
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGQUIT;
}

// Whether the component ended itself or was ended from outside.
void try_once_more(drive::Tester& tester, drive::SessionResult& outcome) {
    Retried again = retry(tester, rerun_of(outcome), 3);
    if (again.outcome.verdict == drive::Verdict::fail && again.outcome.signal == outcome.signal) return;
    bool repeated = can_be_tried_again(again.outcome.problem);
    outcome.problem = drive::Problem::ended_from_outside;
    outcome.verdict = verdict_of(outcome.problem);
    outcome.reason =
        fmt::format("the component was killed by signal {}, {}", outcome.signal,
                    repeated ? "but not when the run was repeated: something else has killed it, for example "
                               "the system when memory was short"
                             : "and the run could not be repeated to see whether that happens again");
}

class Campaign {
public:
    Campaign(std::span<const std::unique_ptr<drive::Tester>> testers, const CampaignOptions& options,
             const CampaignProgress& progress)
        : testers_(testers), options_(options), progress_(progress) {
        result_.coverage = roles::Coverage(testers.front()->part().net);
        for (const Finding& known : options.known) {
            causes_.push_back(cause_of(known.outcome));
            result_.findings.push_back(known);
        }
        over_ = !options.known.empty() && !options.keep_going;
    }

    CampaignResult run() {
        std::uint64_t calls_before = solver_calls();
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < testers_.size(); ++i)
            others.emplace_back([this, i] { work(*testers_[i]); });
        work(*testers_.front());
        for (std::thread& one : others) one.join();
        result_.solver_calls = solver_calls() - calls_before;
        std::sort(result_.findings.begin(), result_.findings.end(), [](const Finding& a, const Finding& b) {
            if (a.known_before || b.known_before)
                return a.known_before && (!b.known_before || a.kept < b.kept);
            return a.session < b.session;
        });
        std::sort(result_.records.begin(), result_.records.end(),
                  [](const SessionRecord& a, const SessionRecord& b) { return a.number < b.number; });
        return std::move(result_);
    }

private:
    std::uint64_t solver_calls() const {
        std::uint64_t calls = 0;
        for (const auto& tester : testers_) calls += tester->part().solver_calls();
        return calls;
    }

    void work(drive::Tester& tester) {
        for (;;) {
            std::uint64_t number = 0;
            {
                std::lock_guard lock(mutex_);
                if (over_ || next_ >= options_.sessions || options_.deadline.interrupted()) return;
                if (options_.deadline.passed()) {
                    result_.time_up = true;
                    return;
                }
                number = next_++;
            }
            roles::Coverage before = tester.coverage();
            std::unique_ptr<drive::Director> director =
                options_.director ? options_.director(number) : nullptr;
            std::uint64_t seed = base::seed_of(options_.seed, number);
            auto started = std::chrono::steady_clock::now();
            drive::SessionResult outcome =
                options_.challenge ? tester.challenge(seed) : tester.run(seed, director.get());
            if (outcome.verdict == drive::Verdict::fail && is_sent_by_others(outcome.signal))
                try_once_more(tester, outcome);
            std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - started;
            std::lock_guard lock(mutex_);
            record(number, outcome, lasted.count());
            take(number, std::move(outcome), tester, before);
            progress_(result_);
        }
    }

    void record(std::uint64_t number, const drive::SessionResult& outcome, double seconds) {
        if (result_.records.size() >= CampaignResult::most_records) return;
        result_.records.push_back({number, outcome.verdict, outcome.problem, outcome.completed,
                                   outcome.exchanges.size(), outcome.sent_bytes, outcome.received_bytes,
                                   seconds});
    }

    void take(std::uint64_t number, drive::SessionResult outcome, const drive::Tester& tester,
              const roles::Coverage& before) {
        ++result_.sessions;
        result_.messages += outcome.exchanges.size();
        result_.ended += outcome.ended;
        result_.tests_passed += outcome.test_passed;
        if (!outcome.challenge.empty()) ++result_.challenges[outcome.challenge];
        result_.possibilities = std::max(result_.possibilities, outcome.possibilities);
        see(tester.coverage(), before);
        switch (outcome.verdict) {
            case drive::Verdict::pass:
                ++(outcome.completed ? result_.completed : result_.unfinished);
                result_.nothing_sent += outcome.nothing_sent;
                if (!outcome.obstacle.empty()) result_.obstacle = std::move(outcome.obstacle);
                break;
            case drive::Verdict::fail: found(number, std::move(outcome), tester); break;
            case drive::Verdict::inconclusive:
                ++result_.unfinished;
                ++result_.inconclusive;
                if (outcome.problem == drive::Problem::interrupted && !options_.deadline.interrupted()) {
                    result_.time_up = over_ = true;
                    break;
                }
                over_ = over_ || !can_be_tried_again(outcome.problem);
                result_.unjudged = std::move(outcome);
        }
        if (options_.coverage &&
            result_.coverage.covered() * 100 >= result_.coverage.steps.size() * *options_.coverage)
            result_.coverage_reached = over_ = true;
    }

    // What the last session of this tester has added.
    void see(const roles::Coverage& now, const roles::Coverage& before) {
        std::size_t covered = result_.coverage.covered();
        for (std::size_t i = 0; i < now.steps.size(); ++i)
            for (std::uint64_t n = before.steps[i].seen; n < now.steps[i].seen; ++n)
                result_.coverage.note(now.steps[i].node, now.steps[i].to_component);
        result_.coverage.note_failures(now);
        for (const auto& [field, classes] : now.values)
            for (const auto& [name, count] : classes) {
                auto known = before.values.find(field);
                std::uint64_t had = 0;
                if (known != before.values.end())
                    if (auto one = known->second.find(name); one != known->second.end()) had = one->second;
                if (count > had) result_.coverage.values[field][name] += count - had;
            }
        if (result_.coverage.covered() > covered || result_.curve.empty())
            result_.curve.emplace_back(result_.sessions, result_.coverage.covered());
    }

    void found(std::uint64_t number, drive::SessionResult outcome, const drive::Tester& tester) {
        ++result_.fail;
        if (!options_.keep_going) over_ = true;
        std::string cause = cause_of(outcome);
        for (std::size_t i = 0; i < causes_.size(); ++i) {
            if (causes_[i] != cause) continue;
            Finding& same = result_.findings[i];
            ++same.count;
            if (!same.known_before && number < same.session) {
                same.session = number;
                same.outcome = std::move(outcome);
            }
            return;
        }
        causes_.push_back(std::move(cause));
        std::int64_t kept = options_.keep ? options_.keep(tester, outcome) : 0;
        result_.findings.push_back({std::move(outcome), number, 1, kept});
        if (result_.findings.size() >= options_.most_findings) over_ = true;
    }

    std::span<const std::unique_ptr<drive::Tester>> testers_;
    const CampaignOptions& options_;
    const CampaignProgress& progress_;
    std::mutex mutex_;
    std::uint64_t next_ = 0;
    bool over_ = false;
    std::vector<std::string> causes_;  // of the findings
    CampaignResult result_;
};

}  // namespace

CampaignResult run_campaign(std::span<const std::unique_ptr<drive::Tester>> testers,
                            const CampaignOptions& options, const CampaignProgress& progress) {
    return Campaign(testers, options, progress).run();
}

double failure_bound(std::uint64_t clean_sessions, double confidence) {
    if (clean_sessions == 0) return 1;
    return 1 - std::pow(1 - confidence, 1 / static_cast<double>(clean_sessions));
}

}  // namespace treaty::campaign
