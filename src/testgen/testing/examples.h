// For tests: the cash machine of Coto 2023, its projections, and machines that are changed by hand.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "choreo/testing/notation.h"
#include "testgen/comply.h"
#include "testgen/test_suite.h"

namespace treaty::testgen::testing {

inline constexpr const char* atm_text =
    "C->A:auth ; A->B:authReq ; ch B { B->A:denied ; A->C:authFail } { B->A:granted ; A->C:granted ; ch C "
    "{ C->A:withdraw ; A->B:authWithdrawal ; ch B { B->A:allow ; A->C:money } { B->A:deny ; A->C:bye } } "
    "{ C->A:checkBalance ; A->B:getBalance ; B->A:balance ; A->C:balance } { C->A:quit ; A->B:quit } }";

inline constexpr const char* small_atm_text =
    "C->A:withdraw ; A->B:authW ; ch B { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }";

// A protocol in the notation of choreo's tests, and its projections.
struct Example {
    choreo::testing::TestProtocol source;
    Projections projections;

    explicit Example(std::string text, std::uint32_t times = 2)
        : source(choreo::testing::read(std::move(text))) {
        auto made = make_projections(*source.spec, *source.protocol, times);
        if (!made.projections) throw std::runtime_error(made.reason);
        projections = std::move(*made.projections);
    }
    model::RoleId role(std::string_view name) const { return source.role(name); }
    const model::Machine& machine(std::string_view name) const {
        return projections.machines[*projections.position(role(name))];
    }
    TestSuite suite(std::string_view cut, Keep keep = Keep::reachable) const {
        return TestSuite(projections, role(cut), keep, final_states(projections));
    }
};

struct EditedEdge {
    std::size_t from;
    std::string label;  // as Alphabet::print gives it
    std::size_t to;
};

// The machine with each edge as the function changes it; an edge whose label becomes empty is dropped.
inline model::Machine edited(const model::Machine& machine, const std::function<void(EditedEdge&)>& change,
                             std::vector<EditedEdge> extra = {}, std::size_t more_states = 0) {
    model::Alphabet& alphabet = *machine.alphabet_ptr();
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(model::StateId(s)));
    for (std::size_t s = 0; s < more_states; ++s) builder.state(false);
    std::vector<EditedEdge> edges = std::move(extra);
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& edge : machine.out(model::StateId(s))) {
            EditedEdge e{s, alphabet.print(edge.label), edge.target.index};
            change(e);
            edges.push_back(std::move(e));
        }
    for (const EditedEdge& e : edges) {
        if (e.label.empty()) continue;
        std::size_t mark = e.label.find_first_of("!?");
        model::RoleId from = alphabet.role(e.label.substr(0, 1)),
                      to = alphabet.role(e.label.substr(2, mark - 2));
        model::MessageId message = alphabet.message(e.label.substr(mark + 1));
        model::LabelId label =
            e.label[mark] == '!' ? alphabet.send(from, to, message) : alphabet.receive(from, to, message);
        builder.edge(model::StateId(e.from), label, model::StateId(e.to));
    }
    return builder.finish().value();
}

// The state that a label leads to, from wherever it leads there first.
inline std::size_t after_label(const model::Machine& machine, std::string_view label) {
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& edge : machine.out(model::StateId(s)))
            if (machine.alphabet().print(edge.label) == label) return edge.target.index;
    throw std::runtime_error("no edge " + std::string(label));
}

inline std::size_t failures(const Example& example, const TestSuite& suite, const model::Machine& component,
                            bool global, ComplianceOptions options = {}) {
    options.whole_run = suite.whole_run();
    Observer observer(example.projections, suite.cut(), options.channels);
    std::size_t failed = 0;
    for (const Count& i : first_cases(suite.size(), 100'000)) {
        TestCase test = suite.at(i);
        auto verdict = comply(component, test.machines, global ? &observer : nullptr, options);
        if (verdict.answer == base::Answer::undecided) throw std::runtime_error(verdict.reason);
        failed += verdict.answer == base::Answer::fails ? 1 : 0;
    }
    return failed;
}

}  // namespace treaty::testgen::testing
