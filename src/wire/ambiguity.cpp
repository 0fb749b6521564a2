#include "wire/ambiguity.h"

#include <algorithm>
#include <array>
#include <memory>

#include <absl/container/flat_hash_map.h>

#include "solve/narrow.h"
#include "wire/document_places.h"
#include "wire/line_escapes.h"
#include "wire/text_layout.h"

namespace treaty::wire {
namespace {

constexpr std::size_t most_messages = 64;
constexpr std::uint64_t samples_each = 24;
constexpr std::uint64_t samples_meeting = 6;
constexpr std::size_t fixed_bytes = 16;  // how far from its start a message is looked at for what is fixed

bool has_condition(const Codec& codec, MessageIndex message) {
    return codec.shapes()[message].where.valid();
}

class Search {
public:
    Search(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules,
           const base::Deadline& deadline)
        : pool_(pool), codec_(codec), rules_(rules), deadline_(deadline) {}

    std::vector<Overlap> run() {
        std::vector<MessageIndex> order;  // in which they are tried
        for (const Layout& l : codec_.wire().layouts) order.push_back(l.message.index);
        if (order.empty())
            for (MessageIndex m = 0; m < rules_.size(); ++m)
                if (codec_.carries(m)) order.push_back(m);
        if (order.size() > most_messages) order.resize(most_messages);
        std::vector<Overlap> found;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t j = i + 1; j < order.size(); ++j)
                if (auto overlap = compare(order[i], order[j])) found.push_back(std::move(*overlap));
        return found;
    }

    // Of two messages, the first of which is tried first.
    std::optional<Overlap> compare(MessageIndex first, MessageIndex second) {
        if (deadline_.passed()) return std::nullopt;
        const Kind& a = kind(first);
        const Kind& b = kind(second);
        if (a.samples.empty() || b.samples.empty()) return std::nullopt;
        std::optional<std::string> example;
        bool layouts_meet = false;  // some bytes fit both, conditions aside
        auto look = [&](const std::string& bytes) {
            if (example && example->size() <= bytes.size()) return;
            Fit one = fit(first, bytes), other = one.size > 0 ? fit(second, bytes) : Fit();
            layouts_meet = layouts_meet || other.size > 0;
            if (one.right && other.right) example = bytes.substr(0, std::max(one.size, other.size));
        };
        for (const std::string& s : a.samples) look(s), look(crossed(s, b));
        for (const std::string& s : b.samples) look(s), look(crossed(s, a));
        for (const std::string& s : sharing(first, second)) look(s);
        for (const std::string& s : sharing(second, first)) look(s);
        if (layouts_meet && !example) {
            for (const std::string& s : meeting(first, second)) look(s);
            for (const std::string& s : meeting(second, first)) look(s);
        }
        if (!example) return std::nullopt;
        auto all = [&](const Kind& from, MessageIndex into) {
            return std::all_of(from.samples.begin(), from.samples.end(),
                               [&](const std::string& s) { return fit(into, s).right; });
        };
        return Overlap{first, second, std::move(*example), all(a, second) && !all(b, first)};
    }

private:
    struct Kind {
        std::vector<std::string> samples;
        std::vector<std::vector<expr::Value>> values;            // of the samples
        std::array<unsigned char, fixed_bytes> mask{}, value{};  // bits that are the same in all samples
    };

    const Kind& kind(MessageIndex m) {
        auto [known, added] = kinds_.try_emplace(m);
        if (!added) return *known->second;
        known->second = std::make_unique<Kind>();
        Kind& made = *known->second;
        made.samples = samples(rules_[m], samples_each, &made.values);
        find_fixed(made);
        return made;
    }

    std::vector<std::string> samples(const MessageRules& rules, std::uint64_t count,
                                     std::vector<std::vector<expr::Value>>* values = nullptr) {
        std::vector<std::string> all;
        Sampler sampler(pool_, rules, &codec_);
        for (std::uint64_t n = 0; n < count && !deadline_.passed(); ++n) {
            Made made = sampler.valid(1, n);
            if (made.found != solve::Found::yes) break;
            all.push_back(std::move(made.bytes));
            if (values) values->push_back(std::move(made.values));
        }
        return all;
    }

