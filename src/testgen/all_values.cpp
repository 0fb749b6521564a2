// Depth-first over symbolic configurations. What a run has asked so far is assumed in the solver while a
// configuration is looked at, so a question is only about what is new.

#include "testgen/all_values.h"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "expr/simplify.h"
#include "solve/mentioned.h"
#include "testgen/endless.h"

namespace treaty::testgen {
namespace {

using expr::ExprId;
using expr::VarId;
using model::EventKind;
using model::Mode;
using solve::Satisfiable;

constexpr std::size_t most_suspects = 3;
constexpr std::size_t most_witnesses = 24;

struct Parcel {
    model::Event event;  // as a send
    std::vector<ExprId> data;
};

struct Configuration {
    std::vector<SymbolicPlace> places;  // the component, the others, and last the projection
    std::vector<std::vector<Parcel>> channels;
    std::vector<std::uint32_t> sent;  // by machine: how many messages
    std::vector<ExprId> condition;    // all of these hold, ascending
};

struct Move {
    std::size_t machine = 0;
    model::Event event;
    SymbolicEffect effect;
    std::size_t channel = 0, parcel = 0;  // of a receive, which one it takes
    std::size_t partner = SIZE_MAX;       // sync: who receives
    SymbolicPlace partner_after;
    model::Event partner_event;
};

// What one machine could do in a configuration.
struct Turn {
    std::vector<Move> moves;
    ExprId rests;
    bool only_sends = true;     // its edges, possible or not
    bool only_receives = true;  // and all from one channel, in which there is something
    ExprId certain;             // under this condition it can move
};

class Search {
public:
    Search(model::Specification& specification, std::vector<const model::Machine*> machines,
           const model::Machine& projection, const AllValuesOptions& options, solve::Solver& solver,
           SymbolicStep& step)
        : specification_(specification),
          pool_(*specification.pool),
          machines_(std::move(machines)),
          projection_(projection),
          options_(options),
          solver_(solver),
          step_(step) {}

    AllValuesAnswer run() {
        start();
        while (!waiting_.empty() && answer_.reason.empty() && answer_.suspects.size() < most_suspects) {
            Configuration at = std::move(waiting_.back());
            waiting_.pop_back();
            if (++answer_.configurations > options_.configurations)
                answer_.reason = fmt::format("more than {} configurations", options_.configurations);
            if (options_.deadline.passed())
                answer_.reason =
                    options_.deadline.interrupted() ? "interrupted" : "there was no time for a proof";
            if (answer_.reason.empty()) look_at(at);
            if (!step_.unsupported().empty()) answer_.reason = step_.unsupported();
        }
        if (!answer_.suspects.empty())
            answer_.answer = ForAllValues::fails;
        else if (answer_.reason.empty())
            answer_.answer = ForAllValues::passes;
        return std::move(answer_);
    }

private:
    void start() {
        Configuration first;
        first.places.assign(machines_.size() + 1, SymbolicPlace{model::StateId(0u), {}});
        first.sent.assign(machines_.size(), 0);
        add(std::move(first));
    }

    std::size_t channel_of(const model::Event& event) {
        std::pair key(options_.channels.mode == Mode::mailbox ? model::RoleId() : event.from, event.to);
        return channels_.try_emplace(key, channels_.size()).first->second;
    }

    void add(Configuration at) {
        std::vector<std::uint32_t> key;
        auto put_all = [&](const std::vector<ExprId>& list) {
            key.push_back(static_cast<std::uint32_t>(list.size()));
            for (ExprId e : list) key.push_back(e.index);
        };
        for (const SymbolicPlace& place : at.places) {
            key.push_back(place.state.index);
            key.push_back(static_cast<std::uint32_t>(place.known.size()));
            for (const auto& [variable, value] : place.known) {
                key.push_back(variable.index);
                key.push_back(value.index);
            }
        }
        while (!at.channels.empty() && at.channels.back().empty()) at.channels.pop_back();
        key.push_back(static_cast<std::uint32_t>(at.channels.size()));
        for (const auto& channel : at.channels) {
            key.push_back(static_cast<std::uint32_t>(channel.size()));
            for (const Parcel& parcel : channel) {
                key.push_back(parcel.event.from.index);
                key.push_back(parcel.event.message.index);
                put_all(parcel.data);
            }
        }
        key.insert(key.end(), at.sent.begin(), at.sent.end());
        put_all(at.condition);
        if (seen_.insert(std::move(key)).second) waiting_.push_back(std::move(at));
    }

