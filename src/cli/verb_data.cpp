#include <map>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/seeds.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/profile_input.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "expr/print.h"
#include "model/wire_shapes.h"
#include "report/wording.h"
#include "wire/codec.h"
#include "wire/codes.h"
#include "wire/sampler.h"

namespace treaty::cli {
namespace {

using expr::ExprId;
using expr::Found;

constexpr std::uint64_t most_messages = 1'000'000;

// Prints messages, and says when there are none.
class Data {
public:
    Data(Session& session, model::Specification& s)
        : session_(session), s_(s), shapes_(model::wire_shapes(s)), rules_(model::wire_rules(s)) {
        rows_ = report::Json::array();
    }

    // The wire to write the message with; null: values only.
    void prepare(model::MessageId message, const wire::Wire* wire, const wire::Profile* profile) {
        if (samplers_.contains(message.index)) return;
        Entry& e = samplers_[message.index];
        if (wire) e.codec.emplace(*s_.pool, *wire, shapes_);
        e.sampler.emplace(*s_.pool, rules_[message.index], e.codec ? &*e.codec : nullptr);
        e.sampler->use(profile);
    }

    bool valid(model::MessageId message, std::uint64_t seed, std::uint64_t number) {
        return print(message, samplers_.at(message.index).sampler->valid(seed, number), "");
    }

    bool invalid(model::MessageId message, std::uint64_t count, std::uint64_t seed) {
        wire::Sampler& sampler = *samplers_.at(message.index).sampler;
        std::vector<std::size_t> breakable = sampler.breakable(seed);
        if (breakable.empty()) {
            session_.report(wire::codes::nothing_to_break,
                            "no constraint of this message can be broken alone");
            return false;
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            std::size_t k = breakable[i % breakable.size()];
            if (!print(message, sampler.invalid(k, base::seed_of(seed, i)), sampler.constraints()[k])) return false;
        }
        return true;
    }

    // Which strategies the fields' values came from.
    std::string ways() const {
        std::string text;
        for (const auto& [field, used] : ways_)
            text += fmt::format("{}{} by {}", text.empty() ? "" : "; ", field, fmt::join(used, ", "));
        return text;
    }

    report::Json rows() { return std::move(rows_); }
    const std::string& bytes() const { return bytes_; }
    std::optional<std::string> undecided;

private:
    struct Entry {
        std::optional<wire::Codec> codec;
        std::optional<wire::Sampler> sampler;
    };

    bool print(model::MessageId message, const wire::Made& made, const std::string& breaks) {
        if (made.found == Found::no) return contradiction(message, made);
        if (made.found == Found::unknown) {
            undecided = made.reason;
            return false;
        }
        row(message, made, breaks);
        return true;
    }

    bool contradiction(model::MessageId message, const wire::Made& made) {
        std::string list;
        auto add = [&](const std::string& text) {
            list += fmt::format("{}{}", list.empty() ? "" : "; ", text);
        };
        for (ExprId c : made.core) add(expr::print(*s_.pool, c));
        for (const std::string& range : made.ranges) add(range);
        session_.diagnostics.report(wire::codes::no_values, s_.message(message).span,
                                    fmt::format("these cannot hold together: {}", list));
        return false;
    }

    void row(model::MessageId message, const wire::Made& made, const std::string& breaks) {
        auto fields = rules_[message.index].fields;
        std::string name(s_.alphabet->name(message));
        report::Json data = report::Json::object(), ways = report::Json::object();
        std::string shown;
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            std::string field(s_.names->text(fields[i].name));
            data[field] = to_json(s_, fields[i].type, made.values[i]);
            ways[field] = made.how[i];
            ways_[samplers_.size() > 1 ? name + "." + field : field].insert(made.how[i]);
            shown += fmt::format("{}{} = {}", i > 0 ? ", " : "", field,
                                 expr::print(made.values[i], fields[i].type, *s_.types, *s_.names));
        }
        report::Json row{{"message", name}, {"data", std::move(data)}, {"how", std::move(ways)}};
        session_.result.text +=
            fmt::format("{}{}\n", name, made.values.empty() ? "" : fmt::format("({})", shown));
        if (!breaks.empty()) {
            row["breaks"] = breaks;
            session_.result.text += fmt::format("    breaks  {}\n", breaks);
        }
        if (samplers_.at(message.index).codec && made.no_bytes.empty()) {
            row["bytes"] = hexadecimal(made.bytes);
            session_.result.text += fmt::format("    bytes   {}\n", quoted_bytes(made.bytes));
            bytes_ += made.bytes;
        } else if (samplers_.at(message.index).codec) {
            row["no_bytes"] = made.no_bytes;
            session_.result.text += fmt::format("    no bytes: {}\n", made.no_bytes);
        }
        rows_.push_back(std::move(row));
    }

