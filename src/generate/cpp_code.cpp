#include "generate/cpp_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "generate/cpp_steps.h"
#include "generate/cpp_tables.h"

namespace treaty::generate {
namespace {

// The states of one role.
class CppRole {
public:
    CppRole(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::cpp, diagnostics, "messages::"),
          steps_(writer_, "c.data.",
                 [](const std::string& why) { return fmt::format("throw treaty::DataError({});", why); }),
          role_(role) {}

    std::optional<GeneratedFile> run() {
        std::string states, operations;
        for (const StateCode& state : role_.states) states += declaration(state);
        for (const StateCode& state : role_.states) operations += definitions(state);
        std::string data = data_struct();
        if (!writer_.ok()) return std::nullopt;
        std::string name = writer_.name(role_.role), protocol = writer_.protocol_name();
        std::string text = fmt::format(
            "// The role {} of the protocol {}, one type per state. Written by treaty generate from {}; do "
            "not edit.\n"
            "#pragma once\n\n#include \"{}_messages.hpp\"\n\nnamespace {}::{} {{\n\n",
            writer_.alphabet().name(role_.role), writer_.protocol().name(), writer_.source_file(), protocol,
            protocol, name);
        text += data;
        text += "using Core = treaty::Core<Message, Data>;\n\n";
        for (const StateCode& state : role_.states) text += fmt::format("class {};\n", state.name);
        text += any_state() + cpp_patterns(writer_.patterns()) + states + operations;
        text += fmt::format(
            "// Where the role begins. The link must live as long as the session.\n"
            "inline {0} start(treaty::Link<Message>& link) {{\n"
            "    return {0}(std::make_unique<Core>(link));\n}}\n\n}}  // namespace {1}::{2}\n",
            role_.states[0].name, protocol, name);
        return GeneratedFile{writer_.file_name(role_.role) + ".hpp", text};
    }

private:
    std::string target(std::size_t state) const { return role_.states[state].name; }

    std::string peer(const Operation& o) { return fmt::format("role::{}", writer_.name(o.peer)); }

    std::string message(const Operation& o) { return "messages::" + writer_.name(o.message); }

    // Whether a message of this name is sent to several peers from the state: then the peer is an argument.
    static bool needs_peer(const StateCode& state, const Operation& o) {
        return std::count_if(state.operations.begin(), state.operations.end(), [&](const Operation& other) {
                   return other.sends && other.message == o.message;
               }) > 1;
    }

    std::string data_struct() {
        return "// What the role has to remember of the data.\nstruct Data {\n" +
               steps_.data_members(role_, "    ") + "};\n\n";
    }

    // All states, and the end.
    std::string any_state() const {
        std::string names;
        for (const StateCode& state : role_.states) names += state.name + ", ";
        return fmt::format("\nusing AnyState = std::variant<{}treaty::Ended>;\n\n", names);
    }

    std::string send_result(const Operation& o) const {
        std::string names;
        for (std::size_t t : o.targets()) names += (names.empty() ? "" : ", ") + target(t);
        return o.targets().size() == 1 ? names : fmt::format("std::variant<{}>", names);
    }

    std::vector<std::string> possibilities(const StateCode& state) {
        std::vector<std::string> items;
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            for (std::size_t t : o.targets()) {
                std::string item = fmt::format("treaty::Received<{}, {}>", message(o), target(t));
                if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
            }
        }
        if (state.may_end()) items.push_back("treaty::Ended");
        return items;
    }

    static bool offers_finish(const StateCode& state) {
        return state.may_end() && !state.is_done() && (state.sends() || !state.receives());
    }

    std::string quoted_lines(const StateCode& state) {
        std::vector<std::string> lines;
        for (const Operation& o : state.operations)
            for (const Alternative& a : o.alternatives) {
                std::string line = fmt::format("// {}: {}\n", a.place.reference(), a.place.text);
                if (a.place.line != 0 && std::find(lines.begin(), lines.end(), line) == lines.end())
                    lines.push_back(line);
            }
        return fmt::format("{}", fmt::join(lines, ""));
    }

    std::string declaration(const StateCode& state) {
        std::string text = state.is_done() ? "// Nothing is left to do.\n" : quoted_lines(state);
        std::string step = writer_.quoted(writer_.step(role_, state));
        bool free = std::any_of(state.endings.begin(), state.endings.end(),
                                [](const auto& conditions) { return conditions.empty(); });
        text += fmt::format(
            "class {4}{0} : public treaty::State<{0}, Core> {{\npublic:\n"
            "    static constexpr const char* step ={3}{1};\n"
            "    static constexpr bool may_end = {2};\n{5}\n",
            state.name, step, free, step.size() > 70 ? "\n        " : " ",
            state.is_done() ? "" : "TREATY_STATE ",
            state.is_done() ? "    static constexpr bool is_done = true;\n" : "");
        return text + sends(state) + receives(state) + finishes(state) + "    using State::State;\n};\n\n";
    }

    std::string refusal(std::string_view name, const std::string& words) {
        return fmt::format(
            "    template <class... Other>\n    void {}(Other&&...) && {{\n"
            "        static_assert(treaty::never<Other...>,\n                      {});\n    }}\n",
            name, writer_.quoted(words));
    }

