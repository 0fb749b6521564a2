#include "slow_decision.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace treaty::verdicts {

struct SlowJudge::Space {
    struct Item {
        Configuration configuration;
        std::vector<std::pair<Event, std::size_t>> next;
        std::size_t parent = 0;
        Event by;
        bool cut = false;  // a send found no room here
    };
    std::vector<Item> items;
    std::unordered_map<std::string, std::size_t> ids;  // by key
    bool complete = true;

    std::size_t add(const Configuration& c, std::size_t parent, const Event& by) {
        auto [it, added] = ids.try_emplace(c.key(), items.size());
        if (added) items.push_back({c, {}, parent, by, false});
        return it->second;
    }
    std::vector<Event> run_to(std::size_t i) const {
        std::vector<Event> run;
        for (; i != 0; i = items[i].parent) run.push_back(items[i].by);
        std::reverse(run.begin(), run.end());
        return run;
    }
};

std::string SlowJudge::Configuration::key() const {
    std::string text;
    auto number = [&](int n) {
        text += static_cast<char>(n & 127);
        text += static_cast<char>(n >> 7);
    };
    for (int s : states) number(s);
    for (const auto& queue : queues) {
        for (int m : queue) number(m);
        text += '\xff';
    }
    return text;
}

SlowJudge::SlowJudge(const File& file, const SlowLimits& limits)
    : protocol_(file.tested()), limits_(limits), flow_(flow_of(file)), roles_(protocol_.roles.size()) {
    if (!flow_.too_large && !flow_.unclear) projections_ = project_slowly(flow_, roles_);
}

SlowJudge::Configuration SlowJudge::initial() const {
    return {std::vector<int>(roles_, 0), std::vector<std::vector<int>>(roles_ * roles_)};
}

std::vector<std::pair<Event, SlowJudge::Configuration>> SlowJudge::steps(const Configuration& c,
                                                                         std::size_t capacity,
                                                                         bool* cut) const {
    std::vector<std::pair<Event, Configuration>> result;
    for (Role r = 0; r < roles_; ++r)
        for (const auto& [event, to] : projections_.machines[r].out[c.states[r]]) {
            const Interaction& i = flow_.interactions[event.interaction];
            const auto& queue = c.queues[i.from * roles_ + i.to];
            if (event.send && queue.size() >= capacity) {
                *cut = true;
                continue;
            }
            if (!event.send && (queue.empty() || queue.front() != event.interaction)) continue;
            Configuration next = c;
            next.states[r] = to;
            auto& changed = next.queues[i.from * roles_ + i.to];
            if (event.send)
                changed.push_back(event.interaction);
            else
                changed.erase(changed.begin());
            result.push_back({event, std::move(next)});
        }
    return result;
}

void SlowJudge::explore(Space& space, std::size_t capacity, std::size_t limit) const {
    for (std::size_t i = 0; i < space.items.size(); ++i) {
        if (space.items.size() > limit) {
            space.complete = false;
            for (; i < space.items.size(); ++i) space.items[i].cut = true;
            return;
        }
        bool cut = false;
        auto next = steps(space.items[i].configuration, capacity, &cut);
        space.items[i].cut = cut;
        for (const auto& [event, c] : next) {
            std::size_t to = space.add(c, i, event);
            space.items[i].next.push_back({event, to});
        }
    }
}

// It only waits for messages, and in each queue that it looks at, another message is first.
bool SlowJudge::blocked_for_ever(const Configuration& c, Role role) const {
    const LocalMachine& machine = projections_.machines[role];
    int state = c.states[role];
    if (machine.final[state]) return false;
    for (const auto& [event, to] : machine.out[state]) {
        const Interaction& i = flow_.interactions[event.interaction];
        const auto& queue = c.queues[i.from * roles_ + i.to];
        if (event.send || queue.empty() || queue.front() == event.interaction) return false;
    }
    return true;
}

std::optional<std::pair<std::size_t, std::string>> SlowJudge::find_trouble(const Space& space) const {
    std::size_t count = space.items.size();
    std::vector<std::vector<std::size_t>> back(count);
    for (std::size_t i = 0; i < count; ++i)
        for (const auto& [event, to] : space.items[i].next) back[to].push_back(i);
    // All from where one of the marked can be reached.
    auto spread = [&](std::vector<bool>& marked) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < count; ++i)
            if (marked[i]) open.push_back(i);
        while (!open.empty()) {
            std::size_t i = open.back();
            open.pop_back();
            for (std::size_t p : back[i])
                if (!marked[p]) marked[p] = true, open.push_back(p);
        }
    };
    std::vector<bool> cut(count, false);
    for (std::size_t i = 0; i < count; ++i) cut[i] = space.items[i].cut;
    spread(cut);
    auto can = [&](auto wanted) {
        std::vector<bool> marked(count, false);
        for (std::size_t i = 0; i < count; ++i)
            for (const auto& [event, to] : space.items[i].next)
                if (wanted(event)) marked[i] = true;
        spread(marked);
        return marked;
    };
    std::optional<std::pair<std::size_t, std::string>> found;
    auto report = [&](std::size_t i, std::string what) {
        if (!found || i < found->first) found = {i, std::move(what)};
    };
    for (Role r = 0; r < roles_; ++r) {
        auto moves = can([&](const Event& e) {
            const Interaction& i = flow_.interactions[e.interaction];
            return (e.send ? i.from : i.to) == r;
        });
        for (std::size_t i = 0; i < count; ++i) {
            const Configuration& c = space.items[i].configuration;
            if (blocked_for_ever(c, r) ||
                (!cut[i] && !moves[i] && !projections_.machines[r].final[c.states[r]]))
                report(i, protocol_.roles[r] + " waits for ever");
        }
    }
    for (std::size_t q = 0; q < roles_ * roles_; ++q) {
        auto taken = can([&](const Event& e) {
            const Interaction& i = flow_.interactions[e.interaction];
            return !e.send && i.from * roles_ + i.to == q;
        });
        for (std::size_t i = 0; i < count; ++i)
            if (!cut[i] && !taken[i] && !space.items[i].configuration.queues[q].empty())
                report(i, "a message from " + protocol_.roles[q / roles_] + " to " +
                              protocol_.roles[q % roles_] + " is never received");
    }
    return found;
}

