#include <algorithm>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/traffic_verbs.h"
#include "report/wording.h"
#include "watch/codes.h"
#include "watch/merge.h"
#include "watch/mine.h"

namespace treaty::cli {
namespace {

struct Request {
    std::vector<std::string> logs;
    std::string output = "-", session = "session", name = "Guess";
    std::optional<std::uint64_t> k;
};

void mine(Session& session, const Request& request) {
    model::Specification specification;
    watch::Vocabulary vocabulary(specification);
    std::vector<std::unique_ptr<watch::Source>> sources;
    for (const std::string& entry : request.logs) {
        auto equals = entry.find('=');
        std::string path = equals == std::string::npos ? entry : entry.substr(equals + 1);
        watch::SourceOptions options;
        if (equals != std::string::npos) options.owner = vocabulary.role(entry.substr(0, equals));
        std::string fault;
        auto source = watch::open_source(path, vocabulary, options, fault);
        if (!source) session.report(watch::codes::log_unreadable, fmt::format("{}: {}", path, fault));
        sources.push_back(std::move(source));
    }
    auto rule = watch::SessionRule::parse(request.session);
    if (!rule || rule->by == watch::SessionRule::By::field)
        session.report(watch::codes::rule_unknown,
                       fmt::format("sessions cannot be told apart by {} here", request.session));
    if (!session.diagnostics.ok()) return;
    watch::Merge merge(std::move(sources), false, specification, *rule);
    watch::Miner miner(*specification.alphabet);
    watch::Record record;
    std::uint64_t messages = 0;
    while (merge.next(record) == watch::Got::record && !base::interrupt_flag()) {
        if (!record.message) continue;
        miner.add(record);
        ++messages;
    }
    for (const watch::Fault& f : merge.faults())
        session.report(watch::codes::record_garbled,
                       fmt::format("{}:{}: {}", request.logs[f.source], f.line, f.reason));
    if (messages == 0) {
        session.report(watch::codes::log_unreadable, "the logs hold no messages");
        return;
    }
    watch::MineOptions options;
    options.k = static_cast<std::size_t>(std::min<std::uint64_t>(request.k.value_or(options.k), 50));
    options.name = request.name;
    watch::Guess guess = miner.guess(options);
    report::Result& result = session.result;
    if (request.output == "-")
        result.text = guess.text;
    else if (!session.write(request.output, guess.text))
        return;
    result.extra = {{"messages", messages},
                    {"sessions", guess.sessions},
                    {"words", guess.words},
                    {"interactions", guess.interactions},
                    {"k", guess.k},
                    {"states", guess.states},
                    {"garbled", merge.garbled()},
                    {"cut", guess.cut},
                    {"protocol", guess.text}};
    result.answer = base::Answer::holds;
    result.reason =
        fmt::format("a guess from {}, {} of them different: {}", report::counted(guess.sessions, "session"),
                    guess.words, report::counted(guess.states, "state"));
    if (guess.cut > 0)
        result.reason += fmt::format("; the end of {} was left out", report::counted(guess.cut, "session"));
}

}  // namespace

int verb_mine(Arguments arguments) {
    Session session("mine");
    CommandLine line(session);
    Request request;
    line.positionals("FILE", request.logs,
                     "a log, or ROLE=FILE for the log of one role; - is standard input");
    line.option("-o,--output", "FILE", request.output, "where the protocol goes (default: standard output)");
    line.option("--session", "RULE", request.session,
                "what tells sessions apart: session (default; else the connection) or id");
    line.option("--name", "NAME", request.name, "what the protocol is called (default: Guess)");
    line.option("-k,--ahead", "N", request.k,
                "how many steps ahead states must agree to be taken for one (default: 2)");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = request.logs;
    mine(session, request);
    return session.finish();
}

}  // namespace treaty::cli
