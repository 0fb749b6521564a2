// Breadth-first over configurations, each with what the observer has seen and with whether the run was
// successful before. A run fails at the first event that is refused, or where it ends badly; both are found
// in the order of their length. If none is found and everything was visited, what remains are runs without an
// end: a cycle among the configurations that were never successful. Those are found by taking away, again and
// again, what has no successor; what remains leads to a cycle.

#include "testgen/comply.h"

#include <algorithm>
#include <deque>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "explore/waiting.h"
#include "testgen/endless.h"
#include "testgen/rounds.h"
#include "testgen/success.h"

namespace treaty::testgen {
namespace {

using model::EventKind;
using model::StateId;

constexpr std::uint32_t none = UINT32_MAX;

class Judge {
public:
    Judge(const model::Machine& component, const std::vector<TestMachine>& test, Observer* observer,
          const ComplianceOptions& options)
        : test_(test),
          observer_(observer),
          options_(options),
          stepping_(machines_of(component, test), options.channels),
          success_(stepping_, states_of(test), options.stable,
                   observer && options.whole_run ? observer : nullptr),
          alphabet_(component.alphabet()),
          rounds_(options.rounds, component.role(), options.channels) {
        if (options.channels.mode != model::Mode::sync && !options.channels.bound)
            for (const model::Machine* machine : stepping_.machines())
                floods_.push_back(has_cycle(*machine) ? sends_for_ever(*machine) : std::vector<bool>());
    }

    Compliance run() {
        Compliance result;
        search(result);
        result.states = nodes_.size();
        if (result.stopped != base::StopReason::none || (observer_ && observer_->exhausted())) {
            if (result.stopped == base::StopReason::none)
                result.stopped =
                    options_.limits.time.passed() ? options_.limits.time.reason() : base::StopReason::memory;
            result.reason =
                fmt::format("{} after {} configurations", base::to_string(result.stopped), nodes_.size());
            return result;
        }
        if (!failure_) find_cycle();
        result.beyond = beyond_;
        result.waited = waited_;
        result.failure = std::move(failure_);
        if (result.failure) {
            result.answer = base::Answer::fails;
        } else if (beyond_ && !ended_well_ && !waited_) {
            result.reason = "every run takes more rounds of a loop than the tests have";
        } else {
            result.answer = base::Answer::holds;
        }
        return result;
    }

private:
    struct Node {
        explore::Configuration at;
        std::uint32_t observed, round;
        bool passed;
        std::uint32_t parent;
        explore::Stepping::Move move;
        std::uint32_t depth;
    };
    struct Key {
        explore::Configuration at;
        std::uint32_t observed, round;
        bool passed;
        friend bool operator==(const Key&, const Key&) = default;
        template <typename H>
        friend H AbslHashValue(H h, const Key& k) {
            return H::combine(std::move(h), k.at, k.observed, k.round, k.passed);
        }
    };

    static std::vector<const model::Machine*> machines_of(const model::Machine& component,
                                                          const std::vector<TestMachine>& test) {
        std::vector<const model::Machine*> machines{&component};
        for (const TestMachine& t : test) machines.push_back(&t.machine);
        return machines;
    }

    static std::vector<const std::vector<bool>*> states_of(const std::vector<TestMachine>& test) {
        std::vector<const std::vector<bool>*> states;
        states.reserve(test.size());
        for (const TestMachine& t : test) states.push_back(&t.success);
        return states;
    }

    // A role waits here although it could go on.
    bool waits(const explore::Configuration& at) const {
        for (std::size_t i = 0; i < test_.size(); ++i)
            if (!test_[i].waits.empty() && test_[i].waits[at.states[i + 1].index]) return true;
        return false;
    }

    bool whole() const { return observer_ && options_.whole_run; }

    std::uint32_t add(explore::Configuration at, std::uint32_t observed, std::uint32_t round, bool passed,
                      std::uint32_t parent, explore::Stepping::Move move) {
        passed = passed || success_.reached(at, observed);
        auto [place, added] =
            ids_.try_emplace(Key{at, observed, round, passed}, static_cast<std::uint32_t>(nodes_.size()));
        if (added) {
            std::uint32_t depth = parent == none ? 0 : nodes_[parent].depth + 1;
            nodes_.push_back({std::move(at), observed, round, passed, parent, move, depth});
            successors_.emplace_back();
        }
        return place->second;
    }

