// The failures that `test` keeps in a store and tries again the next time.
//
// The store is made when there is something to keep, or when the user names it. What belongs to one test is
// known by its file, protocol, role, wire and how the component is started and reached: what another program
// passes is not fixed in this one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/inquiry.h"
#include "api/program/saved_run.h"
#include "campaign/campaign.h"
#include "campaign/failure_store.h"
#include "campaign/shrink_run.h"

namespace treaty::api {

// A kept failure and what became of it.
struct KeptFailure {
    enum class State : std::uint8_t {
        fixed,
        failed,
        undecided,
        passes,     // but the protocol has changed since it was found: the program may be unchanged
        not_tried,  // not a failure of what this run does
    };

    campaign::SavedFailure saved;
    State state = State::undecided;
    std::string reason;    // what happened now
    bool changed = false;  // the protocol has changed since it was found
    bool dropped = false;  // it is not kept any more
};
// "FIXED", "FAILED", "undecided", "passes", "not tried"
std::string_view to_string(KeptFailure::State state);

struct TriedAgain {
    KeptFailure failure;
    drive::SessionResult outcome;  // nothing in it if it could not be tried
};
TriedAgain try_again(const Inquiry& inquiry, const campaign::SavedFailure& saved, const ProtocolInput& input,
                     drive::Tester& tester);

// Null after reporting that it cannot be opened.
std::unique_ptr<campaign::FailureStore> open_store(const Inquiry& inquiry, const std::string& path);

// What is tested, and how.
std::string target_of(const TestRequest& request);

// What all runs of one test together have seen.
struct MergedCoverage {
    campaign::FailureStore::Seen seen;
    std::size_t total = 0;  // steps
};

// The store of one test.
class KeptFailures {
public:
    // path: empty for the default. All must outlive it.
    KeptFailures(const Inquiry& inquiry, const TestRequest& request, std::string path);

    // Opens what is there. False after reporting that it is not a store.
    bool open();
    const std::string& path() const { return path_; }

    // Tries those of this test that its strategy could have found; those that pass are dropped. Nothing if
    // there is no store.
    std::optional<std::vector<KeptFailure>> try_all(const ProtocolInput& input, drive::Tester& tester);
    // Those that still fail.
    std::vector<campaign::Finding> still_failing() const;
    // Whether it had been made small before it was kept.
    bool small_already(std::int64_t number) const;

    campaign::KeepFinding keep();
    void improve(std::int64_t number, const model::Specification& specification,
                 const campaign::Shrunk& small);
    // Adds what was covered; gives the sum over all runs. Nothing if there is no store.
    std::optional<MergedCoverage> merge(const ProtocolInput& input, const campaign::CampaignResult& campaign);
    // What could not be kept is reported.
    void finish();

private:
    bool make();
    campaign::SavedFailure saved(const model::Specification& specification,
                                 const drive::SessionResult& outcome) const;

    const Inquiry& inquiry_;
    const TestRequest& request_;
    std::string path_;
    bool named_;
    std::unique_ptr<campaign::FailureStore> store_;
    std::vector<TriedAgain> tried_;
    std::string fault_;  // why something could not be kept; reported by finish()
};

}  // namespace treaty::api
