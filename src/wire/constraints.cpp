#include "wire/constraints.h"

#include <algorithm>
#include <array>

#include "model/wire.h"
#include "wire/protobuf_types.h"

namespace treaty::wire {
namespace {

namespace forms = model::forms;
using expr::ExprId;
using expr::Op;
using expr::TypeId;
using expr::TypeKind;
using model::Item;
using model::Transform;

// A condition of the layout: `if` items whose conditions can be stated with the message's fields. Each is an
// atom; what is inside holds only where all atoms around it do.
using Guards = std::vector<std::size_t>;  // atoms, from the outside in

constexpr std::size_t most_atoms = 5;  // beyond these, conditions are left to trial

class Collector {
public:
    Collector(expr::Pool& pool, const Wire& wire, const Layout& layout,
              std::span<const expr::VarId> variables, Side side)
        : pool_(pool),
          wire_(wire),
          layout_(layout),
          variables_(variables),
          side_(side),
          carried_(variables.size()) {
        for (std::size_t i = 0; i < layout.fields.size() && i < variables.size(); ++i)
            by_[layout.fields[i]] = pool.var(variables[i]);
        find_names(layout.items);
    }

    std::vector<ExprId> run() {
        items(layout_.items, {}, true);
        if (!atoms_.empty()) always_.push_back(cases());
        return std::move(always_);
    }

private:
    struct Guarded {
        Guards guards;
        ExprId condition;
    };

    std::size_t field_index(expr::VarId layout_variable) const {
        for (std::size_t i = 0; i < layout_.fields.size() && i < variables_.size(); ++i)
            if (layout_variable && layout_.fields[i] == layout_variable) return i;
        return variables_.size();
    }

    TypeKind kind(expr::VarId v) const { return pool_.types().kind(pool_.variable(v).type); }
    ExprId boolean(Op op, ExprId a, ExprId b) {
        return pool_.make(op, pool_.types().boolean(), std::array{a, b});
    }
    ExprId size_of(ExprId x) { return pool_.make(Op::size, pool_.types().integer(), std::array{x}); }
    static bool is_text(TypeKind k) { return k == TypeKind::string || k == TypeKind::bytes; }

    // Names that only the bytes have: what they are computed from, or zero where nothing computes them, which
    // is what is written; read may be anything. Inside a repetition a name has a value each round.
    void find_names(std::span<const Item> list) {
        std::vector<const forms::Field*> open;
        gather(list, open);
        for (std::size_t before = 0; before != open.size();) {
            before = open.size();
            std::erase_if(open, [&](const forms::Field* i) {
                bool fits = !i->value || (only_fields(i->value) && same_type(i->value, i->variable));
                if (fits) by_[i->variable] = i->value ? substituted(i->value) : zero_of(i->variable);
                return fits;
            });
        }
    }

    void gather(std::span<const Item> list, std::vector<const forms::Field*>& out) const {
        for (const Item& i : list) {
            const auto* field = model::as<forms::Field>(i);
            bool named = field && field->variable && !by_.contains(field->variable) &&
                         (is_text(kind(field->variable)) || kind(field->variable) == TypeKind::integer);
            // Bytes of a given size that nothing computes are zeros, not empty.
            bool zero = side_ == Side::writing && !model::is<forms::ByteString>(i);
            if (named && (field->value || zero)) out.push_back(field);
            if (!model::is<forms::Repeat>(i)) gather(model::inner_of(i), out);
        }
    }

    bool same_type(ExprId value, expr::VarId variable) const {
        return pool_.types().base(pool_[value].type) == pool_.types().base(pool_.variable(variable).type);
    }

    ExprId zero_of(expr::VarId v) {
        switch (kind(v)) {
            case TypeKind::string: return pool_.literal(std::string(), pool_.types().string());
            case TypeKind::bytes: return pool_.literal(expr::Bytes{}, pool_.types().bytes());
            default: return pool_.integer(0);
        }
    }

