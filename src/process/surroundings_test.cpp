#include "process/surroundings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "process/component.h"

namespace treaty::process {
namespace {

using namespace std::chrono_literals;

// What a command writes, when it has ended.
std::string output_of(const std::string& command, const Surroundings& surroundings) {
    auto started = Component::start(command, false, {}, surroundings);
    if (!started) return "fault: " + started.error();
    (*started)->await_end(base::Clock::now() + 20s);
    (*started)->stop();
    return (*started)->errors();
}

TEST(Surroundings, VariablesAreAddedAndReplaceThoseOfThisProcess) {
    setenv("TREATY_OLD", "old", 1);
    setenv("TREATY_KEPT", "kept", 1);
    Surroundings surroundings{{"TREATY_OLD=new", "TREATY_ADDED=a=b", "TREATY_ADDED=last"}, ""};
    std::vector<std::string> all = environment_of(surroundings);
    auto count = [&](std::string_view begin) {
        return std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.starts_with(begin); });
    };
    EXPECT_EQ(count("TREATY_OLD="), 1);
    EXPECT_EQ(count("TREATY_ADDED="), 1);
    EXPECT_EQ(output_of("echo $TREATY_OLD $TREATY_KEPT $TREATY_ADDED", surroundings), "new kept last\n");
}

TEST(Surroundings, AProgramRunsInItsDirectory) {
    EXPECT_EQ(output_of("pwd", {{}, "/usr/share"}), "/usr/share\n");
    EXPECT_EQ(output_of("pwd", {{}, "/no/such/folder"}), "fault: there is no folder /no/such/folder");
}

TEST(Surroundings, AVariableHasAName) {
    EXPECT_TRUE(is_variable("A=1"));
    EXPECT_TRUE(is_variable("A="));
    EXPECT_FALSE(is_variable("A"));
    EXPECT_FALSE(is_variable("=1"));
    EXPECT_FALSE(is_variable(std::string_view("A=\0", 3)));
}

}  // namespace
}  // namespace treaty::process
