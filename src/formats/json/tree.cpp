// The lexer and grammar are nlohmann's; places come from watching how far its lexer has read. It reads
// exactly to the end of every token except a number, whose end is one character back; and a token begins
// after the last one and the blanks, comma or colon between.

#include "formats/json/tree.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "formats/codes.h"

namespace treaty::formats {

std::string_view to_string(JsonKind kind) {
    switch (kind) {
        case JsonKind::null: return "null";
        case JsonKind::boolean: return "a boolean";
        case JsonKind::integer: return "an integer";
        case JsonKind::real: return "a real number";
        case JsonKind::string: return "a string";
        case JsonKind::array: return "an array";
        case JsonKind::object: return "an object";
    }
    return "";
}

namespace {

// Tells how far the lexer has come.
class WatchedIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    WatchedIterator(const char* at, const char** seen) : at_(at), seen_(seen) {}
    reference operator*() const { return *at_; }
    WatchedIterator& operator++() {
        *seen_ = ++at_;
        return *this;
    }
    WatchedIterator operator++(int) {
        WatchedIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const WatchedIterator& other) const { return at_ == other.at_; }
    bool operator!=(const WatchedIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** seen_;
};

}  // namespace

// Takes the events of the parser.
class JsonBuilder {
public:
    JsonBuilder(JsonTree& tree, std::string_view text, base::FileId file, base::Diagnostics& diagnostics)
        : tree_(tree), text_(text), file_(file), diagnostics_(diagnostics), seen_(text.data()) {}

    bool run() {
        const char* end = text_.data() + text_.size();
        bool good = nlohmann::json::sax_parse(WatchedIterator(text_.data(), &seen_),
                                              WatchedIterator(end, &seen_), this);
        return good && !reported_;
    }

