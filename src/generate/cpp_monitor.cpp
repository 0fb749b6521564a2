#include "generate/cpp_monitor.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "generate/cpp_steps.h"
#include "generate/cpp_tables.h"

namespace treaty::generate {
namespace {

constexpr std::string_view head =
    R"(// A monitor for the role {role} of the protocol {protocol}. Written by treaty generate from {source}; do not edit.
#pragma once

{include} "{name}_messages.hpp"

namespace {name}::{scope} {{

{patterns}// Judges what {role} sends and receives, one event after the other. An event that is not allowed changes nothing, so
// the program may go on without it. A copy continues by itself.
class Monitor : treaty::Monitor<role::count> {{
public:
    treaty::Judgement sent(std::size_t to, const Message& message) {{
        return std::visit([&](const auto& m) {{ return sent(to, m); }}, message);
    }}
    treaty::Judgement received(std::size_t from, const Message& message) {{
        return std::visit([&](const auto& m) {{ return received(from, m); }}, message);
    }}

{events}    // Messages that {role} never sends or never receives.
    template <class M>
        requires(treaty::position<M, Message> < std::variant_size_v<Message>)
    treaty::Judgement sent(std::size_t to, const M&) {{
        return treaty::Event{{true, message_names[treaty::position<M, Message>], name(to)}}.unexpected(step());
    }}
    template <class M>
        requires(treaty::position<M, Message> < std::variant_size_v<Message>)
    treaty::Judgement received(std::size_t from, const M&) {{
        return treaty::Event{{false, message_names[treaty::position<M, Message>], name(from)}}.unexpected(step());
    }}

    // Whether {role} may stop here.
    bool may_end() const {{
{ends}    }}

    // The messages that {role} may receive here.
    std::span<const treaty::Awaited> awaited() const {{
{awaited}    }}

    // What {role} does next, with the line of the protocol.
    const char* step() const {{
        static constexpr const char* steps[] = {{
{steps}        }};
        return steps[static_cast<std::size_t>(state_)];
    }}

private:
    enum class State : std::uint16_t {{
{states}    }};
{data}
    static constexpr const char* name(std::size_t peer) {{ return peer < role::count ? role::names[peer] : "nobody"; }}

    treaty::Judgement go(State state) {{
        state_ = state;
        return std::nullopt;
    }}

    State state_ = State::{first};
{member}}};

}}  // namespace {name}::{scope}
)";

class CppMonitor {
public:
    CppMonitor(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::cpp, diagnostics, "messages::"),
          steps_(writer_, "data_.",
                 [](const std::string& why) { return fmt::format("return event.breaks({});", why); }),
          role_(role) {
        writer_.patterns().set_prefix("monitor_pattern_");
    }

    std::optional<GeneratedFile> run() {
        std::string events, steps, states;
        for (bool sends : {true, false})
            for (model::MessageId m : writer_.messages()) events += event(sends, m);
        for (const StateCode& state : role_.states) {
            steps += fmt::format("            {},\n", writer_.quoted(writer_.step(role_, state)));
            states += fmt::format("        {},\n", state.name);
        }
        std::string ends = endings(), data, member;
        if (!role_.variables.empty()) {
            data = fmt::format("    // What {} has to remember of the data.\n    struct Data {{\n{}    }};\n",
                               writer_.alphabet().name(role_.role), steps_.data_members(role_, "        "));
            member = "    Data data_;\n";
        }
        if (!writer_.ok()) return std::nullopt;
        const std::string& name = writer_.protocol_name();
        std::string text =
            fmt::format(head, fmt::arg("role", writer_.alphabet().name(role_.role)),
                        fmt::arg("protocol", writer_.protocol().name()),
                        fmt::arg("source", writer_.source_file()), fmt::arg("name", name),
                        fmt::arg("include", "#include"), fmt::arg("scope", writer_.name(role_.role)),
                        fmt::arg("patterns", cpp_patterns(writer_.patterns())), fmt::arg("events", events),
                        fmt::arg("ends", ends), fmt::arg("awaited", awaited()), fmt::arg("steps", steps),
                        fmt::arg("states", states), fmt::arg("data", data), fmt::arg("member", member),
                        fmt::arg("first", role_.states[0].name));
        return GeneratedFile{writer_.file_name(role_.role) + "_monitor.hpp", std::move(text)};
    }

private:
    // What is done in one or more states; each `case` with the lines of the protocol that it is about.
    struct Rule {
        std::string cases, body;
    };

