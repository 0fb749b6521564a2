// Random protocols with data, random logs of them, right and wrong: every role, and the whole by causality,
// is judged as a plain reading of docs/watching.md judges it, which walks the protocol's tree role by role
// and keeps every state that the role may be in.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "choreo/role_knowledge.h"
#include "expr/evaluate.h"
#include "watch/monitor.h"
#include "watch_setup.h"

namespace treaty::watch {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

// --- protocols

class Writer {
public:
    explicit Writer(Random& random) : random_(random) {}

    std::string protocol() {
        std::string text =
            "message n(x: int in 0..3)\nmessage k(x: int in 0..3, y: bool) where x != 1 or y\nmessage b(y: "
            "bool)\n"
            "protocol P(A, B, C) {\n";
        known_["c"] = "ABC";
        text += "  let c = " + number() + "\n";
        block(text, 2, 1 + below(random_, 4), 2);
        return text + "}\n";
    }

private:
    std::string number() { return std::to_string(below(random_, 3)); }
    char role() { return "ABC"[below(random_, 3)]; }
    char other(char r) {
        char o = role();
        while (o == r) o = role();
        return o;
    }

    std::string variable(char r) {
        std::vector<std::string> all;
        for (const auto& [name, roles] : known_)
            if (roles.find(r) != std::string::npos) all.push_back(name);
        return all[below(random_, all.size())];
    }
    std::string value(char r) {
        switch (below(random_, 5)) {
            case 0: return number();
            case 1: return fmt::format("max({}, {})", variable(r), number());
            case 2: return fmt::format("{} mod 2", variable(r));
            default: return variable(r);
        }
    }
    std::string condition(char r) {
        static const char* const comparisons[] = {"==", "!=", "<", ">="};
        return fmt::format("{} {} {}", value(r), comparisons[below(random_, 4)], value(r));
    }

    void interaction(std::string& out, std::size_t indent, char from) {
        char to = other(from);
        std::string bound, x;
        switch (below(random_, 4)) {
            case 0: x = "_"; break;
            case 1:
            case 2:
                bound = fmt::format("v{}", variables_++);
                x = "let " + bound;
                break;
            default: x = value(from);
        }
        if (!bound.empty()) known_[bound] = {from, to};
        std::string message;
        switch (below(random_, 4)) {
            case 0: message = fmt::format("p{}", below(random_, 3)); break;
            case 1:
                message = fmt::format("b({})", below(random_, 2) == 0 ? "_" : condition_without(from, bound));
                break;
            case 2: message = fmt::format("k({}, {})", x, below(random_, 2) == 0 ? "_" : "true"); break;
            default: message = fmt::format("n({})", x);
        }
        bool binds = !bound.empty() && message.find("let") != std::string::npos;
        if (!bound.empty() && !binds) known_.erase(bound);
        out += fmt::format("{}{} -> {}: {}{}\n", std::string(indent, ' '), from, to, message,
                           below(random_, 3) == 0 ? " where " + condition(from) : "");
    }
    std::string condition_without(char from, const std::string& bound) {
        auto kept = known_;
        known_.erase(bound);
        std::string text = condition(from);
        known_ = std::move(kept);
        return text;
    }

    void block(std::string& out, std::size_t indent, std::size_t steps, int depth) {
        std::string pad(indent, ' ');
        auto inner = [&](char first, std::size_t more) {
            auto kept = known_;
            interaction(out, indent + 2, first);
            block(out, indent + 2, more, depth - 1);
            known_ = std::move(kept);
        };
        for (std::size_t i = 0; i < steps; ++i) switch (below(random_, depth > 0 ? 8 : 4)) {
                case 4: {
                    char r = role();
                    out += fmt::format("{}choice at {} {{\n", pad, r);
                    inner(r, below(random_, 2));
                    out += pad + "} or {\n";
                    inner(r, below(random_, 2));
                    out += pad + "}\n";
                    break;
                }
                case 5: {
                    char r = role();
                    out += fmt::format("{}if {} {{\n", pad, condition(r));
                    inner(r, below(random_, 2));
                    out += pad + "} else {\n";
                    inner(r, below(random_, 2));
                    out += pad + "}\n";
                    break;
                }
                case 6: {
                    out += fmt::format("{}let c = 0\n{}while c < {} {{\n", pad, pad, 1 + below(random_, 2));
                    inner(role(), below(random_, 2));
                    out += fmt::format("{}  let c = c + 1\n{}}}\n", pad, pad);
                    break;
                }
                case 7: {
                    char r = role();
                    out += fmt::format("{}repeat at {} {{\n", pad, r);
                    inner(r, below(random_, 2));
                    out += pad + "}\n";
                    break;
                }
                default: interaction(out, indent, role());
            }
    }