    // What a field is read as where the layout leaves it out.
    ExprId left_out(expr::VarId v) {
        ExprId x = pool_.var(v);
        switch (kind(v)) {
            case TypeKind::string:
            case TypeKind::bytes: return boolean(Op::equal, x, zero_of(v));
            case TypeKind::list:
            case TypeKind::set:
            case TypeKind::map: return boolean(Op::equal, size_of(x), pool_.integer(0));
            case TypeKind::integer: return boolean(Op::equal, x, pool_.integer(0));
            case TypeKind::boolean: return pool_.logical_not(x);
            case TypeKind::enumeration:
                return boolean(Op::equal, x, pool_.literal(expr::EnumMember{0}, pool_.variable(v).type));
            default: return pool_.boolean(true);
        }
    }

    // known: all conditions around the items are atoms.
    void items(std::span<const Item> list, const Guards& guards, bool known) {
        for (const Item& i : list) {
            if (const auto* protobuf = model::as<forms::Protobuf>(i)) {
                fields(protobuf->inner, guards, known);
                continue;
            }
            if (std::size_t f = field_index(model::variable_of(i)); f < variables_.size()) {
                note(f, guards, known);
                of_field(i, variables_[f], guards, known);
            }
            const auto* named = model::as<forms::Field>(i);
            if (named && known && named->value && named->variable && only_fields(named->value) &&
                field_index(named->variable) == variables_.size() &&
                kind(named->variable) == TypeKind::integer)
                of_width(i, substituted(named->value), guards);
            if (const auto* check = model::as<forms::Check>(i)) {
                if (known && only_fields(check->condition)) add(guards, substituted(check->condition));
            } else if (const auto* repeat = model::as<forms::Repeat>(i)) {
                repetition(*repeat, guards, known);
            } else if (const auto* conditional = model::as<forms::Conditional>(i)) {
                bool said = known && only_fields(conditional->condition);
                std::size_t atom = said ? atom_of(substituted(conditional->condition)) : most_atoms;
                Guards inner = guards;
                if (atom < most_atoms) inner.push_back(atom);
                items(conditional->inner, inner, atom < most_atoms);
            } else {
                items(model::inner_of(i), guards, known);
            }
        }
    }

    // Numbers have the range of how they are encoded; of the fields of a oneof at most one has a value.
    void fields(std::span<const Item> list, const Guards& guards, bool known) {
        for (const Item& i : list) {
            if (const auto* oneof = model::as<forms::ProtobufOneof>(i)) {
                std::vector<ExprId> one;
                for (const Item& inner : oneof->inner) {
                    fields({&inner, 1}, guards, known);
                    std::size_t f = field_index(model::variable_of(inner));
                    if (f == variables_.size()) continue;
                    ExprId has =
                        pool_.make(Op::has, pool_.types().boolean(), std::array{pool_.var(variables_[f])});
                    for (ExprId other : one) add(guards, pool_.logical_not(pool_.logical_and(other, has)));
                    one.push_back(has);
                }
                continue;
            }
            const auto* field = model::as<forms::ProtobufField>(i);
            std::size_t f = field_index(model::variable_of(i));
            if (!field || f == variables_.size()) continue;
            note(f, guards, known);
            auto range = protobuf_range(field->kind);
            if (!range || kind(variables_[f]) != TypeKind::integer) continue;
            ExprId x = pool_.var(variables_[f]);
            if (range->low != INT64_MIN) add(guards, boolean(Op::less_equal, pool_.integer(range->low), x));
            if (range->high != INT64_MAX) add(guards, boolean(Op::less_equal, x, pool_.integer(range->high)));
        }
    }

    std::size_t atom_of(ExprId condition) {
        auto found = std::find(atoms_.begin(), atoms_.end(), condition);
        if (found != atoms_.end()) return static_cast<std::size_t>(found - atoms_.begin());
        if (atoms_.size() == most_atoms) return most_atoms;
        atoms_.push_back(condition);
        return atoms_.size() - 1;
    }

    void note(std::size_t field, const Guards& guards, bool known) {
        carried_[field].push_back(known ? std::optional(guards) : std::nullopt);
    }

    void add(const Guards& guards, ExprId condition) {
        if (guards.empty())
            always_.push_back(condition);
        else
            guarded_.push_back({guards, condition});
    }

