#include "generate/typescript_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "generate/typescript_steps.h"
#include "generate/typescript_tables.h"

namespace treaty::generate {
namespace {

// The states of one role.
class TypeScriptRole {
public:
    TypeScriptRole(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::typescript, diagnostics, "messages."),
          steps_(writer_, "session.data."),
          role_(role) {}

    std::optional<GeneratedFile> run() {
        std::string states;
        for (const StateCode& state : role_.states) states += state_class(state);
        std::string data = steps_.data_class(role_);
        if (!writer_.ok()) return std::nullopt;
        std::string_view name = writer_.alphabet().name(role_.role);
        std::string text = fmt::format(
            "// The role {0} of the protocol {1}, one class per state. Written by treaty generate from {2}; "
            "do "
            "not edit.\n"
            "import * as messages from \"./{3}_messages.js\";\nimport * as rt from "
            "\"./treaty_runtime.js\";\n\n"
            "export const role = {4};\n\n",
            name, writer_.protocol().name(), writer_.source_file(), writer_.protocol_name(),
            writer_.quoted(name));
        text += typescript_patterns(writer_.patterns()) + data + states;
        text += any_state();
        text += fmt::format(
            "// Where the role begins.\nexport function start(link: rt.Link): {0} {{\n"
            "  return new {0}(new rt.Session(link, new Data()));\n}}\n",
            role_.states[0].name);
        return GeneratedFile{writer_.file_name(role_.role) + ".ts", std::move(text)};
    }

private:
    const std::string& target(const Alternative& a) const { return role_.states[a.target].name; }
    std::string message(const Operation& o) { return "messages." + writer_.name(o.message); }
    std::string kind(const Operation& o) const { return writer_.quoted(writer_.alphabet().name(o.message)); }
    std::string peer(const Operation& o) const { return writer_.quoted(writer_.alphabet().name(o.peer)); }

    std::string any_state() const {
        std::string text;
        for (const StateCode& state : role_.states) text += fmt::format("\n  | {}", state.name);
        return fmt::format("export type AnyState ={};\n\n", text);
    }

    std::string state_class(const StateCode& state) {
        std::vector<std::string> lines;
        for (const Operation& o : state.operations)
            for (const Alternative& a : o.alternatives) {
                std::string line = fmt::format("// {}: {}\n", a.place.reference(), a.place.text);
                if (a.place.line != 0 && std::find(lines.begin(), lines.end(), line) == lines.end())
                    lines.push_back(line);
            }
        std::string text = result_type(state);
        text += state.is_done() ? "// Nothing is left to do.\n" : fmt::format("{}", fmt::join(lines, ""));
        text += fmt::format(
            "export class {0} extends rt.{1}<Data> {{\n  readonly state = \"{0}\";\n  readonly step = {2};\n",
            state.name, state.is_done() ? "Finished" : "State", writer_.quoted(writer_.step(role_, state)));
        for (const Operation& o : state.operations)
            if (o.sends) text += send(state, o);
        if (state.receives()) text += receive(state);
        if (state.may_end() && !state.is_done() && (state.sends() || !state.receives()))
            text += finish(state);
        return text + "}\n\n";
    }

    std::string method(const StateCode& state, const Operation& o) {
        std::size_t peers = 0;
        for (const Operation& other : state.operations)
            peers += other.sends && other.message == o.message ? 1 : 0;
        std::string name = "send_" + writer_.name(o.message);
        return peers > 1 ? fmt::format("{}_to_{}", name, writer_.name(o.peer)) : name;
    }

