// draw_survivors() of report/answers.h.
#include "report/answers.h"

#include <map>

#include <fmt/format.h>

#include "api/mutate.h"

namespace treaty::report {
namespace {

using model::StateId;
using testgen::Fate;

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + '"';
}

// What was not killed at one place: by fate, the operators with their numbers.
struct Marks {
    std::map<Fate, std::map<std::string, std::size_t>> by_fate;

    void add(const api::JudgedMutant& mutant) {
        if (mutant.fate != Fate::killed) ++by_fate[mutant.fate][std::string(to_string(mutant.op))];
    }

    std::string color() const {
        if (by_fate.contains(Fate::survived) || by_fate.contains(Fate::undecided)) return "#c02020";
        if (by_fate.contains(Fate::unobservable)) return "#c06a00";
        return by_fate.contains(Fate::equivalent) ? "#707070" : "";
    }

    std::string text() const {
        std::string out;
        for (const auto& [fate, operators] : by_fate) {
            out += fmt::format("\n{}:", to_string(fate));
            for (const auto& [name, n] : operators)
                out += fmt::format("{} {}{}", out.ends_with(':') ? "" : ",", name,
                                   n > 1 ? fmt::format(" ({})", n) : "");
        }
        return out;
    }

    // Attributes of a state or an edge in DOT. A state with something to say is a box that holds it.
    std::string attributes(std::string_view label, bool final = false) const {
        std::string out = fmt::format("label={}", in_quotes(std::string(label) + text()));
        if (final) out += text().empty() ? " shape=doublecircle" : " peripheries=2";
        if (std::string c = color(); !c.empty())
            out += fmt::format(" color=\"{}\" fontcolor=\"{}\" penwidth=2", c, c);
        return out;
    }
};

}  // namespace

std::string draw_survivors(const api::MutateAnswer& answer) {
    const model::Machine& machine = answer.component.value();
    std::vector<Marks> states(machine.state_count());
    std::vector<std::vector<Marks>> edges(machine.state_count());
    for (std::size_t s = 0; s < edges.size(); ++s) edges[s].resize(machine.out(StateId(s)).size());
    std::size_t left = 0;
    for (const api::JudgedMutant& mutant : answer.mutants) {
        left += mutant.fate == Fate::killed ? 0 : 1;
        for (const api::MutantPlace& place : mutant.places)
            (place.edge ? edges[place.state.index][*place.edge] : states[place.state.index]).add(mutant);
    }
    std::string legend =
        fmt::format("{} mutants, {} not killed (red: survived; orange: unobservable; grey: equivalent)",
                    answer.mutants.size(), left);
    std::string out = fmt::format(
        "digraph machine {{\n  rankdir=LR\n  label={}\n  fontname=\"DejaVu Sans\"\n"
        "  node [shape=circle fontname=\"DejaVu Sans\" fontsize=11]\n"
        "  edge [fontname=\"DejaVu Sans\" fontsize=11]\n  start [shape=point]\n  start -> 0\n",
        in_quotes(legend));
    for (std::size_t s = 0; s < states.size(); ++s)
        out += fmt::format("  {} [{}{}]\n", s,
                           states[s].attributes(std::to_string(s), machine.final(StateId(s))),
                           states[s].text().empty() ? "" : " shape=box style=rounded");
    for (std::size_t s = 0; s < edges.size(); ++s)
        for (std::size_t e = 0; e < edges[s].size(); ++e) {
            const model::Edge& edge = machine.out(StateId(s))[e];
            out += fmt::format("  {} -> {} [{}]\n", s, edge.target.index,
                               edges[s][e].attributes(machine.alphabet().print(edge.label)));
        }
    return out + "}\n";
}

}  // namespace treaty::report
