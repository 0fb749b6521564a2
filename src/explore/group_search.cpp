// With reduction, the reduced space is searched first. If it is safe, so is the whole. If not, the whole
// space is searched for a shortest run of each kind that was found; where a limit ends that, the reduced run
// is kept. Faults of groups that go on for ever are known only when the space is complete (endings.h); a
// second search then finds the nearest configuration that has them.

#include "explore/group_search.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "explore/endings.h"
#include "explore/make_table.h"
#include "explore/reduced_space.h"
#include "explore/system_space.h"

namespace treaty::explore {
namespace {

using base::StopReason;

constexpr std::uint32_t own_flags = flag::deadlock | flag::orphan | flag::unspecified;
constexpr std::uint32_t endless_flags = flag::stuck | flag::endless_orphan;
constexpr std::array<std::uint32_t, 5> single_flags{flag::deadlock, flag::orphan, flag::unspecified,
                                                    flag::stuck, flag::endless_orphan};

UnsafeKind kind_of(std::uint32_t single) {
    if (single == flag::deadlock) return UnsafeKind::deadlock;
    if (single == flag::unspecified) return UnsafeKind::unspecified_reception;
    if (single == flag::stuck) return UnsafeKind::stuck_role;
    return UnsafeKind::orphan_message;
}

// Keeps for each flag the nearest state that has it; of several at one depth the least, so that the choice
// does not depend on the order in which threads find them.
template <int W>
class Nearest final : public Observer<W> {
public:
    // until: the search may end with the level in which all of these have been seen; 0: never.
    Nearest(const SystemProgram& program, std::uint32_t until) : program_(program), until_(until) {}

    bool notice(const Sighting<W>& sighting) override {
        for (std::uint32_t f : single_flags)
            if (sighting.flags & f) keep(sighting, f);
        if (sighting.flags & flag::overflow) {
            keep(sighting, flag::overflow);
            for (std::uint32_t m = 0; m < program_.machines.size(); ++m) note_overflow(sighting.state, m);
        }
        seen_ |= sighting.flags;
        return true;
    }
    bool level_ended() override {
        return !(seen_ & flag::overflow) && (until_ == 0 || (seen_ & until_) != until_);
    }

    std::uint32_t seen() const { return seen_; }
    const Sighting<W>& nearest(std::uint32_t single) const { return *nearest_[index(single)]; }
    const std::vector<std::size_t>& overflowed() const { return overflowed_; }
    // The sends that overflow in a state.
    static std::vector<const ProgramEdge*> overflows(const SystemProgram& program, const State<W>& state,
                                                     std::uint32_t machine) {
        std::vector<const ProgramEdge*> found;
        const ProgramMachine& m = program.machines[machine];
        std::size_t local = m.locals + read_field(state.data(), m.field);
        for (std::uint32_t e = program.edge_starts[local]; e < program.edge_starts[local + 1]; ++e)
            if (program.overflows(state.data(), program.edges[e])) found.push_back(&program.edges[e]);
        return found;
    }

private:
    static std::size_t index(std::uint32_t single) {
        return static_cast<std::size_t>(std::countr_zero(single));
    }

    void keep(const Sighting<W>& sighting, std::uint32_t single) {
        auto& known = nearest_[index(single)];
        if (!known || (sighting.depth == known->depth && sighting.state < known->state)) known = sighting;
    }
    void note_overflow(const State<W>& state, std::uint32_t machine) {
        for (const ProgramEdge* e : overflows(program_, state, machine))
            if (std::ranges::find(overflowed_, e->channel->channel) == overflowed_.end())
                overflowed_.push_back(e->channel->channel);
    }

    const SystemProgram& program_;
    std::uint32_t until_;
    std::uint32_t seen_ = 0;
    std::array<std::optional<Sighting<W>>, 8> nearest_;
    std::vector<std::size_t> overflowed_;
};

// The same space with the flags that are known after a first search.
template <int W>
class JudgedSpace final : public Space<W> {
public:
    JudgedSpace(const Space<W>& space, const Endings<W>& endings) : space_(space), endings_(endings) {}
    State<W> initial() const override { return space_.initial(); }
    std::size_t max_successors() const override { return space_.max_successors(); }
    std::array<std::uint32_t, W> bits() const override { return space_.bits(); }
    std::size_t expand(std::span<const State<W>> states, Batch<W>& batch) const override {
        std::size_t done = 0;
        while (done < states.size() && !batch.full()) {
            space_.expand(states.subspan(done, 1), batch);
            batch.set_last_flags(endings_.judge(states[done]));
            ++done;
        }
        return done;
    }

private:
    const Space<W>& space_;
    const Endings<W>& endings_;
};

template <int W>
class GroupSearch {
public:
    GroupSearch(const SystemProgram& program, const ExploreOptions& options, Budget& budget)
        : program_(program), options_(options), budget_(budget), system_(program) {}

