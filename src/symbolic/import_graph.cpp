#include "symbolic/import_graph.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace treaty::symbolic {
namespace {

using expr::TypeId;

class Importer {
public:
    Importer(const SymbolicGraph& from, Meeting& to) : from_(from), to_(to) {
        for (const GraphState& state : from.states)
            for (const GraphEdge& edge : state.out) {
                for (const auto& u : edge.updates) set_.insert(u.variable);
                set_.insert(edge.chosen.begin(), edge.chosen.end());
            }
    }

    GraphResult run() {
        SymbolicGraph out;
        out.name = from_.name;
        out.pool = to_.pool;
        out.alphabet = to_.alphabet;
        // In order of messages, so that names and faults do not depend on hashing.
        std::vector<model::MessageId> messages;
        for (const auto& [id, variables] : from_.payload) messages.push_back(id);
        std::sort(messages.begin(), messages.end());
        for (model::MessageId id : messages) share(id, from_.payload.at(id));
        if (!reason_.empty()) return base::Fault{reason_};
        for (const GraphState& state : from_.states) {
            GraphState& copy = out.states.emplace_back();
            copy.name = state.name;
            if (state.terminates) copy.terminates = expression(state.terminates);
            for (const GraphEdge& edge : state.out) copy.out.push_back(import_edge(edge));
        }
        out.payload = to_.payload;
        if (!reason_.empty()) return base::Fault{reason_};
        return out;
    }

    // The types of the payload that suit this graph and those before it.
    void expect() {
        for (const auto& [id, variables] : from_.payload) {
            std::vector<TypeId>& expected = to_.expected[message(id)];
            for (std::size_t i = 0; i < variables.size(); ++i) {
                TypeId own = type(source().variable(variables[i]).type);
                if (i == expected.size())
                    expected.push_back(own);
                else if (own != expected[i] && is_integer(own) && is_integer(expected[i]))
                    expected[i] = pool().types().base(own);
            }
        }
    }

private:
    expr::Pool& pool() { return *to_.pool; }
    const expr::Pool& source() const { return *from_.pool; }

    model::MessageId message(model::MessageId id) { return to_.alphabet->message(from_.alphabet->name(id)); }

    // Payload variables of the target, the missing ones declared.
    void share(model::MessageId id, const std::vector<VarId>& variables) {
        std::vector<VarId>& shared = to_.payload[message(id)];
        for (std::size_t i = 0; i < variables.size(); ++i) {
            TypeId wanted = type(source().variable(variables[i]).type);
            if (i == shared.size()) {
                auto name =
                    pool().names().intern(source().names().text(source().variable(variables[i]).name));
                auto expected = to_.expected.find(message(id));
                bool known = expected != to_.expected.end() && i < expected->second.size();
                shared.push_back(pool().declare(name, known ? expected->second[i] : wanted));
            }
            variables_[variables[i]] = shared[i];
            TypeId there = pool().variable(shared[i]).type;
            if (there == wanted) continue;
            if (is_integer(wanted) && there == pool().types().base(wanted))
                demand_range(message(id), shared[i], wanted);
            else if (reason_.empty())
                reason_ = different(from_.alphabet->name(id), there, wanted);
        }
    }

    bool is_integer(TypeId id) const { return to_.pool->types().kind(id) == expr::TypeKind::integer; }

    // The values that this graph knows, where the payload variable may have others.
    void demand_range(model::MessageId id, VarId variable, TypeId range) {
        const expr::Type t = pool().types()[range];
        auto demand = [&](expr::Op op, std::int64_t bound) {
            std::vector<ExprId> sides{pool().var(variable), pool().integer(bound)};
            ExprId comparison = pool().make(op, pool().types().boolean(), sides);
            ExprId& whole = ranges_[id];
            whole = whole ? pool().logical_and(whole, comparison) : comparison;
        };
        if (t.low) demand(expr::Op::greater_equal, *t.low);
        if (t.high) demand(expr::Op::less_equal, *t.high);
    }

    std::string different(std::string_view carrier, TypeId there, TypeId here) {
        std::string one = pool().types().print(there, pool().names());
        std::string other = pool().types().print(here, pool().names());
        if (one == other)
            return fmt::format("the message {} carries a {} that is declared differently in the two", carrier,
                               one);
        return fmt::format("the message {} carries {} in one and {} in the other", carrier, one, other);
    }

    LabelId label(LabelId id) {
        model::Event event = from_.alphabet->event(id);
        if (event.kind == model::EventKind::silent) return to_.alphabet->silent();
        if (event.kind == model::EventKind::plain)
            return to_.alphabet->plain(from_.alphabet->name(event.message));
        event.from = to_.alphabet->role(from_.alphabet->name(event.from));
        event.to = to_.alphabet->role(from_.alphabet->name(event.to));
        event.message = message(event.message);
        return to_.alphabet->label(event);
    }

    GraphEdge import_edge(const GraphEdge& edge) {
        GraphEdge copy = edge;
        copy.label = label(edge.label);
        for (GuardPart& part : copy.guards) part.condition = expression(part.condition);
        for (model::Argument& a : copy.data) {
            if (a.bind) a.bind = variable(a.bind);
            if (a.value) a.value = expression(a.value);
        }
        if (copy.condition) copy.condition = expression(copy.condition);
        if (auto range = ranges_.find(to_.alphabet->event(copy.label).message); range != ranges_.end())
            copy.condition =
                copy.condition ? pool().logical_and(range->second, copy.condition) : range->second;
        for (auto& u : copy.updates) u = {variable(u.variable), expression(u.value)};
        std::sort(copy.updates.begin(), copy.updates.end(),
                  [](const auto& a, const auto& b) { return a.variable < b.variable; });
        for (VarId& v : copy.chosen) v = variable(v);
        return copy;
    }

