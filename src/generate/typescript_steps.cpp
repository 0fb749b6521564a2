#include "generate/typescript_steps.h"

#include <set>

#include <fmt/format.h>

namespace treaty::generate {

std::string TypeScriptSteps::data_class(const RoleCode& role) {
    std::string text = "// What the role has to remember of the data.\nclass Data {\n";
    for (expr::VarId v : role.variables) {
        expr::TypeId type = writer_.pool().variable(v).type;
        text += fmt::format("  {}: {} = {};\n", writer_.variable_name(v),
                            writer_.type(type, writer_.protocol().span()), writer_.types().initial(type));
    }
    return text + "}\n\n";
}

std::string TypeScriptSteps::received_kind(const RoleCode& role, const StateCode& state, const Operation& o,
                                           const Alternative& a) const {
    std::set<std::size_t> targets;
    for (const Operation& other : state.operations)
        if (!other.sends && other.message == o.message)
            for (std::size_t t : other.targets()) targets.insert(t);
    std::string_view name = writer_.alphabet().name(o.message);
    if (targets.size() == 1) return writer_.quoted(name);
    return writer_.quoted(fmt::format("{} then {}", name, role.states[a.target].name));
}

std::string TypeScriptSteps::may_end(const StateCode& state) {
    std::string text;
    for (const auto& ending : state.endings) {
        if (ending.empty()) return "";
        text += fmt::format("{}({})", text.empty() ? "" : " || ",
                            writer_.condition(ending, {{}, "", data_}, writer_.place(state).span));
    }
    return text;
}

// All values are computed before the first of them is remembered, so nothing is changed if one has no value.
std::string TypeScriptSteps::updates(const Alternative& a, const Operation& o, const std::string& indent) {
    std::vector<std::string> names, values;
    bool partial = false;
    for (const Update& u : a.updates) {
        names.push_back(data_ + writer_.variable_name(u.variable));
        values.push_back(
            writer_.expression(u.value, writer_.pool().variable(u.variable).type, frame(o), a.place.span));
        partial = partial || values.back().find("rt.") != std::string::npos;
    }
    if (names.empty()) return "";
    std::string assignment =
        names.size() == 1 ? fmt::format("{} = {};", names[0], values[0])
                          : fmt::format("[{}] = [{}];", fmt::join(names, ", "), fmt::join(values, ", "));
    if (!partial) return fmt::format("{}{}\n", indent, assignment);
    return fmt::format("{0}rt.remember({2}, () => {{\n{0}  {1}\n{0}}});\n", indent, assignment,
                       writer_.quoted(writer_.no_value(a)));
}

std::string TypeScriptSteps::print(const Operation& o, const std::string& indent, const Accept& accept) {
    std::string text;
    if (writer_.is_checked(o.message)) text = fmt::format("{}rt.check(messages.fault(m));\n", indent);
    if (o.alternatives.size() == 1) {
        const Alternative& a = o.alternatives[0];
        for (const Condition& c : a.conditions)
            text += fmt::format("{0}if (!rt.holds(() => {1}))\n{0}  throw new rt.DataError({2});\n", indent,
                                writer_.condition({c}, frame(o), a.place.span),
                                writer_.quoted(writer_.why_not(a, c)));
        return text + updates(a, o, indent) + accept(a, indent);
    }
    for (const Alternative& a : o.alternatives)
        text += fmt::format("{0}// {1}\n{0}if (rt.holds(() => {2})) {{\n", indent, a.place.reference(),
                            writer_.condition(a.conditions, frame(o), a.place.span)) +
                updates(a, o, indent + "  ") + accept(a, indent + "  ") + indent + "}\n";
    return text +
           fmt::format("{}throw new rt.DataError({});\n", indent, writer_.quoted(writer_.none_applies(o)));
}

}  // namespace treaty::generate
