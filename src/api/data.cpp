#include "api/data.h"

#include <map>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/profile_input.h"
#include "base/seeds.h"
#include "expr/print.h"
#include "wire/codec.h"
#include "wire/codes.h"
#include "wire/sampler.h"
#include "wire/shapes.h"

namespace treaty::api {
namespace {

using model::MessageId;
using solve::Found;

// Of invalid messages, for each constraint: repetitions in a row after which the search for new ones ends.
constexpr std::size_t most_in_vain = 32;

class Maker {
public:
    Maker(const Inquiry& inquiry, const DataQuestion& question, DataAnswer& answer, model::Specification& s,
          const wire::Profile* profile)
        : inquiry_(inquiry),
          question_(question),
          answer_(answer),
          s_(s),
          profile_(profile),
          shapes_(wire::message_shapes(s)),
          rules_(wire::message_rules(s)) {}

    void run() {
        if (!choose_messages()) return;
        for (wire::MessageIndex m : chosen_)
            if (!prepare(MessageId(m))) return;
        if (!(question_.invalid ? make_invalid() : make_valid())) return;
        if (question_.corrupt) corrupt();
        inquiry_.holds();
    }

private:
    struct Entry {
        std::optional<wire::Codec> codec;
        std::optional<wire::Sampler> sampler;
    };

    // The messages to make: the named one; with a profile and no name all that it weighs.
    bool choose_messages() {
        if (!question_.message.empty()) {
            auto message = choose_message(inquiry_, s_, question_.message);
            if (message) chosen_.push_back(message->index);
            return message.has_value();
        }
        if (!profile_ || question_.invalid) {
            inquiry_.report(codes::bad_usage, "no message is named: use --message")
                .help("with --profile FILE, messages are chosen by their weights");
            return false;
        }
        for (std::uint32_t m = 0; m < s_.messages.size(); ++m)
            if (profile_->weight(m) > 0) chosen_.push_back(m);
        if (chosen_.empty()) inquiry_.report(wire::codes::bad_profile, "no message has a weight");
        return !chosen_.empty();
    }

    bool prepare(MessageId message) {
        const wire::Wire* wire = nullptr;
        if (!wire_for(message, wire)) return false;
        Entry& e = entries_[message.index];
        if (wire) e.codec.emplace(*s_.pool, *wire, shapes_);
        e.sampler.emplace(*s_.pool, rules_[message.index], e.codec ? &*e.codec : nullptr);
        e.sampler->use(profile_);
        answer_.kinds.emplace_back(s_.alphabet->name(message));
        if (wire || !question_.corrupt) return true;
        inquiry_.report(
            wire::codes::not_carried,
            fmt::format("no wire of the file has a layout for {}, so there are no bytes to corrupt",
                        s_.alphabet->name(message)));
        return false;
    }

    // Each message with the one after it, the last with itself.
    void corrupt() {
        for (std::size_t i = 0; i < answer_.messages.size(); ++i) {
            MadeMessage& one = answer_.messages[i];
            if (!one.bytes) continue;
            bool last = i + 1 == answer_.messages.size() || !answer_.messages[i + 1].bytes;
            const std::string& next = last ? *one.bytes : *answer_.messages[i + 1].bytes;
            const wire::Codec& codec = *entries_.at(s_.alphabet->find_message(one.name).index).codec;
            for (wire::Corruption& c : wire::corruptions(codec, *one.bytes, next)) {
                CorruptedBytes corrupted{std::move(c), {}, {}};
                corrupted.reading = wire::reading_of(codec, corrupted.corruption.bytes);
                for (const wire::Reading::Message& m : corrupted.reading.messages)
                    corrupted.messages.emplace_back(s_.alphabet->name(MessageId(m.message)));
                one.corrupted.push_back(std::move(corrupted));
            }
        }
    }

    // The wire to write with: the named one, which must carry the message, or the last one that does.
    bool wire_for(MessageId message, const wire::Wire*& out) const {
        auto carries = [&](const wire::Wire& w) {
            return wire::Codec(*s_.pool, w, shapes_).carries(message.index);
        };
        if (question_.wire.empty()) {
            for (const wire::Wire& w : s_.wires)
                if (carries(w)) out = &w;
            return true;
        }
        out = choose_wire(inquiry_, s_, question_.wire);
        if (!out) return false;
        if (carries(*out)) return true;
        inquiry_.report(wire::codes::not_carried,
                        fmt::format("{} has no layout for {}", question_.wire, s_.alphabet->name(message)));
        return false;
    }

    bool make_valid() {
        solve::Choices choices(inquiry_.context.seed);
        for (std::uint64_t i = 0; answer_.messages.size() < question_.count; ++i) {
            wire::MessageIndex m = chosen_.size() == 1 ? chosen_[0] : profile_->pick(chosen_, choices);
            wire::Sampler& sampler = *entries_.at(m).sampler;
            wire::Made made = sampler.valid(inquiry_.context.seed, i);
            if (made.again && sampler.all_made() != Found::no) {
                fewer(MessageId(m), "", sampler.all_made() == Found::yes);
                break;
            }
            if (!made.again && !take(MessageId(m), made, "")) return false;
        }
        return true;
    }

