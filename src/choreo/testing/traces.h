// For tests: the slow, obviously right ways that the engines of this folder are compared with.
//
// Steps is anything with an initial state and labelled steps; same_weak_traces() walks two of them in step,
// as sets of states closed under silent steps, up to a length. TreeSteps runs a protocol directly on its
// tree, NetSteps plays the token game with counts in an array.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/net.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo::testing {

using StateText = std::string;  // states as text: equal texts, equal states

struct Steps {
    StateText initial;
    std::function<std::vector<std::pair<std::string, StateText>>(const StateText&)> next;  // "" is silent
    std::function<bool(const StateText&)> successful;
};

struct WeakComparison {
    bool decided = true;  // false: too many states
    bool same = true;
    std::string difference;
};

class WeakWalk {
public:
    WeakWalk(const Steps& a, const Steps& b, std::size_t length, std::size_t limit, bool silence_ends)
        : a_(a), b_(b), length_(length), limit_(limit), silence_ends_(silence_ends) {}

    WeakComparison run() {
        walk(close(a_, {a_.initial}), close(b_, {b_.initial}), "", 0);
        return result_;
    }

private:
    using States = std::set<StateText>;

    States close(const Steps& steps, States states) {
        std::vector<StateText> stack(states.begin(), states.end());
        while (!stack.empty() && result_.decided) {
            StateText s = stack.back();
            stack.pop_back();
            for (auto& [label, target] : steps.next(s))
                if (label.empty() && states.insert(target).second) stack.push_back(target);
            if (states.size() > limit_) result_.decided = false;
        }
        return states;
    }

    std::map<std::string, States> offers(const Steps& steps, const States& states) {
        std::map<std::string, States> result;
        for (const StateText& s : states)
            for (auto& [label, target] : steps.next(s))
                if (!label.empty()) result[label].insert(target);
        return result;
    }

    static bool ends(const Steps& steps, const States& states) {
        for (const StateText& s : states)
            if (steps.successful(s)) return true;
        return false;
    }

    void walk(const States& a, const States& b, const std::string& trace, std::size_t depth) {
        if (!result_.decided || !result_.same) return;
        auto [seen, added] = seen_.try_emplace({a, b}, depth);
        if (!added && seen->second <= depth) return;
        seen->second = depth;
        auto differ = [&](std::string what) {
            result_.same = false;
            result_.difference = "after [" + trace + "]: " + what;
        };
        auto of_a = offers(a_, a), of_b = offers(b_, b);
        bool first_ends = ends(a_, a) || (silence_ends_ && of_a.empty());
        bool second_ends = ends(b_, b) || (silence_ends_ && of_b.empty());
        if (first_ends != second_ends)
            return differ(first_ends ? "only the first may end" : "only the second may end");
        for (auto& [label, s] : of_a)
            if (!of_b.contains(label)) return differ("only the first offers " + label);
        for (auto& [label, s] : of_b)
            if (!of_a.contains(label)) return differ("only the second offers " + label);
        if (depth == length_) return;
        for (auto& [label, s] : of_a)
            walk(close(a_, s), close(b_, of_b[label]), trace.empty() ? label : trace + ", " + label,
                 depth + 1);
    }

    const Steps& a_;
    const Steps& b_;
    std::size_t length_, limit_;
    bool silence_ends_;
    std::map<std::pair<States, States>, std::size_t> seen_;  // with the least depth
    WeakComparison result_;
};

// With silence_ends, where nothing can be seen any more counts as an end.
inline WeakComparison same_weak_traces(const Steps& a, const Steps& b, std::size_t length, std::size_t limit,
                                       bool silence_ends = false) {
    return WeakWalk(a, b, length, limit, silence_ends).run();
}

