#include "workbench/tab.h"

#include <fmt/format.h>

#include "report/progress.h"
#include "workbench/methods.h"

namespace treaty::workbench {
namespace {

constexpr std::chrono::milliseconds progress_interval{100};
constexpr std::size_t most_tasks = 64;  // of one tab, questions and everything else

Json numbers_of(const api::Progress& progress) {
    Json out{{"line", report::progress_line(progress)}};
    if (const auto* campaign = std::get_if<api::CampaignProgress>(&progress))
        out["campaign"] = {{"session", campaign->session},   {"sessions", campaign->sessions},
                           {"messages", campaign->messages}, {"covered", campaign->covered},
                           {"steps", campaign->steps},       {"failed", campaign->failed}};
    if (const auto* watched = std::get_if<api::WatchProgress>(&progress))
        out["watch"] = {{"messages", watched->messages}, {"live", watched->live},
                        {"ended", watched->ended},       {"failed", watched->failed},
                        {"garbled", watched->garbled},   {"unread", watched->unread}};
    if (const auto* counted = std::get_if<api::CountProgress>(&progress))
        out["count"] = {{"doing", counted->doing},
                        {"done", counted->done},
                        {"total", counted->total},
                        {"detail", counted->detail}};
    return out;
}

}  // namespace

Task::Task(Bench& with, std::weak_ptr<net::Channel> channel, Json id)
    : bench(with),
      channel_(std::move(channel)),
      id_(std::move(id)),
      next_progress_(std::make_shared<std::chrono::steady_clock::time_point>()) {}

api::Context Task::context() const {
    api::Context context;
    const VisitorLimits& limits = bench.options.limits;
    if (limits.time.count() > 0) {
        context.deadline = base::Deadline::after(limits.time);
        context.time_limited = true;
    }
    context.deadline = context.deadline.with(stop.token());
    if (limits.memory > 0) context.memory = limits.memory;
    context.progress = [this](const api::Progress& made) {
        auto now = std::chrono::steady_clock::now();
        if (now < *next_progress_) return;
        *next_progress_ = now + progress_interval;
        progress(numbers_of(made));
    };
    return context;
}

std::unique_ptr<api::Workspace> Task::workspace() const {
    auto files = std::make_unique<api::Workspace>(bench.folder.reader());
    if (auto texts = params.find("texts"); texts != params.end() && texts->is_object())
        for (const auto& [path, text] : texts->items())
            if (text.is_string()) files->set_overlay(path, text.get<std::string>());
    return files;
}

void Task::send(const Json& message, std::function<void()> first) const {
    std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    bench.loop.post([to = channel_, text = std::move(text), first = std::move(first)] {
        first();
        auto open = to.lock();
        if (open && !open->send(text)) open->close();
    });
}

void Task::progress(Json what) const {
    if (!stop.requested()) send({{"id", id_}, {"progress", std::move(what)}});
}

void Task::result(Json what) const {
    send({{"id", id_}, {"result", std::move(what)}}, over);
}

void Task::error(const std::string& text) const {
    send({{"id", id_}, {"error", text}}, over);
}

Tab::Tab(Bench& bench, std::shared_ptr<net::Channel> channel)
    : bench_(bench),
      channel_(channel),
      tasks_(std::make_shared<std::map<std::string, std::shared_ptr<Task>>>()),
      walks_(make_walks()) {}

Tab::~Tab() {
    for (auto& [id, task] : *tasks_) task->stop.request();
}

void Tab::receive(std::string_view message) {
    // Nesting is bounded, so that walking through it is safe.
    constexpr int deepest = 50;
    bool deep = false;
    auto shallow = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) deep = true;
        return !deep;
    };
    Json read = Json::parse(message, shallow, false);
    auto open = channel_.lock();
    if (deep || read.is_discarded() || !read.is_object()) {
        if (open) open->close();
        return;
    }
    if (auto cancelled = read.find("cancel"); cancelled != read.end()) {
        if (auto task = tasks_->find(cancelled->dump()); task != tasks_->end()) task->second->stop.request();
        return;
    }
    request(read);
}

void Tab::request(const Json& message) {
    Json id = message.value("id", Json());
    auto task = std::make_shared<Task>(bench_, channel_, id);
    std::string key = id.dump();
    auto name = message.find("method");
    const Method* method =
        name != message.end() && name->is_string() ? find_method(name->get<std::string>()) : nullptr;
    if (!id.is_number_integer() || !method) return task->error("unknown request");
    if (tasks_->size() >= most_tasks) return task->error("too many requests at once; try again in a moment");
    std::size_t asked = 0;
    for (const auto& [other, under_way] : *tasks_) asked += under_way->long_work ? 1 : 0;
    task->long_work = method->long_work;
    if (method->long_work && asked >= bench_.options.limits.questions)
        return task->error(fmt::format("{} questions are being answered already; cancel one", asked));
    if (!tasks_->emplace(key, task).second) return task->error("this id is in use");
    task->over = [tasks = std::weak_ptr(tasks_), key] {
        if (auto still = tasks.lock()) still->erase(key);
    };
    task->params = message.value("params", Json::object());
    lsp::Workers& workers = method->long_work ? bench_.questions : bench_.quick;
    workers.run([task, method, walks = walks_] {
        try {
            Json result = method->answer(*task, *walks);
            task->result(std::move(result));
        } catch (const RequestFault& fault) {
            task->error(fault.text);
        } catch (const Json::exception& fault) {
            task->error(fmt::format("the request is malformed: {}", fault.what()));
        }
    });
}

}  // namespace treaty::workbench
