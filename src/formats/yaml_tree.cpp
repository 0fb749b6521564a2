#include "formats/yaml_tree.h"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include "formats/codes.h"

namespace treaty::formats {
namespace {

constexpr std::size_t most_nodes = 200'000;
constexpr int most_levels = 200;
constexpr std::size_t largest_text = 16u << 20;

struct TooLarge {};

class Builder {
public:
    Builder(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics)
        : file_(file), text_(sources.text(file)), diagnostics_(diagnostics) {
        lines_.push_back(0);
        for (std::size_t i = 0; i < text_.size(); ++i)
            if (text_[i] == '\n') lines_.push_back(static_cast<std::uint32_t>(i + 1));
    }

    YamlNode build(const YAML::Node& from, int level) {
        if (++nodes_ > most_nodes || level > most_levels) throw TooLarge();
        YamlNode node;
        node.span = span_at(from.Mark(), from.IsScalar() ? from.Scalar().size() : 1);
        if (from.IsScalar()) {
            node.kind = YamlNode::Kind::scalar;
            node.text = from.Scalar();
            node.quoted = from.Tag() == "!";
        } else if (from.IsSequence()) {
            node.kind = YamlNode::Kind::list;
            for (const auto& item : from) node.items.push_back(build(item, level + 1));
        } else if (from.IsMap()) {
            node.kind = YamlNode::Kind::map;
            for (const auto& member : from) add(node, member.first, member.second, level);
        }
        return node;
    }

    base::Span span_at(const YAML::Mark& mark, std::size_t length) const {
        if (mark.is_null() || mark.line < 0) return {file_, 0, 0};
        std::size_t line = std::min<std::size_t>(static_cast<std::size_t>(mark.line), lines_.size() - 1);
        std::size_t begin = std::min<std::size_t>(
            lines_[line] + static_cast<std::size_t>(std::max(mark.column, 0)), text_.size());
        std::size_t end_of_line = std::min(text_.find('\n', begin), text_.size());
        std::size_t end = std::min(begin + std::max<std::size_t>(length, 1), end_of_line);
        return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::max(begin, end))};
    }

private:
    void add(YamlNode& map, const YAML::Node& key, const YAML::Node& value, int level) {
        base::Span span = span_at(key.Mark(), key.IsScalar() ? key.Scalar().size() : 1);
        if (!key.IsScalar()) {
            diagnostics_.report(codes::yaml_syntax, span, "a key must be a text");
            return;
        }
        if (map.find(key.Scalar())) {
            diagnostics_.report(codes::yaml_syntax, span,
                                fmt::format("the key `{}` is there twice", key.Scalar()));
            return;
        }
        YamlNode node = build(value, level + 1);
        // A map or a list is pointed at by its key.
        if (!node.is_scalar()) node.span = span;
        map.members.push_back({key.Scalar(), std::move(node)});
    }

    base::FileId file_;
    std::string_view text_;
    base::Diagnostics& diagnostics_;
    std::vector<std::uint32_t> lines_;
    std::size_t nodes_ = 0;
};

// `key:`, with or without quotes around the key.
bool begins_with_key(std::string_view line, std::string_view key) {
    bool quoted = line.starts_with('"') || line.starts_with('\'');
    if (quoted) line.remove_prefix(1);
    if (!line.starts_with(key)) return false;
    line.remove_prefix(key.size());
    if (quoted && !line.empty()) line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.starts_with(':');
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
    for (const auto& [name, value] : members)
        if (name == key) return &value;
    return nullptr;
}

std::string_view YamlNode::text_of(std::string_view key) const {
    const YamlNode* found = find(key);
    return found && found->is_scalar() ? std::string_view(found->text) : std::string_view();
}

std::optional<YamlNode> read_yaml(const base::SourceMap& sources, base::FileId file,
                                  base::Diagnostics& diagnostics) {
    Builder builder(sources, file, diagnostics);
    std::size_t errors = diagnostics.errors();
    std::string_view text = sources.text(file);
    auto too_large = [&] {
        diagnostics
            .report(codes::yaml_too_large, {file, 0, 0}, "the document is too large or nested too deeply")
            .help(fmt::format("at most {} levels and {} values, aliases replaced", most_levels, most_nodes));
        return std::nullopt;
    };
    if (text.size() > largest_text) return too_large();
    try {
        YamlNode root = builder.build(YAML::Load(std::string(text)), 0);
        if (diagnostics.errors() > errors) return std::nullopt;
        return root;
    } catch (const TooLarge&) {
        return too_large();
    } catch (const YAML::DeepRecursion&) {
        return too_large();
    } catch (const YAML::Exception& fault) {
        diagnostics.report(codes::yaml_syntax, builder.span_at(fault.mark, 1),
                           fmt::format("not YAML: {}", fault.msg));
        return std::nullopt;
    }
}

bool has_outer_key(std::string_view text, std::string_view key) {
    std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first == std::string_view::npos) return false;
    if (text[first] == '{') {
        // JSON: a key is followed by a colon; what is nested is passed over by counting brackets.
        int depth = 0;
        for (std::size_t i = first; i < text.size(); ++i) {
            char c = text[i];
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (c != '"') continue;
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
            std::size_t after = end < text.size() ? text.find_first_not_of(" \t\r\n", end + 1) : text.size();
            bool is_key = depth == 1 && after < text.size() && text[after] == ':';
            if (is_key && text.substr(i + 1, end - i - 1) == key) return true;
            i = end;
        }
        return false;
    }
    for (std::size_t at = first; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1)
        if (begins_with_key(text.substr(at), key)) return true;
    return false;
}

}  // namespace treaty::formats
