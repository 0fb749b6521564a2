#include "wire/profile.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "wire/json_text.h"

namespace treaty::wire {

using expr::ExprId;
using expr::Op;
using expr::TypeKind;
using Json = nlohmann::json;

class Profile::Reader {
public:
    Reader(const expr::Pool& pool, std::span<const MessageShape> shapes) : pool_(pool), shapes_(shapes) {
        out.weights_.assign(shapes.size(), 1);
    }

    bool run(std::string_view text) {
        Json json = Json::parse(text, nullptr, false);
        if (json.is_discarded() || !json.is_object()) return fail("a profile is a JSON object");
        for (const auto& [key, value] : json.items()) {
            if (!value.is_object()) return fail(fmt::format("`{}` must be an object", key));
            if (key != "messages" && key != "fields")
                return fail(fmt::format("unknown member `{}`; a profile has `messages` and `fields`", key));
            for (const auto& [name, entry] : value.items())
                if (key == "messages" ? !message(name, entry) : !field(name, entry)) return false;
        }
        return true;
    }

    Profile out;
    std::string why;

private:
    bool fail(std::string reason) {
        why = std::move(reason);
        return false;
    }

    std::optional<MessageIndex> find(std::string_view name) const {
        for (std::size_t m = 0; m < shapes_.size(); ++m)
            if (pool_.names().text(shapes_[m].name) == name) return static_cast<MessageIndex>(m);
        return std::nullopt;
    }

    static std::optional<std::uint32_t> weight(const Json& value) {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 1'000'000) return std::nullopt;
        return value.get<std::uint32_t>();
    }

    bool message(const std::string& name, const Json& value) {
        auto m = find(name);
        if (!m) return fail(fmt::format("unknown message `{}`", name));
        auto w = weight(value);
        if (!w) return fail(fmt::format("the weight of `{}` must be a number from 0 to 1000000", name));
        out.weights_[*m] = *w;
        return true;
    }

    bool field(const std::string& name, const Json& value) {
        std::size_t dot = name.find('.');
        auto m = find(std::string_view(name).substr(0, dot));
        if (!m || dot == std::string::npos)
            return fail(fmt::format("`{}` is not a message and its field, as in buy.book", name));
        std::string_view wanted = std::string_view(name).substr(dot + 1);
        const auto& fields = shapes_[*m].fields;
        auto f = std::find_if(fields.begin(), fields.end(),
                              [&](const expr::Field& x) { return pool_.names().text(x.name) == wanted; });
        if (f == fields.end()) return fail(fmt::format("unknown field `{}`", name));
        if (!value.is_array() || value.empty())
            return fail(fmt::format("`{}` must be a list of weighted values", name));
        std::vector<Alternative> alternatives;
        std::uint64_t total = 0;
        for (const Json& entry : value) {
            alternatives.emplace_back();
            if (!alternative(name, entry, f->type, alternatives.back())) return false;
            total += alternatives.back().weight;
        }
        if (total == 0) return fail(fmt::format("all weights of `{}` are zero", name));
        out.fields_[{*m, static_cast<std::uint32_t>(f - fields.begin())}] = std::move(alternatives);
        return true;
    }

