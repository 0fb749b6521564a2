// For tests: small random protocols, components changed at random, and a second, slow way to judge a test.
//
// The slow way follows every run by itself and asks the pomset language of the protocol whether what was seen
// can be completed by events of the tested role: another search, another language.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "choreo/pomset_language.h"
#include "choreo/random_protocol.h"
#include "choreo/well_branched.h"
#include "explore/configuration.h"
#include "testgen/projections.h"
#include "testgen/test_suite.h"

namespace treaty::testgen::testing {

using choreo::SeededRandom;
using model::StateId;

struct RandomCase {
    model::Specification specification;
    std::optional<model::Protocol> protocol;
    std::optional<Projections> projections;
    bool good = false;  // well-branched, separate channels
};

inline std::unique_ptr<RandomCase> random_case(std::uint64_t seed) {
    auto out = std::make_unique<RandomCase>();
    choreo::RandomShape shape;
    shape.steps = 4;
    shape.depth = 2;
    shape.branches = 2;
    shape.loops = seed % 5 == 0;
    shape.announced = true;
    shape.separate_channels = true;
    out->protocol = choreo::random_protocol(out->specification, shape, seed);
    base::Diagnostics ignored;
    auto branching = choreo::check_branching(out->specification, *out->protocol, ignored);
    out->good = branching.well_branched && branching.separate_channels;
    std::size_t interactions = 0;
    for (std::size_t i = 0; i < out->protocol->size(); ++i)
        interactions += (*out->protocol)[model::NodeId(i)].kind == model::NodeKind::interaction ? 1 : 0;
    if (interactions > 7) return out;  // following every run by itself is for small ones
    auto made = make_projections(out->specification, *out->protocol, 1);
    if (made.projections) out->projections = std::move(*made.projections);
    return out;
}

// The component with one edge sent elsewhere, relabelled, dropped or doubled; never with a new cycle.
inline model::Machine disturbed(const model::Machine& machine, SeededRandom& random) {
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(StateId(s)));
    std::vector<std::pair<StateId, model::Edge>> edges;
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& e : machine.out(StateId(s))) edges.emplace_back(StateId(s), e);
    std::uint32_t chosen = edges.empty() ? 0 : random.below(static_cast<std::uint32_t>(edges.size()));
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto [from, edge] = edges[i];
        if (i != chosen) {
            builder.edge(from, edge.label, edge.target);
            continue;
        }
        const auto& other = edges[random.below(static_cast<std::uint32_t>(edges.size()))].second;
        switch (random.below(4)) {
            case 0: break;
            case 1: builder.edge(from, other.label, edge.target); break;
            case 2: {
                StateId middle = builder.state(false);
                builder.edge(from, edge.label, middle);
                builder.edge(middle, random.percent(50) ? edge.label : other.label, edge.target);
                break;
            }
            default:
                builder.edge(from, edge.label, edge.target);
                builder.edge(from, other.label, edge.target);
        }
    }
    return builder.finish().value();
}

class SlowJudge {
public:
    SlowJudge(const RandomCase& source, model::RoleId cut, const model::Machine& component,
              const TestCase& test, model::Channels channels, bool global)
        : alphabet_(*source.specification.alphabet), cut_(cut), test_(test), global_(global) {
        std::vector<model::Machine> machines{component};
        for (const TestMachine& t : test.machines) machines.push_back(t.machine);
        system_ = model::make_system("S", std::move(machines), channels);
        semantics_.emplace(*system_);
        language_.emplace(
            std::move(*choreo::PomsetLanguage::of(source.specification, *source.projections->protocol)));
    }
    // The length of a shortest failing run; nothing if there is none. budget: steps.
    std::optional<std::size_t> run() {
        std::vector<choreo::Residual> start{language_->start()};
        follow(semantics_->initial(), close(std::move(start)), false, 0);
        return shortest_;
    }
    bool gave_up() const { return budget_ == 0; }

private:
    using Residuals = std::vector<choreo::Residual>;

    Residuals close(Residuals set) {
        std::set<choreo::Residual> known(set.begin(), set.end());
        for (std::size_t i = 0; i < set.size(); ++i)
            for (model::LabelId label : language_->next(set[i])) {
                if (alphabet_.subject(label) != cut_) continue;
                auto after = language_->after(set[i], label);
                if (known.insert(after).second) set.push_back(after);
            }
        return set;
    }
    Residuals step(const Residuals& set, model::LabelId label) {
        Residuals next;
        for (choreo::Residual r : set)
            if (auto after = language_->after(r, label); language_->possible(after)) next.push_back(after);
        return close(std::move(next));
    }
    bool successful(const explore::Configuration& c, const Residuals& seen) {
        for (std::size_t i = 0; i < test_.machines.size(); ++i)
            if (!test_.machines[i].success[c.states[i + 1].index]) return false;
        if (!c.stable()) return false;
        if (!global_) return true;
        for (choreo::Residual r : seen)
            if (language_->complete(r)) return true;
        return false;
    }
    void failed(std::size_t length) {
        if (!shortest_ || length < *shortest_) shortest_ = length;
    }
    void follow(const explore::Configuration& c, const Residuals& seen, bool passed, std::size_t length) {
        if (budget_ == 0) return;
        --budget_;
        bool now = successful(c, seen);
        passed = passed || now;
        auto steps = semantics_->steps(c);
        bool may_end = true;
        for (const explore::Run& taken : steps)
            may_end = may_end && alphabet_.event(taken.front().label).kind == model::EventKind::send &&
                      system_->machines()[taken.front().machine].final(c.states[taken.front().machine]);
        if (may_end && !(global_ ? now : passed)) failed(length);
        for (const explore::Run& taken : steps) {
            Residuals next = seen;
            bool refused = false;
            for (const explore::Step& s : taken) {
                if (!global_ || alphabet_.subject(s.label) == cut_) continue;
                next = step(next, s.label);
                refused = refused || next.empty();
            }
            if (refused)
                failed(length + 1);
            else
                follow(*semantics_->after(c, taken), next, passed, length + 1);
        }
    }

    const model::Alphabet& alphabet_;
    model::RoleId cut_;
    const TestCase& test_;
    bool global_;
    std::optional<model::System> system_;
    std::optional<explore::Semantics> semantics_;
    std::optional<choreo::PomsetLanguage> language_;
    std::optional<std::size_t> shortest_;
    std::size_t budget_ = 3'000;
};

}  // namespace treaty::testgen::testing
