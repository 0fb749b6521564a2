// A part of a JSON document that was parsed by simdjson, as expr::JsonValues reads it (expr/value_text.h).
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace treaty::watch {

class JsonNode {
public:
    explicit JsonNode(simdjson::dom::element e) : e_(e) {}

    bool null() const { return e_.is_null(); }
    std::optional<bool> boolean() const { return get<bool>(); }
    std::optional<std::int64_t> integer() const { return get<std::int64_t>(); }
    std::optional<double> real() const { return get<double>(); }
    std::optional<std::string_view> text() const { return get<std::string_view>(); }
    std::optional<JsonNode> member(std::string_view key) const {
        simdjson::dom::element found;
        if (e_[key].get(found)) return std::nullopt;
        return JsonNode(found);
    }
    std::optional<std::size_t> members() const {
        simdjson::dom::object object;
        if (e_.get(object)) return std::nullopt;
        return object.size();
    }
    template <class F>
    bool items(F&& f) const {
        simdjson::dom::array array;
        if (e_.get(array)) return false;
        for (simdjson::dom::element item : array)
            if (!f(JsonNode(item))) return false;
        return true;
    }

    template <class F>
    bool each_member(F&& f) const {
        simdjson::dom::object object;
        if (e_.get(object)) return false;
        for (auto [key, value] : object)
            if (!f(key, JsonNode(value))) return false;
        return true;
    }

private:
    template <class T>
    std::optional<T> get() const {
        T value{};
        if (e_.get(value)) return std::nullopt;
        return value;
    }
    simdjson::dom::element e_;
};

}  // namespace treaty::watch
