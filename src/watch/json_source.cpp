// One object a line:
//
//   {"time": 12.5, "role": "vendor", "dir": "!", "peer": "buyer", "message": "resp", "data": {"stock": 3},
//    "session": "s1", "id": "42"}
//
// `dir` is "!" or "send", "?" or "receive", "->" or "both"; instead of role and peer, `from` and `to` may
// stand. `time` is a number of seconds or a date and time as text. `data` is an object by field or an array
// in order. Instead of a message there may be `raw`, the bytes that passed as hexadecimal digits, and
// `connection`, the stream they belong to: they are decoded by the protocol's wire. Everything but the
// message and who sent it to whom may be missing.
//
// This is where most time goes, so an object is walked over once, and nothing is allocated for a record whose
// texts are short.
#include <simdjson.h>

#include <cmath>

#include "watch/raw_streams.h"
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

// The members of an object that count, by name.
struct Members {
    std::string_view dir, from, to, role, peer, message, raw, connection;
    element time, data, session, id;
    bool has_time = false, has_data = false, has_session = false, has_id = false;

    explicit Members(simdjson::dom::object object) {
        for (simdjson::dom::key_value_pair member : object) {
            std::string_view key = member.key;
            switch (key.size()) {
                case 2:
                    if (key == "id") keep(member.value, id, has_id);
                    if (key == "to") text(member.value, to);
                    break;
                case 3:
                    if (key == "dir") text(member.value, dir);
                    if (key == "raw") text(member.value, raw);
                    break;
                case 4:
                    if (key == "time") keep(member.value, time, has_time);
                    if (key == "data") keep(member.value, data, has_data);
                    if (key == "role") text(member.value, role);
                    if (key == "peer") text(member.value, peer);
                    if (key == "from") text(member.value, from);
                    break;
                case 7:
                    if (key == "message") text(member.value, message);
                    if (key == "session") keep(member.value, session, has_session);
                    break;
                case 10:
                    if (key == "connection") text(member.value, connection);
                    break;
                default: break;
            }
        }
    }

private:
    static void text(element e, std::string_view& into) {
        if (e.get(into)) into = {};
    }
    static void keep(element e, element& into, bool& has) {
        into = e;
        has = true;
    }
};

bool from_hexadecimal(std::string_view digits, std::string& bytes) {
    auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    bytes.clear();
    if (digits.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        int high = digit(digits[i]), low = digit(digits[i + 1]);
        if (high < 0 || low < 0) return false;
        bytes += static_cast<char>(high * 16 + low);
    }
    return true;
}

class JsonSource : public Source {
public:
    JsonSource(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary, const SourceOptions& options)
        : lines_(std::move(lines)),
          vocabulary_(vocabulary),
          owner_(options.owner),
          values_(vocabulary.specification()) {
        if (options.codec) streams_ = std::make_unique<RawStreams>(vocabulary, *options.codec);
    }

    Got next(Record& record, std::string& fault) override {
        while (true) {
            if (streams_)
                if (Got got = streams_->next(record, fault); got != Got::wait) return got;
            std::string_view line;
            bool too_long = false;
            do {
                Line got = lines_->next(line, too_long);
                if (got != Line::line) return got == Line::wait ? Got::wait : Got::end;
            } while (line.empty() && !too_long);
            record.clear();
            record.line = lines_->number();
            if (too_long) return refuse(fault, "the line is too long");
            simdjson::dom::object object;
            if (auto error = parser_.parse(line.data(), line.size(), false).get(object)) {
                fault = simdjson::error_message(error);
                return Got::fault;
            }
            // `wait`: bytes that were taken in; perhaps they make a message.
            if (Got got = understand(Members(object), record, fault); got != Got::wait) return got;
        }
    }

