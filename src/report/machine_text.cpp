#include "report/machine_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "expr/print.h"

namespace treaty::report {
namespace {

using model::Machine;
using model::StateId;

std::string variable_name(const expr::Pool& pool, expr::VarId variable) {
    return std::string(pool.names().text(pool.variable(variable).name));
}

std::string print_arguments(const expr::Pool& pool, const model::EdgeData& data) {
    std::string out;
    for (const model::Argument& argument : data.data) {
        if (!out.empty()) out += ", ";
        if (argument.bind)
            out += "let " + variable_name(pool, argument.bind);
        else
            out += argument.value ? expr::print(pool, argument.value) : "_";
    }
    return out;
}

std::string print_assignments(const expr::Pool& pool, const model::EdgeData& data) {
    std::string out;
    for (const model::Assignment& assignment : data.assignments)
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", variable_name(pool, assignment.variable),
                           expr::print(pool, assignment.value));
    return out;
}

bool has_data(const Machine& machine) {
    return machine.has_data() && machine.pool();
}

}  // namespace

std::string print_edge(const Machine& machine, StateId s, std::size_t i) {
    std::string out = machine.alphabet().print(machine.out(s)[i].label);
    if (!has_data(machine)) return out;
    const expr::Pool& pool = *machine.pool();
    const model::EdgeData& data = machine.data(s, i);
    if (!data.data.empty()) out += "(" + print_arguments(pool, data) + ")";
    if (data.where) out += " where " + expr::print(pool, data.where);
    if (!data.assignments.empty()) out += "; let " + print_assignments(pool, data);
    if (data.guard) out = fmt::format("[{}] {}", expr::print(pool, data.guard), out);
    return out;
}

std::string to_text(const Machine& machine, const draw::Style& style) {
    std::string out;
    for (std::size_t state = 0; state < machine.state_count(); ++state) {
        StateId s(state);
        std::string head = fmt::format("state {}", state);
        if (!machine.state_name(s).empty())
            head += fmt::format(" ({})", base::printable(machine.state_name(s)));
        if (s == machine.initial()) head += ", initial";
        if (machine.final(s)) head += ", final";
        out += draw::paint(style, draw::Ink::bold, head) + '\n';
        std::vector<std::string> events;
        std::size_t width = 0;
        for (std::size_t i = 0; i < machine.out(s).size(); ++i) {
            events.push_back(base::printable(print_edge(machine, s, i)));
            width = std::max(width, base::columns(events.back()));
        }
        width = std::min<std::size_t>(width, 60);
        for (std::size_t i = 0; i < events.size(); ++i) {
            std::string pad(width - std::min(width, base::columns(events[i])), ' ');
            out += fmt::format("    {}{}  -> {}\n", events[i], pad, machine.out(s)[i].target.index);
        }
    }
    return out;
}

Json to_json(const Machine& machine) {
    Json finals = Json::array(), transitions = Json::array();
    for (std::size_t state = 0; state < machine.state_count(); ++state) {
        StateId s(state);
        if (machine.final(s)) finals.push_back(state);
        for (std::size_t i = 0; i < machine.out(s).size(); ++i) {
            const model::Edge& edge = machine.out(s)[i];
            Json one = {
                {"from", state}, {"to", edge.target.index}, {"event", machine.alphabet().print(edge.label)}};
            if (has_data(machine)) {
                const expr::Pool& pool = *machine.pool();
                const model::EdgeData& data = machine.data(s, i);
                if (data.guard) one["guard"] = expr::print(pool, data.guard);
                if (!data.data.empty()) one["data"] = print_arguments(pool, data);
                if (data.where) one["where"] = expr::print(pool, data.where);
                if (!data.assignments.empty()) one["assignments"] = print_assignments(pool, data);
            }
            transitions.push_back(std::move(one));
        }
    }
    return {{"states", machine.state_count()},
            {"initial", machine.initial().index},
            {"final", std::move(finals)},
            {"transitions", std::move(transitions)}};
}

}  // namespace treaty::report
