#include "watch/json_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "expr/value_text.h"

namespace treaty::watch {

namespace {

constexpr std::size_t layouts_kept = 8, learned_limit = 1024, data_layouts_kept = 4, names_kept = 32;

std::uint64_t load(const char* p) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    return word;
}

bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The digits that eight bytes begin with: how many, and their value. Without a branch for each of them, since
// numbers of different lengths follow each other in no order.
int leading_digits(const char* p, std::uint64_t& value) {
    if constexpr (std::endian::native != std::endian::little) {
        int n = 0;
        for (value = 0; n < 8 && p[n] >= '0' && p[n] <= '9'; ++n)
            value = value * 10 + static_cast<unsigned>(p[n] - '0');
        return n;
    }
    std::uint64_t digits = load(p) ^ 0x3030303030303030u;
    std::uint64_t others = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
    int n = others == 0 ? 8 : std::countr_zero(others) / 8;
    if (n == 0) return 0;
    digits <<= 64 - 8 * n;
    // Pairs, then fours, then all eight.
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t pairs = 0x000000ff000000ffu;
    value = ((digits & pairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
             ((digits >> 16) & pairs) * (1 + (std::uint64_t{10'000} << 32))) >>
            32;
    return n;
}

constexpr std::array<std::uint64_t, 9> whole_powers = {1,       10,        100,        1'000,      10'000,
                                                       100'000, 1'000'000, 10'000'000, 100'000'000};

struct Number {
    bool integer = false;
    std::int64_t whole = 0;  // all digits, without the point
    std::size_t places = 0;  // digits after the point
    double real = 0;

    // Of this many seconds, where that is exact and in range; what is not is left to who reads texts.
    bool nanoseconds(std::int64_t& found) const {
        constexpr std::int64_t most = std::int64_t{9'000'000'000} * 1'000'000'000;
        if (places > 9) return false;
        auto factor = static_cast<std::int64_t>(whole_powers[9 - places > 8 ? 8 : 9 - places]);
        if (places == 0) factor *= 10;
        return !__builtin_mul_overflow(whole, factor, &found) && found < most && found > -most;
    }
};

constexpr std::array<double, 19> powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                           1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

}  // namespace

Member member_named(std::string_view key) {
    switch (key.size()) {
        case 2: return key == "id" ? Member::id : key == "to" ? Member::to : Member::other;
        case 3: return key == "dir" ? Member::dir : key == "raw" ? Member::raw : Member::other;
        case 4:
            return key == "time"   ? Member::time
                   : key == "data" ? Member::data
                   : key == "role" ? Member::role
                   : key == "peer" ? Member::peer
                   : key == "from" ? Member::from
                                   : Member::other;
        case 7:
            return key == "message" ? Member::message : key == "session" ? Member::session : Member::other;
        case 10: return key == "connection" ? Member::connection : Member::other;
        default: return Member::other;
    }
}

NameCache::Entry* NameCache::entry(std::string_view name) {
    if (name.empty() || name.size() > longest) return nullptr;
    std::uint64_t head = 0, tail = 0;
    std::size_t part = std::min<std::size_t>(name.size(), 8);
    std::memcpy(&head, name.data(), part);
    std::memcpy(&tail, name.data() + name.size() - part, part);
    std::uint64_t h = (head + name.size()) * 0x9e3779b97f4a7c15u ^ tail * 0xc2b2ae3d27d4eb4fu;
    Entry& e = entries_[(h >> 32) % size];
    if (e.length != name.size() || std::memcmp(e.text.data(), name.data(), name.size()) != 0) {
        e = {};
        e.length = static_cast<std::uint8_t>(name.size());
        std::memcpy(e.text.data(), name.data(), name.size());
    }
    return &e;
}

model::RoleId NameCache::role(std::string_view name) {
    Entry* e = entry(name);
    if (!e) return vocabulary_.role(name);
    if (!e->role) e->role = vocabulary_.role(name);
    return e->role;
}

model::MessageId NameCache::message(std::string_view name) {
    Entry* e = entry(name);
    if (!e) return vocabulary_.specification().alphabet->find_message(name);
    if (!e->message) e->message = vocabulary_.specification().alphabet->find_message(name);
    return e->message;
}

bool Literal::at(const char* place) const {
    if constexpr (std::endian::native != std::endian::little)
        return std::memcmp(text_.data(), place, size_) == 0;
    const char* mine = text_.data();
    std::size_t left = size_;
    for (; left >= 8; left -= 8, mine += 8, place += 8)
        if (load(mine) != load(place)) return false;
    return left == 0 || (load(mine) ^ load(place)) << (64 - 8 * left) == 0;
}

// Times begin with the same digits for long.
int JsonLayouts::Digits::leading(const char* p, std::uint64_t& found) {
    std::uint64_t word = load(p);
    if (word != bytes) {
        bytes = word;
        count = leading_digits(p, value);
    }
    found = value;
    return count;
}

// A position in a line. It may be after the end of the line at first; code that goes on checks inside().
struct JsonLayouts::Cursor {
    const char* p;
    const char* end;

    bool inside() const { return p <= end; }
    bool pass(const Literal& literal) {
        if (static_cast<std::size_t>(end - p) < literal.size() || !literal.at(p)) return false;
        p += literal.size();
        return true;
    }
    // Up to the quote that ends it.
    bool text(std::string_view& found) {
        const char* start = p;
        for (; p < end; p += 8) {
            constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
            std::uint64_t word = load(p);
            std::uint64_t quote = word ^ ones * '"', escape = word ^ ones * '\\';
            std::uint64_t stop = (((quote - ones) & ~quote) | ((escape - ones) & ~escape) |
                                  ((word - ones * 0x20) & ~word) | word) &
                                 high;
            if (stop == 0) continue;
            p += std::endian::native == std::endian::little ? std::countr_zero(stop) / 8 : 8;
            break;
        }
        if (std::endian::native != std::endian::little)
            for (p = start; p < end && *p != '"' && *p != '\\' && *p >= 0x20 && *p < 0x7f;) ++p;
        if (p >= end || *p != '"') return false;
        found = {start, static_cast<std::size_t>(p - start)};
        return true;
    }
    // Only if it is exact: few digits and no exponent.
    bool number(Number& found, Digits* last = nullptr) {
        bool negative = p < end && *p == '-';
        p += negative;
        const char* start = p;
        std::uint64_t digits = 0;
        auto read = [&] {
            const char* from = p;
            for (int n = 8; n == 8 && p - start <= 16;) {
                std::uint64_t value = 0;
                n = last && p == start ? last->leading(p, value) : leading_digits(p, value);
                digits = digits * whole_powers[static_cast<std::size_t>(n)] + value;
                p += n;
            }
            return p - from;
        };
        auto whole = read();
        if (whole == 0 || whole > 18 || (whole > 1 && *start == '0')) return false;
        std::size_t places = 0;
        found.integer = p >= end || *p != '.';
        if (!found.integer) {
            ++p;
            places = static_cast<std::size_t>(read());
            if (places == 0 || whole + static_cast<std::ptrdiff_t>(places) > 18) return false;
        }
        if (p > end || (p < end && (*p == 'e' || *p == 'E' || (*p >= '0' && *p <= '9')))) return false;
        if ((negative && digits == 0) || (places > 0 && digits > (std::uint64_t{1} << 53))) return false;
        found.whole = negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
        found.real = static_cast<double>(found.whole);
        // Both are exact, so the quotient is the nearest number there is.
        if (places > 0) found.real /= powers[places];
        found.places = places;
        return true;
    }
    bool word(bool& found) {
        std::string_view rest(p, static_cast<std::size_t>(end - p));
        found = rest.starts_with("true");
        if (!found && !rest.starts_with("false")) return false;
        p += found ? 4 : 5;
        return true;
    }
};

bool JsonLayouts::take(const Piece& piece, Cursor& at, Members& members) {
    std::string_view text;
    Number number;
    const char* start = at.p;
    Digits* last = piece.member == Member::time ? &last_time_ : nullptr;
    if (piece.kind == Kind::text ? !at.text(text) : !at.number(number, last)) return false;
    if (piece.kind == Kind::number) text = {start, static_cast<std::size_t>(at.p - start)};
    switch (piece.member) {
        case Member::time:
            members.time = piece.kind == Kind::text ? Members::Time::text : Members::Time::seconds;
            members.time_text = text;
            return piece.kind == Kind::text || number.nanoseconds(members.time_ns);
        case Member::session:
            members.has_session = true;
            members.session = text;
            return piece.kind == Kind::text || number.integer;
        case Member::id:
            members.has_id = true;
            members.id = text;
            return piece.kind == Kind::text || number.integer;
        default: break;
    }
    return true;
}

// Names are adjacent, and a few combinations of them come again and again: they are recognised
// together. `i` is the first of them, and then the last.
bool JsonLayouts::take_names(Layout& layout, std::size_t& i, Cursor& at, Members& members) {
    auto& known = layout.names[i];
    auto recognise = [&](std::size_t k) {
        Names& names = known[k];
        if (!at.pass(names.text)) return false;
        const char* start = at.p - names.text.size();
        --at.p;  // the quote is part of what comes next
        if (layout.together) members.parties = &names.parties;
        if (!layout.together || !names.parties)
            for (const Names::One& one : names.all)
                members.set(one.member, {start + one.at, one.size}, one.role);
        if (names.message) members.message = names.message;
        i += names.all.size() - 1;
        // What followed last time may follow again.
        known[layout.last_names].next = k;
        layout.last_names = k;
        return true;
    };
    if (layout.last_names >= known.size()) layout.last_names = 0;
    std::size_t likely = known.empty() ? 0 : known[layout.last_names].next;
    if (likely < known.size() && recognise(likely)) return true;
    for (std::size_t k = 0; k < known.size(); ++k)
        if (k != likely && recognise(k)) return true;
    return read_names(layout, i, at, members);
}

bool JsonLayouts::read_names(Layout& layout, std::size_t& i, Cursor& at, Members& members) {
    Names names;
    std::size_t first = i;
    const char* start = at.p;
    for (bool resolved = true;; ++i) {
        Member member = layout.pieces[i].member;
        std::string_view text;
        if (!at.text(text)) return false;
        model::RoleId role;
        if (member == Member::message)
            names.message = names_.message(text);
        else if (member != Member::dir && member != Member::connection && !text.empty())
            role = names_.role(text);
        // Something unknown may become known, and what differs every time is not worth keeping.
        resolved =
            resolved && (member == Member::dir || role || (member == Member::message && names.message));
        members.set(member, text, role);
        names.all.push_back({member, static_cast<std::uint32_t>(text.data() - start),
                             static_cast<std::uint32_t>(text.size()), role});
        bool more = i + 1 < layout.pieces.size() && layout.pieces[i + 1].member < Member::time;
        if (more) {
            if (!at.pass(layout.pieces[i + 1].before)) return false;
            continue;
        }
        if (names.message) members.message = names.message;
        names.text = Literal({start, static_cast<std::size_t>(at.p - start) + 1});
        if (resolved && layout.names[first].size() < names_kept)
            layout.names[first].push_back(std::move(names));
        return true;
    }
}

bool JsonLayouts::take_value(Cursor& at, Kind kind, expr::TypeId type,
                             std::vector<expr::Value>& values) const {
    const expr::Types& types = *specification_.types;
    const expr::Type& t = types[type];
    if (kind == Kind::word) {
        bool truth = false;
        if (!at.word(truth)) return false;
        values.emplace_back(truth);
    } else if (kind == Kind::number) {
        Number number;
        if (!at.number(number)) return false;
        if (t.kind == expr::TypeKind::real) {
            values.emplace_back(number.real);
        } else {
            values.emplace_back(number.whole);
            if (!number.integer || (t.low && number.whole < *t.low) || (t.high && number.whole > *t.high))
                return false;
        }
    } else {
        std::string_view text;
        if (!at.text(text)) return false;
        if (t.kind == expr::TypeKind::string) {
            values.emplace_back(std::string(text));
        } else {
            auto value = expr::value_of_text(text, type, types, *specification_.names);
            if (!value) return false;
            values.push_back(std::move(*value));
        }
    }
    return at.inside();
}

bool JsonLayouts::take_data(Cursor& at, model::MessageId message, std::vector<expr::Value>& values) const {
    if (!message || message.index >= of_message_.size()) return false;
    const auto& fields = specification_.message(message).fields;
    auto fit = [&](const Layout& layout, Cursor& here) {
        values.clear();
        for (std::size_t i = 0; i < layout.pieces.size(); ++i) {
            if (!here.pass(layout.pieces[i].before)) return false;
            if (!take_value(here, layout.pieces[i].kind, fields[i].type, values)) return false;
        }
        return here.pass(layout.tail);
    };
    for (const Layout& layout : of_message_[message.index]) {
        Cursor here = at;
        if (!fit(layout, here)) continue;
        at = here;
        return true;
    }
    return false;
}

bool JsonLayouts::fits(Layout& layout, Cursor at, Members& members, std::vector<expr::Value>& values,
                       bool& has_data) {
    members.clear();
    has_data = false;
    for (std::size_t i = 0; i < layout.pieces.size(); ++i) {
        const Piece& piece = layout.pieces[i];
        if (!at.pass(piece.before)) return false;
        if (piece.member == Member::data) {
            has_data = true;
            if (!take_data(at, members.message, values)) return false;
        } else if (piece.member < Member::time) {
            if (!take_names(layout, i, at, members)) return false;
        } else if (!take(piece, at, members)) {
            return false;
        }
        if (!at.inside()) return false;
    }
    return at.pass(layout.tail) && at.p == at.end && (members.message || !members[Member::message].empty());
}

bool JsonLayouts::read(std::string_view line, Members& members, std::vector<expr::Value>& values,
                       bool& has_data) {
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        if (!fits(layouts_[i], {line.data(), line.data() + line.size()}, members, values, has_data)) continue;
        if (i > 0)
            std::rotate(layouts_.begin(), layouts_.begin() + static_cast<std::ptrdiff_t>(i),
                        layouts_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return true;
    }
    values.clear();
    return false;
}

// Walks over a line that is JSON and cuts it into pieces; gives up where anything is not as simple as it
// wants it.
struct JsonLayouts::Learner {
    const model::Specification& specification;
    Cursor at;
    const char* cut;  // the bytes after it are in no piece yet

    void blanks() {
        while (at.p < at.end && blank(*at.p)) ++at.p;
    }
    bool sign(char c) {
        blanks();
        if (at.p >= at.end || *at.p != c) return false;
        ++at.p;
        blanks();
        return true;
    }
    bool key(std::string_view& name) {
        blanks();
        if (at.p >= at.end || *at.p++ != '"' || !at.text(name)) return false;
        ++at.p;
        return sign(':');
    }
    Literal literal() const { return Literal({cut, static_cast<std::size_t>(at.p - cut)}); }

    // A number or a text becomes a piece; a word stays as it is, unless words are wanted.
    bool scalar(Layout& layout, Member member, bool words) {
        blanks();
        if (at.p >= at.end) return false;
        Piece piece{{}, member, *at.p == '"' ? Kind::text : Kind::number};
        if (*at.p == 't' || *at.p == 'f') piece.kind = Kind::word;
        if (piece.kind == Kind::text) ++at.p;
        if (piece.kind != Kind::word || words) piece.before = literal();
        const char* start = at.p;
        std::string_view text;
        Number number;
        bool truth = false;
        bool taken = piece.kind == Kind::text     ? at.text(text)
                     : piece.kind == Kind::number ? at.number(number)
                                                  : at.word(truth);
        if (!taken || at.p < start) return false;
        if (piece.kind == Kind::word && !words) return member == Member::other;
        cut = at.p;
        if (piece.kind == Kind::text) ++at.p;
        layout.pieces.push_back(std::move(piece));
        return true;
    }
    static bool suits(Kind kind, expr::TypeKind type) {
        switch (type) {
            case expr::TypeKind::boolean: return kind == Kind::word;
            case expr::TypeKind::integer:
            case expr::TypeKind::real: return kind == Kind::number;
            case expr::TypeKind::string:
            case expr::TypeKind::bytes:
            case expr::TypeKind::enumeration: return kind == Kind::text;
            default: return false;
        }
    }
    // All fields in their order.
    bool data(model::MessageId message, Layout& layout) {
        const auto& fields = specification.message(message).fields;
        cut = at.p;
        if (!sign('{')) return false;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            std::string_view name;
            if ((i > 0 && !sign(',')) || !key(name) || name != specification.names->text(fields[i].name) ||
                !scalar(layout, Member::other, true))
                return false;
            if (!suits(layout.pieces.back().kind, specification.types->kind(fields[i].type))) return false;
        }
        blanks();
        if (at.p >= at.end || *at.p != '}') return false;
        ++at.p;
        layout.tail = literal();
        cut = at.p;
        return true;
    }
    bool object(model::MessageId message, Layout& layout, Layout& data_layout, bool& has_data) {
        std::uint32_t seen = 0;
        if (!sign('{')) return false;
        do {
            std::string_view name;
            if (!key(name)) return false;
            Member member = member_named(name);
            std::uint32_t bit = 1u << static_cast<unsigned>(member);
            if (member == Member::raw || (member != Member::other && (seen & bit))) return false;
            seen |= bit;
            if (member == Member::data) {
                if (!(seen & (1u << static_cast<unsigned>(Member::message))) || !message) return false;
                layout.pieces.push_back({literal(), member, Kind::text});
                has_data = true;
                if (!data(message, data_layout)) return false;
            } else {
                if (!scalar(layout, member, false)) return false;
                bool number = !layout.pieces.empty() && layout.pieces.back().member == member &&
                              layout.pieces.back().kind == Kind::number;
                if (number && member < Member::time) return false;
            }
        } while (sign(','));
        if (!sign('}') || at.p != at.end) return false;
        layout.tail = literal();
        return true;
    }
};

void JsonLayouts::learn(std::string_view line, model::MessageId message) {
    if (learned_ >= learned_limit) return;
    Layout layout, data;
    bool has_data = false;
    Learner learner{specification_, {line.data(), line.data() + line.size()}, line.data()};
    if (!learner.object(message, layout, data, has_data)) return;
    ++learned_;
    auto keep = [](std::vector<Layout>& list, Layout one, std::size_t limit) {
        if (std::find(list.begin(), list.end(), one) != list.end()) return;
        if (list.size() >= limit) list.pop_back();
        list.insert(list.begin(), std::move(one));
    };
    layout.names.resize(layout.pieces.size());
    std::size_t runs = 0;
    for (std::size_t i = 0; i < layout.pieces.size(); ++i)
        runs +=
            layout.pieces[i].member < Member::time && (i == 0 || layout.pieces[i - 1].member >= Member::time);
    layout.together = runs == 1;
    keep(layouts_, std::move(layout), layouts_kept);
    if (!has_data) return;
    if (of_message_.size() <= message.index) of_message_.resize(message.index + 1);
    keep(of_message_[message.index], std::move(data), data_layouts_kept);
}

}  // namespace treaty::watch
