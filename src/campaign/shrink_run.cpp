#include "campaign/shrink_run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "campaign/plausible.h"

namespace treaty::campaign {
namespace {

// How much there is of a value: what shrinking makes less of.
std::uint64_t extent(const expr::Value& value) {
    auto of_text = [](const std::string& text) {
        auto other = [](char c) { return c != 'a'; };
        return 8 * text.size() + static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), other));
    };
    if (const auto* number = std::get_if<std::int64_t>(&value.v)) {
        std::uint64_t n = static_cast<std::uint64_t>(*number);
        return 2 * static_cast<std::uint64_t>(std::bit_width(*number < 0 ? ~n + 1 : n)) +
               (*number < 0 ? 1 : 0);
    }
    if (const auto* text = std::get_if<std::string>(&value.v)) return of_text(*text);
    if (const auto* bytes = std::get_if<expr::Bytes>(&value.v)) return of_text(bytes->data);
    if (const auto* flag = std::get_if<bool>(&value.v)) return *flag ? 1 : 0;
    if (const auto* member = std::get_if<expr::EnumMember>(&value.v)) return member->index;
    if (const auto* real = std::get_if<double>(&value.v)) return *real == 0 ? 0 : 1;
    std::uint64_t all = 1;
    for (const expr::Value& item : value.items()) all += extent(item);
    return all;
}

// Half of it, three quarters, ...: what is too much is found in few steps.
template <class Text>
void shorter_texts(const Text& text, auto add) {
    if (text.empty()) return;
    add(Text());
    for (std::size_t less = text.size() / 2; less > 0; less /= 2) {
        add(text.substr(0, text.size() - less));
        add(text.substr(less));
    }
    if (std::all_of(text.begin(), text.end(), [](char c) { return c == 'a'; })) return;
    add(Text(text.size(), 'a'));
    // Where some of it must stay as it is.
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < text.size() && 1 < text.size() && text.size() <= most; ++i) {
        Text plainer = text;
        plainer[i] = 'a';
        if (plainer != text) add(plainer);
    }
}

class Shrinker {
public:
    Shrinker(drive::Tester& tester, drive::SessionResult failing, const ShrinkLimits& limits)
        : tester_(tester),
          limits_(limits),
          best_(std::move(failing)),
          cause_(cause_of(best_)),
          inputs_(inputs_of(best_)),
          sessions_(best_.sessions),
          time_(limits.deadline) {}

    Shrunk run() {
        const drive::SessionResult original = best_;
        note_duration({});
        Shrunk result = repeatable(original);
        if (!tester_.kept()) return result;
        if (result.failed > 0) {  // a new component needs no more than this
            result.outcome.before.clear();
            result.outcome.forgotten = 0;
        } else {  // it may have failed because of the effects of other tries
            result.outcome = original;
            result.outcome.unrepeated = result.repeated > 0;
        }
        return result;
    }

private:
    using Clock = std::chrono::steady_clock;
    using Inputs = std::vector<drive::Exchange>;

    static constexpr std::size_t most_patience = 8, flaky_repeats = 10;

    // How long all tries may take, by the slowest of them so far.
    void note_duration(Clock::duration took) {
        if (!limits_.time) return;
        slowest_ = std::max(slowest_, took);
        auto all = std::max<std::chrono::nanoseconds>(*limits_.time, ShrinkLimits::runs_in_time * slowest_);
        time_ = limits_.deadline.part(all - (Clock::now() - began_));
    }

    // The smallest that a new component repeats, if there is one.
    Shrunk repeatable(const drive::SessionResult& original) {
        Shrunk result = shrink();
        if (result.failed == 0 && result.repeated > 0 && tester_.kept()) {
            // With one component for all, what was tried before may be what makes it fail: once more, each
            // with a component of its own; then with what earlier sessions have sent.
            fresh_ = true;
            result = better(result, once_more(original));
            if (result.failed == 0 && !original.before.empty())
                result = better(result, once_more(with_earlier(original)));
        }
        if (result.failed == result.repeated) return result;
        // It comes and goes: each candidate is tried as often as it takes to see it again.
        patience_ = result.failed == 0 ? most_patience : patience_for(result);
        return better(result, once_more(result.failed == 0 ? original : result.outcome));
    }

