#include "report/answers.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/check_properties.h"
#include "api/watch.h"
#include "base/wording.h"
#include "report/answers/unknown_records.h"
#include "report/progress.h"

namespace treaty::report {
namespace {

using base::counted;

constexpr std::size_t most_missing = 10;  // that are listed on a terminal

std::string_view word_of(const api::Conformance& c) {
    return c.failed ? "fail" : c.lost ? "undecided" : "pass";
}

std::string text_of(const api::Conformance& c) {
    return std::string(word_of(c)) + (c.incomplete ? ", incomplete" : "");
}

Json entry_of(const api::Conformance& c) {
    return {{"verdict", word_of(c)}, {"incomplete", c.incomplete}};
}

Json entry_of(const api::WatchDeviation& d) {
    Json entry = {{"session", d.session},  {"role", d.role.empty() ? Json(nullptr) : Json(d.role)},
                  {"source", d.log},       {"line", d.line},
                  {"event", d.event},      {"reason", d.reason},
                  {"expected", d.expected}};
    if (d.limit_ns < 0) return entry;
    entry["kind"] = "late";
    entry["limit_ns"] = d.limit_ns;
    entry["took_ns"] = d.took_ns;
    return entry;
}

// "sq c!Response(fee = 11)" in words: actor, action, partner. Nothing for other events, such as bytes that
// match no message.
struct EventWords {
    std::string subject, past, present;
};

std::optional<EventWords> words_of(std::string_view event) {
    auto is_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    auto name = [&] {
        std::size_t size = 0;
        while (size < event.size() && is_name(event[size])) ++size;
        std::string_view found = event.substr(0, size);
        event.remove_prefix(size);
        return std::string(found);
    };
    std::string from = name();
    if (from.empty() || !event.starts_with(' ')) return std::nullopt;
    event.remove_prefix(1);
    std::string to = name();
    if (to.empty() || event.size() < 2 || (event[0] != '!' && event[0] != '?')) return std::nullopt;
    std::string_view message = event.substr(1);
    if (event[0] == '!')
        return EventWords{from, fmt::format("{} sent {} to {}", from, message, to),
                          fmt::format("{} sends {} to {}", from, message, to)};
    return EventWords{to, fmt::format("{} received {} from {}", to, message, from),
                      fmt::format("{} receives {} from {}", to, message, from)};
}

std::string text_of(const api::WatchDeviation& d) {
    auto words = words_of(d.event);
    bool named = d.role.empty() || (words && words->subject == d.role);
    std::string text = fmt::format("{}:{}: {}{}: {}", d.log, d.line, named ? "" : d.role + ": ",
                                   words ? words->past : d.event, d.reason);
    if (!d.session.empty()) text += fmt::format(" (session {})", d.session);
    text += '\n';
    for (std::size_t i = 0; i < d.expected.size(); ++i) {
        auto due = words_of(d.expected[i]);
        text += fmt::format("{} {}\n",
                            i == 0 ? "  expected:" : "        or:", due ? due->present : d.expected[i]);
    }
    return text;
}

// Everything that did not go straight, counted.
void write_counts(Own& own, const api::WatchAnswer& answer) {
    const api::WatchCounts& counts = answer.counts;
    own.rest += fmt::format("{} of {} in {}, {} ignored (not in the protocol)",
                            counted(counts.records, "record"), counted(counts.messages, "message"),
                            counted(counts.sessions, "session"), counts.filtered);
    auto note = [&](const char* field, std::uint64_t n, std::string_view words) {
        own.fields[field] = n;
        if (n > 0 && !words.empty()) own.rest += fmt::format(", {} {}", n, words);
    };
    own.fields["records"] = counts.records;
    own.fields["messages"] = counts.messages;
    own.fields["sessions"] = counts.sessions;
    own.fields["filtered"] = counts.filtered;
    note("garbled", counts.garbled, "not understood");
    note("left_out", counts.left_out, "left out by the mapping");
    note("late", counts.late, "out of order in time");
    note("jumps", counts.jumps, "with a time far ahead");
    note("duplicated", counts.duplicated, "recorded twice");
    note("orphaned", counts.orphaned, "of sessions that had ended");
    note("sessionless", counts.sessionless, "of no known session");
    note("expired", counts.expired, "");
    note("crowded_out", counts.crowded_out, "");
    note("restarted", counts.restarted, "");
    note("behind", counts.unread, "bytes not read");
    if (!answer.with_data) own.rest += ", without data";
    own.rest += '\n';
    own.fields["within_unchecked"] = counts.untimed;
    if (counts.untimed > 0)
        own.rest += fmt::format("`within` was not checked for {}: no times, or times of different clocks\n",
                                counted(counts.untimed, "message"));
    own.fields["unknown"] = to_json(answer.unknown);
    own.rest += print(answer.unknown);
}

void write_roles(Own& own, const api::WatchAnswer& answer) {
    own.fields["roles"] = Json::array();
    for (const api::WatchedRole& role : answer.roles) {
        Json entry = entry_of(role.conformance);
        entry["role"] = role.name;
        entry["messages"] = role.messages;
        own.fields["roles"].push_back(std::move(entry));
        own.rest += fmt::format("{}: {}\n", role.name, text_of(role.conformance));
    }
    own.fields["global"] = entry_of(answer.whole);
    own.fields["global"]["assumption"] = answer.assumption;
    own.rest += fmt::format("global: {} ({})\n", text_of(answer.whole), answer.assumption);
}

void write_properties(Own& own, const api::WatchAnswer& answer) {
    own.fields["properties"] = Json::array();
    for (const api::WatchedProperty& property : answer.properties) {
        const watch::VerdictCounts& c = property.counts;
        own.fields["properties"].push_back({{"name", property.name},
                                            {"verdict", to_string(c.overall())},
                                            {"pass", c.pass},
                                            {"fail", c.fail},
                                            {"inconclusive", c.inconclusive}});
        own.rest += fmt::format("property {}: {} ({} passed, {} failed, {} inconclusive)\n", property.name,
                                to_string(c.overall()), c.pass, c.fail, c.inconclusive);
    }
}

// How much of the protocol the traffic has shown: interactions, by their lines.
void write_coverage(Own& own, const api::WatchAnswer& answer) {
    std::size_t covered = answer.interactions - answer.missing.size();
    Json missing = Json::array();
    own.rest += fmt::format("coverage: {} of {}\n", covered, counted(answer.interactions, "interaction"));
    for (const api::MissingInteraction& one : answer.missing) {
        missing.push_back({{"event", one.interaction}, {"line", one.line}});
        if (missing.size() <= most_missing)
            own.rest += fmt::format("  not seen: {} (line {})\n", one.interaction, one.line);
    }
    own.fields["coverage"] = {
        {"covered", covered}, {"total", answer.interactions}, {"missing", std::move(missing)}};
}

void write_deviations(Own& own, const api::WatchAnswer& answer) {
    own.fields["first_deviation"] = nullptr;
    own.fields["deviations"] = Json::array();
    for (const api::WatchDeviation& d : answer.deviations) own.fields["deviations"].push_back(entry_of(d));
    if (answer.deviations.empty()) return;
    own.fields["first_deviation"] = entry_of(answer.deviations.front());
    own.details += text_of(answer.deviations.front());
}

// Where nothing was judged, the text is only why.
void write_skipped(Own& own, const api::WatchAnswer& answer) {
    own.rest.clear();
    own.fields["skipped"] = Json::array();
    for (const api::SkippedRecord& one : answer.skipped) {
        own.fields["skipped"].push_back({{"source", one.log}, {"line", one.line}, {"reason", one.reason}});
        own.details += fmt::format("skipped: {}:{}: {}\n", one.log, one.line, one.reason);
    }
    own.details += print(answer.unknown);
}

}  // namespace

Own own_part(const api::WatchAnswer& answer) {
    Own own;
    // What could not be read to its end has nothing to count.
    if (!answer.verdict) return own;
    write_counts(own, answer);
    std::string numbers = std::exchange(own.rest, {});  // last on a terminal
    write_roles(own, answer);
    write_properties(own, answer);
    write_coverage(own, answer);
    write_deviations(own, answer);
    own.rest += numbers;
    if (!answer.judged) write_skipped(own, answer);
    return own;
}

Own own_part(const api::CheckPropertiesAnswer& answer) {
    Own own;
    if (!answer.verdict) return own;
    own.fields["properties"] = Json::array();
    for (const api::CheckedProperty& property : answer.properties) {
        own.text +=
            fmt::format("property {}: {}: {}\n", property.name, to_string(property.status), property.reason);
        own.fields["properties"].push_back({{"name", property.name},
                                            {"standing", to_string(property.status)},
                                            {"reason", property.reason},
                                            {"run", to_json(property.run)}});
    }
    return own;
}

void show_live(std::FILE* stream, const api::Progress& progress) {
    auto* watched = std::get_if<api::WatchProgress>(&progress);
    fmt::print(stream, "\r\x1b[K{}{}", progress_line(progress), watched && watched->last ? "\n" : "");
    std::fflush(stream);
}

}  // namespace treaty::report
