// Each thread repeats: take a unit of the level, expand some of its states into a batch, give the batch to
// the table, keep what was new. Two things need all threads at once: growing the table, and going to the next
// level. For both every thread leaves its phase and meets the others; the last to come decides what is next
// (plan()). A thread that leaves in the middle of a unit keeps the rest of it for its next phase.

#include "explore/search.h"

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace treaty::explore {

using base::StopReason;

template <int W>
Search<W>::Search(const Space<W>& space, Table<W>& table, Budget& budget, SearchOptions options)
    : space_(space),
      table_(table),
      budget_(budget),
      options_(std::move(options)),
      crew_(std::max(1u, options_.jobs)),
      pool_(budget) {
    options_.jobs = std::max(1u, options_.jobs);
    TREATY_CHECK(options_.jobs == 1 || table.concurrent());
    for (unsigned i = 0; i < options_.jobs; ++i)
        workers_.push_back(std::make_unique<Worker>(budget, space.max_successors()));
}

template <int W>
SearchOutcome Search<W>::run(Observer<W>* observer) {
    observer_ = observer;
    start_ = last_progress_ = std::chrono::steady_clock::now();
    if (!add_initial()) stop(StopReason::memory);
    next_level();
    std::vector<std::thread> others;
    for (unsigned i = 1; i < options_.jobs; ++i) others.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread& t : others) t.join();

    SearchOutcome outcome;
    outcome.stopped = stopped_;
    outcome.ended = ended_;
    outcome.complete = stopped_ == StopReason::none && !ended_;
    outcome.states = states_;
    outcome.depth = depth_;
    for (const auto& w : workers_) outcome.transitions += w->transitions;
    return outcome;
}

template <int W>
bool Search<W>::add_initial() {
    Worker& worker = *workers_[0];
    worker.batch.clear();
    worker.batch.room()[0] = space_.initial();
    worker.batch.add(1, 0);
    table_.insert(worker.batch, 0);
    worker.found = 1;
    states_ = 1;
    return worker.next.push(space_.initial(), pool_);
}

template <int W>
void Search<W>::stop(StopReason reason) {
    StopReason none = StopReason::none;
    stopped_.compare_exchange_strong(none, reason);
    pause_ = true;
}

template <int W>
void Search<W>::work(unsigned thread) {
    while (next_ != Next::finish) {
        phase(thread);
        crew_.meet([this] { plan(); });
        if (next_ != Next::grow) continue;
        table_.grow();
        crew_.meet([this] {
            next_ = Next::work;
            grow_wanted_ = false;
            pause_ = false;
            if (!table_.end_growth()) stop(StopReason::memory);
        });
    }
}

// What all threads do next. Runs in one thread while the others wait.
template <int W>
void Search<W>::plan() {
    if (stopped_ != StopReason::none || ended_) {
        next_ = Next::finish;
    } else if (grow_wanted_) {
        table_.begin_growth();
        next_ = Next::grow;
    } else if (observer_ && !observer_->level_ended()) {
        ended_ = true;
        next_ = Next::finish;
    } else {
        next_level();
        next_ = units_.empty() ? Next::finish : Next::work;
        if (!units_.empty()) ++depth_;
    }
}

template <int W>
void Search<W>::next_level() {
    constexpr std::uint32_t most = 512;
    level_.clear();
    units_.clear();
    for (std::uint32_t t = 0; t < workers_.size(); ++t) {
        Worker& worker = *workers_[t];
        std::uint32_t number = worker.level_start;
        worker.level_start = worker.found;
        worker.next_unit = units_.size();
        for (FrontierBlock& released : worker.next.release()) {
            FrontierBlock& block = level_.emplace_back();
            block.pages = std::move(released.pages);
            block.count = released.count;
            const State<W>* states = block.pages.template as<State<W>>();
            for (std::uint32_t at = 0; at < block.count; at += most) {
                std::uint32_t count = std::min(most, block.count - at);
                units_.push_back({states + at, count, {t, number + at}, &block});
                block.units_left.fetch_add(1, std::memory_order_relaxed);
            }
            number += block.count;
        }
        worker.units_end = units_.size();
    }
}

// Its own finds first, which are in its cache; then those of the others.
template <int W>
bool Search<W>::take_unit(unsigned thread) {
    Worker& worker = *workers_[thread];
    for (std::size_t turn = 0; turn < workers_.size(); ++turn) {
        Worker& owner = *workers_[(thread + turn) % workers_.size()];
        if (owner.next_unit.load(std::memory_order_relaxed) >= owner.units_end) continue;
        std::size_t i = owner.next_unit.fetch_add(1, std::memory_order_relaxed);
        if (i >= owner.units_end) continue;
        worker.unit = units_[i];
        worker.log.begin_unit(worker.unit.node, worker.found);
        return true;
    }
    return false;
}

