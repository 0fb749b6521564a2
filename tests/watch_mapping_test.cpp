// Logs of other forms, read by a mapping: random conversations, written in the form of a random mapping, are
// read as the same records as their own form, JSON lines; and what a mapping does in single cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "watch/mapping/bind_mapping.h"
#include "watch/mapping/mapped_values.h"
#include "watch/mapping/mapping.h"
#include "watch/merge.h"
#include "watch/source.h"
#include "watch_setup.h"

namespace treaty::watch {
namespace {

std::shared_ptr<const Mapping> mapping_of(const std::string& text) {
    static base::SourceMap sources;  // of texts that diagnostics point into
    base::Diagnostics diagnostics;
    auto mapping = read_mapping(sources.add("test.map", text), sources, diagnostics);
    for (const base::Diagnostic& one : diagnostics.all()) ADD_FAILURE() << one.message << "\n" << text;
    return mapping;
}

std::string described(const Record& r, const model::Specification& spec, bool with_line = true) {
    std::string out =
        fmt::format("{} {} {} {} {} '{}' '{}' {} [{}] {}", static_cast<int>(r.side), r.from.index, r.to.index,
                    r.message.index, with_line ? r.line : 0, r.session, r.correlation, r.time_ns.value_or(-1),
                    r.misfit, r.message ? "" : r.name);
    for (std::size_t i = 0; i < r.values.size(); ++i)
        out +=
            ' ' + expr::print(r.values[i], spec.message(r.message).fields[i].type, *spec.types, *spec.names);
    return out;
}

std::vector<std::string> read_all(Source& source, const model::Specification& spec, bool with_line = true) {
    std::vector<std::string> all;
    Record record;
    std::string fault;
    for (ReadResult got = source.next(record, fault); got != ReadResult::end;
         got = source.next(record, fault))
        all.push_back(got == ReadResult::fault ? "fault" : described(record, spec, with_line));
    return all;
}

// A record as a log has it.
struct Entry {
    std::int64_t time_ms = 0;
    std::string role, peer, message, session, id;
    bool sent = false;
    std::vector<std::pair<std::string, std::string>> fields;  // texts without blanks, quotes and braces
};

const std::vector<std::string> roles = {"client", "shop", "bank"};

const char* const shop =
    "enum Color { Red, Green }\nmessage order(item: string, n: int)\nmessage paint(c: Color, wet: bool)\n"
    "message bye()\nprotocol P(client, shop, bank) {\n client -> shop: order(_, _)\n shop -> bank: paint(_, "
    "_)\n"
    " bank -> client: bye\n}\n";

Entry random_entry(Random& random) {
    auto number = [&](std::size_t bound) { return std::to_string(below(random, bound)); };
    Entry entry;
    entry.time_ms = static_cast<std::int64_t>(1'763'460'000'000 + below(random, 100'000'000));
    std::size_t first = below(random, 3);
    entry.role = roles[first];
    entry.peer = roles[(first + 1 + below(random, 2)) % 3];
    entry.sent = below(random, 2) == 0;
    entry.session = "s" + number(5);
    entry.id = "i" + number(1000);
    switch (below(random, 3)) {
        case 0:
            entry.message = "order";
            entry.fields = {{"item", "thing-" + number(50)}, {"n", "-" + number(100'000)}};
            break;
        case 1:
            entry.message = "paint";
            entry.fields = {{"c", below(random, 2) == 0 ? "Red" : "Green"},
                            {"wet", below(random, 2) == 0 ? "true" : "false"}};
            break;
        default: entry.message = "bye";
    }
    return entry;
}

std::string own_form(const Entry& entry) {
    std::string data;
    for (const auto& [name, value] : entry.fields) {
        bool text = name == "item" || name == "c";
        data += fmt::format("{}\"{}\": {}{}{}", data.empty() ? "" : ", ", name, text ? "\"" : "", value,
                            text ? "\"" : "");
    }
    return fmt::format(
        R"({{"time": {}.{:03}, "role": "{}", "peer": "{}", "dir": "{}", "message": "{}", "data": {{{}}}, "session": "{}", "id": "{}"}})",
        entry.time_ms / 1000, entry.time_ms % 1000, entry.role, entry.peer, entry.sent ? "!" : "?",
        entry.message, data, entry.session, entry.id);
}

// A form of a log and the mapping that explains it, chosen at random: JSON or text, members in some order and
// at some depth, names of roles, messages and directions that are not those of the protocol, forms of time.
class Form {
public:
    explicit Form(Random& random)
        : json_(below(random, 2) == 0),
          nested_(below(random, 2) == 0),
          renamed_(below(random, 2) == 0),
          by_direction_(below(random, 2) == 0),
          unit_(below(random, 4)),
          separator_(std::string(1, " |;\t"[below(random, 4)])) {
        order_ = {"at", "who", "whom", "dir", "what", "conv", "key", "f1", "f2"};
        std::shuffle(order_.begin(), order_.end(), random);
    }

    std::string line(const Entry& entry) const {
        std::vector<std::pair<std::string, std::string>> values = {
            {"at", time(entry.time_ms)},
            {"who", role(entry.role)},
            {"whom", role(entry.peer)},
            {"dir", entry.sent ? "outgoing" : "incoming"},
            {"what", renamed_ ? "x-" + entry.message : entry.message},
            {"conv", entry.session},
            {"key", entry.id},
            {"f1", entry.fields.empty() ? "none" : entry.fields[0].second},
            {"f2", entry.fields.empty() ? "none" : entry.fields[1].second}};
        std::string out;
        for (const std::string& name : order_)
            for (const auto& [one, value] : values)
                if (one == name)
                    out += json_ ? fmt::format("{}\"{}\": \"{}\"", out.empty() ? "" : ", ", name, value)
                                 : (out.empty() ? "" : separator_) + value;
        if (!json_) return out;
        return nested_ ? fmt::format("{{\"level\": 3, \"rec\": {{{}}}}}", out) : "{" + out + "}";
    }

    std::string mapping() const {
        std::string out = json_ ? "json\n" : "lines ^";
        if (!json_) {
            for (const std::string& name : order_)
                out += fmt::format("{}(?P<{}>[^{}]*)", name == order_.front() ? "" : pattern_separator(),
                                   name, separator_ == "\t" ? "\\t" : separator_);
            out += "$\n";
        }
        static const char* const forms[] = {"milliseconds", "seconds", "rfc3339", "nanoseconds"};
        out += fmt::format("time {} as {}\nsession {}\nid {}\n", value("at"), forms[unit_], value("conv"),
                           value("key"));
        for (const char* name : {"who", "whom"}) {
            out += fmt::format("let {}_role {}\n", name, value(name));
            for (const std::string& one : roles) out += fmt::format("  svc-{} -> {}\n", one, one);
        }
        out += fmt::format("let way {}\n  outgoing -> sent\n  incoming -> received\n", value("dir"));
        if (renamed_) out += "names\n  x-order -> order\n  x-paint -> paint\n  x-bye -> bye\n";
        for (const char* message : {"order", "paint", "bye"}) {
            out += fmt::format("message {}\n  when {} is {}{}\n", value("what"), value("what"),
                               renamed_ ? "x-" : "", message);
            if (message == std::string("order"))
                out += fmt::format("  item = {}\n  n = {}\n", value("f1"), value("f2"));
            if (message == std::string("paint"))
                out += fmt::format("  c = {}\n  wet = {}\n", value("f1"), value("f2"));
            if (by_direction_) {
                out += "  role {who_role}\n  peer {whom_role}\n  direction {way}\n";
                continue;
            }
            // Two rules, one for each direction, instead.
            std::string fields = out.substr(out.rfind("message "));
            out += "  when {way} is sent\n  from {who_role} to {whom_role} seen by {who_role}\n";
            out += fields + "  when {way} is received\n  from {whom_role} to {who_role} seen by {who_role}\n";
        }
        return out;
    }

private:
    std::string value(const std::string& name) const {
        return "{" + std::string(json_ && nested_ ? "rec." : "") + name + "}";
    }
    std::string pattern_separator() const {
        return separator_ == "|" ? "\\|" : separator_ == "\t" ? "\\t" : separator_;
    }
    std::string role(const std::string& name) const { return "svc-" + name; }
    std::string time(std::int64_t ms) const {
        switch (unit_) {
            case 0: return std::to_string(ms);
            case 1: return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
            case 2: return date(ms);
            default: return fmt::format("{}000000", ms);
        }
    }
    static std::string date(std::int64_t ms) {
        std::time_t seconds = ms / 1000;
        std::tm parts{};
        ::gmtime_r(&seconds, &parts);
        char text[40];
        std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
        return fmt::format("{}.{:03}Z", text, ms % 1000);
    }

    bool json_, nested_, renamed_, by_direction_;
    std::size_t unit_;
    std::string separator_;
    std::vector<std::string> order_;
};

TEST(Mapping, ALogInAnyFormIsReadAsItsOwnForm) {
    model::Specification spec = specification(shop);
    Vocabulary vocabulary(spec, *spec.main_protocol());
    std::size_t records = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        Form form(random);
        Folder folder;
        std::string own, other;
        for (int i = 0; i < 20; ++i) {
            Entry entry = random_entry(random);
            own += own_form(entry) + "\n";
            other += form.line(entry) + "\n";
        }
        write(folder / "own.jsonl", own);
        write(folder / "other.log", other);
        auto mapping = mapping_of(form.mapping());
        ASSERT_TRUE(mapping) << seed;
        SourceOptions options;
        options.mapping = mapping.get();
        auto expected = read_all(**open_source(folder / "own.jsonl", vocabulary, {}), spec);
        auto source = std::move(*open_source(folder / "other.log", vocabulary, options));
        EXPECT_TRUE(source->has_data());
        auto found = read_all(*source, spec);
        ASSERT_EQ(expected, found) << "seed " << seed << "\n" << form.mapping() << other;
        records += found.size();
    }
    EXPECT_EQ(records, 200u * 20u);
}

// Wherever reading stops, it goes on with the next record, though a line has several.
TEST(Mapping, ReadingGoesOnAfterAnyRecord) {
    model::Specification spec = specification(
        "protocol P(client, server) {\n client -> server: GET_a\n server -> client: status_200\n}\n");
    Vocabulary vocabulary(spec, *spec.main_protocol());
    auto mapping = mapping_of("like access_log\n");
    Folder folder;
    std::string log;
    for (int i = 0; i < 5; ++i)
        log += fmt::format("h{} - - [01/Jan/2026:00:00:0{} +0000] \"GET /a HTTP/1.1\" 200 5\nwhat\n\n", i, i);
    write(folder / "a.log", log);
    SourceOptions options;
    options.mapping = mapping.get();
    auto whole = read_all(**open_source(folder / "a.log", vocabulary, options), spec);
    ASSERT_EQ(whole.size(), 15u);
    for (std::size_t stop = 0; stop <= whole.size(); ++stop)
        for (bool again : {false, true}) {
            auto first = std::move(*open_source(folder / "a.log", vocabulary, options));
            std::vector<std::string> read;
            Record record;
            std::string fault;
            for (std::size_t i = 0; i < stop; ++i)
                read.push_back(first->next(record, fault) == ReadResult::fault ? "fault"
                                                                               : described(record, spec));
            if (again && stop == 0) continue;
            Mark mark = again ? first->before_last() : first->after_last();
            if (again) read.pop_back();
            auto second = std::move(*open_source(folder / "a.log", vocabulary, options));
            ASSERT_TRUE(second->resume(mark));
            for (std::string& one : read_all(*second, spec)) read.push_back(std::move(one));
            ASSERT_EQ(read, whole) << stop << again;
        }
}

// Messages of spans, sorted by time, with the roles that only both sides together tell.
TEST(Mapping, SpansTellEachOtherTheirRoles) {
    model::Specification spec = specification(
        "protocol P(order, stock) {\n order -> stock: GET_items\n stock -> order: GET_items_200\n}\n");
    Vocabulary vocabulary(spec, *spec.main_protocol());
    auto mapping = mapping_of("like otlp\n");
    auto span = [](const char* service, const char* ids, int kind, int start, int end) {
        return fmt::format(
            R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{}"}}}}]}},"scopeSpans":[{{"spans":[{{"traceId":"t",{},"kind":{},"startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[{{"key":"http.request.method","value":{{"stringValue":"GET"}}}},{{"key":"url.path","value":{{"stringValue":"/items"}}}},{{"key":"http.response.status_code","value":{{"intValue":"200"}}}}]}}]}}]}}]}})"
            "\n",
            service, ids, kind, start, end);
    };
    Folder folder;
    write(folder / "spans", span("stock", R"("spanId":"b","parentSpanId":"a")", 2, 20, 30) +
                                span("order", R"("spanId":"a")", 3, 10, 40) +
                                span("order", R"("spanId":"lonely")", 3, 50, 60) +
                                span("order", R"("spanId":"inner")", 1, 50, 60));
    SourceOptions options;
    options.mapping = mapping.get();
    auto source = std::move(*open_source(folder / "spans", vocabulary, options));
    EXPECT_FALSE(source->can_resume());
    std::vector<std::string> read;
    Record record;
    std::string fault;
    for (ReadResult got = source->next(record, fault); got != ReadResult::end;
         got = source->next(record, fault))
        read.push_back(
            got == ReadResult::fault
                ? "fault"
                : fmt::format("{} {} {}->{} {}", *record.time_ns, record.side == Side::sent ? "!" : "?",
                              spec.alphabet->name(record.from), spec.alphabet->name(record.to), record.name));
    EXPECT_EQ(read, (std::vector<std::string>{"10 ! order->stock GET_items", "20 ? order->stock GET_items",
                                              "30 ! stock->order GET_items_200",
                                              "40 ? stock->order GET_items_200", "fault", "fault"}));
    EXPECT_EQ(source->left_out(), 1u);
    ASSERT_EQ(source->unknown()->size(), 1u);
    EXPECT_EQ(source->unknown()->front().count, 2u);
    EXPECT_EQ(source->unknown()->front().line, 3u);
}

