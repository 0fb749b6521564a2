#include "report/answers.h"

#include <fmt/format.h>

#include "api/check.h"
#include "base/wording.h"

namespace treaty::report {
namespace {

using base::counted;

Json truth(api::Verdict verdict) {
    if (verdict == api::Verdict::undecided) return nullptr;
    return verdict == api::Verdict::holds;
}

// What Scribble's own validation calls it.
std::string_view scribble_term(explore::UnsafeKind kind) {
    switch (kind) {
        case explore::UnsafeKind::deadlock: return " (Scribble: wait-for error)";
        case explore::UnsafeKind::orphan_message: return " (Scribble: orphan message, no eventual reception)";
        case explore::UnsafeKind::unspecified_reception: return " (Scribble: reception error)";
        case explore::UnsafeKind::stuck_role: return " (Scribble: no role progress)";
        case explore::UnsafeKind::unbounded_channel: return "";
    }
    return "";
}

std::string not_decided(const std::string& what) {
    return fmt::format("    note: the solver could not tell {}\n", what);
}

// What was asked about the data and not answered, one line each.
std::string open_questions(const api::CheckedData& data) {
    if (!data.complete) return not_decided(fmt::format("what its data allows: {}", data.reason));
    std::string out;
    if (!data.open.empty()) {
        const api::OpenStep& first = data.open.front();
        std::string more = data.open.size() > 1 ? fmt::format(", and {} more", data.open.size() - 1) : "";
        out += not_decided(
            fmt::format("whether {} (line {}) can happen{}", first.interaction, first.line, more));
    }
    if (data.coherent == api::Verdict::undecided)
        out += not_decided(fmt::format("whether every role that must send has something allowed to send: {}",
                                       data.coherent_reason));
    return out;
}

void add_data(Json& entry, const api::CheckedData& data) {
    entry["unreachable"] = data.unreachable;
    entry["coherent"] = truth(data.coherent);
    if (!data.complete) {
        entry["data_reason"] = data.reason;
        return;
    }
    entry["open"] = Json::array();
    for (const api::OpenStep& step : data.open)
        entry["open"].push_back({{"interaction", step.interaction}, {"line", step.line}});
    if (data.coherent == api::Verdict::undecided) entry["coherent_reason"] = data.coherent_reason;
}

struct Writer {
    Own& own;

    void operator()(const api::CheckedProtocol& p) const {
        own.text +=
            fmt::format("{}: protocol {}: {}, {}, {}\n", p.file, p.name, counted(p.roles.size(), "role"),
                        counted(p.messages, "message"), counted(p.interactions, "interaction"));
        if (p.data) own.text += open_questions(*p.data);
        if (p.safe == api::Verdict::undecided)
            own.text += fmt::format("    not proved safe: {}\n", p.safe_reason);
        if (!p.fault.empty())
            own.text +=
                fmt::format("    {}{}\n", p.fault, p.scribble_kind ? scribble_term(*p.scribble_kind) : "");
        Json entry = {{"file", p.file},
                      {"name", p.name},
                      {"roles", p.roles},
                      {"messages", p.messages},
                      {"interactions", p.interactions}};
        if (p.data) add_data(entry, *p.data);
        entry["well_branched"] = p.well_branched;
        entry["states"] = p.states;
        entry["proof"] = verify::to_string(p.proof);
        entry["safe"] = truth(p.safe);
        entry["safe_reason"] = p.safe_reason;
        own.fields["protocols"].push_back(std::move(entry));
    }

    void operator()(const api::CheckedModel& m) const {
        std::string sizes;
        for (const auto& [count, what] : m.sizes) sizes += (sizes.empty() ? "" : ", ") + counted(count, what);
        own.text += fmt::format("{}: {}: {}\n", m.file, m.what, sizes);
        if (!m.fault.empty()) own.text += fmt::format("    {}\n", m.fault);
    }
};

}  // namespace

Own own_part(const api::CheckAnswer& answer) {
    Own own;
    own.fields["protocols"] = Json::array();
    for (const auto& one : answer.checked) std::visit(Writer{own}, one);
    return own;
}

}  // namespace treaty::report
