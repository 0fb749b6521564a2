#include "csp/typing/types.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::csp::typing {
namespace {

// A message need not show more of a type than this.
constexpr int max_shown = 6;

}  // namespace

Types::Types(const base::Names& names) : names_(names) {
    for (Shape shape :
         {Shape::unknown, Shape::integer, Shape::boolean, Shape::character, Shape::process, Shape::event})
        nodes_.push_back({shape});
}

TypeId Types::numbered(Shape shape, std::uint32_t number, Needs needs) {
    nodes_.push_back({shape, needs, number});
    return TypeId(nodes_.size() - 1);
}

TypeId Types::make(Shape shape, std::vector<TypeId> parts) {
    Node node{shape};
    node.parts = std::move(parts);
    nodes_.push_back(std::move(node));
    return TypeId(nodes_.size() - 1);
}

TypeId Types::dot_of(std::vector<TypeId> parts) {
    return parts.size() == 1 ? parts[0] : make(Shape::dot, std::move(parts));
}

TypeId Types::fields_to(std::span<const TypeId> fields, TypeId result) {
    for (std::size_t i = fields.size(); i-- > 0;) result = make(Shape::field, {fields[i], result});
    return result;
}

TypeId Types::variable(std::uint32_t level, Needs needs) {
    Node node{Shape::variable, needs};
    node.level = level;
    nodes_.push_back(std::move(node));
    return TypeId(nodes_.size() - 1);
}

TypeId Types::resolve(TypeId type) const {
    while (nodes_[type.index].bound) type = nodes_[type.index].bound;
    return type;
}

void Types::bind(TypeId variable, TypeId to) {
    Node& node = nodes_[variable.index];
    trail_.push_back({variable, node.needs, true});
    node.bound = to;
    ++changes_;
}

void Types::add_needs(TypeId variable, Needs needs) {
    Node& node = nodes_[variable.index];
    if ((node.needs | needs) == node.needs) return;
    trail_.push_back({variable, node.needs, false});
    node.needs |= needs;
}

void Types::undo(std::size_t mark) {
    while (trail_.size() > mark) {
        const Change& change = trail_.back();
        Node& node = nodes_[change.variable.index];
        node.needs = change.needs;
        if (change.bound) node.bound = {};
        trail_.pop_back();
    }
}

std::string Types::describe(TypeId type) const {
    lettered_.clear();
    return described(type, false, 0);
}
std::string Types::notation(TypeId type) const {
    lettered_.clear();
    return written(type, 0);
}

// a, b, ... in the order in which they come.
std::string Types::letter(TypeId variable) const {
    auto at = std::find(lettered_.begin(), lettered_.end(), variable);
    auto index = static_cast<std::size_t>(at - lettered_.begin());
    if (at == lettered_.end()) lettered_.push_back(variable);
    return index < 26 ? std::string(1, static_cast<char>('a' + index)) : "_";
}

// An event or a value of a datatype of which something is missing.
std::string Types::lacking(const Node& node, bool plural, int depth) const {
    std::vector<std::string> missing;
    const Node* at = &node;
    TypeId result;
    for (; at->shape == Shape::field; at = &nodes_[result.index]) {
        missing.push_back(written(at->parts[0], depth + 1));
        result = resolve(at->parts[1]);
    }
    return fmt::format("{} that lack{} {}", described(result, plural, depth + 1), plural ? "" : "s",
                       fmt::join(missing, "."));
}

std::string Types::described(TypeId type, bool plural, int depth) const {
    const Node& node = nodes_[resolve(type).index];
    auto word = [&](std::string_view one, std::string_view many) { return std::string(plural ? many : one); };
    auto collection = [&](std::string_view one, std::string_view many) {
        const Node& element = nodes_[resolve(node.parts[0]).index];
        if (element.shape == Shape::variable || element.shape == Shape::unknown || depth >= max_shown)
            return word(one, many);
        return fmt::format("{} of {}", plural ? many : one, described(node.parts[0], true, depth + 1));
    };
    switch (node.shape) {
        case Shape::unknown: return "anything";
        case Shape::integer: return word("an Int", "Ints");
        case Shape::boolean: return word("a Bool", "Bools");
        case Shape::character: return word("a Char", "Chars");
        case Shape::process: return word("a process", "processes");
        case Shape::event: return word("an event", "events");
        case Shape::datatype:
        case Shape::rigid:
            return fmt::format("{} of type {}", plural ? "values" : "a value", written(type, depth));
        case Shape::sequence:
            if (nodes_[resolve(node.parts[0]).index].shape == Shape::character)
                return word("a string", "strings");
            return collection("a sequence", "sequences");
        case Shape::set: return collection("a set", "sets");
        case Shape::tuple: return fmt::format("{} {}", plural ? "tuples" : "a tuple", written(type, depth));
        case Shape::function:
            return fmt::format("{} {}", plural ? "functions" : "a function", written(type, depth));
        case Shape::field: return lacking(node, plural, depth);
        case Shape::dot:
            return fmt::format("{} {}", plural ? "dotted values" : "a dotted value", written(type, depth));
        case Shape::variable:
            if ((node.needs & needs_order) != 0) return word("a value with an order", "values with an order");
            if ((node.needs & needs_equality) != 0)
                return word("a value that can be compared", "values that can be compared");
            return word("a value of any type", "values of any type");
    }
    return {};
}

std::string Types::written(TypeId type, int depth) const {
    if (depth > max_shown) return "...";
    const Node& node = nodes_[resolve(type).index];
    auto list = [&](std::size_t count, std::string_view between) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < count; ++i) {
            if (i == static_cast<std::size_t>(max_shown)) {
                parts.emplace_back("...");
                break;
            }
            parts.push_back(written(node.parts[i], depth + 1));
        }
        return fmt::format("{}", fmt::join(parts, between));
    };
    switch (node.shape) {
        case Shape::unknown: return "_";
        case Shape::variable: return letter(resolve(type));
        case Shape::integer: return "Int";
        case Shape::boolean: return "Bool";
        case Shape::character: return "Char";
        case Shape::process: return "Proc";
        case Shape::event: return "Event";
        case Shape::datatype: return std::string(names_.text(datatype_names[node.number]));
        case Shape::rigid: return std::string(names_.text(rigid_names[node.number]));
        case Shape::sequence: return fmt::format("<{}>", written(node.parts[0], depth + 1));
        case Shape::set: return fmt::format("{{{}}}", written(node.parts[0], depth + 1));
        case Shape::tuple: return fmt::format("({})", list(node.parts.size(), ", "));
        case Shape::function:
            return fmt::format("({}) -> {}", list(node.parts.size() - 1, ", "),
                               written(node.parts.back(), depth + 1));
        case Shape::field:
            return fmt::format("{}=>{}", written(node.parts[0], depth + 1),
                               written(node.parts[1], depth + 1));
        case Shape::dot: return list(node.parts.size(), ".");
    }
    return {};
}

}  // namespace treaty::csp::typing
