// The workflows of an Arazzo document as they are written.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "formats/json_schema/references.h"

namespace treaty::formats::arazzo {

// `left op right`, as in $statusCode == 200. Without `left`: one that is not understood.
struct Criterion {
    std::string left = {}, op = {}, right = {};
    bool quoted = false;  // right is a text in quotes
    base::Span span = {};
};

struct Action {
    enum class Kind : std::uint8_t { end, step, workflow, retry };
    Kind kind = Kind::end;
    std::string target = {};   // of step, workflow
    std::string comment = {};  // of retry: its limits
    std::vector<Criterion> criteria = {};
    base::Span span = {};
};

struct Output {
    std::string name = {};
    std::string from = {};  // "$response.body#/id"
    base::Span span = {};
};

struct Step {
    std::string id = {};
    base::Span span = {};
    std::string operation = {};  // operationId
    std::string path = {};       // operationPath
    std::string workflow = {};   // workflowId
    // "path.id", "id" or "body#/name", and the value.
    using Values = std::vector<std::pair<std::string, const YamlNode*>>;
    Values given = {};
    std::vector<Criterion> success = {};
    std::vector<Action> on_success = {}, on_failure = {};
    std::vector<Output> outputs = {};
};

struct Workflow {
    std::string id = {};
    base::Span span = {};
    std::string summary = {};
    std::vector<std::string> after = {};  // dependsOn
    std::vector<Step> steps = {};
};

class WorkflowReader {
public:
    WorkflowReader(const YamlNode& root, json_schema::References& references, const Loading& loading)
        : root_(root), references_(references), loading_(loading), diagnostics_(loading.diagnostics) {}

    // Values in it are nodes of the document, and of this.
    std::vector<Workflow> read();

private:
    Step read_step(const YamlNode& node, const YamlNode& workflow);
    void read_parameters(const YamlNode& holder, Step& step);
    void read_body(const YamlNode& body, Step& step);
    void replace(const YamlNode& change, Step::Values& given);
    // A text that is JSON, perhaps with expressions in braces; null if it is not.
    const YamlNode* read_text(const YamlNode& payload);
    std::vector<Criterion> read_criteria(const YamlNode* list);
    std::vector<Action> read_actions(const YamlNode* own, const YamlNode* usual);
    Action read_action(const YamlNode& node);
    // What `reference: $components.parameters.page` names; the node itself if it is no such reference.
    const YamlNode* reusable(const YamlNode& node);
    void left_out(base::Span span, std::string what);

    const YamlNode& root_;
    json_schema::References& references_;
    const Loading& loading_;
    base::Diagnostics& diagnostics_;
    std::deque<YamlNode> texts_;
};

}  // namespace treaty::formats::arazzo
