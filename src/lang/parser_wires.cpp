// Wires: how messages look as bytes.
#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/parser_impl.h"

namespace treaty::lang {

bool Parser::wire() {
    WireSyntax w;
    std::uint32_t begin = take().begin;
    if (!expect_name(w.name, "the wire's name")) return false;
    if (!expect(TokenKind::kw_over, "`over` and lines, stream, json, http or length-prefixed")) return false;
    if (!framing(w)) return false;
    if (!expect(TokenKind::left_brace, "`{` and the messages' layouts")) return false;
    std::vector<LayoutSyntax> layouts;
    while (!at(TokenKind::right_brace)) {
        // A message may be called `message` or `record`.
        bool layout_begins = kind(1) == TokenKind::left_paren || kind(1) == TokenKind::assign;
        if (at(TokenKind::end_of_file) || (begins_item() && !layout_begins))
            return unclosed_wire(w.name.span);
        LayoutSyntax l;
        std::size_t before = next_;
        bool read = layout(l, names_.text(w.framing.id) == "http");
        if (unclosed_) return unclosed_wire(w.name.span);
        if (read)
            layouts.push_back(l);
        else
            skip_layout(before, indent_of(begin));
    }
    take();
    w.layouts = append(out_.layouts, layouts);
    w.span = from(begin);
    out_.items.push_back({ItemKind::wire, static_cast<std::uint32_t>(out_.wires.size())});
    out_.wires.push_back(w);
    return true;
}

// From somewhere in a damaged layout to the next one, or to the `}` of the wire. Braces are counted from the
// layout's first token; where one is missing, the wire's own indentation tells its end.
void Parser::skip_layout(std::size_t first_token, std::uint32_t wire_indent) {
    int depth = 0;
    for (std::size_t i = first_token; i < next_; ++i)
        depth += (tokens_[i].kind == TokenKind::left_brace) - (tokens_[i].kind == TokenKind::right_brace);
    while (!at(TokenKind::end_of_file) && !(begins_item() && kind(1) != TokenKind::colon)) {
        if (next_ > first_token && begins_layout()) return;
        if (at(TokenKind::left_brace)) ++depth;
        if (at(TokenKind::right_brace)) {
            bool outermost = peek().first_on_line && indent_of(peek().begin) <= wire_indent;
            if (depth <= 0 || outermost) return;
            --depth;
        }
        take();
    }
}

bool Parser::unclosed_wire(Span name) {
    report(codes::unclosed_block, name, "this wire is never closed").help("add the missing `}`");
    unclosed_ = true;
    return false;
}

bool Parser::framing(WireSyntax& w) {
    if (!expect_name(w.framing, "lines, stream, json, http or length-prefixed")) return false;
    std::string_view name = names_.text(w.framing.id);
    if (name == "lines") {
        if (!at(TokenKind::string)) return fail("the line's terminator", "for example over lines \"\\r\\n\"");
        w.terminator = span_of(take());
        return !at_word("escapes") || escapes(w);
    }
    if (name == "json" && at(TokenKind::string)) w.terminator = span_of(take());
    if (name == "length" && accept(TokenKind::minus)) {
        Name prefixed;
        if (!expect_name(prefixed, "`prefixed`")) return false;
        w.framing.span = base::cover(w.framing.span, prefixed.span);
        w.prefix = parse_prefix();
        bool read = !expression_failed_;
        expression_failed_ = false;
        return read;
    }
    return true;
}

// escapes "text" [at start] as "written", ...
bool Parser::escapes(WireSyntax& w) {
    static constexpr const char* example =
        "for example escapes \"\\\\\" as \"\\\\\\\\\", \"\\n\" as \"\\\\n\"";
    std::vector<EscapeSyntax> all;
    take();
    do {
        EscapeSyntax e;
        if (!at(TokenKind::string)) return fail("the text that is escaped", example);
        e.text = span_of(take());
        if (accept(TokenKind::kw_at)) {
            if (!at_word("start")) return fail("`start`", "an escape is for all of the line, or at start");
            take();
            e.at_start = true;
        }
        if (!at_word("as")) return fail("`as` and what is written instead", example);
        take();
        if (!at(TokenKind::string)) return fail("what is written instead", example);
        e.written = span_of(take());
        all.push_back(e);
    } while (accept(TokenKind::comma));
    w.escapes = append(out_.escapes, all);
    return true;
}

// xor key, as base64
bool Parser::transform(WireItemSyntax& i) {
    bool read = true;
    if (i.kind == WireItemKind::byte_string && accept(TokenKind::kw_xor)) {
        i.key = parse_primary();
        read = !expression_failed_;
        expression_failed_ = false;
    }
    if (!read || !at_word("as") || kind(1) == TokenKind::colon) return read;
    take();
    return expect_name(i.transform, "base64, hex or reversed");
}

bool Parser::layout(LayoutSyntax& l, bool http) {
    std::uint32_t begin = peek().begin;
    if (!is_word(kind())) return fail_here("a message and its layout");
    expect_name(l.message, "a message", true);
    if (at(TokenKind::left_paren)) {
        l.has_fields = true;
        if (!parenthesised_names(l.fields, "a field", true)) return false;
    }
    if (!expect(TokenKind::assign, "`=` and the layout")) return false;
    std::vector<std::uint32_t> items;
    if (at(TokenKind::left_brace)) {
        l.binary = true;
        Span open = here();
        take();
        layout_cut_ = layout_lost_ = false;
        bool read = binary_items(items);
        if (layout_cut_)
            report(codes::unclosed_block, open, "this layout is never closed")
                .label(here(), "another one begins here")
                .help("add the missing `}`");
        if (!read) return false;
    } else if (http) {
        if (!http_items(items)) return false;
    } else if (at_body("json")) {
        if (!json_document(items)) return false;
        if (!peek().first_on_line && !at(TokenKind::right_brace)) return fail("the end of the line");
    } else if (at_body("protobuf")) {
        l.binary = l.bare = true;
        WireItemSyntax i;
        if (!protobuf(i)) return false;
        items.push_back(add_item(i));
        if (!peek().first_on_line && !at(TokenKind::right_brace)) return fail("the end of the line");
    } else if (!text_items(items)) {
        return false;
    } else if (!peek().first_on_line && !at(TokenKind::right_brace)) {
        return fail("a string, a pattern, a field or the end of the line");
    }
    l.items = wire_list(items);
    l.span = from(begin);
    return true;
}

// Whether the next line begins a layout: a message, perhaps its fields, and `=`.
bool Parser::begins_layout() const {
    if (!peek().first_on_line || !is_word(kind())) return false;
    if (kind(1) == TokenKind::assign) return true;
    if (kind(1) != TokenKind::left_paren) return false;
    std::size_t i = 2;
    while (is_word(kind(i)) || kind(i) == TokenKind::comma) ++i;
    return kind(i) == TokenKind::right_paren && kind(i + 1) == TokenKind::assign;
}

Range Parser::wire_list(const std::vector<std::uint32_t>& items) {
    return append(out_.wire_lists, items);
}

bool Parser::text_items(std::vector<std::uint32_t>& items) {
    do {
        WireItemSyntax i;
        if (!text_item(i)) return false;
        items.push_back(static_cast<std::uint32_t>(out_.wire_items.size()));
        out_.wire_items.push_back(i);
    } while (!peek().first_on_line && (at(TokenKind::string) || at(TokenKind::regex) || is_word(kind())));
    return true;
}

// For those who write bits and bytes where the layout is one of texts.
constexpr const char* in_braces = "bits and bytes are laid out in braces: m(x) = { 2: 8  x: 16 }";

bool Parser::text_item(WireItemSyntax& i) {
    std::uint32_t begin = peek().begin;
    if (at(TokenKind::string) || at(TokenKind::regex)) {
        i.kind = at(TokenKind::string) ? WireItemKind::literal : WireItemKind::pattern;
        i.text = span_of(take());
    } else if (!is_word(kind())) {
        return fail("a string, a pattern or a field", in_braces);
    } else {
        i.kind = WireItemKind::field;
        if (!expect_name(i.name, "a string, a pattern or a field", true)) return false;
        if (!expect(TokenKind::colon, "`:` and a pattern",
                    "a field needs a pattern for its text: name:/[a-z]+/"))
            return false;
        if (at(TokenKind::integer)) return fail("a pattern", in_braces);
        if (!at(TokenKind::regex)) return fail("a pattern", "a pattern is written between slashes");
        i.text = span_of(take());
    }
    i.span = from(begin);
    return true;
}

// The items and the `}` after them. A fault in one does not hide the others'.
bool Parser::binary_items(std::vector<std::uint32_t>& items) {
    bool fine = true;
    while (!at(TokenKind::right_brace)) {
        // A field may be called `type` or `message`.
        if (at(TokenKind::end_of_file) || (begins_item() && kind(1) != TokenKind::colon)) {
            unclosed_ = true;
            return false;
        }
        if (begins_layout()) {
            layout_cut_ = true;
            return false;
        }
        if (at(TokenKind::left_brace)) {
            fine = fail_here("a field, a number, `if` or `repeat`");
            take();
            continue;
        }
        WireItemSyntax i;
        std::size_t before = next_;
        if (binary_item(i)) {
            items.push_back(static_cast<std::uint32_t>(out_.wire_items.size()));
            out_.wire_items.push_back(i);
            continue;
        }
        if (unclosed_ || layout_lost_) return false;
        fine = false;
        if (next_ == before || !peek().first_on_line) skip_line();
    }
    take();
    return fine;
}

bool Parser::binary_block(Range& inner) {
    if (block_depth_ >= max_block_depth) {
        report(codes::nested_too_deeply, here(),
               fmt::format("blocks are nested deeper than {} levels", max_block_depth));
        if (at(TokenKind::left_brace)) skip_block();
        return false;
    }
    if (!expect(TokenKind::left_brace, "`{`")) return false;
    ++block_depth_;
    std::vector<std::uint32_t> items;
    bool read = binary_items(items);
    --block_depth_;
    if (read) inner = wire_list(items);
    return read;
}

bool Parser::at_word(std::string_view word) const {
    return at(TokenKind::name) && names_.text(peek().name) == word;
}

// A size and perhaps `little`.
bool Parser::bit_size(WireItemSyntax& i) {
    i.size = parse_primary();
    bool read = !expression_failed_;
    expression_failed_ = false;
    if (read && at_word("little") && kind(1) != TokenKind::colon) {
        take();
        i.little_endian = true;
    }
    return read;
}

// decimal "end", line "end", varint [bytes]; then perhaps what is computed.
bool Parser::text_number(WireItemSyntax& i) {
    i.kind = at_word("decimal") ? WireItemKind::decimal
             : at_word("line")  ? WireItemKind::line
                                : WireItemKind::varint;
    take();
    if (i.kind != WireItemKind::varint) {
        if (!at(TokenKind::string))
            return fail("the text that ends it", "for example size: decimal \"\\r\\n\"");
        i.text = span_of(take());
    } else if (at(TokenKind::integer) && kind(1) != TokenKind::colon) {
        i.size = parse_primary();
    }
    if (accept(TokenKind::assign) && !expression(i.value)) return false;
    return i.kind != WireItemKind::line || transform(i);
}

bool Parser::binary_item(WireItemSyntax& i) {
    std::uint32_t begin = peek().begin;
    bool read = true;
    if (accept(TokenKind::kw_if)) {
        i.kind = WireItemKind::conditional;
        read = expression(i.condition) && binary_block(i.inner);
    } else if (accept(TokenKind::kw_repeat)) {
        i.kind = WireItemKind::repeat;
        if (at_word("until") && kind(1) == TokenKind::string) {
            take();
            i.text = span_of(take());
        } else {
            read = at(TokenKind::left_brace) || expression(i.size);
        }
        if (read && i.size && at_word("more")) {
            take();
            read = expression(i.more);
        }
        read = read && binary_block(i.inner);
    } else if (at(TokenKind::string) && kind(1) == TokenKind::colon) {
        layout_lost_ = true;
        return fail_here("bits, bytes or texts", "a JSON document is written json { \"id\": id, ... }");
    } else if (at(TokenKind::string) || at(TokenKind::regex)) {
        i.kind = at(TokenKind::string) ? WireItemKind::literal : WireItemKind::pattern;
        i.text = span_of(take());
    } else if (at_word("protobuf") && kind(1) == TokenKind::left_brace) {
        return protobuf(i);
    } else if (at_word("check") && kind(1) != TokenKind::colon) {
        take();
        i.kind = WireItemKind::check;
        read = expression(i.condition);
    } else if (at_word("block") && kind(1) != TokenKind::colon) {
        take();
        i.kind = WireItemKind::block;
        if (at_word("varint"))
            take();
        else
            read = bit_size(i);
        read = read && binary_block(i.inner);
    } else {
        if (at(TokenKind::integer))
            i.fixed = parse_primary();
        else if (is_word(kind()))
            expect_name(i.name, "a field", true);
        else
            return fail_here("a field, a number, `if` or `repeat`");
        read = read && expect(TokenKind::colon, "`:` and a size");
        if (!read) return false;
        if (!i.fixed && at(TokenKind::regex)) {
            i.kind = WireItemKind::field;
            i.text = span_of(take());
            if (accept(TokenKind::assign)) read = expression(i.value);
            i.span = from(begin);
            return read;
        }
        if (!i.fixed && (at_word("decimal") || at_word("line") || at_word("varint"))) {
            read = text_number(i);
            i.span = from(begin);
            return read;
        }
        if (!i.fixed && at_word("part") && kind(1) == TokenKind::left_brace) {
            take();
            i.kind = WireItemKind::part;
            read = binary_block(i.inner);
            i.span = from(begin);
            return read;
        }
        bool is_bytes = at_word("bytes");
        if (is_bytes && i.fixed)
            return fail("a number of bits", "a fixed number needs a size in bits; bytes need a name");
        if (is_bytes) take();
        i.kind = is_bytes ? WireItemKind::byte_string : WireItemKind::bits;
        if (is_bytes && at_word("rest"))
            take();
        else
            read = bit_size(i);
        if (read && !i.fixed && accept(TokenKind::assign)) read = expression(i.value);
        if (is_bytes) read = read && transform(i);
    }
    i.span = from(begin);
    return read;
}

}  // namespace treaty::lang
