#include "watch/packed_records.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace treaty::watch {

namespace {

constexpr std::size_t smallest = 128, longest_number = 10, fixed_bound = 8 + 5 * 5 + 2 * longest_number + 2,
                      largest = UINT32_MAX;

// Numbers are written in groups of seven bits, the lowest first; small ones take one byte.
void put(char*& to, std::uint64_t n) {
    for (; n >= 128; n >>= 7) *to++ = static_cast<char>(n | 128);
    *to++ = static_cast<char>(n);
}

std::uint64_t get(const char*& from) {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        auto byte = static_cast<unsigned char>(*from++);
        n |= std::uint64_t{byte & 127u} << shift;
        if (byte < 128) return n;
    }
}

template <class T>
void put_raw(char*& to, T x) {
    std::memcpy(to, &x, sizeof x);
    to += sizeof x;
}

template <class T>
T get_raw(const char*& from) {
    T x{};
    std::memcpy(&x, from, sizeof x);
    from += sizeof x;
    return x;
}

std::uint64_t folded(std::int64_t n) {
    return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}

std::int64_t unfolded(std::uint64_t n) {
    return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
}

void put_text(char*& to, std::string_view text) {
    put(to, text.size());
    std::memcpy(to, text.data(), text.size());
    to += text.size();
}

std::string_view get_text(const char*& from) {
    std::size_t size = get(from);
    std::string_view text(from, size);
    from += size;
    return text;
}

// A value: its kind, then a number, or a text or a list with its length before it.
const std::string* bytes_of(const expr::Value& v) {
    if (auto* s = std::get_if<std::string>(&v.v)) return s;
    auto* b = std::get_if<expr::Bytes>(&v.v);
    return b ? &b->data : nullptr;
}

// At most so many bytes.
std::size_t bound(const expr::Value& v) {
    if (const std::string* text = bytes_of(v)) return 1 + longest_number + text->size();
    std::size_t size = 1 + longest_number;
    if (auto* list = std::get_if<expr::Sequence>(&v.v))
        for (const expr::Value& item : list->items) size += bound(item);
    return size;
}

void pack(const expr::Value& v, char*& to) {
    *to++ = static_cast<char>(v.v.index());
    if (auto* i = std::get_if<std::int64_t>(&v.v)) {
        put(to, folded(*i));
    } else if (auto* d = std::get_if<double>(&v.v)) {
        put_raw(to, *d);
    } else if (auto* b = std::get_if<bool>(&v.v)) {
        put(to, *b);
    } else if (auto* e = std::get_if<expr::EnumMember>(&v.v)) {
        put(to, e->index);
    } else if (const std::string* text = bytes_of(v)) {
        put_text(to, *text);
    } else {
        const auto& items = std::get<expr::Sequence>(v.v).items;
        put(to, items.size());
        for (const expr::Value& item : items) pack(item, to);
    }
}

expr::Value unpack(const char*& from) {
    switch (*from++) {
        case 0: return get(from) != 0;
        case 1: return unfolded(get(from));
        case 2: return get_raw<double>(from);
        case 3: return std::string(get_text(from));
        case 4: return expr::Bytes{std::string(get_text(from))};
        case 5: return expr::EnumMember{static_cast<std::uint32_t>(get(from))};
        default: {
            expr::Sequence list;
            for (std::size_t n = get(from); n > 0; --n) list.items.push_back(unpack(from));
            return list;
        }
    }
}

}  // namespace

PackedRecords::PackedRecords(PackedRecords&& other) noexcept
    : capacity_(other.capacity_), begin_(other.begin_), end_(other.end_), count_(other.count_) {
    std::memcpy(inside_, other.inside_, inside);  // the block is in there, too
    other.capacity_ = inside;
    other.begin_ = other.end_ = other.count_ = 0;
}

PackedRecords& PackedRecords::operator=(PackedRecords&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    std::construct_at(this, std::move(other));
    return *this;
}

// Room for so many bytes after the last record; null if there are too many. What is free in front is used
// before there is a larger block.
char* PackedRecords::room(std::size_t size) {
    std::size_t used = end_ - begin_;
    if (capacity_ - end_ >= size) return bytes() + end_;
    if (begin_ > 0 && capacity_ - used >= size && (begin_ >= used || !in_block())) {
        std::memmove(bytes(), bytes() + begin_, used);
    } else {
        std::size_t wanted = std::max({smallest, used + size, std::size_t{capacity_} * 3 / 2});
        if (wanted > largest) return nullptr;
        char* block = new char[wanted];
        std::memcpy(block, bytes() + begin_, used);
        if (in_block()) delete[] block_;
        block_ = block;
        capacity_ = static_cast<std::uint32_t>(wanted);
    }
    begin_ = 0;
    end_ = static_cast<std::uint32_t>(used);
    return bytes() + used;
}

