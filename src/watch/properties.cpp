#include "watch/properties.h"

#include <algorithm>

#include "expr/quick.h"

namespace treaty::watch {

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass: return "pass";
        case Verdict::fail: return "fail";
        case Verdict::inconclusive: return "inconclusive";
    }
    return "";
}

namespace {

// A value that a field must have for the pattern to match; null if there is none, or more is needed to know.
struct Wanted {
    std::uint32_t field = 0;
    const expr::Value* value = nullptr;
};

// x == literal, for a variable that the pattern binds. Reals are left out: a whole number may be given for
// one.
Wanted wanted_by(const expr::Pool& pool, expr::ExprId condition, const model::MessagePattern& pattern) {
    if (pool[condition].op != expr::Op::equal) return {};
    expr::ExprId x = pool.children(condition)[0], literal = pool.children(condition)[1];
    if (pool.is_literal(x)) std::swap(x, literal);
    if (pool[x].op != expr::Op::var || !pool.is_literal(literal)) return {};
    expr::TypeKind kind = pool.types().kind(pool[x].type);
    bool plain = kind == expr::TypeKind::integer || kind == expr::TypeKind::boolean ||
                 kind == expr::TypeKind::string || kind == expr::TypeKind::enumeration;
    if (!plain || kind != pool.types().kind(pool[literal].type)) return {};
    Wanted wanted;
    for (const model::FieldPattern& field : pattern.fields)
        if (field.bind && field.bind == pool.var_of(x)) wanted = {field.field, &pool.literal_of(literal)};
    return wanted;
}

Wanted wanted_by(const expr::Pool& pool, const model::MessagePattern& pattern) {
    for (const model::FieldPattern& field : pattern.fields)
        if (!field.bind && field.equals && pool.is_literal(field.equals))
            return {field.field, &pool.literal_of(field.equals)};
    std::vector<expr::ExprId> all;
    if (pattern.where) all.push_back(pattern.where);
    for (std::size_t i = 0; i < all.size() && i < 64; ++i) {
        if (pool[all[i]].op == expr::Op::logical_and) {
            auto both = pool.children(all[i]);
            all.insert(all.end(), both.begin(), both.end());
        } else if (Wanted found = wanted_by(pool, all[i], pattern); found.value) {
            return found;
        }
    }
    return {};
}

}  // namespace

PropertySet::PropertySet(const model::Specification& specification) : specification_(&specification) {
    for (std::uint32_t i = 0; i < specification.properties.size(); ++i) {
        const model::Property& p = specification.properties[i];
        if (!p.global && !p.after.empty()) index(i, p.after[0]);
    }
}

void PropertySet::index(std::uint32_t property, const model::MessagePattern& first) {
    Beginning& beginning = first_[{(*this)[property].at, first.from, first.to, first.message}];
    Wanted wanted = wanted_by(*specification_->pool, first);
    if (!wanted.value) {
        beginning.any.push_back(property);
        return;
    }
    auto keyed = std::find_if(beginning.keyed.begin(), beginning.keyed.end(),
                              [&](const Beginning::Keyed& k) { return k.field == wanted.field; });
    if (keyed == beginning.keyed.end()) keyed = beginning.keyed.insert(keyed, {wanted.field, {}});
    keyed->by_value[expr::hash(*wanted.value)].push_back(property);
}

// The properties whose context may begin with the record, and perhaps more of them; ascending.
const std::vector<std::uint32_t>& PropertySet::begun(const Beginning& b, const Record& record) {
    if (b.keyed.empty()) return b.any;
    found_ = b.any;
    for (const Beginning::Keyed& keyed : b.keyed) {
        if (keyed.field >= record.values.size()) continue;
        auto some = keyed.by_value.find(expr::hash(record.values[keyed.field]));
        if (some == keyed.by_value.end()) continue;
        auto middle = static_cast<std::ptrdiff_t>(found_.size());
        found_.insert(found_.end(), some->second.begin(), some->second.end());
        std::inplace_merge(found_.begin(), found_.begin() + middle, found_.end());
    }
    return found_;
}

