// The failures that `test` keeps and `replay` tries again, in the words of the command line.
//
// The store is made when there is something to keep, or when the user names it. What belongs to one test is
// told by its file, protocol, role, wire and how the component is started and reached: what another program
// passes is not fixed in this one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/run_file.h"
#include "cli/session.h"
#include "cli/tester_setup.h"
#include "drive/campaign.h"
#include "drive/failure_store.h"
#include "drive/shrink_run.h"

namespace treaty::cli {

// What is tested, and how.
std::string target_of(const TestRequest& request);

// The command that tries one of them again.
std::string replay_command(const std::string& store, std::int64_t number);

// Null after reporting that it cannot be opened.
std::unique_ptr<drive::FailureStore> open_store(Session& session, const std::string& path);

// One that was tried again.
struct TriedAgain {
    drive::SavedFailure saved;
    enum class Verdict : std::uint8_t {
        fixed,
        failed,
        undecided,
        passes,     // but the protocol has changed since it was found: nobody need have fixed anything
        not_tried,  // it is no failure of what this run does
    } verdict = Verdict::undecided;
    std::string reason;      // what happened now
    drive::Outcome outcome;  // nothing in it if it could not be tried
};
// "FIXED", "FAILED", "undecided", "passes", "not tried"
std::string_view to_string(TriedAgain::Verdict verdict);
report::Json to_json(const TriedAgain& one, const std::string& store);

TriedAgain try_again(Session& session, const drive::SavedFailure& saved, const ProtocolInput& input,
                     drive::Tester& tester);

// Whether the protocol has another text than when the run was saved; no if that is not known.
bool has_changed(const SavedRun& run, const ProtocolInput& input);

class KeptFailures {
public:
    // path: empty for the default. All must outlive it.
    KeptFailures(Session& session, const TestRequest& request, std::string path);

    // Opens what is there. False after reporting that it is no store.
    bool open();
    // Tries those of this test that its strategy could have found; those that pass are dropped. Says so in the
    // result.
    void try_all(const ProtocolInput& input, drive::Tester& tester);
    // Those that still fail.
    std::vector<drive::Finding> still_failing() const;
    // Whether it had been made small before it was kept.
    bool small_already(std::int64_t number) const;

    drive::KeepFinding keep();
    void improve(std::int64_t number, const model::Specification& specification, const drive::Shrunk& small);
    // Adds what was covered; the sum over all runs goes to the result.
    void merge(const ProtocolInput& input, const drive::CampaignResult& campaign);
    // Empty: it is kept nowhere.
    std::string replay(std::int64_t number) const {
        return number == 0 ? "" : replay_command(path_, number);
    }
    // What could not be kept is reported.
    void finish();

private:
    bool make();
    drive::SavedFailure saved(const model::Specification& specification, const drive::Outcome& outcome) const;

    Session& session_;
    const TestRequest& request_;
    std::string path_;
    bool named_;
    std::unique_ptr<drive::FailureStore> store_;
    std::vector<TriedAgain> tried_;
    void tell(const TriedAgain& one, bool dropped);
    std::string fault_;
};

}  // namespace treaty::cli
