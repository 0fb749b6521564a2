#include "explore/testing/families.h"

#include <gtest/gtest.h>

#include <tuple>

#include "explore/safety.h"

namespace treaty::explore {
namespace {

TEST(Families, have_their_known_counts) {
    for (auto [name, states, transitions] :
         std::vector<std::tuple<std::string_view, std::uint64_t, std::uint64_t>>{{"pairs5", 3125, 18750},
                                                                                 {"ring12", 256322, 1241856},
                                                                                 {"atm1", 37, 42},
                                                                                 {"atm3", 50653, 172494},
                                                                                 {"buyer1", 30, 40},
                                                                                 {"buyer3", 27000, 108000},
                                                                                 {"pipe3b4", 268119, 864900}})
        for (unsigned jobs : {1u, 2u})
            for (bool compress : {false, true}) {
                SCOPED_TRACE(::testing::Message() << name << " jobs " << jobs << " compress " << compress);
                ExploreOptions options;
                options.reduce = options.endless = false;
                options.jobs = jobs;
                options.compress = compress;
                ExploreReport report = explore(*named_family(name), options);
                EXPECT_EQ(report.states, states);
                EXPECT_EQ(report.transitions, transitions);
                EXPECT_EQ(report.answer, base::Answer::holds);
            }
}

// The better of what two established tools store with their reductions.
TEST(Families, are_reduced_below_what_others_reach) {
    for (auto [name, most] : std::vector<std::pair<std::string_view, std::uint64_t>>{{"pairs9", 21},
                                                                                     {"ring14", 417},
                                                                                     {"atm1", 35},
                                                                                     {"atm4", 467},
                                                                                     {"buyer4", 105},
                                                                                     {"pipe4", 36583}}) {
        ExploreReport report = explore(*named_family(name));
        EXPECT_EQ(report.answer, base::Answer::holds) << name;
        EXPECT_LE(report.states, most) << name;
    }
}

TEST(Families, are_found_by_name_only) {
    for (std::string_view name :
         {"", "pairs", "pairs0", "9", "other3", "ring4x2", "pipe3b", "pipe3b0", "pairs999999999999"})
        EXPECT_FALSE(named_family(name)) << name;
}

}  // namespace
}  // namespace treaty::explore
