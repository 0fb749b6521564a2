// Thompson's construction, then the subset construction over classes of bytes that no pattern tells apart.
#include "solve/automaton.h"

#include <algorithm>
#include <map>

namespace treaty::solve {
namespace {

constexpr std::size_t max_nfa = 40'000;

struct NfaState {
    ByteSet set;                      // consumed on the way to `to`
    std::int32_t to = -1;             // by a byte of the set
    std::vector<std::uint32_t> free;  // without a byte
    std::int32_t tag = -1;            // accepting
};

class Nfa {
public:
    std::vector<NfaState> states;
    bool too_large = false;

    std::uint32_t add() {
        if (states.size() >= max_nfa) too_large = true;
        if (!too_large || states.empty()) states.emplace_back();
        return static_cast<std::uint32_t>(states.size() - 1);
    }

    // From the state `from`, through the node; returns the state after it.
    std::uint32_t node(const PatternTree& t, std::uint32_t id, std::uint32_t from) {
        const PatternNode& n = t.nodes[id];
        if (too_large) return from;
        switch (n.kind) {
            case PatternKind::set: {
                std::uint32_t to = add();
                if (too_large) return from;
                states[from].set = n.set;
                states[from].to = static_cast<std::int32_t>(to);
                return to;
            }
            case PatternKind::row:
                for (std::uint32_t c : n.children) from = node(t, c, step(from));
                return from;
            case PatternKind::either: {
                std::uint32_t end = add();
                for (std::uint32_t c : n.children) {
                    std::uint32_t begin = step(from);
                    std::uint32_t last = node(t, c, begin);
                    states[last].free.push_back(end);
                }
                return end;
            }
            case PatternKind::repeat: return repeat(t, n, from);
        }
        return from;
    }

private:
    std::uint32_t step(std::uint32_t from) {
        std::uint32_t begin = add();
        if (begin != from) states[from].free.push_back(begin);
        return begin;
    }

    std::uint32_t repeat(const PatternTree& t, const PatternNode& n, std::uint32_t from) {
        for (std::uint32_t i = 0; i < n.low; ++i) from = node(t, n.children[0], step(from));
        if (n.high == PatternNode::no_bound) {
            std::uint32_t loop = step(from);
            std::uint32_t begin = step(loop);
            std::uint32_t last = node(t, n.children[0], begin);
            states[last].free.push_back(loop);
            std::uint32_t end = add();
            states[loop].free.push_back(end);
            return end;
        }
        std::vector<std::uint32_t> exits;
        for (std::uint32_t i = n.low; i < n.high && !too_large; ++i) {
            exits.push_back(from);
            from = node(t, n.children[0], step(from));
        }
        std::uint32_t end = step(from);
        for (std::uint32_t e : exits) states[e].free.push_back(end);
        return end;
    }
};

using Subset = std::vector<std::uint32_t>;

Subset closure(const Nfa& nfa, Subset seeds) {
    std::vector<bool> seen(nfa.states.size(), false);
    Subset open = std::move(seeds), result;
    while (!open.empty()) {
        std::uint32_t s = open.back();
        open.pop_back();
        if (seen[s]) continue;
        seen[s] = true;
        const NfaState& state = nfa.states[s];
        if (state.to >= 0 || state.tag >= 0) result.push_back(s);
        for (std::uint32_t f : state.free) open.push_back(f);
    }
    std::sort(result.begin(), result.end());
    return result;
}

// Two bytes are of one class when every set holds both or neither.
std::uint32_t classify(const Nfa& nfa, std::array<std::uint8_t, 256>& classes) {
    std::vector<std::uint32_t> of(256, 0);
    std::uint32_t count = 1;
    for (const NfaState& s : nfa.states) {
        if (s.to < 0 || s.set.all()) continue;
        std::map<std::pair<std::uint32_t, bool>, std::uint32_t> split;
        std::vector<std::uint32_t> fresh(256);
        for (unsigned b = 0; b < 256; ++b) {
            auto [it, added] = split.try_emplace({of[b], s.set[b]}, static_cast<std::uint32_t>(split.size()));
            fresh[b] = it->second;
        }
        of = std::move(fresh);
        count = static_cast<std::uint32_t>(split.size());
        if (count == 256) break;
    }
    for (unsigned b = 0; b < 256; ++b) classes[b] = static_cast<std::uint8_t>(of[b]);
    return count;
}

}  // namespace

std::optional<Automaton> Automaton::of(std::span<const PatternTree> trees, std::size_t max_states) {
    Nfa nfa;
    Subset starts;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        std::uint32_t begin = nfa.add();
        starts.push_back(begin);
        std::uint32_t end = nfa.node(trees[i], trees[i].root, begin);
        if (nfa.too_large) return std::nullopt;
        // An own accepting state: the last one may consume further.
        std::uint32_t last = nfa.add();
        nfa.states[end].free.push_back(last);
        nfa.states[last].tag = static_cast<std::int32_t>(i);
        if (nfa.too_large) return std::nullopt;
    }
    Automaton a;
    a.class_count_ = classify(nfa, a.classes_);
    std::vector<unsigned char> sample(a.class_count_, 0);
    for (unsigned b = 256; b-- > 0;) sample[a.classes_[b]] = static_cast<unsigned char>(b);
    std::map<Subset, State> known;
    std::vector<Subset> order;
    auto state_of = [&](Subset set) {
        auto [it, added] = known.try_emplace(std::move(set), static_cast<State>(order.size()));
        if (added) order.push_back(it->first);
        return it->second;
    };
    state_of(Subset());  // 0: dead
    a.initial_ = state_of(closure(nfa, starts));
    std::size_t work = 0;
    for (std::size_t s = 0; s < order.size(); ++s) {
        Subset set = order[s];
        std::vector<std::uint32_t> tags;
        for (std::uint32_t n : set)
            if (nfa.states[n].tag >= 0) tags.push_back(static_cast<std::uint32_t>(nfa.states[n].tag));
        std::sort(tags.begin(), tags.end());
        a.accepting_.push_back(!tags.empty());
        a.tags_.push_back(std::move(tags));
        for (std::uint32_t c = 0; c < a.class_count_; ++c) {
            Subset reached;
            for (std::uint32_t n : set)
                if (nfa.states[n].to >= 0 && nfa.states[n].set[sample[c]])
                    reached.push_back(static_cast<std::uint32_t>(nfa.states[n].to));
            if (!reached.empty()) work += nfa.states.size() / 8 + reached.size();
            a.next_.push_back(reached.empty() ? 0 : state_of(closure(nfa, std::move(reached))));
        }
        if (order.size() > max_states || work > 50'000'000) return std::nullopt;
    }
    a.finish();
    return a;
}

