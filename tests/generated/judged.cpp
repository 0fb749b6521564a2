#include "judged.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "expr/evaluate.h"
#include "expr/has_value.h"
#include "follower.h"
#include "watch/monitor.h"

namespace treaty::generated {
namespace {

using generate::Operation;
using generate::RoleCode;

constexpr std::size_t tried = 4, kept = 2;  // other events at each place

class Logs {
public:
    Logs(const generate::RoleSource& source, const std::vector<RoleCode>& roles,
         const std::vector<Script>& scripts, std::uint64_t seed)
        : source_(source), roles_(roles), scripts_(scripts), random_(seed) {
        watch::MonitorOptions options;
        options.stream = false;
        monitor_ = watch::Monitor::make(source.specification, source.protocol, options);
    }

    std::vector<JudgedLog> run(std::string& fault) {
        std::vector<JudgedLog> logs;
        if (!monitor_) return logs;
        for (const Script& script : scripts_)
            for (std::size_t r = 0; r < roles_.size(); ++r) logs.push_back(log(script, r, fault));
        return logs;
    }

private:
    struct Verdict {
        bool allowed = false, may_end = false;
    };

    // What watch says of the role after these events.
    Verdict watched(std::size_t role, const std::vector<JudgedEvent>& events, const JudgedEvent* last) {
        for (const JudgedEvent& e : events)
            if (e.allowed) monitor_->feed(record(role, e));
        if (last) monitor_->feed(record(role, *last));
        auto reports = monitor_->finish();
        ++session_;
        if (reports.empty()) return {true, Follower(source_.specification, roles_[role]).may_end()};
        for (std::size_t p = 0; p < source_.protocol.roles().size(); ++p)
            if (source_.protocol.roles()[p] == roles_[role].role)
                return {!reports[0].roles[p].failed, !reports[0].roles[p].incomplete};
        return {};
    }

    watch::Record record(std::size_t role, const JudgedEvent& e) const {
        watch::Record record;
        record.side = e.sends ? watch::Side::sent : watch::Side::received;
        record.from = e.sends ? roles_[role].role : e.peer;
        record.to = e.sends ? e.peer : roles_[role].role;
        record.message = e.message;
        record.name = source_.specification.alphabet->name(e.message);
        record.values = e.values;
        record.session = std::to_string(session_);
        const auto& fields = source_.specification.message(e.message).fields;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (!expr::belongs(e.values[i], fields[i].type, *source_.specification.types))
                record.misfit = watch::misfit_of(source_.specification, fields[i], "another value");
        return record;
    }

    JudgedLog log(const Script& script, std::size_t role, std::string& fault) {
        JudgedLog log{role, {}, false};
        Follower follower(source_.specification, roles_[role]);
        std::vector<JudgedEvent> right;
        for (const Step& step : script.steps)
            if (step.role == role)
                right.push_back({step.operation->sends, step.operation->peer, step.operation->message,
                                 *step.values, true});
        std::vector<JudgedEvent> known = events_of(role);
        for (std::size_t k = 0; k <= right.size(); ++k) {
            std::size_t put = 0;
            for (JudgedEvent& other : others(follower, right, k, known)) {
                other.allowed = watched(role, log.events, &other).allowed;
                compare(follower, other, fault);
                if (!other.allowed && put++ < kept) log.events.push_back(std::move(other));
            }
            if (k == right.size()) break;
            compare(follower, right[k], fault);
            follower.take(role, right[k].sends, right[k].peer, right[k].message, right[k].values);
            log.events.push_back(right[k]);
        }
        // Watch calls a role incomplete, too, that has nothing left to do while the others go on for ever.
        Verdict end = watched(role, log.events, nullptr);
        log.may_end = follower.may_end();
        bool for_ever = follower.state().is_done() && !end.may_end;
        if (fault.empty() && (!end.allowed || (end.may_end != log.may_end && !for_ever)))
            fault = fmt::format("watch and the code of {} disagree about the end in {}",
                                name(roles_[role].role), follower.state().name);
        return log;
    }

    void compare(const Follower& follower, const JudgedEvent& e, std::string& fault) const {
        if (follower.allows(e.sends, e.peer, e.message, e.values) == e.allowed || !fault.empty()) return;
        fault = fmt::format("watch {} {} {} {} in {}, the code does not", e.allowed ? "allows" : "refuses",
                            name(e.message), e.sends ? "to" : "from", name(e.peer), follower.state().name);
    }

    template <typename Id>
    std::string_view name(Id id) const {
        return source_.specification.alphabet->name(id);
    }

    // Each event that the role has, once.
    std::vector<JudgedEvent> events_of(std::size_t role) const {
        std::vector<JudgedEvent> events;
        for (const generate::StateCode& state : roles_[role].states)
            for (const Operation& o : state.operations)
                if (std::none_of(events.begin(), events.end(), [&](const JudgedEvent& e) {
                        return e.sends == o.sends && e.peer == o.peer && e.message == o.message;
                    }))
                    events.push_back({o.sends, o.peer, o.message, some_values(o.message), true});
        return events;
    }

    // Of a session where the message occurs.
    step::Values some_values(model::MessageId message) const {
        for (const Script& script : scripts_)
            for (const Step& step : script.steps)
                if (step.operation->message == message) return *step.values;
        step::Values values;
        for (const expr::Field& f : source_.specification.message(message).fields)
            values.push_back(expr::default_value(f.type, *source_.specification.types));
        return values;
    }

    std::vector<JudgedEvent> others(const Follower& follower, const std::vector<JudgedEvent>& right,
                                    std::size_t k, const std::vector<JudgedEvent>& known) {
        std::vector<JudgedEvent> all;
        if (k < right.size()) {
            const auto& fields = source_.specification.message(right[k].message).fields;
            for (std::size_t i = 0; i < fields.size(); ++i)
                for (expr::Value& other : follower.others(right[k].values[i], fields[i].type)) {
                    all.push_back(right[k]);
                    all.back().values[i] = std::move(other);
                }
            if (k + 1 < right.size()) all.push_back(right[k + 1]);
        }
        all.insert(all.end(), known.begin(), known.end());
        std::shuffle(all.begin(), all.end(), random_);
        all.resize(std::min(all.size(), tried));
        return all;
    }

    const generate::RoleSource& source_;
    const std::vector<RoleCode>& roles_;
    const std::vector<Script>& scripts_;
    std::mt19937_64 random_;
    std::unique_ptr<watch::Monitor> monitor_;
    std::size_t session_ = 0;
};

}  // namespace

std::vector<JudgedLog> judged_logs(const generate::RoleSource& source, const std::vector<RoleCode>& roles,
                                   const std::vector<Script>& scripts, std::uint64_t seed,
                                   std::string& fault) {
    return Logs(source, roles, scripts, seed).run(fault);
}

}  // namespace treaty::generated
