#include "formats/arazzo/workflows.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::arazzo {
namespace {

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// The position of a word outside of quotes; npos if it is not there.
std::size_t find_plain(std::string_view text, std::string_view word) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote != 0) {
            if (text[i] == quote) quote = 0;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
        } else if (text.substr(i).starts_with(word)) {
            return i;
        }
    }
    return std::string_view::npos;
}

Criterion criterion(std::string_view text, base::Span span) {
    Criterion found;
    found.span = span;
    if (find_plain(text, "||") != std::string_view::npos || find_plain(text, "(") != std::string_view::npos)
        return found;
    for (std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
        std::size_t at = find_plain(text, op);
        if (at == std::string_view::npos) continue;
        found.left = trimmed(text.substr(0, at));
        found.op = op;
        std::string_view right = trimmed(text.substr(at + op.size()));
        found.quoted = right.size() >= 2 && right.front() == right.back() &&
                       (right.front() == '\'' || right.front() == '"');
        found.right = found.quoted ? right.substr(1, right.size() - 2) : right;
        return found;
    }
    return found;
}

}  // namespace

void WorkflowReader::left_out(base::Span span, std::string what) {
    diagnostics_.report(codes::document_left_out, span, std::move(what));
}

std::vector<Workflow> WorkflowReader::read() {
    std::vector<Workflow> all;
    const YamlNode* workflows = root_.find("workflows");
    if (!workflows || !workflows->is_list() || workflows->items.empty()) {
        diagnostics_.report(codes::document_structure, root_.span, "the document has no `workflows`");
        return all;
    }
    for (const YamlNode& node : workflows->items) {
        Workflow workflow;
        const YamlNode* id = node.find("workflowId");
        workflow.id = node.text_of("workflowId");
        workflow.span = id ? id->span : node.span;
        workflow.summary = node.text_of("summary");
        if (const YamlNode* after = node.find("dependsOn"); after && after->is_list())
            for (const YamlNode& one : after->items) workflow.after.push_back(one.text);
        const YamlNode* steps = node.find("steps");
        if (workflow.id.empty() || !steps || !steps->is_list() || steps->items.empty()) {
            diagnostics_.report(codes::document_structure, node.span,
                                "a workflow needs a `workflowId` and `steps`");
            continue;
        }
        for (const YamlNode& step : steps->items) workflow.steps.push_back(read_step(step, node));
        all.push_back(std::move(workflow));
    }
    return all;
}

Step WorkflowReader::read_step(const YamlNode& node, const YamlNode& workflow) {
    Step step;
    const YamlNode* id = node.find("stepId");
    step.id = node.text_of("stepId");
    step.span = id ? id->span : node.span;
    step.operation = node.text_of("operationId");
    step.path = node.text_of("operationPath");
    step.workflow = node.text_of("workflowId");
    if (step.id.empty() || (step.operation.empty() && step.path.empty() && step.workflow.empty()))
        diagnostics_.report(
            codes::document_structure, step.span,
            "a step needs a `stepId`, and an `operationId`, an `operationPath` or a `workflowId`");
    // Those of the step come first, so that they win.
    read_parameters(node, step);
    read_parameters(workflow, step);
    if (const YamlNode* body = node.find("requestBody")) read_body(*body, step);
    step.success = read_criteria(node.find("successCriteria"));
    step.on_success = read_actions(node.find("onSuccess"), workflow.find("successActions"));
    step.on_failure = read_actions(node.find("onFailure"), workflow.find("failureActions"));
    if (const YamlNode* outputs = node.find("outputs"); outputs && outputs->is_map())
        for (const auto& [name, value] : outputs->members)
            step.outputs.push_back({name, value.text, value.span});
    return step;
}

const YamlNode* WorkflowReader::reusable(const YamlNode& node) {
    std::string_view reference = node.text_of("reference");
    if (!reference.starts_with("$components.")) return references_.follow(node);
    std::string pointer = "#/" + std::string(reference.substr(1));
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    return references_.find(pointer, node);
}

void WorkflowReader::read_parameters(const YamlNode& holder, Step& step) {
    const YamlNode* parameters = holder.find("parameters");
    if (!parameters || !parameters->is_list()) return;
    for (const YamlNode& written : parameters->items) {
        const YamlNode* parameter = reusable(written);
        if (!parameter) continue;
        const YamlNode* value = written.find("value") ? written.find("value") : parameter->find("value");
        std::string_view in = parameter->text_of("in");
        std::string name = in.empty() ? std::string(parameter->text_of("name"))
                                      : fmt::format("{}.{}", in, parameter->text_of("name"));
        bool known = std::ranges::any_of(step.given, [&](const auto& g) { return g.first == name; });
        if (value && !name.empty() && !known) step.given.emplace_back(std::move(name), value);
    }
}

