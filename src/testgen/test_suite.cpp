#include "testgen/test_suite.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "base/seeded_random.h"

namespace treaty::testgen {

using model::StateId;

SuccessStates final_states(const Projections& projections) {
    SuccessStates success;
    for (const model::Machine& machine : projections.machines) {
        std::vector<bool> states;
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            states.push_back(machine.final(StateId(s)) || machine.out(StateId(s)).empty());
        success.push_back(std::move(states));
    }
    return success;
}

TestSuite::TestSuite(const Projections& projections, model::RoleId cut, Keep keep, SuccessStates success,
                     Mixed mixed)
    : projections_(&projections), cut_(cut), keep_(keep), mixed_(mixed), success_(std::move(success)) {
    auto position = projections.position(cut);
    TREATY_CHECK(position && success_.size() == projections.machines.size());
    cut_position_ = *position;
    whole_run_ = success_ == final_states(projections);
    for (std::size_t i = 0; i < projections.machines.size(); ++i) {
        if (i == cut_position_) continue;
        roles_.push_back(i);
        splittings_.emplace_back(projections.machines[i], keep, mixed);
        counted_ = counted_ && splittings_.back().counted();
        size_ *= splittings_.back().count();
    }
}

std::vector<const model::Machine*> TestSuite::others() const {
    std::vector<const model::Machine*> machines;
    for (std::size_t role : roles_) machines.push_back(&projections_->machines[role]);
    return machines;
}

TestCase TestSuite::at(const Count& index) const {
    TREATY_CHECK(counted_ && index >= 0 && index < size_);
    TestCase result;
    result.index = index;
    std::vector<Fixing> fixings(roles_.size());
    Count rest = index;
    for (std::size_t r = roles_.size(); r-- > 0;) {
        fixings[r] = splittings_[r].at(Count(rest % splittings_[r].count()));
        rest /= splittings_[r].count();
    }
    for (std::size_t r = 0; r < roles_.size(); ++r) {
        const model::Machine& machine = projections_->machines[roles_[r]];
        SplitMachine split = apply(machine, fixings[r], keep_);
        std::vector<bool> success;
        for (StateId origin : split.origin) success.push_back(success_[roles_[r]][origin.index]);
        result.machines.push_back({std::move(split.machine), std::move(success), std::move(split.waits)});
        describe_choices(machine, fixings[r], result.choices);
    }
    return result;
}

void TestSuite::describe_choices(const model::Machine& machine, const Fixing& fixing,
                                 std::vector<FixedChoice>& into) {
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        std::uint32_t kept = fixing.kept[s];
        if (kept == Fixing::free) continue;
        auto edges = machine.out(StateId(s));
        bool silent = Fixing::silent(kept);
        FixedChoice choice{machine.role(),
                           machine.node(StateId(s), silent ? 0 : kept),
                           silent ? model::LabelId() : edges[kept].label,
                           {}};
        for (const model::Edge& edge : edges) {
            bool send = machine.alphabet().event(edge.label).kind == model::EventKind::send;
            if (kept == Fixing::wait && !send) choice.awaited.push_back(edge.label);
            if (edge.label != choice.kept && (send || !silent)) choice.dropped.push_back(edge.label);
        }
        into.push_back(std::move(choice));
    }
}

TestCase TestSuite::whole() const {
    TestCase result;
    for (std::size_t role : roles_) result.machines.push_back({projections_->machines[role], success_[role]});
    return result;
}

std::vector<Count> first_cases(const Count& size, std::size_t wanted) {
    std::vector<Count> numbers;
    for (Count i = 0; i < size && numbers.size() < wanted; ++i) numbers.push_back(i);
    return numbers;
}

std::vector<Count> sample_cases(const Count& size, std::size_t wanted, std::uint64_t seed) {
    if (size <= wanted) return first_cases(size, wanted);
    base::SeededRandom random(seed);
    std::size_t words = mpz_sizeinbase(size.get_mpz_t(), 2) / 64 + 2;
    // Floyd's way: the k-th draw is from the first size - wanted + k, so no draw has to be repeated.
    std::set<Count> drawn;
    for (Count top = size - wanted; top < size; ++top) {
        Count number = 0;
        for (std::size_t i = 0; i < words; ++i) number = (number << 64) + Count(random.next());
        number %= Count(top + 1);
        if (!drawn.insert(number).second) drawn.insert(top);
    }
    return {drawn.begin(), drawn.end()};
}

std::string describe(const model::Alphabet& alphabet, const FixedChoice& choice) {
    model::Event kept = choice.kept ? alphabet.event(choice.kept) : model::Event{};
    std::string awaited;
    for (model::LabelId label : choice.awaited)
        awaited += fmt::format("{}{} from {}", awaited.empty() ? "" : " or ",
                               alphabet.name(alphabet.event(label).message),
                               alphabet.name(alphabet.event(label).from));
    std::string others;
    for (std::size_t i = 0; i < choice.dropped.size(); ++i) {
        const model::Event& event = alphabet.event(choice.dropped[i]);
        others += i > 0 ? " or " : choice.kept ? ", not " : "";
        if (event.kind == model::EventKind::receive)
            others += fmt::format("waiting for {} first", alphabet.name(event.message));
        else if (choice.kept && event.from != kept.from)
            others += fmt::format("{} of {}", alphabet.name(event.message), alphabet.name(event.from));
        else if (event.to == kept.to)
            others += alphabet.name(event.message);
        else
            others += fmt::format("{} to {}", alphabet.name(event.message), alphabet.name(event.to));
    }
    if (!awaited.empty())
        return fmt::format("{} waits for {} before it sends {}", alphabet.name(choice.role), awaited, others);
    if (!choice.kept)
        return fmt::format("{} stops, and does not send {}", alphabet.name(choice.role), others);
    return fmt::format("{} sends {} to {}{}", alphabet.name(kept.from), alphabet.name(kept.message),
                       alphabet.name(kept.to), others);
}

std::string check_test_case(const std::vector<TestMachine>& machines, model::RoleId cut) {
    std::vector<std::set<model::RoleId>> subjects;
    for (const TestMachine& test : machines) {
        const model::Alphabet& alphabet = test.machine.alphabet();
        std::set<model::RoleId>& own = subjects.emplace_back();
        for (std::size_t s = 0; s < test.machine.state_count(); ++s) {
            auto edges = test.machine.out(StateId(s));
            for (std::size_t i = 0; i < edges.size(); ++i) {
                model::RoleId subject = alphabet.subject(edges[i].label);
                bool send = alphabet.event(edges[i].label).kind == model::EventKind::send;
                if (subject == cut) return fmt::format("{} acts in it", alphabet.name(cut));
                if (send && edges.size() > 1)
                    return fmt::format("{} chooses in state {}", alphabet.name(subject), s);
                if (i > 0 && edges[i].label == edges[i - 1].label)
                    return fmt::format("state {} of {} is not deterministic", s, test.machine.name());
                if (subject) own.insert(subject);
            }
        }
    }
    for (std::size_t i = 0; i < subjects.size(); ++i)
        for (std::size_t j = i + 1; j < subjects.size(); ++j)
            for (model::RoleId role : subjects[i])
                if (subjects[j].contains(role))
                    return fmt::format("{} is played by two machines",
                                       machines[i].machine.alphabet().name(role));
    return {};
}

}  // namespace treaty::testgen
