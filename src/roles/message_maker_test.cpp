#include "roles/message_maker.h"

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/data.h"
#include "choreo/testing/seeds.h"
#include "roles/role_part.h"
#include "roles/value_class.h"

namespace treaty::roles {
namespace {

// A protocol with conditions and assignments; its walks have the values 0, 1 and 2.
struct Fixture {
    explicit Fixture(std::uint64_t seed) {
        protocol.emplace(choreo::testing::RandomData(spec, seed, seed % 2 == 0).make(5));
        part = make();
        if (!part || !declare_fields()) part.reset();
        if (part) part = make();
    }

    std::unique_ptr<RolePart> make() {
        auto made = RolePart::make(spec, *protocol, protocol->roles()[0],
                                   {protocol->roles()[1], protocol->roles()[2]}, "");
        return made ? std::move(*made) : nullptr;
    }
    // Messages get as many fields as their steps have values. False if these do not agree.
    bool declare_fields() {
        std::map<model::MessageId, std::size_t> sizes;
        for (const model::Transition& t : part->net.transitions()) {
            if (t.silent()) continue;
            model::MessageId message = part->event(t.label).message;
            if (sizes.try_emplace(message, t.data.size()).first->second != t.data.size()) return false;
        }
        for (auto [message, size] : sizes)
            for (std::size_t i = 0; i < size; ++i)
                spec.messages[message.index].fields.push_back(
                    {spec.names->intern("f" + std::to_string(i)), spec.types->integer()});
        return true;
    }
    model::Specification spec;
    std::optional<model::Protocol> protocol;
    std::unique_ptr<RolePart> part;
};

// One step more, with any value that it may carry; what was carried goes to `seen`.
bool walk_on(const RolePart& part, track::Configuration& here, base::SeededRandom& random,
             std::set<std::tuple<model::MessageId, std::size_t, std::string_view>>& seen) {
    struct Step {
        const model::Transition* transition;
        track::Values values;
        track::Configuration after;
    };
    std::vector<Step> steps;
    for (const model::Transition& t : part.net.transitions())
        for (std::int64_t value = 0; track::enabled(here.marking, t) && value < 3; ++value) {
            track::Values values(t.data.size(), expr::Value(value));
            std::optional<std::span<const expr::Value>> known;
            if (!t.silent()) known = values;
            track::Configuration after{track::fired(here.marking, t), here.environment, {}};
            if (track::run_data(*part.net.pool(), t, known, after.environment))
                steps.push_back({&t, std::move(values), std::move(after)});
        }
    if (steps.empty()) return false;
    Step& one = steps[random.below(static_cast<std::uint32_t>(steps.size()))];
    if (!one.transition->silent())
        for (std::size_t i = 0; i < one.values.size(); ++i)
            seen.emplace(part.event(one.transition->label).message, i, value_class(one.values[i]));
    here = std::move(one.after);
    return true;
}

// What has occurred is never called impossible, and some of what has not is.
TEST(MessageMaker, WhatOccursIsPossible) {
    std::size_t occurred = 0, excluded = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(400); ++seed) {
        SCOPED_TRACE(seed);
        Fixture f(seed);
        if (!f.part) continue;
        base::SeededRandom random(seed);
        std::set<std::tuple<model::MessageId, std::size_t, std::string_view>> seen;
        for (int round = 0; round < 6; ++round) {
            track::Configuration here{track::initial_marking(f.part->net), {}, {}};
            for (int step = 0; step < 30 && walk_on(*f.part, here, random, seen); ++step) {
            }
        }
        std::size_t questions = 1000;
        for (const auto& [message, field, name] : seen) {
            ++occurred;
            EXPECT_NE(f.part->maker->possible(message, field, name, questions), solve::Found::no)
                << f.part->name(message) << " " << name;
            expr::TypeId type = f.spec.message(message).fields[field].type;
            for (std::string_view other : value_classes(*f.spec.types, type))
                if (!seen.contains({message, field, other}))
                    excluded += f.part->maker->possible(message, field, other, questions) == solve::Found::no;
        }
    }
    EXPECT_GT(occurred, 100u);
    EXPECT_GT(excluded, 50u);
}

TEST(MessageMaker, WithoutQuestionsNothingIsImpossible) {
    std::size_t excluded = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Fixture f(seed);
        if (!f.part) continue;
        for (std::size_t m = 0; m < f.spec.messages.size(); ++m) {
            if (f.spec.messages[m].fields.empty()) continue;
            std::size_t many = 100, none = 0;
            excluded += f.part->maker->possible(model::MessageId(m), 0, "negative", many) == solve::Found::no;
            EXPECT_EQ(f.part->maker->possible(model::MessageId(m), 0, "negative", none),
                      solve::Found::unknown);
        }
    }
    EXPECT_GT(excluded, 2u);
}

}  // namespace
}  // namespace treaty::roles
