#include "cli/test_coverage.h"

#include <map>

#include <fmt/format.h>

#include "drive/missing.h"
#include "report/wording.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/reach.h"

namespace treaty::cli {
namespace {

using drive::Missing;
using report::counted;

std::string step_text(const ProtocolInput& input, model::NodeId id) {
    const model::Alphabet& alphabet = *input.specification.alphabet;
    const model::Node& node = (*input.protocol)[id];
    return fmt::format("{} -> {}: {}", alphabet.name(node.role), alphabet.name(node.to),
                       alphabet.name(node.message));
}

// The interactions that no run has, proved; of a protocol that is too large for that, none.
std::vector<bool> impossible(const ProtocolInput& input) {
    std::vector<bool> result(input.protocol->size(), false);
    if (!input.protocol->has_data()) return result;
    constexpr std::chrono::seconds patience{2};
    symbolic::GraphLimits limits;
    limits.states = 2000;
    limits.deadline = base::Deadline::after_work(patience);
    symbolic::GraphResult made = symbolic::protocol_graph(input.specification, *input.protocol, limits);
    if (!made) return result;
    expr::Solver solver(*made.graph->pool, std::chrono::milliseconds(500));
    auto found = symbolic::reachability(*made.graph, solver, {6, base::Deadline::after_work(patience)});
    std::vector<bool> possible(input.protocol->size(), false), met = possible;
    for (std::size_t s = 0; s < made.graph->states.size(); ++s)
        for (std::size_t e = 0; e < made.graph->states[s].out.size(); ++e) {
            model::NodeId node = made.graph->states[s].out[e].node;
            if (!node) continue;
            met[node.index] = true;
            if (found.edges[s][e] != symbolic::Reach::unreachable) possible[node.index] = true;
        }
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = met[i] && !possible[i];
    return result;
}

std::string_view to_string(Missing::Cause cause) {
    switch (cause) {
        case Missing::Cause::choice: return "choice";
        case Missing::Cause::loop: return "loop";
        case Missing::Cause::condition: return "condition";
        case Missing::Cause::interruption: return "interruption";
        case Missing::Cause::not_reached: break;
    }
    return "not reached";
}

// ": B never took this branch of the choice in line 14"
std::string why(const Session& session, const ProtocolInput& input, const Missing& m) {
    std::string by(m.by ? input.specification.alphabet->name(m.by) : "nobody");
    std::uint32_t line = line_of(session, *input.protocol, m.at);
    switch (m.cause) {
        case Missing::Cause::choice:
            return fmt::format(": {} never took this branch of the choice in line {}", by, line);
        case Missing::Cause::loop: return fmt::format(": {} never began a round in line {}", by, line);
        case Missing::Cause::condition:
            return fmt::format(": the condition in line {} never came out so", line);
        case Missing::Cause::interruption: return fmt::format(": {} never interrupted in line {}", by, line);
        case Missing::Cause::not_reached: break;
    }
    return "";
}

// ", all but what B never does": nothing is missing that the tester could have brought about.
std::string all_but(std::size_t missing, std::size_t up_to_component, std::size_t impossible,
                    std::string_view component) {
    if (missing == 0 || up_to_component + impossible < missing) return "";
    if (up_to_component == 0) return ", all that can happen";
    return fmt::format(", all but what {} never does{}", component,
                       impossible > 0 ? " or can never happen" : "");
}

report::Json to_json(const drive::Measure& m) {
    return {{"covered", m.covered}, {"total", m.total}};
}

// Of each field of the messages that were exchanged.
struct SeenValues {
    report::Json values = report::Json::object(), missing = report::Json::array();
    drive::Measure classes;          // those that are possible
    std::vector<std::string> never;  // "ask.x: negative, at a power of two"
};

SeenValues seen_values(const ProtocolInput& input, drive::Part& part, const drive::Coverage& coverage) {
    SeenValues result;
    const model::Specification& spec = input.specification;
    std::size_t questions = 200;  // and not a time, so that a busy machine says the same
    for (const auto& [field, classes] : coverage.values) {
        const expr::Field& declared = spec.message(field.first).fields[field.second];
        std::vector<std::string_view> of_type = drive::value_classes(*spec.types, declared.type);
        if (of_type.empty()) continue;
        std::string message(spec.alphabet->name(field.first)), name(spec.names->text(declared.name));
        auto text = [&](std::string_view one) {
            return drive::class_text(one, *spec.types, declared.type, *spec.names);
        };
        report::Json& json = result.values[message][name];
        for (const auto& [one, count] : classes) {
            json[text(one)] = count;
            result.classes.add(true);
        }
        std::vector<std::string> never;
        for (std::string_view one : of_type) {
            if (classes.contains(one)) continue;
            bool possible =
                part.maker->possible(field.first, field.second, one, questions) != expr::Found::no;
            result.missing.push_back(
                {{"message", message}, {"field", name}, {"class", text(one)}, {"reachable", possible}});
            if (!possible) continue;
            result.classes.add(false);
            never.push_back(text(one));
        }
        if (!never.empty())
            result.never.push_back(fmt::format("{}.{}: {}", message, name, fmt::join(never, ", ")));
    }
    return result;
}

std::string never_values(const SeenValues& seen) {
    constexpr std::size_t most = 4;
    if (seen.classes.total == 0) return "";
    std::string text = fmt::format("values: {} of {} {}\n", seen.classes.covered, seen.classes.total,
                                   seen.classes.total == 1 ? "class" : "classes");
    for (std::size_t i = 0; i < std::min(most, seen.never.size()); ++i)
        text += fmt::format("    never seen: {}\n", seen.never[i]);
    if (seen.never.size() > most)
        text += fmt::format("    and some of {}\n", counted(seen.never.size() - most, "other field"));
    return text;
}

}  // namespace

std::uint32_t line_of(const Session& session, const model::Protocol& protocol, model::NodeId node) {
    return node ? session.sources.line_number(protocol[node].span.file, protocol[node].span.begin) : 0;
}

std::vector<std::string> add_coverage(Session& session, const ProtocolInput& input, drive::Part& part,
                                      const drive::Coverage& coverage, bool all_passed) {
    const model::RoleId cut = part.cut;
    report::Json missing = report::Json::array();
    std::vector<std::string> sentences;
    std::string text;
    const model::Alphabet& alphabet = *input.specification.alphabet;
    std::vector<Missing> all = drive::missing_steps(*input.protocol, coverage);
    std::vector<bool> never = all.empty() ? std::vector<bool>() : impossible(input);
    std::size_t impossible_ones = 0, up_to_component = 0;
    for (const Missing& m : all) {
        bool possible = !never[m.step.index];
        bool up_to_it = !m.to_component && (!m.at || m.by == cut);
        impossible_ones += !possible;
        // Also what the tester would have said, had the component decided otherwise.
        up_to_component += possible && (up_to_it || (m.at && m.by == cut));
        std::string sentence =
            fmt::format("{} (line {})", step_text(input, m.step), line_of(session, *input.protocol, m.step));
        if (!possible) sentence += ", which can never happen: its conditions exclude each other";
        if (possible && up_to_it) sentence += fmt::format(", which is up to {}", alphabet.name(cut));
        if (possible) sentence += why(session, input, m);
        report::Json json = {{"step", step_text(input, m.step)},
                             {"line", line_of(session, *input.protocol, m.step)},
                             {"by", m.to_component ? "tester" : alphabet.name(cut)},
                             {"reachable", possible},
                             {"cause", to_string(m.cause)}};
        if (m.at) json["at"] = line_of(session, *input.protocol, m.at);
        if (m.by) json["decider"] = alphabet.name(m.by);
        missing.push_back(std::move(json));
        text += fmt::format("    never seen: {}\n", sentence);
        sentences.push_back(std::move(sentence));
    }
    SeenValues seen = seen_values(input, part, coverage);
    for (const std::string& one : seen.never) sentences.push_back("values of " + one);
    drive::Measures m = drive::measures(*input.protocol, cut, coverage);
    report::Json peers = report::Json::object();
    for (const auto& [role, measure] : m.peers) peers[std::string(alphabet.name(role))] = to_json(measure);
    session.result.extra["coverage"] = {{"covered", coverage.covered()},
                                        {"total", coverage.steps.size()},
                                        {"messages", to_json(m.messages)},
                                        {"branches", to_json(m.branches)},
                                        {"guards", to_json(m.guards)},
                                        {"roles", std::move(peers)},
                                        {"up_to_component", up_to_component},
                                        {"impossible", impossible_ones},
                                        {"missing", missing},
                                        {"value_classes", to_json(seen.classes)},
                                        {"values", std::move(seen.values)},
                                        {"values_missing", std::move(seen.missing)}};
    session.result.text += fmt::format(
        "coverage: {} of {}{}\n{}", coverage.covered(), counted(coverage.steps.size(), "step"),
        !all_passed ? "" : all_but(all.size(), up_to_component, impossible_ones, alphabet.name(cut)), text);
    session.result.text += never_values(seen);
    return sentences;
}

}  // namespace treaty::cli
