#include "drive/shrink_run.h"

#include <algorithm>

namespace treaty::drive {
namespace {

template <class Text>
void shorter_texts(const Text& text, auto add) {
    if (text.empty()) return;
    add(Text());
    if (text.size() > 1) {
        add(text.substr(0, text.size() / 2));
        add(text.substr(text.size() / 2));
        for (std::size_t i = 0; i < std::min<std::size_t>(text.size(), 8); ++i)
            add(text.substr(0, i) + text.substr(i + 1));
    }
    if (std::any_of(text.begin(), text.end(), [](char c) { return c != 'a'; })) add(Text(text.size(), 'a'));
}

class Shrinker {
public:
    Shrinker(Tester& tester, Outcome failing, const ShrinkLimits& limits)
        : tester_(tester),
          limits_(limits),
          best_(std::move(failing)),
          problem_(best_.problem),
          inputs_(inputs_of(best_)) {}

    Shrunk run() {
        // What fails only now and then is not made smaller: each candidate would be a throw of dice.
        if (!attempt(inputs_)) {
            // It may take messages that cross each other.
            awaited_ = Exchange::as_soon_as_allowed;
            if (!attempt(inputs_)) return finish();
        }
        for (bool again = true; again && !spent();) {
            again = drop();
            again = simplify() || again;
        }
        return finish();
    }

private:
    using Inputs = std::vector<Exchange>;

    static Inputs inputs_of(const Outcome& outcome) {
        Inputs inputs;
        for (const Exchange& e : outcome.exchanges)
            if (e.to_component) inputs.push_back(e);
        return inputs;
    }

    bool spent() const {
        return tries_ >= limits_.tries || limits_.deadline.passed() || base::interrupt_flag();
    }

    bool attempt(Inputs candidate) {
        if (spent()) return false;
        ++tries_;
        for (Exchange& e : candidate) e.awaited = awaited_;
        Outcome outcome = tester_.replay(candidate);
        if (outcome.problem != problem_) return false;
        inputs_ = inputs_of(outcome);
        best_ = std::move(outcome);
        return true;
    }

    // Leaves messages out, many at a time first.
    bool drop() {
        bool any = false;
        for (std::size_t size = std::max<std::size_t>(1, inputs_.size() / 2);; size /= 2) {
            for (std::size_t at = 0; at < inputs_.size() && !spent();) {
                Inputs candidate = inputs_;
                std::size_t end = std::min(at + size, candidate.size());
                candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(at),
                                candidate.begin() + static_cast<std::ptrdiff_t>(end));
                if (attempt(std::move(candidate)))
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

    bool simplify(std::size_t i, std::size_t k) {
        for (expr::Value& value : simpler(inputs_[i].values[k])) {
            Inputs candidate = inputs_;
            candidate[i].values[k] = std::move(value);
            if (attempt(std::move(candidate))) return true;
            if (spent() || i >= inputs_.size()) return false;
        }
        return false;
    }

    Shrunk finish() {
        Shrunk result{best_, tries_, 0, 0};
        Inputs last = inputs_;
        for (Exchange& e : last) e.awaited = awaited_;
        while (result.repeated < limits_.repeats && !limits_.deadline.passed() && !base::interrupt_flag()) {
            ++result.repeated;
            result.failed += tester_.replay(last).problem == problem_;
        }
        return result;
    }

    Tester& tester_;
    const ShrinkLimits& limits_;
    Outcome best_;
    Problem problem_;
    Inputs inputs_;
    std::size_t tries_ = 0;
    std::uint32_t awaited_ = Exchange::when_nothing_is_due;
};

}  // namespace

Shrunk shrink_run(Tester& tester, Outcome failing, const ShrinkLimits& limits) {
    return Shrinker(tester, std::move(failing), limits).run();
}

std::vector<expr::Value> simpler(const expr::Value& value) {
    std::vector<expr::Value> result;
    if (const auto* number = std::get_if<std::int64_t>(&value.v)) {
        std::int64_t n = *number;
        if (n != 0) result.emplace_back(std::int64_t{0});
        if (n < 0) result.emplace_back(n == INT64_MIN ? INT64_MAX : -n);
        if (n / 2 != 0) result.emplace_back(n / 2);
        if (n > 1 || n < -1) result.emplace_back(n > 0 ? n - 1 : n + 1);
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

}  // namespace treaty::drive