SlowAnswer SlowJudge::decide() {
    SlowAnswer answer;
    auto leave = [&](std::string why) {
        answer.why = std::move(why);
        return answer;
    };
    if (flow_.unclear) return leave("what comes after an endless loop is not clear-cut");
    if (flow_.too_large || projections_.too_large) return leave("too large");
    if (projections_.dead) return leave("conditions can leave nobody anything to do");
    Space space;
    space.add(initial(), 0, {});
    explore(space, limits_.capacity, limits_.configurations);
    answer.configurations = space.items.size();
    if (!space.complete) return leave("too many configurations");
    for (const auto& item : space.items) answer.bounded = answer.bounded || item.cut;
    if (auto found = find_trouble(space)) {
        answer.verdict = Verdict::trouble;
        answer.run = space.run_to(found->first);
        answer.why = found->second;
        return answer;
    }
    answer.verdict = Verdict::safe;
    compare_words(answer);
    return answer;
}

void SlowJudge::compare_words(SlowAnswer& answer) {
    struct Item {
        Configuration configuration;
        int residual;
        std::size_t parent;
        Event by;
    };
    SlowLanguage language(flow_);
    if (language.exhausted()) {
        answer.bounded = true;
        return;
    }
    std::vector<Item> items{{initial(), language.start(), 0, {}}};
    std::unordered_set<std::string> seen{initial().key() + std::to_string(language.start())};
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items.size() > limits_.words) {
            answer.bounded = true;
            return;
        }
        bool cut = false;
        for (auto& [event, c] : steps(items[i].configuration, limits_.capacity, &cut)) {
            int residual = language.after(items[i].residual, event);
            if (language.exhausted()) {
                answer.bounded = true;
                return;
            }
            if (!language.possible(residual)) {
                answer.verdict = Verdict::trouble;
                answer.why = "the last event is not allowed";
                answer.run = {event};
                for (std::size_t k = i; k != 0; k = items[k].parent) answer.run.push_back(items[k].by);
                std::reverse(answer.run.begin(), answer.run.end());
                return;
            }
            if (seen.insert(c.key() + std::to_string(residual)).second)
                items.push_back({c, residual, i, event});
        }
    }
}

std::string SlowJudge::prefix_text(const Event& event) const {
    std::string text = verdicts::print(flow_, protocol_.roles, event);
    return text.substr(0, text.find('('));
}

std::optional<bool> SlowJudge::confirms(const std::vector<std::string>& run, bool word) {
    std::set<std::pair<Configuration, std::vector<Event>>> now{{initial(), {}}};
    for (const std::string& wanted : run) {
        std::set<std::pair<Configuration, std::vector<Event>>> next;
        for (const auto& [c, events] : now) {
            bool cut = false;
            for (auto& [event, after] : steps(c, 100, &cut))
                if (prefix_text(event) == wanted) {
                    auto longer = events;
                    longer.push_back(event);
                    next.insert({std::move(after), std::move(longer)});
                }
        }
        now = std::move(next);
        if (now.empty()) return false;  // the roles cannot do this
        if (now.size() > 2000) return std::nullopt;
    }
    std::optional<bool> answer = false;
    for (const auto& [c, events] : now) {
        if (word) {
            SlowLanguage language(flow_);
            int residual = language.start();
            for (const Event& event : events) residual = language.after(residual, event);
            if (language.exhausted()) return std::nullopt;
            if (!language.possible(residual)) return true;
            continue;
        }
        std::size_t longest = 0;
        for (const auto& queue : c.queues) longest = std::max(longest, queue.size());
        Space space;
        space.add(c, 0, {});
        explore(space, std::max(longest, limits_.capacity) + 1, limits_.configurations);
        if (auto found = find_trouble(space)) return true;
        for (const auto& item : space.items)
            if (item.cut) answer = std::nullopt;
        if (!space.complete) answer = std::nullopt;
    }
    return answer;
}

std::vector<Event> SlowJudge::random_run(Random& random, std::size_t length) const {
    std::vector<Event> run;
    Configuration c = initial();
    while (run.size() < length) {
        bool cut = false;
        auto next = steps(c, limits_.capacity, &cut);
        if (next.empty()) break;
        auto& [event, after] = next[random.below(static_cast<unsigned>(next.size()))];
        run.push_back(event);
        c = std::move(after);
    }
    return run;
}

std::string SlowJudge::print(const std::vector<Event>& run) const {
    std::string text;
    for (const Event& event : run)
        text += (text.empty() ? "" : " · ") + verdicts::print(flow_, protocol_.roles, event);
    return text;
}

}  // namespace treaty::verdicts
