// Damaged bytes sent to components in this process: right ones pass, and each way to mishandle them is found,
// made small, and fails again when it is replayed.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/data.h"
#include "api/replay.h"
#include "api/test_component.h"
#include "drive/in_process.h"
#include "expr/checksum.h"

namespace treaty::api::corrupt_test {
namespace {

using testing::HasSubstr;

constexpr const char* plain = R"(
message set(value: int in 0..255)
message value(value: int in 0..255)
message nak

protocol Device(host, device) {
  let current = 0
  repeat at host {
    choice at host {
      host -> device: set(let current)
      device -> host: ack
    } or {
      host -> device: get
      device -> host: value(current)
    }
  }
  host -> device: stop
}

wire Frames over stream {
  set(value) = {
    "~"
    body: part {
      kind: 8 = 1
      value: 8
    }
    crc: 8 = crc8(body)
  }
  get = {
    "~"
    body: part {
      kind: 8 = 2
      0: 8
    }
    crc: 8 = crc8(body)
  }
  stop = {
    "~"
    body: part {
      kind: 8 = 3
      0: 8
    }
    crc: 8 = crc8(body)
  }
  value(value) = {
    "V"
    value: 8
  }
  ack = { "A" }
  nak = { "N" }
}
)";

enum class Bug {
    none,
    no_check,  // does not look at the checksum
    stores,    // looks at it too late
    crashes,   // on a kind that it does not know
    hangs,     // when the input ends in the middle of a frame
    closes,    // closes when a checksum is wrong
    ignores,   // says nothing when a checksum is wrong
    deaf,      // says nothing any more when a checksum was wrong
};

drive::Task run(drive::InProcess& here, Bug bug) {
    std::string waiting;
    char current = 0;
    bool deaf = false;
    while (auto piece = co_await here.receive("host")) {
        waiting += *piece;
        while (waiting.size() >= 4) {
            if (waiting[0] != '~') {
                waiting.erase(0, 1);
                continue;
            }
            std::string frame = waiting.substr(0, 4);
            waiting.erase(0, 4);
            if (bug == Bug::stores && frame[1] == 1) current = frame[2];
            bool fits = static_cast<char>(expr::checksum(expr::Op::crc8, frame.substr(1, 2))) == frame[3];
            bool known = frame[1] >= 1 && frame[1] <= 3 && (frame[1] == 1 || frame[2] == 0);
            if (!known && bug == Bug::crashes) throw std::runtime_error("unknown kind");
            if (!known || (!fits && bug != Bug::no_check)) {
                if (bug == Bug::closes) co_return;
                if (bug == Bug::deaf) deaf = true;
                if (bug != Bug::ignores && !deaf) here.send("host", "N");
                continue;
            }
            if (frame[1] == 1) current = frame[2];
            if (frame[1] == 3) co_return;
            if (!deaf) here.send("host", frame[1] == 1 ? std::string("A") : std::string("V") + current);
        }
    }
    if (bug == Bug::hangs && !waiting.empty()) co_await here.pause(std::chrono::hours(1));
}

TestQuestion question(Bug bug, std::string means = "") {
    TestQuestion question;
    question.test.file = "device.treaty";
    question.test.cut = "device";
    question.test.strategy = Strategy::corrupt;
    question.test.reject = "nak";
    question.test.corrupt_means = std::move(means);
    question.component.program = [bug](drive::InProcess& here) { return run(here, bug); };
    question.sessions = 200;
    question.store = ":memory:";
    return question;
}

struct Corrupt : testing::Test {
    Workspace workspace;
    Corrupt() { workspace.set_overlay("device.treaty", plain); }
};

TEST_F(Corrupt, ADeviceThatChecksItsFramesPasses) {
    for (Bug fine : {Bug::none, Bug::closes, Bug::ignores}) {
        TestAnswer answer = test_component(workspace, question(fine), {});
        EXPECT_EQ(answer.verdict, Verdict::holds) << answer.reason << static_cast<int>(fine);
        ASSERT_TRUE(answer.challenges);
        EXPECT_GT(answer.challenges->size(), 5u);
    }
}

TEST_F(Corrupt, EachWayToMishandleFramesIsFoundAndFailsAgain) {
    struct Case {
        Bug bug;
        drive::Problem problem;
    };
    for (Case one :
         {Case{Bug::no_check, drive::Problem::accepted}, Case{Bug::stores, drive::Problem::wrong_data},
          Case{Bug::crashes, drive::Problem::crashed}, Case{Bug::hangs, drive::Problem::hung},
          Case{Bug::deaf, drive::Problem::silence}}) {
        TestAnswer answer = test_component(workspace, question(one.bug), {});
        ASSERT_EQ(answer.verdict, Verdict::fails) << answer.reason << static_cast<int>(one.bug);
        const TestFinding& finding = answer.findings->front();
        EXPECT_EQ(finding.problem, one.problem) << finding.reason;
        EXPECT_LE(finding.run.events.size(), 4u) << "it is made small";
        bool shown = false;
        for (const model::RunEvent& e : finding.run.events)
            shown = shown || (e.message.find(", ") != std::string::npos && !e.data.empty() &&
                              e.data[0].first == "bytes");
        EXPECT_TRUE(shown) << "the chart has the bytes";
        workspace.set_overlay("run.json", finding.saved);
        ReplayQuestion again;
        again.run = "run.json";
        again.component.program = [bug = one.bug](drive::InProcess& here) { return run(here, bug); };
        EXPECT_EQ(replay(workspace, again, {}).verdict, Verdict::fails);
        again.component.program = [](drive::InProcess& here) { return run(here, Bug::none); };
        EXPECT_EQ(replay(workspace, again, {}).verdict, Verdict::holds);
    }
}

TEST_F(Corrupt, OnlyWhatIsNamedIsAllowed) {
    EXPECT_EQ(test_component(workspace, question(Bug::none, "refused"), {}).verdict, Verdict::holds);
    EXPECT_EQ(test_component(workspace, question(Bug::ignores, "ignored"), {}).verdict, Verdict::holds);
    EXPECT_EQ(test_component(workspace, question(Bug::none, "ignored,closed"), {}).verdict, Verdict::fails);
    EXPECT_EQ(test_component(workspace, question(Bug::closes, "refused,ignored"), {}).verdict,
              Verdict::fails);
    EXPECT_EQ(test_component(workspace, question(Bug::ignores, "refused"), {}).verdict, Verdict::fails);
    TestAnswer wrong = test_component(workspace, question(Bug::none, "shrugged"), {});
    EXPECT_FALSE(wrong.verdict);
    TestQuestion nothing = question(Bug::none, "refused");
    nothing.test.reject.clear();
    EXPECT_FALSE(test_component(workspace, nothing, {}).verdict);
}

TEST_F(Corrupt, DataSaysWhatTheWireMakesOfDamage) {
    DataQuestion made;
    made.file = "device.treaty";
    made.message = "set";
    made.count = 3;
    made.corrupt = true;
    DataAnswer answer = data(workspace, made, {});
    ASSERT_EQ(answer.verdict, Verdict::holds) << answer.reason;
    ASSERT_EQ(answer.messages.size(), 3u);
    for (const MadeMessage& message : answer.messages) {
        EXPECT_GT(message.corrupted.size(), 40u);
        for (const CorruptedBytes& one : message.corrupted) {
            std::string says = print(one);
            switch (one.corruption.damage) {
                case wire::Damage::checksum: EXPECT_THAT(says, HasSubstr("refused at byte 3")); break;
                case wire::Damage::truncated: EXPECT_EQ(says, "needs more bytes"); break;
                case wire::Damage::flipped:
                case wire::Damage::tag: EXPECT_THAT(says, HasSubstr("refused at byte")); break;
                case wire::Damage::split: EXPECT_EQ(says, "decoded as set"); break;
                case wire::Damage::joined: EXPECT_EQ(says, "decoded as set, then set"); break;
                default: EXPECT_THAT(says, HasSubstr("decoded as set, then "));
            }
        }
    }
}

}  // namespace
}  // namespace treaty::api::corrupt_test