    static Shrunk better(Shrunk one, Shrunk other) {
        std::size_t tries = std::max(one.tries, other.tries);
        Shrunk& result = other.failed > 0 ? other : one;
        result.tries = tries;
        return std::move(result);
    }

    // So many tries miss a failure that comes as often as this one in one of ten cases.
    static std::size_t patience_for(const Shrunk& flaky) {
        double rate = static_cast<double>(flaky.failed) / static_cast<double>(flaky.repeated);
        double needed = std::ceil(std::log(0.1) / std::log(1 - rate));
        return static_cast<std::size_t>(std::clamp(needed, 2.0, double{most_patience}));
    }

    Shrunk once_more(const drive::SessionResult& from) {
        best_ = from;
        inputs_ = inputs_of(from);
        sessions_ = from.sessions;
        awaited_ = drive::Exchange::when_nothing_is_due;
        spent_before_ += std::exchange(tries_, 0);
        return shrink();
    }

    Shrunk shrink() {
        if (!attempt(inputs_)) {
            // It may take messages that cross each other.
            awaited_ = drive::Exchange::as_soon_as_allowed;
            // Or the component gives something that must be sent back, and it is another one each time.
            if (!attempt(inputs_) && !(given_up_ > 0 && follows_component())) return finish();
        }
        drop_sessions();
        drop_roles();
        for (bool again = true; again && !spent();) {
            again = jump_loops();
            again = drop() || again;
            again = simplify() || again;
            again = gather() || again;
            again = repeat_values() || again;
            again = drop_sessions() || again;  // some have nothing left in them
        }
        return finish();
    }

    // What the tester's roles send, to the component and to each other.
    Inputs inputs_of(const drive::SessionResult& outcome) const {
        Inputs inputs;
        for (drive::Exchange& e : everything(outcome))
            if (e.from != tester_.part().cut) inputs.push_back(std::move(e));
        return inputs;
    }

    // The same failure, with the sessions before it in front of its own.
    drive::SessionResult with_earlier(const drive::SessionResult& outcome) const {
        drive::SessionResult all = outcome;
        drive::Rerun run = rerun_of(outcome);
        all.exchanges.clear();
        all.inner.clear();
        for (drive::Exchange& e : run.exchanges) {
            bool inner = !e.to_component && e.from != tester_.part().cut;
            if (inner)
                all.inner.emplace_back(all.exchanges.size(), std::move(e));
            else
                all.exchanges.push_back(std::move(e));
        }
        all.sessions = run.sessions;
        return all;
    }

    Inputs without(std::size_t from, std::size_t to) const {
        Inputs result(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(from));
        result.insert(result.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(to), inputs_.end());
        return result;
    }
    Inputs without_sessions(std::uint32_t from, std::uint32_t to) const {
        Inputs result;
        for (const drive::Exchange& e : inputs_) {
            if (e.session >= from && e.session < to) continue;
            result.push_back(e);
            if (e.session >= to) result.back().session -= to - from;
        }
        return result;
    }

    bool spent() const { return tries_ >= limits_.tries || stopped_ || time_.passed(); }

    // Without a component, or when the time for all sessions is up, a try is not a pass.
    bool note_end(const drive::SessionResult& tried) {
        if (tried.problem == drive::Problem::did_not_start) gone_ = tried.reason;
        if (tried.problem == drive::Problem::gone) gone_ = tried.gone;
        stopped_ = stopped_ || !can_be_tried_again(tried.problem);
        return stopped_;
    }

    // What no conversation has is not tried.
    bool forbidden(const Inputs& candidate) const {
        const roles::RolePart& part = tester_.part();
        auto wrong_data = [&](const drive::Exchange& e) {
            return !e.wrong && !part.well_formed(e.message, e.values);
        };
        return std::any_of(candidate.begin(), candidate.end(), wrong_data) ||
               !plausible(part, candidate, {time_});
    }
    // What none has, whatever the data.
    bool forbidden_by_messages(const Inputs& candidate) const {
        PlausibleLimits limits{time_};
        limits.with_data = false;
        return !plausible(tester_.part(), candidate, limits);
    }

