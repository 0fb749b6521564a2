// From the workflows of an Arazzo document to a .treaty text.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

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
    struct Variable {
        std::string name;
        std::string type;
    };
    using Environment = std::map<std::string, Variable>;  // by expression: "$inputs.user"

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
        out_.line(0, fmt::format("protocol {}({}) {{", names_[index], roles), workflow.span);
        workflow_ = &workflow;
        open_.clear();
        go_to(1, 0, {});
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
        if (++nested_ > most_nested || out_.lines() > most_lines) {
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
        out_.choose(indent, "client", called.operation->requests.size(), [&](int inner, std::size_t i) {
            Environment here = known;
            const Message& request = use(called.service, called.operation->requests[i]);
            out_.line(inner, fmt::format("client -> {}: {}", server, with_given(request, step, here)),
                      step.span);
            std::vector<Ending> endings = endings_of(step, called);
            out_.choose(inner, server, endings.size(), [&](int deeper, std::size_t e) {
                answer(deeper, index, called.service, endings[e], here);
            });
        });
    }

    void answer(int indent, std::size_t index, std::size_t service, const Ending& ending, Environment known) {
        const Step& step = workflow_->steps[index];
        const Message& message = use(service, ending.response->message);
        bool may_succeed = ending.success || ending.undecided;
        out_.line(indent,
                  fmt::format("{} -> client: {}{}", services_.role(service),
                              with_outputs(message, step, may_succeed, ending.fields, known),
                              ending.where.empty() ? "" : " where " + ending.where),
                  step.span);
        std::vector<Branch> branches;
        if (may_succeed) actions(step.on_success, *ending.response, index + 1, branches);
        if (!ending.success) actions(step.on_failure, *ending.response, std::nullopt, branches);
        follow(indent, index, branches, known);
    }

    // --- what follows a response

    struct Branch {
        const Action* action = nullptr;
        std::optional<std::size_t> next = {};  // without an action: the next step, or the end
        bool ends(const Workflow& workflow) const {
            return action ? action->kind == Action::Kind::end : !next || *next >= workflow.steps.size();
        }
    };

    // The actions that may be taken, or else what follows without one.
    void actions(const std::vector<Action>& all, const openapi::Response& response,
                 std::optional<std::size_t> otherwise, std::vector<Branch>& into) {
        for (const Action& action : all) {
            Truth truth = Truth::yes;
            for (const Criterion& criterion : action.criteria)
                if (Truth one = status_meets(criterion, response); one != Truth::yes)
                    truth = one == Truth::no || truth == Truth::no ? Truth::no : Truth::unknown;
            if (truth == Truth::no) continue;
            into.push_back({&action, {}});
            // After some attempts there is no further one.
            if (truth == Truth::yes && action.kind != Action::Kind::retry) return;
        }
        into.push_back({nullptr, otherwise});
    }

    void follow(int indent, std::size_t index, std::vector<Branch> branches, const Environment& known) {
        bool may_end = std::ranges::any_of(branches, [&](const Branch& b) { return b.ends(*workflow_); });
        std::erase_if(branches, [&](const Branch& b) { return b.ends(*workflow_); });
        if (branches.empty()) return;
        if (may_end) out_.line(indent, "optional at client {");
        int inner = indent + (may_end ? 1 : 0);
        out_.choose(inner, "client", branches.size(), [&](int deeper, std::size_t i) {
            const Branch& branch = branches[i];
            if (!branch.action) return go_to(deeper, *branch.next, known);
            const Action& action = *branch.action;
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

    // --- criteria

    static Truth status_meets(const Criterion& criterion, const openapi::Response& response) {
        if (criterion.left != "$statusCode" || !is_integer(criterion.right)) return Truth::unknown;
        int wanted = 0;
        std::from_chars(criterion.right.data(), criterion.right.data() + criterion.right.size(), wanted);
        auto [first, last] = statuses_of(response.status);
        bool some = false, all = true;
        for (int status = first; status <= last; ++status)
            (holds(status, criterion.op, wanted) ? some : all) = holds(status, criterion.op, wanted);
        return all ? Truth::yes : some ? Truth::by_data : Truth::no;
    }

    // What a field of the step's response is called from then on.
    static std::string variable_of(const Step& step, const std::string& field) {
        return name_near(fmt::format("{} {}", step.id, field));
    }

    // Whether a response meets a criterion; by_data: if `where` holds.
    Truth meets(const Criterion& criterion, const openapi::Response& response, const Message& message,
                const Step& step, Ending& ending) const {
        Truth by_status = status_meets(criterion, response);
        if (by_status == Truth::yes || by_status == Truth::no) return by_status;
        auto field = by_status == Truth::by_data && response.status == "default"
                         ? std::ranges::find(message.fields, "status")
                         : message.fields.end();
        if (criterion.left.starts_with("$response.body"))
            if (auto source = message.sources.find(criterion.left.substr(10));
                source != message.sources.end())
                field = std::ranges::find(message.fields, source->second);
        if (field == message.fields.end()) return Truth::unknown;
        const std::string& type = message.types[static_cast<std::size_t>(field - message.fields.begin())];
        std::string value = literal(criterion.right, criterion.quoted, type);
        bool ordered = criterion.op != "==" && criterion.op != "!=";
        if (value.empty() || (ordered && !inside(type).starts_with("int"))) return Truth::unknown;
        std::string name = variable_of(step, *field);
        ending.fields.insert(*field);
        ending.where += fmt::format(
            "{}{}", ending.where.empty() ? "" : " and ",
            is_optional(type) ? fmt::format("(has({0}) and value({0}) {1} {2})", name, criterion.op, value)
                              : fmt::format("{} {} {}", name, criterion.op, value));
        return Truth::by_data;
    }

    std::vector<Ending> endings_of(const Step& step, const Called& called) const {
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

    std::string with_given(const Message& message, const Step& step, Environment& known) {
        std::vector<std::string> arguments(message.fields.size(), "_");
        bool any = false;
        for (const auto& [where, node] : step.given) {
            std::optional<std::size_t> field;
            for (std::string_view in : {"", "path.", "query.", "header."})
                if (auto source = message.sources.find(std::string(in) + where);
                    source != message.sources.end())
                    field = static_cast<std::size_t>(std::ranges::find(message.fields, source->second) -
                                                     message.fields.begin());
            std::string value = field ? argument(*node, message.types[*field], known) : std::string();
            if (value.empty()) {
                left_out(node->span,
                         fmt::format("the value of `{}` is left out: {}", where,
                                     field ? "it is not one that is known by then, of the same type"
                                           : "the operation does not have it"));
                continue;
            }
            arguments[*field] = value;
            any = true;
        }
        return any ? message.with(arguments) : message.name;
    }

    // An input is chosen where it is used first.
    std::string argument(const YamlNode& node, const std::string& type, Environment& known) {
        if (!node.is_scalar()) return {};
        if (!node.text.starts_with('$')) {
            std::string value = literal(node.text, node.quoted, type);
            return value.empty() || !is_optional(type) ? value : fmt::format("some({})", value);
        }
        auto found = known.find(node.text);
        if (found != known.end()) {
            if (found->second.type == type) return found->second.name;
            return found->second.type == inside(type) ? fmt::format("some({})", found->second.name)
                                                      : std::string();
        }
        if (!node.text.starts_with("$inputs.")) return {};
        std::string name = name_near("input " + node.text.substr(8));
        known[node.text] = {name, type};
        return "let " + name;
    }

    // The response with `let` for the fields that are needed: for the outputs, if the step may have
    // succeeded, and for a condition.
    std::string with_outputs(const Message& message, const Step& step, bool outputs,
                             const std::set<std::string>& needed, Environment& known) {
        std::vector<std::string> arguments;
        for (const std::string& field : message.fields)
            arguments.push_back(needed.contains(field) ? "let " + variable_of(step, field) : "_");
        bool any = !needed.empty();
        for (const auto& [output, from] : step.outputs) {
            if (!outputs) break;
            std::string expression = fmt::format("$steps.{}.outputs.{}", step.id, output);
            if (auto same = known.find(from); same != known.end()) {
                Variable copy = same->second;
                known[expression] = std::move(copy);
                continue;
            }
            auto source = from.starts_with("$response.") ? message.sources.find(from.substr(10))
                                                         : message.sources.end();
            if (source == message.sources.end()) {
                if (told_.emplace(&step, output).second)
                    left_out(step.span,
                             fmt::format("the output `{}` is left out: `{}` is not a field of `{}`", output,
                                         from, message.name));
                continue;
            }
            auto field = static_cast<std::size_t>(std::ranges::find(message.fields, source->second) -
                                                  message.fields.begin());
            std::string name = variable_of(step, message.fields[field]);
            arguments[field] = "let " + name;
            any = true;
            known[expression] = {name, message.types[field]};
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
    std::vector<Workflow> workflows = arazzo::WorkflowReader(*root, references, diagnostics).read();
    Services services(*root, references, diagnostics);
    services.read();
    if (services.too_many())
        diagnostics.report(codes::yaml_too_large, start, "the schemas expand to too much");
    if (diagnostics.errors() > errors) return {};
    json_schema::Heading heading = json_schema::heading_of(*root, loading);
    MadeText text = Writer(workflows, services, diagnostics, start).write(heading.title, heading.protocol);
    if (diagnostics.errors() > errors) return {};
    return text.read(loading);
}

}  // namespace treaty::formats
