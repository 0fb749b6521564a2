#include "api/campaigns/test_settings.h"

#include <gtest/gtest.h>

namespace treaty::api::test_settings_test {
namespace {

using namespace std::chrono_literals;

TEST(TestSettings, TheCommandForAShellHasWhatIsSet) {
    TestSettings settings;
    settings.file = "my shop.treaty";
    settings.cut = "stock";
    settings.run = "python3 it's.py {port}";
    settings.via = std::vector<std::string>{"tcp://127.0.0.1:{port}"};
    settings.with.emplace().push_back({"db=redis-server", "port:6379"});
    settings.env.push_back("MODE=fast");
    settings.sessions = 7;
    settings.silence = 1500ms;
    settings.startup = 20s;
    settings.strategy = Strategy::coverage;
    settings.keep = true;
    settings.keep_going = false;
    settings.html = "report.html";
    EXPECT_EQ(
        command_of(settings, 3),
        "treaty test 'my shop.treaty' --cut stock --run 'python3 it'\\''s.py {port}' --env MODE=fast --with "
        "db=redis-server --ready db=port:6379 --via 'tcp://127.0.0.1:{port}' --sessions 7 --silence 1500ms "
        "--startup 20s --strategy coverage --keep --seed 3");
}

}  // namespace
}  // namespace treaty::api::test_settings_test
