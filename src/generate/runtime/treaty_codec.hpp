// What codecs that `treaty generate` writes for C++ need at run time, beside treaty_runtime.hpp: a message is written
// into a text, and read from the front of one.
#pragma once

#include "treaty_runtime.hpp"

namespace treaty {

struct CodecError : Error {  // the bytes of a message cannot be written: they could not be read back
    using Error::Error;
};

inline constexpr std::size_t message_limit = std::size_t{16} << 20;  // bytes of a message
inline constexpr std::int64_t item_limit = 1'000'000;                // rounds of repetitions, in a message

inline std::string& raw(std::string& text) { return text; }
inline std::string& raw(Bytes& bytes) { return bytes.data; }
template <class M, class... Messages>
inline constexpr bool is_one_of = (std::is_same_v<M, Messages> || ...);
template <class N>
constexpr std::int64_t number(N n) {
    return static_cast<std::int64_t>(n);
}
inline void mask(std::string& text, std::string_view key) {
    for (std::size_t i = 0; !key.empty() && i < text.size(); ++i) text[i] = static_cast<char>(text[i] ^ key[i % key.size()]);
}

// Appends a message to a text. What is written by then is taken back unless done() is called.
class Writer {
public:
    Writer(std::string& out, std::size_t prefix) : out_(out), start_(out.size()), prefix_(prefix) { out_.append(prefix, '\0'); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        if (!done_) out_.resize(start_);
    }

    void literal(std::string_view text) { out_ += text; }
    void bits(std::int64_t n, unsigned width, const char* what, bool little = false) {
        if (n < 0 || (width < 63 && n >> width != 0)) refuse(what, "does not fit into its bits");
        for (unsigned left = width; filled_ == 0 && width % 8 == 0 && left > 0; left -= 8)
            out_ += static_cast<char>(n >> (little ? width - left : left - 8) & 0xff);
        for (unsigned left = filled_ == 0 && width % 8 == 0 ? 0 : width; left > 0;) {
            unsigned take = std::min(8 - filled_, left);
            left -= take;
            partial_ = partial_ << take | (static_cast<std::uint64_t>(n) >> left & ((1u << take) - 1));
            filled_ += take;
            if (filled_ < 8) continue;
            out_ += static_cast<char>(partial_);
            partial_ = filled_ = 0;
        }
    }
    void varint(std::int64_t n, unsigned most_bytes, const char* what) {
        if (n < 0 || (most_bytes < 9 && n >> (7 * most_bytes) != 0)) refuse(what, "does not fit into its bytes");
        append_varint(static_cast<std::uint64_t>(n), out_.size());
    }
    void decimal(std::int64_t n, std::string_view end) { out_.append(std::to_string(n)).append(end); }
    void line(std::string_view text, std::string_view end, const char* what) {
        std::size_t at = out_.size();
        out_.append(text).append(end);
        if (out_.find(end, at) != at + text.size()) refuse(what, "contains its own terminator");
    }
    void bytes(std::string_view text, std::int64_t size, const char* what) {
        sized(text, size, what);
        out_ += text;
    }
    void rest(std::string_view text) { out_ += text; }
    void sized(std::string_view text, std::int64_t size, const char* what) const {
        if (size < 0 || static_cast<std::uint64_t>(size) != text.size()) refuse(what, "does not have the size that the layout has room for");
    }
    void masked(std::string_view text, std::string_view key) {
        for (std::size_t i = 0; i < text.size(); ++i) out_ += static_cast<char>(key.empty() ? text[i] : text[i] ^ key[i % key.size()]);
    }
    void zeros(std::int64_t size) {
        if (size < 0 || static_cast<std::uint64_t>(size) > message_limit) throw CodecError("the message is too long");
        out_.append(static_cast<std::size_t>(size), '\0');
    }
    void check(bool holds, const char* what) {
        if (!holds) throw CodecError(what);
    }
    std::int64_t count(std::int64_t n) const {
        if (n < 0 || n > item_limit) throw CodecError("a count of the layout cannot be written");
        return n;
    }
    // A block: its length is written when it is complete. width: bits, or 0 for a varint.
    std::size_t open(unsigned width) {
        out_.append(width / 8, '\0');
        return out_.size();
    }
    void close(std::size_t begin, unsigned width, bool little) {
        whole_bytes();
        std::uint64_t n = out_.size() - begin;
        if (n >= std::uint64_t{1} << (width == 0 ? 28 : std::min(width, 63u))) throw CodecError("the block is too long for its length");
        if (width == 0) return append_varint(n, begin);
        for (unsigned k = 0; k < width / 8; ++k)
            out_[begin - width / 8 + k] = static_cast<char>(n >> (8 * (little ? k : width / 8 - 1 - k)) & 0xff);
    }
    void done() {
        whole_bytes();
        std::uint64_t n = out_.size() - start_ - prefix_;
        if (out_.size() - start_ > message_limit || (prefix_ > 0 && prefix_ < 8 && n >> (8 * prefix_) != 0))
            throw CodecError("the message is too long");
        for (std::size_t k = 0; k < prefix_; ++k) out_[start_ + k] = static_cast<char>(n >> (8 * (prefix_ - 1 - k)) & 0xff);
        done_ = true;
    }

private:
    [[noreturn]] static void refuse(const char* what, const char* why) { throw CodecError(std::string(what) + " " + why); }
    void whole_bytes() const {
        if (filled_ != 0) throw CodecError("the bits do not fill whole bytes");
    }
    void append_varint(std::uint64_t n, std::size_t at) {
        char bytes[10];
        std::size_t count = 0;
        do bytes[count++] = static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        while ((n >>= 7) > 0);
        out_.insert(at, bytes, count);
    }

