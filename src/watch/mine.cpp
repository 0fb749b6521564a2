#include "watch/mine.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/wording.h"

namespace treaty::watch {

using model::Event;
using ParallelStep = Miner::ParallelStep;
using Word = Miner::Word;

void Miner::add(const Record& record) {
    Session& session = sessions_[record.session];
    Event event{model::EventKind::interaction, record.from, record.to, record.message};
    bool sends = record.side != Side::received, receives = record.side != Side::sent;
    // The other half of one that is there already, or a new one.
    std::size_t i = session.interactions.size();
    if (record.side != Side::both)
        for (std::size_t k = session.open;
             k < session.interactions.size() && i == session.interactions.size(); ++k) {
            const Interaction& other = session.interactions[k];
            if (other.event == event && other.correlation == record.correlation &&
                (sends ? !other.sent : !other.received))
                i = k;
        }
    if (i == session.interactions.size()) session.interactions.push_back({event, record.correlation});
    Interaction& interaction = session.interactions[i];
    if (sends) {
        interaction.sent = true;
        session.own[record.from].push_back(i);
    }
    if (receives) {
        interaction.received = true;
        session.own[record.to].push_back(i);
    }
    auto whole = [](const Interaction& x) { return x.sent && x.received; };
    while (session.open < session.interactions.size() && whole(session.interactions[session.open]))
        ++session.open;
}

namespace {

// Sets of interactions that come before each other in circles, in an order of the rest (Tarjan, by hand:
// words may be long).
class Circles {
public:
    explicit Circles(const std::vector<std::vector<std::size_t>>& next) : next_(next) {
        std::size_t n = next.size();
        index_.assign(n, 0);
        low_.assign(n, 0);
        on_stack_.assign(n, false);
        for (std::size_t i = 0; i < n; ++i)
            if (index_[i] == 0) visit(i);
        std::reverse(found_.begin(), found_.end());
    }
    const std::vector<std::vector<std::size_t>>& found() const { return found_; }

private:
    void visit(std::size_t root) {
        struct Frame {
            std::size_t at, edge;
        };
        std::vector<Frame> frames{{root, 0}};
        enter(root);
        while (!frames.empty()) {
            auto& [at, edge] = frames.back();
            if (edge < next_[at].size()) {
                std::size_t to = next_[at][edge++];
                if (index_[to] == 0) {
                    enter(to);
                    frames.push_back({to, 0});
                } else if (on_stack_[to]) {
                    low_[at] = std::min(low_[at], index_[to]);
                }
                continue;
            }
            std::size_t done = at;
            frames.pop_back();
            if (!frames.empty()) low_[frames.back().at] = std::min(low_[frames.back().at], low_[done]);
            if (low_[done] != index_[done]) continue;
            std::vector<std::size_t> circle;
            std::size_t member;
            do {
                member = stack_.back();
                stack_.pop_back();
                on_stack_[member] = false;
                circle.push_back(member);
            } while (member != done);
            found_.push_back(std::move(circle));
        }
    }
    void enter(std::size_t i) {
        index_[i] = low_[i] = ++count_;
        stack_.push_back(i);
        on_stack_[i] = true;
    }

