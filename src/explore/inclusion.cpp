// The product of the system and the acceptor is searched; the acceptor's state takes one more word. A step
// that is refused has no successor: its configuration is flagged, and the search ends with that level, so the
// run is a shortest one. Channels without a bound are guessed as in safety.cpp. If one is found to grow for
// ever, a last search with the room reached so far as a bound looks for a counterexample nearby.

#include "explore/inclusion.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "explore/boundedness.h"
#include "explore/capacities.h"
#include "explore/make_table.h"
#include "explore/memory.h"
#include "explore/search.h"
#include "explore/system_space.h"

namespace treaty::explore {
namespace {

using base::Answer;
using base::StopReason;
using model::EventKind;
using model::LabelId;
using model::Machine;
using model::StateId;

namespace product_flag {
using namespace explore::flag;
inline constexpr std::uint32_t refused = 1024;
inline constexpr std::uint32_t unknown = 2048;
}  // namespace product_flag

// The labels of a move: at most two.
struct Word {
    std::array<std::optional<LabelId>, 2> labels;
    bool unknown = false;  // an event that the alphabet has no label for: no machine can accept it
};

template <int W>
class ProductSpace final : public Space<W> {
public:
    ProductSpace(const SystemSpace<W>& system, Acceptor& language, std::size_t word)
        : system_(system),
          language_(language),
          word_(word),
          interactions_(language.speaks_of_interactions()) {}

    State<W> initial() const override {
        State<W> state = system_.initial();
        state[word_] = language_.initial();
        return state;
    }
    std::size_t max_successors() const override { return system_.max_successors(); }
    std::array<std::uint32_t, W> bits() const override {
        auto used = system_.bits();
        used[word_] = 32;
        return used;
    }

    std::size_t expand(std::span<const State<W>> states, Batch<W>& batch) const override {
        std::size_t done = 0;
        for (; done < states.size() && !batch.full(); ++done) {
            State<W>* out = batch.room();
            std::size_t count = 0;
            std::uint32_t flags = 0;
            for_each(states[done], [&](const State<W>& next, MoveEdges, std::uint32_t after) {
                if (goes_on(after))
                    out[count++] = next;
                else
                    flags |= after == Acceptor::refused ? product_flag::refused : product_flag::unknown;
            });
            if (any_overflow(states[done], nullptr)) flags |= product_flag::overflow;
            batch.add(count, flags);
        }
        return done;
    }

    static bool goes_on(std::uint32_t after) {
        return after != Acceptor::refused && after != Acceptor::unknown;
    }

    // Every step: f(next product state, edges, the acceptor's state after it).
    template <class F>
    void for_each(const State<W>& state, F&& f) const {
        State<W> configuration = state;
        auto at = static_cast<std::uint32_t>(state[word_]);
        configuration[word_] = 0;
        for (std::uint32_t m = 0; m < system_.program().machines.size(); ++m)
            system_.for_each_move(configuration, m, [&](State<W> next, MoveEdges taken) {
                std::uint32_t after = read(at, taken);
                next[word_] = after;
                f(next, taken, after);
            });
    }

    std::uint32_t read(std::uint32_t at, MoveEdges taken) const {
        Word word = word_of(taken);
        if (word.unknown) return Acceptor::refused;
        for (auto label : word.labels)
            if (label && goes_on(at)) at = language_.next(at, *label);
        return at;
    }

    // A send that does not fit its channel; refused: set if the language refuses one of them anyway.
    bool any_overflow(const State<W>& state, const ProgramEdge** refused) const {
        const SystemProgram& program = system_.program();
        bool any = false;
        for (const ProgramMachine& m : program.machines) {
            std::size_t local = m.locals + read_field(state.data(), m.field);
            for (std::uint32_t e = program.edge_starts[local]; e < program.edge_starts[local + 1]; ++e) {
                if (!program.overflows(state.data(), program.edges[e])) continue;
                any = true;
                auto at = static_cast<std::uint32_t>(state[word_]);
                if (refused && read(at, {e, no_edge}) == Acceptor::refused) *refused = &program.edges[e];
            }
        }
        return any;
    }

private:
    Word word_of(MoveEdges taken) const {
        const SystemProgram& program = system_.program();
        const model::Alphabet& alphabet = program.layout().semantics().system().alphabet();
        const ProgramEdge& edge = program.edges[taken.edge];
        Word word;
        if (edge.kind == EventKind::silent) return word;
        if (taken.partner == no_edge) {
            word.labels[0] = edge.step.label;
        } else if (interactions_) {
            model::Event event = alphabet.event(edge.step.label);
            event.kind = EventKind::interaction;
            word.labels[0] = alphabet.find_label(event);
            word.unknown = !word.labels[0];
        } else {
            word.labels = {edge.step.label, program.edges[taken.partner].step.label};
        }
        return word;
    }

