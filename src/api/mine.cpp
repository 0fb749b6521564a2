#include "api/mine.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "api/input/logs.h"
#include "api/inquiry.h"
#include "base/wording.h"
#include "watch/codes.h"
#include "watch/merge.h"
#include "watch/mine.h"

namespace treaty::api {
namespace {

constexpr std::uint64_t most_ahead = 50;

std::vector<std::unique_ptr<watch::Source>> open_logs(const Inquiry& inquiry, const MineQuestion& question,
                                                      const Mappings& mappings,
                                                      const watch::Vocabulary& vocabulary) {
    std::vector<std::unique_ptr<watch::Source>> sources;
    for (const std::string& entry : question.logs) {
        LogName log = log_named(entry);
        watch::SourceOptions options;
        options.mapping = mappings.of(log);
        if (log.role) options.owner = vocabulary.role(*log.role);
        auto source = watch::open_source(log.path, vocabulary, options);
        if (source)
            sources.push_back(std::move(*source));
        else
            inquiry.report(watch::codes::log_unreadable, fmt::format("{}: {}", log.path, source.error()));
    }
    return sources;
}

void read(const Inquiry& inquiry, watch::Merge& merge, watch::Miner& miner, std::uint64_t& messages) {
    watch::Record record;
    while (merge.next(record) == watch::ReadResult::record && !inquiry.context.deadline.passed()) {
        if (!record.message) continue;
        miner.add(record);
        if (++messages % 4096 == 0 && inquiry.context.progress)
            inquiry.context.progress(CountProgress{"messages", messages, 0, {}});
    }
}

void conclude(const Inquiry& inquiry, MineAnswer& answer, watch::Guess guess) {
    answer.protocol = std::move(guess.text);
    answer.sessions = guess.sessions;
    answer.words = guess.words;
    answer.interactions = guess.interactions;
    answer.states = guess.states;
    answer.ahead = guess.k;
    answer.cut = guess.cut;
    std::string reason =
        fmt::format("guessed from {} ({} distinct), {}", base::counted(answer.sessions, "session"),
                    answer.words, base::counted(answer.states, "state"));
    if (answer.cut > 0)
        reason += fmt::format("; the end of {} was left out", base::counted(answer.cut, "session"));
    inquiry.holds(std::move(reason));
}

void mine(const Inquiry& inquiry, const MineQuestion& question, MineAnswer& answer) {
    model::Specification specification;
    watch::Vocabulary vocabulary(specification);
    Mappings mappings(inquiry, question.mappings, question.logs);
    auto sources = open_logs(inquiry, question, mappings, vocabulary);
    auto rule = watch::SessionRule::parse(question.session);
    // Fields have no names where there is no protocol.
    if (!rule || rule->by == watch::SessionRule::By::field)
        inquiry.report(watch::codes::rule_unknown,
                       fmt::format("mine cannot tell sessions apart by {}", question.session));
    if (!inquiry.diagnostics().ok()) return;
    watch::Merge merge(std::move(sources), false, specification, *rule);
    watch::Miner miner(*specification.alphabet);
    read(inquiry, merge, miner, answer.messages);
    answer.garbled = merge.garbled();
    answer.left_out = merge.left_out();
    answer.unknown = unknown_kinds(merge, question.logs);
    report_garbled(inquiry, merge, question.logs);
    report_unknown(inquiry, merge, question.logs);
    if (answer.messages == 0) {
        inquiry.report(watch::codes::log_unreadable, "the logs have no messages");
        return;
    }
    watch::MineOptions options;
    options.k = static_cast<std::size_t>(std::min(question.ahead.value_or(options.k), most_ahead));
    options.name = question.name;
    conclude(inquiry, answer, miner.guess(options));
}

}  // namespace

MineAnswer mine(const Workspace& workspace, const MineQuestion& question, const Context& context) {
    MineAnswer answer;
    answer.inputs = question.logs;
    mine(Inquiry(workspace, context, answer), question, answer);
    return answer;
}

}  // namespace treaty::api
