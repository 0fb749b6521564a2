#include "campaign/plausible.h"

#include <algorithm>
#include <map>

#include "track/configuration.h"

namespace treaty::campaign {
namespace {

using expr::Environment;
using track::Marking;

// Beyond that the answer is true. With data a place costs more, and there may be infinitely many.
constexpr std::size_t most_markings = 5000, most_with_data = 1000;

// What is left to be spent on one answer.
class Budget {
public:
    explicit Budget(const PlausibleLimits& limits) : limits_(limits) {}

    // Pays for so many steps. False when nothing is left; the clock is asked at first and now and then.
    bool pay(std::size_t steps) {
        spent_ += steps;
        if (spent_ >= ask_at_) {
            ask_at_ = spent_ + between;
            if (limits_.deadline.passed()) over_ = true;
        }
        return !over_ && spent_ <= limits_.steps;
    }

private:
    static constexpr std::size_t between = 20'000;

    const PlausibleLimits& limits_;
    std::size_t spent_ = 0, ask_at_ = 0;
    bool over_ = false;
};

// Conditions and values of which not everything is known: a variable without a value may have any.
class PartlyKnown {
public:
    explicit PartlyKnown(const expr::Pool& pool) : pool_(pool) {}

    bool may_hold(expr::ExprId condition, const Environment& known) const {
        if (!condition) return true;
        expr::Result result = expr::evaluate(pool_, condition, known);
        if (const auto* value = std::get_if<expr::Value>(&result)) return *value == expr::Value(true);
        return !all_known(condition, known);
    }

    // What the transition does with what is known; no values: those of the event are not known. False if it
    // cannot be taken.
    bool run(const model::Transition& t, const std::vector<expr::Value>* values, Environment& known) const {
        if (!may_hold(t.guard, known)) return false;
        if (values && !t.data.empty() && values->size() != t.data.size()) return false;
        for (std::size_t i = 0; values && i < t.data.size(); ++i)
            if (t.data[i].value && !may_be(t.data[i].value, (*values)[i], known)) return false;
        for (std::size_t i = 0; i < t.data.size(); ++i)
            if (t.data[i].bind && values)
                known.set(t.data[i].bind, (*values)[i]);
            else if (t.data[i].bind)
                known.clear(t.data[i].bind);
        if (!t.silent() && !may_hold(t.where, known)) return false;
        return std::all_of(t.assignments.begin(), t.assignments.end(),
                           [&](const model::Assignment& a) { return assign(a, known); });
    }

private:
    bool all_known(expr::ExprId e, const Environment& known) const {
        auto variables = pool_.variables_of(e);
        return std::all_of(variables.begin(), variables.end(), [&](expr::VarId v) { return known.get(v); });
    }
    bool may_be(expr::ExprId e, const expr::Value& value, const Environment& known) const {
        expr::Result result = expr::evaluate(pool_, e, known);
        if (const auto* is = std::get_if<expr::Value>(&result)) return *is == value;
        return !all_known(e, known);
    }
    bool assign(const model::Assignment& a, Environment& known) const {
        expr::Result result = expr::evaluate(pool_, a.value, known);
        auto* value = std::get_if<expr::Value>(&result);
        if (!value && all_known(a.value, known)) return false;
        if (value)
            known.set(a.variable, std::move(*value));
        else
            known.clear(a.variable);
        return true;
    }

    const expr::Pool& pool_;
};

// The markings in which the component may be when this role's next message comes; all other steps are free.
class OneRole {
public:
    OneRole(const roles::RolePart& part, model::RoleId role, bool with_data, Budget& budget)
        : part_(part), role_(role), budget_(budget) {
        if (with_data) data_.emplace(*part.net.pool());
        restart();
    }

    void restart() {
        places_.clear();
        add(places_, {track::initial_marking(part_.net), {}, {}});
    }

    // False if it can never be taken.
    bool say(const drive::Exchange& said) {
        auto label = part_.input(role_, said.message);
        if (!label) return false;
        Places after;
        std::vector<track::Configuration> waiting;
        std::size_t met = 0;
        for (const auto& [marking, environments] : places_)
            for (const Environment& one : environments) waiting.push_back({marking, one, {}});
        for (met = waiting.size(); !waiting.empty();) {
            if (met > (data_ ? most_with_data : most_markings) ||
                !budget_.pay(part_.net.transitions().size()))
                return given_up_ = true;
            track::Configuration here = std::move(waiting.back());
            waiting.pop_back();
            for (const model::Transition& t : part_.net.transitions()) {
                bool this_one = t.label == *label;
                const model::Event& e = part_.event(t.label);
                bool another_of_it = e.kind == model::EventKind::receive && e.from == role_ && !this_one;
                if (another_of_it || !track::enabled(here.marking, t)) continue;
                track::Configuration next{{}, here.environment, {}};
                if (data_ && !data_->run(t, this_one ? &said.values : nullptr, next.environment)) continue;
                next.marking = track::fired(here.marking, t);
                if (this_one) {
                    add(after, std::move(next));
                } else if (add(places_, next)) {
                    ++met;
                    waiting.push_back(std::move(next));
                }
            }
        }
        places_ = std::move(after);
        return !places_.empty();
    }
    bool given_up() const { return given_up_; }

private:
    using Places = std::map<Marking, std::vector<Environment>>;

    static bool add(Places& places, track::Configuration c) {
        auto& environments = places[std::move(c.marking)];
        if (std::find(environments.begin(), environments.end(), c.environment) != environments.end())
            return false;
        environments.push_back(std::move(c.environment));
        return true;
    }

    const roles::RolePart& part_;
    model::RoleId role_;
    Budget& budget_;
    std::optional<PartlyKnown> data_;
    Places places_;
    bool given_up_ = false;
};

bool plausible_for(const roles::RolePart& part, std::span<const drive::Exchange> exchanges,
                   model::RoleId role, bool with_data, Budget& budget) {
    OneRole one(part, role, with_data, budget);
    std::uint32_t session = 0;
    for (const drive::Exchange& e : exchanges) {
        if (e.session != session) one.restart();
        session = e.session;
        if (!e.to_component || e.from != role || e.wrong) continue;
        if (!one.say(e)) return false;
        if (one.given_up()) break;
    }
    return true;
}

}  // namespace

bool plausible(const roles::RolePart& part, std::span<const drive::Exchange> exchanges,
               const PlausibleLimits& limits) {
    Budget budget(limits);
    for (bool with_data : {false, true})
        for (model::RoleId role : part.played)
            if ((!with_data || (limits.with_data && part.net.pool())) &&
                !plausible_for(part, exchanges, role, with_data, budget))
                return false;
    return true;
}

}  // namespace treaty::campaign
