#include "report/answers.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/complete.h"
#include "api/completion/test_script.h"
#include "api/convert.h"
#include "base/wording.h"
#include "report/answers/counterexample.h"
#include "report/output.h"

namespace treaty::report {
namespace {

using api::print_trace;
using base::counted;
using model::LabelId;

constexpr std::size_t max_named = 20;     // events in the text
constexpr std::size_t max_listed = 1000;  // events in the JSON, planned tests in the text
constexpr std::size_t max_printed = 50;   // tests in the text

Json to_json(const model::Alphabet& names, const complete::Test& test) {
    Json trace = Json::array(), offer = Json::array();
    for (LabelId l : test.trace) trace.push_back(names.print(l));
    for (LabelId l : test.offer)
        if (l.index != 0) offer.push_back(names.print(l));
    bool end = api::about_end(test), is_trace = test.kind == complete::TestKind::trace;
    Json out = {{"kind", is_trace ? end ? "end" : "trace" : "conf"}, {"trace", std::move(trace)}};
    if (!is_trace) {
        out["offer"] = std::move(offer);
        out["end"] = end;
    } else if (!end) {
        out["event"] = offer[0];
    }
    return out;
}

Json to_json(const model::Alphabet& names, const std::vector<complete::Test>& tests) {
    Json all = Json::array();
    for (const complete::Test& test : tests) all.push_back(to_json(names, test));
    return all;
}

std::string text_of(const model::Alphabet& names, const api::TestedEvents& alphabet) {
    std::string listed;
    for (std::size_t i = 0; i < std::min(alphabet.events.size(), max_named); ++i)
        listed += (i == 0 ? ": " : ", ") + names.print(alphabet.events[i]);
    if (alphabet.events.size() > max_named) listed += ", ...";
    std::string text = fmt::format("alphabet of {}{}{}\n", counted(alphabet.events.size(), "event"),
                                   alphabet.ends ? " and ends" : "", listed);
    for (const auto& [channel, why] : alphabet.left_out)
        text += fmt::format(
            "not all of it: {} {}; only its events in the models are tested, and those that --event or "
            "--alphabet "
            "names\n",
            channel, why);
    if (alphabet.all_states) return text;
    bool known = alphabet.declared && alphabet.left_out.empty();
    return text + fmt::format("the models have more than {} states: {} are those of the first ones{}\n",
                              alphabet.states_seen, known ? "ends" : "events and ends",
                              known ? "; see --ends" : "; --event adds to them");
}

Json to_json(const model::Alphabet& names, const api::TestedEvents& alphabet) {
    Json listed = Json::array(), missing = Json::array();
    for (std::size_t i = 0; i < std::min(alphabet.events.size(), max_listed); ++i)
        listed.push_back(names.print(alphabet.events[i]));
    for (const auto& [channel, why] : alphabet.left_out)
        missing.push_back({{"channel", channel}, {"why", why}});
    return {{"count", alphabet.events.size()},
            {"events", std::move(listed)},
            {"ends", alphabet.ends},
            {"left_out", std::move(missing)}};
}

std::string text_of(const model::Alphabet& names, const api::TestingEnds& testing) {
    if (!testing.ends) return fmt::format("it is not known whether testing ends: {}\n", testing.why);
    if (*testing.ends) return "testing ends for every correct finite system\n";
    return fmt::format(
        "testing may not end for a correct system: after {} the events {} can repeat for ever without a "
        "test\n"
        "an unused event would add tests there: --probe probe\n",
        print_trace(names, testing.way), print_trace(names, testing.cycle));
}

void add_testing_ends(Json& fields, const api::TestingEnds& testing) {
    fields["terminates"] = testing.ends ? Json(*testing.ends) : Json(nullptr);
    if (testing.ends == false) fields["probe"] = "probe";
}

void add_plan(Own& own, const api::CompleteAnswer& answer) {
    for (std::size_t i = 0; i < std::min(answer.plan->size(), max_listed); ++i)
        own.text += api::print(*answer.names, (*answer.plan)[i]) + '\n';
    own.fields["count"] = answer.plan->size();
    own.fields["tests"] = to_json(*answer.names, *answer.plan);
}

std::string text_of(const api::CompleteAnswer& answer, const api::TestingReport& testing) {
    const model::Alphabet& names = *answer.names;
    std::string text;
    for (std::size_t i = 0; i < std::min(testing.ran.size(), max_printed); ++i)
        text += fmt::format("{} {}\n", api::print(names, testing.ran[i].test),
                            complete::to_string(testing.ran[i].verdicts));
    if (testing.tests > max_printed) text += fmt::format("and {} more tests\n", testing.tests - max_printed);
    // All tests of shorter traces are done: this is known however the run ended.
    if (testing.waiting > 0 && answer.verdict != api::Verdict::fails && testing.tests > 0)
        text += fmt::format(
            "learnt so far: {} excluded, a domain of {} left; no trace shorter than {} is wrong\n",
            counted(testing.excluded, "trace"), counted(testing.domain_size, "state"),
            counted(testing.length + 1, "event"));
    if (testing.silent_after)
        text += fmt::format(
            "after {} it can run silently for ever, which no test observes: use treaty refine --in "
            "failures-divergences\n",
            print_trace(names, *testing.silent_after));
    if (answer.verdict == api::Verdict::holds && !testing.domain.empty())
        text += "domain left: " + testing.domain + '\n';
    return text;
}

void add_testing(Json& fields, const model::Alphabet& names, const api::TestingReport& testing) {
    fields["tests"] = Json::array();
    for (const complete::Ran& ran : testing.ran) {
        Json one = to_json(names, ran.test);
        one["verdict"] = complete::to_string(ran.verdicts);
        one["verdicts"] = complete::names_of(ran.verdicts);
        fields["tests"].push_back(std::move(one));
    }
    fields["count"] = testing.tests;
    fields["excluded"] = testing.excluded;
    fields["waiting"] = testing.waiting;
    fields["domain_size"] = testing.domain_size;
    fields["domain"] = testing.domain.empty() ? Json(nullptr) : Json(testing.domain);
    if (!testing.silent_after) return;
    fields["silent_after"] = Json::array();
    for (LabelId l : *testing.silent_after) fields["silent_after"].push_back(names.print(l));
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
}

}  // namespace

std::string text_before_tests(const api::CompleteAnswer& answer) {
    std::string text = print_chosen(answer.chosen);
    if (answer.ends_unknown) text += ".aut files have no ends, so ends are not tested\n";
    if (answer.alphabet) text += text_of(*answer.names, *answer.alphabet);
    if (answer.testing_ends) text += text_of(*answer.names, *answer.testing_ends);
    return text;
}

Own own_part(const api::CompleteAnswer& answer, bool shown_before) {
    Own own;
    if (!shown_before) own.text = text_before_tests(answer);
    if (!answer.alphabet) return own;
    own.fields["domain_name"] = answer.domain_name;
    own.fields["alphabet"] = to_json(*answer.names, *answer.alphabet);
    if (answer.testing_ends) add_testing_ends(own.fields, *answer.testing_ends);
    if (answer.plan) add_plan(own, answer);
    if (answer.testing) {
        own.text += text_of(answer, *answer.testing);
        add_testing(own.fields, *answer.names, *answer.testing);
    }
    return own;
}

void write_tests(api::CompleteAnswer& answer, const std::string& path) {
    if (!answer.plan || !answer.verdict) return;
    const std::string& file = answer.inputs.front();
    std::string extension = api::extension_of(path), text;
    auto refuse = [&](std::string why) -> base::Diagnostic& {
        answer.verdict.reset();
        return answer.diagnostics.report(api::codes::bad_usage, {}, std::move(why));
    };
    if (extension == "txt") {
        for (const complete::Test& test : *answer.plan) text += api::print(*answer.names, test) + '\n';
    } else if (extension == "json") {
        text = Json{{"tests", to_json(*answer.names, *answer.plan)}}.dump(2) + '\n';
    } else if (extension == "csp" && answer.script) {
        text = *answer.script;
    } else {
        refuse(fmt::format("cannot write tests of {} to {}", file, path))
            .help("give it the extension .txt or .json, or .csp if the specification is a script");
        return;
    }
    if (same_file(file, path)) {
        refuse(fmt::format("{} is the tested file: it is not overwritten", path));
        return;
    }
    write_output(answer, path, text);
}

}  // namespace treaty::report