    std::string send(const StateCode& state, const Operation& o) {
        const model::Message& declared = writer_.specification().message(o.message);
        auto names = writer_.parameter_names(o.message, {"m", "session", "messages", "rt"});
        std::string parameters, results;
        for (std::size_t i = 0; i < names.size(); ++i)
            parameters += fmt::format("{}{}: {}", i == 0 ? "" : ", ", names[i],
                                      writer_.type(declared.fields[i].type, declared.span));
        for (std::size_t t : o.targets()) results += (results.empty() ? "" : " | ") + role_.states[t].name;
        std::string text =
            fmt::format("\n  async {}({}): Promise<{}> {{\n", method(state, o), parameters, results);
        text += fmt::format("    const session = this.current();\n    const m = {}({});\n", message(o),
                            fmt::join(names, ", "));
        text += steps_.print(o, "    ", [&](const Alternative& a, const std::string& indent) {
            return fmt::format(
                "{0}this.take();\n{0}await session.guard(() => session.link.send({1}, m));\n"
                "{0}return new {2}(session);\n",
                indent, peer(o), target(a));
        });
        return text + "  }\n";
    }

    std::string result_type(const StateCode& state) {
        if (!state.receives()) return "";
        std::vector<std::string> items;
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            for (const Alternative& a : o.alternatives) {
                std::string item =
                    fmt::format("rt.Received<{}, {}, {}>", steps_.received_kind(role_, state, o, a),
                                message(o), target(a));
                if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
            }
        }
        if (state.may_end()) items.emplace_back("rt.Ended");
        return fmt::format("export type {}Result =\n  | {};\n\n", state.name, fmt::join(items, "\n  | "));
    }

    std::string receive(const StateCode& state) {
        std::string awaited, cases;
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            awaited += fmt::format("        {{ peer: {}, kind: {} }},\n", peer(o), kind(o));
            cases += fmt::format(
                "      if (arrival?.sender === {} && arrival.message.kind === {}) {{\n"
                "        const m = arrival.message as {};\n",
                peer(o), kind(o), message(o));
            cases += steps_.print(o, "        ", [&](const Alternative& a, const std::string& indent) {
                return fmt::format(
                    "{}return {{ kind: {}, message: m, next: new {}(session), sender: {} }};\n", indent,
                    steps_.received_kind(role_, state, o, a), target(a), peer(o));
            });
            cases += "      }\n";
        }
        return fmt::format(
            "\n  async receive(): Promise<{0}Result> {{\n    const session = this.take();\n"
            "    return session.guard<{0}Result>(async () => {{\n"
            "      const arrival = await session.link.receive([\n{1}      ]);\n{2}{3}"
            "      throw rt.unexpected(this.step, arrival);\n    }});\n  }}\n",
            state.name, awaited, cases, ended(state));
    }

    std::string ended(const StateCode& state) {
        if (!state.may_end()) return "";
        std::string condition = steps_.may_end(state);
        return fmt::format(
            "      if (!arrival{}) {{\n        session.link.close();\n        return {{ kind: \"$ended\" "
            "}};\n"
            "      }}\n",
            condition.empty() ? "" : fmt::format(" && rt.holds(() => {})", condition));
    }

    std::string finish(const StateCode& state) {
        std::string condition = steps_.may_end(state), text = "\n  finish(): void {\n";
        if (!condition.empty())
            text += fmt::format(
                "    const session = this.current();\n    if (!rt.holds(() => {}))\n"
                "      throw new rt.DataError({});\n",
                condition,
                writer_.quoted("the data does not allow the end here. " + writer_.step(role_, state)));
        return text + "    this.take().link.close();\n  }\n";
    }

    CodeWriter writer_;
    TypeScriptSteps steps_;
    const RoleCode& role_;
};

}  // namespace

std::optional<std::vector<GeneratedFile>> generate_typescript(const RoleSource& source,
                                                              const std::vector<RoleCode>& roles,
                                                              base::Diagnostics& diagnostics) {
    std::vector<GeneratedFile> files{runtime_file(Language::typescript)};
    auto messages = typescript_messages(source, diagnostics);
    if (!messages) return std::nullopt;
    files.push_back(std::move(*messages));
    for (const RoleCode& role : roles) {
        auto file = TypeScriptRole(source, role, diagnostics).run();
        if (!file) return std::nullopt;
        files.push_back(std::move(*file));
    }
    return files;
}

}  // namespace treaty::generate