inline Steps net_steps(const model::Net& net) {
    Steps steps;
    StateText start(net.places().size(), '\0');
    for (model::PlaceId p : net.initial()) ++start[p.index];
    steps.initial = start;
    steps.next = [&net](const StateText& s) {
        std::vector<std::pair<std::string, StateText>> result;
        for (const model::Transition& t : net.transitions()) {
            StateText n = s;
            bool enabled = true;
            for (model::PlaceId p : t.from) enabled = enabled && n[p.index]-- > 0;
            if (!enabled) continue;
            for (model::PlaceId p : t.clears) n[p.index] = 0;
            for (model::PlaceId p : t.to) ++n[p.index];
            result.push_back({t.silent() ? "" : net.alphabet().print(t.label), n});
        }
        return result;
    };
    steps.successful = [&net](const StateText& s) {
        for (std::size_t p = 0; p < s.size(); ++p) {
            auto wanted = std::count(net.final().begin(), net.final().end(), model::PlaceId(p));
            if (s[p] < wanted || (s[p] > wanted && !net.places()[p].semaphore)) return false;
        }
        return true;
    };
    return steps;
}

inline Steps machine_steps(const model::Machine& machine) {
    Steps steps;
    steps.initial = "0";
    steps.next = [&machine](const StateText& s) {
        std::vector<std::pair<std::string, StateText>> result;
        for (const model::Edge& e : machine.out(model::StateId(std::stoul(s))))
            result.push_back({e.label.index == 0 ? "" : machine.alphabet().print(e.label),
                              std::to_string(e.target.index)});
        return result;
    };
    steps.successful = [&machine](const StateText& s) {
        return machine.final(model::StateId(std::stoul(s)));
    };
    return steps;
}

// Runs a protocol on its tree. A state is a term, written as text:
//   .            done            n<i>          before node i
//   (t;i,k)      t, then the children of sequence i from the k-th on
//   <t|t|...>    parallel        [i t]         a round of loop or recursion i
//   {i t}        interruptible block i around t
// followed by '#' and the semaphores' counts. `view` gives the label of an interaction, "" to hide it.
class TreeSteps {
public:
    using View = std::function<std::string(const model::Node&)>;
    TreeSteps(const model::Protocol& protocol, View view) : p_(protocol), view_(std::move(view)) {}

    Steps steps() {
        Steps result;
        result.initial = "n0#" + std::string(p_.semaphore_count(), 'a');
        result.next = [this](const StateText& s) { return next(s); };
        result.successful = [](const StateText& s) { return s.starts_with(".#"); };
        return result;
    }

private:
    struct Step {
        std::string label, term, semaphores;
        model::NodeId jump;  // valid: leaves everything up to this recursion
    };

    std::vector<std::pair<std::string, StateText>> next(const StateText& s) {
        std::size_t hash = s.rfind('#');
        semaphores_ = s.substr(hash + 1);
        text_ = s.substr(0, hash);
        std::size_t at = 0;
        std::vector<std::pair<std::string, StateText>> result;
        for (Step& step : term(at)) result.push_back({step.label, step.term + "#" + step.semaphores});
        return result;
    }

    std::size_t number(std::size_t& at) {
        std::size_t value = 0;
        while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9')
            value = value * 10 + std::size_t(text_[at++] - '0');
        return value;
    }
    static std::string before(model::NodeId id) { return "n" + std::to_string(id.index); }
    Step silent(std::string t) const { return {"", std::move(t), semaphores_, {}}; }

    // Reads the term at `at` and gives its steps; leaves `at` after it.
    std::vector<Step> term(std::size_t& at) {
        std::vector<Step> result;
        switch (text_[at++]) {
            case '.': return result;
            case 'n': return node(model::NodeId(number(at)));
            case '(': {
                bool done = text_[at] == '.';
                auto inner = term(at);
                ++at;
                std::size_t i = number(at);
                ++at;
                std::size_t k = number(at);
                ++at;
                auto children = p_.children(model::NodeId(i));
                if (done)
                    return {silent(k == children.size()
                                       ? "."
                                       : "(" + before(children[k]) + ";" + std::to_string(i) + "," +
                                             std::to_string(k + 1) + ")")};
                for (Step& s : inner) {
                    if (!s.jump)
                        s.term = "(" + s.term + ";" + std::to_string(i) + "," + std::to_string(k) + ")";
                    result.push_back(s);
                }
                return result;
            }
            case '<': return parallel(at);
            case '[': {
                std::size_t i = number(at);
                ++at;
                bool done = text_[at] == '.';
                auto inner = term(at);
                ++at;
                auto kind = p_[model::NodeId(i)].kind;
                bool loop = kind == model::NodeKind::repeat || kind == model::NodeKind::while_loop;
                if (done) return {silent(loop ? before(model::NodeId(i)) : ".")};
                for (Step& s : inner) {
                    if (s.jump == model::NodeId(i))
                        s.jump = {}, s.term = before(model::NodeId(i));
                    else if (!s.jump)
                        s.term = "[" + std::to_string(i) + " " + s.term + "]";
                    result.push_back(s);
                }
                return result;
            }
            case '{': return interruptible(at);
        }
        return result;
    }

