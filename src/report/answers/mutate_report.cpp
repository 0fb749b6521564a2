#include "report/answers.h"

#include <fmt/format.h>

#include "api/compare_tests.h"
#include "api/mutate.h"
#include "report/answers/count_json.h"

namespace treaty::report {
namespace {

using testgen::Fate;

// One row of the table: all mutants, or those of one operator.
std::string row_text(std::string_view name, const api::MutantCounts& counts, bool with_undecided) {
    return fmt::format("{:<18}  {:>7}  {:>6}  {:>10}  {:>12}  {:>8}{}  {:>5.3f}\n", name, counts.all(),
                       counts.of(Fate::killed), counts.of(Fate::equivalent), counts.of(Fate::unobservable),
                       counts.of(Fate::survived),
                       with_undecided ? fmt::format("  {:>9}", counts.of(Fate::undecided)) : "",
                       counts.score());
}

Json row_fields(const api::MutantCounts& counts) {
    return {{"mutants", counts.all()},
            {"killed", counts.of(Fate::killed)},
            {"equivalent", counts.of(Fate::equivalent)},
            {"unobservable", counts.of(Fate::unobservable)},
            {"survived", counts.of(Fate::survived)},
            {"undecided", counts.of(Fate::undecided)},
            {"score", counts.score()}};
}

void add_table(Own& own, const api::MutateAnswer& answer) {
    api::MutantCounts total = answer.total();
    bool with_undecided = total.of(Fate::undecided) > 0;
    own.text +=
        fmt::format("operator            mutants  killed  equivalent  unobservable  survived{}  score\n",
                    with_undecided ? "  undecided" : "");
    Json operators = Json::object();
    for (std::size_t i = 0; i < testgen::operator_count; ++i) {
        auto op = testgen::Operator(i);
        api::MutantCounts counts = answer.of(op);
        if (counts.all() == 0) continue;
        own.text += row_text(to_string(op), counts, with_undecided);
        operators[std::string(to_string(op))] = row_fields(counts);
    }
    own.text += row_text("all", total, with_undecided);
    Json all = row_fields(total);
    for (const auto& [name, value] : all.items()) own.fields[name] = value;
    own.fields["by_operator"] = std::move(operators);
}

std::string what_of(const api::JudgedMutant& mutant) {
    return mutant.what + (mutant.line > 0 ? fmt::format(" (line {})", mutant.line) : "");
}

Json fields_of(const api::JudgedMutant& mutant) {
    Json out{{"operator", to_string(mutant.op)},
             {"what", what_of(mutant)},
             {"fate", to_string(mutant.fate)},
             {"explanation", mutant.explanation}};
    if (mutant.choices) out["choices"] = *mutant.choices;
    if (mutant.test) out["test"] = to_json(*mutant.test);
    if (mutant.run) out["witness"] = to_json(*mutant.run);
    return out;
}

}  // namespace

Own own_part(const api::MutateAnswer& answer, bool list_killed) {
    Own own;
    if (!answer.verdict) return own;
    own.fields["tests"] = answer.tests;
    add_table(own, answer);
    own.fields["results"] = Json::array();
    for (const api::JudgedMutant& mutant : answer.mutants) {
        own.fields["results"].push_back(fields_of(mutant));
        if (mutant.fate == Fate::killed && !list_killed) continue;
        own.text += fmt::format("{}: {}: {}\n  {}\n", to_string(mutant.fate), to_string(mutant.op),
                                what_of(mutant), mutant.explanation);
    }
    return own;
}

Own own_part(const api::CompareTestsAnswer& answer) {
    Own own;
    if (!answer.verdict) return own;
    own.quiet = true;
    own.text = "tests        verdict  number  killed  survived  score\n";
    Json rows = Json::array();
    for (const api::ComparedTests& row : answer.rows) {
        bool dual = row.kind == api::TestKind::dual;
        const char* verdict = row.global ? "global" : "local";
        std::size_t killed = row.mutants.of(Fate::killed), survived = row.mutants.of(Fate::survived);
        own.text +=
            fmt::format("{:<11}  {:<7}  {:>6}  {:>6}  {:>8}  {:>5.3f}\n", dual ? "mirror" : "other roles",
                        verdict, row.tests, killed, survived, row.mutants.score());
        rows.push_back({{"tests", api::to_string(row.kind)},
                        {"verdict", verdict},
                        {"number", row.tests},
                        {"killed", killed},
                        {"survived", survived},
                        {"undecided", row.mutants.of(Fate::undecided)},
                        {"score", row.mutants.score()}});
    }
    own.fields["mutants"] = answer.mutants;
    own.fields["compared"] = std::move(rows);
    return own;
}

}  // namespace treaty::report
