#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/typing/inference.h"

namespace treaty::csp::typing {

absl::flat_hash_map<base::NameId, Inference::Declared> Inference::annotations(const Declarations& all) {
    absl::flat_hash_map<base::NameId, Declared> found;
    if (all.annotations.empty()) return found;
    absl::flat_hash_set<base::NameId> defined;
    for (const Definition& d : all.definitions) defined.insert(d.name);
    for (const Annotation& annotation : all.annotations) {
        if (!annotation.type) {
            say(codes::bad_annotation, annotation.fault,
                fmt::format("this type cannot be read: expected {}", annotation.expected));
        } else if (&all == &syntax_.global && !defined.contains(annotation.name) &&
                   scopes_.global(annotation.name)) {
            annotated_types_.emplace_back(annotation.name, declared(annotation).rigid);
        } else if (!defined.contains(annotation.name)) {
            say(codes::bad_annotation, annotation.span,
                fmt::format("a type for `{}`, which is not defined beside it", text(annotation.name)));
        } else {
            found.try_emplace(annotation.name, declared(annotation));
        }
    }
    return found;
}

Inference::Declared Inference::declared(const Annotation& annotation) {
    Variables generic{annotation, false}, rigid{annotation, true};
    Declared made;
    made.scheme = {written(annotation.type, generic), true};
    made.rigid = written(annotation.type, rigid);
    made.variables = std::move(rigid.known);
    return made;
}

// X :: {Int} with nametype X = {0..1}. Types of channels and constructors are not looked at.
void Inference::check_nametypes() {
    for (const auto& [name, type] : annotated_types_) {
        const Global* global = scopes_.global(name);
        if (global->meaning != Meaning::type) continue;
        TypeId found = types_.set_of(solver_.instance(nametypes_[global->index]));
        expect(found, type, syntax_.types[global->index].span,
               {"`{name}` is declared as {type}", text(name)});
    }
}

TypeId Inference::written_name(const TypeNode& node, Variables& variables) {
    std::string_view name = syntax_.names.text(node.name);
    const Global* global = scopes_.global(node.name);
    if (global && global->meaning == Meaning::datatype) return datatypes_[global->index];
    if (global && global->meaning == Meaning::type) return unknown_;
    if (name == "Int") return integer_;
    if (name == "Bool") return boolean_;
    if (name == "Char") return character_;
    if (name == "Proc") return process_;
    if (name == "Event") return event_;
    for (auto around = inside_.rbegin(); around != inside_.rend(); ++around)
        if (auto known = (*around)->variables.find(node.name); known != (*around)->variables.end())
            return known->second;
    auto [known, added] = variables.known.try_emplace(node.name);
    if (!added) return known->second;
    Needs needs = 0;
    bool lenient = false;
    for (const Annotation::Need& need : variables.annotation.needs) {
        if (need.variable != node.name) continue;
        std::string_view what = syntax_.names.text(need.what);
        if (what == "Eq") needs |= needs_equality;
        if (what == "Ord") needs |= needs_order;
        if (what == "Set") needs |= needs_set;
        if (what == "Yieldable" || what == "Inputable" || what == "Complete") lenient = true;
    }
    // The other constraints may imply these.
    if (lenient) needs = variables.rigid ? needs_order | needs_equality | needs_set : 0;
    if (variables.rigid) {
        types_.rigid_names.push_back(node.name);
        known->second =
            types_.numbered(Shape::rigid, static_cast<std::uint32_t>(types_.rigid_names.size() - 1), needs);
    } else {
        known->second = types_.variable(Types::generic, needs);
    }
    return known->second;
}

// Types that something can be extended to, and maps, are not looked into.
TypeId Inference::written(TypeNodeId id, Variables& variables) {
    const TypeNode& node = syntax_.type_nodes[id.index];
    std::vector<TypeId> parts;
    for (TypeNodeId part : node.parts) parts.push_back(written(part, variables));
    switch (node.kind) {
        case TypeNode::Kind::name: return written_name(node, variables);
        case TypeNode::Kind::sequence: return types_.sequence_of(parts[0]);
        case TypeNode::Kind::set: return types_.set_of(parts[0]);
        case TypeNode::Kind::tuple:
            return parts.size() == 1 ? parts[0] : types_.make(Shape::tuple, std::move(parts));
        case TypeNode::Kind::function: return types_.make(Shape::function, std::move(parts));
        case TypeNode::Kind::dot: return types_.dot_of(std::move(parts));
        case TypeNode::Kind::yields: return types_.make(Shape::field, std::move(parts));
        case TypeNode::Kind::extends:
        case TypeNode::Kind::map: break;
    }
    return unknown_;
}

}  // namespace treaty::csp::typing
