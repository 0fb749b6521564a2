#include "lang/resolve_protobuf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/type_expr.h"
#include "wire/protobuf_types.h"

namespace treaty::lang {
namespace {

namespace forms = model::forms;
using expr::TypeId;
using expr::TypeKind;
using forms::ProtobufKind;

class ProtobufResolver {
public:
    ProtobufResolver(Context& context, const model::Message& message, std::string_view name,
                     std::span<const expr::VarId> variables)
        : c_(context),
          pool_(*context.spec.pool),
          types_(*context.spec.types),
          message_(message),
          message_name_(name),
          variables_(variables) {}

    ResolvedProtobuf run(const WireItemSyntax& s) {
        ResolvedProtobuf out;
        out.form.open = s.open;
        fields(s.inner, {message_name_, message_.fields, {}}, false, out.form.inner);
        out.carried = std::move(carried_);
        return out;
    }

private:
    // What the fields of a protobuf message are: those of the Treaty message or of a record.
    struct FieldScope {
        std::string_view name;
        std::span<const expr::Field> fields;
        TypeId record;  // none: the message's
    };

    struct Seen {
        absl::flat_hash_map<std::int64_t, Span> numbers;
        absl::flat_hash_set<NameId> names;
    };

    void fields(Range range, const FieldScope& scope, bool in_oneof, std::vector<model::Item>& out,
                Seen* around = nullptr) {
        Seen own;
        Seen& seen = around ? *around : own;
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, range)) {
            const WireItemSyntax& s = c_.syntax.wire_items[i];
            model::Item item;
            item.span = s.span;
            if (s.kind == WireItemKind::protobuf_oneof) {
                forms::ProtobufOneof oneof;
                fields(s.inner, scope, true, oneof.inner, &seen);
                item.form = std::move(oneof);
            } else {
                auto resolved = field(s, scope, in_oneof, seen);
                if (!resolved) continue;
                item.form = std::move(*resolved);
            }
            out.push_back(std::move(item));
        }
        if (around || !scope.record) return;
        std::string missing;
        for (const expr::Field& f : scope.fields)
            if (!seen.names.contains(f.name))
                missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", c_.text(f.name));
        if (!missing.empty())
            c_.report(codes::layout_incomplete, around_,
                      fmt::format("this layout does not carry {} of {}", missing, scope.name));
    }

    std::optional<forms::ProtobufField> field(const WireItemSyntax& s, const FieldScope& scope, bool in_oneof,
                                              Seen& seen) {
        forms::ProtobufField out;
        out.number = number(s, seen);
        out.required = s.required;
        out.expanded = s.expanded;
        out.closed = s.closed;
        out.open = s.open;
        out.map = static_cast<bool>(s.transform.id);
        bool known = kind(s.keyword, out.kind);
        if (out.map) known = kind(s.transform.span, out.key) && known;
        out.name = s.name.id;
        auto found = std::find_if(scope.fields.begin(), scope.fields.end(),
                                  [&](const expr::Field& f) { return f.name == s.name.id; });
        if (found == scope.fields.end()) {
            std::vector<std::string_view> candidates;
            for (const expr::Field& f : scope.fields) candidates.push_back(c_.text(f.name));
            c_.report(codes::unknown_field, s.name.span,
                      fmt::format("`{}` has no field `{}`", scope.name, c_.text(s.name.id)))
                .help(did_you_mean(c_.text(s.name.id), candidates));
            return std::nullopt;
        }
        out.position = static_cast<std::uint32_t>(found - scope.fields.begin());
        if (!seen.names.insert(s.name.id).second && scope.record)
            c_.report(codes::given_twice, s.name.span,
                      fmt::format("`{}` occurs twice in this message", c_.text(s.name.id)));
        if (!scope.record) {
            out.variable = variables_[out.position];
            carried_.push_back(s.name);
        }
        TypeId type = value_type(found->type);
        if (types_.kind(type) == TypeKind::unknown || !known) return out;
        bool is_enum = out.kind == ProtobufKind::enumeration && types_.kind(type) == TypeKind::enumeration;
        if (is_enum && !members(s, type, out.numbers)) return out;
        if (std::string fault = wire::protobuf_type_fault(pool_, out, found->type, in_oneof);
            !fault.empty()) {
            c_.report(codes::type_mismatch, s.name.span, fmt::format("`{}`: {}", c_.text(s.name.id), fault));
            return out;
        }
        if (out.kind == ProtobufKind::message) {
            Span outer = std::exchange(around_, s.name.span);
            fields(s.inner, {c_.text(types_[type].name), types_[type].fields, type}, false, out.inner);
            around_ = outer;
        }
        return out;
    }

