// Typing of sets, maps, what is done for each item of a collection, and values with one part changed.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/type_expr.h"
#include "lang/typer.h"

namespace treaty::lang {

// The items of a set or the parts of a map, of one type; false if they are not.
bool Typer::alike(SyntaxExprId child, TypeId wanted, std::string_view what, TypeId& common,
                  std::vector<ExprId>& out) {
    ExprId item = type(child, wanted);
    out.push_back(item);
    if (is_unknown(item)) return false;
    TypeId joined = types_.join(common, types_.base(pool_[item].type));
    if (joined) common = joined;
    if (!joined)
        c_.report(
            codes::type_mismatch, c_.syntax[child].span,
            fmt::format("the other {} are {}, but this is {}", what, print(common), print(pool_[item].type)));
    return joined.valid();
}

ExprId Typer::set(const SyntaxExpr& e, TypeId wanted) {
    TypeKind said = wanted ? types_.kind(wanted) : TypeKind::unknown;
    if (e.children.count == 0) {
        if (said == TypeKind::set || said == TypeKind::map)
            return pool_.make(said == TypeKind::set ? Op::set : Op::map, types_.base(wanted), {});
        c_.report(codes::unknown_type, e.span, "the type of `{}` is not known here")
            .help("write the type where it gets its name: let m: map<string, int> = {}");
        return unknown();
    }
    TypeId element = types_.unknown();
    std::vector<ExprId> items;
    bool fine = true;
    for (SyntaxExprId child : c_.syntax.children(e))
        fine = fine && alike(child, said == TypeKind::set ? types_[wanted].element : TypeId(), "items",
                             element, items);
    return fine ? pool_.make(Op::set, types_.set(element), items) : unknown();
}

ExprId Typer::map(const SyntaxExpr& e, TypeId wanted) {
    bool said = wanted && types_.kind(wanted) == TypeKind::map;
    TypeId key_wanted = said ? types_.key_of(wanted) : TypeId();
    TypeId value_wanted = said ? types_.value_of(wanted) : TypeId();
    TypeId key = types_.unknown(), value = types_.unknown();
    std::vector<ExprId> parts;
    bool fine = true;
    auto children = c_.syntax.children(e);
    for (std::size_t i = 0; fine && i + 1 < children.size(); i += 2) {
        fine = alike(children[i], key_wanted, "keys", key, parts) && is_key(children[i], parts.back()) &&
               alike(children[i + 1], value_wanted, "values", value, parts);
        for (std::size_t k = 0; fine && k < i; k += 2)
            if (parts[k] == parts[i] && pool_.is_literal(parts[i])) {
                c_.report(codes::given_twice, c_.syntax[children[i]].span,
                          fmt::format("the key `{}` is given twice", c_.text(c_.syntax[children[i]].span)))
                    .label(c_.syntax[children[k]].span, "first here");
                fine = false;
            }
    }
    return fine ? pool_.make(Op::map, types_.map(key, value), parts) : unknown();
}

bool Typer::is_key(SyntaxExprId at, ExprId e) {
    TypeId type = pool_[e].type;
    if (types_.kind(type) != TypeKind::record && !types_[type].element) return true;
    c_.report(codes::type_mismatch, c_.syntax[at].span,
              fmt::format("{} cannot be the key of a map", print(type)))
        .help("a key is a bool, a number, a string, bytes or a member of an enumeration");
    return false;
}

// A key of the map or an item of the set, which are not converted; else it is reported.
bool Typer::fits_in(ExprId item, ExprId collection, Span at) {
    TypeId wanted = types_.item_of(pool_[collection].type);
    if (types_.fits(types_.set(pool_[item].type), types_.set(wanted))) return true;
    c_.report(codes::type_mismatch, at,
              fmt::format("the {} of {} are {}, but this is {}",
                          kind(collection) == TypeKind::map ? "keys" : "items", print(pool_[collection].type),
                          print(wanted), print(pool_[item].type)));
    return false;
}

ExprId Typer::without(const SyntaxExpr& e, TypeId wanted) {
    auto children = c_.syntax.children(e);
    ExprId whole = type(children[0], wanted);
    if (is_unknown(whole)) return unknown();
    bool fine = kind(whole) == TypeKind::set || kind(whole) == TypeKind::map;
    if (!fine) {
        c_.report(codes::wrong_operands, c_.syntax[children[0]].span,
                  fmt::format("`without` needs a set or a map, not {}", print(pool_[whole].type)));
        return unknown();
    }
    ExprId gone = type(children[1], types_.item_of(pool_[whole].type));
    if (is_unknown(gone) || !fits_in(gone, whole, c_.syntax[children[1]].span)) return unknown();
    return pool_.make(Op::without, types_.base(pool_[whole].type), std::array{whole, gone});
}

std::optional<Typer::Items> Typer::items_of(SyntaxExprId collection, const Name& name,
                                            std::string_view what) {
    ExprId all = type(collection, {});
    if (is_unknown(all)) return std::nullopt;
    TypeId item = types_.item_of(pool_[all].type);
    Span span = c_.syntax[collection].span;
    if (!item) {
        c_.report(
            codes::wrong_operands, span,
            fmt::format("`{}` goes through a list, a set or a map, not {}", what, print(pool_[all].type)));
        return std::nullopt;
    }
    if (types_.kind(item) == TypeKind::unknown) {
        c_.report(codes::wrong_operands, span, "this is always empty");
        return std::nullopt;
    }
    Items items{all, pool_.item_variable(name.id, types_.base(item)), scope_};
    items.scope.bind(name.id, items.item, name.span);
    return items;
}

// The function without a name that has this body, and the node that applies it. `own` are its first
// parameters, `given` the arguments for all of these but the variables that the body needs besides.
ExprId Typer::apply_to_items(Op op, TypeId type, TypeId result, ExprId body, std::vector<expr::VarId> own,
                             std::vector<ExprId> given) {
    for (expr::VarId v : pool_.variables_of(body)) {
        if (std::find(own.begin(), own.end(), v) != own.end()) continue;
        own.push_back(v);
        given.push_back(pool_.var(v));
    }
    expr::FunctionId function = pool_.lift(std::move(own), result, body);
    return pool_.make(op, type, given, function.index);
}

ExprId Typer::selected(const Items& items, ExprId condition) {
    TypeId item = types_.base(types_.item_of(pool_[items.collection].type));
    return apply_to_items(Op::select, types_.list(item), types_.boolean(), condition, {items.item},
                          {items.collection});
}

ExprId Typer::quantifier(const SyntaxExpr& e) {
    auto children = c_.syntax.children(e);
    const Name name = Syntax::part(c_.syntax.names, e.names)[0];
    auto items = items_of(children[0], name, c_.text(e.op_span));
    if (!items) return unknown();
    ExprId condition = type_condition(c_, items->scope, children[1]);
    if (e.kind == SyntaxExprKind::count) return size(selected(*items, condition));
    return apply_to_items(e.kind == SyntaxExprKind::for_all ? Op::for_all : Op::exists, types_.boolean(),
                          types_.boolean(), condition, {items->item}, {items->collection});
}

ExprId Typer::comprehension(const SyntaxExpr& e, TypeId wanted) {
    auto children = c_.syntax.children(e);
    const Name name = Syntax::part(c_.syntax.names, e.names)[0];
    auto items = items_of(children[0], name, "for");
    if (!items) return unknown();
    if (c_.syntax[children.back()].kind != SyntaxExprKind::omitted)
        items->collection = selected(*items, type_condition(c_, items->scope, children.back()));
    Typer inside(c_, items->scope);
    if (children.size() == 4) return map_comprehension(e, *items, inside, wanted);
    bool said = wanted && types_.item_of(wanted).valid() && types_.kind(wanted) != TypeKind::map;
    ExprId made = inside.type(children[1], said ? types_[wanted].element : TypeId());
    if (is_unknown(made)) return unknown();
    TypeId element = types_.base(pool_[made].type);
    bool as_it_is = pool_[made].op == Op::var && pool_.var_of(made) == items->item;
    ExprId list = items->collection;
    if (!as_it_is || kind(list) != TypeKind::list)
        list = apply_to_items(Op::each, types_.list(element), element, made, {items->item}, {list});
    if (e.op != TokenKind::left_brace) return list;
    return pool_.make(Op::to_set, types_.set(element), std::array{list});
}

// {k: v for x in xs}: a map that gets one key after the other.
ExprId Typer::map_comprehension(const SyntaxExpr& e, const Items& items, Typer& inside, TypeId wanted) {
    auto children = c_.syntax.children(e);
    bool said = wanted && types_.kind(wanted) == TypeKind::map;
    ExprId key = inside.type(children[1], said ? types_.key_of(wanted) : TypeId());
    ExprId value = inside.type(children[2], said ? types_.value_of(wanted) : TypeId());
    if (is_unknown(key) || is_unknown(value) || !is_key(children[1], key)) return unknown();
    TypeId map = types_.map(types_.base(pool_[key].type), types_.base(pool_[value].type));
    expr::VarId so_far = pool_.item_variable(c_.spec.names->intern(expr::map_so_far), map);
    ExprId next = pool_.make(Op::with_item, map, std::array{pool_.var(so_far), key, value});
    return apply_to_items(Op::fold, map, map, next, {items.item, so_far},
                          {items.collection, pool_.make(Op::map, map, {})});
}

ExprId Typer::fold(const SyntaxExpr& e, TypeId wanted) {
    auto children = c_.syntax.children(e);
    auto names = Syntax::part(c_.syntax.names, e.names);
    const Name total = names[0], item = names[1];
    ExprId start = type(children[0], wanted);
    auto items = items_of(children[1], item, "fold");
    if (!items || is_unknown(start)) return unknown();
    TypeId result = types_.base(pool_[start].type);
    // The first result shows the type: 0 and then a real, [] and then a list of texts.
    for (int round = 0; round < 2; ++round) {
        Scope scope = items->scope;
        expr::VarId so_far = pool_.item_variable(total.id, result);
        scope.bind(total.id, so_far, total.span);
        ExprId next = Typer(c_, scope).type(children[2], result);
        if (is_unknown(next)) return unknown();
        TypeId joined = types_.join(result, types_.base(pool_[next].type));
        if (!joined) {
            c_.report(codes::type_mismatch, c_.syntax[children[2]].span,
                      fmt::format("`{}` is {}, but here it becomes {}", c_.text(total.id), print(result),
                                  print(pool_[next].type)));
            return unknown();
        }
        if (joined != result) {
            result = joined;
            continue;
        }
        return apply_to_items(Op::fold, result, result, next, {items->item, so_far},
                              {items->collection, start});
    }
    return unknown();
}

// What `let items[k].n = v` makes of items.
ExprId Typer::update(const SyntaxExpr& e) {
    auto children = c_.syntax.children(e);
    std::vector<Place> path;
    SyntaxExprId root = children[0];
    while (c_.syntax[root].kind != SyntaxExprKind::name) {
        const SyntaxExpr& part = c_.syntax[root];
        if (part.kind == SyntaxExprKind::field)
            path.push_back({{}, part.name, part.op_span});
        else if (part.kind == SyntaxExprKind::index)
            path.push_back({c_.syntax.children(part)[1], {}, c_.syntax[c_.syntax.children(part)[1]].span});
        else
            break;
        root = c_.syntax.children(part)[0];
    }
    if (c_.syntax[root].kind != SyntaxExprKind::name) {
        if (c_.syntax[root].kind != SyntaxExprKind::wrong)
            c_.report(codes::wrong_operands, c_.syntax[root].span, "this cannot be changed")
                .help("what changes is a field, an item or a key: let items[k].n = 1");
        return unknown();
    }
    std::reverse(path.begin(), path.end());
    ExprId whole = type(root, {});
    return is_unknown(whole) ? unknown() : changed(whole, path, children[1], c_.syntax[root].span);
}

// m[k]
ExprId Typer::value_at(ExprId map, ExprId key, Span at) {
    if (!fits_in(key, map, at)) return unknown();
    TypeId value = types_.value_of(pool_[map].type);
    if (types_.kind(value) != TypeKind::unknown) return pool_.make(Op::at, value, std::array{map, key});
    c_.report(codes::wrong_operands, at, "this map is always empty");
    return unknown();
}

// Of a record: its field, or a part of it. False if it is something else.
bool Typer::places(SyntaxExprId id, std::vector<Place>& out) {
    const SyntaxExpr& e = c_.syntax[id];
    auto children = c_.syntax.children(e);
    if (e.kind == SyntaxExprKind::name) {
        out.push_back({{}, e.name, e.span});
        return true;
    }
    if (e.kind == SyntaxExprKind::field) {
        if (!places(children[0], out)) return false;
        out.push_back({{}, e.name, e.op_span});
        return true;
    }
    if (e.kind != SyntaxExprKind::index || !places(children[0], out)) return false;
    out.push_back({children[1], {}, c_.syntax[children[1]].span});
    return true;
}

ExprId Typer::with(const SyntaxExpr& e, TypeId wanted) {
    auto children = c_.syntax.children(e);
    ExprId whole = type(children[0], wanted);
    std::vector<Place> path;
    if (is_unknown(whole)) {
        type(children[2], {});
        return unknown();
    }
    if (kind(whole) == TypeKind::record) {
        if (!places(children[1], path)) {
            c_.report(codes::wrong_operands, c_.syntax[children[1]].span,
                      fmt::format("what changes in {} is a field", print(pool_[whole].type)))
                .help("write the field's name before `=`: point with y = 2");
            return unknown();
        }
    } else {
        path.push_back({children[1], {}, c_.syntax[children[1]].span});
    }
    return changed(whole, path, children[2], c_.syntax[children[0]].span);
}

// The whole with one part of it replaced.
ExprId Typer::changed(ExprId whole, std::span<const Place> path, SyntaxExprId value, Span span) {
    const Place& place = path[0];
    if (is_unknown(whole)) return unknown();
    if (!place.index) return changed_field(whole, path, value);
    if (kind(whole) == TypeKind::list) return changed_item(whole, path, value);
    if (kind(whole) == TypeKind::map) return changed_key(whole, path, value);
    c_.report(codes::wrong_operands, span,
              fmt::format("only a part of a list, a map or a record can be changed, not one of {}",
                          print(pool_[whole].type)));
    return unknown();
}

ExprId Typer::changed_field(ExprId whole, std::span<const Place> path, SyntaxExprId value) {
    ExprId old = field_of(whole, path[0].field, path[0].span);
    if (is_unknown(old)) return unknown();
    TypeId wanted = pool_[old].type;
    ExprId fresh = path.size() > 1 ? changed(old, path.subspan(1), value, path[0].span) : type(value, wanted);
    if (is_unknown(fresh) ||
        !fits(fresh, wanted, c_.syntax[value].span, fmt::format("`{}`", c_.text(path[0].field))))
        return unknown();
    TypeId record = pool_[whole].type;
    std::vector<expr::Field> fields = types_[record].fields;
    std::vector<ExprId> parts;
    for (std::size_t i = 0; i < fields.size(); ++i)
        parts.push_back(
            fields[i].name == path[0].field
                ? fresh
                : pool_.make(Op::field, fields[i].type, std::array{whole}, static_cast<std::uint32_t>(i)));
    return pool_.make(Op::record, record, parts);
}

ExprId Typer::changed_key(ExprId whole, std::span<const Place> path, SyntaxExprId value) {
    TypeId map = pool_[whole].type;
    ExprId key = type(path[0].index, types_.key_of(map));
    if (is_unknown(key) || !fits_in(key, whole, path[0].span)) return unknown();
    TypeId held = types_.value_of(map);
    ExprId fresh;
    if (path.size() > 1) {
        ExprId old = value_at(whole, key, path[0].span);
        fresh = is_unknown(old) ? unknown() : changed(old, path.subspan(1), value, path[0].span);
    } else {
        fresh = type(value, held);
    }
    if (is_unknown(fresh)) return unknown();
    TypeId joined = types_.join(types_.base(held), types_.base(pool_[fresh].type));
    if (!joined) {
        c_.report(
            codes::type_mismatch, c_.syntax[value].span,
            fmt::format("the map's values are {}, but this is {}", print(held), print(pool_[fresh].type)));
        return unknown();
    }
    TypeId result = types_.map(types_.base(types_.key_of(map)), joined);
    return pool_.make(Op::with_item, result, std::array{whole, key, fresh});
}

ExprId Typer::changed_item(ExprId whole, std::span<const Place> path, SyntaxExprId value) {
    ExprId index = type(path[0].index, types_.integer());
    if (is_unknown(index) || !fits(index, types_.integer(), path[0].span, "the place of an item"))
        return unknown();
    TypeId element = types_.base(types_[pool_[whole].type].element);
    ExprId fresh;
    if (path.size() > 1)
        fresh = changed(pool_.make(Op::at, element, std::array{whole, index}), path.subspan(1), value,
                        path[0].span);
    else
        fresh = type(value, element);
    if (is_unknown(fresh)) return unknown();
    TypeId joined = types_.join(element, types_.base(pool_[fresh].type));
    if (!joined) {
        c_.report(
            codes::type_mismatch, c_.syntax[value].span,
            fmt::format("the list's items are {}, but this is {}", print(element), print(pool_[fresh].type)));
        return unknown();
    }
    return pool_.make(Op::with_item, types_.list(joined), std::array{whole, index, fresh});
}

}  // namespace treaty::lang