    Random& random_;
    std::map<std::string, std::string> known_;  // variables, and the roles that know them
    int variables_ = 0;
};

// --- the plain reading

struct State {
    std::vector<NodeId> todo;  // the last one is next
    expr::Environment env;
    friend bool operator==(const State&, const State&) = default;
};

struct Happening {
    RoleId from, to;
    model::MessageId message;
    std::vector<expr::Value> values;
};

// A walk through the protocol's tree: of one role, or (without one) of the whole, where an interaction is one
// step.
class Walk {
public:
    Walk(const model::Specification& spec, const model::Protocol& protocol, RoleId role)
        : spec_(spec), protocol_(protocol), role_(role) {
        if (role_) knowledge_ = choreo::knowledge_of(protocol, *spec.pool, role_);
        states_ = closure({{{protocol.root()}, {}}});
    }

    // The interactions that are next, with the states before them.
    const std::vector<State>& states() const { return states_; }
    bool may_end() const {
        return std::any_of(states_.begin(), states_.end(), [](const State& s) { return s.todo.empty(); });
    }

    // False if it cannot happen; then nothing has.
    bool take(const Happening& h) {
        std::vector<State> after;
        for (const State& s : states_)
            if (auto next = taken(s, h)) after.push_back(std::move(*next));
        if (after.empty()) return false;
        states_ = closure(std::move(after));
        return true;
    }

private:
    bool knows(NodeId id) const { return !role_ || knowledge_.guard[id.index]; }
    bool satisfied(expr::ExprId condition, const expr::Environment& env) const {
        return !condition || expr::satisfied(*spec_.pool, condition, env);
    }

    std::optional<State> taken(const State& s, const Happening& h) const {
        if (s.todo.empty()) return std::nullopt;
        NodeId id = s.todo.back();
        const Node& node = protocol_[id];
        if (node.role != h.from || node.to != h.to || node.message != h.message) return std::nullopt;
        State next = s;
        next.todo.pop_back();
        auto arguments = protocol_.arguments(id);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const model::Argument& a = arguments[i];
            bool known = !role_ || role_ == node.role || knowledge_.knows_argument(node.first_argument + i);
            if (a.value && known) {
                auto wanted = expr::evaluate(*spec_.pool, a.value, s.env);
                auto* value = std::get_if<expr::Value>(&wanted);
                if (!value || !(*value == h.values[i])) return std::nullopt;
            } else if (a.value && (*spec_.pool)[a.value].op == expr::Op::var) {
                next.env.set(spec_.pool->var_of(a.value), h.values[i]);  // what it learns
            } else if (a.bind) {
                next.env.set(a.bind, h.values[i]);
            }
        }
        if (knows(id) && !satisfied(node.guard, next.env)) return std::nullopt;
        return next;
    }

    // Everything that can be reached without an event of this walk.
    std::vector<State> closure(std::vector<State> open) const {
        std::vector<State> seen, result;
        while (!open.empty()) {
            State s = std::move(open.back());
            open.pop_back();
            if (std::find(seen.begin(), seen.end(), s) != seen.end() || seen.size() > 5000) continue;
            seen.push_back(s);
            bool waits = s.todo.empty();
            if (!waits) {
                const Node& node = protocol_[s.todo.back()];
                waits =
                    node.kind == NodeKind::interaction && (!role_ || node.role == role_ || node.to == role_);
            }
            if (waits)
                result.push_back(std::move(s));
            else
                step(std::move(s), open);
        }
        return result;
    }