std::string_view PackedRecords::Packer::pack(const Record& record, std::string_view text) {
    std::size_t most = longest_number + fixed_bound + text.size();
    for (const expr::Value& v : record.values) most += bound(v);
    if (bytes_.size() < most) bytes_.resize(most);
    char* start = bytes_.data() + longest_number;
    char* to = start;
    put(to, static_cast<unsigned>(record.side) + (record.time_ns ? 4u : 0u));
    put_text(to, text);
    put(to, record.message ? std::uint64_t{record.message.index} + 1 : 0);
    put(to, record.from.index);
    put(to, record.to.index);
    if (record.time_ns) put_raw(to, *record.time_ns);
    put(to, record.source);
    put(to, record.line);
    put(to, record.values.size());
    for (const expr::Value& v : record.values) watch::pack(v, to);
    // The length goes directly before it.
    auto size = static_cast<std::size_t>(to - start);
    std::array<char, longest_number> length;
    char* end = length.data();
    put(end, size);
    auto before = static_cast<std::size_t>(end - length.data());
    std::memcpy(start - before, length.data(), before);
    return {start - before, before + size};
}

bool PackedRecords::push(std::string_view packed) {
    char* place = room(packed.size());
    if (!place) return false;
    std::memcpy(place, packed.data(), packed.size());
    end_ += static_cast<std::uint32_t>(packed.size());
    ++count_;
    return true;
}

Kept PackedRecords::open(const char* from) {
    Kept k;
    std::uint64_t side = get(from);
    k.side = static_cast<Side>(side & 3u);
    k.text = get_text(from);
    if (std::uint64_t message = get(from))
        k.message = model::MessageId(static_cast<std::size_t>(message - 1));
    k.from = model::RoleId(static_cast<std::size_t>(get(from)));
    k.to = model::RoleId(static_cast<std::size_t>(get(from)));
    if (side & 4u) k.time_ns = get_raw<std::int64_t>(from);
    k.at.source = static_cast<std::uint32_t>(get(from));
    k.at.line = get(from);
    k.values.resize(get(from));
    for (expr::Value& v : k.values) v = unpack(from);
    return k;
}

void PackedRecords::pop() {
    const char* from = bytes() + begin_;
    std::size_t size = get(from);
    erase(begin_, static_cast<std::size_t>(from - bytes()) - begin_ + size);
}

void PackedRecords::erase(std::size_t at, std::size_t size) {
    if (at == begin_) {
        begin_ += static_cast<std::uint32_t>(size);
    } else {
        std::memmove(bytes() + at, bytes() + at + size, end_ - at - size);
        end_ -= static_cast<std::uint32_t>(size);
    }
    if (--count_ == 0) begin_ = end_ = 0;
}

std::optional<Kept> PackedRecords::take(Side side, std::string_view text, model::MessageId message) {
    const char* end = bytes() + end_;
    for (const char* at = bytes() + begin_; at < end;) {
        const char* from = at;
        std::size_t size = get(from);
        const char *body = from, *rest = from;
        if ((get(rest) & 3u) == static_cast<unsigned>(side) && get_text(rest) == text &&
            (text.empty() || get(rest) == std::uint64_t{message.index} + 1)) {
            Kept found = open(body);
            erase(static_cast<std::size_t>(at - bytes()), static_cast<std::size_t>(body - at) + size);
            return found;
        }
        at = body + size;
    }
    return std::nullopt;
}

std::vector<Kept> PackedRecords::all() const {
    std::vector<Kept> list;
    const char* end = bytes() + end_;
    for (const char* at = bytes() + begin_; at < end;) {
        std::size_t size = get(at);
        list.push_back(open(at));
        at += size;
    }
    return list;
}

void PackedRecords::save(Saver& saver) const {
    saver.number(size());
    for (const Kept& k : all()) {
        saver.number(static_cast<unsigned>(k.side));
        saver.number(k.from.index);
        saver.number(k.to.index);
        saver.number(k.message ? std::uint64_t{k.message.index} + 1 : 0);
        saver.text(k.text);
        saver.values(k.values);
        saver.number(k.time_ns.has_value());
        saver.signed_number(k.time_ns.value_or(0));
        saver.number(k.at.source);
        saver.number(k.at.line);
    }
}

bool PackedRecords::load(Loader& loader, const model::Alphabet& alphabet) {
    Packer packer;
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        Record r;
        load_event(loader, alphabet, r);
        std::string text = loader.text();
        r.values = loader.values();
        bool timed = loader.number() != 0;
        std::int64_t time = loader.signed_number();
        if (timed) r.time_ns = time;
        r.source = static_cast<std::uint32_t>(loader.number());
        r.line = loader.number();
        if (loader.ok()) push(packer.pack(r, text));
    }
    return loader.ok();
}

}  // namespace treaty::watch