    // Whether there is less of what came of a candidate than of the best so far, so that nothing comes twice.
    // What the component decides anew each time does not count.
    bool is_less(const Inputs& got, const Inputs& wanted, std::uint32_t sessions) const {
        if (sessions != sessions_) return sessions < sessions_;
        if (got.size() != inputs_.size()) return got.size() < inputs_.size();
        std::pair<std::uint64_t, double> now, before;
        auto add = [](auto& sum, const expr::Value& value) {
            sum.first += extent(value);
            if (const auto* number = std::get_if<std::int64_t>(&value.v))
                sum.second += std::fabs(static_cast<double>(*number));
        };
        for (std::size_t i = 0; i < got.size(); ++i)
            for (std::size_t k = 0; k < got[i].values.size(); ++k) {
                bool same_place = wanted.size() == got.size() && k < wanted[i].values.size();
                if (follows_ && same_place && !(got[i].values[k] == wanted[i].values[k])) continue;
                add(now, got[i].values[k]);
                if (k < inputs_[i].values.size()) add(before, inputs_[i].values[k]);
            }
        return now < before;
    }

    // The failure as it was found, with data that fits what the component sends now.
    bool follows_component() {
        awaited_ = drive::Exchange::when_nothing_is_due;
        Inputs inputs = inputs_;
        set_turns(inputs);
        drive::Rerun candidate{std::move(inputs), sessions_};
        candidate.adapt = true;
        drive::SessionResult outcome = try_out(candidate);
        if (cause_of(outcome) != cause_) return false;
        take(std::move(outcome));
        return follows_ = true;
    }

    // When each message is sent. An interruption comes at once if that is enough, else after as many messages
    // as it came after.
    void set_turns(Inputs& inputs) const {
        for (drive::Exchange& e : inputs)
            if (!e.while_due || awaited_ == drive::Exchange::when_nothing_is_due) e.awaited = awaited_;
    }

    // What happens to data that is not allowed in a candidate.
    enum class Data : std::uint8_t {
        kept,     // the candidate is not tried
        adapted,  // it is made anew
    };

    bool attempt(Inputs inputs, Data data = Data::kept) {
        return attempt(std::move(inputs), sessions_, data);
    }
    bool attempt(Inputs inputs, std::uint32_t sessions, Data data = Data::kept) {
        if (spent()) return false;
        if (follows_) return !forbidden_by_messages(inputs) && attempt_adapted(std::move(inputs), sessions);
        if (!forbidden(inputs)) {
            std::size_t given_up = given_up_;
            if (attempt_as_it_is(inputs, sessions, data == Data::adapted)) return true;
            // The component's answers may have been what it did not fit.
            if (given_up_ == given_up) return false;
        } else if (data == Data::kept || forbidden_by_messages(inputs)) {
            return false;
        }
        return data == Data::adapted && attempt_adapted(std::move(inputs), sessions);
    }

    bool attempt_adapted(Inputs inputs, std::uint32_t sessions) {
        set_turns(inputs);
        drive::Rerun candidate{std::move(inputs), sessions};
        candidate.adapt = true;
        for (std::size_t n = 0; n < patience_ && !spent(); ++n) {
            drive::SessionResult outcome = try_out(candidate);
            if (cause_of(outcome) != cause_ ||
                !is_less(inputs_of(outcome), candidate.exchanges, outcome.sessions))
                continue;
            take(std::move(outcome));
            return true;
        }
        return false;
    }

    drive::SessionResult try_out(const drive::Rerun& candidate) {
        ++tries_;
        if (limits_.progress) limits_.progress(spent_before_ + tries_, best_.exchanges.size());
        if (fresh_) tester_.renew();
        auto before = Clock::now();
        drive::SessionResult outcome = tester_.replay(candidate);
        note_duration(Clock::now() - before);
        note_end(outcome);
        return outcome;
    }

    void take(drive::SessionResult outcome) {
        inputs_ = inputs_of(outcome);
        sessions_ = outcome.sessions;
        best_ = std::move(outcome);
    }

    bool attempt_as_it_is(Inputs inputs, std::uint32_t sessions, bool again_if_given_up) {
        set_turns(inputs);
        const drive::Rerun candidate{std::move(inputs), sessions};
        for (std::size_t n = 0; n < patience_ && !spent(); ++n) {
            drive::SessionResult outcome = try_out(candidate);
            given_up_ += outcome.problem == drive::Problem::another_course;
            if (outcome.problem == drive::Problem::another_course && again_if_given_up) return false;
            if (cause_of(outcome) != cause_) continue;
            take(std::move(outcome));
            return true;
        }
        return false;
    }