std::optional<Automaton> Automaton::of(std::string_view pattern, std::size_t max_states) {
    auto tree = read_pattern(pattern);
    if (!tree) return std::nullopt;
    return of(std::span<const PatternTree>(&*tree, 1), max_states);
}

Automaton Automaton::all_of(const ByteSet& letters) {
    Automaton a;
    a.class_count_ = letters.all() ? 1 : 2;
    for (unsigned b = 0; b < 256; ++b) a.classes_[b] = letters[b] ? 0 : 1;
    a.initial_ = 1;
    a.accepting_ = {false, true};
    a.tags_ = {{}, {0}};
    a.next_ = letters.all() ? std::vector<State>{0, 1} : std::vector<State>{0, 0, 1, 0};
    a.finish();
    return a;
}

Automaton Automaton::exactly(std::string_view text) {
    PatternTree tree;
    PatternNode row;
    for (char c : text) {
        PatternNode n;
        n.kind = PatternKind::set;
        n.set.set(static_cast<unsigned char>(c));
        row.children.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
        tree.nodes.push_back(n);
    }
    tree.root = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.push_back(row);
    auto a = of(std::span<const PatternTree>(&tree, 1), text.size() + 2);
    return a ? *a : all_of(ByteSet());
}

Automaton Automaton::containing(std::string_view text) {
    PatternTree tree;
    auto node = [&](PatternKind kind, const ByteSet& set, std::vector<std::uint32_t> children) {
        PatternNode n;
        n.kind = kind;
        n.set = set;
        n.high = PatternNode::no_bound;
        n.children = std::move(children);
        tree.nodes.push_back(n);
        return static_cast<std::uint32_t>(tree.nodes.size() - 1);
    };
    auto any = [&] { return node(PatternKind::repeat, {}, {node(PatternKind::set, ByteSet().set(), {})}); };
    std::vector<std::uint32_t> parts{any()};
    for (char c : text) {
        ByteSet one;
        one.set(static_cast<unsigned char>(c));
        parts.push_back(node(PatternKind::set, one, {}));
    }
    parts.push_back(any());
    tree.root = node(PatternKind::row, {}, parts);
    auto a = of(std::span<const PatternTree>(&tree, 1), default_states);
    return a ? *a : all_of(ByteSet());
}

// States: nothing, everything, and one for each beginning of the text.
Automaton Automaton::before(std::string_view text, bool itself) {
    Automaton a;
    a.class_count_ = 256;
    for (unsigned b = 0; b < 256; ++b) a.classes_[b] = static_cast<std::uint8_t>(b);
    std::size_t states = text.size() + 3;
    a.initial_ = 2;
    a.next_.assign(states * 256, 0);
    for (unsigned b = 0; b < 256; ++b) a.next_[256 + b] = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto letter = static_cast<unsigned char>(text[i]);
        for (unsigned b = 0; b < letter; ++b) a.next_[(i + 2) * 256 + b] = 1;
        a.next_[(i + 2) * 256 + letter] = static_cast<State>(i + 3);
    }
    a.accepting_.assign(states, true);
    a.accepting_[0] = false;
    a.accepting_[states - 1] = itself;
    for (std::size_t s = 0; s < states; ++s)
        a.tags_.push_back(a.accepting_[s] ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>());
    a.finish();
    return a;
}

