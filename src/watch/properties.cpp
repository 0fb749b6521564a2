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

PropertyMonitor::PropertyMonitor(const model::Specification& specification)
    : specification_(&specification),
      open_(specification.properties.size()),
      counts_(specification.properties.size()) {}

bool PropertyMonitor::matches(const model::MessagePattern& pattern, const Record& record,
                              expr::Environment& environment) const {
    if (record.message != pattern.message || record.from != pattern.from || record.to != pattern.to)
        return false;
    const expr::Pool& pool = *specification_->pool;
    expr::Environment bound = environment;
    for (const model::FieldPattern& field : pattern.fields) {
        if (field.field >= record.values.size()) return false;
        const expr::Value& value = record.values[field.field];
        if (field.bind) {
            bound.set(field.bind, value);
        } else if (field.equals) {
            auto wanted = expr::evaluate(pool, field.equals, environment);
            auto* known = std::get_if<expr::Value>(&wanted);
            if (!known || !(*known == value)) return false;
        }
    }
    if (pattern.where && !expr::satisfied(pool, pattern.where, bound)) return false;
    environment = std::move(bound);
    return true;
}

void PropertyMonitor::decide(std::uint32_t property, Match& match, Verdict verdict,
                             std::vector<PropertyVerdict>& fallen) {
    counts_[property].add(verdict);
    fallen.push_back({property, verdict, std::move(match.lines)});
}

// Takes the next step of the context; false if the message is not it.
bool PropertyMonitor::advance(std::uint32_t property, Match& match, const Record& record) {
    const model::Property& p = specification_->properties[property];
    if (!matches(p.after[match.matched], record, match.environment)) return false;
    ++match.matched;
    match.lines.push_back(record.line);
    if (match.matched < p.after.size()) return true;
    match.left = p.within;
    if (p.within_ns >= 0) match.deadline_ns = record.time_ns.value_or(0) + p.within_ns;
    return true;
}

// False once the match is over.
bool PropertyMonitor::step(std::uint32_t property, Match& match, const Record& record,
                           std::vector<PropertyVerdict>& fallen) {
    const model::Property& p = specification_->properties[property];
    if (match.matched < p.after.size()) return advance(property, match, record);
    bool timed = p.within_ns >= 0;
    bool late = timed && record.time_ns.value_or(0) > match.deadline_ns;
    if (!late)
        for (const model::MessagePattern& then : p.then) {
            expr::Environment environment = match.environment;
            if (!matches(then, record, environment)) continue;
            match.lines.push_back(record.line);
            decide(property, match, p.forbid ? Verdict::fail : Verdict::pass, fallen);
            return false;
        }
    if (timed ? !late : --match.left > 0) return true;
    decide(property, match, p.forbid ? Verdict::pass : Verdict::fail, fallen);
    return false;
}

void PropertyMonitor::feed(model::RoleId role, const Record& record, std::vector<PropertyVerdict>& fallen) {
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
        const model::Property& p = specification_->properties[i];
        if (p.global || p.at != role) continue;
        std::vector<Match>& open = open_[i];
        std::size_t kept = 0;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (!step(i, open[k], record, fallen)) continue;
            if (kept != k) open[kept] = std::move(open[k]);
            ++kept;
        }
        open.resize(kept);
        const model::MessagePattern* first = p.after.empty() ? nullptr : &p.after[0];
        if (!first || first->message != record.message) continue;
        Match match;
        if (advance(i, match, record)) open.push_back(std::move(match));
    }
}

void PropertyMonitor::finish(std::vector<PropertyVerdict>& fallen) {
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
        for (Match& match : open_[i])
            if (match.matched == specification_->properties[i].after.size())
                decide(i, match, Verdict::inconclusive, fallen);
        open_[i].clear();
    }
}

Verdict PropertyMonitor::verdict(std::uint32_t property) const {
    const model::Property& p = specification_->properties[property];
    if (!p.global) return counts_[property].overall();
    auto passed = [&](std::uint32_t i) { return i != property && verdict(i) == Verdict::pass; };
    if (!std::all_of(p.premises.begin(), p.premises.end(), passed)) return Verdict::inconclusive;
    bool one = std::any_of(p.conclusions.begin(), p.conclusions.end(), passed);
    bool open = std::any_of(p.conclusions.begin(), p.conclusions.end(), [&](std::uint32_t i) {
        return i == property || verdict(i) == Verdict::inconclusive;
    });
    if (!one && open) return Verdict::inconclusive;
    return one != p.negated ? Verdict::pass : Verdict::fail;
}

}  // namespace treaty::watch
