// Typing of expressions: the class shared by its source files, type_expr.cpp (operators, calls, names) and
// type_collections.cpp (sets, maps, what is done for each item, changed parts). Nothing else includes this.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/context.h"
#include "lang/scope.h"

namespace treaty::lang {

using expr::ExprId;
using expr::Op;
using expr::TypeId;
using expr::TypeKind;

// Bottom-up, with a wanted type from above where it helps. What is wrong is reported once and is then of an
// unknown type, which fits everything.
class Typer {
public:
    Typer(Context& context, const Scope& scope)
        : c_(context), scope_(scope), pool_(*context.spec.pool), types_(*context.spec.types) {}

    ExprId type(SyntaxExprId id, TypeId wanted);
    ExprId unknown() { return pool_.make(Op::none, types_.unknown(), {}); }
    bool is_unknown(ExprId e) const { return kind(e) == TypeKind::unknown; }

    bool fits(ExprId e, TypeId wanted, Span at, std::string_view what);

private:
    TypeKind kind(ExprId e) const { return types_.kind(pool_[e].type); }
    std::string print(TypeId t) const { return types_.print(t, *c_.spec.names); }
    bool numeric(ExprId e) const { return kind(e) == TypeKind::integer || kind(e) == TypeKind::real; }

    ExprId integer(const SyntaxExpr& e);
    ExprId real(const SyntaxExpr& e);
    ExprId none(TypeId wanted);
    ExprId name(const SyntaxExpr& e);
    ExprId list(const SyntaxExpr& e, TypeId wanted);
    bool alike(SyntaxExprId child, TypeId wanted, std::string_view what, TypeId& common,
               std::vector<ExprId>& out);
    ExprId set(const SyntaxExpr& e, TypeId wanted);
    ExprId map(const SyntaxExpr& e, TypeId wanted);
    bool is_key(SyntaxExprId at, ExprId e);
    bool fits_in(ExprId item, ExprId collection, Span at);
    ExprId without(const SyntaxExpr& e, TypeId wanted);
    // What goes through a collection: the item of this name, for `what`.
    struct Items {
        ExprId collection;
        expr::VarId item;
        Scope scope;  // with the item
    };
    std::optional<Items> items_of(SyntaxExprId collection, const Name& name, std::string_view what);
    ExprId apply_to_items(Op op, TypeId type, TypeId result, ExprId body, std::vector<expr::VarId> own,
                          std::vector<ExprId> given);
    ExprId selected(const Items& items, ExprId condition);
    ExprId quantifier(const SyntaxExpr& e);
    ExprId comprehension(const SyntaxExpr& e, TypeId wanted);
    ExprId map_comprehension(const SyntaxExpr& e, const Items& items, Typer& inside, TypeId wanted);
    ExprId fold(const SyntaxExpr& e, TypeId wanted);
    ExprId update(const SyntaxExpr& e);
    ExprId call(const SyntaxExpr& e, TypeId wanted);
    bool count_fits(const SyntaxExpr& e, std::size_t wanted);
    ExprId user_call(const SyntaxExpr& e, expr::FunctionId id);
    ExprId record(const SyntaxExpr& e, TypeId type_id);
    ExprId built_in(const SyntaxExpr& e, const expr::Operator& b, TypeId wanted);
    ExprId end_of_list(const SyntaxExpr& e, bool last);
    ExprId size(ExprId of) { return pool_.make(Op::size, types_.integer(), std::array{of}); }
    ExprId to_text(const SyntaxExpr& e);
    bool is_least_integer(const SyntaxExpr& e) const;
    ExprId unary(const SyntaxExpr& e);
    ExprId binary(const SyntaxExpr& e);
    static bool is_comparison(TokenKind op);
    bool always_zero(ExprId e) const;
    ExprId matches(const SyntaxExpr& e);
    ExprId index(const SyntaxExpr& e);
    ExprId value_at(ExprId map, ExprId key, Span at);
    ExprId item(const SyntaxExpr& e, ExprId list, ExprId index);
    ExprId slice(const SyntaxExpr& e);
    // What changes: fields and items, from the outside in.
    struct Place {
        SyntaxExprId index;  // an item; none for a field
        NameId field;
        Span span;
    };
    bool places(SyntaxExprId id, std::vector<Place>& out);
    ExprId with(const SyntaxExpr& e, TypeId wanted);
    ExprId changed(ExprId whole, std::span<const Place> path, SyntaxExprId value, Span span);
    ExprId changed_field(ExprId whole, std::span<const Place> path, SyntaxExprId value);
    ExprId changed_key(ExprId whole, std::span<const Place> path, SyntaxExprId value);
    ExprId changed_item(ExprId whole, std::span<const Place> path, SyntaxExprId value);
    ExprId otherwise(const SyntaxExpr& e);
    ExprId field(const SyntaxExpr& e);
    ExprId field_of(ExprId x, NameId name, Span at);
    ExprId if_else(const SyntaxExpr& e, TypeId wanted);

    Context& c_;
    const Scope& scope_;
    expr::Pool& pool_;
    expr::Types& types_;
};

}  // namespace treaty::lang