    // Whole sessions before the last one, many at a time first.
    bool drop_sessions() {
        bool any = false;
        for (std::uint32_t size = sessions_ / 2; size > 0 && !spent(); size /= 2)
            for (std::uint32_t at = 0; at + size < sessions_ && !spent();)
                if (attempt(without_sessions(at, at + size), sessions_ - size))
                    any = true;
                else
                    at += size;
        return any;
    }

    // All messages of one role, for each role.
    void drop_roles() {
        for (model::RoleId role : tester_.part().played) {
            Inputs candidate = inputs_;
            std::erase_if(candidate, [&](const drive::Exchange& e) { return e.from == role; });
            if (!candidate.empty() && candidate.size() < inputs_.size()) attempt(std::move(candidate));
        }
    }

    // Where in the protocol the component may be before each of the messages to it, data aside.
    std::vector<std::vector<std::uint64_t>> places() const {
        std::vector<std::vector<std::uint64_t>> result;
        const roles::RolePart& part = tester_.part();
        track::Tracker tracker(part.tracked);
        std::uint32_t session = 0;
        for (const drive::Exchange& e : everything(best_)) {
            if (e.session != session) tracker.reset();
            session = e.session;
            bool inner = !e.to_component && e.from != part.cut;
            if (e.to_component || inner) {
                auto& place = result.emplace_back();
                for (const track::Configuration& c : tracker.configurations())
                    place.push_back(track::hash_tokens(c.marking, c.pending));
                std::sort(place.begin(), place.end());
            }
            if (inner || (e.wrong && e.corruption)) continue;
            auto label = e.to_component ? part.input(e.from, e.message) : part.output(e.to, e.message);
            if (!label) break;
            track::EventVerdict said = e.to_component ? tracker.observe_input(*label, e.values)
                                                      : tracker.observe_output(*label, e.values);
            if (said != track::EventVerdict::allowed) break;
        }
        return result;
    }

    // Leaves out what leads from a place back to the same, the longest way first.
    bool jump_loops() {
        bool any = false;
        for (std::size_t from = 0; from < inputs_.size() && !spent(); ++from) {
            auto place = places();
            for (std::size_t to = std::min(place.size(), inputs_.size()); to-- > from + 1 && !spent();) {
                if (place[from] != place[to]) continue;
                if (!attempt(without(from, to), Data::adapted)) continue;
                any = true;
                break;
            }
        }
        return any;
    }

    // Messages among played roles only are not worth an attempt.
    bool attempt_without(std::size_t from, std::size_t to) {
        bool seen = std::any_of(inputs_.begin() + static_cast<std::ptrdiff_t>(from),
                                inputs_.begin() + static_cast<std::ptrdiff_t>(to),
                                [](const drive::Exchange& e) { return e.to_component; });
        return seen && attempt(without(from, to), Data::adapted);
    }
    // The first of the messages among played roles directly before this message.
    std::size_t first_reason(std::size_t at) const {
        while (at > 0 && !inputs_[at - 1].to_component) --at;
        return at;
    }

    // Leaves messages out, many at a time first.
    bool drop() {
        bool any = false;
        for (std::size_t size = std::max<std::size_t>(1, inputs_.size() / 2);; size /= 2) {
            for (std::size_t at = 0; at < inputs_.size() && !spent();) {
                std::size_t to = std::min(at + size, inputs_.size());
                std::size_t reason = size == 1 ? first_reason(at) : at;
                if (attempt_without(at, to) || (reason < at && attempt_without(reason, to)))
                    any = true;
                else
                    at += size;
            }
            if (size <= 1) return any;
        }
    }

    bool simplify() {
        bool any = false;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            for (std::size_t k = 0; k < inputs_[i].values.size(); ++k)
                while (!spent() && simplify(i, k)) {
                    any = true;
                    if (i >= inputs_.size() || k >= inputs_[i].values.size()) return true;
                }
        return any;
    }

