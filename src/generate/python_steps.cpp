#include "generate/python_steps.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace treaty::generate {

ReceivedNames received_names(const RoleCode& role, const model::Alphabet& alphabet) {
    ReceivedNames names;
    std::set<std::string> used;
    for (const StateCode& state : role.states)
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            for (std::size_t target : o.targets()) {
                std::string& name = names[{o.message, target}];
                if (!name.empty()) continue;
                std::string wanted = "Got" + camel_case(alphabet.name(o.message));
                name = wanted;
                for (int n = 2; !used.insert(name).second; ++n) name = wanted + std::to_string(n);
            }
        }
    return names;
}

std::string PythonSteps::data_class(const RoleCode& role) {
    std::string text =
        "\n\n@dataclass(slots=True)\nclass Data:\n    \"\"\"What the role has to remember of the "
        "data.\"\"\"\n";
    if (!role.variables.empty()) text += '\n';
    for (expr::VarId v : role.variables) {
        expr::TypeId type = writer_.pool().variable(v).type;
        std::string initial = writer_.types().initial(type);
        if (writer_.types().types().kind(type) == expr::TypeKind::map)
            initial = "field(default_factory=dict)";
        text += fmt::format("    {}: {} = {}\n", writer_.variable_name(v),
                            writer_.type(type, writer_.protocol().span()), initial);
    }
    return text;
}

bool PythonSteps::reads_data(const Operation& o) {
    return std::any_of(o.alternatives.begin(), o.alternatives.end(),
                       [](const Alternative& a) { return !a.conditions.empty() || !a.updates.empty(); });
}

std::string PythonSteps::may_end(const StateCode& state, const std::string& data) {
    std::string text;
    for (const auto& ending : state.endings) {
        if (ending.empty()) return "";
        text += fmt::format("{}({})", text.empty() ? "" : " or ",
                            writer_.condition(ending, {{}, "", data}, writer_.place(state).span));
    }
    return text;
}

// All values are computed before the first of them is remembered, so nothing is changed if one has no value.
std::string PythonSteps::updates(const Alternative& a, const Operation& o, std::string_view indent) {
    std::vector<std::string> names, values;
    bool partial = false;
    for (const Update& u : a.updates) {
        names.push_back("data." + writer_.variable_name(u.variable));
        values.push_back(
            writer_.expression(u.value, writer_.pool().variable(u.variable).type, frame(o), a.place.span));
        partial = partial || values.back().find("rt.") != std::string::npos;
    }
    if (names.empty()) return "";
    std::string assignment = fmt::format("{} = {}", fmt::join(names, ", "), fmt::join(values, ", "));
    if (!partial) return fmt::format("{}{}\n", indent, assignment);
    return fmt::format(
        "{0}try:\n{0}    {1}\n{0}except rt.NoValue:\n{0}    raise rt.DataError({2}) from None\n", indent,
        assignment, writer_.quoted(writer_.no_value(a)));
}

std::string PythonSteps::print(const Operation& o, const Accept& accept) {
    std::string text = writer_.is_checked(o.message) ? "        rt.check(m.fault())\n" : "";
    if (reads_data(o)) text += fmt::format("        data = {}\n", data_);
    if (o.alternatives.size() == 1) {
        const Alternative& a = o.alternatives[0];
        for (const Condition& c : a.conditions)
            text += fmt::format("        if not rt.holds(lambda: {}):\n            raise rt.DataError({})\n",
                                writer_.condition({c}, frame(o), a.place.span),
                                writer_.quoted(writer_.why_not(a, c)));
        return text + updates(a, o, "        ") + accept(a, "        ");
    }
    for (const Alternative& a : o.alternatives)
        text += fmt::format("        if rt.holds(lambda: {}):  # {}\n",
                            writer_.condition(a.conditions, frame(o), a.place.span), a.place.reference()) +
                updates(a, o, "            ") + accept(a, "            ");
    return text + fmt::format("        raise rt.DataError({})\n", writer_.quoted(writer_.none_applies(o)));
}

}  // namespace treaty::generate
