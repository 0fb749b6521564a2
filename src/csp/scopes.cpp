#include "csp/scopes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/suggest.h"
#include "csp/codes.h"

namespace treaty::csp {
namespace {

constexpr auto builtins = std::to_array<std::string_view>({
    "STOP", "SKIP",  "DIV",    "CHAOS",  "RUN",    "Events", "Int",         "Bool",       "union", "inter",
    "diff", "Union", "Inter",  "member", "card",   "empty",  "set",         "Set",        "seq",   "head",
    "tail", "null",  "length", "elem",   "concat", "Seq",    "productions", "extensions", "error", "show",
});

// What other tools for CSPM have without a declaration, and Treaty has not.
constexpr auto foreign = std::to_array<std::string_view>({
    "True",
    "False",
    "Char",
    "Proc",
    "Map",
    "emptyMap",
    "mapDelete",
    "mapFromList",
    "mapLookup",
    "mapMember",
    "mapToList",
    "mapUpdate",
    "mapUpdateMultiple",
    "TSTOP",
    "TSKIP",
    "TRUN",
    "TCHAOS",
    "WAIT",
    "timed_priority",
    "prioritise",
    "prioritise_nocache",
    "prioritisepo",
    "chase",
    "chase_nocache",
    "mtransclose",
    "relational_image",
    "relational_inverse_image",
    "transpose",
    "failure_watchdog",
    "trace_watchdog",
    "deter",
    "BUFFER",
    "WEAK_BUFFER",
    "SIGNAL_BUFFER",
    "loop",
    "read_trace",
});

using Names = std::vector<base::NameId>;

void merge(Names& into, const Names& more) {
    Names all;
    std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
    into = std::move(all);
}

}  // namespace

std::span<const std::string_view> builtin_names() {
    return builtins;
}

Scopes::Scopes(const Syntax& syntax, base::Diagnostics& diagnostics)
    : syntax_(syntax),
      diagnostics_(&diagnostics),
      used_(syntax.nodes.size()),
      let_nodes_(syntax.lets.size()) {
    auto index = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
    for (std::size_t i = 0; i < builtins.size(); ++i)
        if (base::NameId name = syntax.names.find(builtins[i]))
            globals_.emplace(name, Global{Meaning::builtin, index(i), {}});
    std::uint32_t constructors = 0;
    for (std::size_t i = 0; i < syntax.channels.size(); ++i)
        declare(syntax.channels[i].name, {Meaning::channel, index(i), syntax.channels[i].span});
    for (std::size_t i = 0; i < syntax.datatypes.size(); ++i) {
        const DatatypeDeclaration& type = syntax.datatypes[i];
        declare(type.name, {Meaning::datatype, index(i), type.span});
        if (type.subtype) continue;  // its constructors are those of another type
        for (const Constructor& c : type.constructors)
            declare(c.name, {Meaning::constructor, constructors++, c.span});
    }
    for (std::size_t i = 0; i < syntax.types.size(); ++i)
        declare(syntax.types[i].name, {Meaning::type, index(i), syntax.types[i].span});
    for (base::NameId name : syntax.transparent)
        globals_.insert_or_assign(name, Global{Meaning::transparent, 0, {}});
    for (std::size_t i = 0; i < syntax.global.definitions.size(); ++i)
        declare(syntax.global.definitions[i].name,
                {Meaning::definition, index(i), syntax.global.definitions[i].span});

    for (const ChannelDeclaration& c : syntax.channels)
        if (c.type) walk(c.type);
    for (const DatatypeDeclaration& type : syntax.datatypes) {
        for (const Constructor& c : type.constructors) {
            if (c.type) walk(c.type);
            if (type.subtype && !constant(c.name))
                diagnostics.report(
                    codes::unknown_name, c.span,
                    fmt::format("no datatype has the constructor {}", syntax.names.text(c.name)));
        }
    }
    for (const TypeDeclaration& type : syntax.types) walk(type.type);
    for (const Definition& d : syntax.global.definitions)
        for (const Clause& clause : d.clauses) walk_clause(clause);
    for (const Assertion& a : syntax.assertions) {
        walk(a.left);
        if (a.right) walk(a.right);
    }
    diagnostics_ = nullptr;
}

void Scopes::add(AstId root, base::Diagnostics& diagnostics) {
    diagnostics_ = &diagnostics;
    used_.resize(syntax_.nodes.size());
    let_nodes_.resize(syntax_.lets.size());
    auto index = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
    for (std::size_t i = 0; i < builtins.size(); ++i)
        if (base::NameId name = syntax_.names.find(builtins[i]))
            globals_.try_emplace(name, Global{Meaning::builtin, index(i), {}});
    walk(root);
    diagnostics_ = nullptr;
}

void Scopes::declare(base::NameId name, Global global) {
    auto [found, added] = globals_.try_emplace(name, global);
    if (added) return;
    if (found->second.meaning == Meaning::builtin) {
        found->second = global;  // a script may have its own
        return;
    }
    auto& d = diagnostics_->report(codes::declared_twice, global.span,
                                   fmt::format("{} is already declared", syntax_.names.text(name)));
    if (found->second.span.valid()) d.label(found->second.span, "here");
}

// A name that only other tools know: the script means their function; it is not a misspelling.
bool Scopes::report_foreign(const AstNode& node) {
    std::string_view text = syntax_.names.text(node.name);
    if (std::find(foreign.begin(), foreign.end(), text) == foreign.end()) return false;
    auto& d = diagnostics_->report(codes::unsupported, node.span, fmt::format("`{}` is not supported", text));
    if (text == "True" || text == "False") d.help("write true or false");
    return true;
}

Names Scopes::name_use(const AstNode& node) {
    if (std::find(scope_.begin(), scope_.end(), node.name) != scope_.end()) return {node.name};
    if (global(node.name)) return {};
    std::string_view text = syntax_.names.text(node.name);
    if (report_foreign(node)) return {};
    auto& d = diagnostics_->report(codes::unknown_name, node.span, fmt::format("{} is not declared", text));
    std::vector<std::string_view> known(builtins.begin(), builtins.end());
    std::vector<base::NameId> declared;
    for (const auto& [name, meaning] : globals_) declared.push_back(name);
    std::sort(declared.begin(), declared.end());
    for (base::NameId name : declared) known.push_back(syntax_.names.text(name));
    std::string_view meant = text.size() > 1 ? base::nearest(text, known) : std::string_view();
    if (!meant.empty()) d.help(fmt::format("did you mean {}?", meant));
    return {};
}

Names Scopes::without(Names names, std::size_t scope) const {
    std::erase_if(names, [&](base::NameId name) {
        return std::find(scope_.begin() + static_cast<std::ptrdiff_t>(scope), scope_.end(), name) !=
               scope_.end();
    });
    return names;
}

void Scopes::bind(AstId id) {
    const AstNode& node = syntax_[id];
    if (node.kind == Ast::name) {
        if (constant(node.name)) return;
        // As a pattern it would be a name for any value.
        std::string_view text = syntax_.names.text(node.name);
        if (text == "True" || text == "False") report_foreign(node);
        scope_.push_back(node.name);
        return;
    }
    for (AstId kid : node.kids) bind(kid);
}

Names Scopes::walk_kids(const AstNode& node, std::size_t first, std::size_t last) {
    Names all;
    for (std::size_t i = first; i < last; ++i) merge(all, walk(node.kids[i]));
    return all;
}

Names Scopes::walk_qualified(std::span<const AstId> qualifiers, std::span<const AstId> inside) {
    std::size_t scope = scope_.size();
    Names all;
    for (AstId q : qualifiers) {
        const AstNode& node = syntax_[q];
        std::size_t before = scope_.size();
        Names part = node.kind == Ast::generator ? walk(node.kids[1]) : walk(q);
        // What this part uses of the qualifiers before it is not used from outside.
        scope_.resize(before);
        merge(all, without(std::move(part), scope));
        if (node.kind == Ast::generator) bind(node.kids[0]);
    }
    for (AstId id : inside) merge(all, without(walk(id), scope));
    scope_.resize(scope);
    return all;
}

Names Scopes::walk_communication(const AstNode& node, AstId body) {
    std::size_t scope = scope_.size();
    Names all = walk(node.kids[0]);
    for (std::size_t i = 1; i < node.kids.size(); ++i) {
        const AstNode& field = syntax_[node.kids[i]];
        if (field.kind == Ast::output) {
            merge(all, without(walk(field.kids[0]), scope));
            continue;
        }
        if (field.kids.size() > 1) merge(all, without(walk(field.kids[1]), scope));
        bind(field.kids[0]);
    }
    if (body) merge(all, without(walk(body), scope));
    scope_.resize(scope);
    return all;
}

Names Scopes::walk_clause(const Clause& clause) {
    std::size_t scope = scope_.size();
    for (const auto& group : clause.parameters)
        for (AstId pattern : group) bind(pattern);
    Names all = without(walk(clause.body), scope);
    scope_.resize(scope);
    return all;
}

Names Scopes::walk_let(AstId id, const AstNode& node) {
    std::size_t scope = scope_.size();
    let_nodes_[static_cast<std::size_t>(node.number)] = id;
    const Declarations& let = syntax_.lets[static_cast<std::size_t>(node.number)];
    for (const Definition& d : let.definitions) scope_.push_back(d.name);
    Names all;
    for (const Definition& d : let.definitions)
        for (const Clause& clause : d.clauses) merge(all, without(walk_clause(clause), scope));
    merge(all, without(walk(node.kids[0]), scope));
    scope_.resize(scope);
    return all;
}

Names Scopes::walk(AstId id) {
    const AstNode& node = syntax_[id];
    std::span<const AstId> kids(node.kids);
    Names all;
    switch (node.kind) {
        case Ast::name: all = name_use(node); break;
        case Ast::sequence_of:
        case Ast::set_of:
        case Ast::events_of:
        case Ast::links:
        case Ast::rename: {
            std::size_t process = node.kind == Ast::rename ? 1 : 0;
            auto heads = static_cast<std::size_t>(node.number);
            all = walk_qualified(kids.subspan(process + heads), kids.subspan(process, heads));
            if (process) merge(all, walk(kids[0]));
            break;
        }
        case Ast::replicated: {
            auto count = static_cast<std::size_t>(node.number);
            std::size_t outside = node.op == Op::parallel ? 1 : 0;  // the shared set knows no qualifiers
            all = walk_qualified(kids.first(count), kids.subspan(count + outside));
            if (outside) merge(all, walk(kids[count]));
            break;
        }
        case Ast::lambda: {
            std::size_t scope = scope_.size();
            for (AstId pattern : kids.first(kids.size() - 1)) bind(pattern);
            all = without(walk(kids.back()), scope);
            scope_.resize(scope);
            break;
        }
        case Ast::let: all = walk_let(id, node); break;
        case Ast::prefix:
            if (syntax_[kids[0]].kind == Ast::communicate)
                all = walk_communication(syntax_[kids[0]], kids[1]);
            else
                all = walk_kids(node, 0, 2);
            break;
        default: all = walk_kids(node, 0, kids.size()); break;
    }
    used_[id.index] = all;
    return all;
}

}  // namespace treaty::csp
