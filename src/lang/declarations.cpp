// Types, messages and functions: first all names, so that order does not matter, then what they mean.
#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/context.h"
#include "lang/type_expr.h"

namespace treaty::lang {

model::MessageId Context::message(NameId name, Span first_use) {
    model::MessageId id = spec.alphabet->message(text(name));
    if (id.index >= spec.messages.size()) {
        spec.messages.resize(id.index + 1);
        spec.messages[id.index].span = first_use;
    }
    return id;
}

namespace {

using expr::TypeId;
using expr::TypeKind;

constexpr std::uint32_t max_definition_depth = 100;

class Declarations {
public:
    explicit Declarations(Context& context)
        : c_(context), types_(*context.spec.types), pool_(*context.spec.pool) {}

    void run() {
        c_.broken.insert(c_.syntax.broken.begin(), c_.syntax.broken.end());
        c_.lost.insert(c_.syntax.lost.begin(), c_.syntax.lost.end());
        collect_names();
        std::size_t types_before = c_.spec.named_types.size();
        for (const EnumSyntax& e : c_.syntax.enums) enumeration(e);
        for (const RecordSyntax& r : c_.syntax.records) named_type(r.name.id);
        for (const AliasSyntax& a : c_.syntax.aliases) named_type(a.name.id);
        order_types(types_before);
        for (const ConstantSyntax& k : c_.syntax.constants) constant(k.name.id);
        for (const FunctionSyntax& f : c_.syntax.functions) function_head(f);
        for (const MessageSyntax& m : c_.syntax.messages) message(m);
        for (const ProtocolSyntax& p : c_.syntax.protocols)
            c_.parameters.push_back(fields(p.parameters, "parameter"));
        for (const Step& s : c_.syntax.steps)
            if (s.type) c_.step_types[s.type] = type(s.type);
        function_bodies();
    }

    TypeId type(TypeSyntaxId id) {
        const TypeSyntax& t = c_.syntax[id];
        std::string_view name = c_.text(t.name.id);
        TypeId result;
        bool has_element = t.element.valid(), has_key = t.key.valid();
        if (name == "map") {
            result = map_type(t);
        } else if (name == "list" || name == "optional" || name == "set") {
            if (!has_element || has_key) {
                c_.report(codes::unknown_type, t.span, fmt::format("`{}` needs an element type", name))
                    .help(fmt::format("for example {}<int>", name));
                return types_.unknown();
            }
            TypeId element = type(t.element);
            result = name == "list"  ? types_.list(element)
                     : name == "set" ? types_.set(element)
                                     : types_.optional(element);
        } else {
            result = simple(t, name);
            if (has_element) {
                c_.report(codes::unknown_type, t.span, fmt::format("`{}` has no element type", name))
                    .help("only list<...>, set<...>, map<..., ...> and optional<...> have one");
                return types_.unknown();
            }
        }
        return t.low ? ranged(t, result) : result;
    }

private:
    TypeId map_type(const TypeSyntax& t) {
        if (!t.key) {
            c_.report(codes::unknown_type, t.span, "`map` needs the type of its keys and that of its values")
                .help("for example map<string, int>");
            return types_.unknown();
        }
        TypeId key = type(t.key), value = type(t.element);
        expr::TypeKind kind = types_.kind(key);
        if (kind != expr::TypeKind::record && !types_[key].element) return types_.map(key, value);
        c_.report(codes::type_mismatch, c_.syntax[t.key].span,
                  fmt::format("{} cannot be the key of a map", types_.print(key, *c_.spec.names)))
            .help("a key is a bool, a number, a string, bytes or a member of an enumeration");
        return types_.unknown();
    }

    enum class State : std::uint8_t { waiting, open, done };

    struct Pending {
        const RecordSyntax* record = nullptr;
        const AliasSyntax* alias = nullptr;
        State state = State::waiting;
    };

    // Reports a second declaration of a name in one table.
    bool fresh(absl::flat_hash_map<NameId, Span>& seen, Name name, std::string_view what) {
        auto [it, added] = seen.try_emplace(name.id, name.span);
        if (added) return true;
        c_.report(codes::declared_twice, name.span,
                  fmt::format("{} `{}` is declared twice", what, c_.text(name.id)))
            .label(it->second, "first here");
        return false;
    }