    // The type of one value: of a list its elements, of a map its values.
    TypeId value_type(TypeId type) const {
        TypeKind kind = types_.kind(type);
        if (kind == TypeKind::map) return types_.value_of(type);
        return kind == TypeKind::list || kind == TypeKind::optional ? types_[type].element : type;
    }

    std::uint32_t number(const WireItemSyntax& s, Seen& seen) {
        std::int64_t n = plain_number(s.fixed, 1, wire::most_protobuf_number,
                                      "the number of a protobuf field is 1 to 536870911");
        Span at = c_.syntax[s.fixed].span;
        if (!wire::is_protobuf_number(n))
            c_.report(codes::outside_range, at, "the numbers 19000 to 19999 belong to protobuf itself");
        if (auto [first, added] = seen.numbers.try_emplace(n, at); !added && first->second != at)
            c_.report(codes::given_twice, at, fmt::format("the message has a field {} already", n))
                .label(first->second, "first here");
        return static_cast<std::uint32_t>(n);
    }

    bool kind(Span word, ProtobufKind& out) {
        auto known = wire::protobuf_kind(c_.text(word));
        if (known) {
            out = *known;
            return true;
        }
        c_.report(codes::wrong_framing, word, fmt::format("protobuf has no `{}`", c_.text(word)))
            .help(
                "known: int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64, "
                "float, double, bool, string, bytes, enum, message, map<KEY, VALUE>");
        return false;
    }

    // The number of each member, in the order of the type. False if there is not exactly one.
    bool members(const WireItemSyntax& s, TypeId type, std::vector<std::int32_t>& out) {
        const std::vector<NameId>& members = types_[type].members;
        std::vector<bool> given(members.size());
        out.assign(members.size(), 0);
        bool fine = true;
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, s.inner)) {
            const WireItemSyntax& m = c_.syntax.wire_items[i];
            auto at = static_cast<std::size_t>(std::find(members.begin(), members.end(), m.name.id) -
                                               members.begin());
            if (at == members.size() || given[at]) {
                fine = false;
                c_.report(at == members.size() ? codes::unknown_field : codes::given_twice, m.name.span,
                          at == members.size()
                              ? fmt::format("`{}` is not a member of {}", c_.text(m.name.id),
                                            types_.print(type, *c_.spec.names))
                              : fmt::format("`{}` has a number already", c_.text(m.name.id)));
                continue;
            }
            given[at] = true;
            out[at] = static_cast<std::int32_t>(plain_number(
                m.fixed, INT32_MIN, INT32_MAX, "the number of a member has 32 bits, as a plain number"));
        }
        std::string missing;
        for (std::size_t m = 0; m < members.size(); ++m)
            if (!given[m]) missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", c_.text(members[m]));
        if (!missing.empty() && fine)
            c_.report(codes::layout_incomplete, s.name.span,
                      fmt::format("the layout does not have the number of {}", missing));
        return fine && missing.empty();
    }

    std::int64_t plain_number(SyntaxExprId e, std::int64_t low, std::int64_t high, std::string_view what) {
        expr::ExprId number = type_expression(c_, Scope(), e, types_.integer(), "a number");
        bool plain =
            pool_[number].op == expr::Op::literal && types_.kind(pool_[number].type) == TypeKind::integer;
        std::int64_t n = plain ? pool_.literal_of(number).integer() : 0;
        if (plain && n >= low && n <= high) return n;
        if (plain || types_.kind(pool_[number].type) != TypeKind::unknown)
            c_.report(codes::outside_range, c_.syntax[e].span, std::string(what));
        return low;
    }

    Context& c_;
    expr::Pool& pool_;
    expr::Types& types_;
    const model::Message& message_;
    std::string_view message_name_;
    std::span<const expr::VarId> variables_;
    std::vector<Name> carried_;
    Span around_;  // the field that is the message
};

}  // namespace

ResolvedProtobuf resolve_protobuf(Context& c, const WireItemSyntax& item, const model::Message& message,
                                  std::string_view name, std::span<const expr::VarId> variables) {
    return ProtobufResolver(c, message, name, variables).run(item);
}

}  // namespace treaty::lang
