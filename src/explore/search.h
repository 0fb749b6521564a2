// The search engine: breadth-first over a Space, level by level, with one thread or several.
//
// Every state that is found is in the table; a state's run is among the shortest, because levels are finished
// before the next one starts. Within a level threads take units of states in any order, so which of several
// equally short runs is remembered may differ between two searches with several threads; the set of states of
// a level, their flags, and all counts do not. Cost a state: what the table takes, two bytes for its run, and
// 8 W bytes while it waits. Limits and the interrupt flag are looked at every few thousand states.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "explore/crew.h"
#include "explore/frontier.h"
#include "explore/run_log.h"
#include "explore/search_limits.h"
#include "explore/space.h"
#include "explore/table.h"

namespace treaty::explore {

template <int W>
struct Sighting {
    State<W> state;
    NodeRef node;
    std::uint32_t depth;
    std::uint32_t flags;
};

// Called for states whose flags are not 0 when they are expanded, and at the end of each level. Calls never
// overlap.
template <int W>
class Observer {
public:
    virtual ~Observer() = default;
    virtual bool notice(const Sighting<W>& sighting) = 0;  // false: end the search now
    virtual bool level_ended() { return true; }            // false: do not go on
};

struct SearchOptions {
    unsigned jobs = 1;
    Limits limits;
    ProgressCallback progress;
};

struct SearchOutcome {
    bool complete = false;  // everything reachable was expanded
    bool ended = false;     // the observer ended it
    base::StopReason stopped = base::StopReason::none;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint32_t depth = 0;
};

template <int W>
class Search {
public:
    // All of them must outlive the search. More than one job needs a concurrent table.
    Search(const Space<W>& space, Table<W>& table, Budget& budget, SearchOptions options);

    SearchOutcome run(Observer<W>* observer);  // once

    // The way to a node: which successor was taken at each step from the initial state. After run().
    std::vector<std::uint32_t> choices(NodeRef node) const;
    // The states along it, the initial one first.
    std::vector<State<W>> states(const std::vector<std::uint32_t>& choices) const;

private:
    struct Worker {
        Worker(Budget& budget, std::size_t max_successors) : log(budget), batch(max_successors) {}
        RunLog log;
        Batch<W> batch;
        Frontier<W> next;
        std::uint32_t found = 0;        // finds so far: the number of the next one
        std::uint32_t level_start = 0;  // its first find of the level that is being filled
        std::uint64_t transitions = 0;
        std::uint64_t rounds = 0;
        FrontierUnit<W> unit;                               // what is left of its unit
        std::size_t units_end = 0;                          // of the units that are its own finds
        alignas(64) std::atomic<std::size_t> next_unit{0};  // the first of them that is not taken
    };
    enum class Next { work, grow, finish };

    bool add_initial();
    void work(unsigned thread);
    void phase(unsigned thread);
    bool take_unit(unsigned thread);
    void finish_unit(Worker& worker);
    bool record(unsigned thread, std::size_t expanded);
    void plan();
    void next_level();
    void look_around(unsigned thread);
    void stop(base::StopReason reason);

    const Space<W>& space_;
    Table<W>& table_;
    Budget& budget_;
    SearchOptions options_;
    Observer<W>* observer_ = nullptr;
    Crew crew_;
    BlockPool pool_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::deque<FrontierBlock> level_;
    std::vector<FrontierUnit<W>> units_;
    // Written all the time by all threads, so apart from what they only read.
    alignas(64) std::atomic<std::uint64_t> states_{0};
    std::atomic<std::uint64_t> expanded_{0};
    alignas(64) std::atomic<bool> pause_{false};
    std::atomic<bool> grow_wanted_{false};
    std::atomic<base::StopReason> stopped_{base::StopReason::none};
    std::atomic<bool> ended_{false};
    std::mutex observer_mutex_;
    Next next_ = Next::work;
    std::uint32_t depth_ = 0;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_progress_;
};

#define TREATY_WIDTH(W) extern template class Search<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
