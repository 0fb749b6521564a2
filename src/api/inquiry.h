// One question being answered: the files, the context, and the answer as far as it goes.
//
// What several questions have in common (reading a protocol, choosing a role, deriving machines) takes an
// Inquiry, reports what is wrong to its answer, and gives nothing then.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "formats/loaded.h"
#include "model/specification.h"

namespace treaty::api {

class Inquiry {
public:
    // All must outlive it.
    Inquiry(const Workspace& files, const Context& how, Answer& into)
        : workspace(files), context(how), answer(into) {}

    const Workspace& workspace;
    const Context& context;
    Answer& answer;

    base::SourceMap& sources() const { return workspace.sources(); }
    base::Diagnostics& diagnostics() const { return answer.diagnostics; }
    base::Diagnostic& report(const base::Code& code, std::string message) const;

    // A document whose texts the answer may point into: it lives as long as the answer. Its diagnostics
    // become the answer's.
    std::shared_ptr<const Document> open(const std::string& path, lang::Knowing knowing) const;

    void holds(std::string reason = {}) const;
    void fails(std::string reason) const;
    void undecided(std::string reason) const;
    // The question has no answer, because of a file, the network or a process.
    void environment_failed(const base::Code& code, std::string message) const;
};

}  // namespace treaty::api
