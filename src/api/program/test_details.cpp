#include "api/program/test_details.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/models/derive.h"
#include "formats/dot/dot.h"

namespace treaty::api {
namespace {

constexpr std::size_t most_listed = 2000, most_drawn = 100;  // states of a machine

// The text of the protocol, with how often each line's steps were seen.
std::vector<TestedLine> lines_of(const base::SourceMap& sources, const ProtocolInput& input,
                                 const roles::Coverage& coverage) {
    std::vector<TestedLine> lines;
    if (coverage.steps.empty() || !coverage.steps.front().node) return lines;
    base::FileId file = (*input.protocol)[coverage.steps.front().node].span.file;
    auto text = sources.text(file);
    auto count = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') +
                                            (text.ends_with('\n') ? 0 : 1));
    for (std::uint32_t i = 1; i <= count; ++i)
        lines.push_back({i, std::string(sources.line(file, i)), false, 0});
    for (const auto& step : coverage.steps)
        if (std::uint32_t line = model::line_of(input.protocol, step.node, sources);
            line > 0 && line <= lines.size()) {
            lines[line - 1].is_step = true;
            lines[line - 1].seen += step.seen;
        }
    return lines;
}

TestedState::Edge edge_of(const model::Machine& machine, model::StateId s, std::size_t i,
                          const model::Protocol& protocol, const roles::Coverage& coverage) {
    const model::Event& e = machine.alphabet().event(machine.out(s)[i].label);
    TestedState::Edge edge{formats::edge_text(machine, s, i), machine.out(s)[i].target.index,
                           e.kind != model::EventKind::silent, 0};
    bool to_component = e.kind == model::EventKind::receive;
    for (const auto& step : coverage.steps) {
        // Edges that are several steps at once do not know which.
        bool same = machine.node(s, i) ? step.node == machine.node(s, i)
                                       : step.node && protocol[step.node].message == e.message;
        if (edge.counted && same && step.to_component == to_component) edge.seen += step.seen;
    }
    return edge;
}

}  // namespace

std::string to_dot(const TestDetails& details) {
    if (!details.machine) return "";
    return formats::write_dot(*details.machine, [&](model::StateId s, std::size_t i) -> formats::EdgeLook {
        const TestedState::Edge& edge = details.states[s.index].edges[i];
        if (!edge.counted) return {edge.label, ""};
        return {fmt::format("{} {}×", edge.label, edge.seen), edge.seen > 0 ? "class=seen" : "class=unseen"};
    });
}

std::string to_dot_of_steps(const TestDetails& details) {
    if (!details.machine) return "";
    std::vector<std::size_t> first;  // of each state, the number of its first edge
    std::size_t count = 0;
    for (const TestedState& state : details.states) {
        first.push_back(count);
        count += state.edges.size();
    }
    return formats::write_dot(*details.machine, [&](model::StateId s, std::size_t i) -> formats::EdgeLook {
        return {details.states[s.index].edges[i].label, fmt::format("class=\"step-{}\"", first[s.index] + i)};
    });
}

DetailsMaker::DetailsMaker(const Inquiry& inquiry, const ProtocolInput& input, model::RoleId component)
    : inquiry_(inquiry), input_(input) {
    Answer separate;  // that there is no machine is not a fault of the test
    machine_ =
        derive_machine(Inquiry(inquiry.workspace, inquiry.context, separate), input, std::array{component});
    if (machine_ && machine_->state_count() > most_listed) machine_.reset();
}

TestDetails DetailsMaker::of(const roles::Coverage& coverage) const {
    TestDetails details{lines_of(inquiry_.sources(), input_, coverage), {}, {}};
    if (!machine_) return details;
    for (std::size_t i = 0; i < machine_->state_count(); ++i) {
        model::StateId s(i);
        TestedState& state = details.states.emplace_back();
        state.name = machine_->state_name(s);
        state.final = machine_->final(s);
        if (state.name.empty()) state.name = std::to_string(i);
        for (std::size_t k = 0; k < machine_->out(s).size(); ++k)
            state.edges.push_back(edge_of(*machine_, s, k, *input_.protocol, coverage));
    }
    if (details.states.size() <= most_drawn) details.machine = machine_;
    return details;
}

}  // namespace treaty::api