    void collect_names() {
        absl::flat_hash_map<NameId, Span> types, messages, constants, functions, protocols;
        auto fresh_type = [&](Name name) {
            if (!is_built_in_type(c_.text(name.id))) return fresh(types, name, "type");
            c_.report(codes::declared_twice, name.span,
                      fmt::format("`{}` is a built-in type", c_.text(name.id)))
                .help("use another name");
            return false;
        };
        for (const EnumSyntax& e : c_.syntax.enums) fresh_type(e.name);
        for (const RecordSyntax& r : c_.syntax.records)
            if (fresh_type(r.name)) pending_[r.name.id].record = &r;
        for (const AliasSyntax& a : c_.syntax.aliases)
            if (fresh_type(a.name)) pending_[a.name.id].alias = &a;
        for (const MessageSyntax& m : c_.syntax.messages) fresh(messages, m.name, "message");
        for (const ConstantSyntax& k : c_.syntax.constants)
            if (fresh(constants, k.name, "constant")) pending_constants_[k.name.id] = &k;
        for (const FunctionSyntax& f : c_.syntax.functions) {
            fresh(functions, f.name, "function");
            functions_.insert(f.name.id);
        }
        for (const EnumSyntax& e : c_.syntax.enums)
            for (const Name& m : Syntax::part(c_.syntax.names, e.members))
                if (auto k = constants.find(m.id); k != constants.end())
                    c_.report(codes::declared_twice, k->second,
                              fmt::format("`{}` is also a member of an enumeration", c_.text(m.id)))
                        .label(m.span, "the member")
                        .help("both are used by their bare name");
        for (std::size_t i = 0; i < c_.syntax.protocols.size(); ++i) {
            const ProtocolSyntax& p = c_.syntax.protocols[i];
            if (fresh(protocols, p.name, "protocol")) c_.protocols[p.name.id] = static_cast<std::uint32_t>(i);
        }
    }

    static bool is_built_in_type(std::string_view name) {
        static constexpr std::string_view all[] = {"bool", "int",      "real", "string", "bytes",
                                                   "list", "optional", "set",  "map"};
        return std::find(std::begin(all), std::end(all), name) != std::end(all);
    }

    void enumeration(const EnumSyntax& e) {
        if (c_.types.contains(e.name.id)) {
            // Reported as declared twice; its members mean something all the same.
            for (const Name& m : Syntax::part(c_.syntax.names, e.members)) c_.broken.insert(m.id);
            return;
        }
        std::vector<NameId> members;
        absl::flat_hash_map<NameId, Span> seen;
        for (const Name& m : Syntax::part(c_.syntax.names, e.members))
            if (fresh(seen, m, "member")) members.push_back(m.id);
        TypeId id = types_.enumeration(e.name.id, members);
        c_.types[e.name.id] = id;
        c_.spec.named_types.push_back(id);
        for (const Name& m : Syntax::part(c_.syntax.names, e.members)) {
            auto position = std::find(members.begin(), members.end(), m.id) - members.begin();
            auto [it, added] =
                c_.members.try_emplace(m.id, EnumMemberRef{id, static_cast<std::uint32_t>(position)});
            if (!added && it->second.type != id)
                c_.report(codes::declared_twice, m.span,
                          fmt::format("`{}` is already a member of another enumeration", c_.text(m.id)))
                    .help("members are used by their bare name, so each belongs to one enumeration");
        }
    }

    TypeId named_type(NameId name) {
        if (auto known = c_.types.find(name); known != c_.types.end()) return known->second;
        auto found = pending_.find(name);
        if (found == pending_.end()) return {};
        Pending& p = found->second;
        Span span = p.record ? p.record->name.span : p.alias->name.span;
        if (p.state == State::open) {
            c_.report(codes::recursive_definition, span, fmt::format("`{}` contains itself", c_.text(name)));
            return types_.unknown();
        }
        if (depth_ >= max_definition_depth) return too_deep(span);
        p.state = State::open;
        ++depth_;
        TypeId id = p.record ? record(*p.record) : type(p.alias->type);
        --depth_;
        p.state = State::done;
        return c_.types[name] = shallow(id, span);
    }

