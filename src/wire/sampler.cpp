#include "wire/sampler.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/seeds.h"
#include "expr/has_value.h"
#include "expr/print.h"
#include "solve/narrow.h"
#include "solve/shrink.h"
#include "wire/constraints.h"
#include "wire/engine.h"

namespace treaty::wire {
namespace {

using expr::ExprId;
using solve::Found;

constexpr std::uint64_t edge_samples = 4;      // after the simplest one
constexpr std::uint64_t tries_for_bytes = 20;  // values that the wire can write
constexpr std::uint64_t tries_by_layout = 100;
constexpr std::size_t tries_for_simple = 80;     // the larger choices may be, the later
constexpr std::size_t most_simple_choices = 60;  // after these every choice is the simplest
constexpr std::size_t replays_for_simple = 300;
constexpr std::uint64_t tries_for_new = 4;
constexpr std::uint64_t tries_inside = 20;
constexpr std::size_t most_seen = 32;
constexpr std::size_t most_given = 10'000;  // messages that are remembered
constexpr std::size_t most_in_vain = 8;
constexpr std::size_t most_excluded = 64;  // messages that the solver must not give again
constexpr std::size_t none_broken = static_cast<std::size_t>(-1);

}  // namespace

Sampler::Sampler(expr::Pool& pool, const MessageRules& rules, const Codec* codec)
    : pool_(pool), rules_(rules), codec_(codec), generator_(pool) {
    generator_.options().contradictions = true;
    if (codec) encoder_.emplace(*codec);
    task_ = task(false);
}

// widened: ranges of fields become constraints like others, so that they can be broken.
Sampler::Task Sampler::task(bool widened) {
    Task t;
    absl::flat_hash_map<expr::VarId, ExprId> by;
    for (std::size_t i = 0; i < rules_.fields.size(); ++i) {
        expr::TypeId type = rules_.fields[i].type;
        bool ranged = widened && pool_.types().kind(type) == expr::TypeKind::integer;
        expr::VarId v = pool_.declare(rules_.fields[i].name, ranged ? pool_.types().integer() : type);
        t.variables.push_back(v);
        if (i < rules_.parameters.size()) by[rules_.parameters[i]] = pool_.var(v);
        if (ranged) ranges(pool_.types()[type], pool_.var(v), t.constraints);
    }
    if (rules_.where)
        for (ExprId c : solve::conjuncts_of(pool_, expr::substitute(pool_, rules_.where, by)))
            if (std::find(t.constraints.begin(), t.constraints.end(), c) == t.constraints.end())
                t.constraints.push_back(c);
    if (codec_) {
        const MessageShape& shape = codec_->shapes()[rules_.message];
        t.always = wire::constraints(pool_, codec_->wire(), rules_.message, shape, t.variables);
        for (const solve::ElementRule& rule :
             element_rules(pool_, codec_->wire(), rules_.message, t.variables))
            generator_.options().elements.push_back(rule);
    }
    return t;
}

void Sampler::ranges(const expr::Type& type, ExprId x, std::vector<ExprId>& out) {
    auto add = [&](expr::Op op, std::int64_t bound) {
        out.push_back(pool_.make(op, pool_.types().boolean(), std::array{x, pool_.integer(bound)}));
    };
    if (type.low) add(expr::Op::greater_equal, *type.low);
    if (type.high) add(expr::Op::less_equal, *type.high);
}

Sampler::Task& Sampler::wide() {
    if (wide_) return *wide_;
    wide_ = task(true);
    inner_ = inner_ranges(pool_, rules_.fields);
    for (ExprId c : wide_->constraints) constraints_.push_back(expr::print(pool_, c));
    for (const InnerRange& r : inner_) constraints_.push_back(r.text);
    return *wide_;
}

const std::vector<std::string>& Sampler::constraints() {
    wide();
    return constraints_;
}

// All constraints, but the one at `broken` does not hold: it is false, or has no value.
ExprId Sampler::condition(const Task& task, std::size_t broken, bool with_wire) {
    ExprId e = pool_.boolean(true);
    for (std::size_t k = 0; k < task.constraints.size(); ++k) {
        ExprId c = task.constraints[k];
        e = pool_.logical_and(e, k == broken ? expr::does_not_hold(pool_, c) : c);
    }
    for (ExprId c : task.always) e = with_wire ? pool_.logical_and(e, c) : e;
    return e;
}

solve::Generated Sampler::generate(const Task& task, ExprId condition, solve::Choices& choices) {
    if (profile_) {
        std::size_t before = choices.made().size();
        ExprId wish = profile_->wish(pool_, rules_.message, task.variables, choices);
        if (wish) {
            auto wished =
                generator_.generate(task.variables, pool_.logical_and(condition, wish), {}, choices);
            if (wished.found == Found::yes) return wished;
            choices.rewind(before);
        }
    }
    return generator_.generate(task.variables, condition, {}, choices);
}

Made Sampler::finish(const Task& task, solve::Generated generated, bool invalid) {
    Made made;
    made.found = generated.found;
    made.how = std::move(generated.how);
    made.core = std::move(generated.core);
    made.reason = std::move(generated.reason);
    if (made.found != Found::yes) return made;
    for (expr::VarId v : task.variables) made.values.push_back(*generated.values.get(v));
    if (!encoder_) return made;
    encoder_->allow_out_of_range(invalid);
    if (auto fault = encoder_->encode(rules_.message, made.values, made.bytes)) made.no_bytes = fault->reason;
    if (!made.no_bytes.empty() && !invalid) read_back(made);
    return made;
}

// Texts side by side are read as their patterns divide them, which may be in another place: then the values
// as they would be read are those of a message, if they are all that is asked for.
void Sampler::read_back(Made& made) {
    auto values = codec_->engine().reread(rules_.message, made.values);
    std::string bytes;
    if (!values || !is_valid(*values) || encoder_->encode(rules_.message, *values, bytes)) return;
    made.values = std::move(*values);
    made.bytes = std::move(bytes);
    made.no_bytes.clear();
}

bool Sampler::is_valid(const std::vector<expr::Value>& values) const {
    if (values.size() != rules_.fields.size()) return false;
    expr::Environment env;
    for (std::size_t f = 0; f < values.size(); ++f) {
        if (!expr::belongs(values[f], rules_.fields[f].type, pool_.types())) return false;
        env.set(task_.variables[f], values[f]);
    }
    return std::all_of(task_.constraints.begin(), task_.constraints.end(),
                       [&](ExprId c) { return expr::satisfied(pool_, c, env); });
}

void Sampler::remember(const std::vector<expr::Value>& values) {
    auto& seen = generator_.options().seen;
    for (const expr::Value& v : values)
        if (std::find(seen.begin(), seen.end(), v) == seen.end()) seen.push_back(v);
    if (seen.size() > most_seen)
        seen.erase(seen.begin(), seen.end() - static_cast<std::ptrdiff_t>(most_seen));
    if (given_.size() >= most_given) all_given_ = true;
    if (all_given_ || !given_.insert(expr::hash(expr::Sequence{values})).second) return;
    ExprId same = pool_.boolean(true);
    for (std::size_t i = 0; i < values.size(); ++i) {
        ExprId literal = pool_.literal(values[i], pool_.variable(task_.variables[i]).type);
        same = pool_.logical_and(same, pool_.equal(pool_.var(task_.variables[i]), literal));
    }
    if (others_.size() == most_excluded) others_.erase(others_.begin());
    others_.push_back(pool_.logical_not(same));
}

// The simplest choices of all, and the simplest of all combinations where these are few; otherwise small
// choices, made smaller as long as something comes of them; at last what the solver has when it is asked for
// simple values.
std::optional<Made> Sampler::simplest(std::uint64_t seed, ExprId all) {
    using Recorded = std::vector<std::uint64_t>;
    std::optional<Made> best;
    bool none = false;  // there are no values at all
    auto replay = [&](std::span<const std::uint64_t> recorded) -> std::optional<Recorded> {
        solve::Choices choices(recorded);
        Made made = finish(task_, generator_.generate(task_.variables, all, {}, choices), false);
        none = none || made.found == Found::no;
        if (made.found != Found::yes || !made.no_bytes.empty()) return std::nullopt;
        best = std::move(made);
        return choices.made();
    };
    constexpr std::uint64_t direct = 0, combinations = 1, solver = 2;
    if (replay({}) || none || replay(Recorded{combinations}) || none) return best;
    solve::Choices random(seed);
    for (std::size_t i = 0; i < tries_for_simple; ++i) {
        Recorded small{direct};
        std::uint64_t bound = std::uint64_t{2} << i * 8 / tries_for_simple;
        for (std::size_t k = 0; k < most_simple_choices; ++k)
            small.push_back(random.flag(50) ? random.draw(bound) : 0);
        if (auto used = replay(small)) {
            replay(solve::shrink(std::move(*used), replay, replays_for_simple).choices);
            return best;
        }
    }
    replay(Recorded{solver});
    return best;
}

Made Sampler::draw(std::uint64_t seed, std::uint64_t number, ExprId all) {
    if (number == 0 && !profile_)
        if (auto first = simplest(seed, all)) return std::move(*first);
    Made made;
    std::uint64_t own = base::seed_of(seed, number);
    for (std::uint64_t i = 0; i <= tries_for_bytes; ++i) {
        solve::Choices choices(own + i * 0x9e3779b97f4a7c15u);
        bool edges = number > 0 && number <= edge_samples && i == 0;
        choices.lean(profile_ ? solve::Lean::even : edges ? solve::Lean::edges : solve::Lean::usual);
        made = finish(task_, generate(task_, all, choices), false);
        if (made.found != Found::yes || made.no_bytes.empty()) break;
    }
    if (codec_ && made.found == Found::yes && !made.no_bytes.empty()) by_layout(own, made);
    // What the wire cannot carry is not a message of this wire.
    if (made.found == Found::yes && !made.no_bytes.empty()) {
        std::string reason =
            fmt::format("found no message that the wire can encode; the last one tried: {}", made.no_bytes);
        made = {};
        made.reason = std::move(reason);
    }
    return made;
}

Made Sampler::valid(std::uint64_t seed, std::uint64_t number) {
    ExprId all = condition(task_, none_broken, true);
    Made made = draw(seed, number, all);
    if (made.found == Found::no) name_ranges(made);
    if (made.found != Found::yes || profile_) return made;
    if (is_new(made.values))
        in_vain_ = 0;
    else
        made = another(seed, number, all, std::move(made));
    remember(made.values);
    return made;
}

Found Sampler::all_made() const {
    if (proved_) return Found::yes;
    return in_vain_ >= most_in_vain ? Found::unknown : Found::no;
}

// What contradicts the conditions may be the ranges of fields, or those inside a field, without which there
// would be values: then they belong to what is named.
void Sampler::name_ranges(Made& none) {
    const Task& t = wide();
    ExprId all = condition(t, none_broken, true);
    solve::Choices choices(std::uint64_t{1});
    auto with_ranges = generator_.generate(t.variables, all, {}, choices);
    if (with_ranges.found == Found::no && !with_ranges.core.empty()) none.core = std::move(with_ranges.core);
    for (std::size_t f = 0; f < t.variables.size(); ++f) {
        auto inside = [&](const InnerRange& r) { return r.field == f; };
        if (std::none_of(inner_.begin(), inner_.end(), inside)) continue;
        std::vector<expr::VarId> variables = t.variables;
        variables[f] = pool_.declare(rules_.fields[f].name, pool_.types().base(rules_.fields[f].type));
        ExprId without = expr::substitute(pool_, all, {{t.variables[f], pool_.var(variables[f])}});
        if (generator_.generate(variables, without, {}, choices).found != Found::yes) continue;
        for (const InnerRange& r : inner_)
            if (inside(r)) none.ranges.push_back(r.text);
    }
}

bool Sampler::is_new(const std::vector<expr::Value>& values) const {
    return !given_.contains(expr::hash(expr::Sequence{values}));
}

// Instead of a message that was there before: other choices first, then without those that were made last.
// When as many were made as are remembered, others are no longer looked for.
Made Sampler::another(std::uint64_t seed, std::uint64_t number, ExprId all, Made again) {
    for (std::uint64_t i = 1; i <= tries_for_new && !all_given_; ++i) {
        bool exclude = i == tries_for_new;
        ExprId condition = all;
        for (ExprId other : others_) condition = exclude ? pool_.logical_and(condition, other) : condition;
        Made made = draw(seed + i * 0xd1b54a32d192ed03u, number, condition);
        if (made.found == Found::yes && is_new(made.values)) {
            in_vain_ = 0;
            return made;
        }
        if (exclude) proved_ = made.found == Found::no && others_.size() == given_.size();
    }
    if (given_.size() >= most_given) return again;
    all_given_ = all_given_ || proved_ || ++in_vain_ >= most_in_vain;
    again.again = true;
    return again;
}

// Where the bytes have a shape that no condition describes, the layout itself is traversed.
void Sampler::by_layout(std::uint64_t seed, Made& made) {
    Scratch scratch;
    for (std::uint64_t i = 0; i < tries_by_layout; ++i) {
        solve::Choices choices(seed + i * 0x9e3779b97f4a7c15u);
        auto values = codec_->engine().draw(rules_.message, choices, scratch);
        std::string bytes;
        if (!values || !is_valid(*values) || encoder_->encode(rules_.message, *values, bytes)) continue;
        made.values = std::move(*values);
        made.how.assign(made.values.size(), "layout");
        made.bytes = std::move(bytes);
        made.no_bytes.clear();
        return;
    }
}

std::vector<std::size_t> Sampler::breakable(std::uint64_t seed) {
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < constraints().size(); ++k)
        if (invalid(k, seed).found == Found::yes) result.push_back(k);
    return result;
}

