// Layouts of protobuf messages.
#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/parser_impl.h"

namespace treaty::lang {

namespace {

constexpr const char* fields_example = "for example protobuf { 1: string name, 2: int32 n, ... }";

}  // namespace

// protobuf { fields }
bool Parser::protobuf(WireItemSyntax& i) {
    std::uint32_t begin = peek().begin;
    take();
    i.kind = WireItemKind::protobuf;
    bool read =
        expect(TokenKind::left_brace, "`{` and the fields", fields_example) && protobuf_fields(i, false);
    i.span = from(begin);
    return read;
}

// Fields and the `}` after them.
bool Parser::protobuf_fields(WireItemSyntax& message, bool in_oneof) {
    if (block_depth_ >= max_block_depth) {
        report(codes::nested_too_deeply, here(),
               fmt::format("blocks are nested deeper than {} levels", max_block_depth));
        return false;
    }
    ++block_depth_;
    std::vector<std::uint32_t> fields;
    bool read = true;
    while (read && !at(TokenKind::right_brace)) {
        if (!in_oneof && accept(TokenKind::ellipsis)) {
            message.open = true;
            if (!at(TokenKind::right_brace)) read = fail("`}`", "`...` comes last: { 1: string name, ... }");
            break;
        }
        WireItemSyntax i;
        std::uint32_t begin = peek().begin;
        if (!in_oneof && at_word("oneof") && kind(1) == TokenKind::left_brace) {
            i.kind = WireItemKind::protobuf_oneof;
            take();
            take();
            read = protobuf_fields(i, true);
        } else {
            read = protobuf_field(i);
        }
        i.span = from(begin);
        fields.push_back(add_item(i));
        if (read && !accept(TokenKind::comma) && !at(TokenKind::right_brace))
            read = fail("`,` or `}`", "fields are separated by commas");
    }
    --block_depth_;
    if (!read) return false;
    take();
    message.inner = wire_list(fields);
    return true;
}

// 1: [required] [expanded] [closed] KIND name [{ ... }]
bool Parser::protobuf_field(WireItemSyntax& i) {
    i.kind = WireItemKind::protobuf_field;
    if (!at(TokenKind::integer)) return fail("the number of a field", fields_example);
    i.fixed = parse_primary();
    expression_failed_ = false;
    if (!expect(TokenKind::colon, "`:` and how the field is encoded", fields_example)) return false;
    for (bool more = true; more && is_word(kind(1));) {
        more = at_word("required") || at_word("expanded") || at_word("closed");
        if (!more) break;
        (at_word("required") ? i.required : at_word("expanded") ? i.expanded : i.closed) = true;
        take();
    }
    if (!protobuf_kind(i)) return false;
    std::string_view word = sources_.text(i.keyword);
    if (!expect_name(i.name, "the field that is encoded", true)) return false;
    if (word == "message")
        return expect(TokenKind::left_brace, "`{` and the fields of the message",
                      "for example 3: message address { 1: string street }") &&
               protobuf_fields(i, false);
    return word != "enum" || protobuf_members(i);
}

// int32, message, map<string, int32>
bool Parser::protobuf_kind(WireItemSyntax& i) {
    Name word;
    if (!expect_name(word, "how the field is encoded", true)) return false;
    i.keyword = word.span;
    if (names_.text(word.id) != "map" || !accept(TokenKind::less)) return true;
    if (!expect_name(i.transform, "how the keys are encoded", true) ||
        !expect(TokenKind::comma, "`,` and how the values are encoded", "for example map<string, int32>") ||
        !expect_name(word, "how the values are encoded", true))
        return false;
    i.keyword = word.span;
    return expect(TokenKind::greater, "`>`");
}

// { red = 0, green = 1 }
bool Parser::protobuf_members(WireItemSyntax& i) {
    static constexpr const char* example = "for example 4: enum color { red = 0, green = 1 }";
    if (!expect(TokenKind::left_brace, "`{` and the numbers of the members", example)) return false;
    std::vector<std::uint32_t> members;
    while (!at(TokenKind::right_brace)) {
        WireItemSyntax m;
        m.kind = WireItemKind::protobuf_member;
        std::uint32_t begin = peek().begin;
        if (!expect_name(m.name, "a member of the enumeration", true) ||
            !expect(TokenKind::assign, "`=` and the number of the member", example))
            return false;
        m.fixed = parse_prefix();
        bool read = !expression_failed_;
        expression_failed_ = false;
        if (!read) return false;
        m.span = from(begin);
        members.push_back(add_item(m));
        if (!accept(TokenKind::comma) && !at(TokenKind::right_brace))
            return fail("`,` or `}`", "members are separated by commas");
    }
    take();
    i.inner = wire_list(members);
    return true;
}

}  // namespace treaty::lang
