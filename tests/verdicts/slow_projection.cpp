#include "slow_projection.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace treaty::verdicts {
namespace {

// Where the whole is: a place, or inside an edge that takes time.
struct Position {
    int graph = 0, place = 0;
    int edge = -1;                // being taken: an interaction that was sent, or a par
    std::vector<Position> parts;  // of the par
    friend bool operator<(const Position& a, const Position& b) {
        return std::tie(a.graph, a.place, a.edge, a.parts) < std::tie(b.graph, b.place, b.edge, b.parts);
    }
};

struct Move {
    bool silent = true;
    Event event;
    int to = 0;
};

class Whole {
public:
    Whole(const Flow& flow, std::size_t max_states) : flow_(flow), max_states_(max_states) {
        state({flow.main, 0, -1, {}});
        for (std::size_t i = 0; i < positions_.size() && !too_large; ++i) expand(static_cast<int>(i));
    }

    std::vector<std::vector<Move>> moves;  // by state
    std::vector<bool> ended;
    bool too_large = false;

private:
    using Next = std::pair<Move, Position>;

    int state(Position position) {
        auto [it, added] = ids_.try_emplace(position, static_cast<int>(positions_.size()));
        if (added) {
            positions_.push_back(position);
            moves.emplace_back();
            ended.push_back(finished(position));
            if (positions_.size() > max_states_) too_large = true;
        }
        return it->second;
    }

    bool finished(const Position& p) const { return p.edge < 0 && p.place == flow_.graphs[p.graph].end; }

    void expand(int from) {
        Position at = positions_[from];
        for (auto& [move, position] : next(at)) {
            move.to = state(std::move(position));
            moves[from].push_back(move);
        }
    }

    std::vector<Next> next(const Position& p) const {
        std::vector<Next> result;
        const auto& edges = flow_.graphs[p.graph].out[p.place];
        if (p.edge >= 0) {
            const FlowEdge& edge = edges[p.edge];
            Position after{p.graph, edge.to, -1, {}};
            if (edge.segments.empty()) {
                result.push_back({{false, {false, edge.interaction}, 0}, after});
                return result;
            }
            bool all = true;
            for (std::size_t i = 0; i < p.parts.size(); ++i) {
                all = all && finished(p.parts[i]);
                for (auto& [move, part] : next(p.parts[i])) {
                    Position changed = p;
                    changed.parts[i] = std::move(part);
                    result.push_back({move, std::move(changed)});
                }
            }
            if (all) result.push_back({{}, after});
            return result;
        }
        for (std::size_t i = 0; i < edges.size(); ++i) {
            Position inside{p.graph, p.place, static_cast<int>(i), {}};
            for (int segment : edges[i].segments) inside.parts.push_back({segment, 0, -1, {}});
            if (edges[i].interaction >= 0)
                result.push_back({{false, {true, edges[i].interaction}, 0}, inside});
            else if (!edges[i].segments.empty())
                result.push_back({{}, inside});
            else
                result.push_back({{}, {p.graph, edges[i].to, -1, {}}});
        }
        return result;
    }

    const Flow& flow_;
    std::size_t max_states_;
    std::vector<Position> positions_;
    std::map<Position, int> ids_;
};

// States with the same future become one, by splitting until nothing changes.
LocalMachine smallest(const LocalMachine& machine) {
    std::size_t count = machine.out.size();
    std::vector<int> block(count);
    for (std::size_t s = 0; s < count; ++s) block[s] = machine.final[s];
    for (std::size_t blocks = 0;;) {
        std::map<std::pair<int, std::vector<std::pair<Event, int>>>, int> ids;
        std::vector<int> finer(count);
        for (std::size_t s = 0; s < count; ++s) {
            std::vector<std::pair<Event, int>> look;
            for (const auto& [event, to] : machine.out[s]) look.push_back({event, block[to]});
            finer[s] =
                ids.try_emplace({block[s], std::move(look)}, static_cast<int>(ids.size())).first->second;
        }
        block = std::move(finer);  // numbered by first occurrence, so 0 stays 0
        if (ids.size() == blocks) break;
        blocks = ids.size();
    }
    LocalMachine result;
    for (std::size_t s = 0; s < count; ++s) {
        if (static_cast<std::size_t>(block[s]) < result.out.size()) continue;
        result.final.push_back(machine.final[s]);
        result.out.emplace_back();
        for (const auto& [event, to] : machine.out[s]) result.out.back().push_back({event, block[to]});
    }
    return result;
}

class View {
public:
    View(const Flow& flow, const Whole& whole, Role role) : flow_(flow), whole_(whole), role_(role) {
        find_active();
    }