    bool null() {
        return scalar(JsonKind::null, [](auto&) {});
    }
    bool boolean(bool x) {
        return scalar(JsonKind::boolean, [&](auto& v) { v.boolean = x; });
    }
    bool number_integer(std::int64_t x) {
        return number(JsonKind::integer, [&](auto& v) { v.integer = x; });
    }
    bool number_unsigned(std::uint64_t x) {
        if (x > static_cast<std::uint64_t>(INT64_MAX)) return number_float(static_cast<double>(x), {});
        return number_integer(static_cast<std::int64_t>(x));
    }
    bool number_float(double x, const std::string&) {
        return number(JsonKind::real, [&](auto& v) { v.real = x; });
    }
    bool string(std::string& x) {
        return scalar(JsonKind::string, [&](auto& v) {
            v.string = {keep(x), static_cast<std::uint32_t>(x.size())};
        });
    }
    bool binary(std::vector<std::uint8_t>&) { return false; }  // never in a text
    bool key(std::string& x) {
        begin();
        key_ = keep(x);
        key_length_ = static_cast<std::uint32_t>(x.size());
        last_ = here();
        return true;
    }
    bool start_object(std::size_t) { return open(JsonKind::object); }
    bool start_array(std::size_t) { return open(JsonKind::array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& fault) {
        std::string_view what = fault.what();
        std::size_t expected = what.rfind("expected ");
        std::uint32_t at = here();
        diagnostics_.report(codes::json_syntax, {file_, at > 0 ? at - 1 : 0, at},
                            expected == std::string_view::npos || what.size() - expected > 100
                                ? std::string("this is not JSON")
                                : fmt::format("this is not JSON: {}", what.substr(expected)));
        reported_ = true;
        return false;
    }

private:
    std::uint32_t here() const { return static_cast<std::uint32_t>(seen_ - text_.data()); }

    std::uint32_t begin() const {
        std::size_t at = last_;
        auto between = [&](char c) {
            return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
        };
        if (at == 0 && text_.starts_with("\xef\xbb\xbf")) at = 3;
        while (at < text_.size() && between(text_[at])) ++at;
        return static_cast<std::uint32_t>(at);
    }

    std::uint32_t keep(const std::string& x) {
        auto at = static_cast<std::uint32_t>(tree_.characters_.size());
        tree_.characters_ += x;
        return at;
    }

    bool add(JsonKind kind, std::uint32_t begin_at, std::uint32_t end_at) {
        if (tree_.values_.size() >= JsonTree::max_values)
            return too_large(fmt::format("more than {} values", JsonTree::max_values));
        auto id = static_cast<std::uint32_t>(tree_.values_.size());
        JsonTree::Value value;
        value.kind = kind;
        value.begin = begin_at;
        value.end = end_at;
        value.integer = 0;
        if (!open_.empty()) {
            JsonTree::Value& parent = tree_.values_[open_.back().id];
            value.parent = open_.back().id;
            if (open_.back().last == JsonTree::none) {
                parent.first = id;
            } else {
                tree_.values_[open_.back().last].next = id;
            }
            open_.back().last = id;
            value.key = parent.kind == JsonKind::object ? key_ : parent.count;
            value.key_length = key_length_;
            ++parent.count;
        }
        tree_.values_.push_back(value);
        last_ = end_at;
        return true;
    }

    template <class Set>
    bool scalar(JsonKind kind, Set set) {
        if (!add(kind, begin(), here())) return false;
        set(tree_.values_.back());
        return true;
    }

    template <class Set>
    bool number(JsonKind kind, Set set) {
        std::uint32_t from = begin();
        std::size_t to = std::min(text_.find_first_not_of("+-.0123456789eE", from), text_.size());
        if (!add(kind, from, static_cast<std::uint32_t>(to))) return false;
        set(tree_.values_.back());
        return true;
    }

    bool open(JsonKind kind) {
        if (open_.size() >= JsonTree::max_depth)
            return too_large(fmt::format("nested deeper than {} levels", JsonTree::max_depth));
        if (!add(kind, begin(), here())) return false;
        open_.push_back({static_cast<std::uint32_t>(tree_.values_.size() - 1), JsonTree::none});
        return true;
    }

    bool close() {
        tree_.values_[open_.back().id].end = here();
        last_ = here();
        open_.pop_back();
        return true;
    }

    bool too_large(std::string message) {
        diagnostics_.report(codes::json_too_large, {file_, begin(), here()}, std::move(message));
        reported_ = true;
        return false;
    }

    struct Open {
        std::uint32_t id, last;
    };
    JsonTree& tree_;
    std::string_view text_;
    base::FileId file_;
    base::Diagnostics& diagnostics_;
    const char* seen_;
    std::uint32_t last_ = 0;  // where the last token ended
    std::uint32_t key_ = 0, key_length_ = 0;
    std::vector<Open> open_;
    bool reported_ = false;
};

std::optional<JsonTree> JsonTree::parse(const base::SourceMap& sources, base::FileId file,
                                        base::Diagnostics& diagnostics) {
    JsonTree tree;
    tree.file_ = file;
    if (!JsonBuilder(tree, sources.text(file), file, diagnostics).run()) return std::nullopt;
    return tree;
}

JsonKind Json::kind() const {
    return tree_->values_[id_].kind;
}
bool Json::boolean() const {
    return tree_->values_[id_].boolean;
}
std::int64_t Json::integer() const {
    return tree_->values_[id_].integer;
}
double Json::real() const {
    return kind() == JsonKind::integer ? static_cast<double>(integer()) : tree_->values_[id_].real;
}
std::string_view Json::string() const {
    auto [begin, length] = tree_->values_[id_].string;
    return std::string_view(tree_->characters_).substr(begin, length);
}
std::size_t Json::size() const {
    return tree_->values_[id_].count;
}

base::Span Json::span() const {
    const auto& v = tree_->values_[id_];
    return {tree_->file_, v.begin, v.end};
}

std::string Json::pointer() const {
    std::vector<std::string> steps;
    for (std::uint32_t id = id_; tree_->values_[id].parent != JsonTree::none;
         id = tree_->values_[id].parent) {
        const auto& v = tree_->values_[id];
        std::string step;
        if (tree_->values_[v.parent].kind == JsonKind::array) {
            step = fmt::format("{}", v.key);
        } else {
            for (char c : std::string_view(tree_->characters_).substr(v.key, v.key_length)) {
                if (c == '~' || c == '/')
                    step += c == '~' ? "~0" : "~1";
                else
                    step += c;
            }
        }
        steps.push_back(std::move(step));
    }
    std::string out;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) out += '/' + *step;
    return out;
}

Json Json::operator[](std::string_view key) const {
    for (Json item : items()) {
        const auto& v = tree_->values_[item.id_];
        if (v.key_length == key.size() &&
            std::string_view(tree_->characters_).substr(v.key, v.key_length) == key)
            return item;
    }
    return {};
}

Json Json::first() const {
    std::uint32_t id = tree_->values_[id_].first;
    return id == JsonTree::none ? Json() : Json(tree_, id);
}
Json Json::next() const {
    std::uint32_t id = tree_->values_[id_].next;
    return id == JsonTree::none ? Json() : Json(tree_, id);
}
Json::Items Json::items() const {
    return {first()};
}

}  // namespace treaty::formats