    bool alternative(const std::string& name, const Json& entry, expr::TypeId type, Alternative& w) {
        if (!entry.is_object()) return fail(fmt::format("an entry of `{}` is not an object", name));
        bool number = pool_.types().kind(type) == TypeKind::integer;
        bool text = pool_.types().kind(type) == TypeKind::string;
        for (const auto& [key, value] : entry.items()) {
            bool fine = true;
            if (key == "weight") {
                auto weighed = weight(value);
                fine = weighed.has_value();
                w.weight = weighed.value_or(0);
            } else if (key == "any") {
                fine = value.is_boolean() && value.get<bool>();
            } else if (key == "value") {
                fine = read_value(value, type, w);
            } else if (key == "from" || key == "to") {
                fine = number && value.is_number_integer();
                w.kind = Alternative::Kind::range;
                if (fine) (key == "from" ? w.low : w.high) = value.get<std::int64_t>();
            } else if (key == "matches") {
                fine = text && value.is_string() && re2::RE2(value.get<std::string>(), re2::RE2::Quiet).ok();
                w.kind = Alternative::Kind::pattern;
                if (fine) w.pattern = value.get<std::string>();
            } else {
                return fail(fmt::format(
                    "`{}`: unknown member `{}`; known: weight, value, from, to, matches, any", name, key));
            }
            if (!fine) return fail(fmt::format("`{}`: `{}` is not a value of the field", name, key));
        }
        if (w.kind == Alternative::Kind::range) return range(name, pool_.types()[type], w);
        return true;
    }

    // A range that holds none of the field's values could never be followed.
    bool range(const std::string& name, const expr::Type& type, const Alternative& w) {
        if (w.low > w.high)
            return fail(fmt::format("`{}`: `from` is {}, which is more than `to`, {}", name, w.low, w.high));
        if ((type.low && w.high < *type.low) || (type.high && w.low > *type.high))
            return fail(fmt::format("`{}`: the field has no value between `from` and `to`", name));
        return true;
    }

    bool read_value(const Json& value, expr::TypeId type, Alternative& w) {
        w.kind = Alternative::Kind::value;
        std::string text = value.dump();
        Limits limits;
        JsonText reader(pool_, text, limits);
        auto read = reader.value({"", 0, text.size()}, type);
        if (!read) return false;
        w.value = std::move(*read);
        return true;
    }

    const expr::Pool& pool_;
    std::span<const MessageShape> shapes_;
};

base::Result<Profile> Profile::read(std::string_view json, const expr::Pool& pool,
                                    std::span<const MessageShape> shapes) {
    Reader reader(pool, shapes);
    if (reader.run(json)) return std::move(reader.out);
    return base::Fault{std::move(reader.why)};
}

MessageIndex Profile::pick(std::span<const MessageIndex> messages, solve::Choices& choices) const {
    TREATY_CHECK(!messages.empty());
    std::vector<std::uint32_t> weights;
    for (MessageIndex m : messages) weights.push_back(weights_[m]);
    bool none = std::all_of(weights.begin(), weights.end(), [](std::uint32_t w) { return w == 0; });
    if (none) return messages[static_cast<std::size_t>(choices.draw(messages.size()))];
    return messages[choices.pick(weights)];
}

ExprId Profile::wish(expr::Pool& pool, MessageIndex message, std::span<const expr::VarId> variables,
                     solve::Choices& choices) const {
    ExprId all;
    auto add = [&](ExprId e) { all = all ? pool.logical_and(all, e) : e; };
    for (std::uint32_t f = 0; f < variables.size(); ++f) {
        auto found = fields_.find({message, f});
        if (found == fields_.end()) continue;
        std::vector<std::uint32_t> weights;
        for (const Alternative& w : found->second) weights.push_back(w.weight);
        const Alternative& alternative = found->second[choices.pick(weights)];
        ExprId x = pool.var(variables[f]);
        auto compare = [&](Op op, std::int64_t n) {
            return pool.make(op, pool.types().boolean(), std::array{x, pool.integer(n)});
        };
        switch (alternative.kind) {
            case Alternative::Kind::any: break;
            case Alternative::Kind::value:
                add(pool.equal(
                    x, pool.literal(alternative.value, pool.types().base(pool.variable(variables[f]).type))));
                break;
            case Alternative::Kind::range:
                add(compare(Op::greater_equal, alternative.low));
                add(compare(Op::less_equal, alternative.high));
                break;
            case Alternative::Kind::pattern: add(pool.matches(x, alternative.pattern)); break;
        }
    }
    return all;
}

}  // namespace treaty::wire
