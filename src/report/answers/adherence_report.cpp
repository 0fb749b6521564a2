#include "report/answers.h"

#include <fmt/format.h>

#include "api/adherence.h"
#include "report/answers/count_json.h"

namespace treaty::report {
namespace {

// One edge per line, "0 A B!x 1"; the final states last.
std::string list_edges(const model::Machine& machine) {
    std::string out, finals;
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        for (const model::Edge& edge : machine.out(model::StateId(s)))
            out += fmt::format("  {} {} {}\n", s, machine.alphabet().print(edge.label), edge.target.index);
        if (machine.final(model::StateId(s)) || machine.out(model::StateId(s)).empty())
            finals += fmt::format(" {}", s);
    }
    return out + fmt::format("  ends in{}\n", finals);
}

}  // namespace

Own own_part(const api::AdherenceAnswer& answer) {
    Own own;
    if (!answer.decided) return own;
    own.fields["knowledge"] = answer.knowledge;
    own.fields["configurations"] = answer.configurations;
    if (!answer.wrong) return own;
    std::string component = list_edges(answer.wrong->component);
    own.fields["wrong"] = answer.wrong->what;
    own.fields["case"] = to_json(answer.wrong->test);
    own.fields["component"] = component;
    own.text = "a component that passes:\n" + component;
    return own;
}

}  // namespace treaty::report
