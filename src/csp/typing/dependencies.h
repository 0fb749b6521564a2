// Which names a definition uses that it does not bind itself, and in which order definitions are checked.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "csp/scopes.h"
#include "csp/syntax.h"
#include "csp/typing/stack.h"

namespace treaty::csp::typing {

class UsedNames {
public:
    UsedNames(const Syntax& syntax, const Scopes& scopes) : syntax_(syntax), scopes_(scopes) {}

    // Each name once, in the order of the text.
    std::vector<base::NameId> of(AstId expression);
    std::vector<base::NameId> of(const Definition& definition);

private:
    void walk(AstId id);
    void walk_kids(const AstNode& node, std::size_t first, std::size_t last);
    void walk_clauses(const Definition& definition);
    void walk_qualified(const AstNode& node, std::size_t qualifiers, std::size_t end);
    void walk_communication(const AstNode& node);
    void walk_replicated(const AstNode& node);
    void bind(AstId pattern);
    void forget(std::size_t scope);

    const Syntax& syntax_;
    const Scopes& scopes_;
    StackBound stack_;
    std::vector<base::NameId> bound_;
    absl::flat_hash_map<base::NameId, int> times_bound_;
    absl::flat_hash_map<base::NameId, int> seen_;
    std::vector<base::NameId> found_;
};

// The nodes of a graph in groups that reach each other, each group after those that it reaches. In a group
// the nodes ascend.
std::vector<std::vector<std::uint32_t>> groups_of(const std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace treaty::csp::typing