template <int W>
void Search<W>::finish_unit(Worker& worker) {
    FrontierBlock& block = *worker.unit.block;
    if (block.units_left.fetch_sub(1, std::memory_order_acq_rel) == 1) pool_.give(std::move(block.pages));
}

template <int W>
void Search<W>::phase(unsigned thread) {
    Worker& worker = *workers_[thread];
    std::size_t most = Batch<W>::wanted + worker.batch.max_successors();
    while (!pause_.load(std::memory_order_relaxed)) {
        if (worker.unit.count == 0 && !take_unit(thread)) return;
        if (table_.needs_growth(most)) {
            grow_wanted_ = true;
            pause_ = true;
            return;
        }
        // Near the limit go state by state, so that it is passed by one state's successors at most.
        std::uint64_t known = states_.load(std::memory_order_relaxed);
        if (known >= options_.limits.states) return stop(StopReason::states);
        bool near = options_.limits.states - known <= 2 * most * workers_.size();
        worker.batch.clear();
        std::size_t expanded = space_.expand({worker.unit.first, near ? 1 : worker.unit.count}, worker.batch);
        table_.insert(worker.batch, thread);
        if (!record(thread, expanded)) return;
        if (worker.unit.count == 0) finish_unit(worker);
        if (worker.rounds++ % 64 == 0) look_around(thread);
    }
}

// Keeps what the table found new: in the next level and in the log. False if the search is to end.
template <int W>
bool Search<W>::record(unsigned thread, std::size_t expanded) {
    Worker& worker = *workers_[thread];
    Batch<W>& batch = worker.batch;
    const std::uint8_t* fresh = batch.fresh();
    std::uint32_t before = worker.found;
    bool room = true;
    for (std::size_t p = 0; p < expanded; ++p) {
        std::uint32_t first = batch.first(p), last = batch.first(p + 1), children = 0;
        for (std::uint32_t i = first; i < last; ++i) children += fresh[i];
        room &= worker.log.put(children);
        for (std::uint32_t i = first; children > 0; ++i) {
            if (!fresh[i]) continue;
            --children;
            room = room && worker.log.put(i - first) && worker.next.push(batch.states()[i], pool_);
            ++worker.found;
        }
        if (batch.flags(p) != 0 && observer_) {
            std::lock_guard lock(observer_mutex_);
            NodeRef node{worker.unit.node.thread, worker.unit.node.number + static_cast<std::uint32_t>(p)};
            if (!ended_ && !observer_->notice({worker.unit.first[p], node, depth_, batch.flags(p)}))
                ended_ = true;
        }
    }
    worker.transitions += batch.size();
    worker.unit.first += expanded;
    worker.unit.node.number += static_cast<std::uint32_t>(expanded);
    worker.unit.count -= static_cast<std::uint32_t>(expanded);
    states_.fetch_add(worker.found - before, std::memory_order_relaxed);
    expanded_.fetch_add(expanded, std::memory_order_relaxed);
    if (!room || worker.found > UINT32_MAX - batch.size()) stop(StopReason::memory);
    if (ended_) pause_ = true;
    return room && !ended_;
}

template <int W>
void Search<W>::look_around(unsigned thread) {
    if (options_.limits.time.passed()) stop(options_.limits.time.reason());
    if (thread != 0 || !options_.progress) return;
    auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ < std::chrono::milliseconds(200)) return;
    last_progress_ = now;
    Progress progress;
    progress.states = states_;
    progress.frontier = progress.states - expanded_;
    progress.transitions = workers_[0]->transitions * workers_.size();
    progress.depth = depth_;
    progress.bytes = budget_.used();
    progress.states_per_second =
        static_cast<double>(progress.states) / std::chrono::duration<double>(now - start_).count();
    options_.progress(progress);
}

template <int W>
std::vector<std::uint32_t> Search<W>::choices(NodeRef node) const {
    std::vector<std::uint32_t> reversed;
    while (node.thread != 0 || node.number != 0) {
        RunLog::Origin origin = workers_[node.thread]->log.origin(node.number);
        reversed.push_back(origin.choice);
        node = origin.parent;
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

template <int W>
std::vector<State<W>> Search<W>::states(const std::vector<std::uint32_t>& choices) const {
    std::vector<State<W>> way{space_.initial()};
    Batch<W> batch(space_.max_successors());
    for (std::uint32_t choice : choices) {
        batch.clear();
        State<W> from = way.back();
        space_.expand({&from, 1}, batch);
        TREATY_CHECK(choice < batch.size());
        way.push_back(batch.states()[choice]);
    }
    return way;
}

#define TREATY_WIDTH(W) template class Search<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
