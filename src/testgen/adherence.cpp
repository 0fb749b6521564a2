#include "testgen/adherence.h"

#include <algorithm>
#include <deque>
#include <map>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "choreo/minimise.h"
#include "testgen/passing.h"

namespace treaty::testgen {
namespace {

using model::StateId;
using Step = PassingComponents::Step;
using Steps = std::vector<Step>;

std::string in_words(const model::Alphabet& alphabet, model::LabelId label, bool finite) {
    const model::Event& event = alphabet.event(label);
    bool send = event.kind == model::EventKind::send;
    return fmt::format("{} {} {} {} {}", alphabet.name(send ? event.from : event.to),
                       send ? (finite ? "sends" : "send") : (finite ? "gets" : "get"),
                       alphabet.name(event.message), send ? "to" : "from",
                       alphabet.name(send ? event.to : event.from));
}

// Follows a component with a test and, with the same events, the protocol's own machines.
class Follower {
public:
    Follower(const model::Machine& component, const std::vector<TestMachine>& test, const TestSuite& suite,
             const model::Channels& channels)
        : projection_(suite.component()),
          here_(with(component, test), channels),
          there_(with(suite.component(), suite.whole().machines, &whole_), channels) {}

    std::optional<Departure> run(std::size_t limit) {
        nodes_.push_back({here_.initial(), there_.initial(), 0, {}});
        known_.insert({nodes_[0].at, nodes_[0].reference});
        for (std::size_t i = 0; i < nodes_.size() && nodes_.size() < limit; ++i)
            if (auto found = expand(i)) return found;
        return std::nullopt;
    }

private:
    struct Node {
        explore::Configuration at, reference;
        std::size_t parent;
        explore::Stepping::Move move;
    };

    static std::vector<const model::Machine*> with(const model::Machine& component,
                                                   const std::vector<TestMachine>& test) {
        std::vector<const model::Machine*> machines{&component};
        for (const TestMachine& t : test) machines.push_back(&t.machine);
        return machines;
    }
    static std::vector<const model::Machine*> with(const model::Machine& component,
                                                   std::vector<TestMachine> test,
                                                   std::vector<TestMachine>* keep) {
        *keep = std::move(test);
        return with(component, *keep);
    }

    std::optional<Departure> expand(std::size_t i) {
        explore::Configuration at = nodes_[i].at, reference = nodes_[i].reference;
        here_.moves(at, moves_);
        there_.moves(reference, references_);
        bool over = moves_.empty() && at.stable();
        for (std::size_t m = 1; m < here_.machines().size(); ++m) over = over && here_.rests(m, at.states[m]);
        if (over && !there_.rests(0, reference.states[0]))
            return Departure{run_to(i, nullptr), true,
                             fmt::format("{} stops where the protocol has {}", role(), expected(reference))};
        for (const auto& move : moves_) {
            model::LabelId label = here_.label(at, move);
            if (projection_.alphabet().event(label).kind == model::EventKind::silent) {
                add({here_.after(at, move), reference, i, move});
                continue;
            }
            auto same = std::find_if(references_.begin(), references_.end(),
                                     [&](const auto& r) { return there_.label(reference, r) == label; });
            if (same == references_.end()) return departure(i, move);
            add({here_.after(at, move), there_.after(reference, *same), i, move});
        }
        return std::nullopt;
    }

    void add(Node node) {
        if (known_.insert({node.at, node.reference}).second) nodes_.push_back(std::move(node));
    }

    Departure departure(std::size_t i, const explore::Stepping::Move& move) const {
        explore::Run run = run_to(i, &move);
        model::LabelId own = run.back().label;
        for (const explore::Step& step : here_.events(nodes_[i].at, move))
            if (step.machine == 0) own = step.label;
        return {std::move(run), false,
                fmt::format("{} where the protocol has {}", in_words(projection_.alphabet(), own, true),
                            expected(nodes_[i].reference))};
    }

    std::string_view role() const { return projection_.alphabet().name(projection_.role()); }

    std::string expected(const explore::Configuration& reference) const {
        std::string out;
        for (const model::Edge& edge : projection_.out(reference.states[0]))
            out += (out.empty() ? "" : " or ") + in_words(projection_.alphabet(), edge.label, false);
        return out.empty() ? fmt::format("nothing more for {} to do", role()) : out;
    }

    explore::Run run_to(std::size_t i, const explore::Stepping::Move* last) const {
        std::vector<explore::Run> parts;
        if (last) parts.push_back(here_.events(nodes_[i].at, *last));
        for (; i > 0; i = nodes_[i].parent)
            parts.push_back(here_.events(nodes_[nodes_[i].parent].at, nodes_[i].move));
        explore::Run run;
        for (std::size_t k = parts.size(); k-- > 0;) run.insert(run.end(), parts[k].begin(), parts[k].end());
        return run;
    }