    // All lists of a repetition have an element each round.
    void repetition(const forms::Repeat& repeat, const Guards& guards, bool known) {
        std::vector<std::size_t> lists;
        collected(repeat.inner, lists);
        if (lists.empty()) return;
        for (std::size_t f : lists) note(f, guards, known);
        if (!known) return;
        ExprId first = size_of(pool_.var(variables_[lists[0]]));
        for (std::size_t k = 1; k < lists.size(); ++k)
            add(guards, boolean(Op::equal, size_of(pool_.var(variables_[lists[k]])), first));
        if (!repeat.count || repeat.more || !only_fields(repeat.count)) return;
        ExprId count = substituted(repeat.count);
        if (count != first) add(guards, boolean(Op::equal, first, count));
    }

    void collected(std::span<const Item> list, std::vector<std::size_t>& out) const {
        for (const Item& i : list) {
            std::size_t f = field_index(model::list_of(i));
            bool added = f == variables_.size() || std::find(out.begin(), out.end(), f) != out.end();
            if (!added) out.push_back(f);
            if (!model::is<forms::Repeat>(i)) collected(model::inner_of(i), out);
        }
    }

    void of_field(const Item& i, expr::VarId v, const Guards& guards, bool known) {
        ExprId x = pool_.var(v);
        bool text = is_text(kind(v)), number = kind(v) == TypeKind::integer;
        const auto* pattern = model::as<forms::Text>(i);
        const auto* line = model::as<forms::Line>(i);
        if (pattern && text) {
            add(guards, pool_.matches(x, pattern->regex.pattern));
            if (!wire_.terminator.empty() && !escaped(wire_.terminator))
                without(guards, x, v, wire_.terminator);
        }
        if (line && text && line->transform == Transform::none) without(guards, x, v, line->end);
        if (number) of_width(i, x, guards);
        if (!known) return;
        if (number && pattern) {
            NumberBounds bounds = number_bounds(pattern->regex.pattern, side_);
            if (bounds.low != INT64_MIN) add(guards, boolean(Op::less_equal, pool_.integer(bounds.low), x));
            if (bounds.high != INT64_MAX) add(guards, boolean(Op::less_equal, x, pool_.integer(bounds.high)));
        }
        const auto* bytes = model::as<forms::ByteString>(i);
        bool plain =
            bytes && (bytes->transform == Transform::none || bytes->transform == Transform::reversed);
        if (plain && text && bytes->size && only_fields(bytes->size)) {
            ExprId wanted = substituted(bytes->size);
            if (wanted != size_of(x)) add(guards, boolean(Op::equal, size_of(x), wanted));
        }
        const auto* field = model::as<forms::Field>(i);
        if (field && field->value && same_type(field->value, v) && only_fields(field->value))
            add(guards, boolean(Op::equal, x, substituted(field->value)));
    }

    // A number that has so many bits.
    void of_width(const Item& i, ExprId x, const Guards& guards) {
        const auto* bits = model::as<forms::Bits>(i);
        const auto* varint = model::as<forms::Varint>(i);
        if (!bits && !varint) return;
        std::uint32_t width = bits ? bits->width : 7 * varint->most_bytes;
        add(guards, boolean(Op::less_equal, pool_.integer(0), x));
        if (width < 63) add(guards, boolean(Op::less, x, pool_.integer(std::int64_t{1} << width)));
    }

    // One alternative for each way the atoms can come out: its conditions belong together, so code that works
    // towards one of them works towards all.
    ExprId cases() {
        ExprId any;
        for (std::size_t on = 0; on < std::size_t{1} << atoms_.size(); ++on) {
            auto holds = [&](const Guards& g) {
                return std::all_of(g.begin(), g.end(), [&](std::size_t atom) { return on >> atom & 1; });
            };
            ExprId all;
            auto also = [&](ExprId c) { all = all ? pool_.logical_and(all, c) : c; };
            for (std::size_t a = 0; a < atoms_.size(); ++a)
                also(on >> a & 1 ? atoms_[a] : pool_.logical_not(atoms_[a]));
            for (const Guarded& g : guarded_)
                if (holds(g.guards)) also(g.condition);
            for (std::size_t f = 0; f < carried_.size(); ++f) {
                bool there =
                    carried_[f].empty() || std::any_of(carried_[f].begin(), carried_[f].end(),
                                                       [&](const auto& g) { return !g || holds(*g); });
                if (!there) also(left_out(variables_[f]));
            }
            any = any ? pool_.logical_or(any, all) : all;
        }
        return any;
    }

