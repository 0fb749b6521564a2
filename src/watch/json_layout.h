// Layouts: what the lines of a JSON log have in common, so that most of them need not be parsed.
//
// The lines of a log mostly have the same members in the same order with the same blanks between them, and
// only values differ. A layout is learned from a line that the parser has taken: the bytes that stay, and
// the places of values with what each of them must be, a number or a text. A later line that has the layout
// is JSON because the learned one was: its values are checked to be of the same kind, plain (no escapes,
// ASCII, numbers that are exact), and everything else is equal byte by byte. Members of `data` are laid out
// by the message, which must come before it. A line that matches no layout is left to the parser;
// nothing is ever concluded from that.
//
// Cost: about one look at each byte; few layouts are kept, the one that fitted last is tried first. At least
// 64 readable bytes must follow a line (line_reader.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/record.h"

namespace treaty::watch {

// The members of an object that count.
enum class Member : std::uint8_t {
    dir,
    from,
    to,
    role,
    peer,
    message,
    raw,
    connection,
    time,
    session,
    id,
    data,
    other
};
Member member_named(std::string_view key);

// Sender, receiver, and the role that recorded it.
struct Parties {
    Side side = Side::sent;
    model::RoleId from, to;
};

// What the members of a line are. Texts are valid as long as the line, or what parsed it.
struct Members {
    enum class Time : std::uint8_t { absent, seconds, text, other };

    Time time = Time::absent;
    bool has_session = false, has_id = false;
    std::int64_t time_ns = 0;  // of a time that is a number of seconds
    std::string_view time_text, session, id;
    model::MessageId message;  // where it is known already
    std::optional<Parties>* parties =
        nullptr;  // where the names of such a line are remembered, if they can be

    // By member, dir to connection: the text, empty if it is absent or no text, and the role that it is known
    // to name.
    std::string_view operator[](Member m) const { return has(m) ? texts_[index(m)] : std::string_view(); }
    model::RoleId role(Member m) const { return has(m) ? roles_[index(m)] : model::RoleId(); }
    void set(Member m, std::string_view text, model::RoleId role = {}) {
        seen_ |= 1u << index(m);
        texts_[index(m)] = text;
        roles_[index(m)] = role;
    }
    void clear() {
        time = Time::absent;
        has_session = has_id = false;
        message = {};
        parties = nullptr;
        seen_ = 0;
    }

private:
    static std::size_t index(Member m) { return static_cast<std::size_t>(m); }
    bool has(Member m) const { return (seen_ >> index(m) & 1u) != 0; }

    std::uint32_t seen_ = 0;
    std::array<std::string_view, 8> texts_;
    std::array<model::RoleId, 8> roles_;
};

// Names that were looked up lately.
class NameCache {
public:
    explicit NameCache(const Vocabulary& vocabulary) : vocabulary_(vocabulary), entries_(size) {}
    model::RoleId role(std::string_view name);
    model::MessageId message(std::string_view name);  // of the specification; never learns one

private:
    static constexpr std::size_t size = 256, longest = 24;
    struct Entry {
        std::array<char, longest> text{};
        std::uint8_t length = 0;
        model::RoleId role;
        model::MessageId message;
    };
    Entry* entry(std::string_view name);

    const Vocabulary& vocabulary_;
    std::vector<Entry> entries_;
};

// Bytes that must be at a certain position.
class Literal {
public:
    Literal() = default;
    explicit Literal(std::string_view text) : text_(text), size_(text.size()) { text_.append(8, '\0'); }
    std::size_t size() const { return size_; }
    bool at(const char* place) const;  // 8 readable bytes must follow
    friend bool operator==(const Literal&, const Literal&) = default;

private:
    std::string text_;
    std::size_t size_ = 0;
};

class JsonLayouts {
public:
    explicit JsonLayouts(const Vocabulary& vocabulary)
        : specification_(vocabulary.specification()), names_(vocabulary) {}

    // False if no layout fits. True: the members, and if `data` is one, the message's values.
    bool read(std::string_view line, Members& members, std::vector<expr::Value>& values, bool& has_data);
    // From a line that is an object of JSON and tells of this message (none: unknown).
    void learn(std::string_view line, model::MessageId message);
    NameCache& names() { return names_; }

private:
    enum class Kind : std::uint8_t { text, number, word };
    struct Piece {
        Literal before;
        Member member = Member::other;
        Kind kind = Kind::text;
        friend bool operator==(const Piece&, const Piece&) = default;
    };
    // Adjacent names, from the first one's first byte to the quote that ends the last.
    struct Names {
        struct One {
            Member member;
            std::uint32_t at, size;
            model::RoleId role;
        };
        Literal text;
        std::vector<One> all;
        model::MessageId message;
        std::size_t next = 0;            // which of them came after it
        std::optional<Parties> parties;  // if they are all there are in the line, and it was asked before
    };
    struct Layout {
        std::vector<Piece> pieces;
        Literal tail;
        std::vector<std::vector<Names>> names;  // by the piece that is the first of them
        std::size_t last_names = 0;
        bool together = false;  // all names of a line are adjacent
        friend bool operator==(const Layout& a, const Layout& b) {
            return a.pieces == b.pieces && a.tail == b.tail;
        }
    };
    // The digits that a number began with.
    struct Digits {
        std::uint64_t bytes = 0, value = 0;
        int count = 0;
        int leading(const char* p, std::uint64_t& found);
    };
    struct Cursor;
    struct Learner;

    bool fits(Layout& layout, Cursor at, Members& members, std::vector<expr::Value>& values, bool& has_data);
    bool take(const Piece& piece, Cursor& at, Members& members);
    bool take_names(Layout& layout, std::size_t& i, Cursor& at, Members& members);
    bool read_names(Layout& layout, std::size_t& i, Cursor& at, Members& members);
    bool take_data(Cursor& at, model::MessageId message, std::vector<expr::Value>& values) const;
    bool take_value(Cursor& at, Kind kind, expr::TypeId type, std::vector<expr::Value>& values) const;

    const model::Specification& specification_;
    NameCache names_;
    std::vector<Layout> layouts_;                  // the one that fitted last first
    std::vector<std::vector<Layout>> of_message_;  // of `data`, by message
    Digits last_time_;
    std::size_t learned_ = 0;
};

}  // namespace treaty::watch
