#include "api/suite/mutation_setup.h"

#include <fmt/format.h>

#include "api/codes.h"

namespace treaty::api {
namespace {

constexpr std::size_t most_cases = 2000;

}  // namespace

std::optional<MutationSetup> load_mutation(const Inquiry& inquiry, const MutateQuestion& question) {
    auto source = load_test_source(inquiry, question.file, question.which);
    if (!source) return std::nullopt;
    auto cuts = choose_roles(inquiry, source->input->specification, *source->input->protocol, question.cut);
    auto judging = cuts ? compliance_options(inquiry, question.judge, source->alphabet()) : std::nullopt;
    if (!judging) return std::nullopt;
    if (cuts->size() != 1) {
        inquiry.report(codes::bad_usage, "--cut must name one role");
        return std::nullopt;
    }
    testgen::TestSuite suite = source->suite(cuts->front(), question.which);
    return MutationSetup{std::move(*source), std::move(suite), std::move(*judging)};
}

std::vector<testgen::Mutant> make_mutants(const Inquiry& inquiry, const MutationSetup& setup,
                                          MutationLevel level) {
    std::vector<testgen::Mutant> mutants;
    const testgen::Projections& projections = *setup.source.projections;
    if (level != MutationLevel::protocol) mutants = testgen::mutate_machine(projections, setup.cut());
    if (level != MutationLevel::machine)
        for (testgen::Mutant& mutant :
             testgen::mutate_protocol(projections, setup.cut(), inquiry.context.deadline))
            mutants.push_back(std::move(mutant));
    return mutants;
}

std::optional<std::vector<testgen::TestCase>> sample_tests(const Inquiry& inquiry, const MutationSetup& setup,
                                                           const TestOptions& options,
                                                           std::optional<std::uint64_t> sample) {
    std::size_t wanted = sample.value_or(most_cases);
    Cases all(setup.suite, options);
    if (wanted > most_cases) {
        inquiry.report(codes::bad_usage, fmt::format("--sample takes at most {} cases", most_cases));
        return std::nullopt;
    }
    if (!all.counted()) {
        inquiry.report(codes::bad_usage, "the cases combine in too many ways to be counted: use --keep-all");
        return std::nullopt;
    }
    std::vector<testgen::TestCase> cases;
    for (const Count& number : testgen::sample_cases(all.size(), wanted, inquiry.context.seed))
        cases.push_back(all.at(number));
    return cases;
}

}  // namespace treaty::api
