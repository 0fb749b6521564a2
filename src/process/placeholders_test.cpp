#include "process/placeholders.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace treaty::process {
namespace {

TEST(Placeholders, AreReplacedAndUnknownOnesStay) {
    setenv("TREATY_EXAMPLE", "e", 1);
    EXPECT_EQ(expand("{env:TREATY_EXAMPLE}{env:TREATY_NO_SUCH}", {}), "e{env:TREATY_NO_SUCH}");
    EXPECT_EQ(expand("a {port} {x} {tmp}{", {{"port", "7"}, {"tmp", "t"}}), "a 7 {x} t{");
}

}  // namespace
}  // namespace treaty::process