    const std::vector<std::vector<std::size_t>>& next_;
    std::vector<std::size_t> index_, low_, stack_;
    std::vector<bool> on_stack_;
    std::vector<std::vector<std::size_t>> found_;
    std::size_t count_ = 0;
};

}  // namespace

Word Miner::word_of(const Session& session, std::size_t limit, std::size_t& cut) const {
    std::vector<std::vector<std::size_t>> next(session.interactions.size());
    for (const auto& [role, order] : session.own)
        for (std::size_t i = 0; i + 1 < order.size(); ++i) next[order[i]].push_back(order[i + 1]);
    // Of one that was never received nothing follows for its receiver, so it comes after all the receiver
    // did.
    for (std::size_t i = 0; i < session.interactions.size(); ++i) {
        const Interaction& one = session.interactions[i];
        for (model::RoleId role : {one.event.from, one.event.to}) {
            auto order = session.own.find(role);
            bool took_part = role == one.event.from ? one.sent : one.received;
            if (!took_part && order != session.own.end()) next[order->second.back()].push_back(i);
        }
    }
    Word word;
    Circles circles(next);
    for (const auto& circle : circles.found()) {
        ParallelStep step;
        for (std::size_t i : circle) step.push_back(session.interactions[i].event);
        std::sort(step.begin(), step.end());
        word.push_back(std::move(step));
    }
    if (word.size() > limit) {
        word.resize(limit);
        ++cut;
    }
    return word;
}

namespace {

// An automaton over steps, deterministic; state 0 is initial.
struct Automaton {
    std::vector<std::map<ParallelStep, std::size_t>> next;
    std::vector<bool> final;
};

Automaton tree_of(const std::set<Word>& words) {
    Automaton tree{{{}}, {false}};
    for (const Word& word : words) {
        std::size_t at = 0;
        for (const ParallelStep& step : word) {
            auto [found, fresh] = tree.next[at].try_emplace(step, tree.next.size());
            at = found->second;
            if (fresh) {
                tree.next.emplace_back();
                tree.final.push_back(false);
            }
        }
        tree.final[at] = true;
    }
    return tree;
}

// By state: a number that is the same for states after which the same can happen for k steps.
std::vector<std::size_t> tails(const Automaton& a, std::size_t k) {
    std::vector<std::size_t> kind(a.next.size());
    for (std::size_t i = 0; i < kind.size(); ++i) kind[i] = a.final[i];
    for (; k > 0; --k) {
        std::map<std::pair<bool, std::map<ParallelStep, std::size_t>>, std::size_t> kinds;
        std::vector<std::size_t> finer(kind.size());
        for (std::size_t i = 0; i < kind.size(); ++i) {
            std::map<ParallelStep, std::size_t> ahead;
            for (const auto& [step, to] : a.next[i]) ahead[step] = kind[to];
            finer[i] = kinds.try_emplace({a.final[i], std::move(ahead)}, kinds.size()).first->second;
        }
        kind = std::move(finer);
    }
    return kind;
}

// States of one number become one; so do those that one of them would otherwise lead to by the same step.
Automaton merged(const Automaton& a, const std::vector<std::size_t>& kind) {
    std::vector<std::size_t> parent(a.next.size());
    std::iota(parent.begin(), parent.end(), 0u);
    auto root = [&](std::size_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    std::map<std::size_t, std::size_t> first;
    for (std::size_t i = 0; i < kind.size(); ++i) parent[i] = first.try_emplace(kind[i], i).first->second;
    for (bool changed = true; changed;) {
        changed = false;
        std::map<std::pair<std::size_t, ParallelStep>, std::size_t> targets;
        for (std::size_t i = 0; i < a.next.size(); ++i)
            for (const auto& [step, to] : a.next[i]) {
                auto [known, fresh] = targets.try_emplace({root(i), step}, root(to));
                std::size_t x = root(known->second), y = root(to);
                if (x == y) continue;
                parent[std::max(x, y)] = std::min(x, y);
                changed = true;
            }
    }
    Automaton result;
    std::map<std::size_t, std::size_t> number;
    for (std::size_t i = 0; i < a.next.size(); ++i)
        if (root(i) == i) number.emplace(i, number.size());
    result.next.resize(number.size());
    result.final.resize(number.size());
    for (std::size_t i = 0; i < a.next.size(); ++i) {
        std::size_t from = number[root(i)];
        result.final[from] = result.final[from] || a.final[i];
        for (const auto& [step, to] : a.next[i]) result.next[from][step] = number[root(to)];
    }
    return result;
}

}  // namespace

// The automaton as text: what was begun and not ended is gone back to, everything else is written where it
// is.
class GuessWriter {
public:
    GuessWriter(const Miner& miner, const Automaton& automaton, std::size_t limit)
        : miner_(miner), automaton_(automaton), limit_(limit), open_(automaton.next.size()) {}

