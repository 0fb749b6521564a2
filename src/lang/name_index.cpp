#include "lang/name_index.h"

#include <algorithm>
#include <tuple>

namespace treaty::lang {

// Two passes: what a file declares is known before any use is looked at, since the order does not matter.
class Indexer {
public:
    Indexer(const Syntax& syntax, const base::Names& names, NameIndex& out)
        : syntax_(syntax), names_(names), out_(out) {}

    void run() {
        declare_all();
        for (const ItemSyntax& item : syntax_.items) visit(item);
        std::sort(out_.mentions_.begin(), out_.mentions_.end(), [](const Mention& a, const Mention& b) {
            return std::tuple(a.span.file.index, a.span.begin) < std::tuple(b.span.file.index, b.span.begin);
        });
    }

private:
    using Table = absl::flat_hash_map<NameId, SymbolId>;

    SymbolId add(SymbolKind kind, const Name& name, Span whole, SymbolId owner = {}, std::size_t item = 0) {
        Symbol symbol;
        symbol.kind = kind;
        symbol.name = name.id;
        symbol.declared = name.span;
        symbol.whole = whole;
        symbol.owner = owner;
        symbol.item = static_cast<std::uint32_t>(item);
        out_.symbols_.push_back(symbol);
        SymbolId id(out_.symbols_.size() - 1);
        if (owner) out_.owned_[owner].push_back(id);
        mention(name, id, true);
        return id;
    }

    void mention(const Name& name, SymbolId symbol, bool declares = false) {
        if (symbol && name.id) out_.mentions_.push_back({name.span, symbol, declares});
    }

    static SymbolId find(const Table& table, NameId name) {
        auto found = table.find(name);
        return found == table.end() ? SymbolId() : found->second;
    }

    // What is declared twice is one symbol.
    SymbolId declare(Table& table, SymbolKind kind, const Name& name, Span whole, std::size_t item,
                     SymbolId owner = {}) {
        if (!name.id) return {};
        if (SymbolId known = find(table, name.id)) {
            mention(name, known, true);
            return known;
        }
        return table[name.id] = add(kind, name, whole, owner, item);
    }

    void declare_fields(Range range, SymbolKind kind, SymbolId owner) {
        if (!owner) return;
        Table& own = fields_[owner];
        for (std::size_t i = 0; i < range.count; ++i) {
            const FieldSyntax& f = syntax_.fields[range.first + i];
            SymbolId id = declare(own, kind, f.name, f.name.span, i, owner);
            if (id) out_.symbols_[id.index].type = f.type;
        }
    }

    void declare_all() {
        for (std::size_t i = 0; i < syntax_.messages.size(); ++i) {
            const MessageSyntax& m = syntax_.messages[i];
            declare_fields(m.fields, SymbolKind::field,
                           declare(messages_, SymbolKind::message, m.name, m.span, i));
        }
        for (std::size_t i = 0; i < syntax_.enums.size(); ++i) {
            const EnumSyntax& e = syntax_.enums[i];
            SymbolId id = declare(types_, SymbolKind::enumeration, e.name, e.span, i);
            for (const Name& n : Syntax::part(syntax_.names, e.members))
                declare(members_, SymbolKind::member, n, n.span, 0, id);
        }
        for (std::size_t i = 0; i < syntax_.records.size(); ++i) {
            const RecordSyntax& r = syntax_.records[i];
            declare_fields(r.fields, SymbolKind::field,
                           declare(types_, SymbolKind::record, r.name, r.span, i));
        }
        for (std::size_t i = 0; i < syntax_.aliases.size(); ++i) {
            const AliasSyntax& a = syntax_.aliases[i];
            SymbolId id = declare(types_, SymbolKind::alias, a.name, a.span, i);
            if (id) out_.symbols_[id.index].type = a.type;
        }
        for (std::size_t i = 0; i < syntax_.constants.size(); ++i) {
            const ConstantSyntax& c = syntax_.constants[i];
            SymbolId id = declare(constants_, SymbolKind::constant, c.name, c.span, i);
            if (id) out_.symbols_[id.index].type = c.type;
        }
        for (std::size_t i = 0; i < syntax_.functions.size(); ++i) {
            const FunctionSyntax& f = syntax_.functions[i];
            SymbolId id = declare(functions_, SymbolKind::function, f.name, f.span, i);
            if (id) out_.symbols_[id.index].type = f.result;
            declare_fields(f.fields, SymbolKind::parameter, id);
        }
        for (std::size_t i = 0; i < syntax_.protocols.size(); ++i) {
            const ProtocolSyntax& p = syntax_.protocols[i];
            Span whole = p.body ? base::cover(p.span, syntax_[p.body].span) : p.span;
            SymbolId id = declare(protocols_, SymbolKind::protocol, p.name, whole, i);
            for (const Name& n : Syntax::part(syntax_.names, p.roles))
                any_roles_[n.id] = declare(roles_[id], SymbolKind::role, n, n.span, 0, id);
        }
        for (std::size_t i = 0; i < syntax_.wires.size(); ++i)
            declare(wires_, SymbolKind::wire, syntax_.wires[i].name, syntax_.wires[i].span, i);
        for (std::size_t i = 0; i < syntax_.properties.size(); ++i)
            declare(properties_, SymbolKind::property, syntax_.properties[i].name, syntax_.properties[i].span,
                    i);
    }

