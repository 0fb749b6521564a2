#include "csp/typing/dependencies.h"

#include <algorithm>

namespace treaty::csp::typing {

std::vector<base::NameId> UsedNames::of(AstId expression) {
    seen_.clear();
    found_.clear();
    walk(expression);
    return found_;
}

std::vector<base::NameId> UsedNames::of(const Definition& definition) {
    seen_.clear();
    found_.clear();
    walk_clauses(definition);
    return found_;
}

void UsedNames::bind(AstId pattern) {
    const AstNode& node = syntax_[pattern];
    if (node.kind == Ast::name) {
        if (scopes_.constant(node.name)) return walk(pattern);
        bound_.push_back(node.name);
        ++times_bound_[node.name];
        return;
    }
    for (AstId kid : node.kids) bind(kid);
}

void UsedNames::forget(std::size_t scope) {
    for (; bound_.size() > scope; bound_.pop_back()) --times_bound_[bound_.back()];
}

void UsedNames::walk_clauses(const Definition& definition) {
    for (const Clause& clause : definition.clauses) {
        std::size_t scope = bound_.size();
        for (const auto& group : clause.parameters)
            for (AstId pattern : group) bind(pattern);
        walk(clause.body);
        forget(scope);
    }
}

void UsedNames::walk_kids(const AstNode& node, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) walk(node.kids[i]);
}

// Binds what the qualifiers from here to the end bind.
void UsedNames::walk_qualified(const AstNode& node, std::size_t qualifiers, std::size_t end) {
    for (std::size_t i = qualifiers; i < end; ++i) {
        const AstNode& qualifier = syntax_[node.kids[i]];
        if (qualifier.kind != Ast::generator) {
            walk(node.kids[i]);
            continue;
        }
        walk(qualifier.kids[1]);
        bind(qualifier.kids[0]);
    }
}

void UsedNames::walk_communication(const AstNode& node) {
    walk(node.kids[0]);
    for (std::size_t i = 1; i < node.kids.size(); ++i) {
        const AstNode& field = syntax_[node.kids[i]];
        if (field.kind == Ast::output) {
            walk(field.kids[0]);
            continue;
        }
        if (field.kids.size() > 1) walk(field.kids[1]);
        bind(field.kids[0]);
    }
}

void UsedNames::walk_replicated(const AstNode& node) {
    auto count = static_cast<std::size_t>(node.number);
    bool outside = node.op == Op::parallel;
    if (outside) walk(node.kids[count]);
    walk_qualified(node, 0, count);
    walk_kids(node, count + (outside ? 1 : 0), node.kids.size());
}

void UsedNames::walk(AstId id) {
    stack_.check();
    const AstNode& node = syntax_[id];
    std::size_t scope = bound_.size(), count = static_cast<std::size_t>(node.number);
    switch (node.kind) {
        case Ast::name:
            if (auto bound = times_bound_.find(node.name); bound != times_bound_.end() && bound->second > 0)
                return;
            if (seen_.emplace(node.name, 0).second) found_.push_back(node.name);
            return;
        case Ast::sequence_of:
        case Ast::set_of:
        case Ast::events_of:
        case Ast::links:
            walk_qualified(node, count, node.kids.size());
            walk_kids(node, 0, count);
            break;
        case Ast::rename:
            walk(node.kids[0]);
            walk_qualified(node, 1 + count, node.kids.size());
            walk_kids(node, 1, 1 + count);
            break;
        case Ast::replicated: walk_replicated(node); break;
        case Ast::lambda:
            for (std::size_t i = 0; i + 1 < node.kids.size(); ++i) bind(node.kids[i]);
            walk(node.kids.back());
            break;
        case Ast::let: {
            const Declarations& let = syntax_.lets[count];
            for (const Definition& d : let.definitions) {
                bound_.push_back(d.name);
                ++times_bound_[d.name];
            }
            for (const Definition& d : let.definitions) walk_clauses(d);
            walk(node.kids[0]);
            break;
        }
        case Ast::prefix:
            if (syntax_[node.kids[0]].kind == Ast::communicate)
                walk_communication(syntax_[node.kids[0]]);
            else
                walk(node.kids[0]);
            walk(node.kids[1]);
            break;
        default: walk_kids(node, 0, node.kids.size()); break;
    }
    forget(scope);
}

// Tarjan's algorithm, with a stack of its own so that no chain of definitions is too long.
std::vector<std::vector<std::uint32_t>> groups_of(const std::vector<std::vector<std::uint32_t>>& edges) {
    constexpr std::uint32_t none = UINT32_MAX;
    struct Visit {
        std::uint32_t node;
        std::size_t edge;
    };
    std::vector<std::uint32_t> order(edges.size(), none), low(edges.size(), none), open;
    std::vector<bool> is_open(edges.size());
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<Visit> visits;
    std::uint32_t next = 0;
    auto enter = [&](std::uint32_t node) {
        order[node] = low[node] = next++;
        open.push_back(node);
        is_open[node] = true;
        visits.push_back({node, 0});
    };
    for (std::uint32_t root = 0; root < edges.size(); ++root) {
        if (order[root] == none) enter(root);
        while (!visits.empty()) {
            std::uint32_t node = visits.back().node;
            if (visits.back().edge < edges[node].size()) {
                std::uint32_t to = edges[node][visits.back().edge++];
                if (order[to] == none)
                    enter(to);
                else if (is_open[to])
                    low[node] = std::min(low[node], order[to]);
                continue;
            }
            visits.pop_back();
            if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
            if (low[node] != order[node]) continue;
            std::vector<std::uint32_t> group;
            do {
                group.push_back(open.back());
                is_open[open.back()] = false;
                open.pop_back();
            } while (group.back() != node);
            std::sort(group.begin(), group.end());
            groups.push_back(std::move(group));
        }
    }
    return groups;
}

}  // namespace treaty::csp::typing
