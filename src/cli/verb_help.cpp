#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/suggest.h"
#include "cli/catalogue.h"
#include "cli/command_line.h"
#include "cli/verbs.h"

namespace treaty::cli {
namespace {

// The words in lines of at most 78 columns.
std::string wrapped(std::string_view text) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        std::size_t end = std::min(text.find(' '), text.size());
        if (column > 0 && column + 1 + end > 78) out += '\n', column = 0;
        if (column > 0) out += ' ', ++column;
        out += text.substr(0, end);
        column += end;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out + '\n';
}

std::string explain(const base::Code& code) {
    return fmt::format("{}[{}]: {}\n\n{}", base::to_string(code.severity), base::to_string(code), code.title,
                       wrapped(code.explanation));
}

std::string list_codes() {
    std::string out;
    for (const base::Code& code : catalogue())
        out +=
            fmt::format("{}  {:<7}  {}\n", base::to_string(code), base::to_string(code.severity), code.title);
    return out;
}

report::Json to_json(const base::Code& code) {
    return {{"code", base::to_string(code)},
            {"severity", base::to_string(code.severity)},
            {"title", code.title},
            {"explanation", code.explanation}};
}

int unknown_topic(Session& session, const std::string& topic) {
    std::vector<std::string_view> known = {"codes"};
    for (const Verb& verb : verbs()) known.push_back(verb.name);
    std::string_view meant = base::nearest(topic, known);
    session.report(api::codes::bad_usage, fmt::format("{} is not a verb or a diagnostic", topic))
        .help(meant.empty() ? "treaty help lists the verbs, treaty help codes the diagnostics"
                            : fmt::format("did you mean treaty help {}?", meant));
    return session.finish();
}

}  // namespace

int verb_help(Arguments arguments) {
    Session session("help");
    CommandLine line(session);
    std::string topic;
    line.positional("TOPIC", topic, "a verb, a diagnostic such as T0202, or codes", Needed::no);
    if (auto done = line.parse(arguments)) return *done;
    session.result.quiet = true;
    if (topic.empty()) {
        session.result.text = overview();
        report::Json names = report::Json::array();
        for (const Verb& verb : verbs()) names.push_back({{"name", verb.name}, {"summary", verb.summary}});
        session.result.extra["verbs"] = std::move(names);
    } else if (topic == "codes") {
        session.result.text = list_codes();
        report::Json all = report::Json::array();
        for (const base::Code& code : catalogue()) all.push_back(to_json(code));
        session.result.extra["codes"] = std::move(all);
    } else if (const base::Code* code = find_code(topic)) {
        session.result.text = explain(*code);
        session.result.extra["codes"] = report::Json::array({to_json(*code)});
    } else if (const Verb* verb = find_verb(topic)) {
        std::vector<std::string> asked = {"--help"};
        if (session.options.json) asked.push_back("--json");
        return verb->run(asked);
    } else {
        return unknown_topic(session, topic);
    }
    return session.holds();
}

}  // namespace treaty::cli
