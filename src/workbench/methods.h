// What a tab can ask for, by name.
#pragma once

#include <memory>
#include <string_view>

#include "workbench/json.h"
#include "workbench/tab.h"

namespace treaty::workbench {

// Answers on a thread of the bench; throws RequestFault.
using Answering = Json (*)(Task& task, Walks& walks);

struct Method {
    std::string_view name;
    Answering answer;
    bool long_work = false;
};

const Method* find_method(std::string_view name);

// The walks of one tab (step.cpp).
std::shared_ptr<Walks> make_walks();

Json hello(Task& task, Walks& walks);
Json list_files(Task& task, Walks& walks);
Json read_file(Task& task, Walks& walks);
Json write_file(Task& task, Walks& walks);
Json draw_picture(Task& task, Walks& walks);
Json ask(Task& task, Walks& walks);
Json begin_walk(Task& task, Walks& walks);
Json take_event(Task& task, Walks& walks);
Json walk_as_test(Task& task, Walks& walks);
Json leave_walk(Task& task, Walks& walks);

}  // namespace treaty::workbench