    void visit(const ItemSyntax& item) {
        scope_.clear();
        trail_.clear();
        switch (item.kind) {
            case ItemKind::message: visit(syntax_.messages[item.index]); break;
            case ItemKind::record: types_of(syntax_.records[item.index].fields); break;
            case ItemKind::alias: type(syntax_.aliases[item.index].type); break;
            case ItemKind::constant: visit(syntax_.constants[item.index]); break;
            case ItemKind::function: visit(syntax_.functions[item.index]); break;
            case ItemKind::protocol: visit(syntax_.protocols[item.index]); break;
            case ItemKind::wire: visit(syntax_.wires[item.index]); break;
            case ItemKind::property: visit(syntax_.properties[item.index]); break;
            default: break;  // enumerations and imports name nothing else
        }
    }

    void types_of(Range fields) {
        for (const FieldSyntax& f : Syntax::part(syntax_.fields, fields)) type(f.type);
    }

    void type(TypeSyntaxId id) {
        if (!id) return;
        const TypeSyntax& t = syntax_[id];
        mention(t.name, find(types_, t.name.id));
        type(t.key);
        type(t.element);
        expression(t.low);
        expression(t.high);
    }

    // The fields of a message, a record or a function, by their bare names.
    void enter_fields(SymbolId owner) {
        auto own = fields_.find(owner);
        if (own == fields_.end()) return;
        for (const auto& [name, symbol] : own->second) scope_[name] = symbol;
    }

    void visit(const MessageSyntax& m) {
        types_of(m.fields);
        enter_fields(find(messages_, m.name.id));
        expression(m.where);
    }

    void visit(const ConstantSyntax& c) {
        type(c.type);
        expression(c.value);
    }

    void visit(const FunctionSyntax& f) {
        types_of(f.fields);
        type(f.result);
        enter_fields(find(functions_, f.name.id));
        expression(f.body);
    }

    void visit(const ProtocolSyntax& p) {
        protocol_ = find(protocols_, p.name.id);
        loops_.clear();
        signals_.clear();
        if (p.body) visible_until_ = syntax_[p.body].span;
        for (const FieldSyntax& f : Syntax::part(syntax_.fields, p.parameters)) {
            type(f.type);
            bind(f.name, f.type, record_named(f.type));
        }
        if (p.body) block(p.body);
        protocol_ = {};
    }

    void role(const Name& name) { mention(name, find(protocol_ ? roles_[protocol_] : any_roles_, name.id)); }

    SymbolId message(const Name& name) {
        if (!name.id) return {};
        SymbolId known = find(messages_, name.id);
        if (known) {
            mention(name, known);
            return known;
        }
        SymbolId id = messages_[name.id] = add(SymbolKind::message, name, name.span);
        out_.symbols_[id.index].is_declared = false;
        return id;
    }

