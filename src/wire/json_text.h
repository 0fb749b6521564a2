// JSON in bytes: the end of a document, the members of an object, values by type. Internal to wire/.
//
// Strict JSON, read once, nesting bounded. Every fault has the offset of the byte that does not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/pool.h"
#include "wire/codec.h"

namespace treaty::wire {

struct JsonFault {
    std::size_t at = 0;
    std::string reason;
};

struct JsonMember {
    std::string key;
    std::size_t begin = 0;  // of the value
    std::size_t end = 0;
    std::size_t key_at = 0;
};

// Finds where a document ends without understanding it, over any number of chunks.
class JsonScanner {
public:
    // The length of the document at the front of the text, blanks before it included; npos if it goes on.
    static std::size_t end_of_document(std::string_view text);
};

class JsonText {
public:
    JsonText(const expr::Pool& pool, std::string_view text, const Limits& limits)
        : pool_(pool), text_(text), limits_(limits) {}

    // The members of the object that is the whole text.
    bool object(std::vector<JsonMember>& members);
    // The members of an object, the elements of a list, where a value begins that object() or one of these
    // has given; elements have no key.
    bool members_of(const JsonMember& value, std::vector<JsonMember>& members);
    bool elements_of(const JsonMember& value, std::vector<JsonMember>& elements);
    // The value that is the whole text, with blanks around it.
    bool document(JsonMember& value);
    // The value of a member that object() gave, read as the type.
    std::optional<expr::Value> value(const JsonMember& member, expr::TypeId type);
    const JsonFault& fault() const { return fault_; }
    std::optional<std::string> string_at(const JsonMember& member);
    // The value as it is written.
    std::string_view written(const JsonMember& member) const {
        return text_.substr(member.begin, member.end - member.begin);
    }
    // A fault about a value, with the beginning of what is there instead; false.
    bool refuse(const JsonMember& member, std::string_view expected) {
        return fail_expecting(member.begin, expected);
    }
    bool refuse_because(std::size_t at, std::string why) { return fail(at, std::move(why)); }
    // Says of the fault where it is.
    void inside(std::string_view place);

private:
    void blanks();
    bool fail(std::size_t at, std::string why);
    bool fail_expecting(std::size_t at, std::string_view what);
    bool eat(char c, std::string_view what);
    bool skip_value(unsigned depth);
    bool skip_word();
    bool skip_number();
    bool string(std::string* out);
    bool escape(std::string* out);
    bool unicode(std::uint32_t& code);
    std::optional<expr::Value> read(expr::TypeId type, unsigned depth);
    std::optional<expr::Value> read_number(expr::TypeId type);
    std::optional<expr::Value> read_text(expr::TypeId type);
    std::optional<expr::Value> read_list(expr::TypeId type, unsigned depth);
    std::optional<expr::Value> read_set(expr::TypeId type, unsigned depth);
    std::optional<expr::Value> read_map(expr::TypeId type, unsigned depth);
    std::optional<expr::Value> read_pair(expr::TypeId type, unsigned depth);
    bool members_here(std::vector<JsonMember>& members, std::size_t& after);
    std::optional<expr::Value> read_record(expr::TypeId type, unsigned depth);

    const expr::Pool& pool_;
    std::string_view text_;
    const Limits& limits_;
    std::size_t at_ = 0;
    std::size_t items_ = 0;
    JsonFault fault_;
    bool fault_place_ = false;  // the reason begins with a place
};

// Appends the value as JSON; false if it cannot be written (a real that is not a number, text that is not
// UTF-8).
bool append_json(const expr::Pool& pool, expr::TypeId type, const expr::Value& value, std::string& out);
bool append_json_string(std::string_view text, std::string& out);

}  // namespace treaty::wire
