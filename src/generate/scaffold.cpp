#include "generate/scaffold.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "generate/code_writer.h"
#include "generate/python_steps.h"
#include "generate/typescript_steps.h"

namespace treaty::generate {
namespace {

// What the scaffolds of all languages share.
class Scaffold {
protected:
    Scaffold(const RoleSource& source, const RoleCode& role, Language language,
             base::Diagnostics& diagnostics, std::string messages)
        : writer_(source, language, diagnostics, std::move(messages)), role_(role) {
        std::set<std::string> used{"play"};
        for (const StateCode& state : role.states) {
            std::string wanted = snake_case(state.name), name = wanted;
            for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
            functions_.push_back(std::move(name));
        }
    }

    // The head of the file, as lines.
    std::vector<std::string> head() const {
        return {fmt::format("What the role {} of the protocol {} does. treaty generate wrote this file once, "
                            "from {}, and",
                            writer_.alphabet().name(role_.role), writer_.protocol().name(),
                            writer_.source_file()),
                "does not overwrite it: fill it in. When the protocol changes, the types beside it are "
                "written again, and what",
                "no longer fits here is an error of the compiler or type checker."};
    }

    std::vector<std::string> lines(const StateCode& state) const {
        std::vector<const Alternative*> alternatives;
        for (const Operation& o : state.operations)
            for (const Alternative& a : o.alternatives) alternatives.push_back(&a);
        return CodeWriter::lines(alternatives);
    }

    static bool has_finish(const StateCode& state) { return state.may_end() && state.sends(); }
    const std::string& target(std::size_t state) const { return role_.states[state].name; }
    const model::Message& declared(const Operation& o) const {
        return writer_.specification().message(o.message);
    }

    // Whether a message of this name goes to several peers from the state.
    static bool several_peers(const StateCode& state, const Operation& o) {
        return std::count_if(state.operations.begin(), state.operations.end(), [&](const Operation& other) {
                   return other.sends && other.message == o.message;
               }) > 1;
    }

    // Values to begin with, for each field.
    std::vector<std::string> values(const Operation& o) {
        std::vector<std::string> result;
        for (const expr::Field& f : declared(o).fields) result.push_back(writer_.types().initial(f.type));
        return result;
    }

    // A comment that asks for data, if there is any.
    std::string ask(const Operation& o, std::string_view comment) const {
        return declared(o).fields.empty() ? "" : fmt::format("  {} to do: the data", comment);
    }

