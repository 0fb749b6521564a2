#include "cli/complete_tests.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/processes.h"
#include "formats/names.h"

namespace treaty::cli {
namespace {

using complete::Test;
using complete::TestKind;
using model::LabelId;

bool about_end(const Test& test) {
    return test.offer.front().index == 0;
}

// inc -> a -> inc -> b -> pass -> c -> fail -> STOP: the last verdict that it tells counts. Of a conf test
// the set is offered behind `fail`, and whatever is taken tells `pass`.
std::string process_of(const model::Alphabet& names, const Test& test) {
    std::string text;
    for (LabelId l : test.trace) text += fmt::format("inc -> {} -> ", names.print(l));
    if (test.kind == TestKind::trace)
        return text + fmt::format("pass -> {} -> fail -> STOP", names.print(test.offer[0]));
    text += "fail -> (";
    for (std::size_t i = 0; i < test.offer.size(); ++i)
        text += fmt::format("{}{} -> pass -> STOP", i == 0 ? "" : " [] ", names.print(test.offer[i]));
    return text + ")";
}

std::string script_of(const model::Alphabet& names, const std::vector<Test>& tests, const std::string& script,
                      const std::string& path) {
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::string from = std::filesystem::path(script).lexically_proximate(folder).string();
    std::string text =
        fmt::format("-- Tests of {}. Run each beside a system, with all of its events shared.\n", script);
    text += fmt::format("include \"{}\"\n\nchannel inc, pass, fail\n\n", from);
    std::size_t number = 0;
    for (const Test& test : tests) {
        ++number;
        if (about_end(test))
            text += fmt::format("-- Test{}: {}; no process can offer an end\n", number, print(names, test));
        else
            text += fmt::format("Test{} = {}\n", number, process_of(names, test));
    }
    return text;
}

}  // namespace

std::string print(const model::Alphabet& names, const Test& test) {
    std::string offer;
    for (LabelId l : test.offer)
        offer += (offer.empty() ? "" : ", ") + (l.index == 0 ? "its end" : names.print(l));
    std::string trace = print_trace(names, test.trace);
    return test.kind == TestKind::trace ? fmt::format("({}, {})", trace, offer)
                                        : fmt::format("({}, one of {{{}}})", trace, offer);
}

report::Json to_json(const model::Alphabet& names, const Test& test) {
    report::Json trace = report::Json::array(), offer = report::Json::array();
    for (LabelId l : test.trace) trace.push_back(names.print(l));
    for (LabelId l : test.offer)
        if (l.index != 0) offer.push_back(names.print(l));
    bool end = about_end(test), is_trace = test.kind == TestKind::trace;
    report::Json out = {{"kind", is_trace ? end ? "end" : "trace" : "conf"}, {"trace", std::move(trace)}};
    if (!is_trace) {
        out["offer"] = std::move(offer);
        out["end"] = end;
    } else if (!end) {
        out["event"] = offer[0];
    }
    return out;
}

bool write_tests(Session& session, const model::Alphabet& names, const std::vector<Test>& tests,
                 const std::string& script, const std::string& path) {
    std::string extension = formats::extension_of(path), text;
    if (extension == "txt") {
        for (const Test& test : tests) text += print(names, test) + '\n';
    } else if (extension == "json") {
        report::Json all = report::Json::array();
        for (const Test& test : tests) all.push_back(to_json(names, test));
        text = report::Json{{"tests", std::move(all)}}.dump(2) + '\n';
    } else if (extension == "csp" && formats::extension_of(script) == "csp") {
        text = script_of(names, tests, script, path);
    } else {
        session.report(codes::bad_usage, fmt::format("tests of {} cannot be written to {}", script, path))
            .help("give it the extension .txt or .json, or .csp if the specification is a script");
        return false;
    }
    return session.write(path, text);
}

}  // namespace treaty::cli