    GroupResult run(bool reduce) {
        if (reduce && !search_reduced()) reduce = false;
        if (!reduce) {
            GroupResult result;
            search(system_, nullptr, 0, true, result);
            return result;
        }
        if (!reduced_result_.unsafe.empty() && reduced_result_.overflowed.empty()) shorten();
        return std::move(reduced_result_);
    }

private:
    // A compressed table is for one thread.
    unsigned jobs() const { return options_.compress ? 1 : std::max(1u, options_.jobs); }

    // False if too many states had to be expanded in full: then the reduction is not worth it.
    bool search_reduced() {
        ReducedSpace<W> reduced(system_);
        for (int round = 0; round < 32; ++round) {
            reduced_result_ = {};
            std::vector<State<W>> ignoring;
            search(reduced, &ignoring, 0, false, reduced_result_);
            if (ignoring.empty()) return true;
            for (const State<W>& state : ignoring) reduced.expand_fully(state);
        }
        return false;
    }

    void shorten() {
        std::uint32_t wanted = 0, endless = 0;
        for (const Unsafe& u : reduced_result_.unsafe)
            for (std::uint32_t f : single_flags)
                if (kind_of(f) == u.kind) (f & own_flags ? wanted : endless) |= f;
        // An orphan may be of either sort; which one is nearest is known only when all are.
        bool only_own = !(endless & flag::stuck) && !(wanted & flag::orphan);
        GroupResult whole;
        search(system_, nullptr, only_own ? wanted : 0, true, whole);
        for (Unsafe& u : reduced_result_.unsafe) {
            u.shortest = false;
            for (Unsafe& v : whole.unsafe)
                if (v.kind == u.kind) u = std::move(v);
        }
    }

    // Searches the space and judges it. ignoring: where to put the states that a reduced space must expand in
    // full.
    void search(const StepSpace<W>& space, std::vector<State<W>>* ignoring, std::uint32_t until,
                bool shortest, GroupResult& result) {
        auto table = make_table<W>(space, budget_, jobs(), options_.compress);
        if (!table) {
            result.outcome.stopped = StopReason::memory;
            return;
        }
        Search<W> search(space, *table, budget_, {jobs(), options_.limits, options_.progress});
        Nearest<W> nearest(program_, until);
        result.outcome = search.run(&nearest);
        if (nearest.seen() & flag::overflow) {
            result.overflowed = nearest.overflowed();
            const Sighting<W>& at = nearest.nearest(flag::overflow);
            result.overflow = run_of(space, search.choices(at.node));
            for (std::uint32_t m = 0; m < program_.machines.size(); ++m) {
                auto sends = Nearest<W>::overflows(program_, at.state, m);
                if (sends.empty()) continue;
                result.overflow.push_back(sends.front()->step);
                break;
            }
        }
        for (std::uint32_t f : single_flags)
            if (nearest.seen() & f) {
                const Sighting<W>& at = nearest.nearest(f);
                add(result, f, at.state, nullptr, run_of(space, search.choices(at.node)), shortest);
            }
        bool wanted = options_.endless || ignoring;
        if (result.outcome.complete && wanted) judge_endless(space, *table, ignoring, shortest, result);
    }

    void judge_endless(const StepSpace<W>& space, const Table<W>& table, std::vector<State<W>>* ignoring,
                       bool shortest, GroupResult& result) {
        Endings<W> endings(space, system_, table, budget_);
        StopReason stopped = endings.run(options_.limits);
        if (stopped != StopReason::none) {
            result.outcome.stopped = stopped;
            result.outcome.complete = false;
            return;
        }
        if (ignoring) *ignoring = endings.ignoring();
        if (!options_.endless || (ignoring && !ignoring->empty()) || endings.flags() == 0) return;
        std::uint32_t left = endings.flags();
        if (shortest) {
            JudgedSpace<W> judged(space, endings);
            if (auto second = make_table<W>(space, budget_, jobs(), options_.compress)) {
                Search<W> search(judged, *second, budget_, {jobs(), options_.limits, {}});
                Nearest<W> nearest(program_, endings.flags());
                search.run(&nearest);
                for (std::uint32_t f : single_flags)
                    if (nearest.seen() & f & endless_flags) {
                        const Sighting<W>& at = nearest.nearest(f);
                        add(result, f, at.state, &endings, run_of(space, search.choices(at.node)), true);
                        left &= ~f;
                    }
            }
        }
        for (std::uint32_t f : {flag::stuck, flag::endless_orphan})
            if (left & f) {
                const auto& choices = f == flag::stuck ? endings.path_to_stuck() : endings.path_to_orphan();
                auto way = states_of(space, choices);
                add(result, f, way.back(), &endings, run_of(space, choices), false);
            }
    }