    std::vector<Step> parallel(std::size_t& at) {
        std::vector<std::string> parts;
        std::vector<std::vector<Step>> steps;
        while (text_[at - 1] != '>') {
            std::size_t start = at;
            steps.push_back(term(at));
            parts.push_back(text_.substr(start, at - start));
            ++at;
        }
        bool done = true;
        for (auto& part : parts) done = done && part == ".";
        if (done) return {silent(".")};
        std::vector<Step> result;
        for (std::size_t i = 0; i < parts.size(); ++i)
            for (Step& s : steps[i]) {
                std::string text = "<";
                for (std::size_t k = 0; k < parts.size(); ++k)
                    text += (k == i ? s.term : parts[k]) + (k + 1 == parts.size() ? ">" : "|");
                result.push_back({s.label, text, s.semaphores, {}});
            }
        return result;
    }

    std::vector<Step> interruptible(std::size_t& at) {
        std::size_t i = number(at);
        ++at;
        bool done = text_[at] == '.';
        auto inner = term(at);
        ++at;
        auto children = p_.children(model::NodeId(i));
        std::string left = semaphores_;
        for (std::size_t s = 0; s < left.size(); ++s)
            if (only_inside(children[0], s)) left[s] = 'a';
        std::vector<Step> result{{"", before(children[1]), left, {}}};
        if (done) result.push_back(silent("."));
        for (Step& s : inner) {
            if (!s.jump) s.term = "{" + std::to_string(i) + " " + s.term + "}";
            result.push_back(s);
        }
        return result;
    }

    bool only_inside(model::NodeId block, std::size_t semaphore) const {
        bool used = false;
        for (std::size_t i = 0; i < p_.size(); ++i) {
            if (p_[model::NodeId(i)].semaphore != model::SemaphoreId(semaphore)) continue;
            used = true;
            if (i < block.index || i >= p_[block].subtree_end) return false;
        }
        return used;
    }

    std::vector<Step> node(model::NodeId id) {
        using model::NodeKind;
        const model::Node& n = p_[id];
        auto children = p_.children(id);
        std::string own = std::to_string(id.index);
        std::vector<Step> result;
        switch (n.kind) {
            case NodeKind::sequence: return {silent("(.;" + own + ",0)")};
            case NodeKind::interaction: return {{view_(n), ".", semaphores_, {}}};
            case NodeKind::choice:
            case NodeKind::conditional:
                for (model::NodeId child : children) result.push_back(silent(before(child)));
                return result;
            case NodeKind::parallel: {
                std::string text = "<";
                for (model::NodeId child : children)
                    text += before(child) + (child == children.back() ? ">" : "|");
                return {silent(text)};
            }
            case NodeKind::repeat:
            case NodeKind::while_loop:
                return {silent("."), silent("[" + own + " " + before(children[0]) + "]")};
            case NodeKind::recursion: return {silent("[" + own + " " + before(children[0]) + "]")};
            case NodeKind::jump: return {{"", "", semaphores_, p_.loop_node(n.loop)}};
            case NodeKind::interrupt: return {silent("{" + own + " " + before(children[0]) + "}")};
            case NodeKind::assign: return {silent(".")};
            case NodeKind::signal: {
                Step s = silent(".");
                ++s.semaphores[n.semaphore.index];
                return {s};
            }
            case NodeKind::wait: {
                if (semaphores_[n.semaphore.index] == 'a') return {};
                Step s = silent(".");
                --s.semaphores[n.semaphore.index];
                return {s};
            }
        }
        return result;
    }

    const model::Protocol& p_;
    View view_;
    std::string semaphores_;
    std::string text_;
};

}  // namespace treaty::choreo::testing