    void bind(const Name& name, TypeSyntaxId type, SymbolId record) {
        if (!name.id) return;
        if (SymbolId known = find(scope_, name.id)) return mention(name, known, true);
        Span visible = visible_until_;
        visible.file = name.span.file;
        visible.begin = name.span.begin;
        visible.end = std::max(visible.end, name.span.end);
        SymbolId id = add(SymbolKind::variable, name, visible, protocol_);
        out_.symbols_[id.index].type = type;
        out_.symbols_[id.index].record = record;
        trail_.push_back(name.id);
        scope_[name.id] = id;
    }

    void block(BlockId id) {
        std::size_t mark = trail_.size();
        Span outer = visible_until_;
        visible_until_ = syntax_[id].span;
        for (StepId s : syntax_.steps_of(id)) step(syntax_[s]);
        visible_until_ = outer;
        for (; trail_.size() > mark; trail_.pop_back()) scope_.erase(trail_.back());
    }

    void step(const Step& s) {
        auto names = Syntax::part(syntax_.names, s.roles);
        SymbolId outer_loop;
        switch (s.kind) {
            case StepKind::wrong:
                for (const Name& n : names) bind(n, {}, {});
                return;
            case StepKind::interaction:
                role(s.role);
                for (const Name& n : names) role(n);
                arguments(s.arguments, message(s.name));
                expression(s.condition);
                return;
            case StepKind::let:
                type(s.type);
                expression(s.condition);
                if (s.condition && syntax_[s.condition].kind == SyntaxExprKind::update) return;
                bind(s.name, s.type ? s.type : type_of(s.condition),
                     s.type ? record_named(s.type) : record_of(s.condition));
                return;
            case StepKind::call:
                mention(s.name, find(protocols_, s.name.id));
                call(s);
                return;
            case StepKind::signal:
            case StepKind::wait: return signal(s.name);
            case StepKind::jump: return mention(s.name, find(loops_, s.name.id));
            case StepKind::rec:
                outer_loop = find(loops_, s.name.id);
                loops_[s.name.id] = add(SymbolKind::loop, s.name, s.span, protocol_);
                break;
            default: role(s.role); break;
        }
        expression(s.condition);
        for (const CaseSyntax& c : syntax_.cases_of(s))
            for (const CaseValueSyntax& value : Syntax::part(syntax_.case_values, c.values)) {
                expression(value.low);
                expression(value.high);
            }
        for (BlockId b : syntax_.blocks_of(s)) block(b);
        if (s.kind == StepKind::rec) loops_[s.name.id] = outer_loop;
    }

