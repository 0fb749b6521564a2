#include "cli/complete_tests.h"

#include <algorithm>
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

bool identifier(std::string_view text) {
    auto word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && (text[0] < '0' || text[0] > '9') && std::all_of(text.begin(), text.end(), word);
}

// Tests as processes of a script that includes the one they are about, with names that it does not have.
class Writer {
public:
    Writer(const model::Alphabet& names, const std::vector<Test>& tests, const csp::Script& script)
        : names_(names), tests_(tests), script_(script) {}

    // Events of the command line (--event, --probe) are declared too; false if one of them is no word.
    bool choose_names(std::string& fault) {
        for (const Test& test : tests_)
            for (const auto* labels : {&test.trace, &test.offer})
                for (LabelId l : *labels)
                    if (!declare(l, fault)) return false;
        for (std::string* word : {&inc_, &pass_, &fail_}) {
            while (taken(*word)) *word += '_';
            channels_.push_back(*word);
        }
        auto clash = [&] {
            for (std::size_t i = 1; i <= tests_.size(); ++i)
                if (taken(fmt::format("{}{}", test_, i))) return true;
            return false;
        };
        while (clash()) test_ += '_';
        return true;
    }

    std::string text(const std::string& script, const std::string& path) const {
        std::filesystem::path folder = std::filesystem::path(path).parent_path();
        std::string from = std::filesystem::path(script).lexically_proximate(folder).string();
        std::string text =
            fmt::format("-- Tests of {}. Run each beside a system, with all of its events shared.\n", script);
        if (inc_ != "inc" || pass_ != "pass" || fail_ != "fail")
            text += fmt::format("-- Verdicts: {} inconclusive, {} pass, {} fail.\n", inc_, pass_, fail_);
        text += fmt::format("include \"{}\"\n\nchannel {}\n\n", from, fmt::join(channels_, ", "));
        std::size_t number = 0;
        for (const Test& test : tests_) {
            ++number;
            if (about_end(test))
                text += fmt::format("-- {}{}: {}; no process can offer an end\n", test_, number,
                                    print(names_, test));
            else
                text += fmt::format("{}{} = {}\n", test_, number, process_of(test));
        }
        return text;
    }

private:
    bool taken(const std::string& word) const {
        return script_.mentions(word) ||
               std::find(channels_.begin(), channels_.end(), word) != channels_.end();
    }
    bool declare(LabelId label, std::string& fault) {
        if (label.index == 0) return true;
        std::string event = names_.print(label);
        if (script_.declares_channel(event.substr(0, event.find('.')))) return true;
        if (std::find(channels_.begin(), channels_.end(), event) != channels_.end()) return true;
        if (!identifier(event) || script_.mentions(event)) {
            fault =
                fmt::format("the event {} is not one of the script, and cannot be declared beside it", event);
            return false;
        }
        channels_.push_back(event);
        return true;
    }
    // inc -> a -> inc -> b -> pass -> c -> fail -> STOP: the last verdict that it tells counts. Of a conf
    // test the set is offered behind `fail`, and whatever is taken tells `pass`.
    std::string process_of(const Test& test) const {
        std::string text;
        for (LabelId l : test.trace) text += fmt::format("{} -> {} -> ", inc_, names_.print(l));
        if (test.kind == TestKind::trace)
            return text + fmt::format("{} -> {} -> {} -> STOP", pass_, names_.print(test.offer[0]), fail_);
        text += fmt::format("{} -> (", fail_);
        for (std::size_t i = 0; i < test.offer.size(); ++i)
            text +=
                fmt::format("{}{} -> {} -> STOP", i == 0 ? "" : " [] ", names_.print(test.offer[i]), pass_);
        return text + ")";
    }

    const model::Alphabet& names_;
    const std::vector<Test>& tests_;
    const csp::Script& script_;
    std::string inc_ = "inc", pass_ = "pass", fail_ = "fail", test_ = "Test";
    std::vector<std::string> channels_;
};

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
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
                 const TestsOf& of, const std::string& path) {
    std::string extension = formats::extension_of(path), text;
    if (extension == "txt") {
        for (const Test& test : tests) text += print(names, test) + '\n';
    } else if (extension == "json") {
        report::Json all = report::Json::array();
        for (const Test& test : tests) all.push_back(to_json(names, test));
        text = report::Json{{"tests", std::move(all)}}.dump(2) + '\n';
    } else if (extension == "csp" && of.script) {
        Writer writer(names, tests, *of.script);
        std::string fault;
        if (!writer.choose_names(fault)) {
            session.report(codes::bad_usage, std::move(fault)).help("write the tests as .txt or .json");
            return false;
        }
        text = writer.text(of.file, path);
    } else {
        session.report(codes::bad_usage, fmt::format("tests of {} cannot be written to {}", of.file, path))
            .help("give it the extension .txt or .json, or .csp if the specification is a script");
        return false;
    }
    if (same_file(of.file, path)) {
        session.report(codes::bad_usage,
                       fmt::format("{} is what the tests are about: it stays as it is", path));
        return false;
    }
    return session.write(path, text);
}

}  // namespace treaty::cli
