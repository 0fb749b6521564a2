#include "api/editor/notation_outline.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/editor/offers.h"
#include "csp/script.h"
#include "formats/names.h"

namespace treaty::api {
namespace {

using lang::SymbolKind;

constexpr std::size_t most_parts = 2000;

class Outliner {
public:
    Outliner(std::string path, std::string_view text) : path_(std::move(path)), text_(text) {}

    OutlineSymbol symbol(std::string_view name, SymbolKind kind, std::string detail = {}) const {
        TextPlace place = first(name);
        return {std::string(name), kind, std::move(detail), place, place, {}};
    }

    std::vector<OutlineSymbol> of(const model::Specification& specification) const {
        std::vector<OutlineSymbol> result;
        for (const model::Protocol& p : specification.protocols) {
            OutlineSymbol one = symbol(p.name(), SymbolKind::protocol);
            one.whole = everything();
            for (model::RoleId role : p.roles())
                one.parts.push_back(symbol(specification.alphabet->name(role), SymbolKind::role));
            std::set<model::MessageId> messages;
            for (std::size_t i = 0; i < p.size() && messages.size() < most_parts; ++i) {
                const model::Node& node = p[model::NodeId(i)];
                if (node.kind == model::NodeKind::interaction && messages.insert(node.message).second)
                    one.parts.push_back(
                        symbol(specification.alphabet->name(node.message), SymbolKind::message));
            }
            result.push_back(std::move(one));
        }
        return result;
    }

    std::vector<OutlineSymbol> of(const model::System& system) const {
        std::vector<OutlineSymbol> result;
        for (const model::Machine& machine : system.machines())
            result.push_back(symbol(system.alphabet().name(machine.role()), SymbolKind::role,
                                    fmt::format("{} states", machine.state_count())));
        return result;
    }

    std::vector<OutlineSymbol> of(const model::Machine& machine) const {
        OutlineSymbol one =
            symbol(machine.name(), SymbolKind::protocol, fmt::format("{} states", machine.state_count()));
        one.whole = everything();
        return {one};
    }

    std::vector<OutlineSymbol> of(const model::Net& net) const {
        OutlineSymbol one = symbol(net.name(), SymbolKind::protocol);
        one.whole = everything();
        for (const model::Place& place : net.places())
            if (!place.name.empty() && one.parts.size() < most_parts)
                one.parts.push_back(symbol(place.name, SymbolKind::variable, "place"));
        for (const model::Transition& t : net.transitions())
            if (!t.silent() && one.parts.size() < most_parts)
                one.parts.push_back(symbol(net.alphabet().print(t.label), SymbolKind::message, "transition"));
        return {one};
    }

    std::vector<OutlineSymbol> of_script() const {
        std::vector<OutlineSymbol> result;
        base::SourceMap sources;
        base::Diagnostics faults;
        auto script = csp::Script::read(sources, sources.add(path_, std::string(text_)), faults);
        if (!script) return result;
        for (std::string_view name : script->definitions())
            if (first(name).end > 0) result.push_back(symbol(name, SymbolKind::function));
        return result;
    }

    std::vector<OutlineSymbol> of_project(const std::vector<CampaignPlace>& campaigns) const {
        std::vector<OutlineSymbol> result;
        for (const CampaignPlace& one : campaigns) {
            TextPlace place{path_, one.place.begin, one.place.end};
            result.push_back({one.name, SymbolKind::property, one.cut, place, place, {}});
        }
        return result;
    }

private:
    TextPlace everything() const { return {path_, 0, static_cast<std::uint32_t>(text_.size())}; }

    static bool is_part_of_name(char c) {
        auto byte = static_cast<unsigned char>(c);
        return std::isalnum(byte) || byte == '_' || byte >= 0x80;
    }

    // Where the name is first written as a whole word; the start of the text if it is nowhere.
    TextPlace first(std::string_view name) const {
        for (std::size_t at = name.empty() ? std::string_view::npos : text_.find(name);
             at != std::string_view::npos; at = text_.find(name, at + 1)) {
            std::size_t end = at + name.size();
            bool whole = (at == 0 || !is_part_of_name(text_[at - 1])) &&
                         (end == text_.size() || !is_part_of_name(text_[end]));
            if (whole) return {path_, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
        }
        return {path_, 0, 0};
    }

    std::string path_;
    std::string_view text_;
};

}  // namespace

std::vector<OutlineSymbol> notation_outline(const Workspace& workspace, const std::string& file) {
    base::Result<std::string> text = workspace.read(file);
    if (!text) return {};
    Outliner outliner(file, *text);
    if (is_project_file(file)) return outliner.of_project(campaigns_of(workspace, file));
    if (formats::extension_of(file) == "csp") return outliner.of_script();
    auto document = workspace.open(file);
    if (auto* model = document->loaded.get<model::Specification>()) return outliner.of(*model);
    if (auto* model = document->loaded.get<model::System>()) return outliner.of(*model);
    if (auto* model = document->loaded.get<model::Machine>()) return outliner.of(*model);
    if (auto* model = document->loaded.get<model::Net>()) return outliner.of(*model);
    return {};
}

}  // namespace treaty::api
