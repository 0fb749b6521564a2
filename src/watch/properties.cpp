#include "watch/properties.h"

#include <algorithm>

namespace treaty::watch {

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass: return "pass";
        case Verdict::fail: return "fail";
        case Verdict::inconclusive: return "inconclusive";
    }
    return "";
}

PropertySet::PropertySet(const model::Specification& specification) : specification_(&specification) {
    for (std::uint32_t i = 0; i < specification.properties.size(); ++i) {
        const model::Property& p = specification.properties[i];
        if (p.global || p.after.empty()) continue;
        const model::MessagePattern& first = p.after[0];
        first_[{p.at, first.from, first.to, first.message}].push_back(i);
    }
}

// Binds what the pattern binds, if it matches; the environment is as before if not.
bool PropertySet::matches(const model::MessagePattern& pattern, const Record& record,
                          expr::Environment& environment) {
    if (record.message != pattern.message || record.from != pattern.from || record.to != pattern.to)
        return false;
    if (pattern.fields.empty() && !pattern.where) return true;
    const expr::Pool& pool = *specification_->pool;
    scratch_ = environment;
    for (const model::FieldPattern& field : pattern.fields) {
        if (field.field >= record.values.size()) return false;
        const expr::Value& value = record.values[field.field];
        if (field.bind) {
            scratch_.set(field.bind, value);
        } else if (field.equals) {
            auto wanted = expr::evaluate(pool, field.equals, environment);
            auto* known = std::get_if<expr::Value>(&wanted);
            if (!known || !(*known == value)) return false;
        }
    }
    if (pattern.where && !expr::satisfied(pool, pattern.where, scratch_)) return false;
    std::swap(environment, scratch_);
    return true;
}

void PropertyMonitor::decide(Match& match, Verdict verdict, std::vector<PropertyVerdict>* fallen) {
    auto counted = std::find_if(counts_.begin(), counts_.end(),
                                [&](const Counted& c) { return c.property == match.property; });
    if (counted == counts_.end()) counted = counts_.insert(counts_.end(), {match.property, {}});
    counted->counts.add(verdict);
    if (fallen) fallen->push_back({match.property, verdict, match.messages});
}

// Takes the next step of the context; false if the message is not it.
bool PropertyMonitor::advance(PropertySet& set, Match& match, const Record& record) {
    const model::Property& p = set[match.property];
    if (!set.matches(p.after[match.matched], record, match.environment)) return false;
    ++match.matched;
    match.messages.push_back({record.source, record.line});
    if (match.matched < p.after.size()) return true;
    match.left = p.within;
    // Without a time there is no telling when the time is over.
    if (p.within_ns >= 0 && record.time_ns && *record.time_ns < INT64_MAX - p.within_ns)
        match.deadline_ns = *record.time_ns + p.within_ns;
    return true;
}

// False once the match is over.
bool PropertyMonitor::step(PropertySet& set, Match& match, const Record& record,
                           std::vector<PropertyVerdict>* fallen) {
    const model::Property& p = set[match.property];
    if (match.matched < p.after.size()) return advance(set, match, record);
    bool timed = p.within_ns >= 0;
    bool late = timed && record.time_ns && *record.time_ns > match.deadline_ns;
    if (!late && (!timed || record.time_ns))
        for (const model::MessagePattern& then : p.then) {
            if (!set.matches(then, record, match.environment)) continue;
            match.messages.push_back({record.source, record.line});
            decide(match, p.forbid ? Verdict::fail : Verdict::pass, fallen);
            return false;
        }
    if (timed ? !late : --match.left > 0) return true;
    decide(match, p.forbid ? Verdict::pass : Verdict::fail, fallen);
    return false;
}

void PropertyMonitor::feed(PropertySet& set, model::RoleId role, const Record& record,
                           std::vector<PropertyVerdict>* fallen) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < open_.size(); ++k) {
        Match& match = open_[k];
        if (set[match.property].at == role && !step(set, match, record, fallen)) continue;
        if (kept != k) std::swap(open_[kept], match);
        ++kept;
    }
    while (open_.size() > kept) {
        set.spare_.push_back(std::move(open_.back()));
        open_.pop_back();
    }
    auto first = set.first_.find({role, record.from, record.to, record.message});
    if (first == set.first_.end()) return;
    for (std::uint32_t property : first->second) {
        if (set.spare_.empty()) set.spare_.emplace_back();
        Match& match = set.spare_.back();
        match.property = property;
        match.matched = 0;
        match.deadline_ns = INT64_MAX;
        match.environment = {};
        match.messages.clear();
        if (!advance(set, match, record)) continue;
        open_.push_back(std::move(match));
        set.spare_.pop_back();
    }
}

void PropertyMonitor::finish(PropertySet& set, std::span<const std::int64_t> last_ns,
                             std::vector<PropertyVerdict>* fallen) {
    for (Match& match : open_) {
        const model::Property& p = set[match.property];
        if (match.matched < p.after.size()) continue;
        bool over =
            p.within_ns >= 0 && p.at.index < last_ns.size() && last_ns[p.at.index] > match.deadline_ns;
        decide(match, !over ? Verdict::inconclusive : p.forbid ? Verdict::pass : Verdict::fail, fallen);
    }
    open_.clear();
}

VerdictCounts PropertyMonitor::counts(std::uint32_t property) const {
    for (const Counted& c : counts_)
        if (c.property == property) return c.counts;
    return {};
}

Verdict PropertyMonitor::verdict(const PropertySet& set, std::uint32_t property) const {
    const model::Property& p = set[property];
    if (!p.global) return counts(property).overall();
    auto passed = [&](std::uint32_t i) { return i != property && verdict(set, i) == Verdict::pass; };
    if (!std::all_of(p.premises.begin(), p.premises.end(), passed)) return Verdict::inconclusive;
    bool one = std::any_of(p.conclusions.begin(), p.conclusions.end(), passed);
    bool open = std::any_of(p.conclusions.begin(), p.conclusions.end(), [&](std::uint32_t i) {
        return i == property || verdict(set, i) == Verdict::inconclusive;
    });
    if (!one && open) return Verdict::inconclusive;
    return one != p.negated ? Verdict::pass : Verdict::fail;
}

void PropertyMonitor::save(Saver& saver, const PropertySet& set) const {
    saver.number(open_.size());
    for (const Match& m : open_) {
        saver.number(m.property);
        saver.number(m.matched);
        saver.number(m.left);
        saver.signed_number(m.deadline_ns);
        saver.environment(m.environment, set.specification().pool->variable_count());
        saver.number(m.messages.size());
        for (const Spot& s : m.messages) {
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
        m.property = static_cast<std::uint32_t>(loader.number());
        m.matched = static_cast<std::uint32_t>(loader.number());
        m.left = loader.number();
        m.deadline_ns = loader.signed_number();
        m.environment = loader.environment(set.specification().pool->variable_count());
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
    return loader.ok();
}

}  // namespace treaty::watch
