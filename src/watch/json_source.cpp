// One object a line:
//
//   {"time": 12.5, "role": "vendor", "dir": "!", "peer": "buyer", "message": "resp", "data": {"stock": 3},
//    "session": "s1", "id": "42"}
//
// `dir` is "!" or "send", "?" or "receive", "->" or "both"; instead of role and peer, `from` and `to` may
// stand. `time` is a number of seconds or a date and time as text. `data` is an object by field or an array
// in order. Everything but the message and who sent it to whom may be missing.
#include <simdjson.h>

#include <cmath>

#include "watch/source.h"

namespace treaty::watch {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

class JsonValues {
public:
    explicit JsonValues(const model::Specification& spec) : types_(*spec.types), names_(*spec.names) {}

    std::optional<expr::Value> read(element e, expr::TypeId type) const {
        std::optional<expr::Value> value = plain(e, type);
        if (value && !expr::belongs(*value, type, types_)) value.reset();
        return value;
    }

private:
    std::optional<expr::Value> plain(element e, expr::TypeId type) const {
        const expr::Type& t = types_[type];
        switch (t.kind) {
            case expr::TypeKind::boolean: return as<bool>(e);
            case expr::TypeKind::integer: return as<std::int64_t>(e);
            case expr::TypeKind::real: return as<double>(e);
            case expr::TypeKind::string: {
                std::string_view text;
                if (e.get(text)) return std::nullopt;
                return expr::Value(std::string(text));
            }
            case expr::TypeKind::bytes:
            case expr::TypeKind::enumeration: {
                std::string_view text;
                if (e.get(text)) return std::nullopt;
                return value_of_text(text, type, types_, names_);
            }
            case expr::TypeKind::record: return record(e, t);
            case expr::TypeKind::list: return list(e, t);
            case expr::TypeKind::optional: {
                if (e.is_null()) return expr::Value(expr::Sequence{});
                auto inner = read(e, t.element);
                if (!inner) return std::nullopt;
                return expr::Value(expr::Sequence{{std::move(*inner)}});
            }
            default: return std::nullopt;
        }
    }
    template <class T>
    static std::optional<expr::Value> as(element e) {
        T value{};
        if (e.get(value)) return std::nullopt;
        return expr::Value(value);
    }
    std::optional<expr::Value> record(element e, const expr::Type& t) const {
        expr::Sequence fields;
        for (const expr::Field& f : t.fields) {
            element part;
            if (e[names_.text(f.name)].get(part)) return std::nullopt;
            auto value = read(part, f.type);
            if (!value) return std::nullopt;
            fields.items.push_back(std::move(*value));
        }
        return expr::Value(std::move(fields));
    }
    std::optional<expr::Value> list(element e, const expr::Type& t) const {
        simdjson::dom::array array;
        if (e.get(array)) return std::nullopt;
        expr::Sequence items;
        for (element part : array) {
            auto value = read(part, t.element);
            if (!value) return std::nullopt;
            items.items.push_back(std::move(*value));
        }
        return expr::Value(std::move(items));
    }

    const expr::Types& types_;
    const base::Names& names_;
};

class JsonSource : public Source {
public:
    JsonSource(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary, model::RoleId owner)
        : lines_(std::move(lines)),
          vocabulary_(vocabulary),
          owner_(owner),
          values_(vocabulary.specification()) {}

    Got next(Record& record, std::string& fault) override {
        std::string_view line;
        bool too_long = false;
        do {
            if (!lines_->next(line, too_long)) return Got::end;
        } while (line.empty() && !too_long);
        std::uint32_t source = record.source;
        record = {};
        record.source = source;
        record.line = lines_->number();
        if (too_long) {
            fault = "the line is too long";
            return Got::fault;
        }
        element object;
        if (auto error = parser_.parse(line.data(), line.size(), false).get(object)) {
            fault = simdjson::error_message(error);
            return Got::fault;
        }
        return understand(object, record, fault) ? Got::record : Got::fault;
    }

private:
    static std::string_view text(element object, std::string_view key) {
        std::string_view value;
        element e;
        if (object[key].get(e) || e.get(value)) return {};
        return value;
    }
    static std::string key(element object, std::string_view name) {
        element e;
        if (object[name].get(e)) return {};
        if (e.is_string()) return std::string(std::string_view(e));
        return simdjson::minify(e);
    }

    bool understand(element object, Record& record, std::string& fault) {
        std::string_view dir = text(object, "dir");
        if (dir == "?" || dir == "receive")
            record.side = Side::received;
        else if (dir == "->" || dir == "both")
            record.side = Side::both;
        else if (dir != "!" && dir != "send")
            return refuse(fault, "`dir` must be \"!\", \"?\" or \"->\"");
        if (!roles(object, record, fault)) return false;
        std::string_view name = text(object, "message");
        if (name.empty()) return refuse(fault, "there is no `message`");
        vocabulary_.set_message(record, name);
        if (!time(object, record)) return refuse(fault, "`time` is neither seconds nor a date and time");
        record.session = key(object, "session");
        record.correlation = key(object, "id");
        if (record.message) data(object, record);
        return true;
    }

    static bool refuse(std::string& fault, std::string_view why) {
        fault = why;
        return false;
    }

    bool roles(element object, Record& record, std::string& fault) {
        auto named = [&](std::string_view key, model::RoleId otherwise) {
            std::string_view name = text(object, key);
            return name.empty() ? otherwise : vocabulary_.role(name);
        };
        record.from = named("from", {});
        record.to = named("to", {});
        model::RoleId role = named("role", owner_), peer = named("peer", {});
        bool received = record.side == Side::received;
        if (!record.from) record.from = received ? peer : role;
        if (!record.to) record.to = received ? role : peer;
        if (record.from && record.to && record.from != record.to) return true;
        return refuse(fault, "it does not name two roles of the protocol");
    }

    static bool time(element object, Record& record) {
        element e;
        if (object["time"].get(e)) return true;
        double seconds = 0;
        if (!e.get(seconds)) {
            if (!(std::fabs(seconds) < 9e9)) return false;
            record.time_ns = static_cast<std::int64_t>(seconds * 1e9);
            return true;
        }
        std::string_view written;
        if (e.get(written)) return false;
        record.time_ns = parse_time(written);
        return record.time_ns.has_value();
    }

    void data(element object, Record& record) {
        const auto& fields = vocabulary_.specification().message(record.message).fields;
        const base::Names& names = *vocabulary_.specification().names;
        element given;
        bool there = !object["data"].get(given);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            element part;
            bool found =
                there && !(given.is_array() ? given.at(i) : given[names.text(fields[i].name)]).get(part);
            auto value = found ? values_.read(part, fields[i].type) : std::nullopt;
            if (!value) {
                record.misfit =
                    std::string(found ? "the value does not fit the field " : "there is no field ");
                record.misfit += names.text(fields[i].name);
                return;
            }
            record.values.push_back(std::move(*value));
        }
    }

    std::unique_ptr<LineReader> lines_;
    const Vocabulary& vocabulary_;
    model::RoleId owner_;
    JsonValues values_;
    simdjson::dom::parser parser_;
};

}  // namespace

std::unique_ptr<Source> json_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    model::RoleId owner) {
    return std::make_unique<JsonSource>(std::move(lines), vocabulary, owner);
}

}  // namespace treaty::watch