    // The roles of a call, then its values.
    void call(const Step& s) {
        auto names = Syntax::part(syntax_.names, s.roles);
        auto callee = std::find_if(syntax_.protocols.begin(), syntax_.protocols.end(),
                                   [&](const ProtocolSyntax& p) { return p.name.id == s.name.id; });
        std::size_t roles = callee == syntax_.protocols.end() ? names.size() : callee->roles.count;
        for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), roles); ++i) role(names[i]);
        for (std::size_t i = roles; i < s.arguments.count; ++i) {
            const ArgumentSyntax& a = syntax_.arguments[s.arguments.first + i];
            TypeSyntaxId type;
            if (callee != syntax_.protocols.end() && i - roles < callee->parameters.count)
                type = syntax_.fields[callee->parameters.first + (i - roles)].type;
            if (a.bind.id)
                bind(a.bind, type, record_named(type));
            else
                expression(a.value);
        }
    }

    void signal(const Name& name) {
        if (!name.id) return;
        if (SymbolId known = find(signals_, name.id)) return mention(name, known);
        signals_[name.id] = add(SymbolKind::signal, name, name.span, protocol_);
    }

    void arguments(Range range, SymbolId of) {
        for (std::size_t i = 0; i < range.count; ++i) {
            const ArgumentSyntax& a = syntax_.arguments[range.first + i];
            SymbolId field = a.field.id ? field_of(of, a.field.id) : field_at(of, i);
            mention(a.field, a.field.id ? field : SymbolId());
            TypeSyntaxId type = field ? out_[field].type : TypeSyntaxId();
            if (a.bind.id)
                bind(a.bind, type, record_named(type));
            else
                expression(a.value);
        }
    }

    SymbolId field_of(SymbolId owner, NameId name) const {
        auto own = fields_.find(owner);
        return own == fields_.end() ? SymbolId() : find(own->second, name);
    }

    SymbolId field_at(SymbolId owner, std::size_t position) const {
        auto own = fields_.find(owner);
        if (own == fields_.end()) return {};
        for (const auto& [name, symbol] : own->second)
            if (out_[symbol].item == position) return symbol;
        return {};
    }

    void expression(SyntaxExprId id) {
        if (!id) return;
        const SyntaxExpr& e = syntax_[id];
        auto children = syntax_.children(e);
        if (e.kind == SyntaxExprKind::with && children.size() == 3) {
            expression(children[0]);
            if (SymbolId record = record_of(children[0]))
                target(children[1], record);
            else
                expression(children[1]);
            return expression(children[2]);
        }
        if (binds_items(e.kind)) return items(e);
        for (SyntaxExprId child : children) expression(child);
        if (e.kind == SyntaxExprKind::name) {
            SymbolId known = find(scope_, e.name);
            if (!known) known = find(constants_, e.name);
            mention({e.name, e.span}, known ? known : find(members_, e.name));
        }
        if (e.kind == SyntaxExprKind::call) {
            SymbolId called = find(functions_, e.name);
            if (!called) called = record_symbol(e.name);
            mention({e.name, e.op_span}, called);
            for (const Name& n : Syntax::part(syntax_.names, e.names)) mention(n, field_of(called, n.id));
        }
        if (e.kind == SyntaxExprKind::field && !children.empty())
            mention({e.name, e.op_span}, field_of(record_of(children[0]), e.name));
    }

    static bool binds_items(SyntaxExprKind kind) {
        return kind == SyntaxExprKind::for_all || kind == SyntaxExprKind::exists ||
               kind == SyntaxExprKind::count || kind == SyntaxExprKind::each || kind == SyntaxExprKind::fold;
    }

    // The names that it binds are known in all that is done for each item, and nowhere else.
    void items(const SyntaxExpr& e) {
        auto children = syntax_.children(e);
        bool fold = e.kind == SyntaxExprKind::fold;
        std::size_t outside = fold ? 2 : 1;
        for (SyntaxExprId child : children.first(outside)) expression(child);
        TypeSyntaxId collection = type_of(children[fold ? 1 : 0]);
        std::vector<std::pair<NameId, SymbolId>> before;
        for (const Name& n : Syntax::part(syntax_.names, e.names)) {
            before.emplace_back(n.id, find(scope_, n.id));
            SymbolId id = add(SymbolKind::variable, n, e.span, protocol_);
            bool item = !fold || before.size() == 2;
            if (item && collection)
                out_.symbols_[id.index].type =
                    syntax_[collection].key ? syntax_[collection].key : syntax_[collection].element;
            scope_[n.id] = id;
        }
        for (SyntaxExprId child : children.subspan(outside)) expression(child);
        for (auto [name, symbol] : before)
            if (symbol)
                scope_[name] = symbol;
            else
                scope_.erase(name);
    }

    // What changes in a record: a field, or a part of one. The record that the part is, if it is one.
    SymbolId target(SyntaxExprId id, SymbolId record) {
        const SyntaxExpr& e = syntax_[id];
        auto children = syntax_.children(e);
        if (e.kind == SyntaxExprKind::index && children.size() == 2) {
            target(children[0], record);
            expression(children[1]);
            return {};
        }
        bool field = e.kind == SyntaxExprKind::field && !children.empty();
        if (!field && e.kind != SyntaxExprKind::name) return {};
        SymbolId owner = field ? target(children[0], record) : record;
        SymbolId changed = field_of(owner, e.name);
        mention({e.name, field ? e.op_span : e.span}, changed);
        return changed ? record_named(out_[changed].type) : SymbolId();
    }

    SymbolId record_symbol(NameId name) const {
        SymbolId found = find(types_, name);
        return found && out_[found].kind == SymbolKind::record ? found : SymbolId();
    }

    // Through aliases, which cannot be longer than there are types.
    SymbolId record_named(TypeSyntaxId type) const {
        for (std::size_t i = 0; type && i <= types_.size(); ++i) {
            SymbolId named = find(types_, syntax_[type].name.id);
            if (!named) return {};
            if (out_[named].kind == SymbolKind::record) return named;
            if (out_[named].kind != SymbolKind::alias) return {};
            type = out_[named].type;
        }
        return {};
    }

    TypeSyntaxId type_of(SyntaxExprId id) const {
        if (!id) return {};
        const SyntaxExpr& e = syntax_[id];
        auto children = syntax_.children(e);
        SymbolId symbol;
        if (e.kind == SyntaxExprKind::name) symbol = find(scope_, e.name);
        if (e.kind == SyntaxExprKind::name && !symbol) symbol = find(constants_, e.name);
        if (e.kind == SyntaxExprKind::field && !children.empty())
            symbol = field_of(record_of(children[0]), e.name);
        if (e.kind == SyntaxExprKind::call) symbol = find(functions_, e.name);
        if (symbol) return out_[symbol].type;
        bool opens = e.kind == SyntaxExprKind::index ||
                     (e.kind == SyntaxExprKind::call && names_.text(e.name) == "value");
        if (!opens || children.empty()) return {};
        TypeSyntaxId outer = type_of(children[0]);
        return outer ? syntax_[outer].element : TypeSyntaxId();
    }

    SymbolId record_of(SyntaxExprId id) const {
        if (!id) return {};
        const SyntaxExpr& e = syntax_[id];
        if (e.kind == SyntaxExprKind::call && !find(functions_, e.name))
            if (SymbolId made = record_symbol(e.name)) return made;
        if (SymbolId named = record_named(type_of(id))) return named;
        SymbolId variable = e.kind == SyntaxExprKind::name ? find(scope_, e.name) : SymbolId();
        return variable ? out_[variable].record : SymbolId();
    }

    void visit(const WireSyntax& w) {
        SymbolId wire = find(wires_, w.name.id);
        for (const LayoutSyntax& l : Syntax::part(syntax_.layouts, w.layouts)) {
            scope_.clear();
            SymbolId of = message(l.message);
            enter_fields(of);
            for (const Name& n : Syntax::part(syntax_.names, l.fields)) mention(n, field_of(of, n.id));
            items(l.items, of, wire, l.span);
        }
        expression(w.prefix);
    }

    void items(Range range, SymbolId of, SymbolId wire, Span layout) {
        for (std::uint32_t i : Syntax::part(syntax_.wire_lists, range)) {
            const WireItemSyntax& item = syntax_.wire_items[i];
            if (item.kind == WireItemKind::protobuf) {
                protobuf(item.inner, of);
                continue;
            }
            if (item.name.id) {
                SymbolId known = find(scope_, item.name.id);
                if (known)
                    mention(item.name, known);
                else
                    scope_[item.name.id] = add(SymbolKind::variable, item.name, layout, wire);
            }
            for (SyntaxExprId e : {item.fixed, item.size, item.value, item.condition, item.key, item.more})
                expression(e);
            items(item.inner, of, wire, layout);
        }
    }

    // The record that a type is, or has as its elements or values.
    SymbolId record_inside(TypeSyntaxId type) const {
        while (type && syntax_[type].element) type = syntax_[type].element;
        return record_named(type);
    }

    // of: the message or the record that has the fields; none if it is not known.
    void protobuf(Range range, SymbolId of) {
        for (std::uint32_t i : Syntax::part(syntax_.wire_lists, range)) {
            const WireItemSyntax& item = syntax_.wire_items[i];
            if (item.kind == WireItemKind::protobuf_oneof) {
                protobuf(item.inner, of);
            } else if (item.kind == WireItemKind::protobuf_member) {
                mention(item.name, find(members_, item.name.id));
            } else {
                SymbolId field = of ? field_of(of, item.name.id) : SymbolId();
                if (field) mention(item.name, field);
                protobuf(item.inner, field ? record_inside(out_[field].type) : SymbolId());
            }
        }
    }

    void visit(const PropertySyntax& p) {
        visible_until_ = p.span;
        role(p.at);
        for (Range range : {p.after, p.then})
            for (const PatternSyntax& pattern : Syntax::part(syntax_.patterns, range)) {
                role(pattern.from);
                role(pattern.to);
                arguments(pattern.arguments, message(pattern.message));
                expression(pattern.where);
            }
        for (Range range : {p.premises, p.conclusions})
            for (const Name& n : Syntax::part(syntax_.names, range)) mention(n, find(properties_, n.id));
        visible_until_ = {};
    }

    const Syntax& syntax_;
    const base::Names& names_;
    NameIndex& out_;
    Table messages_, types_, members_, constants_, functions_, protocols_, wires_, properties_, any_roles_;
    absl::flat_hash_map<SymbolId, Table> fields_, roles_;
    SymbolId protocol_;  // the one being visited
    Table scope_;        // what a bare name in an expression means
    std::vector<NameId> trail_;
    Table loops_, signals_;  // of the protocol
    Span visible_until_;     // the block
};

