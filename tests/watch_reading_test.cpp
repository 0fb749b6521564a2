// What makes watching fast must not change what is seen: lines with a known layout, packed records, nets
// without what nothing reads, properties found by the value they ask for. Each is compared with the plain
// way.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "choreo/project_net.h"
#include "watch/global_net.h"
#include "watch/json_layout.h"
#include "watch/monitor.h"
#include "watch/packed_records.h"
#include "watch/source.h"
#include "watch_setup.h"

namespace treaty::watch {
namespace {

std::string one_of(Random& random, const std::vector<std::string>& list) {
    return list[below(random, list.size())];
}

std::string integer(Random& random) {
    static const std::vector<std::string> odd = {"0",
                                                 "-0",
                                                 "007",
                                                 "3.0",
                                                 "1e2",
                                                 "123456789012345678",
                                                 "-1",
                                                 "1.",
                                                 "null",
                                                 "true",
                                                 "9223372036854775807",
                                                 "\"4\"",
                                                 "12345678901234567890"};
    return below(random, 6) == 0 ? one_of(random, odd) : std::to_string(below(random, 1'000'000));
}

std::string text(Random& random) {
    return '"' +
           one_of(random, {"", "a", "Request", "a\\\"b", "\\u00e9", "gr\xc3\xbc\xc3\x9f", "tab\tin", "s-1",
                           "a text of more than eight bytes", "\xff", "x\\\\"}) +
           '"';
}

std::string value_for(Random& random, char kind) {
    switch (kind) {
        case 'i': return integer(random);
        case 's': return text(random);
        case 'r':
            return below(random, 3) == 0 ? integer(random)
                                         : fmt::format("{}.{}", below(random, 99), below(random, 100'000));
        case 'b': return one_of(random, {"true", "false", "true", "false", "1", "tru"});
        default: return one_of(random, {"\"Red\"", "\"Green\"", "\"Blue\"", "\"\""});
    }
}

// One of few shapes, with any values; now and then a byte of it is another one, or missing.
std::string line_of(Random& random) {
    std::string time = below(random, 4) == 0
                           ? "\"2013-08-29T15:17:30.128Z\""
                           : fmt::format("{}.{}", 1'700'000'000 + below(random, 100), below(random, 1000));
    std::string session = below(random, 3) == 0 ? integer(random) : text(random);
    std::string dir = one_of(random, {"!", "?", "->", "send", "no"});
    std::string peer = one_of(random, {"y", "y", "y", "http://host/y", "z"});
    std::string line;
    switch (below(random, 4)) {
        case 0:
            line = fmt::format(
                R"({{"time": {}, "role": "x", "dir": "{}", "peer": "{}", "message": "M", "data": {{"a": {}, "b": {}}}, "session": {}}})",
                time, dir, peer, integer(random), text(random), session);
            break;
        case 1:
            line = fmt::format(
                R"({{"session":{},"role":"x","dir":"{}","peer":"{}","message":"{}","data":{{"r":{},"t":{},"c":{}}},"size":{},"id":{}}})",
                session, dir, peer, below(random, 9) == 0 ? "O" : "N", value_for(random, 'r'),
                value_for(random, 'b'), value_for(random, 'c'), integer(random), integer(random));
            break;
        case 2:
            line = fmt::format(R"({{"from": "x", "to": "{}", "dir": "{}", "message": "{}", "seen": {}}} )",
                               peer, dir, one_of(random, {"K", "M", "Unknown"}),
                               one_of(random, {"true", "1", "\"a\"", "null", "[1]"}));
            break;
        default:
            line = fmt::format(
                R"({{"role": "x", "dir": "{}", "peer": "y", "message": "M", "message": "{}", "data": {{"b": {}, "a": {}}}}})",
                dir, one_of(random, {"M", "K"}), text(random), integer(random));
    }
    if (below(random, 5) == 0) {
        std::size_t at = below(random, line.size());
        if (below(random, 2) == 0)
            line.erase(at, 1);
        else
            line[at] = one_of(random, {"\"", "\\", "{", "}", ",", ":", " ", "0", "9", "a", ".", "\xc3"})[0];
    }
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

std::string described(const Record& r, const model::Specification& spec) {
    std::string out = fmt::format("{} {} {} {} {} '{}' '{}' {} [{}] {}", static_cast<int>(r.side),
                                  r.from.index, r.to.index, r.message.index, r.line, r.session, r.correlation,
                                  r.time_ns.value_or(-1), r.misfit, r.message ? "" : r.name);
    for (std::size_t i = 0; i < r.values.size(); ++i)
        out +=
            ' ' + expr::print(r.values[i], spec.message(r.message).fields[i].type, *spec.types, *spec.names);
    return out;
}

TEST(Reading, ALineWithAKnownLayoutIsReadAsTheParserReadsIt) {
    model::Specification spec = specification(
        "enum Color { Red, Green }\nmessage M(a: int in 0..500000, b: string)\n"
        "message N(r: real, t: bool, c: Color)\nmessage K()\n"
        "protocol P(x, y) {\n x -> y: M(_, _)\n y -> x: N(_, _, _)\n x -> y: K\n}\n");
    Vocabulary vocabulary(spec, *spec.main_protocol());
    std::size_t known = 0, records = 0, faults = 0, misfits = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Folder folder;
        std::string log;
        for (int i = 0; i < 400; ++i) log += line_of(random) + "\n";
        log.pop_back();
        write(folder / "log.jsonl", log);
        SourceOptions plainly;
        plainly.layouts = false;
        std::string fault, plain_fault;
        auto source = std::move(*open_source(folder / "log.jsonl", vocabulary, {}));
        auto plain = std::move(*open_source(folder / "log.jsonl", vocabulary, plainly));
        LineReader lines(folder / "log.jsonl");
        JsonLayouts layouts(vocabulary);
        Record a, b;
        for (ReadResult got = ReadResult::record; got != ReadResult::end;) {
            got = source->next(a, fault);
            ASSERT_EQ(got, plain->next(b, plain_fault));
            std::string_view line;
            bool too_long = false;
            lines.next(line, too_long);
            if (got == ReadResult::end) break;
            ASSERT_EQ(a.line, b.line);
            if (got == ReadResult::fault) {
                ++faults;
                ASSERT_EQ(fault, plain_fault) << line;
                continue;
            }
            ++records;
            ASSERT_EQ(described(a, spec), described(b, spec)) << line;
            misfits += !a.misfit.empty();
            Members members;
            std::vector<expr::Value> values;
            bool has_data = false;
            if (layouts.read(line, members, values, has_data))
                ++known;
            else if (a.misfit.empty())
                layouts.learn(line, a.message);
        }
    }
    EXPECT_GT(known, 800u);
    EXPECT_GT(records, 3000u);
    EXPECT_GT(faults, 2000u);
    EXPECT_GT(misfits, 500u);
}

expr::Value some_value(Random& random, int depth = 2) {
    switch (below(random, depth > 0 ? 7 : 6)) {
        case 0: return below(random, 2) == 0;
        case 1: return static_cast<std::int64_t>(random());
        case 2: return static_cast<double>(below(random, 1000)) / 7;
        case 3: return std::string(below(random, 40), 'x');
        case 4: return expr::Bytes{std::string(below(random, 3), '\0')};
        case 5: return expr::EnumMember{static_cast<std::uint32_t>(below(random, 300))};
        default: {
            expr::Sequence list;
            for (std::size_t n = below(random, 4); n > 0; --n)
                list.items.push_back(some_value(random, depth - 1));
            return list;
        }
    }
}

bool same(const Kept& a, const Kept& b) {
    return a.side == b.side && a.from == b.from && a.to == b.to && a.message == b.message &&
           a.text == b.text && a.values == b.values && a.time_ns == b.time_ns && a.at == b.at;
}

TEST(Reading, PackedRecordsAreTheRecordsInTheirOrder) {
    model::Specification spec =
        specification("message A()\nmessage B()\nprotocol P(x, y, z) {\n x -> y: A\n y -> z: B\n}\n");
    std::size_t taken = 0, reloaded = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        PackedRecords row;
        PackedRecords::Packer packer;
        std::deque<Kept> plain;
        std::size_t growing = 1 + below(random, 3);
        for (int step = 0; step < 300; ++step) {
            std::string id = one_of(random, {"", "", "1", "2", std::string(200, 'i')});
            model::MessageId message(below(random, 2));
            Side side = below(random, 2) == 0 ? Side::sent : Side::received;
            if (below(random, 4) < growing) {
                Record r;
                r.side = side;
                r.message = message;
                r.from = model::RoleId(below(random, 3));
                r.to = model::RoleId(below(random, 3));
                r.source = static_cast<std::uint32_t>(below(random, 1000));
                r.line = random() >> below(random, 64);
                if (below(random, 2) == 0) r.time_ns = static_cast<std::int64_t>(random());
                for (std::size_t n = below(random, 4); n > 0; --n) r.values.push_back(some_value(random));
                ASSERT_TRUE(row.push(packer.pack(r, id)));
                plain.push_back(
                    {r.side, r.from, r.to, r.message, id, r.values, r.time_ns, {r.source, r.line}});
            } else if (below(random, 3) == 0 && !plain.empty()) {
                row.pop();
                plain.pop_front();
            } else {
                auto found = std::find_if(plain.begin(), plain.end(), [&](const Kept& k) {
                    return k.side == side && k.text == id && (id.empty() || k.message == message);
                });
                auto got = row.take(side, id, message);
                ASSERT_EQ(got.has_value(), found != plain.end());
                if (!got) continue;
                ASSERT_TRUE(same(*got, *found));
                plain.erase(found);
                ++taken;
            }
            ASSERT_EQ(row.size(), plain.size());
            if (below(random, 50) != 0) continue;
            Saver saver;
            row.save(saver);
            std::string bytes = saver.take();
            Loader loader(bytes);
            PackedRecords again;
            ASSERT_TRUE(again.load(loader, *spec.alphabet) && loader.at_end());
            row = std::move(again);
            ++reloaded;
        }
        std::vector<Kept> all = row.all();
        ASSERT_TRUE(std::equal(all.begin(), all.end(), plain.begin(), plain.end(), same));
    }
    EXPECT_GT(taken, 300u);
    EXPECT_GT(reloaded, 100u);
}

// The same events on a role's net and on what is left of it.
TEST(Reading, WhatNothingReadsCanBeForgotten) {
    model::Specification spec = specification(
        "message A(n: int)\nmessage B(n: int, m: int)\nmessage C(n: int)\n"
        "protocol P(x, y) {\n x -> y: A(let unread)\n rec L {\n  x -> y: B(let n, let other)\n"
        "  choice at y {\n   y -> x: C(n)\n   continue L\n  } or {\n   y -> x: A(_)\n  }\n }\n}\n");
    std::size_t allowed = 0, refused = 0, dropped = 0;
    for (model::RoleId role : spec.main_protocol()->roles()) {
        auto net = choreo::project_net(spec, *spec.main_protocol(), role);
        ASSERT_TRUE(net);
        ReducedNet lean = without_unread(*net);
        for (std::uint32_t arity : lean.arity) dropped += arity != any_arity;
        track::TrackOptions options;
        options.asynchronous = false;
        auto whole = std::make_shared<track::TrackedNet>(*net, role, options);
        auto rest = std::make_shared<track::TrackedNet>(lean.net, role, options);
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            SCOPED_TRACE(seed);
            Random random(seed);
            track::Tracker a(whole), b(rest);
            for (int step = 0; step < 8; ++step) {
                const auto& transitions = net->transitions();
                const model::Transition& t = transitions[below(random, transitions.size())];
                if (t.silent()) continue;
                std::size_t fields = spec.message(net->alphabet().event(t.label).message).fields.size();
                if (below(random, 10) == 0) ++fields;
                std::vector<expr::Value> values;
                for (std::size_t i = 0; i < fields; ++i)
                    values.emplace_back(static_cast<std::int64_t>(below(random, 2)));
                std::uint32_t arity = lean.arity[t.label.index];
                bool fits = arity == any_arity || arity == values.size();
                track::EventVerdict expected = a.observe(t.label, values);
                track::EventVerdict found = fits ? b.observe(t.label, values) : track::EventVerdict::refused;
                ASSERT_EQ(expected, found) << net->alphabet().print(t.label);
                ++(found == track::EventVerdict::allowed ? allowed : refused);
            }
            ASSERT_EQ(a.may_end(), b.may_end());
        }
    }
    EXPECT_GT(allowed, 300u);
    EXPECT_GT(refused, 300u);
    EXPECT_GT(dropped, 2u);
}

// Everything that definition 15 asks for, from the whole traffic of a role at once.
class PlainProperties {
public:
    explicit PlainProperties(const model::Specification& spec) : spec_(spec) {}

    // `last_ns`: when the role was last heard of, in any session.
    VerdictCounts judge(const model::Property& p, const std::vector<Record>& traffic,
                        std::int64_t last_ns) const {
        VerdictCounts counts;
        for (std::size_t begin = 0; begin + p.after.size() <= traffic.size(); ++begin) {
            expr::Environment environment;
            bool context = true;
            for (std::size_t i = 0; i < p.after.size() && context; ++i)
                context = matches(p.after[i], traffic[begin + i], environment);
            if (!context) continue;
            std::size_t first = begin + p.after.size();
            counts.add(decide(p, traffic, first, environment, last_ns));
        }
        return counts;
    }

private:
    Verdict decide(const model::Property& p, const std::vector<Record>& traffic, std::size_t first,
                   const expr::Environment& environment, std::int64_t last_ns) const {
        Verdict met = p.forbid ? Verdict::fail : Verdict::pass,
                missed = p.forbid ? Verdict::pass : Verdict::fail;
        bool timed = p.within_ns >= 0;
        std::int64_t deadline = *traffic[first - 1].time_ns + p.within_ns;
        for (std::size_t i = first; i < traffic.size(); ++i) {
            if (timed ? *traffic[i].time_ns > deadline : i >= first + p.within) return missed;
            for (const model::MessagePattern& then : p.then) {
                expr::Environment copy = environment;
                if (matches(then, traffic[i], copy)) return met;
            }
        }
        if (timed) return last_ns > deadline ? missed : Verdict::inconclusive;
        return traffic.size() >= first + p.within ? missed : Verdict::inconclusive;
    }
    bool matches(const model::MessagePattern& pattern, const Record& r,
                 expr::Environment& environment) const {
        if (r.message != pattern.message || r.from != pattern.from || r.to != pattern.to) return false;
        expr::Environment before = environment;
        for (const model::FieldPattern& f : pattern.fields) {
            const expr::Value& value = r.values[f.field];
            if (f.bind)
                environment.set(f.bind, value);
            else if (auto wanted = expr::evaluate(*spec_.pool, f.equals, before);
                     !std::holds_alternative<expr::Value>(wanted) ||
                     !(std::get<expr::Value>(wanted) == value))
                return false;
        }
        return !pattern.where || expr::satisfied(*spec_.pool, pattern.where, environment);
    }

    const model::Specification& spec_;
};

std::string some_property(Random& random, int number) {
    auto step = [&](bool bind, bool known) {
        std::string from = one_of(random, {"x -> y", "y -> x"}), message = one_of(random, {"A", "B"});
        std::string field = one_of(random, {"", "n = 1", "n = 2", "m = 0"});
        if (bind) field = one_of(random, {"n = v", "n = v, m = u"});
        if (known && below(random, 2) == 0) field = "n = v";
        std::string where;
        if (bind && below(random, 2) == 0)
            where = one_of(random, {" where v == 1", " where 2 == v", " where v == 1 and v < 2",
                                    " where v > 0", " where v != 2 or v == 0"});
        return fmt::format("{}: {}{}{}", from, message, field.empty() ? "" : "(" + field + ")", where);
    };
    bool bound = below(random, 2) == 0;
    std::string out = fmt::format("property Q{} at {} {{\n", number, one_of(random, {"x", "y"}));
    std::string steps = step(bound, false);
    if (below(random, 3) == 0) steps += "\n after " + step(false, false);
    out += " after " + steps + "\n " + one_of(random, {"expect ", "forbid "}) + step(false, bound);
    if (below(random, 3) == 0) out += " or " + step(false, bound);
    return out + "\n within " + one_of(random, {"1", "2", "5", "3s", "10s", "1ms"}) + "\n}\n";
}

TEST(Properties, EveryMatchIsJudgedAsFromTheWholeTraffic) {
    VerdictCounts all;
    std::size_t timed = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::string text =
            "message A(n: int, m: int)\nmessage B(n: int, m: int)\n"
            "protocol P(x, y) {\n repeat at x {\n  x -> y: A(_, _)\n }\n}\n";
        for (int i = 0; i < 12; ++i) text += some_property(random, i);
        model::Specification spec = specification(text);
        ASSERT_EQ(spec.properties.size(), 12u) << text;
        model::RoleId x = spec.alphabet->find_role("x"), y = spec.alphabet->find_role("y");
        auto monitor = Monitor::make(spec, *spec.main_protocol(), {});
        std::vector<std::vector<Record>> traffic(4);  // by session and role
        std::int64_t now = 1'000'000'000, last[2] = {INT64_MIN, INT64_MIN};
        for (int i = 0; i < 60; ++i) {
            Record r;
            std::size_t session = below(random, 2);
            r.session = std::to_string(session);
            bool forth = below(random, 2) == 0;
            r.from = forth ? x : y;
            r.to = forth ? y : x;
            r.message = spec.alphabet->find_message(below(random, 2) == 0 ? "A" : "B");
            r.side = below(random, 2) == 0 ? Side::sent : Side::received;
            r.time_ns = now += static_cast<std::int64_t>(below(random, 3) * 1'500'000'000);
            for (int k = 0; k < 2; ++k) r.values.emplace_back(static_cast<std::int64_t>(below(random, 3)));
            monitor->feed(r);
            std::size_t role = r.observer() == x ? 0 : 1;
            last[role] = *r.time_ns;
            traffic[session * 2 + role].push_back(std::move(r));
        }
        PlainProperties plain(spec);
        for (const SessionReport& report : monitor->finish())
            for (std::size_t i = 0; i < 12; ++i) {
                const model::Property& p = spec.properties[i];
                std::size_t role = p.at == x ? 0 : 1;
                VerdictCounts expected =
                    plain.judge(p, traffic[(report.name == "1" ? 2 : 0) + role], last[role]);
                ASSERT_EQ(report.local_properties[i], expected) << "Q" << i << " in\n" << text;
                all.pass += expected.pass;
                all.fail += expected.fail;
                all.inconclusive += expected.inconclusive;
                timed += p.within_ns >= 0 ? expected.pass + expected.fail : 0;
            }
    }
    EXPECT_GT(all.pass, 500u);
    EXPECT_GT(all.fail, 500u);
    EXPECT_GT(all.inconclusive, 50u);
    EXPECT_GT(timed, 300u);
}

// docs/watching.md: inconclusive unless all premises passed; then a failed conclusion breaks it (`not`: a
// passed one), and it passes once all have passed (`not`: failed).
Verdict plain_global(const model::Property& p, const std::vector<Verdict>& local) {
    for (std::uint32_t i : p.premises)
        if (local[i] != Verdict::pass) return Verdict::inconclusive;
    bool open = false;
    for (std::uint32_t i : p.conclusions) {
        if (local[i] == (p.negated ? Verdict::pass : Verdict::fail)) return Verdict::fail;
        open = open || local[i] == Verdict::inconclusive;
    }
    return open ? Verdict::inconclusive : Verdict::pass;
}

std::string some_global(Random& random, int number, int locals) {
    auto names = [&] {
        std::string text = fmt::format("Q{}", below(random, static_cast<std::size_t>(locals)));
        if (below(random, 2) == 0)
            text += fmt::format(", Q{}", below(random, static_cast<std::size_t>(locals)));
        return text;
    };
    return fmt::format("property G{}: {} implies {}{}\n", number, names(), one_of(random, {"", "not "}),
                       names());
}

// Times are written as decimal numbers, in two ways, often exactly as far apart as a property allows; here
// they are whole numbers of hundredths of a second.
TEST(Properties, DecimalTimesAndGlobalPropertiesAsFromTheWholeTraffic) {
    VerdictCounts all;
    constexpr int locals = 8, globals = 8;
    Folder folder;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::string text =
            "message A(n: int, m: int)\nmessage B(n: int, m: int)\n"
            "protocol P(x, y) {\n repeat at x {\n  x -> y: A(_, _)\n }\n}\n";
        for (int i = 0; i < locals; ++i) text += some_property(random, i);
        for (int i = 0; i < globals; ++i) text += some_global(random, i, locals);
        model::Specification spec = specification(text);
        ASSERT_EQ(spec.properties.size(), static_cast<std::size_t>(locals + globals)) << text;
        model::RoleId x = spec.alphabet->find_role("x"), y = spec.alphabet->find_role("y");
        std::string log;
        std::vector<std::vector<Record>> traffic(4);  // by session and role
        std::int64_t hundredths = static_cast<std::int64_t>(below(random, 2'000'000'000)) * 10,
                     last[2] = {INT64_MIN, INT64_MIN};
        for (int i = 0; i < 40; ++i) {
            constexpr std::int64_t steps[] = {0, 5, 10, 30, 35, 65, 100, 200, 300};
            hundredths += steps[below(random, std::size(steps))];
            Record r;
            std::size_t session = below(random, 2);
            bool forth = below(random, 2) == 0, sent = below(random, 2) == 0;
            r.from = forth ? x : y;
            r.to = forth ? y : x;
            std::string name = below(random, 2) == 0 ? "A" : "B";
            r.message = spec.alphabet->find_message(name);
            r.side = sent ? Side::sent : Side::received;
            r.time_ns = hundredths * 10'000'000;
            for (int k = 0; k < 2; ++k) r.values.emplace_back(static_cast<std::int64_t>(below(random, 3)));
            std::string time = below(random, 4) == 0
                                   ? fmt::format("{}.{:02}0000000000e-2", hundredths, 0)
                                   : fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
            log += fmt::format(
                "{{\"time\": {}, \"role\": \"{}\", \"peer\": \"{}\", \"dir\": \"{}\", \"message\": \"{}\", "
                "\"data\": {{\"n\": {}, \"m\": {}}}, \"session\": \"{}\"}}\n",
                time, (r.observer() == x) ? "x" : "y", (r.observer() == x) ? "y" : "x", sent ? "!" : "?",
                name, r.values[0].integer(), r.values[1].integer(), session);
            std::size_t role = r.observer() == x ? 0 : 1;
            last[role] = *r.time_ns;
            traffic[session * 2 + role].push_back(std::move(r));
        }
        write(folder / "log.jsonl", log);
        Vocabulary vocabulary(spec, *spec.main_protocol());
        std::string fault;
        auto source = std::move(*open_source(folder / "log.jsonl", vocabulary, {}));
        auto monitor = Monitor::make(spec, *spec.main_protocol(), {});
        Record read;
        std::size_t records = 0;
        while (source->next(read, fault) == ReadResult::record) {
            monitor->feed(read);
            ++records;
        }
        ASSERT_EQ(records, 40u) << fault;
        PlainProperties plain(spec);
        for (const SessionReport& report : monitor->finish()) {
            std::vector<Verdict> verdicts;
            for (std::size_t i = 0; i < locals; ++i) {
                const model::Property& p = spec.properties[i];
                std::size_t role = p.at == x ? 0 : 1;
                VerdictCounts expected =
                    plain.judge(p, traffic[(report.name == "1" ? 2 : 0) + role], last[role]);
                ASSERT_EQ(report.local_properties[i], expected) << "Q" << i << " in\n" << text << log;
                verdicts.push_back(expected.fail > 0   ? Verdict::fail
                                   : expected.pass > 0 ? Verdict::pass
                                                       : Verdict::inconclusive);
            }
            for (std::size_t i = locals; i < locals + globals; ++i) {
                Verdict expected = plain_global(spec.properties[i], verdicts);
                ASSERT_EQ(report.properties[i], expected) << "G" << i - locals << " in\n" << text << log;
                all.add(expected);
            }
        }
    }
    EXPECT_GT(all.pass, 20u);
    EXPECT_GT(all.fail, 50u);
    EXPECT_GT(all.inconclusive, 200u);
}

}  // namespace
}  // namespace treaty::watch