    // Makes what an expression refers to known before it is typed: other constants, and types of records.
    // False if it calls a function of the file, which has no meaning yet; that is reported.
    bool prepare(SyntaxExprId id) {
        bool fine = true;
        std::vector<NameId> values, records;
        std::vector<SyntaxExprId> open{id};
        while (!open.empty()) {
            const SyntaxExpr& e = c_.syntax[open.back()];
            open.pop_back();
            for (SyntaxExprId child : c_.syntax.children(e)) open.push_back(child);
            if (e.kind == SyntaxExprKind::name) values.push_back(e.name);
            if (e.kind != SyntaxExprKind::call) continue;
            records.push_back(e.name);
            if (!functions_.contains(e.name)) continue;
            c_.report(codes::not_constant, e.op_span,
                      fmt::format("`{}` is a function of the file, which a constant cannot call",
                                  c_.text(e.name)))
                .help("a constant consists of literals, other constants, operators and built-in functions");
            fine = false;
        }
        for (NameId name : values) constant(name);
        for (NameId name : records) named_type(name);
        return fine;
    }

    expr::ExprId unknown() { return pool_.make(expr::Op::none, types_.unknown(), {}); }

    // The value of a constant goes into the context; other names are left alone.
    void constant(NameId name) {
        auto found = pending_constants_.find(name);
        if (found == pending_constants_.end() || c_.constants.contains(name)) return;
        const ConstantSyntax& k = *found->second;
        if (depth_ >= max_definition_depth) {
            c_.report(codes::nested_too_deeply, k.name.span,
                      fmt::format("constants refer to one another more than {} deep", max_definition_depth));
            c_.constants[name] = unknown();
        } else if (!open_constants_.insert(name).second) {
            c_.report(codes::recursive_definition, k.name.span,
                      fmt::format("`{}` is defined by itself", c_.text(name)));
            c_.constants[name] = unknown();
        } else {
            ++depth_;
            expr::ExprId value = constant_value(k);
            --depth_;
            c_.constants.try_emplace(name, value);  // unless it is defined by itself
        }
    }

    // A literal of the type that is written, so that an integer becomes a real where one is wanted.
    expr::ExprId constant_value(const ConstantSyntax& k) {
        TypeId wanted = k.type ? shallow(type(k.type), c_.syntax[k.type].span) : TypeId();
        if (!prepare(k.value)) return unknown();
        Scope empty;
        c_.missing_variables.clear();
        expr::ExprId e = type_constant(c_, empty, k.value, wanted, fmt::format("`{}`", c_.text(k.name.id)));
        if (!wanted || types_.kind(wanted) == TypeKind::unknown ||
            types_.kind(pool_[e].type) == TypeKind::unknown)
            return e;
        expr::Value value = expr::convert(pool_.literal_of(e), wanted, types_);
        return pool_.literal(std::move(value), types_.base(wanted));
    }

    // Passes over values recurse as deep as types nest, so that is bounded; one message per file is enough.
    TypeId too_deep(Span span) {
        if (!too_deep_reported_)
            c_.report(codes::nested_too_deeply, span,
                      fmt::format("types refer to one another more than {} deep", max_definition_depth));
        too_deep_reported_ = true;
        return types_.unknown();
    }

    TypeId shallow(TypeId id, Span span) {
        return types_.nesting(id) > max_definition_depth ? too_deep(span) : id;
    }

    std::vector<expr::Field> fields(Range range, std::string_view what) {
        std::vector<expr::Field> result;
        absl::flat_hash_map<NameId, Span> seen;
        for (const FieldSyntax& f : Syntax::part(c_.syntax.fields, range)) {
            TypeId t = shallow(type(f.type), c_.syntax[f.type].span);
            // A field that is declared twice counts twice, or else each use would have a value too many.
            fresh(seen, f.name, what);
            result.push_back({f.name.id, t});
        }
        return result;
    }

    // The types are made in an order in which each knows its parts; they are listed as they are declared.
    void order_types(std::size_t first) {
        std::vector<TypeId>& listed = c_.spec.named_types;
        absl::flat_hash_set<TypeId> made(listed.begin() + static_cast<std::ptrdiff_t>(first), listed.end());
        listed.resize(first);
        for (const ItemSyntax& item : c_.syntax.items) {
            NameId name;
            if (item.kind == ItemKind::enumeration) name = c_.syntax.enums[item.index].name.id;
            if (item.kind == ItemKind::record) name = c_.syntax.records[item.index].name.id;
            auto type = c_.types.find(name);
            if (type != c_.types.end() && made.erase(type->second) > 0) listed.push_back(type->second);
        }
    }

