#include "workbench/methods.h"

#include <array>

#include "lsp/uri.h"
#include "workbench/questions.h"

namespace treaty::workbench {
namespace {

constexpr std::array<Method, 10> methods{{
    {"hello", hello},
    {"files", list_files},
    {"read", read_file},
    {"write", write_file},
    {"picture", draw_picture},
    {"ask", ask, true},
    {"walk", begin_walk},
    {"take", take_event},
    {"walk_as_test", walk_as_test},
    {"leave", leave_walk},
}};

std::string path_in(const Task& task) {
    return task.params.at("path").get<std::string>();
}

}  // namespace

const Method* find_method(std::string_view name) {
    for (const Method& method : methods)
        if (method.name == name) return &method;
    return nullptr;
}

Json hello(Task& task, Walks&) {
    const ServeOptions& options = task.bench.options;
    return {{"root", lsp::uri_of(task.bench.folder.root())},
            {"allowRun", options.allow_run},
            {"readOnly", options.read_only},
            {"questions", describe_questions(task.bench)}};
}

Json list_files(Task& task, Walks&) {
    Json files = Json::array();
    for (const ListedFile& file : task.bench.folder.list())
        files.push_back({{"path", file.path}, {"bytes", file.bytes}});
    bool all = files.size() < Folder::max_listed;
    return {{"files", std::move(files)}, {"all", all}};
}

Json read_file(Task& task, Walks&) {
    auto text = task.bench.folder.read(path_in(task));
    if (!text) throw RequestFault{text.error()};
    return {{"text", std::move(*text)}};
}

Json write_file(Task& task, Walks&) {
    if (task.bench.options.read_only) throw RequestFault{"this workbench is read-only: nothing is written"};
    auto written = task.bench.folder.write(path_in(task), task.params.at("text").get<std::string>());
    if (!written) throw RequestFault{written.error()};
    return Json::object();
}

}  // namespace treaty::workbench