    void step(State s, std::vector<State>& open) const {
        NodeId id = s.todo.back();
        const Node& node = protocol_[id];
        auto children = protocol_.children(id);
        s.todo.pop_back();
        auto go = [&](std::vector<NodeId> next) {
            State t = s;
            for (auto it = next.rbegin(); it != next.rend(); ++it) t.todo.push_back(*it);
            open.push_back(std::move(t));
        };
        switch (node.kind) {
            case NodeKind::sequence: return go({children.begin(), children.end()});
            case NodeKind::choice:
                for (NodeId child : children) go({child});
                return;
            case NodeKind::repeat: go({}); return go({children[0], id});
            case NodeKind::while_loop:
                if (!knows(id) || satisfied(node.guard, s.env)) go({children[0], id});
                if (!knows(id) || !satisfied(node.guard, s.env)) go({});
                return;
            case NodeKind::conditional:
                if (!knows(id) || satisfied(node.guard, s.env)) go({children[0]});
                if (!knows(id) || !satisfied(node.guard, s.env)) go({children[1]});
                return;
            case NodeKind::assign: {
                if (knows(id)) {
                    auto result = expr::evaluate(*spec_.pool, node.guard, s.env);
                    auto* value = std::get_if<expr::Value>(&result);
                    if (!value) return;
                    s.env.set(node.variable, *value);
                }
                return go({});
            }
            default: return go({});  // what others do among themselves
        }
    }

    const model::Specification& spec_;
    const model::Protocol& protocol_;
    RoleId role_;
    choreo::RoleKnowledge knowledge_;
    std::vector<State> states_;
};

bool own_condition(const model::Specification& spec, const Happening& h) {
    const model::Message& m = spec.message(h.message);
    expr::Environment env;
    for (std::size_t i = 0; i < h.values.size(); ++i) env.set(m.variables[i], h.values[i]);
    return !m.where || expr::satisfied(*spec.pool, m.where, env);
}

// --- logs

struct Entry {
    Happening what;
    bool sent = true;

    RoleId observer() const { return sent ? what.from : what.to; }
};

std::vector<expr::Value> some_values(const model::Specification& spec, model::MessageId message,
                                     Random& random) {
    std::vector<expr::Value> values;
    for (const expr::Field& f : spec.message(message).fields)
        values.push_back(spec.types->kind(f.type) == expr::TypeKind::boolean
                             ? expr::Value(below(random, 2) == 0)
                             : expr::Value(static_cast<std::int64_t>(below(random, 4))));
    return values;
}

// A conversation as one observer sees it: each interaction with values that are allowed, found by trying.
std::vector<Entry> some_run(const model::Specification& spec, const model::Protocol& protocol,
                            Random& random) {
    std::vector<Entry> log;
    Walk walk(spec, protocol, {});
    for (int i = 0; i < 14 && !walk.states().empty(); ++i) {
        bool taken = false;
        for (int tries = 0; tries < 40 && !taken; ++tries) {
            const State& s = walk.states()[below(random, walk.states().size())];
            if (s.todo.empty()) continue;
            const Node& node = protocol[s.todo.back()];
            Happening h{node.role, node.to, node.message, some_values(spec, node.message, random)};
            if (!own_condition(spec, h) || !walk.take(h)) continue;
            log.push_back({h, true});
            log.push_back({h, false});
            taken = true;
        }
        if (!taken) break;
    }
    return log;
}

void change(std::vector<Entry>& log, const model::Specification& spec, Random& random) {
    if (log.empty()) return;
    std::size_t at = below(random, log.size());
    auto place = log.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(random, 6)) {
        case 0: log.erase(place); break;
        case 1: log.insert(place, log[below(random, log.size())]); break;
        case 2: log[at].what.values = some_values(spec, log[at].what.message, random); break;
        case 3: {  // in both ends of the channel
            std::size_t first = at / 2 * 2;
            auto values = some_values(spec, log[first].what.message, random);
            for (std::size_t k = first; k < first + 2 && k < log.size(); ++k)
                if (log[k].what.message == log[first].what.message) log[k].what.values = values;
            break;
        }
        case 4: log.resize(at); break;
        default: break;  // left as it is
    }
}

struct Verdicts {
    std::vector<std::optional<std::size_t>> wrong;  // by role: which of its records
    std::vector<bool> incomplete;
    bool failed = false;
};

