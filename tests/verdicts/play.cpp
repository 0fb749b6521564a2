#include "play.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "drive/in_process.h"
#include "drive/tester.h"

namespace treaty::verdicts {
namespace {

struct Player {
    const SlowJudge& judge;
    Role role;
    unsigned lazy;
    Random random;
    Session& session;
    std::map<std::string, std::deque<std::string>> queues;  // by peer: what has come and was not taken
    std::set<std::pair<Role, std::string>> said;            // to whom it has sent what

    const std::string& name(Role r) const { return judge.protocol().roles[r]; }
    const auto& edges(int state) const { return judge.projections().machines[role].out[state]; }

    drive::Task run(drive::InProcess& here) {
        int state = 0;
        unsigned sent = 0;
        for (;;) {
            std::vector<std::pair<Event, int>> sends;
            bool receives = false;
            for (const auto& edge : edges(state)) {
                if (edge.first.send) sends.push_back(edge);
                receives = receives || !edge.first.send;
            }
            bool may_stop = judge.projections().machines[role].final[state];
            bool must = !sends.empty() && !receives && !may_stop;
            if (must && lazy != 0 && ++sent == lazy) {
                session.fell_silent = true;
                for (const auto& [event, to] : sends) {
                    const Interaction& i = judge.flow().interactions[event.interaction];
                    session.said_before = session.said_before || said.contains({i.to, i.message});
                }
                while (co_await here.receive_any()) {
                }
                co_return;
            }
            if (random.percent(50) && take_one(state)) continue;
            // Where it may stop it sometimes only listens from here on.
            if (!sends.empty() && (!may_stop || random.percent(70))) {
                auto [event, to] = sends[random.below(static_cast<unsigned>(sends.size()))];
                const Interaction& i = judge.flow().interactions[event.interaction];
                here.send(name(i.to), nlohmann::json{{"message", i.message}}.dump() + "\n");
                said.insert({i.to, i.message});
                state = to;
                co_await here.pause(std::chrono::milliseconds(random.below(3)));
                continue;
            }
            if (take_one(state)) continue;
            auto came = co_await here.receive_any();
            if (!came) co_return;
            auto message = nlohmann::json::parse(came->second, nullptr, false);
            queues[came->first].push_back(message.is_object() ? message.value("message", "") : came->second);
        }
    }

    // Takes what is first in some queue, if the role's part allows it now; otherwise it stays there.
    bool take_one(int& state) {
        for (const auto& [event, to] : edges(state)) {
            const Interaction& i = judge.flow().interactions[event.interaction];
            if (event.send) continue;
            auto& queue = queues[name(i.from)];
            if (queue.empty() || queue.front() != i.message) continue;
            queue.pop_front();
            state = to;
            return true;
        }
        return false;
    }
};

// By name: notations list roles in orders of their own.
model::RoleId role_of(const model::Specification& specification, const SlowJudge& judge, Role role) {
    return specification.alphabet->find_role(judge.protocol().roles[role]);
}

}  // namespace

bool can_always_stop(const LocalMachine& machine) {
    std::vector<bool> can = machine.final;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t s = 0; s < can.size(); ++s)
            for (const auto& [event, to] : machine.out[s])
                if (!can[s] && can[to]) can[s] = changed = true;
    }
    return std::find(can.begin(), can.end(), false) == can.end();
}

std::optional<Session> play(model::Specification& specification, const SlowJudge& judge, Role role,
                            unsigned lazy, std::uint64_t seed) {
    const model::Protocol& protocol = *specification.main_protocol();
    std::map<model::RoleId, std::string> names;
    std::vector<model::RoleId> played;
    model::RoleId cut = role_of(specification, judge, role);
    for (model::RoleId other : protocol.roles()) {
        if (other == cut) continue;
        played.push_back(other);
        names[other] = specification.alphabet->name(other);
    }
    if (played.size() == protocol.roles().size()) return std::nullopt;  // a notation may forget idle roles
    auto part = roles::RolePart::make(specification, protocol, cut, played, "");
    if (!part) return std::nullopt;
    Session session;
    Player player{judge, role, lazy, Random(seed), session, {}, {}};
    auto stage =
        drive::make_in_process_stage([&player](drive::InProcess& here) { return player.run(here); }, names);
    drive::Tester tester(std::move(*part), std::move(stage), drive::SessionOptions());
    session.outcome = tester.run(seed);
    return session;
}

std::string watched(const model::Specification& specification, const SlowJudge& judge,
                    const std::vector<Event>& log) {
    const model::Protocol& protocol = *specification.main_protocol();
    auto monitor = watch::Monitor::make(specification, protocol, {});
    if (!monitor) return "no monitor";
    for (std::size_t line = 0; line < log.size(); ++line) {
        const Interaction& i = judge.flow().interactions[log[line].interaction];
        watch::Record record;
        record.line = line;
        record.side = log[line].send ? watch::Side::sent : watch::Side::received;
        record.from = role_of(specification, judge, i.from);
        record.to = role_of(specification, judge, i.to);
        record.name = i.message.substr(0, i.message.find('('));
        record.message = specification.alphabet->find_message(record.name);
        if (record.name.size() < i.message.size()) {  // one value
            std::int64_t value = i.message[record.name.size() + 1] - '0';
            record.values.push_back(record.name[0] == 'b' ? expr::Value(value != 0) : expr::Value(value));
        }
        monitor->feed(record);
    }
    std::string text;
    for (const watch::SessionReport& report : monitor->finish()) {
        std::map<std::string, std::string> states;
        for (std::size_t r = 0; r < report.roles.size(); ++r)
            if (report.roles[r].messages > 0)
                states[std::string(specification.alphabet->name(protocol.roles()[r]))] =
                    report.roles[r].failed       ? "failed"
                    : report.roles[r].incomplete ? "open"
                                                 : "complete";
        for (const auto& [role, state] : states) text += fmt::format("{} {}; ", role, state);
        text += report.failed ? "refused" : "accepted";
    }
    return text;
}

}  // namespace treaty::verdicts
