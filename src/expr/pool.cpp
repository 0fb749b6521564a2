#include "expr/pool.h"

#include <algorithm>
#include <limits>

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <re2/re2.h>

#include "base/check.h"
#include "base/hash.h"
#include "expr/collections.h"

namespace treaty::expr {
namespace {

std::uint64_t hash_node(const Node& node, std::span<const ExprId> children, std::uint64_t content) {
    std::uint64_t h = base::combine(static_cast<std::uint64_t>(node.op), node.type.index);
    h = base::combine(h, content);
    for (ExprId child : children) h = base::combine(h, child.index);
    return h;
}

// Texts are UTF-8; bytes are matched byte by byte.
std::shared_ptr<const re2::RE2> compile(const std::string& pattern, bool bytes) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    if (bytes) options.set_encoding(re2::RE2::Options::EncodingLatin1);
    auto compiled = std::make_shared<const re2::RE2>(pattern, options);
    if (!compiled->ok()) return nullptr;
    return compiled;
}

// The negative of a number that has one.
bool negative(const Value& value, Value& result) {
    if (auto* x = std::get_if<double>(&value.v)) {
        result = -*x + 0.0;
        return true;
    }
    auto* x = std::get_if<std::int64_t>(&value.v);
    if (!x || *x == std::numeric_limits<std::int64_t>::min()) return false;
    result = -*x;
    return true;
}

}  // namespace

Pool::Pool(const Pool& other, std::shared_ptr<Types> types, std::shared_ptr<base::Names> names)
    : Pool(other) {
    types_ = std::move(types);
    names_ = std::move(names);
}

std::shared_ptr<Pool> copy_of(const Pool& pool) {
    return std::make_shared<Pool>(pool, std::make_shared<Types>(pool.types()),
                                  std::make_shared<base::Names>(pool.names()));
}

Pool::Pool(std::shared_ptr<Types> types, std::shared_ptr<base::Names> names)
    : types_(std::move(types)), names_(std::move(names)) {}

VarId Pool::declare(NameId name, TypeId type) {
    VarId id(variables_.size());
    variables_.push_back({name, type});
    referred_.push_back(false);
    return id;
}

void Pool::set_type(VarId id, TypeId type) {
    TREATY_CHECK(!referred_[id.index]);
    variables_[id.index].type = type;
}

VarId Pool::presence(VarId id) const {
    auto found = presences_.find(id);
    return found == presences_.end() ? VarId() : found->second;
}

VarId Pool::presence_of(VarId id) {
    if (VarId known = presence(id)) return known;
    std::string name = "has_value(" + std::string(names_->text(variables_[id.index].name)) + ")";
    return presences_[id] = declare(names_->intern(name), types_->boolean());
}

FunctionId Pool::declare_function(NameId name, std::vector<VarId> parameters, TypeId result) {
    FunctionId id(functions_.size());
    functions_.push_back({name, std::move(parameters), result, {}});
    return id;
}

void Pool::define(FunctionId id, ExprId body) {
    TREATY_CHECK(!functions_[id.index].body && body.index < nodes_.size());
    functions_[id.index].body = body;
}

FunctionId Pool::lift(std::vector<VarId> parameters, TypeId result, ExprId body) {
    std::vector<std::uint32_t> key{result.index, body.index};
    for (VarId parameter : parameters) key.push_back(parameter.index);
    auto [known, fresh] = lifted_.try_emplace(std::move(key));
    if (fresh) {
        known->second = declare_function({}, std::move(parameters), result);
        define(known->second, body);
    }
    return known->second;
}

VarId Pool::item_variable(NameId name, TypeId type) {
    auto [known, fresh] = item_variables_.try_emplace({name, type});
    if (fresh) known->second = declare(name, type);
    return known->second;
}

bool Pool::is_item_variable(VarId id) const {
    auto known = item_variables_.find({variables_[id.index].name, variables_[id.index].type});
    return known != item_variables_.end() && known->second == id;
}

void Pool::check(Op op, std::span<const ExprId> children, std::uint32_t payload) const {
    auto wanted = arity(op);
    TREATY_CHECK(!wanted || *wanted == children.size());
    for (ExprId child : children) TREATY_CHECK(child.index < nodes_.size());
    if (op == Op::var) TREATY_CHECK(payload < variables_.size());
    if (has_function(op)) {
        TREATY_CHECK(payload < functions_.size());
        TREATY_CHECK(functions_[payload].parameters.size() == children.size());
    }
    if (op == Op::matches)
        TREATY_CHECK(payload < literals_.size() && std::holds_alternative<std::string>(literals_[payload].v));
}

// Constants that language and engines could write in two ways are literals.
bool Pool::fold(Op op, TypeId type, std::span<const ExprId> children, Value& value) const {
    if (op == Op::negate) return is_literal(children[0]) && negative(literal_of(children[0]), value);
    bool collection = op == Op::set || op == Op::map;
    if (op != Op::list && op != Op::record && op != Op::some && op != Op::none && !collection) return false;
    for (ExprId child : children)
        if (!is_literal(child)) return false;
    Sequence sequence;
    sequence.items.reserve(children.size());
    for (ExprId child : children) sequence.items.push_back(literal_of(child));
    if (op == Op::set) sequence = set_of(std::move(sequence.items));
    if (op == Op::map) sequence = map_of(std::move(sequence.items));
    value = convert(std::move(sequence), type, *types_);
    return true;
}

