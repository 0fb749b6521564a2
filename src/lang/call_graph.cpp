#include "lang/call_graph.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_set.h>

namespace treaty::lang {

bool CallGraph::called_back(std::uint32_t protocol) {
    if (auto known = called_back_.find(protocol); known != called_back_.end()) return known->second;
    std::vector<std::uint32_t> open = calls_of(protocol);
    absl::flat_hash_set<std::uint32_t> seen;
    bool found = false;
    while (!open.empty() && !found) {
        std::uint32_t next = open.back();
        open.pop_back();
        found = next == protocol;
        if (!seen.insert(next).second) continue;
        const auto& more = calls_of(next);
        open.insert(open.end(), more.begin(), more.end());
    }
    return called_back_[protocol] = found;
}

const std::vector<std::uint32_t>& CallGraph::calls_of(std::uint32_t protocol) {
    if (auto known = calls_.find(protocol); known != calls_.end()) return known->second;
    std::vector<std::uint32_t> found;
    std::vector<BlockId> open;
    if (c_.syntax.protocols[protocol].body) open.push_back(c_.syntax.protocols[protocol].body);
    while (!open.empty()) {
        BlockId b = open.back();
        open.pop_back();
        for (StepId id : c_.syntax.steps_of(b)) {
            const Step& s = c_.syntax[id];
            if (s.kind == StepKind::call)
                if (auto callee = c_.protocols.find(s.name.id); callee != c_.protocols.end())
                    found.push_back(callee->second);
            for (BlockId inner : c_.syntax.blocks_of(s)) open.push_back(inner);
        }
    }
    return calls_[protocol] = std::move(found);
}

std::uint32_t CallGraph::depth_needed(std::uint32_t protocol) {
    if (auto known = depths_.find(protocol); known != depths_.end()) return known->second;
    std::uint32_t deepest = 0;
    std::vector<std::pair<BlockId, std::uint32_t>> open;
    if (c_.syntax.protocols[protocol].body) open.emplace_back(c_.syntax.protocols[protocol].body, 2);
    while (!open.empty()) {
        auto [block_id, depth] = open.back();
        open.pop_back();
        deepest = std::max(deepest, depth);
        for (StepId id : c_.syntax.steps_of(block_id)) {
            auto inner = c_.syntax.blocks_of(c_.syntax[id]);
            // A case is inside what is done if those before it do not apply.
            auto levels = c_.syntax[id].kind == StepKind::match ? inner.size() : 1;
            for (BlockId b : inner) open.emplace_back(b, depth + 2 * static_cast<std::uint32_t>(levels));
        }
    }
    return depths_[protocol] = deepest + 2;
}

}  // namespace treaty::lang