    const SystemSpace<W>& system_;
    Acceptor& language_;
    std::size_t word_;
    bool interactions_;
};

// Ends the search with the level in which a step was refused, a channel was too small, or the language could
// not be followed.
template <int W>
class FirstRefusal final : public Observer<W> {
public:
    bool notice(const Sighting<W>& sighting) override {
        for (auto [bit, kept] :
             {std::pair(product_flag::refused, &refusal), std::pair(product_flag::overflow, &overflow)})
            if ((sighting.flags & bit) && (!*kept || sighting.state < (*kept)->state)) *kept = sighting;
        unknown |= (sighting.flags & product_flag::unknown) != 0;
        return true;
    }
    bool level_ended() override { return !refusal && !overflow && !unknown; }

    std::optional<Sighting<W>> refusal, overflow;
    bool unknown = false;
};

class Inclusion {
public:
    Inclusion(const model::System& system, Acceptor& language, const InclusionOptions& options)
        : semantics_(system), language_(language), options_(options), budget_(options.limits.memory) {
        machines_.resize(system.machines().size());
        std::iota(machines_.begin(), machines_.end(), 0u);
        std::stable_sort(machines_.begin(), machines_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return semantics_.groups()[a] < semantics_.groups()[b];
        });
    }

    InclusionReport run() {
        const model::Channels& channels = semantics_.system().channels();
        certain_ =
            channels.mode == model::Mode::sync || channels.bound || weights_bound(semantics_, machines_);
        Capacities capacities(semantics_);
        while (report_.reason.empty()) {
            Outcome outcome = search(capacities, capacities.exact());
            if (outcome == Outcome::done) break;
            if (!certain_)
                if (auto pump = find_pump(semantics_, overflow_)) {
                    give_up(*pump, capacities);
                    break;
                }
            if (!capacities.raise(overflowed_))
                report_.reason = fmt::format("a channel holds more than {} messages", Capacities::most);
        }
        report_.bytes = budget_.peak();
        return std::move(report_);
    }

private:
    enum class Outcome { done, overflow };

    void give_up(const Pump& pump, const Capacities& capacities) {
        Capacities more = capacities;
        more.raise(overflowed_);
        search(more, std::vector<bool>(semantics_.channels().size(), true));
        if (report_.answer == Answer::fails || report_.stopped != StopReason::none) return;
        const Channel& channel = semantics_.channels()[pump.channel];
        const model::Alphabet& alphabet = semantics_.system().alphabet();
        report_.answer = Answer::undecided;
        report_.reason = channel.from
                             ? fmt::format("the channel from {} to {} is unbounded",
                                           alphabet.name(channel.from), alphabet.name(channel.to))
                             : fmt::format("the mailbox of {} is unbounded", alphabet.name(channel.to));
    }

    Outcome search(const Capacities& capacities, std::vector<bool> exact) {
        SystemLayout layout(semantics_, machines_, capacities.values());
        SystemProgram program(layout, std::move(exact));
        Outcome outcome = Outcome::done;
        bool fits = with_width(layout.words() + 1, [&]<int W>() { outcome = search_with<W>(program); });
        if (!fits)
            report_.reason =
                fmt::format("a configuration takes {} words, more than the {} that can be searched",
                            layout.words() + 1, max_width);
        return outcome;
    }

    template <int W>
    Outcome search_with(const SystemProgram& program) {
        SystemSpace<W> system(program);
        ProductSpace<W> product(system, language_, program.layout().words());
        bool alone = !certain_ || !language_.concurrent() || options_.compress;
        unsigned jobs = alone ? 1 : std::max(1u, options_.jobs);
        auto table = make_table<W>(product, budget_, jobs, options_.compress);
        if (!table) {
            report_.stopped = StopReason::memory;
            report_.reason = "memory limit before the search began";
            return Outcome::done;
        }
        Search<W> search(product, *table, budget_, {jobs, options_.limits, options_.progress});
        FirstRefusal<W> first;
        SearchOutcome result = search.run(&first);
        report_.states = result.states;
        report_.transitions = result.transitions;
        report_.stopped = result.stopped;
        if (first.refusal) {
            fail<W>(program, run_to<W>(product, program, search, *first.refusal), product,
                    first.refusal->state);
            return Outcome::done;
        }
        if (first.overflow) {
            Run way = run_to<W>(product, program, search, *first.overflow);
            const ProgramEdge* refused = nullptr;
            product.any_overflow(first.overflow->state, &refused);
            if (refused) {
                way.push_back(refused->step);
                fail_with(std::move(way));
                return Outcome::done;
            }
            if (report_.stopped == StopReason::none && !first.unknown) {
                note_overflow<W>(program, first.overflow->state, std::move(way));
                return Outcome::overflow;
            }
        }
        if (first.unknown) {
            report_.reason = language_.why_unknown();
        } else if (result.complete) {
            report_.answer = Answer::holds;
            report_.reason = "every run is in the language";
        } else {
            report_.reason =
                fmt::format("{} after {} configurations", base::to_string(result.stopped), result.states);
        }
        return Outcome::done;
    }

