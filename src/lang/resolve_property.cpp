// Properties of traffic: local ones over the messages of one role, global ones over local ones.
#include <limits>

#include <fmt/format.h>

#include "base/limits.h"
#include "lang/codes.h"
#include "lang/lexer.h"
#include "lang/resolve_wire.h"
#include "lang/type_expr.h"

namespace treaty::lang {
namespace {

class PropertyResolver {
public:
    PropertyResolver(Context& context, const PropertySyntax& syntax)
        : c_(context), pool_(*context.spec.pool), types_(*context.spec.types), s_(syntax) {}

    void local(model::Property& out) {
        c_.missing_variables.clear();
        out.at = role(s_.at);
        out.forbid = s_.forbid;
        within(out);
        for (const PatternSyntax& p : Syntax::part(c_.syntax.patterns, s_.after)) pattern(p, out, out.after);
        // Alternatives do not see one another's names.
        for (const PatternSyntax& p : Syntax::part(c_.syntax.patterns, s_.then)) {
            std::size_t mark = scope_.enter();
            pattern(p, out, out.then);
            scope_.leave(mark);
        }
    }

    void global(model::Property& out) {
        out.global = true;
        out.negated = s_.negated;
        names(s_.premises, out.premises);
        names(s_.conclusions, out.conclusions);
    }

private:
    model::RoleId role(const Name& n) {
        model::RoleId id = c_.spec.alphabet->find_role(c_.text(n.id));
        if (id || c_.lost.contains(n.id) || !missing_roles_.insert(n.id).second) return id;
        std::vector<std::string_view> candidates;
        for (std::size_t i = 0; i < c_.spec.alphabet->role_count(); ++i)
            candidates.push_back(c_.spec.alphabet->name(model::RoleId(i)));
        c_.report(codes::unknown_role, n.span, fmt::format("no protocol has a role `{}`", c_.text(n.id)))
            .help(did_you_mean(c_.text(n.id), candidates));
        return {};
    }

    void within(model::Property& out) {
        if (!s_.within.valid()) return;
        std::string_view text = c_.text(s_.within);
        bool hexadecimal = text.starts_with("0x");
        bool number = hexadecimal || text.find_first_not_of("0123456789") == std::string_view::npos;
        bool duration = text.ends_with('s') || text.ends_with('m') || text.ends_with('h');
        auto count = number ? integer_value(text) : std::nullopt;
        if (count && *count <= std::numeric_limits<std::uint32_t>::max()) {
            out.within = static_cast<std::uint32_t>(*count);
            return;
        }
        if (auto d = duration ? base::parse_duration(text) : std::nullopt)
            out.within_ns = d->count();
        else if (number || duration)
            c_.report(codes::bad_number, s_.within, "this number is too large");
    }

    void pattern(const PatternSyntax& p, const model::Property& property,
                 std::vector<model::MessagePattern>& out) {
        model::MessagePattern m;
        m.span = p.span;
        m.from = role(p.from);
        m.to = role(p.to);
        m.message = c_.spec.alphabet->find_message(c_.text(p.message.id));
        bool doubtful = m.message && c_.broken.contains(p.message.id) && !c_.spec.message(m.message).declared;
        if (!m.message || doubtful) {
            bool silent = c_.broken.contains(p.message.id) || c_.lost.contains(p.message.id);
            if (!silent && c_.missing_messages.insert(p.message.id).second) {
                std::vector<std::string_view> candidates;
                for (std::size_t i = 0; i < c_.spec.alphabet->message_count(); ++i)
                    candidates.push_back(c_.spec.alphabet->name(model::MessageId(i)));
                c_.report(codes::unknown_message, p.message.span,
                          fmt::format("unknown message `{}`", c_.text(p.message.id)))
                    .help(did_you_mean(c_.text(p.message.id), candidates));
            }
            // Its names exist all the same.
            for (const ArgumentSyntax& a : Syntax::part(c_.syntax.arguments, p.arguments)) bind_anything(a);
        } else {
            fields(p, m);
        }
        if (property.at && m.from && m.to && m.from != property.at && m.to != property.at)
            c_.report(codes::foreign_pattern, p.span,
                      fmt::format("`{}` neither sends nor receives this message",
                                  c_.spec.alphabet->name(property.at)));
        if (p.where) m.where = type_condition(c_, scope_, p.where);
        out.push_back(std::move(m));
    }

