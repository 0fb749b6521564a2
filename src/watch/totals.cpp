#include "watch/totals.h"

#include <algorithm>

namespace treaty::watch {

void Totals::resize(std::size_t role_count, std::size_t property_count) {
    roles.resize(role_count);
    properties.resize(property_count);
}

void Totals::add(const SessionReport& report) {
    resize(report.roles.size(), report.properties.size());
    ++sessions;
    failed += report.failed;
    incomplete += report.incomplete;
    lost = lost || report.lost;
    for (std::size_t i = 0; i < roles.size(); ++i) {
        roles[i].failed = roles[i].failed || report.roles[i].failed;
        roles[i].incomplete = roles[i].incomplete || report.roles[i].incomplete;
        roles[i].lost = roles[i].lost || report.roles[i].lost;
        roles[i].late = roles[i].late || report.roles[i].late;
        roles[i].messages += report.roles[i].messages;
    }
    for (std::size_t i = 0; i < properties.size(); ++i) {
        const VerdictCounts& local = report.local_properties[i];
        if (local.pass + local.fail + local.inconclusive == 0) {
            properties[i].add(report.properties[i]);
            continue;
        }
        properties[i].pass += local.pass;
        properties[i].fail += local.fail;
        properties[i].inconclusive += local.inconclusive;
    }
    by_clock += report.by_clock;
    all_in_one = all_in_one || std::all_of(report.roles.begin(), report.roles.end(),
                                           [](const RoleState& r) { return r.messages > 0; });
    if (report.failed && (history.empty() || (history_by_clock && !report.by_clock))) {
        history = report.history;
        history_by_clock = report.by_clock;
    }
    for (const Deviation& d : report.deviations)
        if (deviations.size() < deviations_kept) deviations.push_back(d);
}

void Totals::withdraw_clock() {
    failed -= by_clock;
    lost = lost || by_clock > 0;
    by_clock = 0;
    for (RoleState& role : roles) {
        role.lost = role.lost || role.late;
        role.late = false;
    }
    std::erase_if(deviations, [](const Deviation& d) { return d.by_clock; });
    if (history_by_clock) history.clear();
    history_by_clock = false;
}

void Totals::save(Saver& s) const {
    s.number(roles.size());
    for (const RoleState& r : roles) {
        s.number((r.failed ? 1u : 0u) + (r.incomplete ? 2u : 0u) + (r.lost ? 4u : 0u) + (r.late ? 8u : 0u));
        s.number(r.messages);
    }
    for (std::uint64_t n : {sessions, failed, incomplete}) s.number(n);
    s.number(lost);
    s.number(by_clock);
    s.number(history_by_clock);
    s.number(all_in_one);
    s.number(properties.size());
    for (const VerdictCounts& c : properties)
        for (std::uint64_t n : {c.pass, c.fail, c.inconclusive}) s.number(n);
    s.number(deviations.size());
    for (const Deviation& d : deviations) watch::save(s, d);
    s.number(history.size());
    for (const Seen& r : history) watch::save(s, r);
}

bool Totals::load(Loader& l, const model::Specification& specification, std::size_t nodes) {
    const model::Alphabet& alphabet = *specification.alphabet;
    if (l.count() != roles.size()) return false;
    for (RoleState& r : roles) {
        std::uint64_t flags = l.number();
        r.failed = (flags & 1) != 0;
        r.incomplete = (flags & 2) != 0;
        r.lost = (flags & 4) != 0;
        r.late = (flags & 8) != 0;
        r.messages = l.number();
    }
    for (std::uint64_t* n : {&sessions, &failed, &incomplete}) *n = l.number();
    lost = l.number() != 0;
    by_clock = l.number();
    history_by_clock = l.number() != 0;
    all_in_one = l.number() != 0;
    if (by_clock > failed) return false;
    if (l.number() != properties.size()) return false;
    for (VerdictCounts& c : properties)
        for (std::uint64_t* n : {&c.pass, &c.fail, &c.inconclusive}) *n = l.number();
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n)
        deviations.push_back(load_deviation(l, alphabet.role_count(), nodes));
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) history.push_back(load_seen(l, alphabet));
    return l.ok();
}

}  // namespace treaty::watch