    std::string& out_;
    std::size_t start_, prefix_;
    std::uint64_t partial_ = 0;
    unsigned filled_ = 0;
    bool done_ = false;
};

// What the bytes at hand are: a message, the beginning of one, or no message.
enum class Reading { message, more, fault };

// Reads the parts of a message. After a fault, or where bytes are missing, it gives zeros and empty texts.
class Reader {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    // whole: the message must be all of the bytes.
    Reader(std::string_view bytes, bool whole) : bytes_(bytes), limit_(whole ? bytes.size() : none), whole_(whole) {}

    bool ok() const { return state_ == Reading::message; }
    Reading state() const { return state_; }
    std::size_t at() const { return at_; }
    void fault() { fault(at_); }

    void literal(std::string_view text) {
        if (!ok()) return;
        std::size_t there = std::min(text.size(), bytes_.size() - at_);
        for (std::size_t k = 0; k < there; ++k)
            if (bytes_[at_ + k] != text[k]) return fault(at_ + k);
        if (have(text.size())) at_ += text.size();
    }
    std::int64_t bits(unsigned width, bool little = false) {
        if (!ok()) return 0;
        std::size_t begin = at_ * 8 + bit_, end = begin + width, last = (end + 7) / 8;
        if (last > at_ && !have(last - at_)) return 0;
        std::uint64_t n = 0;
        if (bit_ == 0 && width % 8 == 0) {
            for (std::size_t k = 0; k < width / 8; ++k)
                n = n << 8 | static_cast<unsigned char>(bytes_[little ? last - 1 - k : at_ + k]);
        } else {
            for (std::size_t b = begin; b < end; ++b)
                n = n << 1 | (static_cast<unsigned char>(bytes_[b / 8]) >> (7 - b % 8) & 1u);
        }
        at_ = end / 8;
        bit_ = static_cast<unsigned>(end % 8);
        return signed_of(n, begin / 8);
    }
    std::int64_t varint(unsigned most_bytes) {
        std::size_t begin = at_;
        std::uint64_t n = 0;
        for (unsigned k = 0; k < most_bytes && ok() && have(1); ++k) {
            auto byte = static_cast<unsigned char>(bytes_[at_++]);
            n |= std::uint64_t{byte & 0x7fu} << (7 * k);
            if (byte & 0x80u) continue;
            if (byte == 0 && k > 0) fault(at_ - 1);
            return signed_of(n, begin);
        }
        fault(at_);
        return 0;
    }
    std::int64_t decimal(std::string_view end) {
        if (!ok()) return 0;
        std::size_t begin = at_, k = at_ + (at_ < bytes_.size() && bytes_[at_] == '-' ? 1 : 0), digits = k;
        while (k < bytes_.size() && bytes_[k] >= '0' && bytes_[k] <= '9') ++k;
        if (k - begin > 20) return zero_at(begin);
        if (k < bytes_.size() && !bytes_.substr(k).starts_with(end) && !end.starts_with(bytes_.substr(k))) return zero_at(k);
        std::string_view text = line(end);
        if (!ok()) return 0;
        bool minus = digits > begin, canonical = text == "0" || (text.size() > (minus ? 1 : 0) && text[minus ? 1 : 0] != '0');
        std::uint64_t n = 0, most = (std::uint64_t{1} << 63) - (minus ? 0 : 1);
        for (std::size_t i = minus ? 1 : 0; i < text.size() && canonical; ++i) {
            auto digit = static_cast<std::uint64_t>(text[i] - '0');
            canonical = digit <= 9 && n <= (most - digit) / 10;
            n = n * 10 + digit;
        }
        if (!canonical) return zero_at(begin);
        return static_cast<std::int64_t>(minus ? 0 - n : n);
    }
    std::string_view line(std::string_view end) {
        if (!ok()) return {};
        std::size_t found = bytes_.find(end, at_);
        bool gone = found == std::string_view::npos || found + end.size() > limit_;
        if (limit_ != none && gone && bytes_.size() >= limit_) return fault(limit_), std::string_view();
        if (found == std::string_view::npos || found + end.size() > message_limit) {
            if (found != std::string_view::npos || bytes_.size() - at_ > message_limit) fault(at_);
            else more();
            return {};
        }
        std::string_view text = bytes_.substr(at_, found - at_);
        at_ = found + end.size();
        return text;
    }
    std::string_view bytes(std::int64_t size) {
        if (!ok()) return {};
        if (size < 0) fault(at_);
        if (!ok() || !have(static_cast<std::size_t>(size))) return {};
        at_ += static_cast<std::size_t>(size);
        return bytes_.substr(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    }
    // To the end of the block.
    std::string_view rest() {
        if (limit_ == none) fault(at_);
        return ok() ? bytes(static_cast<std::int64_t>(limit_ - at_)) : std::string_view();
    }
    std::int64_t ranged(std::int64_t n, std::int64_t low, std::int64_t high) {
        if (ok() && (n < low || n > high)) fault(at_);
        return n;
    }
    void check(bool holds) {
        if (ok() && !holds) fault(at_);
    }
    // How often something is repeated; again() counts down.
    std::int64_t count(std::int64_t n) {
        if (ok() && (n < 0 || n > item_limit)) fault(at_);
        return n;
    }
    bool again(std::int64_t& left) { return ok() && left-- > 0 && round(); }
    // Whether another round follows before the end of the block. last: where the round before began.
    bool inside(std::size_t& last) {
        if (ok() && (limit_ == none || (at_ < limit_ && at_ == last))) fault(at_);
        if (!ok() || at_ >= limit_) return false;
        last = at_;
        return round();
    }
    // A block: gives the end of the one around it, for close(). width: bits of its length, or 0 for a varint.
    std::size_t open(unsigned width, bool little) {
        std::size_t outer = limit_;
        std::int64_t n = width == 0 ? varint(4) : bits(width, little);
        if (ok() && have(static_cast<std::size_t>(n))) limit_ = at_ + static_cast<std::size_t>(n);
        return outer;
    }
    void close(std::size_t outer) {
        if (ok() && at_ != limit_) fault(at_);
        limit_ = outer;
    }
    void done() {
        if (ok() && whole_ && at_ != limit_) fault(at_);
        if (ok() && !whole_ && at_ == 0) fault(0);  // it would be read again and again
    }

private:
    bool round() {
        if (++rounds_ > item_limit) fault(at_);
        return ok();
    }
    void fault(std::size_t at) {
        if (!ok()) return;
        state_ = Reading::fault;
        at_ = at;
    }
    std::int64_t zero_at(std::size_t at) {
        fault(at);
        return 0;
    }
    void more() {
        if (ok()) state_ = Reading::more;
    }
    std::int64_t signed_of(std::uint64_t n, std::size_t at) {
        return n >> 63 != 0 ? zero_at(at) : static_cast<std::int64_t>(n);
    }
    // Whether so many more bytes can be had.
    bool have(std::size_t n) {
        if (limit_ != none && (limit_ < at_ || n > limit_ - at_)) fault(limit_);
        else if (n > message_limit || at_ + n > message_limit) fault(at_);
        else if (at_ + n > bytes_.size()) more();
        return ok();
    }

    std::string_view bytes_;
    std::size_t at_ = 0, limit_;
    std::int64_t rounds_ = 0;
    unsigned bit_ = 0;
    bool whole_;
    Reading state_ = Reading::message;
};

template <class Message>
struct Decoded {
    Reading kind = Reading::more;
    std::size_t size = 0;         // a message: its bytes; a fault: how far any layout fits
    bool condition_holds = true;  // the message's `where`; false only if no message fits whose does
    Message message{};
};

// Reads a layout into a message, and returns whether the message's condition holds.
template <class Message>
using Layout = bool (*)(Reader&, Message&);

// The message at the front of the bytes: the first one, in the order of the file, that fits and whose condition holds; if
// there is none, the first that fits. ended: no more bytes will come. prefix: bytes of a length before each message.
template <class Message>
Decoded<Message> decode(std::string_view bytes, bool ended, std::size_t prefix, std::span<const Layout<Message>> layouts) {
    Decoded<Message> out;
    if (bytes.empty()) return out;
    std::uint64_t length = 0;
    for (std::size_t k = 0; k < std::min(prefix, bytes.size()); ++k) length = length << 8 | static_cast<unsigned char>(bytes[k]);
    bool complete = bytes.size() >= prefix, whole = prefix > 0;
    if (complete && whole && length > message_limit) return {Reading::fault, 0, true, {}};
    complete = complete && (!whole || bytes.size() - prefix >= length);
    if (!complete) return {ended ? Reading::fault : Reading::more, ended ? bytes.size() : 0, true, {}};
    std::string_view body = whole ? bytes.substr(prefix, static_cast<std::size_t>(length)) : bytes;
    std::optional<std::size_t> fitting;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        Reader reader(body, whole);
        bool holds = layouts[i](reader, out.message);
        if (reader.ok() && holds) return {Reading::message, prefix + reader.at(), true, std::move(out.message)};
        if (reader.ok() && !fitting) fitting = i;
        bool at_limit = body.size() >= message_limit;
        if (reader.state() == Reading::more && !ended && !whole && !at_limit) return {Reading::more, 0, true, {}};
        std::size_t reached = reader.state() == Reading::more ? body.size() : reader.at();
        if (!reader.ok()) out.size = std::max(out.size, prefix + reached);
    }
    if (!fitting) return {Reading::fault, out.size, true, {}};
    Reader reader(body, whole);
    layouts[*fitting](reader, out.message);
    return {Reading::message, prefix + reader.at(), false, std::move(out.message)};
}

}  // namespace treaty
