// Walks through a protocol, event by event (api/step.h): each tab has a few.
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "api/input/value_input.h"
#include "api/step.h"
#include "report/render_diagnostics.h"
#include "report/run.h"
#include "workbench/form.h"
#include "workbench/methods.h"

namespace treaty::workbench {

namespace {

constexpr std::size_t most_walks = 8;
constexpr std::size_t most_events = 10'000;

struct OneWalk {
    std::string file;
    std::unique_ptr<api::Workspace> workspace;  // outlives what is walked
    api::StepStart start;
};

}  // namespace

// Guarded by one lock: a walk is not for several threads, and a person clicks on one at a time.
class Walks {
public:
    std::mutex mutex;
    std::map<std::uint64_t, OneWalk> open;
    std::uint64_t last = 0;
};

namespace {

std::string_view standing_of(step::Standing standing) {
    switch (standing) {
        case step::Standing::going: return "going";
        case step::Standing::may_end: return "may end";
        case step::Standing::over: return "over";
        case step::Standing::stuck: return "stuck";
        case step::Standing::lost: return "lost";
    }
    return "going";
}

Json field_json(const api::StepSession& walk, const api::EventField& field) {
    const model::Specification& s = *walk.specification();
    auto printed = [&](const expr::Value& value) {
        return expr::print(value, field.type, *s.types, *s.names);
    };
    Json out{{"name", field.name}, {"type", api::describe_type(s, field.type)}};
    if (field.fixed) out["fixed"] = printed(*field.fixed);
    if (field.proposed) out["proposed"] = printed(*field.proposed);
    return out;
}

Json state_of(std::uint64_t number, const api::StepSession& walk) {
    Json enabled = Json::array();
    for (const api::EnabledEvent& one : walk.enabled()) {
        Json fields = Json::array();
        for (const api::EventField& field : one.fields) fields.push_back(field_json(walk, field));
        enabled.push_back({{"text", model::print(one.event)},
                           {"line", one.event.line},
                           {"from", one.event.from},
                           {"to", one.event.to},
                           {"fields", std::move(fields)}});
    }
    return {
        {"walk", number},        {"title", walk.title()},         {"standing", standing_of(walk.standing())},
        {"where", walk.where()}, {"enabled", std::move(enabled)}, {"run", report::to_json(walk.run())}};
}

step::Values values_of(const api::StepSession& walk, const api::EnabledEvent& event, const Json& given) {
    step::Values values;
    for (const api::EventField& field : event.fields) {
        if (field.fixed) {
            values.push_back(*field.fixed);
            continue;
        }
        auto text = given.find(field.name);
        bool empty = text == given.end() || !text->is_string() || text->get<std::string>().empty();
        if (empty && !field.proposed)
            throw RequestFault{fmt::format("{} needs a value: no one is known that suits", field.name)};
        if (empty) {
            values.push_back(*field.proposed);
            continue;
        }
        auto value = api::read_value(*walk.specification(), field.type, text->get<std::string>());
        if (!value)
            throw RequestFault{fmt::format("{}: this is not {}", field.name,
                                           api::describe_type(*walk.specification(), field.type))};
        values.push_back(std::move(*value));
    }
    return values;
}

void take(api::StepSession& walk, const Json& params) {
    if (walk.events_taken() >= most_events)
        throw RequestFault{fmt::format("a walk has at most {} events", most_events)};
    std::vector<api::EnabledEvent> enabled = walk.enabled();
    std::size_t event = params.at("event").get<std::size_t>();
    if (event >= enabled.size()) throw RequestFault{"this event cannot come next"};
    step::Values values = values_of(walk, enabled[event], params.value("values", Json::object()));
    if (!walk.take(event, values)) throw RequestFault{"the protocol does not allow these values here"};
}

OneWalk& find(Walks& walks, const Json& params) {
    auto found = walks.open.find(params.at("walk").get<std::uint64_t>());
    if (found == walks.open.end()) throw RequestFault{"this walk is over; begin another one"};
    return found->second;
}

}  // namespace

std::shared_ptr<Walks> make_walks() {
    return std::make_shared<Walks>();
}

Json begin_walk(Task& task, Walks& walks) {
    Form form(task.bench.folder, &task.params, false);
    api::StepQuestion question;
    form.file("file", question.file, "");
    form.protocol(question.protocol);
    form.role("role", question.role, "");
    form.channels(question.mode, question.bound);
    if (!form.faults().empty()) throw RequestFault{form.faults().front()};
    OneWalk walk{question.file, task.workspace(), {}};
    api::Context context = task.context();
    context.seed = task.params.value("seed", std::uint64_t{0});
    walk.start = api::begin_walk(*walk.workspace, question, context);
    if (!walk.start.session) {
        std::string fault = report::first_error(walk.start.diagnostics);
        throw RequestFault{fault.empty() ? walk.start.reason : fault};
    }
    std::lock_guard lock(walks.mutex);
    if (walks.open.size() >= most_walks) walks.open.erase(walks.open.begin());
    std::uint64_t number = ++walks.last;
    Json state = state_of(number, *walk.start.session);
    walks.open.emplace(number, std::move(walk));
    return state;
}

Json take_event(Task& task, Walks& walks) {
    std::lock_guard lock(walks.mutex);
    api::StepSession& walk = *find(walks, task.params).start.session;
    const Json& how = task.params.at("how");
    std::size_t times = std::min<std::size_t>(task.params.value("times", std::size_t{1}), most_events);
    if (how == "back")
        for (std::size_t i = 0; i < times && walk.back(); ++i) {
        }
    else if (how == "random")
        for (std::size_t i = 0; i < times && walk.events_taken() < most_events && walk.take_random(); ++i) {
        }
    else
        take(walk, task.params);
    return state_of(task.params.at("walk").get<std::uint64_t>(), walk);
}

Json walk_as_test(Task& task, Walks& walks) {
    std::lock_guard lock(walks.mutex);
    OneWalk& walk = find(walks, task.params);
    api::TestRequest request;
    request.file = walk.file;
    request.cut = task.params.at("cut").get<std::string>();
    request.command = task.params.value("run", "");
    if (std::string via = task.params.value("via", ""); !via.empty()) request.via.push_back(via);
    auto text = walk.start.session->as_test(std::move(request));
    if (!text) throw RequestFault{text.error()};
    return {{"text", std::move(*text)}};
}

Json leave_walk(Task& task, Walks& walks) {
    std::lock_guard lock(walks.mutex);
    walks.open.erase(task.params.at("walk").get<std::uint64_t>());
    return Json::object();
}

}  // namespace treaty::workbench
