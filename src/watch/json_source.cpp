// One object per line:
//
//   {"time": 12.5, "role": "vendor", "dir": "!", "peer": "buyer", "message": "resp", "data": {"stock": 3},
//    "session": "s1", "id": "42"}
//
// `dir` is "!" or "send", "?" or "receive", "->" or "both"; instead of role and peer, `from` and `to` may
// be given. `time` is a number of seconds or a date and time as text. `data` is an object by field or an
// array in order. Instead of a message there may be `raw`, the bytes that passed as hexadecimal digits, and
// `connection`, the stream they belong to: they are decoded by the protocol's wire. Everything but the
// message and who sent it to whom may be missing.
//
// This is where most time goes, so a line that looks like an earlier one is not parsed (json_layout.h), an
// object is walked over once, and nothing is allocated for a record whose texts are short.
#include <simdjson.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/hex.h"
#include "base/timestamp.h"
#include "expr/value_text.h"
#include "watch/json_layout.h"
#include "watch/json_node.h"
#include "watch/raw_streams.h"
#include "watch/source.h"

namespace treaty::watch {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// The text of a number that is a member of the object on this line, which is known to be valid JSON; of
// several members of that name, the last. Empty if the key is written with escapes.
std::string_view number_of_member(std::string_view line, std::string_view key) {
    std::string_view found, last_text;
    std::size_t depth = 0;
    bool value = false;  // after a colon
    for (std::size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (c == '"') {
            std::size_t start = ++i;
            while (i < line.size() && line[i] != '"') i += line[i] == '\\' ? 2 : 1;
            if (!value) last_text = line.substr(start, std::min(i, line.size()) - start);
        } else if (c == '{' || c == '[') {
            ++depth;
            value = false;
        } else if (c == '}' || c == ']') {
            --depth;
        } else if (c == ':' || c == ',') {
            value = c == ':';
        } else if (value && depth == 1 && last_text == key && (c == '-' || (c >= '0' && c <= '9'))) {
            if (std::size_t n = base::decimal_prefix(line.substr(i)); n > 0) {
                found = line.substr(i, n);
                i += n - 1;
            }
        }
    }
    return found;
}

// The members of a parsed object.
struct Parsed : Members {
    element data;
    bool has_data = false;
    std::string session_text, id_text;

