#include "api/inquiry.h"

namespace treaty::api {
namespace {

void decide(Answer& answer, Verdict verdict, std::string reason) {
    answer.verdict = verdict;
    answer.reason = std::move(reason);
}

}  // namespace

base::Diagnostic& Inquiry::report(const base::Code& code, std::string message) const {
    return answer.diagnostics.report(code, {}, std::move(message));
}

std::shared_ptr<const Document> Inquiry::open(const std::string& path, lang::Knowing knowing) const {
    auto document = workspace.open(path, knowing);
    answer.documents.push_back(document);
    answer.diagnostics.append(base::Diagnostics(document->diagnostics));
    return document;
}

void Inquiry::holds(std::string reason) const {
    decide(answer, Verdict::holds, std::move(reason));
}

void Inquiry::fails(std::string reason) const {
    decide(answer, Verdict::fails, std::move(reason));
}

void Inquiry::undecided(std::string reason) const {
    decide(answer, Verdict::undecided, std::move(reason));
}

void Inquiry::environment_failed(const base::Code& code, std::string message) const {
    report(code, std::move(message));
    answer.verdict.reset();
    answer.environment_failed = true;
}

}  // namespace treaty::api