Verdicts plain_verdicts(const model::Specification& spec, const model::Protocol& protocol,
                        const std::vector<Entry>& log) {
    Verdicts v;
    std::map<RoleId, std::size_t> records;
    for (RoleId role : protocol.roles()) {
        Walk walk(spec, protocol, role);
        std::optional<std::size_t> wrong;
        for (std::size_t i = 0; i < log.size(); ++i) {
            if (log[i].observer() != role) continue;
            ++records[role];
            if (!wrong && (!own_condition(spec, log[i].what) || !walk.take(log[i].what))) wrong = i;
        }
        v.wrong.push_back(wrong);
        v.incomplete.push_back(!wrong && !walk.may_end());
        v.failed = v.failed || wrong;
    }
    for (RoleId from : protocol.roles())
        for (RoleId to : protocol.roles()) {
            std::vector<const Happening*> sent, received;
            for (const Entry& e : log)
                if (e.what.from == from && e.what.to == to) (e.sent ? sent : received).push_back(&e.what);
            for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
                v.failed = v.failed || sent[i]->message != received[i]->message ||
                           sent[i]->values != received[i]->values;
            // Who was never watched may have sent it.
            v.failed = v.failed || (received.size() > sent.size() && records[from] > 0);
        }
    return v;
}

std::string shown(const model::Specification& spec, const std::vector<Entry>& log) {
    std::string text;
    for (const Entry& e : log) {
        text += fmt::format("{} {}{}{}", spec.alphabet->name(e.what.from), spec.alphabet->name(e.what.to),
                            e.sent ? '!' : '?', spec.alphabet->name(e.what.message));
        const auto& fields = spec.message(e.what.message).fields;
        for (std::size_t i = 0; i < fields.size(); ++i)
            text += " " + expr::print(e.what.values[i], fields[i].type, *spec.types, *spec.names);
        text += "\n";
    }
    return text;
}

TEST(Reference, RandomLogsWithDataAreJudgedAsThePlainReadingJudgesThem) {
    std::size_t read = 0, passed = 0, failed = 0, complete = 0, whole_failed = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        Random random(seed);
        std::string text = Writer(random).protocol();
        base::SourceMap sources;
        base::Diagnostics diagnostics;
        auto loaded = formats::read(sources, sources.add("test.treaty", text), diagnostics);
        auto* spec = std::get_if<model::Specification>(&loaded.model);
        if (!spec || !diagnostics.ok()) continue;  // a role would have to know what it cannot
        ++read;
        const model::Protocol& protocol = *spec->main_protocol();
        for (int n = 0; n < 6; ++n) {
            std::vector<Entry> log = some_run(*spec, protocol, random);
            for (std::size_t changes = below(random, 3); changes > 0; --changes) change(log, *spec, random);
            if (log.empty()) continue;
            auto monitor = Monitor::make(*spec, protocol, {});
            ASSERT_TRUE(monitor);
            for (std::size_t i = 0; i < log.size(); ++i) {
                Record r;
                r.side = log[i].sent ? Side::sent : Side::received;
                r.from = log[i].what.from;
                r.to = log[i].what.to;
                r.message = log[i].what.message;
                r.values = log[i].what.values;
                r.line = i;
                monitor->feed(r);
            }
            Verdicts expected = plain_verdicts(*spec, protocol, log);
            auto reports = monitor->finish();
            ASSERT_EQ(reports.size(), 1u);
            std::string about = text + shown(*spec, log);
            for (std::size_t i = 0; i < protocol.roles().size(); ++i) {
                const RoleState& state = reports[0].roles[i];
                ASSERT_FALSE(state.lost) << about;
                ASSERT_EQ(state.failed, expected.wrong[i].has_value()) << "role " << i << "\n" << about;
                ASSERT_EQ(state.incomplete, expected.incomplete[i]) << "role " << i << "\n" << about;
                for (const Deviation& d : reports[0].deviations) {
                    if (d.role != protocol.roles()[i]) continue;
                    ASSERT_EQ(d.at.line, *expected.wrong[i]) << about;
                }
                ++(state.failed ? failed : passed);
                complete += !state.failed && !state.incomplete;
            }
            ASSERT_EQ(reports[0].failed, expected.failed) << about;
            whole_failed += expected.failed;
        }
    }
    EXPECT_GT(read, 100u);
    EXPECT_GT(passed, 1000u);
    EXPECT_GT(failed, 200u);
    EXPECT_GT(complete, 200u);
    EXPECT_GT(whole_failed, 200u);
}

}  // namespace
}  // namespace treaty::watch
