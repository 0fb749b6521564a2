#include <algorithm>

#include <fmt/format.h>

#include "writers.h"

namespace treaty::generated {
namespace {

using generate::Language;
using generate::StateCode;

class CppProgram {
public:
    explicit CppProgram(const Scripted& scripted)
        : scripted_(scripted), writer_(scripted.source, Language::cpp, diagnostics_, "messages::") {}

    Program run() {
        std::string text = "#include \"support.hpp\"\n", calls;
        for (const generate::RoleCode& role : scripted_.roles)
            text += fmt::format("#include \"{0}.hpp\"\n#include \"{0}_monitor.hpp\"\n",
                                writer_.file_name(role.role));
        text += fmt::format("\nnamespace {} {{\n\n", writer_.protocol_name());
        for (std::size_t i = 0; i < scripted_.scripts.size(); ++i) {
            text += session(i, scripted_.scripts[i]);
            calls += fmt::format("    session_{}();\n", i);
        }
        for (std::size_t i = 0; i < std::min(scripted_.logs.size(), scripted_.roles.size()); ++i) {
            text += judged(i, scripted_.logs[i]);
            calls += fmt::format("    judge_{}();\n", i);
        }
        text += fmt::format("inline void run_sessions() {{\n{}}}\n\n}}\n", calls);
        return {writer_.protocol_name() + "_sessions.hpp", std::move(text)};
    }

private:
    std::string name(std::size_t role) { return writer_.name(scripted_.roles[role].role); }
    std::string variable(std::size_t role) const { return fmt::format("r{}_{}", role, steps_[role]); }

    std::string session(std::size_t index, const Script& script) {
        std::string text = fmt::format(
            "inline void session_{}() {{\n    treaty::MemoryNetwork<Message> network(role::count);\n", index);
        steps_.assign(scripted_.roles.size(), 0);
        for (std::size_t r = 0; r < scripted_.roles.size(); ++r)
            text +=
                fmt::format("    auto {0} = {1}::start(network.link(role::{1}));\n", variable(r), name(r));
        for (const Step& step : script.steps) text += operation(step);
        text += fmt::format("    begin_to_leave({});\n", script.ended);
        for (const Departure& departure : script.departures) text += leaving(departure);
        return text + "    has_left();\n}\n\n";
    }

    // The log of a role in the first session, at most so many events: they take time to compile.
    std::string judged(std::size_t index, const JudgedLog& log) {
        constexpr std::size_t most = 30;
        std::string text =
            fmt::format("inline void judge_{}() {{\n    {}::Monitor monitor;\n", index, name(log.role));
        for (std::size_t i = 0; i < std::min(log.events.size(), most); ++i) {
            const JudgedEvent& e = log.events[i];
            text += fmt::format("    {}(monitor.{}(role::{}, {}));\n", e.allowed ? "allowed" : "refused",
                                e.sends ? "sent" : "received", writer_.name(e.peer),
                                message(e.message, e.values));
        }
        if (log.events.size() <= most)
            text += fmt::format("    expect(monitor.may_end() == {}, \"the end\");\n", log.may_end);
        return text + "}\n\n";
    }

    std::string message(const Step& step, const step::Values& given) {
        return message(step.operation->message, given);
    }
    std::string message(model::MessageId id, const step::Values& given) {
        const auto& fields = scripted_.source.specification.message(id).fields;
        std::string values;
        for (std::size_t i = 0; i < fields.size(); ++i)
            values +=
                fmt::format("{}{}", i == 0 ? "" : ", ", writer_.types().literal(given[i], fields[i].type));
        return fmt::format("messages::{}{{{}}}", writer_.name(id), values);
    }

    std::string operation(const Step& step) {
        std::string before = variable(step.role);
        ++steps_[step.role];
        std::string after = variable(step.role);
        std::string next =
            fmt::format("{}::{}", name(step.role), scripted_.roles[step.role].states[step.target].name);
        if (step.operation->sends) {
            std::size_t peers = 0;
            for (const generate::Operation& o : step.state->operations)
                peers += o.sends && o.message == step.operation->message ? 1 : 0;
            std::string to = peers > 1
                                 ? fmt::format("role::to<role::{}>{{}}, ", writer_.name(step.operation->peer))
                                 : std::string();
            std::string refused;
            if (step.refused)
                refused = fmt::format("    refuses([&] {{ (void)std::move({}).send({}{}); }});\n", before, to,
                                      message(step, *step.refused));
            return refused + fmt::format("    auto {} = possibility<{}>(std::move({}).send({}{}));\n", after,
                                         next, before, to, message(step, *step.values));
        }
        return fmt::format(
            "    auto {0} = received<messages::{1}, {2}>(std::move({3}).receive(), {4}, role::{5});\n", after,
            writer_.name(step.operation->message), next, before, message(step, *step.values),
            writer_.name(step.operation->peer));
    }

    std::string leaving(const Departure& departure) const {
        std::string state = fmt::format("std::move({})", variable(departure.role));
        switch (departure.how) {
            case Leaving::finishes: return fmt::format("    {}.finish();\n", state);
            case Leaving::is_ended:
                return fmt::format("    possibility<treaty::Ended>({}.receive());\n", state);
            case Leaving::drops:
            case Leaving::abandons: break;
        }
        return fmt::format("    drop({});\n", state);
    }

    const Scripted& scripted_;
    base::Diagnostics diagnostics_;
    generate::CodeWriter writer_;
    std::vector<std::size_t> steps_;  // of each role, so far
};

}  // namespace

Program cpp_program(const Scripted& scripted) {
    return CppProgram(scripted).run();
}

}  // namespace treaty::generated