    std::string sends(const StateCode& state) {
        std::string text;
        std::vector<std::string> names;
        for (const Operation& o : state.operations) {
            if (!o.sends) continue;
            std::string first = needs_peer(state, o) ? fmt::format("role::to<{}>, ", peer(o)) : std::string();
            text +=
                fmt::format("    TREATY_USES_UP {} send({}{} m) &&;\n", send_result(o), first, message(o));
            names.push_back(
                fmt::format("{} to {}", writer_.alphabet().name(o.message), writer_.alphabet().name(o.peer)));
        }
        std::string step = writer_.step(role_, state);
        text += refusal("send", names.empty() ? "nothing can be sent here. " + step
                                              : fmt::format("only {} can be sent here. {}",
                                                            alternatives_text(names), step));
        return text;
    }

    std::string receives(const StateCode& state) {
        std::string step = writer_.step(role_, state);
        if (!state.receives()) return refusal("receive", "nothing can be received here. " + step);
        auto items = possibilities(state);
        std::string result =
            items.size() == 1
                ? items[0]
                : fmt::format("std::variant<{}>", fmt::join(items, ",\n                                "));
        return fmt::format("    using Result = {};\n    TREATY_USES_UP Result receive() &&;\n", result);
    }

    std::string finishes(const StateCode& state) {
        if (state.is_done()) return "";
        if (offers_finish(state)) return "    TREATY_USES_UP void finish() &&;\n\n";
        return refusal("finish", "the protocol is not finished here. " + writer_.step(role_, state)) + '\n';
    }

    std::string definitions(const StateCode& state) {
        std::string text;
        for (const Operation& o : state.operations)
            if (o.sends) text += send_definition(state, o);
        if (state.receives()) text += receive_definition(state);
        if (offers_finish(state)) text += finish_definition(state);
        return text;
    }

    std::string finish_definition(const StateCode& state) {
        std::string text = fmt::format("inline void {}::finish() && {{\n", state.name);
        if (std::string may = steps_.may_end(state); !may.empty())
            text += fmt::format(
                "    [[maybe_unused]] Core& c = core();\n    if (!treaty::holds([&] {{ return {}; }}))\n"
                "        throw treaty::DataError({});\n",
                may, writer_.quoted("the data does not allow the end here. " + writer_.step(role_, state)));
        return text + "    take();\n}\n\n";
    }

    std::string send_definition(const StateCode& state, const Operation& o) {
        std::string first = needs_peer(state, o) ? fmt::format("role::to<{}>, ", peer(o)) : std::string();
        std::string text = fmt::format("inline {} {}::send({}{} m) && {{\n    Core& c = core();\n",
                                       send_result(o), state.name, first, message(o));
        text += steps_.print(o, "    ", [&](const Alternative& a, const std::string& indent) {
            return fmt::format(
                "{0}auto session = take();\n"
                "{0}c.link.send({1}, std::move(m));\n"
                "{0}return {2}(std::move(session));\n",
                indent, peer(o), target(a.target));
        });
        return text + "}\n\n";
    }

    std::string receive_definition(const StateCode& state) {
        std::string text = fmt::format(
            "inline {0}::Result {0}::receive() && {{\n    auto session = take();\n    Core& c = *session;\n"
            "    static constexpr treaty::Awaited awaited[] = {{\n",
            state.name);
        for (const Operation& o : state.operations)
            if (!o.sends)
                text += fmt::format("        {{{}, treaty::position<{}, Message>}},\n", peer(o), message(o));
        text += "    };\n    auto arrival = c.link.receive(awaited);\n" + closed(state);
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            text += fmt::format("    if (arrival.is<{1}>({0})) {{\n        auto& m = arrival.get<{1}>();\n",
                                peer(o), message(o));
            text += steps_.print(o, "        ", [&](const Alternative& a, const std::string& indent) {
                return fmt::format(
                    "{0}return treaty::Received<{1}, {2}>{{arrival.from, std::move(m), "
                    "{2}(std::move(session))}};\n",
                    indent, message(o), target(a.target));
            });
            text += "    }\n";
        }
        return text +
               "    throw treaty::UnexpectedMessage(treaty::unexpected(step, "
               "message_names[arrival.message->index()],\n"
               "                                                       role::names[arrival.from]));\n}\n\n";
    }

    std::string closed(const StateCode& state) {
        std::string may = steps_.may_end(state);
        std::string gone = "throw treaty::ConnectionClosed(treaty::gone(step));\n";
        if (!state.may_end()) return "    if (!arrival.message) " + gone;
        std::string text = "    if (!arrival.message) {\n";
        if (!may.empty())
            text += fmt::format("        if (!treaty::holds([&] {{ return {}; }})) {}", may, gone);
        return text + "        return treaty::Ended{};\n    }\n";
    }

    CodeWriter writer_;
    CppSteps steps_;
    const RoleCode& role_;
};

}  // namespace

std::optional<std::vector<GeneratedFile>> generate_cpp(const RoleSource& source,
                                                       const std::vector<RoleCode>& roles,
                                                       base::Diagnostics& diagnostics) {
    std::vector<GeneratedFile> files{runtime_file(Language::cpp)};
    auto messages = cpp_messages(source, diagnostics);
    if (!messages) return std::nullopt;
    files.push_back(std::move(*messages));
    for (const RoleCode& role : roles) {
        auto file = CppRole(source, role, diagnostics).run();
        if (!file) return std::nullopt;
        files.push_back(std::move(*file));
    }
    return files;
}

}  // namespace treaty::generate