    CodeWriter writer_;
    const RoleCode& role_;
    std::vector<std::string> functions_;  // by state
};

class CppScaffold : Scaffold {
public:
    CppScaffold(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : Scaffold(source, role, Language::cpp, diagnostics, "messages::") {}

    std::optional<GeneratedFile> run() {
        std::string functions;
        for (const StateCode& state : role_.states)
            if (!state.is_done()) functions += function(state);
        if (!writer_.ok()) return std::nullopt;
        std::string text;
        for (const std::string& line : head()) text += fmt::format("// {}\n", line);
        text += fmt::format(
            "#pragma once\n\n#include \"{0}.hpp\"\n\nnamespace {1}::{2} {{\n\n"
            "// A function for each state, which returns the next one.\nstruct Implementation {{\n{3}}};\n\n"
            "inline void play(treaty::Link<Message>& link) {{\n"
            "    treaty::play<AnyState>(start(link), Implementation());\n}}\n\n}}  // namespace {1}::{2}\n",
            writer_.file_name(role_.role), writer_.protocol_name(), writer_.name(role_.role), functions);
        return GeneratedFile{writer_.file_name(role_.role) + "_impl.hpp", std::move(text), true};
    }

private:
    std::string function(const StateCode& state) {
        std::string text =
            functions_.front() == functions_[static_cast<std::size_t>(&state - role_.states.data())] ? ""
                                                                                                     : "\n";
        for (const std::string& line : lines(state)) text += fmt::format("    // {}\n", line);
        text += fmt::format("    AnyState operator()({} state) {{\n", state.name);
        bool first = true;
        for (const Operation& o : state.operations)
            if (o.sends) {
                text += fmt::format("        {}{}{}\n", first ? "" : "// or: ", send(state, o), ask(o, "//"));
                first = false;
            }
        if (has_finish(state)) text += "        // or: std::move(state).finish(); return treaty::Ended{};\n";
        if (state.receives()) text += state.sends() ? "        // or: receive\n" : receive(state);
        return text + "    }\n";
    }

    std::string send(const StateCode& state, const Operation& o) {
        std::string peer =
            several_peers(state, o) ? fmt::format("role::to<role::{}>{{}}, ", writer_.name(o.peer)) : "";
        std::string call = fmt::format("std::move(state).send({}messages::{}{{{}}})", peer,
                                       writer_.name(o.message), fmt::join(values(o), ", "));
        return o.targets().size() == 1 ? fmt::format("return {};", call)
                                       : fmt::format("return treaty::widen<AnyState>({});", call);
    }

    std::string receive(const StateCode& state) {
        std::vector<std::string> items;
        for (const Operation& o : state.operations)
            for (std::size_t t : o.targets()) {
                std::string item = fmt::format(
                    "treaty::Received<messages::{}, {}> got) -> AnyState {{ return std::move(got.next); }}",
                    writer_.name(o.message), target(t));
                if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
            }
        if (state.may_end()) items.emplace_back("treaty::Ended ended) -> AnyState { return ended; }");
        if (items.size() == 1) return "        return std::move(state).receive().next;\n";
        return fmt::format(
            "        return treaty::match(\n            std::move(state).receive(),\n            [&]({});\n",
            fmt::join(items, ",\n            [&]("));
    }
};

class PythonScaffold : Scaffold {
public:
    PythonScaffold(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : Scaffold(source, role, Language::python, diagnostics, "messages."),
          received_(received_names(role, writer_.alphabet())) {}

    std::optional<GeneratedFile> run() {
        std::string functions, cases, done = "rt.Ended()";
        for (std::size_t s = 0; s < role_.states.size(); ++s) {
            const StateCode& state = role_.states[s];
            if (state.is_done()) {
                done += fmt::format(" | role.{}()", state.name);
                continue;
            }
            functions += function(state, functions_[s]);
            cases += fmt::format("            case role.{}():\n                state = {}(state)\n",
                                 state.name, functions_[s]);
        }
        if (!writer_.ok()) return std::nullopt;
        auto about = head();
        std::string text = fmt::format(
            "\"\"\"{}\n\"\"\"\nfrom typing import assert_never\n\n{}import {} as role\nimport treaty_runtime "
            "as rt\n\n"
            "AnyState = role.AnyState | rt.Ended\n\n\n"
            "def play(link: rt.Link) -> None:\n    \"\"\"Goes from state to state until the role has "
            "finished.\"\"\"\n"
            "    state: AnyState = role.start(link)\n    while True:\n        match state:\n{}"
            "            case {}:\n                return\n            case _:\n                "
            "assert_never(state)\n{}",
            fmt::join(about, "\n"),
            functions.find("messages.") == std::string::npos
                ? ""
                : fmt::format("import {}_messages as messages\n", writer_.protocol_name()),
            writer_.file_name(role_.role), cases, done, functions);
        return GeneratedFile{writer_.file_name(role_.role) + "_impl.py", std::move(text), true};
    }

private:
    std::string function(const StateCode& state, const std::string& name) {
        std::string text = fmt::format("\n\ndef {}(state: role.{}) -> AnyState:\n", name, state.name);
        for (const std::string& line : lines(state)) text += fmt::format("    # {}\n", line);
        bool first = true;
        for (const Operation& o : state.operations)
            if (o.sends) {
                std::string method = "send_" + writer_.name(o.message);
                if (several_peers(state, o)) method += "_to_" + writer_.name(o.peer);
                text += fmt::format("    {}return state.{}({}){}\n", first ? "" : "# or: ", method,
                                    fmt::join(values(o), ", "), ask(o, "#"));
                first = false;
            }
        if (has_finish(state)) text += "    # or: state.finish(); return rt.Ended()\n";
        if (!state.receives()) return text;
        if (state.sends()) return text + "    # or: receive\n";
        return text + receive(state);
    }

    std::string receive(const StateCode& state) const {
        std::vector<std::string> names;
        for (const Operation& o : state.operations)
            for (std::size_t t : o.targets())
                if (const std::string& name = received_.at({o.message, t});
                    std::find(names.begin(), names.end(), name) == names.end())
                    names.push_back(name);
        if (names.size() == 1 && !state.may_end()) return "    return state.receive().next\n";
        std::string text = "    got = state.receive()\n    match got:\n";
        for (const std::string& name : names)
            text += fmt::format("        case role.{}():\n            return got.next\n", name);
        if (state.may_end()) text += "        case rt.Ended():\n            return got\n";
        return text + "        case _:\n            assert_never(got)\n";
    }

    ReceivedNames received_;
};

class TypeScriptScaffold : Scaffold {
public:
    TypeScriptScaffold(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : Scaffold(source, role, Language::typescript, diagnostics, "messages."), steps_(writer_, "") {}

    std::optional<GeneratedFile> run() {
        std::string functions, cases;
        for (std::size_t s = 0; s < role_.states.size(); ++s) {
            const StateCode& state = role_.states[s];
            cases += fmt::format("      case \"{}\":\n", state.name);
            if (state.is_done()) {
                cases += "        return;\n";
                continue;
            }
            functions += function(state, functions_[s]);
            cases += fmt::format("        state = await {}(state);\n        break;\n", functions_[s]);
        }
        if (!writer_.ok()) return std::nullopt;
        std::string text;
        for (const std::string& line : head()) text += fmt::format("// {}\n", line);
        text += fmt::format(
            "import * as role from \"./{}.js\";\nimport * as rt from \"./treaty_runtime.js\";\n\n"
            "type AnyState = role.AnyState | rt.Ended;\n\n"
            "// Goes from state to state until the role has finished.\n"
            "export async function play(link: rt.Link): Promise<void> {{\n  let state: AnyState = "
            "role.start(link);\n"
            "  while (\"state\" in state) {{\n    switch (state.state) {{\n{}      default:\n"
            "        return rt.assertNever(state);\n    }}\n  }}\n}}\n{}",
            writer_.file_name(role_.role), cases, functions);
        return GeneratedFile{writer_.file_name(role_.role) + "_impl.ts", std::move(text), true};
    }

private:
    std::string function(const StateCode& state, const std::string& name) {
        std::string text;
        for (const std::string& line : lines(state)) text += fmt::format("// {}\n", line);
        text = fmt::format("\n{}async function {}(state: role.{}): Promise<AnyState> {{\n", text, name,
                           state.name);
        bool first = true;
        for (const Operation& o : state.operations)
            if (o.sends) {
                std::string method = "send_" + writer_.name(o.message);
                if (several_peers(state, o)) method += "_to_" + writer_.name(o.peer);
                text += fmt::format("  {}return state.{}({});{}\n", first ? "" : "// or: ", method,
                                    fmt::join(values(o), ", "), ask(o, "//"));
                first = false;
            }
        if (has_finish(state)) text += "  // or: state.finish(); return { kind: \"$ended\" };\n";
        if (state.receives()) text += state.sends() ? "  // or: receive\n" : receive(state);
        return text + "}\n";
    }

    std::string receive(const StateCode& state) const {
        std::vector<std::string> kinds;
        for (const Operation& o : state.operations)
            for (const Alternative& a : o.alternatives)
                if (std::string kind = steps_.received_kind(role_, state, o, a);
                    std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
                    kinds.push_back(std::move(kind));
        if (kinds.size() == 1 && !state.may_end()) return "  return (await state.receive()).next;\n";
        std::string text = "  const got = await state.receive();\n  switch (got.kind) {\n";
        for (const std::string& kind : kinds)
            text += fmt::format("    case {}:\n      return got.next;\n", kind);
        if (state.may_end()) text += "    case \"$ended\":\n      return got;\n";
        return text + "    default:\n      return rt.assertNever(got);\n  }\n";
    }

    TypeScriptSteps steps_;
};

}  // namespace

std::optional<GeneratedFile> scaffold(const RoleSource& source, const RoleCode& role, Language language,
                                      base::Diagnostics& diagnostics) {
    switch (language) {
        case Language::cpp: return CppScaffold(source, role, diagnostics).run();
        case Language::python: return PythonScaffold(source, role, diagnostics).run();
        case Language::typescript: break;
    }
    return TypeScriptScaffold(source, role, diagnostics).run();
}

}  // namespace treaty::generate