bool PropertySet::matches(const model::MessagePattern& pattern, const Record& record,
                          const Bound& bound) const {
    if (record.message != pattern.message || record.from != pattern.from || record.to != pattern.to)
        return false;
    const expr::Pool& pool = *specification_->pool;
    for (const model::FieldPattern& field : pattern.fields) {
        if (field.field >= record.values.size()) return false;
        if (field.bind || !field.equals) continue;
        if (pool[field.equals].op == expr::Op::literal) {
            if (!(pool.literal_of(field.equals) == record.values[field.field])) return false;
            continue;
        }
        auto wanted = expr::evaluate(pool, field.equals, bound.environment());
        auto* known = std::get_if<expr::Value>(&wanted);
        if (!known || !(*known == record.values[field.field])) return false;
    }
    if (!pattern.where) return true;
    // Mostly the values need not even be copied.
    auto known = [&](expr::VarId id) {
        for (auto field = pattern.fields.rbegin(); field != pattern.fields.rend(); ++field)
            if (field->bind == id) return &record.values[field->field];
        return bound.get(id);
    };
    std::int64_t truth = 0;
    if (expr::Quick(pool, known).find(pattern.where, expr::TypeKind::boolean, truth)) return truth != 0;
    expr::Environment all = bound.environment();
    for (const model::FieldPattern& field : pattern.fields)
        if (field.bind) all.set(field.bind, record.values[field.field]);
    return expr::satisfied(pool, pattern.where, all);
}

void PropertyMonitor::decide(Match& match, Verdict verdict, std::vector<PropertyVerdict>* notices) {
    auto counted = std::lower_bound(counts_.begin(), counts_.end(), match.property,
                                    [](const Counted& c, std::uint32_t p) { return c.property < p; });
    if (counted == counts_.end() || counted->property != match.property)
        counted = counts_.insert(counted, {match.property, {}});
    counted->counts.add(verdict);
    if (notices) notices->push_back({match.property, verdict, match.messages});
}

// Takes the next step of the context; false if the message is not it.
bool PropertyMonitor::advance(PropertySet& set, Match& match, const Record& record) {
    const model::Property& p = set[match.property];
    const model::MessagePattern& pattern = p.after[match.matched];
    if (!set.matches(pattern, record, match.bound)) return false;
    for (const model::FieldPattern& field : pattern.fields)
        if (field.bind) match.bound.set(field.bind, record.values[field.field]);
    ++match.matched;
    match.messages.push_back({record.source, record.line});
    if (match.matched < p.after.size()) return true;
    match.left = p.within;
    // Without a time it is not known when the time is up.
    if (p.within_ns >= 0 && record.time_ns && *record.time_ns < INT64_MAX - p.within_ns)
        match.deadline_ns = *record.time_ns + p.within_ns;
    return true;
}

// False once the match is over.
bool PropertyMonitor::step(PropertySet& set, Match& match, const Record& record,
                           std::vector<PropertyVerdict>* notices) {
    const model::Property& p = set[match.property];
    if (match.matched < p.after.size()) return advance(set, match, record);
    bool timed = p.within_ns >= 0;
    bool late = timed && record.time_ns && *record.time_ns > match.deadline_ns;
    if (!late && (!timed || record.time_ns))
        for (const model::MessagePattern& then : p.then) {
            if (!set.matches(then, record, match.bound)) continue;
            match.messages.push_back({record.source, record.line});
            decide(match, p.forbid ? Verdict::fail : Verdict::pass, notices);
            return false;
        }
    if (timed ? !late : --match.left > 0) return true;
    decide(match, p.forbid ? Verdict::pass : Verdict::fail, notices);
    return false;
}

void PropertyMonitor::feed(PropertySet& set, model::RoleId role, const Record& record,
                           const PropertySet::Beginning* beginning, std::vector<PropertyVerdict>* notices) {
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < live_; ++k) {
        Match& match = open_[k];
        if (set[match.property].at == role && !step(set, match, record, notices)) continue;
        if (kept != k) std::swap(open_[kept], match);
        ++kept;
    }
    live_ = kept;
    if (!beginning) return;
    for (std::uint32_t property : set.begun(*beginning, record)) {
        if (live_ == open_.size()) open_.emplace_back();
        Match& match = open_[live_];
        match.property = property;
        match.matched = 0;
        match.deadline_ns = INT64_MAX;
        match.bound.clear();
        match.messages.clear();
        live_ += advance(set, match, record);
    }
}