void WorkflowReader::read_body(const YamlNode& body, Step& step) {
    const YamlNode* payload = body.find("payload");
    const YamlNode* written = payload;
    bool text = payload && payload->is_scalar() && payload->text.find('{') != std::string::npos;
    if (text) payload = read_text(*payload);
    Step::Values given;
    if (payload && payload->is_map())
        for (const auto& [name, value] : payload->members) given.emplace_back("body#/" + name, &value);
    else if (payload && payload->is_scalar())
        given.emplace_back("body", payload);
    else if (written)
        left_out(written->span, "the payload is left out: it is not an object and not a single value");
    if (const YamlNode* changes = body.find("replacements"))
        for (const YamlNode& change : changes->items) replace(change, given);
    step.given.insert(step.given.end(), given.begin(), given.end());
}

void WorkflowReader::replace(const YamlNode& change, Step::Values& given) {
    std::string_view target = change.text_of("target");
    const YamlNode* value = change.find("value");
    if (!value || !target.starts_with('/') || target.find_first_of("/~", 1) != std::string_view::npos)
        return left_out(change.span,
                        "the replacement is left out: its target is not a property of the payload");
    std::string where = "body#" + std::string(target);
    auto same = std::ranges::find_if(given, [&](const auto& one) { return one.first == where; });
    if (same == given.end())
        given.emplace_back(std::move(where), value);
    else
        same->second = value;
}

const YamlNode* WorkflowReader::read_text(const YamlNode& payload) {
    if (payload.text.starts_with("{$")) return &payload;
    // JSON has no such sign outside of quotes; in YAML it begins an alias, which would mean more than it
    // says.
    if (find_plain(payload.text, "&") != std::string_view::npos) return nullptr;
    base::SourceMap sources;
    base::Diagnostics ignored;
    std::optional<YamlNode> tree = read_yaml(sources, sources.add("payload", payload.text), ignored);
    if (!tree) return nullptr;
    // What is wrong in it is reported at the payload.
    std::vector<YamlNode*> pending{&*tree};
    while (!pending.empty()) {
        YamlNode* node = pending.back();
        pending.pop_back();
        node->span = payload.span;
        for (YamlMember& member : node->members) pending.push_back(&member.value);
        for (YamlNode& item : node->items) pending.push_back(&item);
    }
    return &texts_.emplace_back(std::move(*tree));
}

std::vector<Criterion> WorkflowReader::read_criteria(const YamlNode* list) {
    std::vector<Criterion> found;
    if (!list || !list->is_list()) return found;
    for (const YamlNode& node : list->items) {
        const YamlNode* condition = node.find("condition");
        if (!condition) continue;
        if (node.text_of("type") == "regex" && node.text_of("context") == "$statusCode") {
            found.push_back({"$statusCode", "matches", condition->text, true, condition->span});
            continue;
        }
        bool simple = !node.find("type") || node.text_of("type") == "simple";
        std::string_view rest = condition->text;
        do {
            std::size_t end = std::min(simple ? find_plain(rest, "&&") : std::string_view::npos, rest.size());
            found.push_back(simple ? criterion(rest.substr(0, end), condition->span) : Criterion{});
            found.back().span = condition->span;
            rest.remove_prefix(std::min(end + 2, rest.size()));
        } while (!trimmed(rest).empty());
        for (const Criterion& one : found)
            if (one.left.empty() && one.span.begin == condition->span.begin)
                left_out(one.span, "the criterion is not understood; assuming that the client decides");
    }
    return found;
}

std::vector<Action> WorkflowReader::read_actions(const YamlNode* own, const YamlNode* usual) {
    std::vector<Action> found;
    const YamlNode* list = own ? own : usual;
    if (!list || !list->is_list()) return found;
    for (const YamlNode& node : list->items)
        if (const YamlNode* action = reusable(node)) found.push_back(read_action(*action));
    return found;
}

Action WorkflowReader::read_action(const YamlNode& node) {
    Action action;
    action.span = node.find("name") ? node.find("name")->span : node.span;
    action.criteria = read_criteria(node.find("criteria"));
    std::string_view type = node.text_of("type");
    std::string step(node.text_of("stepId")), workflow(node.text_of("workflowId"));
    if (type == "retry") {
        action.kind = Action::Kind::retry;
        std::string_view limit = node.text_of("retryLimit"), after = node.text_of("retryAfter");
        action.comment = fmt::format("again, at most {} time{}{}", limit.empty() ? "1" : limit,
                                     limit.empty() || limit == "1" ? "" : "s",
                                     after.empty() ? "" : fmt::format(", after {} s", after));
        if (!step.empty() || !workflow.empty())
            left_out(action.span, "what is done before the next attempt is left out");
    } else if (type == "goto" && !step.empty()) {
        action.kind = Action::Kind::step;
        action.target = step;
    } else if (type == "goto" && !workflow.empty()) {
        action.kind = Action::Kind::workflow;
        action.target = workflow;
    } else if (type != "end") {
        diagnostics_.report(codes::document_structure, action.span,
                            "an action is end, retry, or goto with a stepId or a workflowId");
    }
    return action;
}

}  // namespace treaty::formats::arazzo