    bool escaped(const std::string& end) const {
        return std::any_of(wire_.escapes.begin(), wire_.escapes.end(), [&](const model::Escape& e) {
            return !e.at_start && end.find(e.text) != std::string::npos;
        });
    }

    ExprId substituted(ExprId e) { return expr::substitute(pool_, e, by_); }

    bool only_fields(ExprId e) const {
        for (expr::VarId v : pool_.variables_of(e))
            if (!by_.contains(v)) return false;
        return true;
    }

    void without(const Guards& guards, ExprId x, expr::VarId v, const std::string& end) {
        if (end.empty()) return;
        ExprId literal = kind(v) == TypeKind::string ? pool_.literal(end, pool_.types().string())
                                                     : pool_.literal(expr::Bytes{end}, pool_.types().bytes());
        add(guards, pool_.logical_not(boolean(Op::contains, x, literal)));
    }

    expr::Pool& pool_;
    const Wire& wire_;
    const Layout& layout_;
    std::span<const expr::VarId> variables_;
    Side side_;
    absl::flat_hash_map<expr::VarId, ExprId> by_;
    std::vector<ExprId> always_;
    std::vector<ExprId> atoms_;
    std::vector<Guarded> guarded_;
    // By field: under which conditions the layout has it, once for each place; nothing where they are not
    // atoms.
    std::vector<std::vector<std::optional<Guards>>> carried_;
};

// What a repetition asks of the elements of one of its lists, whatever else is in the round: a round is a
// layout of its own, whose fields are the elements.
class ElementCollector {
public:
    ElementCollector(expr::Pool& pool, const Wire& wire, const Layout& layout,
                     std::span<const expr::VarId> variables, Side side)
        : pool_(pool), wire_(wire), layout_(layout), variables_(variables), side_(side) {}

    void items(std::span<const Item> list) {
        for (const Item& i : list) {
            if (const auto* repeat = model::as<forms::Repeat>(i))
                round(*repeat);
            else
                items(model::inner_of(i));
        }
    }

    std::vector<solve::ElementRule> out;

private:
    void round(const forms::Repeat& repeat) {
        Layout once;
        once.items = repeat.inner;
        std::vector<expr::VarId> lists;
        elements(repeat.inner, once.fields, lists);
        for (ExprId condition : Collector(pool_, wire_, once, once.fields, side_).run()) {
            std::vector<expr::VarId> used = pool_.variables_of(condition);
            for (std::size_t k = 0; k < lists.size(); ++k)
                if (used == std::vector{once.fields[k]}) out.push_back({lists[k], used[0], condition});
        }
    }

    void elements(std::span<const Item> list, std::vector<expr::VarId>& fields,
                  std::vector<expr::VarId>& lists) const {
        for (const Item& i : list) {
            for (std::size_t f = 0; f < layout_.fields.size() && f < variables_.size(); ++f)
                if (model::list_of(i) && model::list_of(i) == layout_.fields[f]) {
                    fields.push_back(model::variable_of(i));
                    lists.push_back(variables_[f]);
                }
            if (!model::is<forms::Repeat>(i)) elements(model::inner_of(i), fields, lists);
        }
    }

