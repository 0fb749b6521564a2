// A whole watch: logs merged, fed to a monitor, verdicts written as they fall, state kept.
//
// Verdicts go to a file or to standard output as JSON lines (verdict_lines.h). With a state file, everything
// that has been judged is committed now and then together with the length of the verdict file. A watch that
// was killed goes on from the last commit: the verdict file is cut back to what belongs to it, and the
// records since are judged again, with the same result. So nothing is lost, and nothing is in the file twice;
// on standard output lines may come again, with the numbers they had. Sessions that are still open at the end
// stay open in the state: a later run with longer logs goes on with them.
//
// Records are read a few at a time, as many as are there, so that the sessions they belong to can be fetched
// from memory together; they are judged one by one, and committed only when all that were read are judged.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "watch/merge.h"
#include "watch/monitor.h"
#include "watch/state_file.h"
#include "watch/stream_clock.h"
#include "watch/totals.h"
#include "watch/verdict_lines.h"

namespace treaty::watch {

struct WatcherOptions {
    bool follow = false;
    std::int64_t idle_ns = 0;                  // following ends after so long without a record; 0: never
    std::int64_t patience_ns = 1'000'000'000;  // how long a log without records holds back the others
    std::string verdicts;                      // where verdicts go; "-": standard output; empty: nowhere
    std::string state;                         // state file; empty: none
    std::string identity;                      // what the state belongs to
    std::uint64_t commit_every = 10'000;       // records
};

class Watcher {
public:
    Watcher(const model::Specification& specification, const model::Protocol& protocol, Monitor& monitor,
            Merge& merge, std::vector<std::string> logs, const MonitorOptions& monitoring,
            WatcherOptions options);
    ~Watcher();

    // Opens what is to be written, and goes on where the state left off.
    base::Result<void> begin();
    // Judges one record. `wait`: there is no record yet.
    ReadResult step(bool impatient = false);
    // Judges all there is, and what comes while it follows; `tick` is called now and then and ends it by
    // giving false. A fault if verdicts or the state cannot be written.
    base::Result<void> run(const std::function<bool()>& tick);
    base::Result<void> commit();
    // Ends all sessions. The state stays as it was committed.
    const Totals& finish();

    const Totals& totals() const { return totals_; }  // of ended sessions
    std::uint64_t records() const { return records_; }
    std::uint64_t verdicts() const { return lines_.count(); }
    const StreamClock& clock() const { return clock_; }

private:
    static constexpr std::size_t batch_size = 16;

    void judge(const Record& record);
    void drain();
    void write(std::vector<Notice>& notices);
    bool flush();
    base::Result<void> restore();
    void commit_and_note();

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    Monitor& monitor_;
    Merge& merge_;
    WatcherOptions options_;
    StreamClock clock_;
    VerdictLines lines_;
    Totals totals_;
    std::unique_ptr<StateFile> state_;
    std::FILE* out_ = nullptr;
    std::uint64_t written_ = 0;  // bytes of verdicts
    std::uint64_t records_ = 0, uncommitted_ = 0;
    std::vector<Record> batch_;          // read
    std::size_t read_ = 0, judged_ = 0;  // of the batch
    std::vector<Notice> fallen_;
    base::Result<void> written_well_;  // until now: the first fault of writing
};

}  // namespace treaty::watch