ExprId Pool::add(const Node& node, std::span<const ExprId> children, std::uint64_t hash) {
    ExprId id(nodes_.size());
    TREATY_CHECK(id.valid());
    // The children may lie in children_ itself, which is about to grow.
    std::size_t first = children_.size();
    absl::InlinedVector<ExprId, 8> copied(children.begin(), children.end());
    children_.insert(children_.end(), copied.begin(), copied.end());
    nodes_.push_back(node);
    nodes_.back().first_child = static_cast<std::uint32_t>(first);
    nodes_.back().child_count = static_cast<std::uint32_t>(children.size());
    auto [entry, fresh] = index_.try_emplace(hash, id);
    next_.push_back(fresh ? ExprId() : entry->second);
    entry->second = id;
    return id;
}

ExprId Pool::make(Op op, TypeId type, std::span<const ExprId> children, std::uint32_t payload) {
    TREATY_CHECK(op != Op::literal && type.index < types_->size());
    check(op, children, payload);
    Value constant;
    if (fold(op, type, children, constant)) return literal(std::move(constant), type);

    Node node{op, type, payload, 0, 0};
    std::uint64_t h = hash_node(node, children, payload);
    if (auto found = index_.find(h); found != index_.end()) {
        for (ExprId id = found->second; id; id = next_[id.index]) {
            const Node& other = nodes_[id.index];
            if (other.op == op && other.type == type && other.payload == payload &&
                std::ranges::equal(this->children(id), children))
                return id;
        }
    }
    ExprId id = add(node, children, h);
    if (op == Op::var) referred_[payload] = true;
    if (op == Op::matches) {
        bool bytes = types_->kind(nodes_[this->children(id)[0].index].type) == TypeKind::bytes;
        patterns_.emplace(id, compile(literals_[payload].string(), bytes));
    }
    return id;
}

ExprId Pool::literal(Value value, TypeId type) {
    type = types_->base(type);
    value = convert(std::move(value), type, *types_);
    Node node{Op::literal, type, static_cast<std::uint32_t>(literals_.size()), 0, 0};
    std::uint64_t h = hash_node(node, {}, hash(value));
    if (auto found = index_.find(h); found != index_.end()) {
        for (ExprId id = found->second; id; id = next_[id.index]) {
            const Node& other = nodes_[id.index];
            if (other.op == Op::literal && other.type == type && literals_[other.payload] == value) return id;
        }
    }
    literals_.push_back(std::move(value));
    return add(node, {}, h);
}

ExprId Pool::boolean(bool value) {
    return literal(value, types_->boolean());
}

ExprId Pool::integer(std::int64_t value) {
    return literal(value, types_->integer());
}

ExprId Pool::var(VarId id) {
    return make(Op::var, variables_[id.index].type, {}, id.index);
}

ExprId Pool::logical_not(ExprId x) {
    ExprId children[] = {x};
    return make(Op::logical_not, types_->boolean(), children);
}

ExprId Pool::logical_and(ExprId a, ExprId b) {
    ExprId children[] = {a, b};
    return make(Op::logical_and, types_->boolean(), children);
}

ExprId Pool::logical_or(ExprId a, ExprId b) {
    ExprId children[] = {a, b};
    return make(Op::logical_or, types_->boolean(), children);
}

ExprId Pool::equal(ExprId a, ExprId b) {
    ExprId children[] = {a, b};
    return make(Op::equal, types_->boolean(), children);
}

ExprId Pool::matches(ExprId text, std::string pattern) {
    ExprId literal_id = literal(std::move(pattern), types_->string());
    ExprId children[] = {text};
    return make(Op::matches, types_->boolean(), children, nodes_[literal_id.index].payload);
}

std::span<const ExprId> Pool::children(ExprId id) const {
    const Node& node = nodes_[id.index];
    return std::span<const ExprId>(children_).subspan(node.first_child, node.child_count);
}

const Value& Pool::literal_of(ExprId id) const {
    const Node& node = nodes_[id.index];
    TREATY_CHECK(node.op == Op::literal || node.op == Op::matches);
    return literals_[node.payload];
}

const re2::RE2* Pool::pattern_of(ExprId id) const {
    auto found = patterns_.find(id);
    return found == patterns_.end() ? nullptr : found->second.get();
}

bool Pool::is_true(ExprId id) const {
    if (!is_literal(id)) return false;
    auto* x = std::get_if<bool>(&literals_[nodes_[id.index].payload].v);
    return x && *x;
}

bool Pool::is_false(ExprId id) const {
    if (!is_literal(id)) return false;
    auto* x = std::get_if<bool>(&literals_[nodes_[id.index].payload].v);
    return x && !*x;
}

std::vector<ExprId> Pool::parts_of(ExprId id) const {
    std::vector<ExprId> parts{id};
    absl::flat_hash_set<ExprId> seen{id};
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (ExprId child : children(parts[i]))
            if (seen.insert(child).second) parts.push_back(child);
    std::sort(parts.begin(), parts.end());
    return parts;
}

std::vector<VarId> Pool::variables_of(ExprId id) const {
    std::vector<VarId> found;
    for (ExprId part : parts_of(id))
        if (nodes_[part.index].op == Op::var) found.push_back(var_of(part));
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace treaty::expr