    expr::Pool& pool_;
    const Wire& wire_;
    const Layout& layout_;
    std::span<const expr::VarId> variables_;
    Side side_;
};

// A status that comes without a body, or no body.
ExprId body_allowed(expr::Pool& pool, ExprId status, ExprId body, TypeKind kind) {
    ExprId none = kind == TypeKind::bytes ? pool.literal(expr::Bytes{}, pool.types().bytes())
                                          : pool.literal(std::string(), pool.types().string());
    ExprId may = pool.make(Op::greater_equal, pool.types().boolean(), std::array{status, pool.integer(200)});
    for (std::int64_t without : {204, 304})
        may = pool.logical_and(may, pool.logical_not(pool.equal(status, pool.integer(without))));
    return pool.logical_or(may, pool.equal(body, none));
}

std::vector<ExprId> http_constraints(expr::Pool& pool, const MessageShape& shape,
                                     std::span<const expr::VarId> variables) {
    std::vector<ExprId> out;
    ExprId status, body;
    TypeKind body_kind = TypeKind::unknown;
    for (std::size_t f = 0; f < shape.fields.size() && f < variables.size(); ++f) {
        std::string_view name = pool.names().text(shape.fields[f].name);
        TypeKind kind = pool.types().kind(shape.fields[f].type);
        ExprId x = pool.var(variables[f]);
        if (name == "body" && (kind == TypeKind::bytes || kind == TypeKind::string))
            body = x, body_kind = kind;
        if (name == "status" && kind == TypeKind::integer) {
            status = x;
            out.push_back(
                pool.make(Op::less_equal, pool.types().boolean(), std::array{pool.integer(100), x}));
            out.push_back(
                pool.make(Op::less_equal, pool.types().boolean(), std::array{x, pool.integer(599)}));
        }
        if (kind != TypeKind::string || name == "body") continue;
        out.push_back(pool.matches(x, name == "method"   ? "[A-Z]+"
                                      : name == "target" ? "/[!-~]*"
                                                         : "([!-~]([ -~]*[!-~])?)?"));
    }
    if (status && body) out.push_back(body_allowed(pool, status, body, body_kind));
    return out;
}

// What the parts of an HTTP layout need of the fields in them.
class HttpCollector {
public:
    HttpCollector(expr::Pool& pool, const Layout& layout, std::span<const expr::VarId> variables)
        : pool_(pool), layout_(layout), variables_(variables) {}

    std::vector<ExprId> run() {
        for (const Item& i : layout_.items) {
            if (const auto* request = model::as<forms::HttpRequest>(i)) {
                of_template(request->path, Where::path);
                for (const forms::Parameter& p : request->query) of_template(p.value, Where::elsewhere);
            } else if (const auto* status = model::as<forms::HttpStatus>(i)) {
                of_status(*status);
            } else if (const auto* header = model::as<forms::HttpHeader>(i)) {
                of_template(header->value, Where::header);
            } else if (const auto* form = model::as<forms::FormBody>(i)) {
                for (const forms::Parameter& p : form->parameters) of_template(p.value, Where::elsewhere);
            } else if (const auto* text = model::as<forms::TextBody>(i)) {
                of_template(text->text, Where::elsewhere);
            }
        }
        return std::move(out_);
    }

private:
    enum class Where : std::uint8_t { path, header, elsewhere };

    expr::VarId variable(expr::VarId of_layout) const {
        for (std::size_t f = 0; f < layout_.fields.size() && f < variables_.size(); ++f)
            if (layout_.fields[f] == of_layout) return variables_[f];
        return {};
    }

    ExprId condition(Op op, ExprId a, ExprId b) {
        return pool_.make(op, pool_.types().boolean(), std::array{a, b});
    }

    void of_status(const forms::HttpStatus& status) {
        expr::VarId v = status.variable ? variable(status.variable) : expr::VarId();
        if (!v) return;
        out_.push_back(condition(Op::less_equal, pool_.integer(status.low), pool_.var(v)));
        out_.push_back(condition(Op::less_equal, pool_.var(v), pool_.integer(status.high)));
    }

    void of_template(const forms::Template& parts, Where where) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            expr::VarId v = parts[i].variable ? variable(parts[i].variable) : expr::VarId();
            if (!v) continue;
            TypeId type = pool_.variable(v).type;
            ExprId x = pool_.var(v), absent;
            if (pool_.types().kind(type) == TypeKind::optional) {
                absent = pool_.logical_not(pool_.make(Op::has, pool_.types().boolean(), std::array{x}));
                type = pool_.types()[type].element;
                x = pool_.make(Op::value, type, std::array{x});
            }
            TypeKind kind = pool_.types().kind(type);
            if (kind != TypeKind::string && kind != TypeKind::bytes) continue;
            std::string_view next = i + 1 < parts.size() ? std::string_view(parts[i + 1].text) : "";
            if (where == Where::path) next = next.substr(0, next.find('/'));
            std::vector<ExprId> needed = of_text(x, kind, next);
            if (where == Where::header) needed.push_back(pool_.matches(x, header_pattern(parts, i)));
            if (where == Where::path) {
                ExprId size = pool_.make(Op::size, pool_.types().integer(), std::array{x});
                needed.push_back(kind == TypeKind::string
                                     ? pool_.matches(x, ".+")
                                     : condition(Op::less_equal, pool_.integer(1), size));
                needed.push_back(pool_.logical_not(pool_.matches(x, "[.][.]?")));
            }
            for (ExprId c : needed) out_.push_back(absent ? pool_.logical_or(absent, c) : c);
        }
    }