void PropertyMonitor::finish(PropertySet& set, std::span<const std::int64_t> last_ns,
                             std::vector<PropertyVerdict>* notices) {
    for (std::uint32_t k = 0; k < live_; ++k) {
        Match& match = open_[k];
        const model::Property& p = set[match.property];
        if (match.matched < p.after.size()) continue;
        bool over =
            p.within_ns >= 0 && p.at.index < last_ns.size() && last_ns[p.at.index] > match.deadline_ns;
        decide(match, !over ? Verdict::inconclusive : p.forbid ? Verdict::pass : Verdict::fail, notices);
    }
    open_.clear();
    live_ = 0;
}

VerdictCounts PropertyMonitor::counts(std::uint32_t property) const {
    auto found = std::lower_bound(counts_.begin(), counts_.end(), property,
                                  [](const Counted& c, std::uint32_t p) { return c.property < p; });
    return found != counts_.end() && found->property == property ? found->counts : VerdictCounts();
}

Verdict PropertyMonitor::verdict(const PropertySet& set, std::uint32_t property) const {
    const model::Property& p = set[property];
    if (!p.global) return counts(property).overall();
    // A property that names itself is never decided.
    auto is = [&](Verdict wanted) {
        return [&, wanted](std::uint32_t i) {
            return (i == property ? Verdict::inconclusive : verdict(set, i)) == wanted;
        };
    };
    if (!std::all_of(p.premises.begin(), p.premises.end(), is(Verdict::pass))) return Verdict::inconclusive;
    // What is asked of every conclusion, and what breaks the property as soon as one of them does it.
    Verdict wanted = p.negated ? Verdict::fail : Verdict::pass;
    Verdict broken = p.negated ? Verdict::pass : Verdict::fail;
    if (std::any_of(p.conclusions.begin(), p.conclusions.end(), is(broken))) return Verdict::fail;
    bool all = std::all_of(p.conclusions.begin(), p.conclusions.end(), is(wanted));
    return all ? Verdict::pass : Verdict::inconclusive;
}

void PropertyMonitor::save(Saver& saver, const PropertySet& set) const {
    saver.number(live_);
    for (std::uint32_t k = 0; k < live_; ++k) {
        const Match& m = open_[k];
        saver.number(m.property);
        saver.number(m.matched);
        saver.number(m.left);
        saver.signed_number(m.deadline_ns);
        saver.environment(m.bound.environment(), set.specification().pool->variable_count());
        saver.number(m.messages.size());
        for (const LogPosition& s : m.messages) {
            saver.number(s.source);
            saver.number(s.line);
        }
    }
    saver.number(counts_.size());
    for (const Counted& c : counts_) {
        saver.number(c.property);
        saver.number(c.counts.pass);
        saver.number(c.counts.fail);
        saver.number(c.counts.inconclusive);
    }
}

bool PropertyMonitor::load(Loader& loader, const PropertySet& set) {
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        Match& m = open_.emplace_back();
        ++live_;
        m.property = static_cast<std::uint32_t>(loader.number());
        m.matched = static_cast<std::uint32_t>(loader.number());
        m.left = loader.number();
        m.deadline_ns = loader.signed_number();
        expr::Environment known = loader.environment(set.specification().pool->variable_count());
        for (std::size_t v = 0; v < set.specification().pool->variable_count(); ++v)
            if (const expr::Value* value = known.get(expr::VarId(v))) m.bound.set(expr::VarId(v), *value);
        for (std::size_t k = loader.count(); k > 0 && loader.ok(); --k) {
            auto source = static_cast<std::uint32_t>(loader.number());
            m.messages.push_back({source, loader.number()});
        }
        if (m.property >= set.size() || m.matched > set[m.property].after.size()) loader.fail();
    }
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        Counted& c = counts_.emplace_back();
        c.property = static_cast<std::uint32_t>(loader.number());
        c.counts.pass = loader.number();
        c.counts.fail = loader.number();
        c.counts.inconclusive = loader.number();
        if (c.property >= set.size()) loader.fail();
    }
    std::sort(counts_.begin(), counts_.end(),
              [](const Counted& a, const Counted& b) { return a.property < b.property; });
    return loader.ok();
}

}  // namespace treaty::watch