    TypeId record(const RecordSyntax& r) {
        TypeId id = types_.record(r.name.id, fields(r.fields, "field"));
        c_.spec.named_types.push_back(id);
        return id;
    }

    TypeId simple(const TypeSyntax& t, std::string_view name) {
        if (name == "bool") return types_.boolean();
        if (name == "int") return types_.integer();
        if (name == "real") return types_.real();
        if (name == "string") return types_.string();
        if (name == "bytes") return types_.bytes();
        if (TypeId id = named_type(t.name.id)) return id;
        if (c_.broken.contains(t.name.id) || c_.lost.contains(t.name.id) ||
            !c_.missing_types.insert(t.name.id).second)
            return types_.unknown();
        std::vector<std::string_view> candidates{"bool", "int",      "real", "string", "bytes",
                                                 "list", "optional", "set",  "map"};
        for (const auto& [n, id] : c_.types) candidates.push_back(c_.text(n));
        for (const auto& [n, p] : pending_) candidates.push_back(c_.text(n));
        c_.report(codes::unknown_type, t.name.span, fmt::format("unknown type `{}`", name))
            .help(did_you_mean(name, candidates));
        return types_.unknown();
    }

    TypeId ranged(const TypeSyntax& t, TypeId base) {
        Scope empty;
        auto bound = [&](SyntaxExprId e) -> std::optional<std::int64_t> {
            if (!prepare(e)) return std::nullopt;
            expr::ExprId x = type_constant(c_, empty, e, types_.integer(), "a bound");
            if (types_.kind(pool_[x].type) != TypeKind::integer) return std::nullopt;
            return pool_.literal_of(x).integer();
        };
        std::optional<std::int64_t> low = bound(t.low), high = bound(t.high);
        if (types_.kind(base) == TypeKind::unknown || !low || !high) return types_.unknown();
        if (types_.kind(base) != TypeKind::integer) {
            c_.report(codes::bad_range, t.span, "only int has a range");
            return types_.unknown();
        }
        if (*low > *high) {
            c_.report(codes::bad_range, t.span, fmt::format("the range {}..{} is empty", *low, *high))
                .help("the smaller bound comes first");
            return types_.unknown();
        }
        return types_.integer(low, high);
    }

    void function_head(const FunctionSyntax& f) {
        if (c_.functions.contains(f.name.id)) return;
        std::vector<expr::VarId> parameters;
        for (const expr::Field& p : fields(f.fields, "parameter"))
            parameters.push_back(pool_.declare(p.name, p.type));
        TypeId result = f.result ? shallow(type(f.result), c_.syntax[f.result].span) : types_.boolean();
        c_.functions[f.name.id] = pool_.declare_function(f.name.id, parameters, result);
    }

    void function_bodies() {
        absl::flat_hash_set<NameId> defined;
        for (const FunctionSyntax& f : c_.syntax.functions) {
            if (!defined.insert(f.name.id).second) continue;
            expr::FunctionId id = c_.functions[f.name.id];
            c_.missing_variables.clear();
            Scope scope;
            std::vector<expr::VarId> parameters = pool_.function(id).parameters;
            for (expr::VarId v : parameters) scope.bind(pool_.variable(v).name, v, f.name.span);
            TypeId result = pool_.function(id).result;
            pool_.define(id, type_expression(c_, scope, f.body, result,
                                             fmt::format("the result of `{}`", c_.text(f.name.id))));
        }
        check_recursion();
    }

    // Which functions a function calls directly.
    std::vector<expr::FunctionId> callees(expr::FunctionId id) {
        std::vector<expr::FunctionId> found;
        std::vector<expr::ExprId> open{pool_.function(id).body};
        absl::flat_hash_set<expr::ExprId> seen;
        while (!open.empty()) {
            expr::ExprId e = open.back();
            open.pop_back();
            if (!seen.insert(e).second) continue;
            if (expr::has_function(pool_[e].op)) found.push_back(expr::FunctionId(pool_[e].payload));
            for (expr::ExprId child : pool_.children(e)) open.push_back(child);
        }
        return found;
    }