    Session& session_;
    model::Specification& s_;
    std::vector<wire::MessageShape> shapes_;
    std::vector<wire::MessageRules> rules_;
    std::map<std::uint32_t, Entry> samplers_;            // by message
    std::map<std::string, std::set<std::string>> ways_;  // by field
    report::Json rows_;
    std::string bytes_;
};

// The wire to write with: the named one, which must carry the message, or the last one that does.
bool wire_for(Session& session, const model::Specification& s, const std::string& name,
              model::MessageId message, const wire::Wire*& out) {
    auto carries = [&](const wire::Wire& w) {
        return wire::Codec(*s.pool, w, model::wire_shapes(s)).carries(message.index);
    };
    if (name.empty()) {
        for (const wire::Wire& w : s.wires)
            if (carries(w)) out = &w;
        return true;
    }
    out = choose_wire(session, s, name);
    if (!out) return false;
    if (carries(*out)) return true;
    session.report(wire::codes::not_carried,
                   fmt::format("{} has no layout for {}", name, s.alphabet->name(message)));
    return false;
}

struct Wanted {
    std::string message, wire;
    std::uint64_t count = 10;
    bool invalid = false;
};

// The messages to make: the named one; with a profile and no name all that it weighs.
bool choose_messages(Session& session, const model::Specification& s, const Wanted& wanted,
                     const wire::Profile* profile, std::vector<wire::MessageIndex>& out) {
    if (!wanted.message.empty()) {
        auto message = choose_message(session, s, wanted.message);
        if (message) out.push_back(message->index);
        return message.has_value();
    }
    if (!profile || wanted.invalid) {
        session.report(codes::bad_usage, "which message? --message names one")
            .help("with --profile FILE, messages come by their weights");
        return false;
    }
    for (std::uint32_t m = 0; m < s.messages.size(); ++m)
        if (profile->weight(m) > 0) out.push_back(m);
    if (out.empty()) session.report(wire::codes::bad_profile, "no message has a weight");
    return !out.empty();
}

// Whether all that was wanted was made.
bool make(Session& session, model::Specification& s, const Wanted& wanted, const wire::Profile* profile,
          Data& data) {
    std::vector<wire::MessageIndex> messages;
    if (!choose_messages(session, s, wanted, profile, messages)) return false;
    for (wire::MessageIndex m : messages) {
        const wire::Wire* wire = nullptr;
        if (!wire_for(session, s, wanted.wire, model::MessageId(m), wire)) return false;
        data.prepare(model::MessageId(m), wire, profile);
    }
    std::uint64_t seed = session.options.seed;
    if (wanted.invalid) return data.invalid(model::MessageId(messages[0]), wanted.count, seed);
    expr::Choices choices(seed);
    for (std::uint64_t i = 0; i < wanted.count; ++i) {
        wire::MessageIndex m = messages.size() == 1 ? messages[0] : profile->pick(messages, choices);
        if (!data.valid(model::MessageId(m), seed, i)) return false;
    }
    return true;
}

}  // namespace

int verb_data(Arguments arguments) {
    Session session("data");
    CommandLine line(session);
    std::string file, profile_path, output;
    Wanted wanted;
    std::optional<std::uint64_t> count;
    line.positional("FILE", file, "a file that declares the message");
    line.option("-m,--message", "NAME", wanted.message, "which message (with --profile: any, by weight)");
    line.option("-n,--count", "N", count, "how many (default: 10)");
    line.option("-w,--wire", "NAME", wanted.wire,
                "how it looks as bytes (default: the last wire that carries it)");
    line.option("-o,--output", "FILE", output, "write the bytes, one message after the other");
    line.option("--profile", "FILE", profile_path, "an operational profile: weights of messages and values");
    line.flag("--invalid", wanted.invalid, "messages that break exactly one constraint each");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    wanted.count = count.value_or(wanted.count);
    if (wanted.count > most_messages) {
        session.report(codes::bad_usage, fmt::format("at most {} messages at a time", most_messages));
        return session.finish();
    }
    auto specification = load_specification(session, file);
    if (!specification) return session.finish();
    auto profile = read_profile(session, *specification, profile_path);
    if (!profile) return session.finish();
    Data data(session, *specification);
    bool done = make(session, *specification, wanted, *profile ? &**profile : nullptr, data);
    session.result.quiet = true;
    session.result.extra["seed"] = session.options.seed;
    session.result.extra["values"] = data.rows();
    if (data.undecided) {
        session.result.quiet = false;
        session.result.answer = base::Answer::undecided;
        session.result.reason = *data.undecided;
        return session.finish();
    }
    if (!done) return session.finish();
    if (std::string ways = data.ways(); !ways.empty()) session.result.text += fmt::format("made: {}\n", ways);
    if (!output.empty() && !session.write(output, data.bytes())) return session.finish();
    return session.holds();
}

}  // namespace treaty::cli