    std::vector<State<W>> states_of(const StepSpace<W>& space,
                                    const std::vector<std::uint32_t>& choices) const {
        std::vector<State<W>> way{space.initial()};
        Batch<W> batch(space.max_successors());
        for (std::uint32_t choice : choices) {
            batch.clear();
            State<W> from = way.back();
            space.expand({&from, 1}, batch);
            TREATY_CHECK(choice < batch.size());
            way.push_back(batch.states()[choice]);
        }
        return way;
    }

    Run run_of(const StepSpace<W>& space, const std::vector<std::uint32_t>& choices) const {
        auto way = states_of(space, choices);
        Run run;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            Run step = program_.events(space.moves(way[i])[choices[i]]);
            run.insert(run.end(), step.begin(), step.end());
        }
        return run;
    }

    // endings: given for flags that come from it.
    void add(GroupResult& result, std::uint32_t single, const State<W>& state, const Endings<W>* endings,
             Run run, bool shortest) const {
        Unsafe u;
        u.kind = kind_of(single);
        u.run = std::move(run);
        u.shortest = shortest;
        u.end = program_.layout().unpack(state.data());
        name_culprit(u, single, state, endings);
        for (Unsafe& known : result.unsafe)
            if (known.kind == u.kind) {
                if (u.run.size() < known.run.size()) known = std::move(u);
                return;
            }
        result.unsafe.push_back(std::move(u));
    }

    void name_culprit(Unsafe& u, std::uint32_t single, const State<W>& state,
                      const Endings<W>* endings) const {
        const Semantics& semantics = program_.layout().semantics();
        auto role_of = [&](std::uint32_t m) {
            return semantics.system().machines()[program_.layout().machines()[m]].role();
        };
        auto name_channel = [&](const ChannelLayout& c, Parcel parcel) {
            u.channel = semantics.channels()[c.channel];
            u.role = u.channel.to;
            u.parcel = parcel;
        };
        for (const ProgramGroup& group : program_.groups) {
            std::uint32_t flags = 0;
            bool steps = false;
            for (std::uint32_t m = group.first; m < group.first + group.count; ++m) {
                std::uint32_t mine =
                    system_.for_each_move(state, m, [&](const State<W>&, MoveEdges) { steps = true; });
                if (single == flag::unspecified && (mine & single)) return void(u.role = role_of(m));
                if (endings && single == flag::stuck &&
                    endings->bits().is_stuck(state.data(), endings->future(state), m))
                    return void(u.role = role_of(m));
                flags |= mine;
            }
            if (steps || endings || !(system_.ended(state, group, flags) & single)) continue;
            if (single == flag::deadlock)
                for (std::uint32_t m = group.first; m < group.first + group.count; ++m)
                    if (system_.for_each_move(state, m, [](const State<W>&, MoveEdges) {}) & flag::restless)
                        return void(u.role = role_of(m));
            for (const ChannelLayout& c : program_.layout().channels())
                if (semantics.channel_groups()[c.channel] ==
                        semantics.groups()[program_.layout().machines()[group.first]] &&
                    c.length(state.data()) > 0)
                    return name_channel(c, u.end.contents[c.channel].front());
        }
        for (std::size_t c = 0; endings && c < program_.layout().channels().size(); ++c)
            if (endings->bits().is_orphaned(state.data(), endings->future(state), c))
                return name_channel(program_.layout().channels()[c],
                                    endings->bits().orphan(state.data(), endings->future(state), c));
    }

    const SystemProgram& program_;
    const ExploreOptions& options_;
    Budget& budget_;
    SystemSpace<W> system_;
    GroupResult reduced_result_;
};

}  // namespace

GroupResult search_groups(const SystemProgram& program, bool reduce, const ExploreOptions& options,
                          Budget& budget) {
    GroupResult result;
    bool fits = with_width(program.layout().words(),
                           [&]<int W>() { result = GroupSearch<W>(program, options, budget).run(reduce); });
    TREATY_CHECK(fits);
    return result;
}

}  // namespace treaty::explore