    template <int W>
    Run run_to(const ProductSpace<W>& product, const SystemProgram& program, const Search<W>& search,
               const Sighting<W>& sighting) const {
        auto choices = search.choices(sighting.node);
        auto way = search.states(choices);
        Run run;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            std::uint32_t accepted_so_far = 0;
            product.for_each(way[i], [&](const State<W>&, MoveEdges taken, std::uint32_t after) {
                if (!product.goes_on(after) || accepted_so_far++ != choices[i]) return;
                Run events = program.events(taken);
                run.insert(run.end(), events.begin(), events.end());
            });
        }
        return run;
    }

    template <int W>
    void fail(const SystemProgram& program, Run run, const ProductSpace<W>& product, const State<W>& state) {
        bool done = false;
        product.for_each(state, [&](const State<W>&, MoveEdges taken, std::uint32_t after) {
            if (after != Acceptor::refused || done) return;
            Run events = program.events(taken);
            run.insert(run.end(), events.begin(), events.end());
            done = true;
        });
        TREATY_CHECK(done);
        fail_with(std::move(run));
    }

    void fail_with(Run run) {
        report_.answer = Answer::fails;
        report_.run = std::move(run);
        report_.stopped = StopReason::none;
        report_.reason = fmt::format("event {}, {}, is not in the language", report_.run.size(),
                                     semantics_.system().alphabet().print(report_.run.back().label));
    }

    template <int W>
    void note_overflow(const SystemProgram& program, const State<W>& state, Run way) {
        overflowed_.clear();
        overflow_ = std::move(way);
        bool added = false;
        for (const ProgramMachine& m : program.machines) {
            std::size_t local = m.locals + read_field(state.data(), m.field);
            for (std::uint32_t e = program.edge_starts[local]; e < program.edge_starts[local + 1]; ++e) {
                const ProgramEdge& edge = program.edges[e];
                if (!program.overflows(state.data(), edge)) continue;
                if (std::ranges::find(overflowed_, edge.channel->channel) == overflowed_.end())
                    overflowed_.push_back(edge.channel->channel);
                if (!added) overflow_.push_back(edge.step);
                added = true;
            }
        }
    }

    Semantics semantics_;
    Acceptor& language_;
    const InclusionOptions& options_;
    Budget budget_;
    std::vector<std::uint32_t> machines_;
    bool certain_ = false;
    InclusionReport report_;
    std::vector<std::size_t> overflowed_;
    Run overflow_;
};

class MachineAcceptor final : public Acceptor {
public:
    explicit MachineAcceptor(const Machine& machine) : machine_(machine) {
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            for (const model::Edge& e : machine.out(StateId(s)))
                interactions_ |= machine.alphabet().event(e.label).kind == EventKind::interaction;
    }
    std::uint32_t initial() override { return 0; }
    std::uint32_t next(std::uint32_t state, LabelId label) override {
        auto out = machine_.out(StateId(std::size_t(state)));
        auto found = std::lower_bound(out.begin(), out.end(), label,
                                      [](const model::Edge& e, LabelId l) { return e.label < l; });
        return found != out.end() && found->label == label ? found->target.index : refused;
    }
    bool speaks_of_interactions() const override { return interactions_; }
    bool concurrent() const override { return true; }

private:
    const Machine& machine_;
    bool interactions_ = false;
};

bool deterministic(const Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto out = machine.out(StateId(s));
        for (std::size_t i = 0; i < out.size(); ++i)
            if (out[i].label == machine.alphabet().silent() || (i > 0 && out[i].label == out[i - 1].label))
                return false;
    }
    return true;
}

}  // namespace

InclusionReport included(const model::System& system, Acceptor& language, const InclusionOptions& options) {
    return Inclusion(system, language, options).run();
}

InclusionReport included(const model::System& system, const Machine& language,
                         const InclusionOptions& options) {
    InclusionReport report;
    if (language.alphabet_ptr() != system.alphabet_ptr()) {
        report.reason = "the system and the language have different alphabets";
        return report;
    }
    if (!deterministic(language)) {
        report.reason = fmt::format("machine {} is not deterministic", language.name());
        return report;
    }
    MachineAcceptor acceptor(language);
    return included(system, acceptor, options);
}

}  // namespace treaty::explore
