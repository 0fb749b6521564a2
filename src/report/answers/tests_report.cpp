#include "report/answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/tests.h"
#include "base/wording.h"
#include "report/answers/count_json.h"

namespace treaty::report {
namespace {

using base::counted;

void add_order(Own& own, const api::TestsOfRole& role) {
    if (role.order.empty()) return;
    Json covered = Json::array();
    for (const auto& taken : role.order) {
        covered.push_back(taken.covered);
        if (taken.added > 0)
            own.text += fmt::format("case {} covers {} of {}\n", taken.number.get_str(), taken.covered,
                                    counted(role.transitions, "transition"));
    }
    own.fields["covered"] = std::move(covered);
    own.fields["transitions"] = role.transitions;
}

void add_suitable(Own& own, const api::TestsOfRole& role) {
    if (!role.unsuitable) return;
    auto good = std::count(role.unsuitable->begin(), role.unsuitable->end(), "");
    own.fields["suitable"] = good;
    std::size_t bad = role.unsuitable->size() - static_cast<std::size_t>(good);
    if (bad > 0)
        own.text += fmt::format("{} not suitable: the projection of {} does not pass (--check)\n",
                                counted(bad, "case"), role.role);
}

void add_cases(Own& own, const api::TestsOfRole& role) {
    constexpr std::size_t most_shown = 50;
    if (!role.tests || !role.unsuitable) return;
    const api::RoleTests& tests = *role.tests;
    for (std::size_t i = 0; i < tests.cases.size(); ++i) {
        const api::Count& number = tests.cases[i].index;
        const std::string& unsuitable = (*role.unsuitable)[i];
        own.fields["cases"].push_back(
            {{"number", to_json(number)}, {"choices", tests.choices[i]}, {"suitable", unsuitable.empty()}});
        if (i >= most_shown) continue;
        own.text += fmt::format("case {}\n", number.get_str());
        for (const std::string& choice : tests.choices[i]) own.text += fmt::format("  {}\n", choice);
        if (!unsuitable.empty()) own.text += fmt::format("  not suitable: {}\n", unsuitable);
    }
    if (tests.cases.size() > most_shown)
        own.text += fmt::format("and {} more\n", tests.cases.size() - most_shown);
}

void add_machines(Own& own, const std::vector<api::TestedMachine>& machines) {
    if (machines.empty()) return;
    std::size_t width = 9;
    for (const api::TestedMachine& row : machines) width = std::max(width, row.component.size());
    own.text += fmt::format("{:<{}}  {:<8}  {:>6}  {:>6}\n", "component", width, "role", "tests", "failed");
    Json table = Json::array();
    for (const api::TestedMachine& row : machines) {
        own.text += fmt::format("{:<{}}  {:<8}  {:>6}  {:>6}\n", row.component, width, row.roles, row.tests,
                                row.failed);
        table.push_back({{"component", row.component},
                         {"role", row.roles},
                         {"tests", row.tests},
                         {"failed", row.failed}});
    }
    own.fields["checked"] = std::move(table);
}

}  // namespace

Own own_part(const api::TestsAnswer& answer, bool list_cases) {
    Own own;
    // Nothing that could fail was asked: the tests themselves are the answer.
    own.quiet = answer.reason.empty();
    if (answer.verdict || !answer.roles.empty()) own.fields["cases"] = Json::array();
    for (const api::TestsOfRole& role : answer.roles) {
        own.text +=
            fmt::format("{}: {} test case{}\n", role.role, role.count.get_str(), role.count == 1 ? "" : "s");
        own.fields["by_role"][role.role] = to_json(role.count);
        add_order(own, role);
        add_suitable(own, role);
        if (list_cases) add_cases(own, role);
    }
    if (!answer.total) return own;
    own.fields["count"] = to_json(*answer.total);
    if (answer.roles.size() > 1) own.text += fmt::format("in all: {} test cases\n", answer.total->get_str());
    if (answer.data_left_aside)
        own.text += "data is ignored: a condition is a choice of the role that sends next\n";
    add_machines(own, answer.machines);
    return own;
}

}  // namespace treaty::report
