#include <fmt/format.h>

#include "writers.h"

namespace treaty::generated {
namespace {

using generate::Language;

class PythonProgram {
public:
    explicit PythonProgram(const Scripted& scripted)
        : scripted_(scripted), writer_(scripted.source, Language::python, diagnostics_, "messages.") {}

    Program run() {
        std::string text = fmt::format("import {}_messages as messages\n", writer_.protocol_name());
        for (const generate::RoleCode& role : scripted_.roles)
            text += fmt::format("import {0}\nimport {0}_monitor\n", writer_.file_name(role.role));
        text += "import support\nimport treaty_runtime as rt\n\n\n";
        std::string calls;
        for (std::size_t i = 0; i < scripted_.scripts.size(); ++i) {
            text += session(i, scripted_.scripts[i]);
            calls += fmt::format("    support.run(session_{}, {})\n", i,
                                 scripted_.scripts[i].ended ? "True" : "False");
        }
        for (std::size_t i = 0; i < scripted_.logs.size(); ++i) {
            text += judged(i, scripted_.logs[i]);
            calls += fmt::format("    judge_{}()\n", i);
        }
        text += fmt::format("def run_sessions() -> None:\n{}", calls);
        return {writer_.protocol_name() + "_sessions.py", std::move(text)};
    }

private:
    std::string module(std::size_t role) { return writer_.file_name(scripted_.roles[role].role); }
    std::string name(model::RoleId role) const { return writer_.quoted(writer_.alphabet().name(role)); }
    std::string variable(std::size_t role) const { return fmt::format("r{}_{}", role, steps_[role]); }

    std::string session(std::size_t index, const Script& script) {
        std::string text =
            fmt::format("def session_{}() -> None:\n    network = rt.MemoryNetwork(messages.ROLES)\n", index);
        steps_.assign(scripted_.roles.size(), 0);
        for (std::size_t r = 0; r < scripted_.roles.size(); ++r)
            text += fmt::format("    {} = {}.start(network.link({}))\n", variable(r), module(r),
                                name(scripted_.roles[r].role));
        for (const Step& step : script.steps) text += operation(step);
        for (const Departure& departure : script.departures) {
            std::string state = variable(departure.role);
            if (departure.how == Leaving::finishes)
                text += fmt::format("    {}.finish()\n", state);
            else if (departure.how == Leaving::is_ended)
                text += fmt::format("    assert isinstance({}.receive(), rt.Ended)\n", state);
            else
                text += fmt::format("    del {}\n", state);
        }
        return text + "\n\n";
    }

    std::string judged(std::size_t index, const JudgedLog& log) {
        std::string text = fmt::format("def judge_{}() -> None:\n    monitor = {}_monitor.Monitor()\n", index,
                                       module(log.role));
        for (const JudgedEvent& e : log.events)
            text += fmt::format("    support.{}(monitor.{}({}, messages.{}({})))\n",
                                e.allowed ? "allowed" : "refused", e.sends ? "sent" : "received",
                                name(e.peer), writer_.name(e.message), data(e.message, e.values));
        return text + fmt::format("    assert monitor.may_end() == {}\n\n\n", log.may_end ? "True" : "False");
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
            fmt::format("{}.{}", module(step.role), scripted_.roles[step.role].states[step.target].name);
        std::string check = fmt::format("    assert isinstance({}, {})\n", after, next);
        if (o.sends) {
            std::size_t peers = 0;
            for (const generate::Operation& other : step.state->operations)
                peers += other.sends && other.message == o.message ? 1 : 0;
            std::string method = "send_" + writer_.name(o.message);
            if (peers > 1) method += "_to_" + writer_.name(o.peer);
            std::string refused;
            if (step.refused)
                refused =
                    fmt::format("    support.refuses({}.{}, {})\n", before, method, data(o, *step.refused));
            return refused + fmt::format("    {} = {}.{}({})\n", after, before, method, values) + check;
        }
        return fmt::format(
                   "    g{0} = {1}.receive()\n    assert not isinstance(g{0}, rt.Ended)\n"
                   "    assert g{0}.message == messages.{2}({3}) and g{0}.sender == {4}\n    {0} = "
                   "g{0}.next\n",
                   after, before, writer_.name(o.message), values, name(o.peer)) +
               check;
    }

    const Scripted& scripted_;
    base::Diagnostics diagnostics_;
    generate::CodeWriter writer_;
    std::vector<std::size_t> steps_;  // of each role, so far
};

}  // namespace

Program python_program(const Scripted& scripted) {
    return PythonProgram(scripted).run();
}

}  // namespace treaty::generated