    void stop_following() override { lines_->stop_following(); }
    std::uint64_t behind() const override { return lines_->behind(); }
    std::uint64_t restarts() const override { return lines_->restarts(); }
    bool can_resume() const override { return lines_->seekable() && !raw_; }
    Mark before_last() const override { return {lines_->line_offset(), lines_->number() - 1, {}}; }
    Mark after_last() const override { return {lines_->offset(), lines_->number(), {}}; }
    bool resume(const Mark& mark) override { return lines_->resume(mark.offset, mark.lines); }

private:
    static void key(element e, std::string& into) {
        std::string_view text;
        if (!e.get(text))
            into.assign(text);
        else
            into = simdjson::minify(e);
    }

    Got understand(const Members& m, Record& record, std::string& fault) {
        if (m.dir == "?" || m.dir == "receive")
            record.side = Side::received;
        else if (m.dir == "->" || m.dir == "both")
            record.side = Side::both;
        else if (m.dir != "!" && m.dir != "send")
            return refuse(fault, "`dir` must be \"!\", \"?\" or \"->\"");
        if (!roles(m, record)) return refuse(fault, "it does not name two roles of the protocol");
        if (m.has_time && !time(m.time, record))
            return refuse(fault, "`time` is neither seconds nor a date and time");
        if (m.has_session)
            key(m.session, record.session);
        else
            record.session.assign(m.connection);
        if (m.has_id) key(m.id, record.correlation);
        if (m.message.empty()) return raw(m, record, fault);
        vocabulary_.set_message(record, m.message);
        if (record.message) data(m, record);
        return Got::record;
    }

    Got raw(const Members& m, Record& record, std::string& fault) {
        if (m.raw.empty()) return refuse(fault, "there is neither `message` nor `raw`");
        if (!streams_) return refuse(fault, "there are bytes, but the protocol has no wire");
        if (!from_hexadecimal(m.raw, bytes_)) return refuse(fault, "`raw` is not in hexadecimal digits");
        raw_ = true;
        streams_->feed(record, m.connection.empty() ? std::string_view(record.session) : m.connection,
                       bytes_);
        return Got::wait;
    }

    static Got refuse(std::string& fault, std::string_view why) {
        fault = why;
        return Got::fault;
    }

    bool roles(const Members& m, Record& record) const {
        auto named = [&](std::string_view name, model::RoleId otherwise) {
            return name.empty() ? otherwise : vocabulary_.role(name);
        };
        record.from = named(m.from, {});
        record.to = named(m.to, {});
        if (!record.from || !record.to) {
            model::RoleId role = named(m.role, owner_), peer = named(m.peer, {});
            bool received = record.side == Side::received;
            if (!record.from) record.from = received ? peer : role;
            if (!record.to) record.to = received ? role : peer;
        }
        return record.from && record.to && record.from != record.to;
    }

    static bool time(element e, Record& record) {
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

    void data(const Members& m, Record& record) {
        const auto& fields = vocabulary_.specification().message(record.message).fields;
        if (fields.empty()) return;
        const base::Names& names = *vocabulary_.specification().names;
        simdjson::dom::object object;
        bool by_name = m.has_data && !m.data.get(object);
        auto member = by_name ? object.begin() : simdjson::dom::object::iterator();
        for (std::size_t i = 0; i < fields.size(); ++i) {
            element part;
            bool found = false;
            if (by_name) {
                // Members mostly stand in the order of the fields.
                std::string_view name = names.text(fields[i].name);
                found = member != object.end() && member.key() == name;
                if (found) {
                    part = member.value();
                    ++member;
                } else {
                    found = !object[name].get(part);
                }
            } else if (m.has_data && m.data.is_array()) {
                found = !m.data.at(i).get(part);
            }
            auto value = found ? values_.read(part, fields[i].type) : std::nullopt;
            if (!value) {
                record.misfit = found ? "the value does not fit the field " : "there is no field ";
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
    std::unique_ptr<RawStreams> streams_;
    std::string bytes_;
    bool raw_ = false;  // there were bytes: what has come of a message is not kept in marks
};

}  // namespace

std::unique_ptr<Source> json_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    const SourceOptions& options) {
    return std::make_unique<JsonSource>(std::move(lines), vocabulary, options);
}

}  // namespace treaty::watch