TEST(Mapping, UnknownLinesAreShownByKind) {
    model::Specification spec = specification("protocol P(client, server) {\n client -> server: hi\n}\n");
    Vocabulary vocabulary(spec, *spec.main_protocol());
    auto mapping = mapping_of("lines ^hi (?P<n>\\d+)$\nmessage hi\n  from client to server\n");
    Folder folder;
    write(folder / "log",
          "hi 1\nworker 7 died\n\xff\xfe\x1b[31m\nworker 21 died\nhi 2\n" + std::string(5000, 'x'));
    SourceOptions options;
    options.mapping = mapping.get();
    auto source = std::move(*open_source(folder / "log", vocabulary, options));
    EXPECT_EQ(read_all(*source, spec).size(), 6u);
    const std::vector<UnknownRecords>& unknown = *source->unknown();
    ASSERT_EQ(unknown.size(), 3u);
    EXPECT_EQ(unknown[0].text, "worker 7 died");
    EXPECT_EQ(unknown[0].count, 2u);
    EXPECT_EQ(unknown[1].line, 3u);
    EXPECT_EQ(unknown[1].text.find('\x1b'), std::string::npos);
    EXPECT_LE(unknown[2].text.size(), 200u);
}

TEST(Mapping, TimesInAllForms) {
    auto ns = [](const char* text, TimeForm form, int year = 0) {
        return read_time(text, form, year).value_or(-1);
    };
    const std::int64_t moment = 1'763'460'001'000'000'000;
    EXPECT_EQ(ns("2025-11-18T10:00:01Z", TimeForm::rfc3339), moment);
    EXPECT_EQ(ns("2025-11-18T11:00:01+01:00", TimeForm::automatic), moment);
    EXPECT_EQ(ns("1763460001", TimeForm::seconds), moment);
    EXPECT_EQ(ns("1763460001", TimeForm::automatic), moment);
    EXPECT_EQ(ns("1763460001000", TimeForm::milliseconds), moment);
    EXPECT_EQ(ns("1763460001000000", TimeForm::microseconds), moment);
    EXPECT_EQ(ns("1763460001000000000", TimeForm::nanoseconds), moment);
    EXPECT_EQ(ns("18/Nov/2025:10:00:01 +0000", TimeForm::access_log), moment);
    EXPECT_EQ(ns("18/Nov/2025:12:00:01 +0200", TimeForm::access_log), moment);
    EXPECT_EQ(ns("Nov 18 10:00:01", TimeForm::syslog, 2025), moment);
    EXPECT_EQ(ns("2025-11-18T10:00:01Z", TimeForm::syslog), moment);
    EXPECT_EQ(ns("Feb  3 00:00:00", TimeForm::syslog, 1970), std::int64_t{33} * 86400 * 1'000'000'000);
    for (const char* wrong : {"", "x", "99999999999999999999", "18/Nox/2025:10:00:01", "Nov 99 10:00:01",
                              "Nov", "1e400", "Nov 18", "18/Nov/2025:", "Nov  "})
        for (TimeForm form : {TimeForm::rfc3339, TimeForm::seconds, TimeForm::milliseconds,
                              TimeForm::microseconds, TimeForm::syslog, TimeForm::access_log})
            EXPECT_EQ(read_time(wrong, form, 0), std::nullopt) << wrong;
}

TEST(Mapping, ANewYearFollowsTheOldOne) {
    model::Specification spec = specification("protocol P(a, b) {\n a -> b: hi\n}\n");
    Vocabulary vocabulary(spec, *spec.main_protocol());
    auto mapping = mapping_of(
        "like syslog\ntime {at} as syslog year 2025\nmessage hi\n  when {text} is hi\n  from a to b seen by "
        "a\n");
    Folder folder;
    write(folder / "log",
          "Dec 31 23:59:59 host app[3]: hi\nJan  1 00:00:01 host app[3]: hi\n"
          "<34>1 2026-01-01T00:00:02Z host app - - - hi\n");
    SourceOptions options;
    options.mapping = mapping.get();
    auto source = std::move(*open_source(folder / "log", vocabulary, options));
    Record first, second, third;
    std::string fault;
    ASSERT_EQ(source->next(first, fault), ReadResult::record);
    ASSERT_EQ(source->next(second, fault), ReadResult::record);
    ASSERT_EQ(source->next(third, fault), ReadResult::record);
    EXPECT_EQ(*second.time_ns - *first.time_ns, 2'000'000'000);
    EXPECT_EQ(*third.time_ns - *second.time_ns, 1'000'000'000);
}

TEST(Mapping, Transforms) {
    EXPECT_EQ(transformed("GET /items", Transform::name), "GET_items");
    EXPECT_EQ(transformed("42", Transform::name), "_42");
    EXPECT_EQ(transformed("--", Transform::name), "");
    EXPECT_EQ(transformed("http://shop:80/items?page=2", Transform::path), "/items");
    EXPECT_EQ(transformed("http://shop", Transform::path), "/");
    EXPECT_EQ(transformed("/v1/items/42/reserve", Transform::route), "v1/items/id/reserve");
    EXPECT_EQ(transformed("/o/550e8400-e29b-41d4-a716-446655440000", Transform::route), "o/id");
    EXPECT_EQ(transformed("/deadbeef/facade", Transform::route), "deadbeef/facade");
    EXPECT_EQ(transformed("aB\xc3\x84", Transform::upper), "AB\xc3\x84");
}

// What a mapping takes apart has any names, also with dots; the longest reading counts.
TEST(Mapping, MembersByPath) {
    model::Specification spec = specification("message m(x: string)\nprotocol P(a, b) {\n a -> b: m(_)\n}\n");
    Vocabulary vocabulary(spec, *spec.main_protocol());
    auto mapping = mapping_of("json\nmessage m\n  from a to b\n  x = {a.b.c}\n");
    SourceOptions options;
    options.mapping = mapping.get();
    Folder folder;
    write(folder / "log", R"({"a": {"b": {"c": "deep"}}}
{"a.b": {"c": "dots"}, "a": {"b": {"c": "deep"}}}
{"a": {"b.c": "half"}, "a.b": 3}
{"a": [{"key": "b.c", "value": {"stringValue": "attribute"}}]}
{"a": [0, 1]}
{"a": {"b": {"c": null}}}
[1]
{"a":
)");
    auto read = read_all(**open_source(folder / "log", vocabulary, options), spec, false);
    ASSERT_EQ(read.size(), 8u);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_THAT(read[i], ::testing::EndsWith(std::vector<std::string>{"\"deep\"", "\"dots\"", "\"half\"",
                                                                          "\"attribute\""}[i]));
    EXPECT_THAT(read[4], ::testing::HasSubstr("the field x is missing"));
    EXPECT_THAT(read[5], ::testing::HasSubstr("the field x is missing"));
    EXPECT_EQ(read[6], "fault");
    EXPECT_EQ(read[7], "fault");
}

}  // namespace
}  // namespace treaty::watch