    void look_at(const Configuration& at) {
        solver_.push();
        for (ExprId condition : at.condition) solver_.assume(condition);
        std::vector<Turn> turns;
        for (std::size_t m = 0; m < machines_.size(); ++m) turns.push_back(turn_of(at, m));
        if (step_.unsupported().empty()) judge_end(at, turns);
        if (step_.unsupported().empty())
            for (const Move* move : chosen(turns)) take(at, *move);
        solver_.pop();
    }

    // What a machine can do here.
    Turn turn_of(const Configuration& at, std::size_t m) {
        Turn turn;
        turn.rests = step_.rests(*machines_[m], at.places[m]);
        turn.certain = pool_.boolean(false);
        std::size_t from = SIZE_MAX;
        for (const SymbolicOption& option : step_.options(*machines_[m], at.places[m])) {
            std::size_t channel = channel_of(option.event);
            bool send = option.event.kind == EventKind::send;
            turn.only_sends = turn.only_sends && send;
            bool filled = channel < at.channels.size() && !at.channels[channel].empty();
            bool same = from == SIZE_MAX || from == channel;
            turn.only_receives = turn.only_receives && !send && same && filled;
            from = channel;
            if (send)
                add_sends(at, m, option, channel, turn);
            else if (options_.channels.mode != Mode::sync && filled)
                add_receives(at, m, option, channel, turn);
        }
        return turn;
    }

    void add_sends(const Configuration& at, std::size_t m, const SymbolicOption& option, std::size_t channel,
                   Turn& turn) {
        std::size_t length = channel < at.channels.size() ? at.channels[channel].size() : 0;
        if (options_.channels.bound && length >= *options_.channels.bound) return;
        auto effect = step_.choose(option, static_cast<std::uint32_t>(m), at.sent[m]);
        if (!effect) return;
        Move move{m, option.event, std::move(*effect), channel, 0, SIZE_MAX, {}, {}};
        if (options_.channels.mode != Mode::sync) return add_move(at, std::move(move), turn);
        for (std::size_t other = 0; other < machines_.size(); ++other) {
            if (other == m) continue;
            for (const SymbolicOption& reader : step_.options(*machines_[other], at.places[other])) {
                model::Event event = reader.event;
                if (event.kind != EventKind::receive) continue;
                event.kind = EventKind::send;
                if (event != option.event) continue;
                auto received = step_.meet(reader, move.effect.data);
                if (!received) continue;
                Move together = move;
                together.effect.condition = step_.both(move.effect.condition, received->condition);
                together.partner = other;
                together.partner_after = std::move(received->after);
                together.partner_event = reader.event;
                add_move(at, std::move(together), turn);
            }
        }
    }

    void add_receives(const Configuration& at, std::size_t m, const SymbolicOption& option,
                      std::size_t channel, Turn& turn) {
        model::Event sent = option.event;
        sent.kind = EventKind::send;
        const auto& parcels = at.channels[channel];
        std::size_t reach = options_.channels.mode == Mode::bag ? parcels.size() : 1;
        for (std::size_t p = 0; p < reach; ++p) {
            if (parcels[p].event != sent) continue;
            if (auto effect = step_.meet(option, parcels[p].data))
                add_move(at, {m, option.event, std::move(*effect), channel, p, SIZE_MAX, {}, {}}, turn);
        }
    }

    void add_move(const Configuration& at, Move move, Turn& turn) {
        if (!pool_.is_true(turn.certain)) turn.certain = step_.either(turn.certain, certainly(at, move));
        turn.moves.push_back(std::move(move));
    }

    // A condition without the symbols that are chosen in this step, under which it is possible.
    ExprId certainly(const Configuration& at, const Move& move) {
        ExprId condition = move.effect.condition;
        auto asked = pool_.variables_of(condition);
        std::vector<VarId> fresh;
        for (VarId symbol : move.effect.fresh)
            if (std::binary_search(asked.begin(), asked.end(), symbol)) fresh.push_back(symbol);
        if (fresh.empty()) return condition;
        std::vector<absl::flat_hash_map<VarId, ExprId>> ways{{}};
        for (VarId symbol : fresh) {
            std::vector<absl::flat_hash_map<VarId, ExprId>> longer;
            for (const auto& way : ways)
                for (ExprId witness : witnesses(at.places[move.machine], condition, symbol)) {
                    longer.push_back(way);
                    longer.back().emplace(symbol, witness);
                }
            ways = std::move(longer);
            if (ways.size() > most_witnesses) ways.resize(most_witnesses);
        }
        ExprId any = pool_.boolean(false);
        for (const auto& way : ways) {
            ExprId here = expr::simplify(pool_, expr::substitute(pool_, condition, way));
            if (pool_.is_true(here) || solver_.valid(here) == Satisfiable::yes) return pool_.boolean(true);
            any = step_.either(any, here);
        }
        return any;
    }

