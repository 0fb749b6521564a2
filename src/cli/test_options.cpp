#include "cli/test_options.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "testgen/codes.h"

namespace treaty::cli {

void TestOptions::add_to(CommandLine& line) {
    line.option("-p,--protocol", "NAME", options_.protocol, "which protocol of the file (default: the last)");
    line.option("--times", "N", times_, "rounds of each loop at most (default: 2)");
    line.flag("--keep-all", keep_all_,
              "also keep states that other choices make unreachable, and cases that differ only there");
    line.option("--success", "STEP", options_.success,
                "a test has succeeded after this step: LINE, LINE:COLUMN or the name of a rec block");
    line.flag("--wait", wait_, "add cases in which a role that could send waits for a message first");
    line.flag("--dual", dual_, "one test machine that mirrors the component, instead of one per other role");
}

api::TestOptions TestOptions::read() const {
    api::TestOptions options = options_;
    options.times = times_.value_or(options.times);
    if (keep_all_) options.keep = testgen::Keep::all;
    if (wait_) options.mixed = testgen::Mixed::also_wait;
    if (dual_) options.kind = api::TestKind::dual;
    return options;
}

void JudgeOptions::add_to(CommandLine& line) {
    channels_.add_to(line);
    line.option("--oracle", "KIND", oracle_,
                "global (default): what all roles saw must be one run; local: judge each role by itself");
    line.option("--empty", "CHANNELS", empty_, "channels that must be empty, as in A->B,B->A (default: all)");
    line.flag("--observe-final", observe_final_, "also observe whether the component itself has ended");
}

bool JudgeOptions::read(Session& session, api::JudgeOptions& into) const {
    auto channels = channels_.read(session, {});
    if (!channels) return false;
    into.channels = *channels;
    into.observe_final = observe_final_;
    into.global = oracle_ == "global";
    if (!into.global && oracle_ != "local") {
        session.report(api::codes::bad_usage,
                       fmt::format("--oracle {} is neither global nor local", oracle_));
        return false;
    }
    if (empty_.empty()) return true;
    into.empty.emplace();
    for (std::size_t start = 0; start <= empty_.size();) {
        std::size_t end = std::min(empty_.find(',', start), empty_.size());
        std::string name = empty_.substr(start, end - start);
        start = end + 1;
        std::size_t arrow = name.find("->");
        if (arrow == std::string::npos) {
            session.report(testgen::codes::bad_channel,
                           fmt::format("{} is not a channel between two roles", name));
            return false;
        }
        into.empty->emplace_back(name.substr(0, arrow), name.substr(arrow + 2));
    }
    return true;
}

}  // namespace treaty::cli