    void search(Compliance& result) {
        add(stepping_.initial(), 0, rounds_.start(), false, none, {});
        std::uint64_t most = std::min<std::uint64_t>(options_.limits.states, std::uint64_t{1} << 20);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (failure_ && failure_depth_ <= nodes_[i].depth) return;
            expand(i);
            if (nodes_.size() > most) result.stopped = base::StopReason::states;
            if (i % 64 == 63 && options_.limits.time.passed()) result.stopped = options_.limits.time.reason();
            if (observer_ && observer_->exhausted() && !failure_) return;
            if (failure_ && result.stopped != base::StopReason::none)
                result.stopped = base::StopReason::none;
            else if (result.stopped != base::StopReason::none)
                return;
        }
    }

    void expand(std::uint32_t i) {
        ended_well_ = ended_well_ || (nodes_[i].passed && !whole());
        if (nodes_[i].passed && !observer_ && !options_.observe_final) return;
        explore::Configuration at = nodes_[i].at;
        stepping_.moves(at, moves_);
        if (may_end(at)) judge_end(i);
        if (flood(i)) return;
        for (const auto& move : moves_) {
            std::uint32_t observed = nodes_[i].observed;
            model::LabelId label = stepping_.label(at, move);
            std::uint32_t round = nodes_[i].round;
            for (const explore::Step& step : stepping_.events(at, move))
                if (step.machine == 0) round = rounds_.next(round, step.label);
            if (round == Rounds::later) {
                beyond_ = true;
                continue;
            }
            if (observer_ && observer_->sees(label)) {
                std::uint32_t next = observer_->next(observed, label);
                if (next == Observer::refused) {
                    refuse(i, move, observed);
                    continue;
                }
                observed = next;
            }
            std::uint32_t target = add(stepping_.after(at, move), observed, round, nodes_[i].passed, i, move);
            successors_[i].push_back(target);
        }
    }

    // No role can move, or none has to: those that can could only send, and may stop.
    bool may_end(const explore::Configuration& at) const {
        return std::all_of(moves_.begin(), moves_.end(), [&](const explore::Stepping::Move& move) {
            return stepping_.machines()[move.machine]->final(at.states[move.machine]) &&
                   alphabet_.event(stepping_.label(at, move)).kind == EventKind::send;
        });
    }

    explore::Run run_to(std::uint32_t i) const {
        std::vector<std::uint32_t> path;
        for (; nodes_[i].parent != none; i = nodes_[i].parent) path.push_back(i);
        explore::Run run;
        for (std::size_t k = path.size(); k-- > 0;)
            append(run, nodes_[nodes_[path[k]].parent].at, nodes_[path[k]].move);
        return run;
    }

    void append(explore::Run& run, const explore::Configuration& at,
                const explore::Stepping::Move& move) const {
        for (const explore::Step& step : stepping_.events(at, move)) run.push_back(step);
    }

    void fail(FailureKind kind, std::uint32_t depth, explore::Run run, std::string reason,
              std::size_t repeat = 0) {
        if (failure_ && failure_depth_ <= depth) return;
        failure_depth_ = depth;
        failure_ = Failure{kind, std::move(run), repeat, std::move(reason)};
    }

    std::string_view name(model::RoleId role) const { return alphabet_.name(role); }
    std::string_view name(model::MessageId message) const { return alphabet_.name(message); }

    void refuse(std::uint32_t i, const explore::Stepping::Move& move, std::uint32_t observed) {
        explore::Run run = run_to(i);
        append(run, nodes_[i].at, move);
        if (rounds_.accepts(run)) {
            beyond_ = true;
            return;
        }
        const model::Event& event = alphabet_.event(run.back().label);
        std::string expected;
        for (model::LabelId label : observer_->expected(observed)) {
            const model::Event& other = alphabet_.event(label);
            if (other.to != event.to || other.kind != event.kind) continue;
            if (options_.channels.mode != model::Mode::sync && other.kind != EventKind::receive) continue;
            expected += fmt::format("{}{} from {}", expected.empty() ? "" : " or ", name(other.message),
                                    name(other.from));
        }
        std::string what =
            event.kind == EventKind::receive
                ? fmt::format("{} gets {} from {}", name(event.to), name(event.message), name(event.from))
                : fmt::format("{} sends {} to {}", name(event.from), name(event.message), name(event.to));
        fail(FailureKind::refused, nodes_[i].depth + 1, std::move(run),
             fmt::format("{}, which no run of the protocol allows here{}", what,
                         expected.empty() ? "" : fmt::format("; expected {}", expected)));
    }

