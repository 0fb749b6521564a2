#include "solve/solver_sizes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace treaty::solve::smt {
namespace {

using expr::Bytes;
using expr::EnumMember;
using expr::ExprId;
using expr::Op;
using expr::Sequence;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Types;
using expr::Value;
using expr::VarId;

constexpr std::int64_t max_size = 1 << 20;
constexpr std::size_t max_values = 1 << 20;

std::optional<Value> plain(const Types& types, TypeId id, std::int64_t size, std::size_t& budget) {
    if (budget == 0 || size < 0 || size > max_size) return std::nullopt;
    --budget;
    const Type& type = types[id];
    auto count = static_cast<std::size_t>(size);
    switch (type.kind) {
        case TypeKind::unknown: return std::nullopt;
        case TypeKind::boolean: return false;
        case TypeKind::integer: {
            std::int64_t x = 0;
            if (type.low) x = std::max(x, *type.low);
            if (type.high) x = std::min(x, *type.high);
            return x;
        }
        case TypeKind::real: return 0.0;
        case TypeKind::string: return std::string(count, 'a');
        case TypeKind::bytes: return Bytes{std::string(count, '\0')};
        case TypeKind::enumeration:
            return type.members.empty() ? std::nullopt : std::optional<Value>(EnumMember{0});
        case TypeKind::set:
        case TypeKind::map:
            if (count > 0) return std::nullopt;
            return Sequence{};
        case TypeKind::optional: return Sequence{};
        case TypeKind::list:
        case TypeKind::record: break;
    }
    Sequence sequence;
    bool list = type.kind == TypeKind::list;
    for (std::size_t i = 0; i < (list ? count : type.fields.size()); ++i) {
        auto part = plain(types, list ? type.element : type.fields[i].type, 0, budget);
        if (!part) return std::nullopt;
        sequence.items.push_back(std::move(*part));
    }
    return sequence;
}

}  // namespace

std::optional<Value> plain_value(const Types& types, TypeId type, std::int64_t size) {
    if (types.nesting(type) > Types::max_nesting) return std::nullopt;
    std::size_t budget = max_values + 1;
    return plain(types, type, size, budget);
}

const std::vector<Sizes::Use>& Sizes::uses(ExprId expression) {
    auto [entry, fresh] = uses_.try_emplace(expression);
    if (!fresh) return entry->second;
    std::map<VarId, bool> found;
    for (ExprId part : pool_.parts_of(expression)) {
        for (ExprId child : pool_.children(part)) {
            if (pool_[child].op != Op::var) continue;
            TypeKind kind = pool_.types().kind(pool_[child].type);
            if (kind != TypeKind::string && kind != TypeKind::bytes && kind != TypeKind::list) continue;
            auto [use, first] = found.emplace(pool_.var_of(child), true);
            if (pool_[part].op != Op::size) use->second = false;
        }
    }
    for (auto [variable, only_size] : found) entry->second.push_back({variable, only_size});
    return entry->second;
}

VarId Sizes::size_variable(VarId of) {
    auto [entry, fresh] = size_variables_.try_emplace(of);
    if (fresh) {
        std::string name = fmt::format("size({})", pool_.names().text(pool_.variable(of).name));
        entry->second = pool_.declare(pool_.names().intern(name), pool_.types().integer(0, std::nullopt));
    }
    return entry->second;
}

std::vector<SizeVariable> Sizes::find(std::span<const ExprId> expressions) {
    std::map<VarId, bool> all;
    for (ExprId expression : expressions)
        for (Use use : uses(expression)) {
            auto [entry, fresh] = all.emplace(use.variable, use.only_size);
            entry->second = entry->second && use.only_size;
        }
    std::vector<SizeVariable> result;
    for (auto [variable, only_size] : all)
        if (only_size) result.emplace_back(variable, size_variable(variable));
    return result;
}

ExprId Sizes::rewrite(ExprId expression, std::span<const SizeVariable> sizes) {
    absl::flat_hash_map<ExprId, ExprId> by;
    for (auto [variable, size] : sizes) {
        ExprId operand[] = {pool_.var(variable)};
        by.emplace(pool_.make(Op::size, pool_.types().integer(), operand), pool_.var(size));
    }
    return replace_parts(pool_, expression, by);
}

}  // namespace treaty::solve::smt