    // The function for a message that is sent, or received; empty if it never is.
    std::string event(bool sends, model::MessageId message) {
        std::vector<Rule> rules;
        bool reads = false;
        for (const StateCode& state : role_.states)
            for (const Operation& o : state.operations) {
                if (o.sends != sends || o.message != message) continue;
                add(state, o, rules);
                reads = reads || writer_.reads_message(o) || writer_.is_checked(message);
            }
        if (rules.empty()) return "";
        std::string text = fmt::format(
            "    treaty::Judgement {}(std::size_t {}, const messages::{}&{}) {{\n"
            "        const treaty::Event event{{{}, {}, name({})}};\n        switch (here(state_, {})) {{\n",
            sends ? "sent" : "received", sends ? "to" : "from", writer_.name(message), reads ? " m" : "",
            sends, writer_.quoted(writer_.alphabet().name(message)), sends ? "to" : "from",
            sends ? "to" : "from");
        for (const Rule& rule : rules) {
            bool names = rule.body.find(" auto ") != std::string::npos;  // which a case may not jump over
            text +=
                rule.cases + (names ? "            {\n" : "") + rule.body + (names ? "            }\n" : "");
        }
        return text + "        }\n        return event.unexpected(step());\n    }\n\n";
    }

    void add(const StateCode& state, const Operation& o, std::vector<Rule>& rules) {
        std::string cases;
        std::vector<const Alternative*> alternatives;
        for (const Alternative& a : o.alternatives) alternatives.push_back(&a);
        for (const std::string& line : CodeWriter::lines(alternatives))
            cases += fmt::format("            // {}\n", line);
        std::string label =
            fmt::format("            case here(State::{}, role::{}):\n", state.name, writer_.name(o.peer));
        std::string body =
            steps_.print(o, "                ", [&](const Alternative& a, const std::string& indent) {
                return fmt::format("{}return go(State::{});\n", indent, role_.states[a.target].name);
            });
        auto same = std::find_if(rules.begin(), rules.end(),
                                 [&](const Rule& r) { return r.body == body && r.cases.starts_with(cases); });
        if (same == rules.end())
            rules.push_back({cases + label, body});
        else
            same->cases += label;
    }

    std::string endings() {
        std::string free, text;
        for (const StateCode& state : role_.states) {
            if (!state.may_end()) continue;
            std::string condition = steps_.may_end(state),
                        label = fmt::format("            case State::{}:", state.name);
            if (condition.empty())
                free += label + '\n';
            else
                text += fmt::format("{} return treaty::holds([&] {{ return {}; }});\n", label, condition);
        }
        if (!free.empty()) text += free + "                return true;\n";
        if (text.empty()) return "        return false;\n";
        return fmt::format("        switch (state_) {{\n{}            default: return false;\n        }}\n",
                           text);
    }

    std::string awaited() {
        std::string cases;
        for (const StateCode& state : role_.states) {
            if (!state.receives()) continue;
            std::string items;
            for (const Operation& o : state.operations)
                if (!o.sends)
                    items += fmt::format(
                        "                    {{role::{}, treaty::position<messages::{}, Message>}},\n",
                        writer_.name(o.peer), writer_.name(o.message));
            cases += fmt::format(
                "            case State::{}: {{\n                static constexpr treaty::Awaited list[] = "
                "{{\n{}"
                "                }};\n                return list;\n            }}\n",
                state.name, items);
        }
        if (cases.empty()) return "        return {};\n";
        return fmt::format("        switch (state_) {{\n{}            default: return {{}};\n        }}\n",
                           cases);
    }

    CodeWriter writer_;
    CppSteps steps_;
    const RoleCode& role_;
};

}  // namespace

std::optional<GeneratedFile> cpp_monitor(const RoleSource& source, const RoleCode& role,
                                         base::Diagnostics& diagnostics) {
    return CppMonitor(source, role, diagnostics).run();
}

}  // namespace treaty::generate
