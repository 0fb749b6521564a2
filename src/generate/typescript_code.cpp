#include "generate/typescript_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "generate/typescript_tables.h"

namespace treaty::generate {
namespace {

// The states of one role.
class TypeScriptRole {
public:
    TypeScriptRole(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::typescript, diagnostics, "messages."), role_(role) {}

    std::optional<GeneratedFile> run() {
        std::string states;
        for (const StateCode& state : role_.states) states += state_class(state);
        std::string data = data_class();
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

    std::string data_class() {
        std::string text = "// What the role has to remember of the data.\nclass Data {\n";
        for (expr::VarId v : role_.variables) {
            expr::TypeId type = writer_.pool().variable(v).type;
            text += fmt::format("  {}: {} = {};\n", writer_.variable_name(v),
                                writer_.type(type, writer_.protocol().span()), writer_.types().initial(type));
        }
        return text + "}\n\n";
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

    CodeWriter::Frame frame(const Operation& o) const { return {o.message, "m.", "session.data."}; }

    std::string updates(const Alternative& a, const Operation& o, std::string_view indent) {
        std::vector<std::string> names, values;
        for (const Update& u : a.updates) {
            names.push_back("session.data." + writer_.variable_name(u.variable));
            values.push_back(writer_.expression(u.value, writer_.pool().variable(u.variable).type, frame(o),
                                                a.place.span));
        }
        if (names.empty()) return "";
        if (names.size() == 1) return fmt::format("{}{} = {};\n", indent, names[0], values[0]);
        return fmt::format("{}[{}] = [{}];\n", indent, fmt::join(names, ", "), fmt::join(values, ", "));
    }

    // Checks the data and goes on. accept: what is done with an alternative that applies.
    template <typename Accept>
    std::string alternatives(const Operation& o, const std::string& indent, const Accept& accept) {
        std::string text;
        if (writer_.is_checked(o.message)) text = fmt::format("{}rt.check(messages.fault(m));\n", indent);
        if (o.alternatives.size() == 1) {
            const Alternative& a = o.alternatives[0];
            for (const Condition& c : a.conditions)
                text += fmt::format("{0}if (!rt.holds(() => {1}))\n{0}  throw new rt.DataError({2});\n",
                                    indent, writer_.condition({c}, frame(o), a.place.span),
                                    writer_.quoted(writer_.why_not(a, c)));
            return text + updates(a, o, indent) + accept(a, indent);
        }
        for (const Alternative& a : o.alternatives)
            text += fmt::format("{0}// {1}\n{0}if (rt.holds(() => {2})) {{\n", indent, a.place.reference(),
                                writer_.condition(a.conditions, frame(o), a.place.span)) +
                    updates(a, o, indent + "  ") + accept(a, indent + "  ") + indent + "}\n";
        return text + fmt::format("{}throw new rt.DataError({});\n", indent,
                                  writer_.quoted(writer_.none_applies(o)));
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
        text += alternatives(o, "    ", [&](const Alternative& a, const std::string& indent) {
            return fmt::format(
                "{0}this.take();\n{0}await session.guard(() => session.link.send({1}, m));\n"
                "{0}return new {2}(session);\n",
                indent, peer(o), target(a));
        });
        return text + "  }\n";
    }

    // What tells the possibilities apart: the message, and where several states may be next, that state.
    std::string possibility_kind(const StateCode& state, const Operation& o, const Alternative& a) const {
        std::set<std::size_t> targets;
        for (const Operation& other : state.operations)
            if (!other.sends && other.message == o.message)
                for (std::size_t t : other.targets()) targets.insert(t);
        if (targets.size() == 1) return kind(o);
        return writer_.quoted(fmt::format("{} then {}", writer_.alphabet().name(o.message), target(a)));
    }

    std::string result_type(const StateCode& state) {
        if (!state.receives()) return "";
        std::vector<std::string> items;
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            for (const Alternative& a : o.alternatives) {
                std::string item = fmt::format("rt.Received<{}, {}, {}>", possibility_kind(state, o, a),
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
            cases += alternatives(o, "        ", [&](const Alternative& a, const std::string& indent) {
                return fmt::format(
                    "{}return {{ kind: {}, message: m, next: new {}(session), sender: {} }};\n", indent,
                    possibility_kind(state, o, a), target(a), peer(o));
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

    // Conditions under which the role may end; empty if it always may.
    std::string may_end(const StateCode& state) {
        std::string text;
        for (const auto& ending : state.endings) {
            if (ending.empty()) return "";
            text +=
                fmt::format("{}({})", text.empty() ? "" : " || ",
                            writer_.condition(ending, {{}, "", "session.data."}, writer_.place(state).span));
        }
        return text;
    }

    std::string ended(const StateCode& state) {
        if (!state.may_end()) return "";
        std::string condition = may_end(state);
        return fmt::format(
            "      if (!arrival{}) {{\n        session.link.close();\n        return {{ kind: \"$ended\" "
            "}};\n"
            "      }}\n",
            condition.empty() ? "" : fmt::format(" && rt.holds(() => {})", condition));
    }

    std::string finish(const StateCode& state) {
        std::string condition = may_end(state), text = "\n  finish(): void {\n";
        if (!condition.empty())
            text += fmt::format(
                "    const session = this.current();\n    if (!rt.holds(() => {}))\n"
                "      throw new rt.DataError({});\n",
                condition,
                writer_.quoted("the data does not allow the end here. " + writer_.step(role_, state)));
        return text + "    this.take().link.close();\n  }\n";
    }

    CodeWriter writer_;
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
