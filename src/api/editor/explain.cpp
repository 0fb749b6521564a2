#include "api/editor/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/editor/known_values.h"

namespace treaty::api {
namespace {

using lang::Symbol;
using lang::SymbolId;
using lang::SymbolKind;

constexpr std::size_t max_facts = 12;

class Explainer {
public:
    Explainer(const EditorDocument& document, const lang::Mention& mention)
        : d_(document), id_(mention.symbol), s_(document.symbol(mention.symbol)) {
        out_.place = document.place(mention.span);
        out_.kind = s_.kind;
        out_.name = document.text(s_.name);
    }

    Explanation run() {
        out_.declaration = declaration();
        if (s_.kind == SymbolKind::message) about_message();
        if (s_.kind == SymbolKind::role) out_.protocol = d_.text(d_.symbol(s_.owner).name);
        if (s_.owner && s_.kind != SymbolKind::role)
            out_.facts.push_back(fmt::format("{} of {} `{}`", lang::to_string(s_.kind),
                                             lang::to_string(d_.symbol(s_.owner).kind),
                                             d_.text(d_.symbol(s_.owner).name)));
        if (out_.facts.size() > max_facts) {
            std::size_t more = out_.facts.size() - max_facts;
            out_.facts.resize(max_facts);
            out_.facts.push_back(fmt::format("and {} more", more));
        }
        return std::move(out_);
    }

private:
    std::string declaration() const {
        std::string_view type = d_.type_text(s_);
        switch (s_.kind) {
            case SymbolKind::message:
                if (!s_.is_declared) return fmt::format("message {}", out_.name);
                [[fallthrough]];
            case SymbolKind::enumeration:
            case SymbolKind::record:
            case SymbolKind::alias:
            case SymbolKind::constant:
            case SymbolKind::function: return std::string(d_.sources.text(s_.whole));
            case SymbolKind::protocol: {
                std::vector<std::string_view> roles;
                for (SymbolId role : d_.index->owned(id_, SymbolKind::role))
                    roles.push_back(d_.text(d_.symbol(role).name));
                return fmt::format("protocol {}({})", out_.name, fmt::join(roles, ", "));
            }
            default: break;
        }
        if (!type.empty()) return fmt::format("{}: {}", out_.name, type);
        return fmt::format("{} {}", lang::to_string(s_.kind), out_.name);
    }

    void about_message() {
        for (const lang::Step& step : d_.syntax.steps) {
            if (step.kind != lang::StepKind::interaction || step.name.id != s_.name) continue;
            std::vector<std::string_view> to;
            for (const lang::Name& n : lang::Syntax::part(d_.syntax.names, step.roles))
                to.push_back(d_.text(n.id));
            out_.facts.push_back(fmt::format("`{}` -> `{}`, line {}", d_.text(step.role.id),
                                             fmt::join(to, "`, `"),
                                             d_.sources.line_number(step.head.file, step.head.begin)));
        }
        for (const lang::WireSyntax& wire : d_.syntax.wires)
            for (const lang::LayoutSyntax& layout : lang::Syntax::part(d_.syntax.layouts, wire.layouts))
                if (layout.message.id == s_.name)
                    out_.facts.push_back(
                        fmt::format("on {}: `{}`", d_.text(wire.name.id), one_line(layout.span)));
    }

    std::string one_line(base::Span span) const {
        std::string out;
        bool blank = false;
        for (char c : d_.sources.text(span)) {
            if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
                blank = true;
                continue;
            }
            if (blank && !out.empty()) out += ' ';
            blank = false;
            out += c;
        }
        return out;
    }

    const EditorDocument& d_;
    SymbolId id_;
    const Symbol& s_;
    Explanation out_;
};

// Facts that are in the model and not in the text. A document with faults has no model.
void deciders(const Workspace& workspace, const std::string& file, std::vector<Hint>& out) {
    auto document = workspace.open(file);
    auto* specification = document->loaded.get<model::Specification>();
    if (!specification || document->sources.empty()) return;
    base::FileId own = document->sources.front();
    for (const model::Protocol& protocol : specification->protocols)
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            const model::Node& node = protocol[model::NodeId(i)];
            bool decided = node.kind == model::NodeKind::choice || node.kind == model::NodeKind::repeat;
            if (!decided || !node.role.valid() || !node.span.valid() || node.span.file != own) continue;
            std::string_view written = workspace.sources().text(node.span);
            if (written != "choice" && written != "repeat" && written != "optional") continue;
            std::string text = fmt::format("at {}", specification->alphabet->name(node.role));
            out.push_back({node.span.end, std::move(text)});
        }
}

}  // namespace

std::optional<Explanation> explain(const Workspace& workspace, const std::string& file,
                                   std::uint32_t offset) {
    auto document = read_for_editor(workspace, file);
    const lang::Mention* at = document ? document->index->at(document->file, offset) : nullptr;
    if (!at) return std::nullopt;
    Explanation result = Explainer(*document, *at).run();
    if (result.kind == SymbolKind::variable) {
        std::vector<std::string> roles = who_knows(workspace, file, offset, result.name);
        if (!roles.empty())
            result.facts.push_back(fmt::format("known here to `{}`", fmt::join(roles, "`, `")));
    }
    return result;
}

std::vector<Hint> hints(const Workspace& workspace, const std::string& file) {
    std::vector<Hint> result;
    auto document = read_for_editor(workspace, file);
    if (!document) return result;
    deciders(workspace, file, result);
    for (Hint& hint : knowledge_hints(workspace, file)) result.push_back(std::move(hint));
    for (const Symbol& s : document->index->symbols()) {
        std::string_view type = document->type_text(s);
        if (s.kind == SymbolKind::variable && document->own(s.declared) && !type.empty())
            result.push_back({s.declared.end, fmt::format(": {}", type), true});
    }
    std::sort(result.begin(), result.end(), [](const Hint& a, const Hint& b) { return a.offset < b.offset; });
    // A protocol that others call is in the model more than once.
    auto same = [](const Hint& a, const Hint& b) { return a.offset == b.offset && a.text == b.text; };
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
}

}  // namespace treaty::api
