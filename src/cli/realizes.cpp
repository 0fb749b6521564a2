#include "cli/realizes.h"

#include "choreo/pomset_language.h"

namespace treaty::cli {
namespace {

class LanguageAcceptor final : public explore::Acceptor {
public:
    explicit LanguageAcceptor(choreo::PomsetLanguage& language) : language_(language) {}

    std::uint32_t initial() override { return language_.start().index; }
    std::uint32_t next(std::uint32_t state, model::LabelId label) override {
        choreo::Residual after = language_.after(choreo::Residual(state), label);
        return language_.possible(after) ? after.index : refused;
    }
    bool speaks_of_interactions() const override { return false; }

private:
    choreo::PomsetLanguage& language_;
};

}  // namespace

explore::InclusionReport realizes(const Session& session, const model::System& system,
                                  const ProtocolInput& input, explore::ProgressCallback progress) {
    explore::InclusionReport report;
    auto language = choreo::PomsetLanguage::of(input.specification, *input.protocol, &report.reason);
    if (!language) return report;
    LanguageAcceptor acceptor(*language);
    explore::InclusionOptions options;
    options.jobs = session.options.threads();
    options.limits = session.options.search_limits();
    options.progress = std::move(progress);
    report = explore::included(system, acceptor, options);
    if (language->exhausted()) {
        report.answer = base::Answer::undecided;
        report.reason = "the protocol lets a role run ahead without bound, and its language became too large";
        report.run.clear();
    }
    return report;
}

}  // namespace treaty::cli
