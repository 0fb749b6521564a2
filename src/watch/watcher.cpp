#include "watch/watcher.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include <unistd.h>

#include "base/pipe_signal.h"
#include "base/wait.h"

namespace treaty::watch {

namespace {

constexpr auto nap = std::chrono::milliseconds(10);

}  // namespace

Watcher::Watcher(const model::Specification& specification, const model::Protocol& protocol, Monitor& monitor,
                 Merge& merge, std::vector<std::string> logs, const MonitorOptions& monitoring,
                 WatcherOptions options)
    : specification_(specification),
      protocol_(protocol),
      monitor_(monitor),
      merge_(merge),
      options_(std::move(options)),
      clock_(monitoring.expire_ns),
      lines_(specification, protocol, std::move(logs)),
      batch_(batch_size) {
    totals_.resize(protocol.roles().size(), specification.properties.size());
}

Watcher::~Watcher() {
    if (out_ && out_ != stdout) std::fclose(out_);
}

base::Result<void> Watcher::begin() {
    monitor_.stream(!options_.verdicts.empty());  // the others are not read
    if (!options_.state.empty()) {
        monitor_.keep_changes();
        auto opened = StateFile::open(options_.state, options_.identity);
        if (!opened) return base::Fault{opened.error()};
        state_ = std::move(*opened);
        if (auto restored = restore(); !restored) return restored;
    }
    if (options_.verdicts.empty()) return {};
    if (options_.verdicts == "-") {
        out_ = stdout;
        return {};
    }
    // What was written after the last commit is judged, and written, again.
    out_ = std::fopen(options_.verdicts.c_str(), state_ && written_ > 0 ? "r+b" : "wb");
    if (!out_ || ::ftruncate(::fileno(out_), static_cast<off_t>(written_)) != 0 ||
        std::fseek(out_, 0, SEEK_END) != 0 || static_cast<std::uint64_t>(std::ftell(out_)) != written_)
        return base::Fault{options_.verdicts + ": " +
                           (errno ? std::strerror(errno) : "it is not the file that the last run wrote")};
    return {};
}

base::Result<void> Watcher::restore() {
    auto loaded = state_->load();
    if (!loaded) return base::Fault{loaded.error()};
    StateFile::Parts& parts = loaded->parts;
    if (parts.empty()) return {};
    Loader l(parts["watch"]);
    records_ = l.number();
    written_ = l.number();
    lines_.set_count(l.number());
    clock_.load(l);
    bool ok = totals_.load(l, specification_, protocol_.size()) && l.at_end();
    ok = ok && monitor_.load(parts["monitor"], std::move(loaded->sessions));
    if (!ok) return base::Fault{"its contents are damaged"};
    if (!merge_.load(parts["merge"]))
        return base::Fault{"a log has changed since the last run: it is shorter or has other contents"};
    return {};
}

base::Result<void> Watcher::commit() {
    drain();
    uncommitted_ = 0;
    if (!state_) return {};
    if (!flush()) return base::Fault{std::strerror(errno)};
    Saver s;
    s.number(records_);
    s.number(written_);
    s.number(lines_.count());
    clock_.save(s);
    totals_.save(s);
    StateFile::Parts parts{
        {"watch", s.take()}, {"monitor", monitor_.save_common()}, {"merge", merge_.save()}};
    StateFile::Sessions sessions;
    for (const std::string& name : monitor_.changed())
        sessions.emplace_back(name, monitor_.save_session(name));
    return state_->commit(parts, sessions);
}

void Watcher::commit_and_note() {
    auto committed = commit();
    if (written_well_) written_well_ = std::move(committed);
}

bool Watcher::flush() {
    std::optional<base::PipeSignalBlocked> blocked;
    if (out_ == stdout) blocked.emplace();
    return !out_ || std::fflush(out_) == 0;
}

void Watcher::write(std::vector<Notice>& notices) {
    // Only standard output can be a pipe: a file of verdicts is one that can be cut.
    std::optional<base::PipeSignalBlocked> blocked;
    if (out_ == stdout && !notices.empty()) blocked.emplace();
    for (const Notice& f : notices) {
        if (auto* report = std::get_if<SessionReport>(&f)) totals_.add(*report);
        if (auto* w = std::get_if<Withdrawal>(&f); w && !w->role) totals_.withdraw_clock();
        if (!out_) continue;
        std::string line = lines_.line(f);
        if (std::fwrite(line.data(), 1, line.size(), out_) != line.size() && written_well_)
            written_well_ = base::Fault{options_.verdicts + ": " + std::strerror(errno)};
        written_ += line.size();
    }
    if (out_ && !notices.empty() && (options_.follow || out_ == stdout)) std::fflush(out_);
    notices.clear();
}

void Watcher::judge(const Record& record) {
    ++records_;
    monitor_.feed(record, clock_.see(record.time_ns), &fallen_);
    if (!fallen_.empty()) write(fallen_);
    ++uncommitted_;
}

void Watcher::drain() {
    while (judged_ < read_) judge(batch_[judged_++]);
}

ReadResult Watcher::step(bool impatient) {
    if (judged_ == read_) {
        read_ = judged_ = 0;
        ReadResult got = ReadResult::record;
        while (read_ < batch_size && (got = merge_.next(batch_[read_], impatient)) == ReadResult::record)
            ++read_;
        if (read_ == 0) return got;
        monitor_.prepare(std::span(batch_).first(read_));
    }
    judge(batch_[judged_++]);
    // What was read and not judged cannot be committed.
    if (uncommitted_ >= options_.commit_every && judged_ == read_ && state_) commit_and_note();
    return ReadResult::record;
}

base::Result<void> Watcher::run(const std::function<bool()>& tick) {
    using base::Clock;
    auto since = [](Clock::time_point t) { return (Clock::now() - t).count(); };
    Clock::time_point heard = Clock::now();
    for (std::uint64_t turn = 0; written_well_; ++turn) {
        bool impatient = false;
        if ((turn & 1023) == 0 && !tick()) break;
        ReadResult got = step();
        if (got == ReadResult::wait) {
            impatient = since(heard) > options_.patience_ns;
            if (impatient) got = step(true);
        }
        if (got == ReadResult::end) break;
        if (got == ReadResult::record) {
            if (options_.follow && !impatient) heard = Clock::now();
            continue;
        }
        if (uncommitted_ > 0) commit_and_note();
        flush();
        // Time also passes for silent sessions.
        monitor_.pass_time(clock_.now() + since(heard), &fallen_);
        write(fallen_);
        if (options_.idle_ns > 0 && since(heard) > options_.idle_ns) merge_.stop_following();
        base::pause_until(Clock::now() + nap);
        if (!tick()) break;
    }
    return written_well_;
}

const Totals& Watcher::finish() {
    drain();
    for (const SessionReport& report : monitor_.finish(&fallen_)) fallen_.emplace_back(report);
    write(fallen_);
    flush();
    return totals_;
}

}  // namespace treaty::watch