    // Here, and wherever the same value occurs later; if that does not fail, only here.
    bool attempt_value(std::size_t i, std::size_t k, const expr::Value& value, Data data = Data::kept) {
        if (i >= inputs_.size() || k >= inputs_[i].values.size()) return false;
        const expr::Value was = inputs_[i].values[k];
        Inputs together = inputs_, alone = inputs_;
        alone[i].values[k] = value;
        std::size_t changed = 0, seen = 0;
        for (std::size_t j = i; j < together.size(); ++j)
            for (expr::Value& other : together[j].values)
                if (other == was) {
                    other = value;
                    ++changed;
                    seen += together[j].to_component;
                }
        if (seen == 0) return false;  // the component would get the same
        if (!inputs_[i].to_component) return attempt(std::move(together), data);
        return (changed > 1 && attempt(std::move(together))) || attempt(std::move(alone), data);
    }

    bool simplify(std::size_t i, std::size_t k) {
        const expr::Value was = inputs_[i].values[k];
        Data data = Data::adapted;  // only for the simplest: there are many
        for (const expr::Value& value : simpler(was)) {
            if (attempt_value(i, k, value, data)) {
                halve(i, k);
                return true;
            }
            data = Data::kept;
        }
        return false;
    }

    // Leaves out one of two messages of one kind, and gives what it has in a field to the other one: what
    // counts is often the sum, or the length of both.
    bool gather() {
        bool any = false;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            for (std::size_t j = i + 1; j < inputs_.size() && !spent(); ++j)
                if (inputs_[i].to_component && inputs_[i].message == inputs_[j].message &&
                    inputs_[i].session == inputs_[j].session && gather(i, j)) {
                    any = true;
                    j = i;
                }
        return any;
    }

    bool gather(std::size_t i, std::size_t j) {
        for (std::size_t k = 0; k < std::min(inputs_[i].values.size(), inputs_[j].values.size()); ++k) {
            auto both = joined(inputs_[i].values[k], inputs_[j].values[k]);
            if (!both) continue;
            for (auto [all, none] : {std::pair{j, i}, std::pair{i, j}}) {
                Inputs candidate = inputs_;
                candidate[all].values[k] = *both;
                candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(none));
                if (attempt(std::move(candidate), Data::adapted)) return true;
            }
        }
        return false;
    }

    // Both together; nothing where that would be one of them.
    static std::optional<expr::Value> joined(const expr::Value& a, const expr::Value& b) {
        const auto *x = std::get_if<std::int64_t>(&a.v), *y = std::get_if<std::int64_t>(&b.v);
        std::int64_t sum = 0;
        if (x && y && *x != 0 && *y != 0 && !__builtin_add_overflow(*x, *y, &sum)) return expr::Value(sum);
        const auto *s = std::get_if<std::string>(&a.v), *t = std::get_if<std::string>(&b.v);
        if (s && t && !s->empty() && !t->empty()) return expr::Value(*s + *t);
        const auto *u = std::get_if<expr::Bytes>(&a.v), *v = std::get_if<expr::Bytes>(&b.v);
        if (u && v && !u->data.empty() && !v->data.empty())
            return expr::Value(expr::Bytes{u->data + v->data});
        return std::nullopt;
    }

    // A value that an earlier message has, if there is less of it, and of two with as much the smaller one.
    bool repeat_values() {
        bool any = false;
        for (std::size_t i = 1; i < inputs_.size(); ++i)
            for (std::size_t k = 0; i < inputs_.size() && k < inputs_[i].values.size() && !spent(); ++k)
                any = repeat_value(i, k) || any;
        return any;
    }

    bool repeat_value(std::size_t i, std::size_t k) {
        constexpr std::size_t most = 8;
        std::vector<expr::Value> earlier;
        const expr::Value was = inputs_[i].values[k];
        for (std::size_t j = 0; j < i && earlier.size() < most; ++j)
            for (const expr::Value& one : inputs_[j].values)
                if (one.v.index() == was.v.index() &&
                    std::pair(extent(one), one) < std::pair(extent(was), was) &&
                    std::find(earlier.begin(), earlier.end(), one) == earlier.end())
                    earlier.push_back(one);
        return std::any_of(earlier.begin(), earlier.end(),
                           [&](const expr::Value& one) { return attempt_value(i, k, one); });
    }

    // A number that can be smaller is often next to a boundary, which is between it and one that passes.
    void halve(std::size_t i, std::size_t k) {
        std::int64_t passes = 0;
        auto number = [&]() -> std::int64_t {
            if (i >= inputs_.size() || k >= inputs_[i].values.size()) return 0;
            const auto* n = std::get_if<std::int64_t>(&inputs_[i].values[k].v);
            return n ? *n : 0;
        };
        while (!spent()) {
            std::int64_t middle = passes + (number() - passes) / 2;
            if (middle == passes || middle == number()) return;
            if (!attempt_value(i, k, middle)) passes = middle;
        }
    }

    Shrunk finish() {
        Shrunk result{best_, spent_before_ + tries_, given_up_, 0, 0, {}};
        drive::Rerun last{inputs_, sessions_};
        last.adapt = follows_;
        set_turns(last.exchanges);
        std::size_t repeats = patience_ > 1 ? std::max(flaky_repeats, limits_.repeats) : limits_.repeats;
        while (result.repeated < repeats && !stopped_ && !limits_.deadline.passed()) {
            tester_.renew();
            drive::SessionResult again = tester_.replay(last);
            if (note_end(again)) break;
            ++result.repeated;
            result.failed += cause_of(again) == cause_;
        }
        result.gone = gone_;
        return result;
    }

    drive::Tester& tester_;
    const ShrinkLimits& limits_;
    drive::SessionResult best_;
    const std::string cause_;  // a candidate that fails for another one has found another bug
    Inputs inputs_;
    std::uint32_t sessions_;  // that they are sent in
    const Clock::time_point began_ = Clock::now();
    Clock::duration slowest_{};
    base::Deadline time_;  // of the tries
    std::size_t tries_ = 0, spent_before_ = 0, given_up_ = 0;
    std::size_t patience_ = 1;  // how often a candidate is tried until it counts as passing
    std::string gone_;          // why the component is gone
    bool stopped_ = false;      // nothing can be tried any more
    bool follows_ = false;      // data is made to fit what the component sends in each try
    bool fresh_ = false;        // each candidate meets a component that has seen nothing yet
    std::uint32_t awaited_ = drive::Exchange::when_nothing_is_due;
};

}  // namespace