    const model::Machine& projection_;
    std::vector<TestMachine> whole_;
    explore::Stepping here_, there_;
    std::vector<Node> nodes_;
    absl::flat_hash_set<std::pair<explore::Configuration, explore::Configuration>> known_;
    std::vector<explore::Stepping::Move> moves_, references_;
};

// A component that passes and has a given history, as small as may be.
class WrongComponent {
public:
    explicit WrongComponent(const PassingComponents& passing) : passing_(passing) {}

    // The shortest history to a set of which a component may be wrong; false if there is none.
    bool find() {
        std::map<std::uint32_t, std::pair<std::uint32_t, Step>> from;
        std::deque<std::uint32_t> waiting{0};
        from[0] = {};
        while (!waiting.empty()) {
            std::uint32_t set = waiting.front();
            waiting.pop_front();
            Steps rest;
            bool early = passing_.stops_early(set, rest);
            if (early || passing_.wrong(set)) {
                if (early) chosen_[set] = rest;
                for (; set != 0; set = from[set].first) chosen_[from[set].first] = narrow(from[set]);
                return true;
            }
            for (const Step& step : passing_.good_steps(set))
                if (from.try_emplace(step.second, set, step).second) waiting.push_back(step.second);
        }
        return false;
    }

    model::Machine build(const model::Machine& projection) {
        model::MachineBuilder builder(projection.name(), projection.alphabet_ptr(), projection.role());
        std::vector<std::uint32_t> sets{0};
        std::map<std::uint32_t, StateId> states{{0, builder.state(false)}};
        for (std::size_t i = 0; i < sets.size(); ++i) {
            Steps steps = chosen_.contains(sets[i]) ? chosen_[sets[i]] : usual(sets[i]);
            builder.set_final(states[sets[i]], passing_.ends(sets[i], steps).final);
            for (const Step& step : steps) {
                auto [place, added] = states.try_emplace(step.second);
                if (added) {
                    place->second = builder.state(false);
                    sets.push_back(step.second);
                }
                builder.edge(states[sets[i]], step.first, place->second);
            }
        }
        return choreo::minimise(builder.finish().value());
    }

private:
    // As few steps as may be, among them the one that is needed.
    Steps narrow(const std::pair<std::uint32_t, Step>& needed) const {
        Steps steps{needed.second};
        if (passing_.ends(needed.first, steps).well) return steps;
        for (const Step& step : passing_.reference_steps(needed.first))
            if (step != needed.second) steps.push_back(step);
        if (passing_.ends(needed.first, steps).well) return steps;
        return passing_.good_steps(needed.first);
    }

    // What the projection would do, if that is still well.
    Steps usual(std::uint32_t set) const {
        Steps steps = passing_.reference_steps(set);
        if (passing_.ends(set, steps).well) return steps;
        for (const Step& step : passing_.good_steps(set))
            if (passing_.ends(set, {step}).well) return {step};
        return passing_.good_steps(set);
    }

    const PassingComponents& passing_;
    std::map<std::uint32_t, Steps> chosen_;
};

}  // namespace

std::optional<Departure> leaves_protocol(const model::Machine& component,
                                         const std::vector<TestMachine>& test, const TestSuite& suite,
                                         const model::Channels& channels, std::size_t limit) {
    return Follower(component, test, suite, channels).run(limit);
}

Adherence adherence(const TestSuite& suite, const ComplianceOptions& options, bool global) {
    Adherence result;
    PassingComponents passing(suite, options, global);
    result.knowledge = passing.knowledge_count();
    result.configurations = passing.configuration_count();
    if (!passing.complete()) {
        result.reason = fmt::format("{} after {} configurations", base::to_string(passing.stopped()),
                                    result.configurations);
        return result;
    }
    if (!passing.exists()) {
        result.answer = base::Answer::holds;
        result.reason = "no component at all passes";
        return result;
    }
    WrongComponent wrong(passing);
    if (!wrong.find()) {
        result.answer = passing.pruned() ? base::Answer::undecided : base::Answer::holds;
        if (passing.pruned())
            result.reason = "a component may send for ever into channels that are not judged";
        return result;
    }
    constexpr std::size_t most_cases = 2000;
    model::Machine component = wrong.build(suite.component());
    for (const Count& number : first_cases(suite.size(), most_cases)) {
        TestCase test = suite.at(number);
        auto departure = leaves_protocol(component, test.machines, suite, options.channels);
        if (!departure) continue;
        result.answer = base::Answer::fails;
        result.wrong = WrongPasser{std::move(component), std::move(test), std::move(*departure)};
        return result;
    }
    result.reason = fmt::format("a wrong component passes, but not in the first {} cases", most_cases);
    return result;
}

}  // namespace treaty::testgen
