#include "api/unfold.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "choreo/unfold.h"
#include "formats/load.h"
#include "lang/print.h"

namespace treaty::api {
namespace {

// The text of the specification; false after reporting why there is none.
bool write_text(const Inquiry& inquiry, model::Specification specification, const UnfoldQuestion& question,
                UnfoldAnswer& answer) {
    if (!question.notation) {
        answer.text = lang::print(specification);
        return true;
    }
    auto written = formats::write(Loaded{std::move(specification)}, *question.notation, inquiry.diagnostics(),
                                  formats::LossPolicy::refuse);
    if (written.text) answer.text = std::move(*written.text);
    return written.text.has_value();
}

}  // namespace

UnfoldAnswer unfold(const Workspace& workspace, const UnfoldQuestion& question, const Context& context) {
    UnfoldAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    auto input = load_protocol(inquiry, question.file, question.protocol);
    if (!input) return answer;
    auto times = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(question.times, std::numeric_limits<std::uint32_t>::max()));
    choreo::Unfolding unfolding = choreo::unfold(*input->protocol, times);
    if (!unfolding) {
        inquiry.report(codes::no_meaning,
                       fmt::format("{} cannot be unfolded: {}", input->protocol->name(), unfolding.reason));
        return answer;
    }
    answer.unfolded = true;
    answer.steps = unfolding.protocol->size();
    answer.truncated = unfolding.truncated;
    auto position = static_cast<std::size_t>(input->protocol - input->specification.protocols.data());
    input->specification.protocols[position] = std::move(*unfolding.protocol);
    if (write_text(inquiry, std::move(input->specification), question, answer)) inquiry.holds();
    return answer;
}

}  // namespace treaty::api