// Classes of bytes that nothing is replaced by are left out, so that distances stay right.
Automaton Automaton::replaced(const std::array<unsigned char, 256>& by) const {
    Automaton a = *this;
    std::map<std::uint8_t, std::uint8_t> used;
    for (unsigned b = 0; b < 256; ++b) {
        auto fresh = static_cast<std::uint8_t>(used.size());
        a.classes_[b] = used.try_emplace(classes_[by[b]], fresh).first->second;
    }
    a.class_count_ = static_cast<std::uint32_t>(used.size());
    a.next_.assign(accepting_.size() * used.size(), 0);
    for (std::size_t s = 0; s < accepting_.size(); ++s)
        for (auto [old, fresh] : used) a.next_[s * used.size() + fresh] = next_[s * class_count_ + old];
    a.finish();
    return a;
}

std::optional<Automaton> Automaton::both(const Automaton& other, std::size_t max_states) const {
    Automaton a;
    std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint8_t> pairs;
    std::vector<unsigned char> sample;
    for (unsigned b = 0; b < 256; ++b) {
        auto [it, added] =
            pairs.try_emplace({classes_[b], other.classes_[b]}, static_cast<std::uint8_t>(pairs.size()));
        if (added) sample.push_back(static_cast<unsigned char>(b));
        a.classes_[b] = it->second;
    }
    a.class_count_ = static_cast<std::uint32_t>(pairs.size());
    std::map<std::pair<State, State>, State> known;
    std::vector<std::pair<State, State>> order;
    auto state_of = [&](State x, State y) {
        if (distance_[x] == never || other.distance_[y] == never) x = y = never;
        auto [it, added] = known.try_emplace({x, y}, static_cast<State>(order.size()));
        if (added) order.emplace_back(x, y);
        return it->second;
    };
    state_of(initial_, other.initial_);
    a.initial_ = 0;
    for (std::size_t s = 0; s < order.size(); ++s) {
        auto [x, y] = order[s];
        bool dead = x == never;
        a.accepting_.push_back(!dead && accepting_[x] && other.accepting_[y]);
        a.tags_.push_back(a.accepting_.back() ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>());
        for (unsigned char b : sample)
            a.next_.push_back(dead ? static_cast<State>(s) : state_of(next(x, b), other.next(y, b)));
        if (order.size() > max_states) return std::nullopt;
    }
    a.finish();
    return a;
}

Automaton Automaton::complement() const {
    Automaton a = *this;
    for (std::size_t s = 0; s < a.accepting_.size(); ++s) {
        a.accepting_[s] = !accepting_[s];
        a.tags_[s] = a.accepting_[s] ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>();
    }
    a.finish();
    return a;
}

void Automaton::finish() {
    std::size_t n = accepting_.size();
    std::vector<std::vector<State>> back(n);
    for (std::size_t s = 0; s < n; ++s)
        for (std::uint32_t c = 0; c < class_count_; ++c)
            back[next_[s * class_count_ + c]].push_back(static_cast<State>(s));
    distance_.assign(n, never);
    std::vector<State> open;
    for (std::size_t s = 0; s < n; ++s)
        if (accepting_[s]) {
            distance_[s] = 0;
            open.push_back(static_cast<State>(s));
        }
    for (std::size_t i = 0; i < open.size(); ++i)
        for (State p : back[open[i]])
            if (distance_[p] == never) {
                distance_[p] = distance_[open[i]] + 1;
                open.push_back(p);
            }
}

bool Automaton::matches(std::string_view text) const {
    State s = initial_;
    for (char c : text) s = next(s, static_cast<unsigned char>(c));
    return accepting_[s];
}

std::optional<std::string> Automaton::shortest() const {
    if (empty()) return std::nullopt;
    std::string text;
    for (State s = initial_; distance_[s] > 0;)
        for (unsigned r = 0; r < 256; ++r) {
            unsigned char b = nth_simplest(r);
            State to = next(s, b);
            if (distance_[to] == never || distance_[to] + 1 != distance_[s]) continue;
            text += static_cast<char>(b);
            s = to;
            break;
        }
    return text;
}

bool Automaton::prefix_free() const {
    for (std::size_t s = 0; s < accepting_.size(); ++s) {
        if (!accepting_[s]) continue;
        for (std::uint32_t c = 0; c < class_count_; ++c)
            if (distance_[next_[s * class_count_ + c]] != never) return false;
    }
    return true;
}

}  // namespace treaty::solve