    // Values that the sender could choose: what it knows, and what the condition speaks of.
    std::vector<ExprId> witnesses(const SymbolicPlace& place, ExprId condition, VarId symbol) {
        expr::TypeId type = pool_.variable(symbol).type;
        std::vector<ExprId> found;
        if (pool_.types().kind(type) == expr::TypeKind::boolean)
            found = {pool_.boolean(false), pool_.boolean(true)};
        ExprId conditions[] = {condition};
        for (const expr::Value& value : solve::mentioned_values(pool_, conditions, type))
            if (found.size() < 6 && belongs(value, type, pool_.types()))
                found.push_back(pool_.literal(value, pool_.types().base(type)));
        for (const auto& [variable, value] : place.known)
            if (found.size() < 12 && pool_[value].type == type) found.push_back(value);
        if (ExprId other = another(place, type)) found.insert(found.begin(), other);
        return found;
    }

    // A number or a text that the sender does not know: one more than the greatest, a longer one.
    ExprId another(const SymbolicPlace& place, expr::TypeId type) {
        bool number = type == pool_.types().integer();
        if (!number && type != pool_.types().string()) return {};
        ExprId other = number ? pool_.integer(0) : pool_.literal(std::string("x"), type);
        auto joined = [&](expr::Op op, ExprId one, ExprId two) {
            ExprId parts[] = {one, two};
            return expr::simplify(pool_, pool_.make(op, type, parts));
        };
        for (const auto& [variable, value] : place.known)
            if (pool_.types().base(pool_[value].type) == type)
                other = joined(number ? expr::Op::max : expr::Op::concat, other, value);
        return number ? joined(expr::Op::add, other, pool_.integer(1)) : other;
    }

    // No role can move, or those that can could only send and may stop: then the run must be correct.
    void judge_end(const Configuration& at, const std::vector<Turn>& turns) {
        ExprId fine = step_.rests(projection_, at.places.back());
        for (std::size_t m = options_.observe_final ? 0 : 1; m < turns.size(); ++m)
            fine = step_.both(fine, turns[m].rests);
        for (const auto& channel : at.channels)
            if (!channel.empty()) fine = pool_.boolean(false);
        for (const Turn& turn : turns) {
            bool receives = std::any_of(turn.moves.begin(), turn.moves.end(), [](const Move& move) {
                return move.event.kind == EventKind::receive;
            });
            ExprId moves = turn.certain;
            if (receives) {
                moves = pool_.boolean(false);
                for (const Move& move : turn.moves)
                    if (move.event.kind == EventKind::receive)
                        moves = step_.either(moves, move.effect.condition);
                ExprId sends = step_.both(turn.certain, step_.opposite(turn.rests));
                fine = step_.either(fine, sends);
            } else {
                moves = step_.both(moves, step_.opposite(turn.rests));
            }
            fine = step_.either(fine, moves);
            if (pool_.is_true(fine)) return;
        }
        expect(fine);
    }

    // Must hold under what is assumed.
    bool expect(ExprId condition) {
        if (pool_.is_true(condition)) return true;
        switch (solver_.valid(condition)) {
            case Satisfiable::yes: return true;
            case Satisfiable::unknown: answer_.reason = "the solver could not decide a condition"; break;
            case Satisfiable::no: suspect(condition); break;
        }
        return false;
    }

    void suspect(ExprId condition) {
        auto found = solver_.check(step_.opposite(condition));
        std::vector<FieldValue> values;
        if (found.satisfiable == Satisfiable::yes)
            for (const auto& [symbol, field] : step_.symbols())
                if (const expr::Value* value = found.model.get(symbol))
                    values.push_back({field.message, field.field, *value});
        answer_.suspects.push_back(std::move(values));
    }

