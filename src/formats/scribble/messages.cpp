#include "formats/scribble/messages.h"

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::scribble {
namespace {

// The type of the Treaty language that a payload type means; empty for types of the file's own.
std::string_view known_type(std::string_view name) {
    struct Known {
        std::string_view scribble, treaty;
    };
    static constexpr Known table[] = {{"int", "int"},      {"Int", "int"},       {"Integer", "int"},
                                      {"long", "int"},     {"Long", "int"},      {"nat", "int"},
                                      {"bool", "bool"},    {"Bool", "bool"},     {"boolean", "bool"},
                                      {"Boolean", "bool"}, {"string", "string"}, {"String", "string"},
                                      {"str", "string"},   {"Str", "string"},    {"real", "real"},
                                      {"double", "real"},  {"Double", "real"},   {"float", "real"},
                                      {"Float", "real"},   {"bytes", "bytes"},   {"Bytes", "bytes"}};
    for (const Known& k : table)
        if (k.scribble == name) return k.treaty;
    return {};
}

}  // namespace

void Messages::declare_type(NameId type, Span span) {
    if (!known_type(names_.text(type)).empty() || !opaque_.insert(type).second) return;
    lang::RecordSyntax r;
    r.span = span;
    r.name = {type, span};
    out_.items.push_back({lang::ItemKind::record, static_cast<std::uint32_t>(out_.records.size())});
    out_.records.push_back(r);
}

NameId Messages::free_name(NameId label) {
    for (std::size_t i = 2;; ++i) {
        NameId name = names_.intern(fmt::format("{}_{}", names_.text(label), i));
        if (!taken_.contains(name)) return name;
    }
}

Name Messages::use(const PlainSignature& signature) {
    std::vector<NameId> types;
    for (const PlainPayload& p : signature.payload) types.push_back(p.type);
    const Name& label = signature.label;
    std::vector<Overload>& known = overloads_[label.id];
    for (const Overload& o : known)
        if (o.types == types) return {o.name, label.span};
    NameId name = taken_.contains(label.id) ? free_name(label.id) : label.id;
    if (name != label.id)
        diagnostics_
            .report(codes::renamed, label.span,
                    fmt::format("`{}` has other payload types here than before; it is read as `{}`",
                                names_.text(label.id), names_.text(name)))
            .label(known.empty() ? label.span : known[0].first, "first used here");
    taken_.insert(name);
    known.push_back({std::move(types), name, label.span});
    if (known.size() > 1)
        for (const Overload& o : known) label_of_[o.name] = label.id;
    declare({name, label.span}, signature);
    return {name, label.span};
}

void Messages::declare(Name name, const PlainSignature& signature) {
    const auto& payload = signature.payload;
    if (payload.empty()) return;  // a message without data needs no declaration
    lang::MessageSyntax m;
    m.span = name.span;
    m.name = name;
    m.fields = {static_cast<std::uint32_t>(out_.fields.size()), static_cast<std::uint32_t>(payload.size())};
    absl::flat_hash_set<NameId> used;
    for (std::size_t i = 0; i < payload.size(); ++i) {
        const PlainPayload& p = payload[i];
        std::string_view ours = known_type(names_.text(p.type));
        if (ours.empty()) declare_type(p.type, p.span);
        lang::TypeSyntax t;
        t.name = {ours.empty() ? p.type : names_.intern(ours), p.span};
        t.span = p.span;
        out_.types.push_back(t);
        lang::FieldSyntax f;
        f.name = p.field.id && !used.contains(p.field.id)
                     ? p.field
                     : Name{names_.intern(payload.size() == 1 ? std::string("value")
                                                              : fmt::format("value{}", i + 1)),
                            p.span};
        used.insert(f.name.id);
        f.type = lang::TypeSyntaxId(out_.types.size() - 1);
        out_.fields.push_back(f);
    }
    out_.items.push_back({lang::ItemKind::message, static_cast<std::uint32_t>(out_.messages.size())});
    out_.messages.push_back(m);
}

void Messages::check_choices() const {
    if (label_of_.empty()) return;
    for (const lang::Step& s : out_.steps)
        if (s.kind == lang::StepKind::choice) check_choice(s);
}

// The first message that each role may receive in the block. `told`: the roles that have received one for
// certain. False where a call makes the rest unknown.
bool Messages::collect(lang::BlockId block, FirstReceptions& out, absl::flat_hash_set<NameId>& told) const {
    for (lang::StepId id : out_.steps_of(block)) {
        const lang::Step& s = out_[id];
        if (s.kind == lang::StepKind::call || s.kind == lang::StepKind::jump) return false;
        if (s.kind == lang::StepKind::interaction) {
            bool fresh = false;
            for (const Name& r : lang::Syntax::part(out_.names, s.roles))
                fresh = told.insert(r.id).second || fresh;
            if (fresh && label_of_.contains(s.name.id)) out.push_back(&s);
        }
        auto before = told;
        bool known = true;
        for (lang::BlockId b : out_.blocks_of(s)) {
            auto inside = before;
            known = collect(b, out, inside) && known;
            if (s.kind == lang::StepKind::rec) told = std::move(inside);
        }
        if (!known) return false;
    }
    return true;
}

void Messages::check_choice(const lang::Step& choice) const {
    FirstReceptions earlier;
    for (lang::BlockId b : out_.blocks_of(choice)) {
        FirstReceptions here;
        absl::flat_hash_set<NameId> told;
        collect(b, here, told);
        for (const lang::Step* one : here)
            for (const lang::Step* other : earlier) {
                if (one->name.id == other->name.id ||
                    label_of_.at(one->name.id) != label_of_.at(other->name.id))
                    continue;
                if (one->role.id != other->role.id) continue;
                bool shared = false;
                for (const Name& r : lang::Syntax::part(out_.names, one->roles))
                    for (const Name& q : lang::Syntax::part(out_.names, other->roles))
                        shared = shared || r.id == q.id;
                if (!shared) continue;
                diagnostics_
                    .report(codes::scribble_payload, one->name.span,
                            fmt::format("this branch differs from another one only in the payload of `{}`",
                                        names_.text(label_of_.at(one->name.id))))
                    .label(other->name.span, "in the other branch")
                    .help("give one of the two messages another label");
            }
        earlier.insert(earlier.end(), here.begin(), here.end());
    }
}

}  // namespace treaty::formats::scribble