    bool make_invalid() {
        MessageId message(chosen_[0]);
        wire::Sampler& sampler = *entries_.at(message.index).sampler;
        std::vector<std::size_t> breakable = sampler.breakable(inquiry_.context.seed);
        if (breakable.empty()) {
            inquiry_.report(wire::codes::nothing_to_break,
                            "no constraint of this message can be broken without breaking another");
            return false;
        }
        absl::flat_hash_set<std::pair<std::size_t, std::uint64_t>> given;  // constraint, hash of the values
        std::size_t in_vain = 0;
        for (std::uint64_t i = 0; answer_.messages.size() < question_.count; ++i) {
            std::size_t k = breakable[i % breakable.size()];
            wire::Made made = sampler.invalid(k, base::seed_of(inquiry_.context.seed, i));
            if (made.found == Found::yes &&
                !given.emplace(k, expr::hash(expr::Sequence{made.values})).second) {
                if (++in_vain < most_in_vain * breakable.size()) continue;
                fewer(message, " invalid", false);
                break;
            }
            in_vain = 0;
            if (!take(message, made, sampler.constraints()[k])) return false;
        }
        return true;
    }

    // kind: "" or " invalid". proved: there are no others.
    void fewer(MessageId message, std::string_view kind, bool proved) const {
        std::size_t made = answer_.messages.size();
        std::string_view found = !proved ? "found only" : made == 1 ? "there is only" : "there are only";
        inquiry_.diagnostics().report(wire::codes::fewer_messages, s_.message(message).span,
                                      fmt::format("{} {}{}{} message{} {}; {} were asked for", found, made,
                                                  made == 1 ? "" : " different", kind, made == 1 ? "" : "s",
                                                  s_.alphabet->name(message), question_.count));
    }

    // Whether there is a message, and time for the next.
    bool take(MessageId message, const wire::Made& made, const std::string& breaks) {
        if (made.found == Found::no) {
            contradiction(message, made);
            return false;
        }
        if (made.found == Found::unknown) {
            inquiry_.undecided(made.reason);
            return false;
        }
        MadeMessage one;
        one.name = s_.alphabet->name(message);
        one.fields = field_values(s_, message, made.values);
        one.how = made.how;
        one.breaks = breaks;
        one.no_bytes = made.no_bytes;
        if (entries_.at(message.index).codec && made.no_bytes.empty()) one.bytes = made.bytes;
        answer_.messages.push_back(std::move(one));
        return go_on();
    }

    bool go_on() {
        std::uint64_t done = answer_.messages.size();
        if (inquiry_.context.progress && done % 64 == 0)
            inquiry_.context.progress(CountProgress{"messages", done, question_.count, {}});
        if (done == question_.count || !inquiry_.context.deadline.passed()) return true;
        answer_.bound.stopped(inquiry_.context.deadline.reason());
        inquiry_.undecided(fmt::format("{} of {} messages were made", done, question_.count));
        return false;
    }

    void contradiction(MessageId message, const wire::Made& made) const {
        std::vector<std::string> parts;
        for (expr::ExprId c : made.core) parts.push_back(expr::print(*s_.pool, c));
        parts.insert(parts.end(), made.ranges.begin(), made.ranges.end());
        inquiry_.diagnostics().report(wire::codes::no_values, s_.message(message).span,
                                      fmt::format("these cannot hold together: {}", fmt::join(parts, "; ")));
    }

    const Inquiry& inquiry_;
    const DataQuestion& question_;
    DataAnswer& answer_;
    model::Specification& s_;
    const wire::Profile* profile_;  // may be null
    std::vector<wire::MessageShape> shapes_;
    std::vector<wire::MessageRules> rules_;
    std::vector<wire::MessageIndex> chosen_;
    std::map<wire::MessageIndex, Entry> entries_;
};

void data(const Inquiry& inquiry, const DataQuestion& question, DataAnswer& answer) {
    if (question.count > DataQuestion::most) {
        inquiry.report(codes::bad_usage, fmt::format("at most {} messages at a time", DataQuestion::most));
        return;
    }
    auto specification = load_specification(inquiry, question.file);
    if (!specification) return;
    auto profile = read_profile(inquiry, *specification, question.profile);
    if (!profile) return;
    Maker(inquiry, question, answer, *specification, *profile ? &**profile : nullptr).run();
}

}  // namespace

DataAnswer data(const Workspace& workspace, const DataQuestion& question, const Context& context) {
    DataAnswer answer;
    answer.inputs = {question.file};
    answer.seed = context.seed;
    data(Inquiry(workspace, context, answer), question, answer);
    return answer;
}

std::string print(const CorruptedBytes& corrupted) {
    const wire::Reading& reading = corrupted.reading;
    std::string text;
    for (std::size_t i = 0; i < corrupted.messages.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "decoded as " : ", then ", corrupted.messages[i]);
        if (!reading.messages[i].condition_holds) text += " (its declaration is violated)";
    }
    std::string_view then = text.empty() ? "" : ", then ";
    if (reading.fault)
        text += fmt::format("{}refused at byte {}: {}", then, reading.fault->offset, reading.fault->reason);
    if (reading.more) text += fmt::format("{}needs more bytes", then);
    return text;
}

std::string bytes_of(const DataAnswer& answer) {
    std::string all;
    for (const MadeMessage& one : answer.messages)
        if (one.bytes) all += *one.bytes;
    return all;
}

}  // namespace treaty::api