    LocalMachine run(std::size_t max_states, bool* too_large) {
        LocalMachine machine;
        std::map<std::vector<int>, int> ids;
        std::deque<std::vector<int>> open;
        auto state = [&](std::vector<int> set) {
            close(set);
            auto [it, added] = ids.try_emplace(set, static_cast<int>(machine.out.size()));
            if (added) {
                machine.out.emplace_back();
                machine.final.push_back(may_stop(set));
                open.push_back(set);
            }
            return it->second;
        };
        state({0});
        while (!open.empty()) {
            if (machine.out.size() > max_states) {
                *too_large = true;
                return machine;
            }
            std::vector<int> set = std::move(open.front());
            open.pop_front();
            int from = ids.at(set);
            std::map<Event, std::vector<int>> next;
            for (int s : set)
                for (const Move& move : whole_.moves[s])
                    if (mine(move)) next[move.event].push_back(move.to);
            for (auto& [event, targets] : next) {
                int to = state(std::move(targets));
                machine.out[from].push_back({event, to});
            }
        }
        return smallest(machine);
    }

private:
    bool mine(const Move& move) const {
        if (move.silent) return false;
        const Interaction& i = flow_.interactions[move.event.interaction];
        return (move.event.send ? i.from : i.to) == role_;
    }

    // The whole can come to its end without the role, or nothing more can come for it.
    bool may_stop(const std::vector<int>& set) const {
        return std::any_of(set.begin(), set.end(), [&](int s) { return whole_.ended[s]; }) ||
               std::none_of(set.begin(), set.end(), [&](int s) { return active_[s]; });
    }

    // From where something can still come for the role.
    void find_active() {
        active_.assign(whole_.moves.size(), false);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = whole_.moves.size(); s-- > 0;)
                for (const Move& move : whole_.moves[s])
                    if (!active_[s] && (mine(move) || active_[move.to])) active_[s] = changed = true;
        }
    }

    void close(std::vector<int>& set) const {
        std::set<int> seen(set.begin(), set.end());
        std::vector<int> open(seen.begin(), seen.end());
        while (!open.empty()) {
            int s = open.back();
            open.pop_back();
            for (const Move& move : whole_.moves[s])
                if (!mine(move) && seen.insert(move.to).second) open.push_back(move.to);
        }
        set.assign(seen.begin(), seen.end());
    }

    const Flow& flow_;
    const Whole& whole_;
    Role role_;
    std::vector<bool> active_;
};

}  // namespace

Projections project_slowly(const Flow& flow, std::size_t roles, std::size_t max_states) {
    Projections result;
    Whole whole(flow, max_states);
    result.too_large = whole.too_large;
    if (result.too_large) return result;
    for (std::size_t s = 0; s < whole.moves.size(); ++s)
        if (whole.moves[s].empty() && !whole.ended[s]) result.dead = true;
    for (Role r = 0; r < roles; ++r)
        result.machines.push_back(View(flow, whole, r).run(max_states, &result.too_large));
    return result;
}

std::string print(const Flow& flow, const std::vector<std::string>& roles, const Event& event) {
    const Interaction& i = flow.interactions[event.interaction];
    return roles[i.from] + " " + roles[i.to] + (event.send ? "!" : "?") + i.message;
}

}  // namespace treaty::verdicts
