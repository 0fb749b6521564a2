#include "formats/json_schema/references.h"

#include <charconv>

#include <fmt/format.h>

#include "base/percent.h"
#include "formats/codes.h"

namespace treaty::formats::json_schema {
namespace {

constexpr int longest_chain = 50;
constexpr std::size_t most_files = 100;

const YamlNode* child(const YamlNode& node, const std::string& key) {
    if (node.is_map()) return node.find(key);
    std::size_t index = 0;
    auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    bool number = error == std::errc() && end == key.data() + key.size();
    return node.is_list() && number && index < node.items.size() ? &node.items[index] : nullptr;
}

}  // namespace

std::string References::decoded(std::string_view escaped) {
    std::string part = base::from_percent(escaped).value_or(std::string(escaped));
    std::string out;
    for (std::size_t i = 0; i < part.size(); ++i) {
        bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
        out += !escape ? part[i] : part[++i] == '0' ? '~' : '/';
    }
    return out;
}

const YamlNode* References::document(std::string_view path, const YamlNode& at) {
    std::string_view beside = loading_.sources.path(at.span.file);
    std::size_t slash = beside.rfind('/');
    std::string full = slash == std::string_view::npos ? std::string(path)
                                                       : fmt::format("{}/{}", beside.substr(0, slash), path);
    auto [found, is_new] = others_.try_emplace(full);
    if (!is_new) return found->second.get();
    if (others_.size() > most_files || path.find("://") != std::string_view::npos) {
        loading_.diagnostics.report(
            codes::document_structure, at.span,
            fmt::format("`{}` cannot be read: only files beside the document, at most {}", path, most_files));
        return nullptr;
    }
    base::Result<std::string> text = loading_.read_file(full);
    if (!text) {
        loading_.diagnostics.report(codes::document_structure, at.span, text.error());
        return nullptr;
    }
    base::FileId file = loading_.sources.add(full, std::move(*text));
    if (loading_.files) loading_.files->push_back(file);
    if (auto tree = read_yaml(loading_.sources, file, loading_.diagnostics))
        found->second = std::make_unique<YamlNode>(std::move(*tree));
    return found->second.get();
}

const YamlNode* References::find(std::string_view reference, const YamlNode& at) {
    std::size_t hash = std::min(reference.find('#'), reference.size());
    const YamlNode* node = nullptr;
    if (hash > 0)
        node = document(reference.substr(0, hash), at);
    else if (at.span.file == root_.span.file)
        node = &root_;
    else
        for (const auto& [path, other] : others_)
            if (other && other->span.file == at.span.file) node = other.get();
    if (!node) return nullptr;
    std::string_view rest = reference.substr(std::min(hash + 1, reference.size()));
    while (node && rest.starts_with('/')) {
        rest.remove_prefix(1);
        std::size_t end = std::min(rest.find('/'), rest.size());
        node = child(*node, decoded(rest.substr(0, end)));
        rest.remove_prefix(end);
    }
    if (!node)
        loading_.diagnostics.report(codes::document_structure, at.span,
                                    fmt::format("`{}` is not there", reference));
    return node;
}

const YamlNode* References::follow(const YamlNode& start) {
    const YamlNode* node = &start;
    for (int i = 0; i < longest_chain; ++i) {
        const YamlNode* reference = node->find("$ref");
        if (!reference || !reference->is_scalar()) return node;
        node = find(reference->text, *reference);
        if (!node) return nullptr;
    }
    loading_.diagnostics.report(codes::document_structure, start.span, "this reference leads back to itself");
    return nullptr;
}

std::string References::name_of(const YamlNode& node) {
    std::string_view reference = node.text_of("$ref");
    return decoded(reference.substr(reference.rfind('/') + 1));
}

}  // namespace treaty::formats::json_schema