    std::string waiting_for(std::size_t machine, const explore::Configuration& at) const {
        const model::Machine& m = *stepping_.machines()[machine];
        model::StateId state = at.states[machine];
        // A mirror of the component has its role, but is the tester.
        bool mirror = machine > 0 && m.role() == stepping_.machines()[0]->role();
        return fmt::format("{} {}", mirror ? "the tester" : name(m.role()),
                           explore::waiting_text(m, state, options_.channels));
    }

    std::string leftovers(const explore::Configuration& at) const {
        std::string out;
        for (std::size_t c : success_.watched())
            for (const explore::Parcel& parcel : at.contents[c])
                out += fmt::format("{}{} from {} to {}", out.empty() ? "" : ", ", name(parcel.message),
                                   name(parcel.from), name(stepping_.channels()[c].to));
        return out.empty() ? out : out + " is never received";
    }

    void judge_end(std::uint32_t i) {
        const Node& node = nodes_[i];
        bool fine = whole() ? success_.reached(node.at, node.observed) : node.passed;
        bool unfinished =
            options_.observe_final && !stepping_.rests(0, node.at.states[0]) && !rounds_.may_end(node.round);
        ended_well_ = ended_well_ || (fine && !unfinished);
        if (fine && !unfinished) return;
        if (waits(node.at)) {
            waited_ = true;
            return;
        }
        if (goes_on(i)) {
            beyond_ = true;
            return;
        }
        std::string reason = leftovers(node.at);
        FailureKind kind = FailureKind::leftover;
        if (fine) {
            kind = FailureKind::unfinished;
            reason = fmt::format("all others have finished, but {}", waiting_for(0, node.at));
        } else if (!success_.in_states(node.at)) {
            kind = FailureKind::stuck;
            for (std::size_t m = test_.size(); m > 0; --m)
                if (!test_[m - 1].success[node.at.states[m].index])
                    reason =
                        fmt::format("{}{}{}", waiting_for(m, node.at), reason.empty() ? "" : "; ", reason);
        } else if (success_.stable(node.at)) {
            kind = FailureKind::incomplete;
            reason =
                "every role may have ended, but together they have not seen a complete run of the protocol";
        }
        fail(kind, node.depth, run_to(i), std::move(reason));
    }

    // Whether some role could receive one of the messages that are left over, with more rounds.
    bool goes_on(std::uint32_t i) {
        const Node& node = nodes_[i];
        if (!rounds_.apply()) return false;
        explore::Run run = run_to(i);
        for (std::size_t c = 0; c < stepping_.channels().size(); ++c) {
            model::RoleId to = stepping_.channels()[c].to;
            auto parcels = node.at.contents[c];
            if (to == stepping_.machines()[0]->role()) continue;
            if (options_.channels.mode != model::Mode::bag && parcels.size() > 1) parcels.resize(1);
            for (const explore::Parcel& parcel : parcels) {
                auto label = alphabet_.find_label({EventKind::receive, parcel.from, to, parcel.message});
                if (!label) continue;
                run.push_back({*label, 1, {}});
                if (rounds_.accepts(run)) return true;
                run.pop_back();
            }
        }
        return false;
    }

    // Whether a test machine has been sent more than it can still receive.
    bool has_enough(const explore::Configuration& at) {
        auto channels = stepping_.channels();
        for (std::size_t c = 0; c < channels.size(); ++c)
            for (std::size_t m = 1; m < stepping_.machines().size(); ++m) {
                const model::Machine& reader = *stepping_.machines()[m];
                if (reader.role() != channels[c].to) continue;
                if (receives_.size() <= c) receives_.resize(channels.size());
                if (receives_[c].empty()) receives_[c] = most_receives(reader, channels[c]);
                if (at.contents[c].size() > receives_[c][at.states[m].index]) return true;
            }
        return false;
    }

    // A machine that may send for ever does so, and no other role moves: messages in channels stay there.
    bool flood(std::uint32_t i) {
        const Node& node = nodes_[i];
        if (floods_.empty() || (node.passed && !whole()) || (!whole() && success_.stable(node.at)))
            return false;
        for (std::size_t m = 0; m < floods_.size(); ++m) {
            if (floods_[m].empty() || !floods_[m][node.at.states[m].index]) continue;
            if (m == 0 && rounds_.follows(node.round)) continue;  // it is left where its rounds end
            if (m == 0 && rounds_.apply()) {
                bool enough = has_enough(node.at);
                beyond_ = beyond_ || enough;
                return enough;
            }
            explore::Run run = run_to(i);
            std::size_t repeat = run.size();
            for (const model::Edge& edge : sending_cycle(*stepping_.machines()[m], node.at.states[m]))
                run.push_back({edge.label, static_cast<std::uint32_t>(m), edge.target});
            model::RoleId role = stepping_.machines()[m]->role();
            auto depth = node.depth + static_cast<std::uint32_t>(run.size() - repeat);
            fail(FailureKind::flood, depth, std::move(run), fmt::format("{} sends for ever", name(role)),
                 repeat);
            return true;
        }
        return false;
    }

