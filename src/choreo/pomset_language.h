// Membership in the language of a protocol: the words of events that it allows (Coto 2023, section 2.1.2).
//
// The language is the set of linearisations of the protocol's pomsets (pomset.h, loops with any number of
// rounds), closed under prefix. No pomset, branch or linearisation is ever enumerated: after each event the
// language keeps a residual, a term for what may still happen, with the choices still open kept as
// choices. Residuals are hash-consed and remembered, so following words is a walk over a lazily built
// automaton: a step taken before costs one lookup. A role may run ahead of others without bound in a loop;
// then there are infinitely many residuals, one for each word's needs. They are bounded by `max_terms`;
// beyond it only what was asked before is answered, everything else is undecided and exhausted() is true.
//
// The specification and the protocol must outlive the language. Not safe for concurrent use. Refuses
// interruption and semaphores, and a `continue` that leaves a parallel branch.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/answer.h"
#include "base/id.h"
#include "base/result.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

using Residual = base::Id<struct ResidualTag>;

class PomsetLanguage {
public:
    // A fault where the protocol has no pomset meaning.
    static base::Result<PomsetLanguage> of(const model::Specification& specification,
                                           const model::Protocol& protocol,
                                           std::size_t max_terms = 1'000'000);
    PomsetLanguage(PomsetLanguage&&) noexcept;
    PomsetLanguage& operator=(PomsetLanguage&&) noexcept;
    ~PomsetLanguage();

    base::Answer contains(std::span<const model::LabelId> word);         // a whole run
    base::Answer contains_prefix(std::span<const model::LabelId> word);  // the beginning of one

    // Step by step. after() gives an impossible residual for an event that cannot come next. Equal residuals
    // have equal futures.
    Residual start() const;
    Residual after(Residual residual, model::LabelId event);
    // The same, and nothing if max_terms is too small to decide it. A question always has the same answer.
    std::optional<Residual> try_after(Residual residual, model::LabelId event);
    bool possible(Residual residual) const;
    bool complete(Residual residual) const;               // nothing more has to happen
    std::vector<model::LabelId> next(Residual residual);  // what may come next, ascending
    bool exhausted() const;  // max_terms was reached: answers are no longer to be trusted

private:
    class Terms;
    explicit PomsetLanguage(std::unique_ptr<Terms> terms);
    std::unique_ptr<Terms> terms_;
};

}  // namespace treaty::choreo