NameIndex::NameIndex(const Syntax& syntax, const base::Names& names) {
    Indexer(syntax, names, *this).run();
}

const Mention* NameIndex::at(base::FileId file, std::uint32_t offset) const {
    const Mention* best = nullptr;
    for (const Mention& m : mentions_)
        if (m.span.file == file && m.span.begin <= offset && offset <= m.span.end)
            if (!best || m.span.begin > best->span.begin) best = &m;
    return best;
}

std::vector<Mention> NameIndex::of(SymbolId symbol) const {
    std::vector<Mention> result;
    for (const Mention& m : mentions_)
        if (m.symbol == symbol) result.push_back(m);
    return result;
}

SymbolId NameIndex::find(SymbolKind kind, NameId name) const {
    for (std::size_t i = 0; i < symbols_.size(); ++i)
        if (symbols_[i].kind == kind && symbols_[i].name == name && !symbols_[i].owner) return SymbolId(i);
    return {};
}

std::vector<SymbolId> NameIndex::owned(SymbolId owner, SymbolKind kind) const {
    std::vector<SymbolId> result;
    auto all = owned_.find(owner);
    if (all == owned_.end()) return result;
    for (SymbolId id : all->second)
        if ((*this)[id].kind == kind) result.push_back(id);
    return result;
}

