#include "roles/value_class.h"

#include <gtest/gtest.h>

#include "choreo/testing/seeds.h"
#include "roles/near_value.h"
#include "solve/generate.h"

namespace treaty::roles {
namespace {

struct Fixture {
    std::shared_ptr<expr::Types> types = std::make_shared<expr::Types>();
    std::shared_ptr<base::Names> names = std::make_shared<base::Names>();
    expr::Pool pool{types, names};

    std::vector<expr::TypeId> all() {
        std::vector<base::NameId> few, many;
        for (int i = 0; i < 40; ++i) {
            many.push_back(names->intern("m" + std::to_string(i)));
            if (i < 3) few.push_back(many.back());
        }
        return {types->boolean(),
                types->integer(),
                types->integer(0, 255),
                types->integer(-5, 5),
                types->integer(127, 128),
                types->integer(1001, std::nullopt),
                types->real(),
                types->string(),
                types->bytes(),
                types->list(types->integer()),
                types->optional(types->string()),
                types->enumeration(names->intern("Few"), few),
                types->enumeration(names->intern("Many"), many)};
    }
};

// Values of every class, each of one class and of the one whose condition it satisfies.
TEST(ValueClass, EveryValueIsOfExactlyOneClassOfItsType) {
    Fixture f;
    std::size_t made = 0;
    for (expr::TypeId type : f.all()) {
        SCOPED_TRACE(f.types->print(type, *f.names));
        std::vector<std::string_view> classes = value_classes(*f.types, type);
        ASSERT_FALSE(classes.empty());
        expr::VarId x = f.pool.declare(f.names->intern("x"), type);
        solve::GenerateOptions options;
        options.longest = 200;
        solve::Generator generator(f.pool, options);
        std::vector<expr::ExprId> conditions;
        conditions.reserve(classes.size());
        for (std::string_view one : classes)
            conditions.push_back(class_condition(f.pool, f.pool.var(x), type, one));
        auto check = [&](const expr::Value& value) {
            expr::Environment environment;
            environment.set(x, value);
            std::string_view is = value_class(value);
            for (std::size_t i = 0; i < classes.size(); ++i)
                EXPECT_EQ(expr::satisfied(f.pool, conditions[i], environment), classes[i] == is)
                    << expr::print(value, type, *f.types, *f.names) << " is " << is << ", not " << classes[i];
            EXPECT_NE(std::find(classes.begin(), classes.end(), is), classes.end()) << is;
            ++made;
        };
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            solve::Choices choices(seed);
            auto any = generator.generate(std::array{x}, {}, {}, choices);
            ASSERT_EQ(any.found, solve::Found::yes);
            check(*any.values.get(x));
        }
        for (std::size_t i = 0; i < classes.size(); ++i) {
            solve::Choices choices(i + 1);
            auto one = generator.generate(std::array{x}, conditions[i], {}, choices);
            ASSERT_EQ(one.found, solve::Found::yes) << classes[i] << ": " << one.reason;
            EXPECT_EQ(value_class(*one.values.get(x)), classes[i]);
            check(*one.values.get(x));
        }
    }
    EXPECT_GT(made, 500u);
}

TEST(ValueClass, MembersHaveTheirNames) {
    Fixture f;
    expr::TypeId few = f.all()[11];
    EXPECT_EQ(class_text("#1", *f.types, few, *f.names), "m1");
    EXPECT_EQ(class_text("empty", *f.types, f.types->string(), *f.names), "empty");
    EXPECT_EQ(value_classes(*f.types, few).size(), 3u);
    EXPECT_EQ(value_class(expr::Value(expr::EnumMember{35})), "more");
}

TEST(ValueClass, ClassesOfSomeValues) {
    EXPECT_EQ(value_class(expr::Value(std::int64_t{0})), "0");
    EXPECT_EQ(value_class(expr::Value(std::int64_t{255})), "at a power of two");
    EXPECT_EQ(value_class(expr::Value(std::int64_t{INT32_MAX})), "at a power of two");
    EXPECT_EQ(value_class(expr::Value(std::int64_t{-3})), "negative");
    EXPECT_EQ(value_class(expr::Value(std::string())), "empty");
    EXPECT_EQ(value_class(expr::Value(std::string(101, 'a'))), "more than 100");
    EXPECT_EQ(value_class(expr::Value(true)), "true");
}

}  // namespace
}  // namespace treaty::roles
