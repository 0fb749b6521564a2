#include "formats/arazzo/services.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::arazzo {

void Services::read(const std::vector<Workflow>& workflows) {
    const YamlNode* sources = root_.find("sourceDescriptions");
    if (!sources || !sources->is_list() || sources->items.empty()) {
        diagnostics_.report(codes::document_structure, root_.span,
                            "the document has no `sourceDescriptions`");
        return;
    }
    json_schema::FreeNames roles;
    roles.take("client");
    for (const YamlNode& node : sources->items) {
        const YamlNode* url = node.find("url");
        if (node.text_of("type") == "arazzo" || !url) {
            diagnostics_.report(codes::document_left_out, node.span,
                                "the source is left out: only OpenAPI documents are read");
            continue;
        }
        Service service;
        service.name = node.text_of("name");
        service.document = references_.find(url->text + "#", *url);
        if (!service.document) continue;
        std::string_view version = service.document->text_of("openapi");
        if (!version.starts_with("3.0") && !version.starts_with("3.1")) {
            diagnostics_.report(codes::document_structure, url->span,
                                fmt::format("`{}` is not a document of OpenAPI 3.0 or 3.1", url->text));
            continue;
        }
        service.role =
            roles.take(sources->items.size() == 1 ? "server" : json_schema::name_near(service.name));
        service.operations = std::make_unique<openapi::OperationReader>(
            *service.document, references_, diagnostics_, values_, message_names_);
        std::set<std::string_view> ids;
        std::set<const YamlNode*> nodes;
        for (const Workflow& workflow : workflows)
            for (const Step& step : workflow.steps) {
                Reference wanted = reference(step.operation, step.path);
                if (!wanted.source.empty() && wanted.source != service.name) continue;
                if (!wanted.id.empty()) ids.insert(wanted.id);
                if (!wanted.pointer.empty()) nodes.insert(node_at(service, wanted.pointer));
            }
        service.operations->read([&](std::string_view id, const YamlNode& operation) {
            return ids.contains(id) || nodes.contains(&operation);
        });
        services_.push_back(std::move(service));
    }
}

bool Services::too_many() const {
    return std::ranges::any_of(services_, [](const Service& s) { return s.operations->too_many(); });
}

Services::Reference Services::reference(const std::string& id, const std::string& path) {
    constexpr std::string_view prefix = "$sourceDescriptions.";
    Reference found;
    std::string_view rest = path.empty() ? std::string_view(id) : std::string_view(path);
    if (rest.starts_with('{')) rest.remove_prefix(1);
    if (rest.starts_with(prefix)) {
        rest.remove_prefix(prefix.size());
        std::size_t end = std::min(rest.find('.'), rest.size());
        found.source = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (path.empty())
        found.id = rest;
    else
        found.pointer = rest.substr(std::min(rest.find('#'), rest.size()));
    return found;
}

// Null if it is not there, which is reported once.
const YamlNode* Services::node_at(Service& service, std::string_view pointer) {
    auto [known, is_new] = service.by_pointer.try_emplace(std::string(pointer));
    if (is_new) {
        YamlNode here;
        here.span = service.document->span;
        known->second = references_.find(pointer, here);
    }
    return known->second;
}

Called Services::find(const std::string& id, const std::string& path, base::Span at) {
    Reference wanted = reference(id, path);
    for (std::size_t s = 0; s < services_.size(); ++s) {
        Service& service = services_[s];
        if (!wanted.source.empty() && service.name != wanted.source) continue;
        const YamlNode* node = wanted.pointer.empty() ? nullptr : node_at(service, wanted.pointer);
        for (const openapi::Operation& operation : service.operations->operations)
            if (path.empty() ? operation.id == wanted.id
                             : node && operation.span.file == node->span.file &&
                                   operation.span.begin == node->span.begin)
                return {s, &operation};
    }
    diagnostics_.report(codes::document_structure, at,
                        fmt::format("no service has the operation `{}`", path.empty() ? id : path));
    return {};
}

}  // namespace treaty::formats::arazzo