std::vector<SymbolId> NameIndex::visible(base::FileId file, std::uint32_t offset) const {
    auto inside = [&](Span span) { return span.file == file && span.begin < offset && offset <= span.end; };
    std::vector<SymbolId> result;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
        const Symbol& s = symbols_[i];
        bool bare = s.kind == SymbolKind::field || s.kind == SymbolKind::parameter;
        if (s.kind == SymbolKind::variable ? inside(s.whole)
                                           : bare && s.owner && inside((*this)[s.owner].whole))
            result.push_back(SymbolId(i));
    }
    return result;
}

std::string_view to_string(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::message: return "message";
        case SymbolKind::field: return "field";
        case SymbolKind::enumeration: return "enum";
        case SymbolKind::member: return "member";
        case SymbolKind::record: return "record";
        case SymbolKind::alias: return "type";
        case SymbolKind::constant: return "const";
        case SymbolKind::function: return "function";
        case SymbolKind::parameter: return "parameter";
        case SymbolKind::protocol: return "protocol";
        case SymbolKind::role: return "role";
        case SymbolKind::variable: return "value";
        case SymbolKind::loop: return "loop";
        case SymbolKind::signal: return "signal";
        case SymbolKind::wire: return "wire";
        case SymbolKind::property: return "property";
    }
    return "";
}

}  // namespace treaty::lang