    // The text ends where `next` first occurs: it must not contain it, nor end with the beginning of it where
    // that together with `next` begins with `next`, as "-" does before "--".
    std::vector<ExprId> of_text(ExprId x, TypeKind kind, std::string_view next) {
        std::vector<ExprId> needed;
        auto forbid = [&](Op op, std::string_view text) {
            ExprId literal = kind == TypeKind::string
                                 ? pool_.literal(std::string(text), pool_.types().string())
                                 : pool_.literal(expr::Bytes{std::string(text)}, pool_.types().bytes());
            needed.push_back(pool_.logical_not(condition(op, x, literal)));
        };
        if (!next.empty()) forbid(Op::contains, next);
        for (std::size_t k = 1; k < next.size(); ++k)
            if (next.starts_with(next.substr(k))) forbid(Op::ends_with, next.substr(0, k));
        return needed;
    }

    // The value of a header neither begins nor ends with a blank, so a text at one of its ends does not, and
    // is not empty where the text beside it has a blank.
    static std::string header_pattern(const forms::Template& parts, std::size_t i) {
        auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
        bool first = i == 0, last = i + 1 == parts.size();
        if (first && last) return "([!-~]([ -~]*[!-~])?)?";
        if (first) return is_blank(parts[1].text.front()) ? "[!-~][ -~]*" : "([!-~][ -~]*)?";
        if (last) return is_blank(parts[i - 1].text.back()) ? "[ -~]*[!-~]" : "([ -~]*[!-~])?";
        return "[ -~]*";
    }

    expr::Pool& pool_;
    const Layout& layout_;
    std::span<const expr::VarId> variables_;
    std::vector<ExprId> out_;
};

// Each of `headers` is a name and a value.
std::vector<solve::ElementRule> http_element_rules(expr::Pool& pool, std::span<const expr::VarId> variables) {
    std::vector<solve::ElementRule> rules;
    for (expr::VarId list : variables) {
        const expr::Type& type = pool.types()[pool.variable(list).type];
        bool texts = type.kind == TypeKind::list && pool.types().kind(type.element) == TypeKind::string;
        if (!texts || pool.names().text(pool.variable(list).name) != "headers") continue;
        expr::VarId element = pool.declare(pool.variable(list).name, type.element);
        rules.push_back(
            {list, element, pool.matches(pool.var(element), "X-[A-Za-z0-9-]+: ([!-~]([ -~]*[!-~])?)?")});
    }
    return rules;
}

}  // namespace

std::vector<ExprId> constraints(expr::Pool& pool, const Wire& wire, MessageIndex message,
                                const MessageShape& shape, std::span<const expr::VarId> variables,
                                Side side) {
    if (wire.framing == Framing::http && wire.layouts.empty())
        return http_constraints(pool, shape, variables);
    for (const Layout& l : wire.layouts)
        if (l.message.index == message && wire.framing == Framing::http)
            return HttpCollector(pool, l, variables).run();
        else if (l.message.index == message)
            return Collector(pool, wire, l, variables, side).run();
    return {};
}

std::vector<solve::ElementRule> element_rules(expr::Pool& pool, const Wire& wire, MessageIndex message,
                                              std::span<const expr::VarId> variables, Side side) {
    if (wire.framing == Framing::http && wire.layouts.empty()) return http_element_rules(pool, variables);
    for (const Layout& l : wire.layouts) {
        if (l.message.index != message) continue;
        ElementCollector collector(pool, wire, l, variables, side);
        collector.items(l.items);
        return std::move(collector.out);
    }
    return {};
}

}  // namespace treaty::wire
