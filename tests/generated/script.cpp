#include "script.h"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "choreo/compile_net.h"
#include "choreo/reduce_net.h"
#include "follower.h"
#include "roles/distances.h"
#include "step/net_walk.h"

namespace treaty::generated {
namespace {

using generate::Operation;
using generate::RoleCode;
using generate::StateCode;

constexpr std::size_t sessions = 3, towards_the_end = 25, most_events = 50;

class Scripts {
public:
    Scripts(const generate::RoleSource& source, const std::vector<RoleCode>& roles, std::uint64_t seed)
        : source_(source), roles_(roles), random_(seed) {}

    std::vector<Script> run(std::string& fault) {
        auto compiled = choreo::compile_net(source_.specification, source_.protocol);
        if (!compiled) return {};
        model::Net net = choreo::reduce_net(*compiled);
        roles::EndDistance distance(net);
        std::vector<Script> all(sessions);
        for (Script& script : all) {
            walk(net, distance, script);
            follow(script, fault);
            if (!fault.empty()) return {};
        }
        return all;
    }

private:
    void walk(const model::Net& net, const roles::EndDistance& distance, Script& script) {
        step::NetWalk walk(net, {}, &source_.specification, random_());
        while (walk.taken().size() < most_events) {
            if (walk.standing() == step::Standing::over) break;
            if (walk.standing() == step::Standing::may_end && walk.taken().size() >= towards_the_end) break;
            std::vector<std::size_t> possible;
            for (std::size_t i = 0; i < walk.options().size(); ++i)
                if (walk.options()[i].proposal) possible.push_back(i);
            if (possible.empty()) break;
            std::size_t chosen = choose(walk, possible, distance);
            seen_.insert(walk.options()[chosen].node);
            if (!walk.take(chosen, *walk.options()[chosen].proposal)) break;
        }
        auto taken = walk.taken();
        script.events.assign(taken.begin(), taken.end());
        script.ended = walk.standing() == step::Standing::over || walk.standing() == step::Standing::may_end;
    }

    std::size_t choose(const step::NetWalk& walk, const std::vector<std::size_t>& possible,
                       const roles::EndDistance& distance) {
        auto options = walk.options();
        if (walk.taken().size() >= towards_the_end)
            return *std::min_element(possible.begin(), possible.end(), [&](std::size_t a, std::size_t b) {
                return distance.after(options[a].node) < distance.after(options[b].node);
            });
        std::vector<std::size_t> fresh;
        for (std::size_t i : possible)
            if (!seen_.contains(options[i].node)) fresh.push_back(i);
        const auto& from = fresh.empty() ? possible : fresh;
        return from[random_() % from.size()];
    }

    void follow(Script& script, std::string& fault) {
        std::vector<Follower> followers;
        for (const RoleCode& role : roles_) followers.emplace_back(source_.specification, role);
        const model::Alphabet& alphabet = *source_.specification.alphabet;
        for (const step::Taken& taken : script.events) {
            const model::Event& event = alphabet.event(taken.label);
            if (event.kind != model::EventKind::interaction) continue;
            for (bool sends : {true, false}) {
                std::size_t role = position(sends ? event.from : event.to);
                std::optional<step::Values> refused = followers[role].refused(sends, event, taken.values);
                auto step = followers[role].take(role, sends, sends ? event.to : event.from, event.message,
                                                 taken.values);
                if (!step) {
                    fault = fmt::format("{} does not allow {} in {}", alphabet.name(roles_[role].role),
                                        alphabet.print(taken.label), followers[role].state().name);
                    return;
                }
                step->refused = std::move(refused);
                script.steps.push_back(*step);
            }
        }
        depart(script, followers);
    }

    // First those that can close their side by themselves, then those that wait for that.
    void depart(Script& script, const std::vector<Follower>& followers) const {
        std::set<model::RoleId> gone;
        for (bool waiting : {false, true})
            for (std::size_t i = 0; i < followers.size(); ++i) {
                const StateCode& state = followers[i].state();
                bool waits = state.receives() && !state.sends();
                if (waits != waiting) continue;
                Leaving how = Leaving::abandons;
                if (state.is_done())
                    how = Leaving::drops;
                else if (script.ended && followers[i].may_end())
                    how = !waits                     ? Leaving::finishes
                          : all_gone(state, gone)    ? Leaving::is_ended
                          : state.endings[0].empty() ? Leaving::drops
                                                     : Leaving::abandons;
                script.departures.push_back({i, &state, how});
                gone.insert(roles_[i].role);
            }
    }

    static bool all_gone(const StateCode& state, const std::set<model::RoleId>& gone) {
        return std::all_of(state.operations.begin(), state.operations.end(),
                           [&](const Operation& o) { return gone.contains(o.peer); });
    }

    std::size_t position(model::RoleId role) const {
        auto found = std::find_if(roles_.begin(), roles_.end(),
                                  [&](const RoleCode& code) { return code.role == role; });
        return static_cast<std::size_t>(found - roles_.begin());
    }

    const generate::RoleSource& source_;
    const std::vector<RoleCode>& roles_;
    std::mt19937_64 random_;
    std::set<model::NodeId> seen_;
};

}  // namespace

std::vector<Script> scripts_of(const generate::RoleSource& source, const std::vector<RoleCode>& roles,
                               std::uint64_t seed, std::string& fault) {
    return Scripts(source, roles, seed).run(fault);
}

}  // namespace treaty::generated