    // The moves that are tried: all, or those of one machine whose steps no other can disturb, or delay
    // to any effect, and that can move for certain.
    std::vector<const Move*> chosen(const std::vector<Turn>& turns) {
        std::vector<const Move*> moves;
        bool free = options_.channels.mode == Mode::fifo && !options_.channels.bound && !options_.every_order;
        for (std::size_t i = 0; free && i < turns.size(); ++i) {
            const Turn& turn = turns[(i + 1) % turns.size()];  // the component last
            if (turn.moves.empty() || (!turn.only_sends && !turn.only_receives)) continue;
            if (turn.only_sends && !pool_.is_false(turn.rests)) continue;
            if (!pool_.is_true(turn.certain) && solver_.valid(turn.certain) != Satisfiable::yes) continue;
            for (const Move& move : turn.moves) moves.push_back(&move);
            return moves;
        }
        for (const Turn& turn : turns)
            for (const Move& move : turn.moves) moves.push_back(&move);
        return moves;
    }

    void take(const Configuration& at, const Move& move) {
        ExprId condition = move.effect.condition;
        bool always = pool_.is_true(condition) || solver_.valid(condition) == Satisfiable::yes;
        if (!always && solver_.check(condition).satisfiable == Satisfiable::no) return;
        Configuration next = at;
        if (!always) assume(next, condition);
        next.places[move.machine] = move.effect.after;
        if (move.event.kind == EventKind::send) {
            ++next.sent[move.machine];
            if (move.partner != SIZE_MAX) {
                next.places[move.partner] = move.partner_after;
            } else {
                if (next.channels.size() <= move.channel) next.channels.resize(move.channel + 1);
                next.channels[move.channel].push_back({move.event, move.effect.data});
            }
        } else {
            auto& channel = next.channels[move.channel];
            channel.erase(channel.begin() + static_cast<std::ptrdiff_t>(move.parcel));
        }
        if (move.machine != 0 && move.partner != 0) return add(std::move(next));
        solver_.push();
        if (!always) solver_.assume(condition);
        match(std::move(next), move.machine == 0 ? move.event : move.partner_event, move.effect.data);
        solver_.pop();
    }

    // The projection does what the component did.
    void match(Configuration next, const model::Event& event, const std::vector<ExprId>& data) {
        std::vector<SymbolicEffect> fitting;
        ExprId any = pool_.boolean(false);
        for (const SymbolicOption& option : step_.options(projection_, next.places.back())) {
            if (option.event != event) continue;
            auto effect = step_.meet(option, data);
            if (!effect) continue;
            any = step_.either(any, effect->condition);
            fitting.push_back(std::move(*effect));
        }
        if (!step_.unsupported().empty() || !expect(any)) return;
        ExprId before = pool_.boolean(true);  // none of those before it fits
        for (SymbolicEffect& effect : fitting) {
            ExprId here = step_.both(before, effect.condition);
            before = step_.both(before, step_.opposite(effect.condition));
            bool always = pool_.is_true(here) || solver_.valid(here) == Satisfiable::yes;
            if (!always && solver_.check(here).satisfiable == Satisfiable::no) continue;
            Configuration after = next;
            if (!always) assume(after, here);
            after.places.back() = std::move(effect.after);
            add(std::move(after));
            if (always) return;
        }
    }

    static void assume(Configuration& at, ExprId condition) {
        auto place = std::lower_bound(at.condition.begin(), at.condition.end(), condition);
        if (place == at.condition.end() || *place != condition) at.condition.insert(place, condition);
    }

    model::Specification& specification_;
    expr::Pool& pool_;
    std::vector<const model::Machine*> machines_;
    const model::Machine& projection_;
    const AllValuesOptions& options_;
    solve::Solver& solver_;
    SymbolicStep& step_;
    std::map<std::pair<model::RoleId, model::RoleId>, std::size_t> channels_;
    absl::flat_hash_set<std::vector<std::uint32_t>> seen_;
    std::vector<Configuration> waiting_;
    AllValuesAnswer answer_;
};

}  // namespace

AllValues::AllValues(model::Specification& specification, std::vector<const model::Machine*> machines,
                     std::size_t cut)
    : specification_(specification),
      machines_(std::move(machines)),
      cut_(cut),
      solver_(*specification.pool, std::chrono::milliseconds(200)),
      step_(specification) {}

AllValuesAnswer AllValues::judge(const model::Machine& component, const AllValuesOptions& options) {
    std::vector<const model::Machine*> running{&component};
    for (std::size_t i = 0; i < machines_.size(); ++i)
        if (i != cut_) running.push_back(machines_[i]);
    AllValuesAnswer answer;
    for (const model::Machine* machine : running)
        if (has_cycle(*machine)) answer.reason = "a machine has a loop";
    if (!answer.reason.empty()) return answer;
    step_.forget_unsupported();
    return Search(specification_, std::move(running), *machines_[cut_], options, solver_, step_).run();
}

}  // namespace treaty::testgen
