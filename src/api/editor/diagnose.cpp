#include "api/editor/diagnose.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/campaigns/project_file.h"
#include "api/check.h"
#include "api/editor/offers.h"
#include "api/input/inputs.h"
#include "api/inquiry.h"
#include "api/models/processes.h"
#include "formats/names.h"
#include "formats/notation.h"
#include "lang/codes.h"
#include "symbolic/codes.h"

namespace treaty::api {
namespace {

class Diagnosis {
public:
    Diagnosis(const Workspace& workspace, const std::string& path, DiagnoseAnswer& answer)
        : sources_(workspace.sources()), path_(path), answer_(answer) {}

    void add(const base::Diagnostic& one) {
        ShownDiagnostic shown{one.severity, base::to_string(*one.code), one.message, one.hint};
        shown.never_reached =
            one.code == &lang::codes::unreachable_step || one.code == &symbolic::codes::never_happens;
        for (const base::Label& label : one.labels)
            if (label.span.valid()) shown.related.push_back(label);
        if (!one.span.valid() || is_own(one.span)) {
            shown.place = one.span;
        } else {
            shown.place = import_of(sources_.path(one.span.file));
            shown.message = fmt::format("in {}: {}", sources_.path(one.span.file), one.message);
            shown.related.insert(shown.related.begin(), {one.span, one.message});
        }
        answer_.shown.push_back(std::move(shown));
    }

    void add_run(const CheckedProtocol& protocol, base::Span place, const std::optional<model::Run>& run) {
        ShownDiagnostic shown;
        shown.message = fmt::format("{} can go wrong: {}", protocol.name, protocol.fault);
        shown.hint = "treaty explore shows a run that leads there";
        shown.place = place;
        if (run && place.valid())
            for (const model::RunEvent& event : run->events)
                if (event.line > 0)
                    shown.related.push_back({line_of(place.file, event.line), model::print(event)});
        answer_.shown.push_back(std::move(shown));
    }

    void set_own(base::FileId file) { own_ = file; }

private:
    bool is_own(base::Span span) const { return sources_.path(span.file) == path_; }

    base::Span line_of(base::FileId file, std::uint32_t number) const {
        std::string_view line = sources_.line(file, number);
        if (line.empty()) return {file, 0, 0};
        auto begin = static_cast<std::uint32_t>(line.data() - sources_.text(file).data());
        auto blank = static_cast<std::uint32_t>(std::min(line.find_first_not_of(" \t"), line.size()));
        return {file, begin + blank, begin + static_cast<std::uint32_t>(line.size())};
    }

    // The import that brings in another file: the one that names it, or else the first.
    base::Span import_of(std::string_view path) const {
        if (!own_.valid()) return {};
        base::Span first;
        for (const lang::Import& one : lang::imports_of(sources_, own_)) {
            if (!first.valid()) first = one.span;
            auto folder = std::filesystem::path(path_).parent_path();
            if (one.path == path || (folder / one.path).lexically_normal() == path) return one.span;
        }
        return first;
    }

    const base::SourceMap& sources_;
    const std::string& path_;
    DiagnoseAnswer& answer_;
    base::FileId own_;
};

base::Span name_of(const Document& document, const std::string& protocol) {
    auto* specification = document.loaded.get<model::Specification>();
    const model::Protocol* found = specification ? specification->find_protocol(protocol) : nullptr;
    return found ? found->span() : base::Span();
}

// A script or a project file.
void diagnose_anew(const Inquiry& inquiry, const std::string& path, Diagnosis& diagnosis) {
    if (!is_project_file(path)) {
        if (auto script = load_script(inquiry, path)) script->check_types(inquiry.diagnostics());
    } else if (auto file = read_text(inquiry, path)) {
        read_project_file(*file, inquiry.sources(), inquiry.diagnostics());
    }
    inquiry.diagnostics().sort_by_place();
    for (const base::Diagnostic& one : inquiry.diagnostics().all()) diagnosis.add(one);
}

}  // namespace

bool adds_texts(const std::string& path) {
    return is_project_file(path) || formats::extension_of(path) == "csp";
}

bool is_diagnosed(const std::string& path) {
    if (is_project_file(path)) return true;
    const formats::Notation* notation = formats::find_notation(formats::extension_of(path));
    return notation && notation->is_read() && notation->owns_extension;
}

DiagnoseAnswer diagnose(const Workspace& workspace, const DiagnoseQuestion& question,
                        const Context& context) {
    DiagnoseAnswer answer;
    answer.inputs = {question.file};
    answer.read.insert(question.file);
    Inquiry inquiry(workspace, context, answer);
    Diagnosis diagnosis(workspace, question.file, answer);
    if (adds_texts(question.file)) {
        diagnose_anew(inquiry, question.file, diagnosis);
        return answer;
    }
    auto document = workspace.open(question.file);
    answer.documents.push_back(document);
    for (base::FileId file : document->sources) answer.read.emplace(workspace.sources().path(file));
    if (!document->sources.empty()) diagnosis.set_own(document->sources.front());
    CheckAnswer checked;
    if (question.exact)
        checked = check(workspace, CheckQuestion{{question.file}, {}, false}, context);
    else
        checked.diagnostics = document->diagnostics;
    checked.diagnostics.sort_by_place();
    for (const base::Diagnostic& one : checked.diagnostics.all()) diagnosis.add(one);
    if (checked.diagnostics.ok())
        for (const auto& one : checked.checked)
            if (auto* protocol = std::get_if<CheckedProtocol>(&one); protocol && !protocol->fault.empty())
                diagnosis.add_run(*protocol, name_of(*document, protocol->name), checked.witness);
    answer.documents.insert(answer.documents.end(), checked.documents.begin(), checked.documents.end());
    return answer;
}

}  // namespace treaty::api