    Parsed(simdjson::dom::object object, std::string_view line) {
        for (simdjson::dom::key_value_pair member : object) {
            Member m = member_named(member.key);
            switch (m) {
                case Member::other: break;
                case Member::data:
                    data = member.value;
                    has_data = true;
                    break;
                case Member::time: read_time(member.value, line); break;
                case Member::session: read_key(member.value, has_session, session, session_text); break;
                case Member::id: read_key(member.value, has_id, id, id_text); break;
                default: {
                    std::string_view text;
                    set(m, member.value.get(text) ? std::string_view() : text);
                }
            }
        }
    }

private:
    // A number is read from the line itself: as a binary fraction it would not be exact.
    void read_time(element e, std::string_view line) {
        time = Time::other;
        if (!e.get(time_text)) {
            time = Time::text;
        } else if (e.is_number()) {
            constexpr std::int64_t most = std::int64_t{9'000'000'000} * 1'000'000'000;
            std::string_view written = number_of_member(line, "time");
            std::string shortest =
                written.empty() ? fmt::format("{}", e.get_double().value()) : std::string();
            auto read = base::scaled_decimal(written.empty() ? shortest : written, 1'000'000'000);
            time = read && *read<most&& * read> - most ? Time::seconds : Time::other;
            time_ns = read.value_or(0);
        }
    }
    static void read_key(element e, bool& has, std::string_view& key, std::string& own) {
        has = true;
        if (!e.get(key)) return;
        own = simdjson::minify(e);
        key = own;
    }
};

class JsonSource : public Source {
public:
    JsonSource(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary, const SourceOptions& options)
        : lines_(std::move(lines)),
          vocabulary_(vocabulary),
          owner_(options.owner),
          recognise_(options.layouts),
          values_(*vocabulary.specification().types, *vocabulary.specification().names,
                  expr::OtherMembers::ignored),
          layouts_(vocabulary) {
        if (options.codec) streams_ = std::make_unique<RawStreams>(vocabulary, *options.codec);
    }

    ReadResult next(Record& record, std::string& fault) override {
        while (true) {
            if (streams_)
                if (ReadResult got = streams_->next(record, fault); got != ReadResult::wait) {
                    from_streams_ = true;
                    return got;
                }
            from_streams_ = false;
            std::string_view line;
            bool too_long = false;
            do {
                Line got = lines_->next(line, too_long);
                if (got != Line::line) return got == Line::wait ? ReadResult::wait : ReadResult::end;
            } while (line.empty() && !too_long);
            record.clear();
            record.line = lines_->number();
            if (too_long) return refuse(fault, "the line is too long");
            // `wait`: bytes that were taken in; perhaps they make a message.
            if (ReadResult got = read(line, record, fault); got != ReadResult::wait) return got;
        }
    }

    void stop_following() override { lines_->stop_following(); }
    std::uint64_t unread() const override { return lines_->unread(); }
    std::uint64_t restarts() const override { return lines_->restarts(); }
    bool can_resume() const override { return lines_->seekable(); }
    // Bytes that were read have gone into the streams, so a record that came from there is kept with them.
    Mark before_last() const override {
        if (from_streams_) return {lines_->offset(), lines_->number(), streams(true)};
        return {lines_->line_offset(), lines_->number() - 1, streams(false)};
    }
    Mark after_last() const override { return {lines_->offset(), lines_->number(), streams(false)}; }
    std::uint64_t known_by(const Mark& mark) const override { return lines_->known_by(mark.offset); }
    bool resume(const Mark& mark) override {
        if (!mark.rest.empty()) {
            Loader loader(mark.rest);
            if (!streams_ || !streams_->load(loader) || !loader.at_end()) return false;
            raw_ = true;
        }
        return lines_->resume(mark.offset, mark.lines);
    }

private:
    ReadResult read(std::string_view line, Record& record, std::string& fault) {
        bool has_data = false;
        if (recognise_ && layouts_.read(line, known_, record.values, has_data)) {
            ReadResult got = understand(known_, record, fault);
            if (got == ReadResult::record && !has_data) no_data(record);
            return got;
        }
        simdjson::dom::object object;
        if (auto error = parser_.parse(line.data(), line.size(), false).get(object))
            return refuse(fault, error == simdjson::INCORRECT_TYPE ? "the line is not a JSON object"
                                                                   : "the line is not valid JSON");
        Parsed parsed(object, line);
        ReadResult got = understand(parsed, record, fault);
        if (got != ReadResult::record) return got;
        if (record.message) data(parsed, record);
        if (recognise_ && record.misfit.empty()) layouts_.learn(line, record.message);
        return got;
    }

    ReadResult understand(const Members& m, Record& record, std::string& fault) {
        if (m.parties && *m.parties) {
            record.side = (*m.parties)->side;
            record.from = (*m.parties)->from;
            record.to = (*m.parties)->to;
        } else {
            if (ReadResult got = parties(m, record, fault); got != ReadResult::record) return got;
            if (m.parties) *m.parties = {record.side, record.from, record.to};
        }
        if (m.time != Members::Time::absent && !time(m, record))
            return refuse(fault, "`time` is neither seconds nor a date and time");
        record.session.assign(m.has_session ? m.session : m[Member::connection]);
        if (m.has_id) record.correlation.assign(m.id);
        record.message = m.message;
        if (record.message) return ReadResult::record;
        std::string_view message = m[Member::message];
        if (message.empty()) return raw(m, record, fault);
        record.message = layouts_.names().message(message);
        if (!record.message) vocabulary_.set_message(record, message);
        return ReadResult::record;
    }

    ReadResult parties(const Members& m, Record& record, std::string& fault) {
        std::string_view dir = m[Member::dir];
        if (dir == "?" || dir == "receive")
            record.side = Side::received;
        else if (dir == "->" || dir == "both")
            record.side = Side::both;
        else if (dir != "!" && dir != "send")
            return refuse(fault, "`dir` must be \"!\", \"?\" or \"->\"");
        if (!roles(m, record)) return refuse(fault, "the record does not name two roles of the protocol");
        return ReadResult::record;
    }

    ReadResult raw(const Members& m, Record& record, std::string& fault) {
        if (m[Member::raw].empty()) return refuse(fault, "the record has neither `message` nor `raw`");
        if (!streams_) return refuse(fault, "the record has bytes, but the file declares no wire");
        if (!base::from_hex(m[Member::raw], bytes_))
            return refuse(fault, "`raw` is not a string of hexadecimal digits");
        raw_ = true;
        std::string_view connection = m[Member::connection];
        streams_->feed(record, connection.empty() ? std::string_view(record.session) : connection, bytes_);
        return ReadResult::wait;
    }

    std::string streams(bool with_last) const {
        if (!raw_) return {};
        Saver saver;
        streams_->save(saver, with_last);
        return saver.take();
    }

    static ReadResult refuse(std::string& fault, std::string_view why) {
        fault = why;
        return ReadResult::fault;
    }

    bool roles(const Members& m, Record& record) {
        auto named = [&](Member member, model::RoleId otherwise) {
            std::string_view name = m[member];
            if (model::RoleId known = m.role(member)) return known;
            return name.empty() ? otherwise : layouts_.names().role(name);
        };
        record.from = named(Member::from, {});
        record.to = named(Member::to, {});
        if (!record.from || !record.to) {
            model::RoleId role = named(Member::role, owner_), peer = named(Member::peer, {});
            bool received = record.side == Side::received;
            if (!record.from) record.from = received ? peer : role;
            if (!record.to) record.to = received ? role : peer;
        }
        return record.from && record.to && record.from != record.to;
    }

    static bool time(const Members& m, Record& record) {
        if (m.time == Members::Time::seconds) record.time_ns = m.time_ns;
        if (m.time == Members::Time::text) record.time_ns = base::parse_time(m.time_text);
        return record.time_ns.has_value();
    }

    void no_data(Record& record) const {
        if (!record.message) return;
        const auto& fields = vocabulary_.specification().message(record.message).fields;
        if (fields.empty()) return;
        record.misfit = misfit_of(vocabulary_.specification(), fields[0], std::nullopt);
    }

    void data(const Parsed& m, Record& record) {
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
                // Members are mostly in the order of the fields.
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
            auto value = found ? values_.read(JsonNode(part), fields[i].type) : std::nullopt;
            if (!value) {
                std::string text = found ? simdjson::minify(part) : std::string();
                record.misfit = misfit_of(vocabulary_.specification(), fields[i],
                                          found ? std::optional<std::string_view>(text) : std::nullopt);
                return;
            }
            record.values.push_back(std::move(*value));
        }
    }

    std::unique_ptr<LineReader> lines_;
    const Vocabulary& vocabulary_;
    model::RoleId owner_;
    bool recognise_;
    expr::JsonValues<JsonNode> values_;
    JsonLayouts layouts_;
    Members known_;  // of a line with a known layout
    simdjson::dom::parser parser_;
    std::unique_ptr<RawStreams> streams_;
    std::string bytes_;
    bool raw_ = false;           // there were bytes
    bool from_streams_ = false;  // the last record was made of bytes
};

}  // namespace

std::unique_ptr<Source> json_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    const SourceOptions& options) {
    return std::make_unique<JsonSource>(std::move(lines), vocabulary, options);
}

}  // namespace treaty::watch