    void find_cycle() {
        std::vector<std::uint32_t> open(nodes_.size(), 0);
        std::vector<std::vector<std::uint32_t>> before(nodes_.size());
        std::vector<std::uint32_t> waiting;
        std::vector<bool> gone(nodes_.size(), false);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for (std::uint32_t next : successors_[i]) {
                if (nodes_[i].passed || nodes_[next].passed || waits(nodes_[next].at)) continue;
                ++open[i];
                before[next].push_back(i);
            }
            if (open[i] == 0) waiting.push_back(i);
        }
        while (!waiting.empty()) {
            std::uint32_t i = waiting.back();
            waiting.pop_back();
            gone[i] = true;
            for (std::uint32_t b : before[i])
                if (--open[b] == 0) waiting.push_back(b);
        }
        for (std::uint32_t i = 0; i < nodes_.size(); ++i)
            if (!gone[i] && close_cycle(i, gone)) return;
    }

    // Whether the node is on a cycle of those that are left; then that is the failure.
    bool close_cycle(std::uint32_t start, const std::vector<bool>& gone) {
        absl::flat_hash_map<std::uint32_t, std::uint32_t> from;
        std::deque<std::uint32_t> waiting{start};
        while (!waiting.empty()) {
            std::uint32_t i = waiting.front();
            waiting.pop_front();
            for (std::uint32_t next : successors_[i]) {
                if (gone[next] || nodes_[next].passed) continue;
                if (!from.try_emplace(next, i).second) continue;
                if (next == start) {
                    report_cycle(start, from);
                    return true;
                }
                waiting.push_back(next);
            }
        }
        return false;
    }

    void report_cycle(std::uint32_t start, const absl::flat_hash_map<std::uint32_t, std::uint32_t>& from) {
        explore::Run run = run_to(start);
        std::size_t repeat = run.size();
        std::vector<std::uint32_t> path{start};
        for (std::uint32_t i = from.at(start); i != start; i = from.at(i)) path.push_back(i);
        path.push_back(start);
        for (std::size_t k = path.size() - 1; k > 0; --k) {
            const explore::Configuration& at = nodes_[path[k]].at;
            stepping_.moves(at, moves_);
            for (const auto& move : moves_) {
                if (stepping_.after(at, move) != nodes_[path[k - 1]].at) continue;
                append(run, at, move);
                break;
            }
        }
        fail(FailureKind::endless, nodes_[start].depth, std::move(run),
             "it loops for ever and never succeeds", repeat);
    }

    const std::vector<TestMachine>& test_;
    Observer* observer_;
    const ComplianceOptions& options_;
    explore::Stepping stepping_;
    Success success_;
    const model::Alphabet& alphabet_;
    std::vector<std::vector<bool>> floods_;  // by machine; empty: never
    std::vector<Node> nodes_;
    std::vector<std::vector<std::uint32_t>> successors_;
    absl::flat_hash_map<Key, std::uint32_t> ids_;
    std::vector<explore::Stepping::Move> moves_;
    std::optional<Failure> failure_;
    std::uint32_t failure_depth_ = 0;
    Rounds rounds_;
    std::vector<std::vector<std::uint32_t>> receives_;  // by channel and state of its reader, when asked
    bool beyond_ = false, waited_ = false, ended_well_ = false;
};

}  // namespace

std::string_view to_string(FailureKind kind) {
    switch (kind) {
        case FailureKind::refused: return "refused";
        case FailureKind::stuck: return "stuck";
        case FailureKind::leftover: return "leftover message";
        case FailureKind::incomplete: return "incomplete";
        case FailureKind::unfinished: return "unfinished";
        case FailureKind::endless: return "endless";
        case FailureKind::flood: return "sends for ever";
    }
    return {};
}

Compliance comply(const model::Machine& component, const std::vector<TestMachine>& test, Observer* observer,
                  const ComplianceOptions& options) {
    return Judge(component, test, observer, options).run();
}

}  // namespace treaty::testgen