    // Depth of each function over its callees, without recursion: repeatedly settle those whose callees are
    // settled; what never settles is on a cycle or above one.
    void check_recursion() {
        std::size_t n = pool_.function_count();
        std::vector<std::uint32_t> waiting(n, 0), depth(n, 0);
        std::vector<std::vector<expr::FunctionId>> calls(n), callers(n);
        for (std::size_t i = 0; i < n; ++i) {
            calls[i] = callees(expr::FunctionId(i));
            waiting[i] = static_cast<std::uint32_t>(calls[i].size());
            for (expr::FunctionId callee : calls[i]) callers[callee.index].push_back(expr::FunctionId(i));
        }
        std::vector<expr::FunctionId> ready;
        for (std::size_t i = 0; i < n; ++i)
            if (waiting[i] == 0) ready.push_back(expr::FunctionId(i));
        for (std::size_t k = 0; k < ready.size(); ++k)
            for (expr::FunctionId caller : callers[ready[k].index]) {
                depth[caller.index] = std::max(depth[caller.index], depth[ready[k].index] + 1);
                if (--waiting[caller.index] == 0) ready.push_back(caller);
            }
        absl::flat_hash_set<expr::FunctionId> reported;
        for (const FunctionSyntax& f : c_.syntax.functions) {
            expr::FunctionId id = c_.functions[f.name.id];
            if (waiting[id.index] > 0 && !reported.contains(id)) recursive(f, id, calls, callers, reported);
            // Where the limit is crossed; earlier definitions only follow from it.
            if (depth[id.index] == max_definition_depth + 1)
                c_.report(codes::nested_too_deeply, f.name.span,
                          fmt::format("functions call one another more than {} deep", max_definition_depth));
        }
    }

    using Calls = std::vector<std::vector<expr::FunctionId>>;

    static absl::flat_hash_set<expr::FunctionId> reachable(expr::FunctionId from, const Calls& calls) {
        std::vector<expr::FunctionId> open = calls[from.index];
        absl::flat_hash_set<expr::FunctionId> seen;
        while (!open.empty()) {
            expr::FunctionId f = open.back();
            open.pop_back();
            if (seen.insert(f).second) open.insert(open.end(), calls[f.index].begin(), calls[f.index].end());
        }
        return seen;
    }

    // One message for all functions that define one another.
    void recursive(const FunctionSyntax& f, expr::FunctionId id, const Calls& calls, const Calls& callers,
                   absl::flat_hash_set<expr::FunctionId>& reported) {
        auto below = reachable(id, calls), above = reachable(id, callers);
        if (!below.contains(id)) return;  // only above a circle
        auto& report = c_.report(codes::recursive_definition, f.name.span,
                                 fmt::format("`{}` is defined by itself", c_.text(f.name.id)));
        reported.insert(id);
        for (const FunctionSyntax& other : c_.syntax.functions) {
            expr::FunctionId o = c_.functions[other.name.id];
            if (!below.contains(o) || !above.contains(o) || !reported.insert(o).second) continue;
            report.label(other.name.span, fmt::format("through `{}`", c_.text(other.name.id)));
        }
    }

    void message(const MessageSyntax& m) {
        model::MessageId id = c_.message(m.name.id, m.name.span);
        if (c_.spec.messages[id.index].declared) return;
        model::Message message;
        message.span = m.name.span;
        message.declared = true;
        message.fields = fields(m.fields, "field");
        c_.missing_variables.clear();
        Scope scope;
        for (const expr::Field& f : message.fields) {
            message.variables.push_back(pool_.declare(f.name, f.type));
            scope.bind(f.name, message.variables.back(), m.name.span);
        }
        if (m.where) message.where = type_condition(c_, scope, m.where);
        c_.spec.messages[id.index] = std::move(message);
    }

    Context& c_;
    expr::Types& types_;
    expr::Pool& pool_;
    absl::flat_hash_map<NameId, Pending> pending_;
    absl::flat_hash_map<NameId, const ConstantSyntax*> pending_constants_;
    absl::flat_hash_set<NameId> open_constants_, functions_;
    std::uint32_t depth_ = 0;
    bool too_deep_reported_ = false;
};

}  // namespace

void resolve_declarations(Context& context) {
    Declarations(context).run();
}

}  // namespace treaty::lang
