// From the workflows of an Arazzo document to a .treaty text.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "formats/arazzo/arazzo.h"
#include "formats/arazzo/services.h"
#include "formats/arazzo/workflows.h"
#include "formats/codes.h"
#include "formats/json_schema/heading.h"
#include "formats/made_text.h"
#include "formats/yaml_tree.h"

namespace treaty::formats {
namespace {

using arazzo::Action;
using arazzo::Called;
using arazzo::Criterion;
using arazzo::Services;
using arazzo::Step;
using arazzo::Workflow;
using json_schema::Message;
using json_schema::name_near;
using json_schema::Part;

constexpr std::size_t most_nested = 150;
constexpr std::size_t most_lines = 20'000;

enum class Truth : std::uint8_t { no, yes, by_data, unknown };

bool is_integer(std::string_view text) {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool is_optional(std::string_view type) {
    return type.starts_with("optional<");
}
std::string_view inside(std::string_view type) {
    return is_optional(type) ? type.substr(9, type.size() - 10) : type;
}

// A value as a literal of the type; empty if it is not one.
std::string literal(std::string_view text, bool quoted, std::string_view type) {
    std::string_view plain = inside(type);
    std::string found;
    if (plain == "string") found = json_schema::string_literal(text);
    if (plain == "bool" && !quoted && (text == "true" || text == "false")) found = text;
    if ((plain.starts_with("int") || plain == "real") && !quoted && is_integer(text)) found = text;
    return found;
}

void add_condition(std::string& all, std::string_view one) {
    if (!one.empty()) all += fmt::format("{}{}", all.empty() ? "" : " and ", one);
}

// Any value of the type; empty if it is not one that a request has by itself.
std::string some_value(std::string_view type) {
    if (is_optional(type)) return "none";
    if (type == "string") return "\"\"";
    if (type == "bool") return "false";
    if (type == "real") return "0.0";
    if (type.starts_with("list<")) return "[]";
    if (std::size_t in = type.find(" in "); type.starts_with("int"))
        return in == std::string_view::npos ? "0"
                                            : std::string(type.substr(in + 4, type.find("..") - in - 4));
    return {};
}

// The statuses of a response: "404", "4XX", "default", or "any" where none is listed.
std::pair<int, int> statuses_of(std::string_view status) {
    if (status == "any") return {100, 599};
    if (status == "default") return {400, 599};
    if (status.size() == 3 && (status[1] == 'X' || status[1] == 'x'))
        return {(status[0] - '0') * 100, (status[0] - '0') * 100 + 99};
    int code = 0;
    std::from_chars(status.data(), status.data() + status.size(), code);
    return {code, code};
}

bool holds(int status, std::string_view op, int wanted) {
    if (op == "==") return status == wanted;
    if (op == "!=") return status != wanted;
    if (op == "<") return status < wanted;
    if (op == ">") return status > wanted;
    if (op == "<=") return status <= wanted;
    return status >= wanted;
}

class Writer {
public:
    Writer(const std::vector<Workflow>& workflows, Services& services, base::Diagnostics& diagnostics,
           base::Span start)
        : workflows_(workflows), services_(services), diagnostics_(diagnostics), start_(start), out_(start) {}

    MadeText write(std::string_view title, const std::string& name) {
        json_schema::FreeNames names;
        for (const Workflow& workflow : workflows_) names_.push_back(names.take(protocol_name(workflow.id)));
        for (std::size_t i = 0; i < workflows_.size(); ++i) {
            out_.blank();
            protocol(i);
        }
        MadeText all(start_);
        all.comment(0, title);
        for (const std::string& declaration : services_.declarations()) all.line(0, declaration);
        for (auto [service, number] : used_) {
            const Message& message = services_.message(service, number);
            all.line(0, message.declaration(), message.span);
        }
        all.append(out_);
        all.blank();
        all.line(0, fmt::format("wire {}Http over http {{", name));
        for (auto [service, number] : used_) {
            const Message& message = services_.message(service, number);
            all.line(1, message.layout_line(), message.span);
        }
        all.line(0, "}");
        return all;
    }

private:
    using Environment = std::map<std::string, Part>;  // by expression: "$inputs.user"

    struct Argument {
        std::string value = {};  // empty: nothing is given
        std::string guard = {};  // what must hold, so that it is one that the message may have
    };

    struct Request {
        std::string text = {};
        std::string where = {};
        std::vector<std::string> after = {};  // steps
        Environment known = {};
    };

    // A response as the end of a step.
    struct Ending {
        const openapi::Response* response = nullptr;
        bool success = false;
        bool undecided = false;  // the client decides whether it is one
        std::string where = {};
        std::set<std::string> fields = {};  // that `where` is about
    };

    // --- workflows

    void protocol(std::size_t index) {
        const Workflow& workflow = workflows_[index];
        out_.comment(0, workflow.summary);
        for (const std::string& other : workflow.after) out_.comment(0, fmt::format("after: {}", other));
        std::set<std::size_t> seen;
        std::set<std::size_t> used;
        roles_of(index, seen, used);
        std::string roles = "client";
        for (std::size_t service : used) roles += ", " + services_.role(service);
        workflow_ = &workflow;
        open_.clear();
        kept_.clear();
        MadeText before = std::exchange(out_, MadeText(start_));
        lines_before_ = before.lines();
        go_to(1, 0, {});
        MadeText steps = std::exchange(out_, std::move(before));
        out_.line(0, fmt::format("protocol {}({}) {{", names_[index], roles), workflow.span);
        for (const auto& [name, type] : kept_) {
            out_.line(1, fmt::format("let {}_before: {} = {}", name, type, some_value(type)));
            out_.line(1, fmt::format("let {}_chosen = false", name));
        }
        out_.append(steps);
        out_.line(0, "}");
    }

    // The services of a workflow and of those that it calls.
    void roles_of(std::size_t index, std::set<std::size_t>& seen, std::set<std::size_t>& used) {
        if (!seen.insert(index).second) return;
        auto called = [&](const std::string& id) {
            if (auto other = find_workflow(id)) roles_of(*other, seen, used);
        };
        for (const Step& step : workflows_[index].steps) {
            if (!step.workflow.empty())
                called(step.workflow);
            else if (Called found = find(step); found.operation)
                used.insert(found.service);
            for (const auto* actions : {&step.on_success, &step.on_failure})
                for (const Action& action : *actions)
                    if (action.kind == Action::Kind::workflow) called(action.target);
        }
    }

    std::optional<std::size_t> find_workflow(const std::string& id) const {
        for (std::size_t i = 0; i < workflows_.size(); ++i)
            if (workflows_[i].id == id) return i;
        return std::nullopt;
    }

    Called find(const Step& step) {
        auto [known, is_new] = called_.try_emplace(&step);
        if (is_new) known->second = services_.find(step.operation, step.path, step.span);
        return known->second;
    }

    // --- steps

    // Whether the step itself or a later one leads back to it, so that it needs a name. Every circle has such
    // a step.
    bool is_target(std::size_t index) const {
        const std::vector<Step>& steps = workflow_->steps;
        for (std::size_t other = index; other < steps.size(); ++other)
            for (const auto* actions : {&steps[other].on_success, &steps[other].on_failure})
                for (const Action& action : *actions)
                    if ((action.kind == Action::Kind::step && action.target == steps[index].id) ||
                        (action.kind == Action::Kind::retry && other == index))
                        return true;
        return false;
    }

    // The step and all that follows it; nothing after the last one.
    void go_to(int indent, std::size_t index, Environment known) {
        if (index >= workflow_->steps.size() || too_large_) return;
        const Step& step = workflow_->steps[index];
        if (std::ranges::find(open_, index) != open_.end())
            return out_.line(indent, fmt::format("continue {}", label(step)), step.span);
        if (++nested_ > most_nested || lines_before_ + out_.lines() > most_lines) {
            too_large_ = true;
            diagnostics_.report(
                codes::yaml_too_large, step.span,
                fmt::format("the workflow becomes too large: at most {} steps after each other "
                            "and {} lines",
                            most_nested, most_lines));
            return;
        }
        bool target = is_target(index);
        if (target) {
            out_.line(indent++, fmt::format("rec {} {{", label(step)), step.span);
            open_.push_back(index);
        }
        if (step.workflow.empty())
            call(indent, index, std::move(known));
        else
            other_workflow(indent, index, std::move(known));
        if (target) {
            out_.line(--indent, "}");
            open_.pop_back();
        }
        --nested_;
    }

    static std::string label(const Step& step) { return protocol_name(step.id); }

    void run(int indent, const std::string& id, base::Span span) {
        auto other = find_workflow(id);
        if (!other) {
            diagnostics_.report(codes::document_structure, span,
                                fmt::format("no workflow of this document is called `{}`", id));
            return;
        }
        std::set<std::size_t> seen, used;
        roles_of(*other, seen, used);
        std::string roles = "client";
        for (std::size_t service : used) roles += ", " + services_.role(service);
        out_.line(indent, fmt::format("do {}({})", names_[*other], roles), span);
    }

    void other_workflow(int indent, std::size_t index, Environment known) {
        const Step& step = workflow_->steps[index];
        if (!step.given.empty() || !step.outputs.empty())
            left_out(step.span, "values that are given to a workflow, or come from it, are left out");
        if (!step.on_success.empty() || !step.on_failure.empty() || !step.success.empty())
            left_out(step.span, "criteria and actions of a step that runs a workflow are left out");
        run(indent, step.workflow, step.span);
        go_to(indent, index + 1, std::move(known));
    }

    void call(int indent, std::size_t index, Environment known) {
        const Step& step = workflow_->steps[index];
        Called called = find(step);
        if (!called.operation) return;
        const std::string& server = services_.role(called.service);
        std::vector<Request> requests;
        std::vector<std::string> guards;
        for (std::size_t number : called.operation->requests)
            requests.push_back(request(use(called.service, number), step, known, guards));
        int inside = indent + (guards.empty() ? 0 : 1);
        if (!guards.empty())
            out_.line(indent, fmt::format("if {} {{", fmt::join(guards, " and ")), step.span);
        out_.choose(inside, "client", requests.size(), [&](int inner, std::size_t i) {
            out_.line(inner, fmt::format("client -> {}: {}", server, requests[i].text), step.span);
            for (const std::string& line : requests[i].after) out_.line(inner, line, step.span);
            std::vector<Ending> endings = endings_of(step, called);
            out_.choose(inner, server, endings.size(), [&](int deeper, std::size_t e) {
                answer(deeper, index, called.service, endings[e], requests[i].known);
            });
        });
        if (!guards.empty()) out_.line(indent, "}");
    }

    void answer(int indent, std::size_t index, std::size_t service, Ending ending, Environment known) {
        const Step& step = workflow_->steps[index];
        const Message& message = services_.message(service, ending.response->message);
        bool may_succeed = ending.success || ending.undecided;
        std::vector<Next> all;
        auto add = [&](const std::vector<Action>& actions, std::optional<std::size_t> otherwise) {
            for (Next& one : taken(actions, 0, {step, message, ending}, otherwise, 0))
                all.push_back(std::move(one));
        };
        if (may_succeed) add(step.on_success, index + 1);
        if (!ending.success) add(step.on_failure, std::nullopt);
        use(service, ending.response->message);
        out_.line(indent,
                  fmt::format("{} -> client: {}{}", services_.role(service),
                              with_outputs(message, step, may_succeed, ending.fields, known),
                              ending.where.empty() ? "" : " where " + ending.where),
                  step.span);
        follow(indent, index, all, known);
    }

    // --- what follows a response

    // What the client may do next; or, with a condition, what it may do if it holds, and if not.
    struct Next {
        const Action* action = nullptr;
        std::optional<std::size_t> step = {};  // without an action: the next step, or the end
        std::string where = {};
        std::vector<Next> then = {}, otherwise = {};
    };

    bool ends(const Next& next) const {
        if (!next.where.empty()) return all_end(next.then) && all_end(next.otherwise);
        return next.action ? next.action->kind == Action::Kind::end
                           : !next.step || *next.step >= workflow_->steps.size();
    }
    bool all_end(const std::vector<Next>& all) const {
        return std::ranges::all_of(all, [&](const Next& next) { return ends(next); });
    }

    // The response that is answered.
    struct Answered {
        const Step& step;
        const Message& message;
        Ending& ending;
    };

    // The first of the actions whose criteria hold, or what follows without one. What is not known is up to
    // the client.
    std::vector<Next> taken(const std::vector<Action>& actions, std::size_t first, Answered answered,
                            std::optional<std::size_t> otherwise, int conditions) {
        constexpr int most_conditions = 5;  // in one another, since what follows is written on both sides
        std::vector<Next> all;
        for (std::size_t i = first; i < actions.size(); ++i) {
            const Action& action = actions[i];
            Truth truth = Truth::yes;
            Ending of_action{.response = answered.ending.response};
            for (const Criterion& criterion : action.criteria) {
                Truth one =
                    meets(criterion, *answered.ending.response, answered.message, answered.step, of_action);
                if (one == Truth::no || truth == Truth::no)
                    truth = Truth::no;
                else if (one == Truth::unknown || truth == Truth::unknown)
                    truth = Truth::unknown;
                else if (one == Truth::by_data)
                    truth = Truth::by_data;
            }
            if (truth == Truth::no) continue;
            if (truth == Truth::by_data && conditions < most_conditions) {
                answered.ending.fields.merge(of_action.fields);
                Next either{.where = of_action.where};
                either.otherwise = taken(actions, i + 1, answered, otherwise, conditions + 1);
                if (action.kind == Action::Kind::retry) either.then = either.otherwise;
                either.then.insert(either.then.begin(), Next{.action = &action});
                all.push_back(std::move(either));
                return all;
            }
            all.push_back({.action = &action});
            // After some attempts there is no further one.
            if (truth == Truth::yes && action.kind != Action::Kind::retry) return all;
        }
        all.push_back({.step = otherwise});
        return all;
    }

    void follow(int indent, std::size_t index, std::vector<Next> all, const Environment& known) {
        bool may_end = std::ranges::any_of(all, [&](const Next& next) { return ends(next); });
        std::erase_if(all, [&](const Next& next) { return ends(next); });
        if (all.empty()) return;
        if (may_end) out_.line(indent, "optional at client {");
        int inner = indent + (may_end ? 1 : 0);
        out_.choose(inner, "client", all.size(), [&](int deeper, std::size_t i) {
            const Next& next = all[i];
            if (!next.where.empty()) return either(deeper, index, next, known);
            if (!next.action) return go_to(deeper, *next.step, known);
            const Action& action = *next.action;
            out_.comment(deeper, action.comment);
            if (action.kind == Action::Kind::retry) return go_to(deeper, index, known);
            if (action.kind == Action::Kind::workflow) return run(deeper, action.target, action.span);
            for (std::size_t s = 0; s < workflow_->steps.size(); ++s)
                if (workflow_->steps[s].id == action.target) return go_to(deeper, s, known);
            diagnostics_.report(codes::document_structure, action.span,
                                fmt::format("no step of this workflow is called `{}`", action.target));
        });
        if (may_end) out_.line(indent, "}");
    }

    void either(int indent, std::size_t index, const Next& next, const Environment& known) {
        base::Span span = workflow_->steps[index].span;
        bool nothing = all_end(next.then);
        out_.line(indent, fmt::format("if {} {{", nothing ? fmt::format("not ({})", next.where) : next.where),
                  span);
        follow(indent + 1, index, nothing ? next.otherwise : next.then, known);
        if (!nothing && !all_end(next.otherwise)) {
            out_.line(indent, "} else {");
            follow(indent + 1, index, next.otherwise, known);
        }
        out_.line(indent, "}");
    }

    // --- criteria

    static Truth status_meets(const Criterion& criterion, const openapi::Response& response) {
        bool pattern = criterion.op == "matches";
        if (criterion.left != "$statusCode" || (!pattern && !is_integer(criterion.right)))
            return Truth::unknown;
        int wanted = 0;
        std::from_chars(criterion.right.data(), criterion.right.data() + criterion.right.size(), wanted);
        re2::RE2 compiled(pattern ? criterion.right : "", re2::RE2::Quiet);
        if (!compiled.ok()) return Truth::unknown;
        auto [first, last] = statuses_of(response.status);
        bool some = false, all = true;
        for (int status = first; status <= last; ++status) {
            bool one = pattern ? re2::RE2::PartialMatch(std::to_string(status), compiled)
                               : holds(status, criterion.op, wanted);
            (one ? some : all) = one;
        }
        return all ? Truth::yes : some ? Truth::by_data : Truth::no;
    }

    // What a field of the step's response is called from then on.
    static std::string variable_of(const Step& step, const std::string& field) {
        return name_near(fmt::format("{} {}", step.id, field));
    }

    // A value of the step's response.
    std::optional<Part> part_of(const Message& message, const json_schema::Path& path, const Step& step) {
        return services_.part(message, path, variable_of(step, message.fields[path.field]));
    }

    // Whether a response meets a criterion; by_data: if `where` holds.
    Truth meets(const Criterion& criterion, const openapi::Response& response, const Message& message,
                const Step& step, Ending& ending) {
        Truth by_status = status_meets(criterion, response);
        if (by_status == Truth::yes || by_status == Truth::no) return by_status;
        std::optional<json_schema::Path> path;
        auto status = std::ranges::find(message.fields, "status");
        if (by_status == Truth::by_data && response.status == "default" && status != message.fields.end())
            path = {static_cast<std::size_t>(status - message.fields.begin()), {}};
        else if (criterion.left.starts_with("$response.body"))
            path = json_schema::path_of(message, criterion.left.substr(10));
        auto part = path ? part_of(message, *path, step) : std::nullopt;
        if (!part) return Truth::unknown;
        std::string value = literal(criterion.right, criterion.quoted, part->type);
        bool ordered = criterion.op != "==" && criterion.op != "!=";
        if (value.empty() || criterion.op == "matches" || (ordered && !inside(part->type).starts_with("int")))
            return Truth::unknown;
        ending.fields.insert(message.fields[path->field]);
        if (is_optional(part->type)) {
            add_condition(part->guard, fmt::format("has({})", part->value));
            part->value = fmt::format("value({})", part->value);
        }
        std::string holds = fmt::format("{} {} {}", part->value, criterion.op, value);
        add_condition(ending.where,
                      part->guard.empty() ? holds : fmt::format("({} and {})", part->guard, holds));
        return Truth::by_data;
    }

    std::vector<Ending> endings_of(const Step& step, const Called& called) {
        std::vector<Ending> all;
        for (const openapi::Response& response : called.operation->responses) {
            const Message& message = services_.message(called.service, response.message);
            Truth truth = Truth::yes;
            Ending ending{.response = &response};
            if (step.success.empty() && statuses_of(response.status).first >= 400) truth = Truth::no;
            for (const Criterion& criterion : step.success) {
                Truth one = meets(criterion, response, message, step, ending);
                if (one == Truth::no || truth == Truth::no)
                    truth = Truth::no;
                else if (one == Truth::unknown || truth == Truth::unknown)
                    truth = Truth::unknown;
                else if (one == Truth::by_data)
                    truth = Truth::by_data;
            }
            if (truth == Truth::by_data) {
                Ending other = ending;
                ending.success = true;
                other.where = fmt::format("not ({})", ending.where);
                all.push_back(std::move(ending));
                all.push_back(std::move(other));
            } else {
                all.push_back({.response = &response,
                               .success = truth == Truth::yes,
                               .undecided = truth == Truth::unknown});
            }
        }
        return all;
    }

    // --- values

    const Message& use(std::size_t service, std::size_t number) {
        if (seen_.emplace(service, number).second) used_.emplace_back(service, number);
        return services_.message(service, number);
    }

    // What a type and the demands ask of a value, which `placeholder` stands for.
    static std::string demands_of(std::string demands, std::string_view type) {
        std::string_view range = inside(type);
        std::size_t in = range.find(" in ");
        if (in == std::string_view::npos) return demands;
        range.remove_prefix(in + 4);
        std::size_t dots = range.find("..");
        add_condition(demands, fmt::format("{0} >= {1} and {0} <= {2}", Message::placeholder,
                                           range.substr(0, dots), range.substr(dots + 2)));
        return demands;
    }

    // The request of a step. `guards` gets what must hold, so that its values may be sent.
    Request request(const Message& message, const Step& step, const Environment& known,
                    std::vector<std::string>& guards) {
        Request made{.known = known};
        std::vector<std::string> arguments(message.fields.size(), "_");
        bool any = false;
        for (const auto& [where, node] : step.given) {
            std::optional<std::size_t> field;
            for (std::string_view in : {"", "path.", "query.", "header."})
                if (auto source = message.sources.find(std::string(in) + where);
                    source != message.sources.end())
                    field = static_cast<std::size_t>(std::ranges::find(message.fields, source->second) -
                                                     message.fields.begin());
            Argument given = field ? argument(*node, message, *field, made) : Argument();
            if (given.value.empty()) {
                left_out(node->span,
                         fmt::format("the value of `{}` is left out: {}", where,
                                     field ? "it is not one that is known by then, of the same type"
                                           : "the operation does not have it"));
                continue;
            }
            arguments[*field] = given.value;
            if (!given.guard.empty() && std::ranges::find(guards, given.guard) == guards.end())
                guards.push_back(given.guard);
            any = true;
        }
        made.text = any ? message.with(arguments) : message.name;
        if (!made.where.empty()) made.text += " where " + made.where;
        return made;
    }

    Argument argument(const YamlNode& node, const Message& message, std::size_t field, Request& made) {
        const std::string& type = message.types[field];
        std::string text = expression_of(node);
        if (text.empty() && !node.is_scalar()) return {};
        if (text.empty()) {
            Argument given = text_with_holes(node.text, type, made.known);
            if (node.text.find("{$") == std::string::npos)
                given.value = literal(node.text, node.quoted, type);
            if (!given.value.empty() && is_optional(type)) given.value = fmt::format("some({})", given.value);
            return given;
        }
        auto found = made.known.find(text);
        if (found != made.known.end())
            return passed_on(found->second, type, demands_of(message.demands[field], type));
        if (!text.starts_with("$inputs.")) return {};
        // An input is chosen where it is used first. In a loop that is in each round, so it has to be kept.
        std::string name = name_near("input " + text.substr(8));
        made.known[text] = {name, type, message.demands[field], {}};
        if (!open_.empty()) {
            auto same = kept_.try_emplace(name, type).first;
            if (same->second != type || some_value(type).empty()) return {};
            add_condition(made.where, fmt::format("({0}_chosen implies {0}_before == {0})", name));
            made.after.push_back(fmt::format("let {0}_before = {0}", name));
            made.after.push_back(fmt::format("let {}_chosen = true", name));
        }
        return {"let " + name};
    }

    // A value that is known, in a message with these demands.
    static Argument passed_on(const Part& known, std::string_view type, const std::string& demands) {
        std::string_view wanted = inside(type), has = inside(known.type);
        if (wanted.substr(0, wanted.find(' ')) != has.substr(0, has.find(' '))) return {};
        bool may_be_missing = is_optional(known.type), may_be_left_out = is_optional(type);
        std::string held = may_be_missing ? fmt::format("value({})", known.value) : known.value;
        Argument given{may_be_left_out && may_be_missing ? known.value
                       : may_be_left_out                 ? fmt::format("some({})", held)
                                                         : held,
                       known.guard};
        std::string present = may_be_missing ? fmt::format("has({})", known.value) : std::string();
        std::string fits = demands == demands_of(known.demands, known.type) ? "" : demands;
        for (std::size_t at = 0; (at = fits.find(Message::placeholder, at)) != std::string::npos;
             at += held.size())
            fits.replace(at, 1, held);
        if (may_be_left_out && !fits.empty() && may_be_missing)
            fits = fmt::format("({} implies {})", present, fits);
        else if (!may_be_left_out)
            add_condition(given.guard, present);
        add_condition(given.guard, fits);
        return given;
    }

    // "$inputs.x" of `$inputs.x`, `{$inputs.x}`, and of the same without quotes in a payload of JSON, which
    // YAML takes for a map; empty if it is none of these.
    static std::string expression_of(const YamlNode& node) {
        if (node.is_map() && node.members.size() == 1 &&
            node.members.front().value.kind == YamlNode::Kind::null &&
            node.members.front().key.starts_with('$'))
            return node.members.front().key;
        std::string_view text = node.text;
        if (!node.is_scalar()) return {};
        if (text.starts_with("{$") && text.find('}') == text.size() - 1)
            text = text.substr(1, text.size() - 2);
        return text.starts_with('$') ? std::string(text) : std::string();
    }

    // "Bearer {$steps.login.outputs.token}": texts that are known, joined. Empty if it is no such text.
    static Argument text_with_holes(std::string_view text, std::string_view type, const Environment& known) {
        if (inside(type) != "string" || text.find("{$") == std::string_view::npos) return {};
        std::vector<std::string> pieces;
        Argument made;
        while (!text.empty()) {
            std::size_t begin = std::min(text.find("{$"), text.size());
            if (begin > 0) pieces.push_back(json_schema::string_literal(text.substr(0, begin)));
            text.remove_prefix(begin);
            if (text.empty()) break;
            std::size_t end = text.find('}');
            if (end == std::string_view::npos) return {};
            auto found = known.find(std::string(text.substr(1, end - 1)));
            if (found == known.end() || inside(found->second.type) != "string") return {};
            Argument piece = passed_on(found->second, "string", "");
            pieces.push_back(piece.value);
            add_condition(made.guard, piece.guard);
            text.remove_prefix(end + 1);
        }
        made.value = fmt::format("{}", fmt::join(pieces, " + "));
        return made;
    }

    // The response with `let` for the fields that are needed: for the outputs, if the step may have
    // succeeded, and for a condition.
    std::string with_outputs(const Message& message, const Step& step, bool outputs,
                             const std::set<std::string>& needed, Environment& known) {
        std::vector<std::string> arguments;
        for (const std::string& field : message.fields)
            arguments.push_back(needed.contains(field) ? "let " + variable_of(step, field) : "_");
        bool any = !needed.empty();
        for (const auto& [output, from, span] : step.outputs) {
            if (!outputs) break;
            std::string expression = fmt::format("$steps.{}.outputs.{}", step.id, output);
            if (auto same = known.find(from); same != known.end()) {
                Part copy = same->second;
                known[expression] = std::move(copy);
                continue;
            }
            std::optional<json_schema::Path> path;
            if (from.starts_with("$response.")) path = json_schema::path_of(message, from.substr(10));
            auto part = path ? part_of(message, *path, step) : std::nullopt;
            if (!part) {
                if (told_.emplace(&step, output).second)
                    left_out(span, fmt::format("the output `{}` is left out: `{}` is not a field of `{}`",
                                               output, from, message.name));
                continue;
            }
            arguments[path->field] = "let " + variable_of(step, message.fields[path->field]);
            any = true;
            known[expression] = std::move(*part);
        }
        return any ? message.with(arguments) : message.name;
    }

    void left_out(base::Span span, std::string what) {
        if (!places_.emplace(span.begin, what).second) return;
        diagnostics_.report(codes::document_left_out, span, std::move(what));
    }

    const std::vector<Workflow>& workflows_;
    Services& services_;
    base::Diagnostics& diagnostics_;
    base::Span start_;
    MadeText out_;
    std::vector<std::string> names_;  // of the protocols
    const Workflow* workflow_ = nullptr;
    std::vector<std::size_t> open_;  // the steps around the place that is being written
    std::size_t nested_ = 0;
    std::size_t lines_before_ = 0;             // of other workflows
    std::map<std::string, std::string> kept_;  // variables for the inputs that loops use, with their types
    bool too_large_ = false;
    std::map<const Step*, Called> called_;
    std::set<std::pair<std::size_t, std::size_t>> seen_;
    std::vector<std::pair<std::size_t, std::size_t>> used_;  // messages by service and number
    std::set<std::pair<const Step*, std::string>> told_;
    std::set<std::pair<std::uint32_t, std::string>> places_;
};

}  // namespace

bool is_arazzo(std::string_view text) {
    return has_outer_key(text, "arazzo");
}

Loaded load_arazzo(const Loading& loading) {
    base::Diagnostics& diagnostics = loading.diagnostics;
    std::optional<YamlNode> root = read_yaml(loading.sources, loading.file, diagnostics);
    if (!root) return {};
    base::Span start{loading.file, 0, 0};
    const YamlNode* stated = root->find("arazzo");
    std::string_view version = root->text_of("arazzo");
    if (!version.starts_with("1.0")) {
        diagnostics.report(codes::document_structure, stated ? stated->span : start,
                           fmt::format("Arazzo `{}` is not read; 1.0 is", version));
        return {};
    }
    std::size_t errors = diagnostics.errors();
    json_schema::References references(loading, *root);
    // It keeps payloads that are written as texts.
    arazzo::WorkflowReader reader(*root, references, loading);
    std::vector<Workflow> workflows = reader.read();
    Services services(*root, references, diagnostics);
    services.read(workflows);
    if (services.too_many())
        diagnostics.report(codes::yaml_too_large, start, "the schemas expand to too much");
    if (diagnostics.errors() > errors) return {};
    json_schema::Heading heading = json_schema::heading_of(*root, loading);
    MadeText text = Writer(workflows, services, diagnostics, start).write(heading.title, heading.protocol);
    if (diagnostics.errors() > errors) return {};
    return text.read(loading);
}

}  // namespace treaty::formats
