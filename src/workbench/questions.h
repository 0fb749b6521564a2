// The questions of the api as forms: what can be asked on the page, with all options and their help.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "report/result.h"
#include "workbench/form.h"
#include "workbench/json.h"
#include "workbench/tab.h"

namespace treaty::workbench {

// A question being asked.
struct Asking {
    const api::Workspace& workspace;
    api::Context context;
    const Task& task;

    // What the page shows of an answer: the report of the terminal, the envelope of --json, the runs.
    Json shown(std::string_view verb, api::Answer& answer, const report::Own& own) const;
};

using Asked = std::function<Json(Asking&)>;

struct Question {
    std::string_view name, title, about;
    std::string_view group;  // under which it is listed
    Asked (*read)(Form& form);
    enum class Needs : std::uint8_t { nothing, writing, running } needs = Needs::nothing;
};

std::span<const Question> questions();

// All of them with their fields, as far as this workbench may ask them.
Json describe_questions(const Bench& bench);

// One function per question, in questions/.
Asked read_check(Form& form);
Asked read_check_properties(Form& form);
Asked read_explore(Form& form);
Asked read_project(Form& form);
Asked read_repair(Form& form);
Asked read_unfold(Form& form);
Asked read_conform(Form& form);
Asked read_diff(Form& form);
Asked read_refine(Form& form);
Asked read_tests(Form& form);
Asked read_adherence(Form& form);
Asked read_comply(Form& form);
Asked read_mutate(Form& form);
Asked read_compare_tests(Form& form);
Asked read_run(Form& form);
Asked read_complete(Form& form);
Asked read_plan(Form& form);
Asked read_convert(Form& form);
Asked read_data(Form& form);
Asked read_decode(Form& form);
Asked read_format(Form& form);
Asked read_mine(Form& form);
Asked read_test(Form& form);
Asked read_replay(Form& form);
Asked read_failures(Form& form);
Asked read_watch(Form& form);
Asked read_proxy(Form& form);

}  // namespace treaty::workbench
