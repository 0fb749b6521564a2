#include "formats/arazzo/services.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::arazzo {

void Services::read() {
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
        service.operations->read();
        services_.push_back(std::move(service));
    }
}

bool Services::too_many() const {
    return std::ranges::any_of(services_, [](const Service& s) { return s.operations->too_many(); });
}

Called Services::find(const std::string& id, const std::string& path, base::Span at) {
    constexpr std::string_view prefix = "$sourceDescriptions.";
    // The service that is named, and what follows.
    std::string_view rest = path.empty() ? std::string_view(id) : std::string_view(path);
    std::string_view named;
    if (rest.starts_with('{')) rest.remove_prefix(1);
    if (rest.starts_with(prefix)) {
        rest.remove_prefix(prefix.size());
        std::size_t end = std::min(rest.find('.'), rest.size());
        named = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const YamlNode* node = nullptr;
    for (std::size_t s = 0; s < services_.size(); ++s) {
        const Service& service = services_[s];
        if (!named.empty() && service.name != named) continue;
        if (!path.empty()) {
            std::size_t hash = path.find('#');
            YamlNode here;
            here.span = service.document->span;
            node = hash == std::string::npos ? nullptr : references_.find(path.substr(hash), here);
        }
        for (const openapi::Operation& operation : service.operations->operations)
            if (path.empty() ? operation.id == rest
                             : node && operation.span.file == node->span.file &&
                                   operation.span.begin == node->span.begin)
                return {s, &operation};
    }
    diagnostics_.report(codes::document_structure, at,
                        fmt::format("no service has the operation `{}`", path.empty() ? id : path));
    return {};
}

}  // namespace treaty::formats::arazzo
