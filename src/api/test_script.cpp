#include "api/test_script.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/processes.h"
#include "base/result.h"

namespace treaty::api {
namespace {

using complete::Test;
using complete::TestKind;
using model::LabelId;

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

    // Events of the command line (--event, --probe) are declared too; a fault if one of them is not
    // a word.
    base::Result<void> choose_names() {
        for (const Test& test : tests_)
            for (const auto* labels : {&test.trace, &test.offer})
                for (LabelId l : *labels)
                    if (auto declared = declare(l); !declared) return declared;
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
        return {};
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
    base::Result<void> declare(LabelId label) {
        if (label.index == 0) return {};
        std::string event = names_.print(label);
        if (script_.declares_channel(event.substr(0, event.find('.')))) return {};
        if (std::find(channels_.begin(), channels_.end(), event) != channels_.end()) return {};
        if (!identifier(event) || script_.mentions(event))
            return base::Fault{fmt::format(
                "the event {} is not one of the script, and cannot be declared beside it", event)};
        channels_.push_back(event);
        return {};
    }
    // inc -> a -> inc -> b -> pass -> c -> fail -> STOP: the last verdict that it shows counts. Of a conf
    // test the set is offered after `fail`, and whatever is taken shows `pass`.
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

}  // namespace

bool about_end(const Test& test) {
    return test.offer.front().index == 0;
}

std::string print(const model::Alphabet& names, const Test& test) {
    std::string offer;
    for (LabelId l : test.offer)
        offer += (offer.empty() ? "" : ", ") + (l.index == 0 ? "its end" : names.print(l));
    std::string trace = print_trace(names, test.trace);
    return test.kind == TestKind::trace ? fmt::format("({}, {})", trace, offer)
                                        : fmt::format("({}, one of {{{}}})", trace, offer);
}

std::optional<std::string> test_script(const Inquiry& inquiry, const model::Alphabet& names,
                                       const std::vector<Test>& tests, const csp::Script& script,
                                       const std::string& file, const std::string& path) {
    Writer writer(names, tests, script);
    auto chosen = writer.choose_names();
    if (chosen) return writer.text(file, path);
    inquiry.report(codes::bad_usage, chosen.error()).help("write the tests as .txt or .json");
    return std::nullopt;
}

}  // namespace treaty::api
