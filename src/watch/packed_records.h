// Records in a row, packed: what was seen of a channel at one of its ends only, or the last ones of a
// session.
//
// A monitor may have a million sessions, so short data is in the row itself and the rest in one block of
// bytes. Adding one copies a few dozen bytes and allocates only when the block is full. Taking the first one
// costs its own size; taking one by its text, a look at each one before it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/properties.h"
#include "watch/record.h"
#include "watch/saved.h"

namespace treaty::watch {

// A record as it is kept; the text is the one that it was kept with.
struct Kept {
    Side side = Side::sent;
    model::RoleId from, to;
    model::MessageId message;
    std::string text;
    std::vector<expr::Value> values;
    std::optional<std::int64_t> time_ns;
    LogPosition at;
};

class PackedRecords {
public:
    PackedRecords() = default;
    PackedRecords(const PackedRecords&) = delete;
    PackedRecords& operator=(const PackedRecords&) = delete;
    PackedRecords(PackedRecords&& other) noexcept;
    PackedRecords& operator=(PackedRecords&& other) noexcept;
    ~PackedRecords() {
        if (in_block()) delete[] block_;
    }

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    // What is pushed: a record's bytes, good for any number of rows. They stay valid until the next is
    // packed.
    class Packer {
    public:
        std::string_view pack(const Record& record, std::string_view text);

    private:
        std::vector<char> bytes_ = std::vector<char>(512);
    };
    bool push(std::string_view packed);  // false: there are too many bytes in the row already
    // The first one of this side and with this text; if the text is not empty, it must be of this message,
    // too.
    std::optional<Kept> take(Side side, std::string_view text, model::MessageId message);
    void pop();  // the first one; there must be one
    std::vector<Kept> all() const;

    // Asks for the first one, and the place of the next one, to come near.
    void fetch() const {
        if (!in_block()) return;
        __builtin_prefetch(block_ + begin_);
        __builtin_prefetch(block_ + end_);
    }

    void save(Saver& saver) const;
    bool load(Loader& loader, const model::Alphabet& alphabet);

private:
    static constexpr std::uint32_t inside = 56;  // bytes in the row itself

    bool in_block() const { return capacity_ > inside; }
    char* bytes() { return in_block() ? block_ : inside_; }
    const char* bytes() const { return in_block() ? block_ : inside_; }
    static Kept open(const char* from);
    char* room(std::size_t size);
    void erase(std::size_t at, std::size_t size);

    // Records, each with its length before it.
    std::uint32_t capacity_ = inside, begin_ = 0, end_ = 0, count_ = 0;
    union {
        char inside_[inside];
        char* block_;
    };
};

}  // namespace treaty::watch
