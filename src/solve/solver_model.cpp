#include <algorithm>
#include <charconv>
#include <system_error>

#include "solve/solver_terms.h"

namespace treaty::solve::smt {
namespace {

using expr::Bytes;
using expr::EnumMember;
using expr::Sequence;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;

struct Unusable {
    std::string reason;
};

constexpr unsigned max_text = 1u << 20;

class Reading {
public:
    Reading(const Terms& terms, const z3::model& model) : terms_(terms), model_(model) {}

    Value read(const TermPtr& term, TypeId id) const {
        const Type& type = terms_.types()[id];
        if (term->form == Term::Form::plain) return scalar(model_.eval(*term->z, true), id);
        if (term->form == Term::Form::changes) return collection(term, id);
        Sequence sequence;
        if (term->form == Term::Form::optional && !truth(model_.eval(*term->z, true))) return sequence;
        for (std::size_t i = 0; i < term->parts.size(); ++i) {
            TypeId part = type.kind == TypeKind::record ? type.fields[i].type : type.element;
            sequence.items.push_back(read(term->parts[i], part));
        }
        return sequence;
    }

private:
    Value collection(const TermPtr& term, TypeId id) const {
        const expr::Types& types = terms_.types();
        bool map = types.kind(id) == TypeKind::map;
        Sequence result;
        for (const Term::Change& change : term->changes) {
            Value key = read(change.key, types.item_of(id));
            bool present = truth(model_.eval(change.present, true));
            erase_if(result.items, [&](const Value& item) { return (map ? item.items()[0] : item) == key; });
            if (!present) continue;
            if (map)
                result.items.push_back(Sequence{{std::move(key), read(change.value, types.value_of(id))}});
            else
                result.items.push_back(std::move(key));
        }
        std::sort(result.items.begin(), result.items.end());
        return result;
    }

    static bool truth(const z3::expr& e) { return e.is_true(); }

    Value scalar(const z3::expr& e, TypeId id) const {
        const Type& type = terms_.types()[id];
        switch (type.kind) {
            case TypeKind::boolean: return truth(e);
            case TypeKind::integer: return integer(e);
            case TypeKind::enumeration: return EnumMember{static_cast<std::uint32_t>(integer(e))};
            case TypeKind::real: return real(e);
            case TypeKind::string: return text(e);
            case TypeKind::bytes: return Bytes{text(e)};
            case TypeKind::list: return list(e, type.element);
            default: throw Unusable{"a value of a type that is not known"};
        }
    }

    std::int64_t integer(const z3::expr& e) const {
        std::int64_t value = 0;
        if (!e.is_numeral_i64(value)) throw Unusable{"an integer beyond 64 bits"};
        return value;
    }

    double real(const z3::expr& e) const {
        if (!e.is_numeral()) throw Unusable{"a real that is not a fraction"};
        // So many digits write every double exactly; what is cut off ends in a question mark.
        std::string digits = Z3_get_numeral_decimal_string(e.ctx(), e, 1100);
        double value = 0;
        auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end == digits.data()) throw Unusable{"a real beyond the range of reals"};
        return value;
    }

    std::string text(const z3::expr& e) const {
        if (!e.is_string_value()) throw Unusable{"a text without a value"};
        unsigned length = 0;
        const char* characters = Z3_get_lstring(e.ctx(), e, &length);
        if (length > max_text) throw Unusable{"a very long text"};
        std::string result(characters, length);
        // A character beyond a byte comes back as several.
        std::int64_t units = 0;
        if (!e.length().simplify().is_numeral_i64(units) || units != static_cast<std::int64_t>(length))
            throw Unusable{"a character beyond a byte"};
        return result;
    }

    // A sequence value is a tree of concatenations over units.
    Value list(const z3::expr& e, TypeId element) const {
        Sequence sequence;
        std::vector<z3::expr> pending{e};
        while (!pending.empty()) {
            z3::expr at = pending.back();
            pending.pop_back();
            if (!at.is_app()) throw Unusable{"a list without a value"};
            switch (at.decl().decl_kind()) {
                case Z3_OP_SEQ_EMPTY: break;
                case Z3_OP_SEQ_UNIT: sequence.items.push_back(scalar(at.arg(0), element)); break;
                case Z3_OP_SEQ_CONCAT:
                    for (unsigned i = at.num_args(); i-- > 0;) pending.push_back(at.arg(i));
                    break;
                default: throw Unusable{"a list without a value"};
            }
        }
        return sequence;
    }

    const Terms& terms_;
    const z3::model& model_;
};

}  // namespace

std::variant<Value, std::string> value_of(const Terms& terms, const z3::model& model, const TermPtr& term,
                                          TypeId type) {
    try {
        return Reading(terms, model).read(term, type);
    } catch (const Unusable& fault) {
        return fault.reason;
    }
}

}  // namespace treaty::solve::smt