    VarId variable(VarId id) {
        auto [entry, fresh] = variables_.try_emplace(id);
        if (fresh) {
            const expr::Variable& v = source().variable(id);
            std::string_view text = source().names().text(v.name);
            VarId made = source().is_item_variable(id)
                             ? pool().item_variable(pool().names().intern(text), type(v.type))
                             : declared(text, type(v.type), !set_.contains(id));
            variables_[id] = made;
            return made;
        }
        return entry->second;
    }

    VarId declared(std::string_view text, TypeId t, bool constant) {
        base::NameId own = pool().names().intern(text);
        if (!constant) return pool().declare(own, t);
        std::string key = fmt::format("{}:{}", text, t.index);
        auto [entry, fresh] = to_.constants.try_emplace(key);
        if (fresh) entry->second = pool().declare(own, t);
        return entry->second;
    }

    base::NameId name(base::NameId id) { return pool().names().intern(source().names().text(id)); }

    TypeId type(TypeId id) {
        if (auto found = types_.find(id); found != types_.end()) return found->second;
        TypeId made = make_type(id);
        types_[id] = made;
        return made;
    }

    TypeId make_type(TypeId id) {
        const expr::Type t = source().types()[id];
        expr::Types& types = pool().types();
        switch (t.kind) {
            case expr::TypeKind::unknown: return types.unknown();
            case expr::TypeKind::boolean: return types.boolean();
            case expr::TypeKind::integer: return types.integer(t.low, t.high);
            case expr::TypeKind::real: return types.real();
            case expr::TypeKind::string: return types.string();
            case expr::TypeKind::bytes: return types.bytes();
            case expr::TypeKind::list: return types.list(type(t.element));
            case expr::TypeKind::optional: return types.optional(type(t.element));
            case expr::TypeKind::set: return types.set(type(t.element));
            case expr::TypeKind::map:
                return types.map(type(source().types().key_of(id)), type(source().types().value_of(id)));
            case expr::TypeKind::enumeration:
            case expr::TypeKind::record: return named_type(t);
        }
        return types.unknown();
    }

    // The one of the same name and content, if it is there already.
    TypeId named_type(const expr::Type& t) {
        expr::Types& types = pool().types();
        std::vector<base::NameId> members;
        for (base::NameId m : t.members) members.push_back(name(m));
        std::vector<expr::Field> fields;
        for (const expr::Field& f : t.fields) fields.push_back({name(f.name), type(f.type)});
        base::NameId own = name(t.name);
        for (std::size_t i = 0; i < types.size(); ++i) {
            const expr::Type& other = types[TypeId(i)];
            if (other.kind == t.kind && other.name == own && other.members == members &&
                other.fields == fields)
                return TypeId(i);
        }
        return t.kind == expr::TypeKind::record ? types.record(own, fields) : types.enumeration(own, members);
    }

    ExprId expression(ExprId id) {
        if (auto found = expressions_.find(id); found != expressions_.end()) return found->second;
        for (ExprId part : source().parts_of(id))
            if (!expressions_.contains(part)) expressions_[part] = make(part);
        return expressions_.at(id);
    }

    ExprId make(ExprId part) {
        const expr::Node& node = source()[part];
        switch (node.op) {
            case expr::Op::literal: return pool().literal(source().literal_of(part), type(node.type));
            case expr::Op::var: return pool().var(variable(source().var_of(part)));
            case expr::Op::matches:
                return pool().matches(expressions_.at(source().children(part)[0]),
                                      source().literal_of(part).string());
            default: break;
        }
        std::vector<ExprId> children;
        for (ExprId child : source().children(part)) children.push_back(expressions_.at(child));
        std::uint32_t payload = node.payload;
        if (expr::has_function(node.op)) payload = function(expr::FunctionId(node.payload)).index;
        return pool().make(node.op, type(node.type), children, payload);
    }

    expr::FunctionId function(expr::FunctionId id) {
        if (auto found = functions_.find(id); found != functions_.end()) return found->second;
        const expr::Function f = source().function(id);
        std::vector<VarId> parameters;
        for (VarId p : f.parameters) parameters.push_back(variable(p));
        if (!f.name) {
            expr::FunctionId made = pool().lift(std::move(parameters), type(f.result), expression(f.body));
            return functions_[id] = made;
        }
        auto made = pool().declare_function(name(f.name), parameters, type(f.result));
        functions_[id] = made;
        if (f.body) pool().define(made, expression(f.body));
        return made;
    }

    const SymbolicGraph& from_;
    Meeting& to_;
    std::string reason_;
    absl::flat_hash_set<VarId> set_;                        // by some edge
    absl::flat_hash_map<model::MessageId, ExprId> ranges_;  // of this graph, as conditions on the payload
    absl::flat_hash_map<VarId, VarId> variables_;
    absl::flat_hash_map<TypeId, TypeId> types_;
    absl::flat_hash_map<ExprId, ExprId> expressions_;
    absl::flat_hash_map<expr::FunctionId, expr::FunctionId> functions_;
};

}  // namespace

Meeting Meeting::fresh() {
    return {std::make_shared<expr::Pool>(std::make_shared<expr::Types>(), std::make_shared<base::Names>()),
            std::make_shared<model::Alphabet>(),
            {},
            {}};
}

void Meeting::expect(const SymbolicGraph& graph) {
    Importer(graph, *this).expect();
}

GraphResult import_graph(const SymbolicGraph& graph, Meeting& meeting) {
    return Importer(graph, meeting).run();
}

}  // namespace treaty::symbolic
