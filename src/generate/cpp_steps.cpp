#include "generate/cpp_steps.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::generate {

std::string CppSteps::data_members(const RoleCode& role, std::string_view indent) {
    std::string text;
    for (expr::VarId v : role.variables)
        text += fmt::format("{}{} {}{{}};\n", indent,
                            writer_.type(writer_.pool().variable(v).type, writer_.protocol().span()),
                            writer_.variable_name(v));
    return text;
}

std::string CppSteps::may_end(const StateCode& state) {
    std::string text;
    for (const auto& ending : state.endings) {
        if (ending.empty()) return "";
        text += fmt::format("{}({})", text.empty() ? "" : " || ",
                            writer_.condition(ending, {{}, "", data_}, writer_.place(state).span));
    }
    return text;
}

// All values are computed before the first of them is remembered if one reads what another changes, or if one
// may turn out to have none, because it is beyond 64 bits: then nothing is changed.
std::string CppSteps::updates(const Alternative& a, const Operation& o, const std::string& indent) {
    std::vector<std::string> values;
    bool crossed = false, partial = false;
    for (std::size_t i = 0; i < a.updates.size(); ++i) {
        const Update& u = a.updates[i];
        for (expr::VarId v : writer_.pool().variables_of(u.value))
            for (std::size_t j = 0; j < i; ++j) crossed = crossed || a.updates[j].variable == v;
        values.push_back(
            writer_.expression(u.value, writer_.pool().variable(u.variable).type, frame(o), a.place.span));
        partial = partial || values.back().find("treaty::") != std::string::npos;
    }
    std::string inner = partial ? indent + "        " : indent, first, second;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& name = writer_.variable_name(a.updates[i].variable);
        if (!crossed && (!partial || values.size() == 1)) {
            first += fmt::format("{}{}{} = {};\n", inner, data_, name, values[i]);
            continue;
        }
        first += fmt::format("{}auto new_{} = {};\n", inner, name, values[i]);
        second += fmt::format("{0}{1}{2} = std::move(new_{2});\n", inner, data_, name);
    }
    if (!partial) return first + second;
    return fmt::format("{0}if (!treaty::holds([&] {{\n{1}{2}return true;\n{0}    }}))\n{0}    {3}\n", indent,
                       first + second, inner, refuse_(writer_.quoted(writer_.no_value(a))));
}

std::string CppSteps::print(const Operation& o, const std::string& indent, const Accept& accept) {
    std::string text;
    if (writer_.is_checked(o.message))
        text = fmt::format("{}if (const char* why = messages::fault(m)) {}\n", indent, refuse_("why"));
    if (o.alternatives.size() == 1) {
        const Alternative& a = o.alternatives[0];
        for (const Condition& c : a.conditions)
            text += fmt::format("{0}if (!treaty::holds([&] {{ return {1}; }}))\n{0}    {2}\n", indent,
                                writer_.condition({c}, frame(o), a.place.span),
                                refuse_(writer_.quoted(writer_.why_not(a, c))));
        return text + updates(a, o, indent) + accept(a, indent);
    }
    for (const Alternative& a : o.alternatives) {
        text += fmt::format("{}// {}\n", indent, a.place.reference());
        if (a.conditions.empty())
            text += fmt::format("{}{{\n", indent);
        else
            text += fmt::format("{}if (treaty::holds([&] {{ return {}; }})) {{\n", indent,
                                writer_.condition(a.conditions, frame(o), a.place.span));
        text += updates(a, o, indent + "    ") + accept(a, indent + "    ") + indent + "}\n";
    }
    bool always = std::any_of(o.alternatives.begin(), o.alternatives.end(),
                              [](const Alternative& a) { return a.conditions.empty(); });
    if (always) return text;
    return text + fmt::format("{}{}\n", indent, refuse_(writer_.quoted(writer_.none_applies(o))));
}

}  // namespace treaty::generate