    // Documents of one kind with the constants of the other, where both have a value in the same place.
    std::vector<std::string> sharing(MessageIndex made, MessageIndex other) {
        const Layout* from = layout_of(made);
        const Layout* to = layout_of(other);
        bool documents = codec_.wire().framing == Framing::http || codec_.wire().framing == Framing::json ||
                         codec_.wire().framing == Framing::lines;
        std::vector<std::string> all;
        if (!from || !to || !documents) return all;
        Encoder encoder(codec_);
        for (const std::vector<expr::Value>& values : kind(made).values) {
            std::string bytes;
            if (!encoder.encode(made, with_constants_of(pool_, *from, values, *to), bytes))
                all.push_back(std::move(bytes));
            if (all.size() == samples_meeting) break;
        }
        return all;
    }

    // Messages of one kind that satisfy the other kind's condition as well, as far as it speaks of fields
    // that are in the same place. None where neither has a condition: then samples of each kind are enough.
    std::vector<std::string> meeting(MessageIndex made, MessageIndex other) {
        const MessageShape& to = codec_.shapes()[other];
        if (!to.where) return {};
        absl::flat_hash_map<expr::VarId, expr::ExprId> by;
        for (std::size_t f = 0; f < to.parameters.size(); ++f)
            if (auto same = same_place(made, other, f)) by[to.parameters[f]] = pool_.var(*same);
        MessageRules rules = rules_[made];
        expr::ExprId both = rules.where ? rules.where : pool_.boolean(true);
        for (expr::ExprId c : solve::conjuncts_of(pool_, to.where)) {
            auto used = pool_.variables_of(c);
            if (std::all_of(used.begin(), used.end(), [&](expr::VarId v) { return by.contains(v); }))
                both = pool_.logical_and(both, expr::substitute(pool_, c, by));
        }
        rules.where = both;
        return samples(rules, samples_meeting);
    }

    // The field of `made` that is where this field of `other` is: the same part of an http message, or the
    // same item of the layout.
    std::optional<expr::VarId> same_place(MessageIndex made, MessageIndex other, std::size_t field) const {
        const MessageShape& from = codec_.shapes()[made];
        const MessageShape& to = codec_.shapes()[other];
        auto fitting = [&](std::size_t f) -> std::optional<expr::VarId> {
            bool same = f < from.parameters.size() &&
                        pool_.types().base(from.fields[f].type) == pool_.types().base(to.fields[field].type);
            return same ? std::optional(from.parameters[f]) : std::nullopt;
        };
        if (codec_.wire().layouts.empty()) {
            for (std::size_t f = 0; f < from.fields.size(); ++f)
                if (from.fields[f].name == to.fields[field].name) return fitting(f);
            return std::nullopt;
        }
        const Layout* a = layout_of(made);
        const Layout* b = layout_of(other);
        for (std::size_t i = 0; a && b && i < a->items.size() && i < b->items.size(); ++i) {
            expr::VarId here = model::variable_of(a->items[i]), there = model::variable_of(b->items[i]);
            if (!there || there != b->fields[field]) continue;
            auto at = std::find(a->fields.begin(), a->fields.end(), here);
            if (here && at != a->fields.end())
                return fitting(static_cast<std::size_t>(at - a->fields.begin()));
        }
        return std::nullopt;
    }

    const Layout* layout_of(MessageIndex m) const {
        for (const Layout& l : codec_.wire().layouts)
            if (l.message.index == m) return &l;
        return nullptr;
    }

    static void find_fixed(Kind& kind) {
        if (kind.samples.empty()) return;
        kind.mask.fill(0xff);
        for (const std::string& s : kind.samples)
            for (std::size_t k = 0; k < fixed_bytes; ++k) {
                auto byte = static_cast<unsigned char>(k < s.size() ? s[k] : 0);
                if (&s == &kind.samples[0]) kind.value[k] = byte;
                kind.mask[k] =
                    static_cast<unsigned char>(k < s.size() ? kind.mask[k] & ~(byte ^ kind.value[k]) : 0);
            }
    }

