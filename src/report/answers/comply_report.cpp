#include "report/answers.h"

#include <fmt/format.h>

#include "api/comply.h"
#include "base/wording.h"
#include "report/answers/count_json.h"

namespace treaty::report {
namespace {

using base::counted;

std::string text_of(const api::JudgedCase& one) {
    if (one.verdict == api::Verdict::holds) return {};
    std::string name =
        one.number ? fmt::format("case {}", one.number->get_str()) : "a case in which a role waits";
    std::string out = fmt::format("{} {}: {}\n", name,
                                  one.verdict == api::Verdict::fails ? "fails" : "is undecided", one.reason);
    for (const std::string& choice : one.choices) out += fmt::format("  {}\n", choice);
    return out;
}

std::string_view word_of(api::Verdict verdict) {
    switch (verdict) {
        case api::Verdict::holds: return "pass";
        case api::Verdict::fails: return "fail";
        default: return "undecided";
    }
}

Json fields_of(const api::JudgedCase& one) {
    Json out{{"case", one.number ? to_json(*one.number) : Json()},
             {"verdict", word_of(one.verdict)},
             {"states", one.states}};
    if (one.beyond) out["beyond_rounds"] = true;
    if (one.waited) out["waited"] = true;
    if (one.kind) out["kind"] = testgen::to_string(*one.kind);
    if (one.verdict != api::Verdict::holds) out["reason"] = one.reason;
    if (!one.run) return out;
    out["choices"] = one.choices;
    out["witness"] = to_json(*one.run);
    return out;
}

}  // namespace

Own own_part(const api::ComplyAnswer& answer) {
    Own own;
    if (answer.kind) own.fields["kind"] = api::to_string(*answer.kind);
    if (!answer.verdict) return own;
    Json results = Json::array();
    for (const api::JudgedCase& one : answer.cases) {
        own.text += text_of(one);
        results.push_back(fields_of(one));
    }
    own.fields["passed"] = answer.passed;
    own.fields["failed"] = answer.failed;
    own.fields["undecided"] = answer.undecided;
    own.fields["beyond_rounds"] = answer.beyond;
    own.fields["results"] = std::move(results);
    if (answer.beyond > 0)
        own.text +=
            fmt::format("in {} it takes more than {} of a loop; those runs are not followed (--times)\n",
                        counted(answer.beyond, "test"), counted(answer.rounds, "round"));
    if (answer.waited > 0)
        own.text += fmt::format("in {} a role waits in vain in some run; such a run proves nothing\n",
                                counted(answer.waited, "test"));
    return own;
}

}  // namespace treaty::report
