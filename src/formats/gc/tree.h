// The tree of a .gc text as it was written: definitions not yet expanded, names not yet roles or messages.
//
// Nodes are stored bottom-up (children have smaller ids) in one array; a call knows the position of its
// definition. Names are views into the source. A `broken` node is in the place of text that was wrong and has
// been reported: code that meets one must not report what may only be its consequence.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"
#include "base/source.h"

namespace treaty::formats::gc {

using TreeId = base::Id<struct GcTreeTag>;
using DefinitionId = base::Id<struct GcDefinitionTag>;

struct Name {
    std::string_view text;
    base::Span span;
};

enum class Kind : std::uint8_t {
    broken,
    empty,
    interaction,  // subject, names (receivers), message
    choice,       // subject (may be empty), children
    fork,         // children
    sequence,     // children
    loop,         // subject (may be empty), one child
    call,         // definition, names (arguments), at most one child: what fills the hole
    hole,
};

struct TreeNode {
    Kind kind = Kind::broken;
    base::Span span;
    Name subject;
    Name message;
    DefinitionId definition;
    std::uint32_t first_child = 0, child_count = 0;
    std::uint32_t first_name = 0, name_count = 0;
};

struct Definition {
    Name name;
    std::vector<Name> parameters;
    absl::flat_hash_map<std::string_view, std::uint32_t> positions;  // of the parameters
    TreeId body;
    DefinitionId enclosing;  // the definition that contains this one, if any
    bool has_hole = false;
    bool broken = false;  // its head was wrong: it has no body, and uses of it mean nothing
};

struct Tree {
    std::vector<TreeNode> nodes;
    std::vector<TreeId> child_table;
    std::vector<Name> name_table;
    std::vector<Definition> definitions;
    TreeId root;
    bool cut_off = false;  // nested too deep: not all of the text is in the tree

    const TreeNode& operator[](TreeId id) const { return nodes[id.index]; }
    std::span<const TreeId> children(const TreeNode& n) const {
        return std::span(child_table).subspan(n.first_child, n.child_count);
    }
    std::span<const Name> names(const TreeNode& n) const {
        return std::span(name_table).subspan(n.first_name, n.name_count);
    }
    TreeId add(TreeNode node, std::span<const TreeId> children = {}, std::span<const Name> names = {});
};

}  // namespace treaty::formats::gc