    void bind_anything(const ArgumentSyntax& a) {
        if (const Name* n = bare_name(a)) scope_.bind(n->id, pool_.declare(n->id, types_.unknown()), n->span);
    }

    // `field = x` and `field = let x` give the field's value a name, if x has none yet.
    const Name* bare_name(const ArgumentSyntax& a) {
        if (a.bind.id) return &a.bind;
        if (!a.value || c_.syntax[a.value].kind != SyntaxExprKind::name) return nullptr;
        const SyntaxExpr& e = c_.syntax[a.value];
        if (scope_.find(e.name) || c_.members.contains(e.name)) return nullptr;
        name_ = {e.name, e.span};
        return &name_;
    }

    void fields(const PatternSyntax& p, model::MessagePattern& out) {
        std::vector<expr::Field> fields = c_.spec.messages[out.message.index].fields;
        auto arguments = Syntax::part(c_.syntax.arguments, p.arguments);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const ArgumentSyntax& a = arguments[i];
            std::size_t at = i;
            if (a.field.id)
                for (at = 0; at < fields.size() && fields[at].name != a.field.id; ++at) {
                }
            if (at >= fields.size()) {
                c_.report(codes::unknown_field, a.field.id ? a.field.span : a.span,
                          fmt::format("`{}` does not have this field", c_.text(p.message.id)))
                    .label(c_.spec.messages[out.message.index].span, "the message is declared here");
                bind_anything(a);
                continue;
            }
            model::FieldPattern f;
            f.field = static_cast<std::uint32_t>(at);
            if (const Name* n = bare_name(a)) {
                f.bind = pool_.declare(n->id, fields[at].type);
                scope_.bind(n->id, f.bind, n->span);
            } else if (a.value) {
                f.equals = type_expression(c_, scope_, a.value, fields[at].type,
                                           fmt::format("`{}`", c_.text(fields[at].name)));
            } else {
                continue;  // `_`
            }
            out.fields.push_back(f);
        }
    }

    void names(Range range, std::vector<std::uint32_t>& out) {
        for (const Name& n : Syntax::part(c_.syntax.names, range)) {
            auto found = c_.properties.find(n.id);
            if (found != c_.properties.end()) {
                out.push_back(found->second);
                continue;
            }
            if (c_.broken.contains(n.id) || c_.lost.contains(n.id)) continue;
            std::vector<std::string_view> candidates;
            for (const auto& [name, position] : c_.properties) candidates.push_back(c_.text(name));
            c_.report(codes::unknown_property, n.span,
                      fmt::format("unknown local property `{}`", c_.text(n.id)))
                .help(did_you_mean(c_.text(n.id), candidates));
        }
    }

    Context& c_;
    expr::Pool& pool_;
    expr::Types& types_;
    const PropertySyntax& s_;
    Scope scope_;
    Name name_;
    absl::flat_hash_set<NameId> missing_roles_;
};

}  // namespace

void resolve_properties(Context& c) {
    absl::flat_hash_map<NameId, Span> names;
    auto add = [&](const PropertySyntax& s) -> model::Property* {
        auto [it, added] = names.try_emplace(s.name.id, s.name.span);
        if (!added) {
            c.report(codes::declared_twice, s.name.span,
                     fmt::format("property `{}` is declared twice", c.text(s.name.id)))
                .label(it->second, "first here");
            return nullptr;
        }
        model::Property& p = c.spec.properties.emplace_back();
        p.name = s.name.id;
        p.span = s.span;
        return &p;
    };
    // Local ones first, so that global ones may come before them.
    for (const PropertySyntax& s : c.syntax.properties)
        if (!s.global)
            if (model::Property* p = add(s)) {
                c.properties[s.name.id] = static_cast<std::uint32_t>(c.spec.properties.size() - 1);
                PropertyResolver(c, s).local(*p);
            }
    for (const PropertySyntax& s : c.syntax.properties)
        if (s.global)
            if (model::Property* p = add(s)) PropertyResolver(c, s).global(*p);
}

}  // namespace treaty::lang