    struct Fit {
        std::size_t size = 0;  // how many of the bytes are the message; 0: none
        bool right = false;    // and its condition holds
    };

    Fit fit(MessageIndex message, std::string_view bytes) const {
        Decoder decoder(codec_);
        decoder.expect(std::array{message});
        decoder.feed(bytes);
        decoder.finish();
        Decoded out;
        if (decoder.next(out) != DecodeStatus::message) return {};
        return {static_cast<std::size_t>(out.end), out.condition_holds};
    }

    // The bytes, with the bits that are fixed in the other kind.
    static std::string crossed(std::string bytes, const Kind& other) {
        for (std::size_t k = 0; k < fixed_bytes && k < bytes.size(); ++k)
            bytes[k] = static_cast<char>((static_cast<unsigned char>(bytes[k]) & ~other.mask[k]) |
                                         (other.value[k] & other.mask[k]));
        return bytes;
    }

    expr::Pool& pool_;
    const Codec& codec_;
    std::span<const MessageRules> rules_;
    const base::Deadline& deadline_;
    absl::flat_hash_map<MessageIndex, std::unique_ptr<Kind>> kinds_;
};

// Patterns decide which lines fit both layouts; where a condition counts, too, such lines are looked for.
std::vector<Overlap> of_lines(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules,
                              const base::Deadline& deadline) {
    std::vector<Overlap> found;
    std::vector<TextLayout> layouts;
    const Wire& wire = codec.wire();
    LineEscapes escapes(wire.escapes);
    Search search(pool, codec, rules, deadline);
    for (const Layout& l : wire.layouts)
        layouts.emplace_back(codec.pool(), l, codec.shapes()[l.message.index]);
    // A marker is compared with the line as it is, other layouts with its content.
    auto marked = [&](const TextLayout& marker, const TextLayout& other) -> std::optional<std::string> {
        std::string line = *marker.automaton()->shortest(), content;
        std::vector<std::size_t> places;
        bool read = !escapes.unescape(line, content, places);
        return read && other.automaton()->matches(content) ? std::optional(line) : std::nullopt;
    };
    auto compare = [&](const TextLayout& one, const TextLayout& other) -> std::optional<Overlap> {
        const solve::Automaton* a = one.automaton();
        const solve::Automaton* b = other.automaton();
        if (!a || !b) return std::nullopt;
        bool first = one.is_marker(), second = other.is_marker();
        if (!escapes.empty() && first != second) {
            auto line = first ? marked(one, other) : marked(other, one);
            return line ? std::optional(Overlap{one.message(), other.message(), *line, first}) : std::nullopt;
        }
        auto both = a->both(*b);
        auto example = both ? both->shortest() : std::nullopt;
        if (!example) return std::nullopt;
        auto only_first = a->both(b->complement());
        return Overlap{one.message(), other.message(), std::move(*example),
                       only_first && only_first->empty()};
    };
    for (std::size_t i = 0; i < layouts.size(); ++i)
        for (std::size_t j = i + 1; j < layouts.size() && !deadline.passed(); ++j) {
            auto overlap = compare(layouts[i], layouts[j]);
            bool conditions = overlap && (has_condition(codec, layouts[i].message()) ||
                                          has_condition(codec, layouts[j].message()));
            if (conditions) {
                overlap = search.compare(layouts[i].message(), layouts[j].message());
                if (overlap && overlap->example.ends_with(wire.terminator))
                    overlap->example.resize(overlap->example.size() - wire.terminator.size());
            }
            if (overlap) found.push_back(std::move(*overlap));
        }
    return found;
}

}  // namespace

std::vector<Overlap> overlaps(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules,
                              const base::Deadline& deadline) {
    const Wire& wire = codec.wire();
    if (wire.framing == Framing::json && wire.layouts.empty()) return {};
    bool documents =
        !wire.layouts.empty() && !wire.layouts[0].items.empty() && model::is_json(wire.layouts[0].items[0]);
    if (wire.framing == Framing::lines && !documents) return of_lines(pool, codec, rules, deadline);
    return Search(pool, codec, rules, deadline).run();
}

}  // namespace treaty::wire
