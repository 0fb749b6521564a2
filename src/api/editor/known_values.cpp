#include "api/editor/known_values.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "model/knowledge.h"

namespace treaty::api {
namespace {

using model::Knowledge;
using model::NodeId;
using model::NodeKind;

// Calls back for each step, once all is known.
class StepWatcher : public model::KnowledgeWatcher {
public:
    using Callback = std::function<void(Knowledge&, NodeId)>;
    explicit StepWatcher(Callback callback) : callback_(std::move(callback)) {}

    void sends(Knowledge& known, NodeId id) override { see(known, id); }
    void evaluates(Knowledge& known, NodeId id) override { see(known, id); }

private:
    void see(Knowledge& known, NodeId id) {
        if (known.last_sweep()) callback_(known, id);
    }
    Callback callback_;
};

// Visits the steps of all protocols that are written in the file itself.
template <class Visit>
void visit_steps(const Workspace& workspace, const std::string& file, const Visit& visit) {
    auto document = workspace.open(file);
    auto* specification = document->loaded.get<model::Specification>();
    if (!specification || document->sources.empty()) return;
    base::FileId own = document->sources.front();
    for (const model::Protocol& protocol : specification->protocols) {
        StepWatcher watcher([&](Knowledge& known, NodeId id) {
            const model::Node& node = protocol[id];
            if (node.span.valid() && node.span.file == own) visit(*specification, protocol, known, node);
        });
        Knowledge(protocol, *specification->pool).walk(watcher);
    }
}

}  // namespace

std::vector<Hint> knowledge_hints(const Workspace& workspace, const std::string& file) {
    std::vector<Hint> result;
    visit_steps(workspace, file,
                [&](const model::Specification& specification, const model::Protocol& protocol,
                    const Knowledge& known, const model::Node& node) {
                    if (node.kind != NodeKind::assign) return;
                    std::vector<std::string_view> names;
                    for (model::RoleId role : protocol.roles())
                        if (known.knows_all(role, node.guard))
                            names.push_back(specification.alphabet->name(role));
                    std::string who = names.size() == protocol.roles().size()
                                          ? std::string("all")
                                          : fmt::format("{}", fmt::join(names, ", "));
                    if (!names.empty()) result.push_back({node.span.end, fmt::format("known to {}", who)});
                });
    return result;
}

std::vector<std::string> who_knows(const Workspace& workspace, const std::string& file, std::uint32_t offset,
                                   const std::string& name) {
    std::vector<std::string> result;
    std::uint32_t smallest = ~0u;  // the innermost step counts
    visit_steps(workspace, file,
                [&](const model::Specification& specification, const model::Protocol& protocol,
                    const Knowledge& known, const model::Node& node) {
                    bool holds = node.span.begin <= offset && offset <= node.span.end;
                    if (!holds || node.span.end - node.span.begin >= smallest) return;
                    std::vector<std::string> roles;
                    const expr::Pool& pool = *specification.pool;
                    for (model::RoleId role : protocol.roles())
                        for (std::size_t v = 0; v < pool.variable_count(); ++v) {
                            expr::VarId variable(v);
                            bool same = pool.names().text(pool.variable(variable).name) == name;
                            if (same && known.bound_at(variable) && known.knows(role, variable))
                                roles.emplace_back(specification.alphabet->name(role));
                        }
                    roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
                    if (roles.empty()) return;
                    smallest = node.span.end - node.span.begin;
                    result = std::move(roles);
                });
    return result;
}

}  // namespace treaty::api
