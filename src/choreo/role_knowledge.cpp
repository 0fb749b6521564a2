// The walk of model/knowledge.h, noting what one role could evaluate on the way.
#include "choreo/role_knowledge.h"

#include "model/knowledge.h"

namespace treaty::choreo {
namespace {

using model::Knowledge;
using model::NodeId;

class RoleWatcher : public model::KnowledgeWatcher {
public:
    RoleWatcher(const model::Protocol& protocol, model::RoleId role) : protocol_(protocol), role_(role) {
        result.guard.assign(protocol.size(), false);
        for (std::size_t i = 0; i < protocol.size(); ++i)  // nothing to evaluate
            result.guard[i] = protocol[NodeId(i)].kind == model::NodeKind::repeat;
    }

    void sends(Knowledge& known, NodeId id) override {
        const model::Node& node = protocol_[id];
        if (node.role != role_ && node.to != role_) return;
        auto arguments = protocol_.arguments(id);
        if (result.argument.size() < node.first_argument + arguments.size())
            result.argument.resize(node.first_argument + arguments.size(), false);
        for (std::size_t i = 0; i < arguments.size(); ++i)
            result.argument[node.first_argument + i] =
                arguments[i].value && known.knows_all(role_, arguments[i].value);
    }
    void receives(Knowledge& known, NodeId id) override {
        const model::Node& node = protocol_[id];
        if (node.role == role_ || node.to == role_) evaluates(known, id);
    }
    void evaluates(Knowledge& known, NodeId id) override {
        result.guard[id.index] = known.knows_all(role_, protocol_[id].guard);
    }

    RoleKnowledge result;

private:
    const model::Protocol& protocol_;
    model::RoleId role_;
};

}  // namespace

RoleKnowledge knowledge_of(const model::Protocol& protocol, const expr::Pool& pool, model::RoleId role) {
    if (!protocol.has_data()) return {std::vector<bool>(protocol.size(), true), {}};
    RoleWatcher watcher(protocol, role);
    Knowledge(protocol, pool).walk(watcher);
    return std::move(watcher.result);
}

}  // namespace treaty::choreo