Made Sampler::invalid(std::size_t constraint, std::uint64_t seed) {
    const Task& t = wide();
    if (constraint >= t.constraints.size())
        return break_inside(inner_[constraint - t.constraints.size()], seed);
    // What the wire needs may itself forbid the message; then it has values but no bytes.
    for (bool with_wire : {true, false}) {
        if (with_wire && t.always.empty()) continue;
        solve::Choices choices(seed);
        Made made = finish(
            t, generator_.generate(t.variables, condition(t, constraint, with_wire), {}, choices), true);
        if (made.found == Found::yes || !with_wire) return made;
    }
    return {};
}

// A valid message, changed in one place, if all that is asked of it still holds.
Made Sampler::break_inside(const InnerRange& range, std::uint64_t seed) {
    ExprId all = condition(task_, none_broken, true);
    for (std::uint64_t i = 0; i < tries_inside; ++i) {
        solve::Choices choices(seed + i * 0x9e3779b97f4a7c15u);
        Made made = finish(task_, generator_.generate(task_.variables, all, {}, choices), false);
        if (made.found != Found::yes) return made;
        if (!overstep(range, made.values[range.field], choices)) continue;
        solve::Generated changed;
        changed.found = Found::yes;
        changed.how = std::move(made.how);
        for (std::size_t f = 0; f < made.values.size(); ++f)
            changed.values.set(task_.variables[f], std::move(made.values[f]));
        auto holds = [&](ExprId c) { return expr::satisfied(pool_, c, changed.values); };
        if (!std::all_of(task_.constraints.begin(), task_.constraints.end(), holds)) continue;
        return finish(task_, std::move(changed), true);
    }
    Made none;
    none.reason = fmt::format("found no message that breaks only {}", range.text);
    return none;
}

}  // namespace treaty::wire
