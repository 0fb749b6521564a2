// The events that a script declares, and those of a set that a user writes.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/script.h"

namespace treaty::csp {
namespace {

// While it lives, faults of the evaluator are kept here instead of being the script's.
class SeparateDiagnostics {
public:
    explicit SeparateDiagnostics(Evaluator& evaluator)
        : evaluator_(evaluator), before_(evaluator.report_to(kept)) {}
    ~SeparateDiagnostics() { evaluator_.report_to(before_); }
    SeparateDiagnostics(const SeparateDiagnostics&) = delete;
    SeparateDiagnostics& operator=(const SeparateDiagnostics&) = delete;

    base::Diagnostics kept;

private:
    Evaluator& evaluator_;
    base::Diagnostics& before_;
};

// How many events a channel has, or why they are not listed. A fault other than size stays in
// `faults`.
struct Size {
    std::uint64_t count = 0;
    std::string why;
};

Size size_of(Evaluator& evaluator, std::size_t channel, base::Diagnostics& faults) {
    SeparateDiagnostics separate(evaluator);
    try {
        if (auto count = evaluator.event_count(channel)) return {*count, {}};
        return {0, "carries infinitely many values"};
    } catch (const Limit& limit) {
        evaluator.recover();
        return {0, fmt::format("has a type that cannot be evaluated: {}", base::to_string(limit.reason))};
    } catch (const Fault&) {
        evaluator.recover();
    }
    const base::Diagnostic& fault = separate.kept.all().front();
    if (fault.code->number == codes::too_large.number)
        return {0, fmt::format("has a type that cannot be listed: {}", fault.message)};
    faults.append(std::move(separate.kept));
    return {0, "has a type with an error"};
}

}  // namespace

DeclaredEvents Script::declared_events(std::size_t most) {
    evaluator_->enter();
    DeclaredEvents found;
    std::vector<Size> sizes;
    for (std::size_t i = 0; i < syntax_.channels.size(); ++i)
        sizes.push_back(size_of(*evaluator_, i, diagnostics_));
    // The smaller ones first, so that one large channel does not push out many.
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a].count < sizes[b].count; });
    std::uint64_t room = most;
    for (std::size_t i : order) {
        if (!sizes[i].why.empty()) continue;
        if (sizes[i].count > room)
            sizes[i].why = sizes[i].count == UINT64_MAX
                               ? "carries too many values to be counted"
                               : fmt::format("carries {} values, more than are listed", sizes[i].count);
        else
            room -= sizes[i].count;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!sizes[i].why.empty()) {
            found.left_out.push_back(
                {std::string(syntax_.names.text(syntax_.channels[i].name)), sizes[i].why});
            continue;
        }
        for (ValueId event : evaluator_->events_of(i)) found.labels.push_back(moves_->label(event));
    }
    return found;
}

std::optional<std::vector<model::LabelId>> Script::event_set(const std::string& set) {
    AstId id = expression("set", set);
    if (!id) return std::nullopt;
    evaluator_->enter();
    try {
        std::vector<model::LabelId> labels;
        for (ValueId event : evaluator_->events_in(id)) labels.push_back(moves_->label(event));
        std::sort(labels.begin(), labels.end());
        return labels;
    } catch (const Fault&) {
        evaluator_->recover();
    } catch (const Limit& limit) {
        evaluator_->recover();
        diagnostics_.report(codes::too_large, syntax_[id].span,
                            fmt::format("cannot evaluate this: {}", base::to_string(limit.reason)));
    }
    return std::nullopt;
}

}  // namespace treaty::csp
