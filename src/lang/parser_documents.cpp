// Layouts of JSON documents and of HTTP messages.
#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/parser_impl.h"

namespace treaty::lang {

std::uint32_t Parser::add_item(const WireItemSyntax& i) {
    out_.wire_items.push_back(i);
    return static_cast<std::uint32_t>(out_.wire_items.size() - 1);
}

// A body of an HTTP message, or `json` before a document: not the name of the next message.
bool Parser::at_body(std::string_view word) const {
    return at_word(word) && kind(1) != TokenKind::assign && kind(1) != TokenKind::left_paren &&
           kind(1) != TokenKind::colon;
}

// A field by itself may have any name, `at` or `type` for instance, as in the other layouts.
bool Parser::at_field_alone() const {
    if (!is_keyword(kind()) || at(TokenKind::kw_true) || at(TokenKind::kw_false) || at(TokenKind::kw_none))
        return false;
    TokenKind next = kind(1);
    return next == TokenKind::comma || next == TokenKind::right_brace || next == TokenKind::right_bracket ||
           (next == TokenKind::name &&
            (names_.text(peek(1).name) == "as" || names_.text(peek(1).name) == "for"));
}

bool Parser::field_alone(SyntaxExprId& out) {
    Name field;
    expect_name(field, "a field", true);
    SyntaxExpr e;
    e.kind = SyntaxExprKind::name;
    e.name = field.id;
    e.span = field.span;
    out = add_expr(e);
    return true;
}

bool Parser::json_document(std::vector<std::uint32_t>& items) {
    take();
    WireItemSyntax i;
    if (!json_value(i)) return false;
    items.push_back(add_item(i));
    return true;
}

bool Parser::json_value(WireItemSyntax& i) {
    if (block_depth_ >= max_block_depth) {
        report(codes::nested_too_deeply, here(),
               fmt::format("blocks are nested deeper than {} levels", max_block_depth));
        return false;
    }
    std::uint32_t begin = peek().begin;
    ++block_depth_;
    bool read = true;
    if (accept(TokenKind::left_brace)) {
        i.kind = WireItemKind::json_object;
        read = json_members(i);
    } else if (accept(TokenKind::left_bracket)) {
        read = json_elements(i);
    } else {
        i.kind = WireItemKind::json_value;
        read = at_field_alone() ? field_alone(i.value) : sum(i.value);
        if (read && at_word("as")) {
            take();
            read = expect_name(i.transform, "base64 or hex");
        }
    }
    --block_depth_;
    i.span = from(begin);
    return read;
}

// Members and the `}` after them.
bool Parser::json_members(WireItemSyntax& object) {
    static constexpr const char* example = "for example { \"id\": id, optional \"note\": note, ... }";
    std::vector<std::uint32_t> members;
    while (!at(TokenKind::right_brace)) {
        if (accept(TokenKind::ellipsis)) {
            object.open = true;
            if (!at(TokenKind::right_brace)) return fail("`}`", "`...` comes last: { \"id\": id, ... }");
            break;
        }
        WireItemSyntax m;
        m.kind = WireItemKind::json_member;
        std::uint32_t begin = peek().begin;
        m.may_be_absent = accept(TokenKind::kw_optional);
        if (!at(TokenKind::string)) return fail("the name of a member, in quotation marks", example);
        m.text = span_of(take());
        if (!expect(TokenKind::colon, "`:` and the member's value", example)) return false;
        WireItemSyntax value;
        if (!json_value(value)) return false;
        m.inner = wire_list({add_item(value)});
        m.span = from(begin);
        members.push_back(add_item(m));
        if (!accept(TokenKind::comma) && !at(TokenKind::right_brace))
            return fail("`,` or `}`", "members are separated by commas");
    }
    take();
    object.inner = wire_list(members);
    return true;
}

// [a, b] or [{ ... } for x in xs]
bool Parser::json_elements(WireItemSyntax& i) {
    i.kind = WireItemKind::json_array;
    std::vector<std::uint32_t> elements;
    while (!at(TokenKind::right_bracket)) {
        WireItemSyntax element;
        if (!json_value(element)) return false;
        elements.push_back(add_item(element));
        bool each = is_word(kind()) && names_.text(peek().name) == "for";
        if (each && elements.size() == 1) {
            take();
            i.kind = WireItemKind::json_each;
            if (!expect_name(i.name, "a name for each element") ||
                !expect(TokenKind::kw_in, "`in` and a list",
                        "for example [{ \"sku\": x.sku } for x in lines]"))
                return false;
            if (!sum(i.value)) return false;
            if (!at(TokenKind::right_bracket)) return fail("`]`");
            break;
        }
        if (!accept(TokenKind::comma) && !at(TokenKind::right_bracket))
            return fail("`,`, `for` or `]`", "for example [{ \"sku\": x.sku } for x in lines]");
    }
    take();
    i.inner = wire_list(elements);
    return true;
}

// METHOD "/path" or a status, then headers and a body.
bool Parser::http_items(std::vector<std::uint32_t>& items) {
    static constexpr const char* example =
        "for example POST \"/items/{id}\" json { \"quantity\": n }, or 201 json { \"id\": id, ... }";
    WireItemSyntax first;
    std::uint32_t begin = peek().begin;
    if (is_word(kind()) && kind(1) == TokenKind::string) {
        first.kind = WireItemKind::request;
        first.keyword = span_of(take());
        first.text = span_of(take());
    } else if (is_word(kind()) && kind(1) == TokenKind::colon) {
        expect_name(first.name, "a field", true);
        take();
        if (!http_status(first)) return false;
    } else if (!http_status(first)) {
        return false;
    }
    first.span = from(begin);
    items.push_back(add_item(first));
    bool body = false;
    for (;;) {
        WireItemSyntax i;
        begin = peek().begin;
        if (at_body("header")) {
            take();
            i.kind = WireItemKind::header;
            if (!at(TokenKind::string)) return fail("the header's name", "for example header \"X-Id\" = id");
            i.text = span_of(take());
            if (!expect(TokenKind::assign, "`=` and the header's value",
                        "a field or a text: header \"Authorization\" = \"Bearer {token}\"") ||
                !sum(i.value))
                return false;
        } else if (body) {
            return true;
        } else if (at_body("json")) {
            take();
            if (!json_value(i)) return false;
            i.span.begin = begin;
            body = true;
        } else if (at_body("form")) {
            take();
            i.kind = WireItemKind::form;
            if (!expect(TokenKind::left_brace, "`{` and the parameters") || !json_members(i)) return false;
            body = true;
        } else if (at_body("text") || at_body("bytes")) {
            i.kind = at_word("text") ? WireItemKind::text_body : WireItemKind::bytes_body;
            take();
            if (!sum(i.value)) return false;
            body = true;
        } else if (accept(TokenKind::ellipsis)) {
            i.kind = WireItemKind::any_body;
            body = true;
        } else if (peek().first_on_line || at(TokenKind::right_brace)) {
            return true;
        } else {
            return fail("header, json, form, text, bytes, `...` or the end of the line", example);
        }
        i.span = from(begin);
        items.push_back(add_item(i));
    }
}

// 201, 2xx or 400..499
bool Parser::http_status(WireItemSyntax& i) {
    i.kind = WireItemKind::status;
    bool is_class = at(TokenKind::name) && names_.text(peek().name).size() == 3 &&
                    names_.text(peek().name).ends_with("xx");
    if (!is_class && !at(TokenKind::integer))
        return fail(
            "a method and a path, or a status",
            "for example POST \"/items/{id}\" json { \"quantity\": n }, or 201 json { \"id\": id, ... }");
    std::uint32_t begin = peek().begin;
    take();
    if (!is_class && accept(TokenKind::dot_dot)) {
        if (!at(TokenKind::integer)) return fail("the last status of the range", "for example 400..499");
        take();
    }
    i.text = from(begin);
    return true;
}

}  // namespace treaty::lang
