#include "drive/session_result.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::drive {

std::string_view to_string(Problem problem) {
    switch (problem) {
        case Problem::none: return "no problem";
        case Problem::unexpected_message: return "unexpected message";
        case Problem::wrong_data: return "wrong data";
        case Problem::undecodable: return "undecodable bytes";
        case Problem::silence: return "silence";
        case Problem::missing_message: return "missing message";
        case Problem::closed_early: return "closed early";
        case Problem::accepted: return "accepted a forbidden message";
        case Problem::hung: return "hang";
        case Problem::crashed: return "crash";
        case Problem::did_not_start: return "did not start";
        case Problem::lost_track: return "too many possible configurations";
        case Problem::no_data: return "no data";
        case Problem::another_course: return "another branch";
        case Problem::not_repeatable: return "not repeatable";
        case Problem::silence_of_others: return "silence, perhaps of another role";
        case Problem::interrupted: return "interrupted";
        case Problem::ended_from_outside: return "killed by something else";
        case Problem::gone: return "gone";
    }
    return "";
}

Verdict verdict_of(Problem problem) {
    switch (problem) {
        case Problem::none: return Verdict::pass;
        case Problem::did_not_start:
        case Problem::lost_track:
        case Problem::no_data:
        case Problem::another_course:
        case Problem::not_repeatable:
        case Problem::silence_of_others:
        case Problem::interrupted:
        case Problem::ended_from_outside:
        case Problem::gone: return Verdict::inconclusive;
        default: return Verdict::fail;
    }
}

bool can_be_tried_again(Problem problem) {
    return problem != Problem::did_not_start && problem != Problem::gone && problem != Problem::interrupted;
}

std::vector<Exchange> everything(const SessionResult& outcome) {
    std::vector<Exchange> all;
    auto inner = outcome.inner.begin();
    for (std::size_t i = 0; i <= outcome.exchanges.size(); ++i) {
        for (; inner != outcome.inner.end() && inner->first <= i; ++inner) all.push_back(inner->second);
        if (i < outcome.exchanges.size()) all.push_back(outcome.exchanges[i]);
    }
    return all;
}

Rerun rerun_of(const SessionResult& outcome) {
    auto earlier = static_cast<std::uint32_t>(outcome.before.size());
    Rerun run{{}, earlier + outcome.sessions, outcome.forgotten == 0 && !outcome.unrepeated};
    auto add = [&](const std::vector<Exchange>& exchanges, std::uint32_t sessions_before) {
        for (const Exchange& e : exchanges) {
            run.exchanges.push_back(e);
            run.exchanges.back().session += sessions_before;
        }
    };
    for (std::uint32_t i = 0; i < earlier; ++i) add(outcome.before[i], i);
    add(everything(outcome), earlier);
    return run;
}

std::string cause_of(const SessionResult& outcome) {
    std::string cause(to_string(outcome.problem));
    std::vector<std::uint32_t> expected;
    for (model::NodeId node : outcome.expected) expected.push_back(node.index);
    std::sort(expected.begin(), expected.end());
    for (std::uint32_t node : expected) cause += fmt::format(" {}", node);
    // What came last, or, when nothing came, what it should have answered; not what an earlier session has.
    if (!outcome.exchanges.empty() && outcome.exchanges.back().session + 1 == outcome.sessions)
        cause += fmt::format(" m{} r{}", outcome.exchanges.back().message.index,
                             outcome.exchanges.back().to.index);
    if (outcome.problem == Problem::accepted)
        for (const Exchange& e : outcome.exchanges)
            if (e.wrong) cause += fmt::format(" w{}", e.message.index);
    for (const Exchange& e : outcome.exchanges)
        if (e.corruption) cause += fmt::format(" {}", wire::word_of(e.corruption->damage));
    return cause;
}

}  // namespace treaty::drive
