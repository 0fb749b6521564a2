// Which names of a script mean what: unknown ones are reported, and for every node which names of the
// surrounding parameters it uses. That is what a process or function must remember to be continued later, and
// nothing more: so processes that differ only in what they no longer need are one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/diagnostic.h"
#include "csp/syntax.h"

namespace treaty::csp {

enum class Meaning : std::uint8_t { channel, constructor, datatype, type, definition, transparent, builtin };

struct Global {
    Meaning meaning;
    std::uint32_t index;  // in its list of the Syntax; constructors: see atoms; builtins: of builtin_names()
    base::Span span;
};

class Scopes {
public:
    Scopes(const Syntax& syntax, base::Diagnostics& diagnostics);

    // For an expression that was parsed later, under no parameters.
    void add(AstId root, base::Diagnostics& diagnostics);

    const Global* global(base::NameId name) const {
        auto found = globals_.find(name);
        return found == globals_.end() ? nullptr : &found->second;
    }
    // Whether a name in a pattern is a constant instead of a variable to be bound.
    bool constant(base::NameId name) const {
        const Global* g = global(name);
        return g && (g->meaning == Meaning::channel || g->meaning == Meaning::constructor);
    }
    // Sorted.
    const std::vector<base::NameId>& used(AstId node) const { return used_[node.index]; }
    AstId let_node(std::int64_t let) const { return let_nodes_[static_cast<std::size_t>(let)]; }

private:
    using Names = std::vector<base::NameId>;

    void declare(base::NameId name, Global global);
    Names walk(AstId id);
    Names walk_kids(const AstNode& node, std::size_t first, std::size_t last);
    Names walk_qualified(std::span<const AstId> qualifiers, std::span<const AstId> inside);
    Names walk_communication(const AstNode& node, AstId body);
    Names walk_let(AstId id, const AstNode& node);
    Names walk_clause(const Clause& clause);
    Names name_use(const AstNode& node);
    bool report_foreign(const AstNode& node);
    // Pushes what a pattern binds; gives what it uses.
    void bind(AstId pattern);
    Names without(Names names, std::size_t scope) const;  // what scope_ holds from here on

    const Syntax& syntax_;
    base::Diagnostics* diagnostics_;
    absl::flat_hash_map<base::NameId, Global> globals_;
    std::vector<Names> used_;
    std::vector<AstId> let_nodes_;
    Names scope_;
};

// Functions, processes and sets that need no declaration.
std::span<const std::string_view> builtin_names();

}  // namespace treaty::csp
