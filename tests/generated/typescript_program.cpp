#include <fmt/format.h>

#include "writers.h"

namespace treaty::generated {
namespace {

using generate::Language;

class TypeScriptProgram {
public:
    explicit TypeScriptProgram(const Scripted& scripted)
        : scripted_(scripted), writer_(scripted.source, Language::typescript, diagnostics_, "messages.") {}

    Program run() {
        std::string text =
            fmt::format("import * as messages from \"./{}_messages.js\";\n", writer_.protocol_name());
        for (std::size_t r = 0; r < scripted_.roles.size(); ++r)
            text += fmt::format(
                "import * as m{0} from \"./{1}.js\";\nimport * as w{0} from \"./{1}_monitor.js\";\n", r,
                writer_.file_name(scripted_.roles[r].role));
        text +=
            "import { allowed, ended, instance, received, refused, refuses } from \"./support.js\";\n"
            "import * as rt from \"./treaty_runtime.js\";\n\n";
        std::string calls;
        for (std::size_t i = 0; i < scripted_.scripts.size(); ++i) {
            std::string own = session(i, scripted_.scripts[i]);
            if (!writer_.types().refusal().empty()) {
                writer_.types().clear_refusal();
                continue;
            }
            text += own;
            calls += fmt::format("  await session_{}();\n", i);
        }
        for (std::size_t i = 0; i < scripted_.logs.size(); ++i) {
            std::string own = judged(i, scripted_.logs[i]);
            if (!writer_.types().refusal().empty()) {
                writer_.types().clear_refusal();
                continue;
            }
            text += own;
            calls += fmt::format("  judge_{}();\n", i);
        }
        text += fmt::format("export async function run_sessions(): Promise<void> {{\n{}}}\n", calls);
        return {writer_.protocol_name() + "_sessions.ts", std::move(text)};
    }

private:
    std::string name(model::RoleId role) const { return writer_.quoted(writer_.alphabet().name(role)); }
    std::string variable(std::size_t role) const { return fmt::format("r{}_{}", role, steps_[role]); }

    std::string session(std::size_t index, const Script& script) {
        std::string text = fmt::format(
            "async function session_{}(): Promise<void> {{\n  const network = new rt.MemoryNetwork();\n",
            index);
        steps_.assign(scripted_.roles.size(), 0);
        for (std::size_t r = 0; r < scripted_.roles.size(); ++r)
            text += fmt::format("  const {} = m{}.start(network.link({}));\n", variable(r), r,
                                name(scripted_.roles[r].role));
        for (const Step& step : script.steps) text += operation(step);
        for (const Departure& departure : script.departures) {
            std::string state = variable(departure.role);
            if (departure.how == Leaving::finishes) text += fmt::format("  {}.finish();\n", state);
            if (departure.how == Leaving::is_ended)
                text += fmt::format("  ended(await {}.receive());\n", state);
        }
        return text + "}\n\n";
    }

    std::string judged(std::size_t index, const JudgedLog& log) {
        std::string text = fmt::format("function judge_{}(): void {{\n  const monitor = new w{}.Monitor();\n",
                                       index, log.role);
        for (const JudgedEvent& e : log.events)
            text += fmt::format("  {}(monitor.{}({}, messages.{}({})));\n", e.allowed ? "allowed" : "refused",
                                e.sends ? "sent" : "received", name(e.peer), writer_.name(e.message),
                                data(e.message, e.values));
        return text + fmt::format("  if (monitor.mayEnd() !== {}) throw new Error(\"the end\");\n}}\n\n",
                                  log.may_end);
    }

    std::string data(const generate::Operation& o, const step::Values& given) {
        return data(o.message, given);
    }
    std::string data(model::MessageId id, const step::Values& given) {
        const auto& fields = scripted_.source.specification.message(id).fields;
        std::string values;
        for (std::size_t i = 0; i < fields.size(); ++i)
            values +=
                fmt::format("{}{}", i == 0 ? "" : ", ", writer_.types().literal(given[i], fields[i].type));
        return values;
    }

    std::string operation(const Step& step) {
        const generate::Operation& o = *step.operation;
        std::string before = variable(step.role), values = data(o, *step.values);
        ++steps_[step.role];
        std::string after = variable(step.role);
        std::string next =
            fmt::format("m{}.{}", step.role, scripted_.roles[step.role].states[step.target].name);
        if (o.sends) {
            std::size_t peers = 0;
            for (const generate::Operation& other : step.state->operations)
                peers += other.sends && other.message == o.message ? 1 : 0;
            std::string method = "send_" + writer_.name(o.message);
            if (peers > 1) method += "_to_" + writer_.name(o.peer);
            std::string refused;
            if (step.refused)
                refused = fmt::format("  await refuses(() => {}.{}({}));\n", before, method,
                                      data(o, *step.refused));
            return refused + fmt::format("  const {} = instance(await {}.{}({}), {});\n", after, before,
                                         method, values, next);
        }
        return fmt::format("  const {} = received(await {}.receive(), {}, messages.{}({}), {});\n", after,
                           before, next, writer_.name(o.message), values, name(o.peer));
    }

    const Scripted& scripted_;
    base::Diagnostics diagnostics_;
    generate::CodeWriter writer_;
    std::vector<std::size_t> steps_;  // of each role, so far
};

}  // namespace

Program typescript_program(const Scripted& scripted) {
    return TypeScriptProgram(scripted).run();
}

}  // namespace treaty::generated