    bool write(std::string& text) {
        std::string body = state(0, 1);
        text += body;
        return steps_ <= limit_;
    }

private:
    std::string state(std::size_t s, std::size_t depth) {
        if (steps_ > limit_ || depth > 300) {
            steps_ = limit_ + 1;
            return {};
        }
        std::string indent(2 * depth, ' ');
        if (open_[s]) {
            used_.insert(s);
            return fmt::format("{}continue S{}\n", indent, s);
        }
        if (automaton_.next[s].empty()) return {};
        open_[s] = true;
        bool choice = automaton_.next[s].size() + (automaton_.final[s] ? 1 : 0) > 1;
        std::string body = ways(s, depth + 1, choice);
        open_[s] = false;
        if (used_.erase(s) == 0) return further_left(body);
        return fmt::format("{}rec S{} {{\n{}{}}}\n", indent, s, body, indent);
    }
    // What nothing went back to needs no loop around it.
    static std::string further_left(const std::string& body) {
        std::string text;
        for (std::size_t at = 0; at < body.size();) {
            std::size_t end = body.find('\n', at) + 1;
            text.append(body, at + 2, end - at - 2);
            at = end;
        }
        return text;
    }
    std::string ways(std::size_t s, std::size_t depth, bool choice) {
        std::string indent(2 * depth, ' '), text;
        for (const auto& [step, to] : automaton_.next[s]) {
            if (choice) text += text.empty() ? indent + "choice {\n" : indent + "} or {\n";
            text += one(step, depth + (choice ? 1 : 0));
            text += state(to, depth + (choice ? 1 : 0));
        }
        if (choice && automaton_.final[s]) text += indent + "} or {\n";
        if (choice) text += indent + "}\n";
        return text;
    }
    std::string one(const ParallelStep& step, std::size_t depth) {
        steps_ += step.size();
        std::string indent(2 * depth, ' '), text;
        if (step.size() == 1) return indent + miner_.print(step[0]) + "\n";
        for (const Event& e : step)
            text += fmt::format("{}{}\n{}  {}\n", indent, text.empty() ? "par {" : "} and {", indent,
                                miner_.print(e));
        return text + indent + "}\n";
    }

    const Miner& miner_;
    const Automaton& automaton_;
    std::size_t limit_, steps_ = 0;
    std::vector<bool> open_;
    std::set<std::size_t> used_;
};

std::string Miner::print(const Event& event) const {
    return fmt::format("{} -> {}: {}", alphabet_.name(event.from), alphabet_.name(event.to),
                       alphabet_.name(event.message));
}

Guess Miner::guess(const MineOptions& options) {
    Guess result;
    std::set<Word> words;
    std::set<std::string_view> roles;
    for (const auto& [name, session] : sessions_) {
        result.interactions += session.interactions.size();
        for (const auto& [role, order] : session.own) roles.insert(alphabet_.name(role));
        for (const Interaction& i : session.interactions) {
            roles.insert(alphabet_.name(i.event.from));
            roles.insert(alphabet_.name(i.event.to));
        }
        words.insert(word_of(session, options.word_limit, result.cut));
    }
    result.sessions = sessions_.size();
    result.words = words.size();
    Automaton tree = tree_of(words);
    for (std::size_t k = options.k;; --k) {
        Automaton automaton = merged(tree, tails(tree, k));
        result.k = k;
        result.states = automaton.next.size();
        result.text = fmt::format(
            "// A guess from {} of traffic (k-tails, k = {}): it accepts what was seen,\n"
            "// and more. Read it before you rely on it.\nprotocol {}(",
            base::counted(result.sessions, "session"), k, options.name);
        bool first = true;
        for (std::string_view role : roles) {
            result.text += fmt::format("{}{}", first ? "" : ", ", role);
            first = false;
        }
        result.text += ") {\n";
        bool fits =
            GuessWriter(*this, automaton, k == 0 ? SIZE_MAX - 1 : options.step_limit).write(result.text);
        result.text += "}\n";
        if (fits || k == 0) return result;
    }
}

}  // namespace treaty::watch
