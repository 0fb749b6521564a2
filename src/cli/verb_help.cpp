#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/suggest.h"
#include "cli/command_line.h"
#include "cli/notation_list.h"
#include "cli/verbs.h"

namespace treaty::cli {
namespace {

std::vector<base::Code> collect() {
    std::vector<base::Code> all = {
#define TREATY_CODE(id, number, severity, title, explanation) \
    base::Code{number, base::Severity::severity, title, explanation},
#if __has_include("choreo/codes.def")
#include "choreo/codes.def"
#endif
#if __has_include("api/codes.def")
#include "api/codes.def"
#endif
#if __has_include("complete/codes.def")
#include "complete/codes.def"
#endif
#if __has_include("csp/codes.def")
#include "csp/codes.def"
#endif
#if __has_include("explore/codes.def")
#include "explore/codes.def"
#endif
#if __has_include("formats/codes.def")
#include "formats/codes.def"
#endif
#if __has_include("generate/codes.def")
#include "generate/codes.def"
#endif
#if __has_include("lang/codes.def")
#include "lang/codes.def"
#endif
#if __has_include("symbolic/codes.def")
#include "symbolic/codes.def"
#endif
#if __has_include("testgen/codes.def")
#include "testgen/codes.def"
#endif
#if __has_include("wire/codes.def")
#include "wire/codes.def"
#endif
#if __has_include("drive/codes.def")
#include "drive/codes.def"
#endif
#if __has_include("track/codes.def")
#include "track/codes.def"
#endif
#if __has_include("watch/codes.def")
#include "watch/codes.def"
#endif
#undef TREATY_CODE
    };
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return all;
}

// Every kind of diagnostic of every folder, ascending by number.
std::span<const base::Code> catalogue() {
    static const std::vector<base::Code> all = collect();
    return all;
}

// The code that a user writes as "T0312", "t312" or "312"; null if Treaty has no such code.
const base::Code* find_code(std::string_view text) {
    if (!text.empty() && (text.front() == 'T' || text.front() == 't')) text.remove_prefix(1);
    unsigned number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return nullptr;
    for (const base::Code& code : catalogue())
        if (code.number == number) return &code;
    return nullptr;
}

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
    std::vector<std::string_view> known = {"codes", "notations"};
    for (const Verb& verb : verbs()) known.push_back(verb.name);
    std::string_view meant = base::nearest(topic, known);
    session.report(api::codes::bad_usage, fmt::format("{} is not a verb, a diagnostic or a notation", topic))
        .help(meant.empty() ? "treaty help lists the verbs, treaty help codes the diagnostics"
                            : fmt::format("did you mean treaty help {}?", meant));
    return session.finish();
}

}  // namespace

int verb_help(Arguments arguments) {
    Session session("help");
    CommandLine line(session);
    std::string topic;
    line.positional("TOPIC", topic,
                    "a verb, a diagnostic such as T0202, a notation such as .gc, codes or notations",
                    Needed::no);
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
    } else if (topic == "notations") {
        session.result.text = list_notations();
        session.result.extra["notations"] = notations_to_json();
    } else if (const base::Code* code = find_code(topic)) {
        session.result.text = explain(*code);
        session.result.extra["codes"] = report::Json::array({to_json(*code)});
    } else if (const Verb* verb = find_verb(topic)) {
        std::vector<std::string> asked = {"--help"};
        if (session.options.json) asked.push_back("--json");
        return verb->run(asked);
    } else if (auto some = api::notations_of(topic); !some.empty()) {
        report::Json all = report::Json::array();
        for (const api::NotationInfo& one : some) {
            session.result.text += (all.empty() ? "" : "\n") + explain(one);
            all.push_back(to_json(one));
        }
        session.result.extra["notations"] = std::move(all);
    } else {
        return unknown_topic(session, topic);
    }
    return session.holds();
}

}  // namespace treaty::cli
