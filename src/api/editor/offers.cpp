#include "api/editor/offers.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "api/campaigns/project_file.h"
#include "formats/names.h"
#include "model/run.h"

namespace treaty::api {
namespace {

using enum OfferKind;

void add(std::vector<Offer>& out, std::initializer_list<OfferKind> kinds, const std::string& subject,
         TextRange place) {
    for (OfferKind kind : kinds) out.push_back({kind, subject, place});
}

std::vector<Offer> of_language(const EditorDocument& document) {
    std::vector<Offer> result;
    for (const lang::ProtocolSyntax& p : document.syntax.protocols) {
        if (!document.own(p.span)) continue;
        std::string name(document.text(p.name.id));
        TextRange place{p.name.span.begin, p.name.span.end};
        // Values come from the call, so such a protocol is only a part of others.
        if (p.parameters.count > 0)
            add(result, {check, draw}, name, place);
        else
            add(result, {check, explore, project, draw, step, test}, name, place);
    }
    for (const lang::PropertySyntax& p : document.syntax.properties)
        if (document.own(p.span))
            add(result, {check_property}, std::string(document.text(p.name.id)),
                {p.name.span.begin, p.name.span.end});
    std::stable_sort(result.begin(), result.end(),
                     [](const Offer& a, const Offer& b) { return a.place < b.place; });
    return result;
}

std::vector<Offer> of_model(const formats::Loaded& loaded) {
    std::vector<Offer> result;
    TextRange start;
    if (auto* specification = loaded.get<model::Specification>()) {
        for (const model::Protocol& p : specification->protocols) {
            TextRange place = p.span().valid() ? TextRange{p.span().begin, p.span().end} : start;
            add(result, {check, explore, project, draw, step, test}, std::string(p.name()), place);
        }
    } else if (loaded.get<model::System>()) {
        add(result, {check, explore, draw, step}, {}, start);
    } else if (loaded) {
        add(result, {check, draw}, {}, start);
    }
    return result;
}

// The named one, or the last one of the file.
const model::Protocol* protocol_in(const Document& document, const std::string& name) {
    auto* specification = document.loaded.get<model::Specification>();
    if (!specification || specification->protocols.empty()) return nullptr;
    return name.empty() ? &specification->protocols.back() : specification->find_protocol(name);
}

// Whether the role takes part in this node. The depth of a protocol is bounded, so recursion is safe.
bool add_lines(const model::Protocol& protocol, model::NodeId id, model::RoleId role,
               const base::SourceMap& sources, std::set<std::uint32_t>& lines) {
    const model::Node& node = protocol[id];
    bool takes_part = node.role == role || (node.kind == model::NodeKind::interaction && node.to == role);
    for (model::NodeId child : protocol.children(id))
        takes_part = add_lines(protocol, child, role, sources, lines) || takes_part;
    if (takes_part) lines.insert(model::line_of(&protocol, id, sources));
    return takes_part;
}

}  // namespace

std::vector<Offer> offers(const Workspace& workspace, const std::string& file) {
    std::vector<Offer> result;
    if (is_project_file(file)) {
        for (const CampaignPlace& one : campaigns_of(workspace, file))
            add(result, {run_campaign}, one.name, one.place);
        return result;
    }
    std::string extension = formats::extension_of(file);
    if (extension == "treaty") {
        auto document = read_for_editor(workspace, file);
        return document ? of_language(*document) : result;
    }
    if (extension == "csp") {
        add(result, {run_script}, {}, {});
        return result;
    }
    result = of_model(workspace.open(file)->loaded);
    if (extension == "schora") add(result, {run_script}, {}, {});
    return result;
}

ShowKind natural_picture(const Workspace& workspace, const std::string& file) {
    auto document = workspace.open(file);
    if (document->loaded.get<model::Net>()) return ShowKind::net;
    bool machines = document->loaded.get<model::System>() || document->loaded.get<model::Machine>();
    return machines ? ShowKind::machine : ShowKind::msc;
}

std::vector<std::string> roles_in(const Workspace& workspace, const std::string& file,
                                  const std::string& protocol) {
    std::vector<std::string> result;
    auto document = workspace.open(file);
    if (auto* system = document->loaded.get<model::System>())
        for (const model::Machine& machine : system->machines())
            result.emplace_back(system->alphabet().name(machine.role()));
    if (const model::Protocol* found = protocol_in(*document, protocol))
        for (model::RoleId role : found->roles())
            result.emplace_back(document->loaded.get<model::Specification>()->alphabet->name(role));
    return result;
}

std::vector<std::vector<std::uint32_t>> lines_of_roles(const Workspace& workspace, const std::string& file,
                                                       const std::string& protocol) {
    std::vector<std::vector<std::uint32_t>> result;
    auto document = workspace.open(file);
    const model::Protocol* found = protocol_in(*document, protocol);
    if (!found) return result;
    for (model::RoleId role : found->roles()) {
        std::set<std::uint32_t> lines;
        add_lines(*found, found->root(), role, workspace.sources(), lines);
        lines.erase(0);
        result.emplace_back(lines.begin(), lines.end());
    }
    return result;
}

bool is_project_file(const std::string& path) {
    return std::filesystem::path(path).filename() == default_project_file;
}

std::vector<CampaignPlace> campaigns_of(const Workspace& workspace, const std::string& project) {
    std::vector<CampaignPlace> result;
    base::Result<std::string> text = workspace.read(project);
    if (!text) return result;
    base::SourceMap sources;
    base::Diagnostics faults;
    base::FileId file = sources.add(project, std::move(*text));
    auto read = read_project_file(file, sources, faults);
    if (!read) return result;
    for (const Campaign& one : read->campaigns)
        result.push_back({one.name,
                          one.settings.cut.value_or(""),
                          one.settings.file.value_or(""),
                          sources.line_number(file, one.span.begin),
                          {one.span.begin, one.span.end}});
    return result;
}

}  // namespace treaty::api
