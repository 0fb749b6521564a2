// What each framing implements, and the memory that a decoder or encoder lends it. Internal to wire/.
//
// decode() looks at the front of a window of bytes and returns one of three: a message of so many bytes; more
// bytes are needed; or a fault at this byte. It is a function of the window alone, so the cut into chunks
// does not matter: a longer window never changes the answer.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solve/choices.h"
#include "wire/codec.h"

namespace treaty::wire {

// The maximum depth of a repetition that contains itself.
constexpr std::size_t most_nested = 100;

// A variable's value while a message is read or written.
struct Cell {
    std::int64_t number = 0;  // also the number of elements of a list
    std::string_view text;
    const expr::Value* value = nullptr;
};

struct Scratch {
    Limits limits;
    bool explain = false;
    std::vector<bool> expected;  // by message; empty: all
    std::vector<Cell> cells;
    std::deque<std::string> texts;  // storage of the cells
    std::size_t texts_used = 0;
    std::vector<expr::Value> lists;  // by field: what repetitions collect
    std::vector<Piece> pieces;
    std::size_t scanned = 0;  // bytes of the window known to contain no end of a message

    bool is_expected(MessageIndex m) const {
        return expected.empty() || (m < expected.size() && expected[m]);
    }
    std::string& text() {
        std::string& next = next_text();
        next.clear();
        return next;
    }
    // Room for n bytes that are all about to be written: old contents are not cleared.
    char* room(std::size_t n) {
        std::string& next = next_text();
        if (next.size() < n) next.resize(n);
        return next.data();
    }

private:
    std::string& next_text() {
        if (texts_used == texts.size()) texts.emplace_back();
        return texts[texts_used++];
    }
};

struct DecodeStep {
    enum class Kind : std::uint8_t { message, more, fault } kind = Kind::more;
    std::size_t bytes = 0;   // message: its length; more: how many are needed at least; fault: where
    std::size_t resync = 0;  // fault: where the next message begins, if that is known
    std::string reason;      // fault
    // Fault: how many bits were read before it, which shows how much of a layout matches if the offsets are
    // equal; and the part of the reason that names what was expected, if there is one.
    std::size_t reached = 0;
    std::size_t wanted_at = 0, wanted_size = 0;
    // Fault: a constant differs or a length is impossible, so the bytes may have another layout.
    bool other_layout = false;

    static DecodeStep message_of(std::size_t n) { return {Kind::message, n, 0, {}}; }
    static DecodeStep more_than(std::size_t n) { return {Kind::more, n, 0, {}}; }
    static DecodeStep fault_at(std::size_t at, std::string why, std::size_t after = 0) {
        return {Kind::fault, at, after, std::move(why)};
    }
};

class Engine {
public:
    virtual ~Engine() = default;
    // ended: no byte will follow the window, which is not empty. Offsets in `out` and in pieces count from
    // the start of the window; the decoder adds its own.
    virtual DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const = 0;
    virtual std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> fields,
                                              Scratch& scratch, std::string& out) const = 0;
    virtual bool carries(MessageIndex message) const = 0;
    // Values made by going through the layout of the message; nothing if that found none.
    virtual std::optional<std::vector<expr::Value>> draw(MessageIndex, solve::Choices&, Scratch&) const {
        return std::nullopt;
    }
    // If these values are refused only because they would be read back as other values: those other values;
    // nothing if that does not help.
    virtual std::optional<std::vector<expr::Value>> reread(MessageIndex, std::span<const expr::Value>) const {
        return std::nullopt;
    }
    // Whether these bytes may follow the last message.
    virtual bool ignorable(std::string_view) const { return false; }
};

std::unique_ptr<Engine> make_lines_engine(const expr::Pool& pool, const Wire& wire,
                                          std::span<const MessageShape> shapes);
std::unique_ptr<Engine> make_binary_engine(const expr::Pool& pool, const Wire& wire,
                                           std::span<const MessageShape> shapes);
std::unique_ptr<Engine> make_json_engine(const expr::Pool& pool, const Wire& wire,
                                         std::span<const MessageShape> shapes);
std::unique_ptr<Engine> make_http_engine(const expr::Pool& pool, const Wire& wire,
                                         std::span<const MessageShape> shapes);
// Layouts of HTTP messages; of JSON documents, over lines or one after the other.
std::unique_ptr<Engine> make_http_layout_engine(const expr::Pool& pool, const Wire& wire,
                                                std::span<const MessageShape> shapes);
std::unique_ptr<Engine> make_document_engine(const expr::Pool& pool, const Wire& wire,
                                             std::span<const MessageShape> shapes);

// A value of a simple type from and to its text in a text protocol: digits, true and false, a member's name.
bool is_simple(const expr::Types& types, expr::TypeId type);
bool field_of_text(const expr::Pool& pool, expr::TypeId type, std::string_view text, FieldView& out);
bool append_text(const expr::Pool& pool, expr::TypeId type, const expr::Value& value, std::string& out);

// The value as a field of a decoded message; refers to it.
FieldView view_of(const expr::Value& value);

// Bytes as people read them: printable ones as they are, others as \xHH; long ones are cut.
std::string readable(std::string_view bytes);

// A number that the layout fixes or computes, as texts about bytes show it: a checksum always in hexadecimal,
// a constant unless it is below 10, a length never. bits: it has `width` bits, and so many digits are shown.
std::string number_text(PieceRole role, bool bits, std::uint64_t width, std::int64_t n);

}  // namespace treaty::wire