Shrunk shrink_run(drive::Tester& tester, drive::SessionResult failing, const ShrinkLimits& limits) {
    return Shrinker(tester, std::move(failing), limits).run();
}

std::vector<expr::Value> simpler(const expr::Value& value) {
    std::vector<expr::Value> result;
    if (const auto* number = std::get_if<std::int64_t>(&value.v)) {
        std::int64_t n = *number;
        if (n != 0) result.emplace_back(std::int64_t{0});
        if (n < 0) result.emplace_back(n == INT64_MIN ? INT64_MAX : -n);
        for (std::int64_t less = n / 2; less != 0; less /= 2) result.emplace_back(n - less);
    } else if (const auto* real = std::get_if<double>(&value.v)) {
        if (*real != 0) result.emplace_back(0.0);
    } else if (const auto* flag = std::get_if<bool>(&value.v)) {
        if (*flag) result.emplace_back(false);
    } else if (const auto* text = std::get_if<std::string>(&value.v)) {
        shorter_texts(*text, [&](std::string t) { result.emplace_back(std::move(t)); });
    } else if (const auto* bytes = std::get_if<expr::Bytes>(&value.v)) {
        shorter_texts(bytes->data, [&](std::string t) { result.emplace_back(expr::Bytes{std::move(t)}); });
    } else if (const auto* member = std::get_if<expr::EnumMember>(&value.v)) {
        if (member->index != 0) result.emplace_back(expr::EnumMember{0});
    } else if (const auto* list = std::get_if<expr::Sequence>(&value.v)) {
        for (std::size_t i = 0; i < std::min<std::size_t>(list->items.size(), 16); ++i) {
            expr::Sequence without = *list;
            without.items.erase(without.items.begin() + static_cast<std::ptrdiff_t>(i));
            result.emplace_back(std::move(without));
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(list->items.size(), 16); ++i)
            for (expr::Value& item : simpler(list->items[i])) {
                expr::Sequence changed = *list;
                changed.items[i] = std::move(item);
                result.emplace_back(std::move(changed));
            }
    }
    return result;
}

}  // namespace treaty::campaign
