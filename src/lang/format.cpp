// The canonical layout: two blanks per level, one step per line, blocks opened at the end of a line.
//
// Comments are kept by position: one that follows something on its line stays at the end of that line, any
// other gets a line of its own before what it precedes. One blank line is kept where the text has any, and
// one is put around every declaration of more than a line.
#include "lang/format.h"

#include <algorithm>

#include <fmt/format.h>

#include "lang/format_exprs.h"
#include "lang/lexer.h"
#include "lang/parser.h"
#include "lang/resolve_document.h"

namespace treaty::lang {
namespace {

class Formatter {
public:
    Formatter(const base::SourceMap& sources, const base::Names& names, const Syntax& syntax,
              const std::vector<Token>& tokens)
        : sources_(sources), text_{sources, names, syntax}, s_(syntax), tokens_(tokens) {}

    std::string run() {
        bool previous_was_block = false;
        for (const ItemSyntax& item : s_.items) {
            Span span = item_span(item);
            bool is_block = has_block(item);
            start(span.begin, !out_.empty() && (is_block || previous_was_block));
            print_item(item);
            previous_was_block = is_block;
        }
        start(static_cast<std::uint32_t>(sources_.text(s_.file).size()), false);
        return std::move(out_);
    }

private:
    // --- lines and comments

    std::uint32_t line_of(std::uint32_t offset) const { return sources_.line_number(s_.file, offset); }

    void begin_line() { out_.append(indent_ * 2, ' '); }

    static constexpr std::uint32_t nowhere = 0xffffffffu;

    void write_line(std::string_view text, std::uint32_t source_end, std::uint32_t next = nowhere) {
        begin_line();
        out_ += text;
        end_line(source_end, next);
    }

    // Ends a line that covers source text up to source_end: comments inside it, and after it on its line but
    // before `next`, where other text begins, move to its end.
    void end_line(std::uint32_t source_end, std::uint32_t next = nowhere) {
        std::uint32_t last = line_of(source_end == 0 ? 0 : source_end - 1);
        for (; next_comment_ < s_.comments.size(); ++next_comment_) {
            const Comment& c = s_.comments[next_comment_];
            bool inside = c.begin < source_end;
            bool trailing = !c.own_line && c.begin < next && line_of(c.begin) == last;
            std::string_view text = comment_text(c);
            if ((!inside && !trailing) || text.find('\n') != std::string_view::npos) break;
            out_ += fmt::format(" {}", text);
            last_printed_ = std::max(last_printed_, c.end);
            if (text.starts_with("//")) {
                ++next_comment_;
                break;  // nothing can follow on this line
            }
        }
        out_ += '\n';
        last_printed_ = std::max(last_printed_, source_end);
    }

    // The token before `offset`: of the first thing in a block, that is its brace.
    Token token_before(std::uint32_t offset) const {
        auto at = std::partition_point(tokens_.begin(), tokens_.end(),
                                       [&](const Token& t) { return t.begin < offset; });
        return at == tokens_.begin() ? Token() : *std::prev(at);
    }

    std::string_view comment_text(const Comment& c) const {
        return sources_.text(Span{s_.file, c.begin, c.end});
    }

    bool blank_before(std::uint32_t offset) const {
        if (offset <= last_printed_) return false;
        std::string_view gap = sources_.text(s_.file).substr(last_printed_, offset - last_printed_);
        std::size_t first = gap.find('\n');
        if (first == std::string_view::npos) return false;
        // A line of blanks only.
        for (std::size_t i = first + 1; i < gap.size(); ++i) {
            if (gap[i] == '\n') return true;
            if (gap[i] != ' ' && gap[i] != '\t' && gap[i] != '\r') {
                std::size_t next = gap.find('\n', i);
                if (next == std::string_view::npos) return false;
                i = next;
            }
        }
        return false;
    }

    void blank_line() {
        bool at_start = out_.empty() || out_.ends_with("{\n") || out_.ends_with("\n\n");
        if (!at_start) out_ += '\n';
    }

    // Before something that begins at `offset`: the comments in front of it, and at most one blank line.
    void start(std::uint32_t offset, bool want_blank) {
        bool first = true;
        while (next_comment_ < s_.comments.size() && s_.comments[next_comment_].begin < offset) {
            const Comment& c = s_.comments[next_comment_++];
            if (blank_before(c.begin) || (first && want_blank)) blank_line();
            first = want_blank = false;
            begin_line();
            out_ += comment_text(c);
            out_ += '\n';
            last_printed_ = std::max(last_printed_, c.end);
        }
        bool at_end = offset == sources_.text(s_.file).size();
        if (!at_end && (want_blank || blank_before(offset))) blank_line();
    }

    // --- declarations

    Span item_span(const ItemSyntax& item) const {
        switch (item.kind) {
            case ItemKind::message: return s_.messages[item.index].span;
            case ItemKind::enumeration: return s_.enums[item.index].span;
            case ItemKind::record: return s_.records[item.index].span;
            case ItemKind::alias: return s_.aliases[item.index].span;
            case ItemKind::constant: return s_.constants[item.index].span;
            case ItemKind::function: return s_.functions[item.index].span;
            case ItemKind::protocol: return s_.protocols[item.index].span;
            case ItemKind::wire: return s_.wires[item.index].span;
            case ItemKind::property: return s_.properties[item.index].span;
            case ItemKind::import: return s_.imports[item.index].span;
        }
        return {};
    }

    bool has_block(const ItemSyntax& item) const {
        if (item.kind == ItemKind::record) return spread(s_.records[item.index]);
        if (item.kind == ItemKind::property) return !s_.properties[item.index].global;
        return item.kind == ItemKind::protocol || item.kind == ItemKind::wire;
    }

    void print_item(const ItemSyntax& item) {
        switch (item.kind) {
            case ItemKind::message: return message(s_.messages[item.index]);
            case ItemKind::enumeration: {
                const EnumSyntax& e = s_.enums[item.index];
                return write_line(fmt::format("enum {} {{ {} }}", text_.name(e.name), text_.list(e.members)),
                                  e.span.end);
            }
            case ItemKind::record: return record(s_.records[item.index]);
            case ItemKind::alias: {
                const AliasSyntax& a = s_.aliases[item.index];
                return write_line(fmt::format("type {} = {}", text_.name(a.name), text_.type(a.type)),
                                  a.span.end);
            }
            case ItemKind::constant: {
                const ConstantSyntax& k = s_.constants[item.index];
                std::string type = k.type ? ": " + text_.type(k.type) : "";
                return write_line(
                    fmt::format("const {}{} = {}", text_.name(k.name), type, text_.expression(k.value)),
                    k.span.end);
            }
            case ItemKind::function: return function(s_.functions[item.index]);
            case ItemKind::protocol: return protocol(s_.protocols[item.index]);
            case ItemKind::wire: return wire(s_.wires[item.index]);
            case ItemKind::property: return property(s_.properties[item.index]);
            case ItemKind::import: {
                const ImportSyntax& i = s_.imports[item.index];
                return write_line("import " + text_.source(i.path), i.span.end);
            }
        }
    }

    void message(const MessageSyntax& m) {
        std::string line = fmt::format("message {}", text_.name(m.name));
        if (m.fields.count > 0) line += fmt::format("({})", text_.fields(m.fields));
        if (m.where) line += fmt::format(" where {}", text_.expression(m.where));
        write_line(line, m.span.end);
    }

    // A record written over several lines stays so.
    bool spread(const RecordSyntax& r) const {
        return r.fields.count > 0 && line_of(r.span.begin) != line_of(r.span.end - 1);
    }

    void record(const RecordSyntax& r) {
        if (!spread(r)) {
            std::string fields = r.fields.count == 0 ? "{}" : fmt::format("{{ {} }}", text_.fields(r.fields));
            return write_line(fmt::format("record {} {}", text_.name(r.name), fields), r.span.end);
        }
        auto fields = Syntax::part(s_.fields, r.fields);
        std::uint32_t first = fields[0].name.span.begin;
        write_line(fmt::format("record {} {{", text_.name(r.name)), token_before(first).end, first);
        ++indent_;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            start(fields[i].name.span.begin, false);
            bool last = i + 1 == fields.size();
            write_line(text_.field(fields[i]) + (last ? "" : ","), s_[fields[i].type].span.end,
                       last ? r.span.end - 1 : fields[i + 1].name.span.begin);
        }
        close(r.span.end);
    }

    void close(std::uint32_t block_end) {
        start(block_end - 1, false);
        while (out_.ends_with("\n\n")) out_.pop_back();
        --indent_;
        write_line("}", block_end);
    }

    void function(const FunctionSyntax& f) {
        std::string result = f.result ? fmt::format(": {}", text_.type(f.result)) : "";
        write_line(fmt::format("{} {}({}){} = {}", f.result ? "function" : "predicate", text_.name(f.name),
                               text_.fields(f.fields), result, text_.expression(f.body)),
                   f.span.end);
    }

    void protocol(const ProtocolSyntax& p) {
        begin_line();
        out_ += fmt::format("protocol {}({}{}{}) ", text_.name(p.name), text_.list(p.roles),
                            p.parameters.count > 0 ? ", " : "", text_.fields(p.parameters));
        block(p.body);
        end_line(s_[p.body].span.end);
    }

    void property(const PropertySyntax& p) {
        if (p.global)
            return write_line(
                fmt::format("property {}: {} implies {}{}", text_.name(p.name), text_.list(p.premises),
                            p.negated ? "not " : "", text_.list(p.conclusions)),
                p.span.end);
        // The clauses are printed in one order, whatever order they are written in.
        struct Clause {
            std::string text;
            Span span;
        };
        std::vector<Clause> clauses;
        for (const PatternSyntax& a : Syntax::part(s_.patterns, p.after))
            clauses.push_back({fmt::format("after {}", text_.pattern(a)), a.span});
        auto patterns = Syntax::part(s_.patterns, p.then);
        std::string then;
        for (const PatternSyntax& t : patterns)
            then += fmt::format("{}{}", then.empty() ? "" : " or ", text_.pattern(t));
        clauses.push_back({fmt::format("{} {}", p.forbid ? "forbid" : "expect", then),
                           base::cover(patterns[0].span, patterns.back().span)});
        if (p.within.valid()) clauses.push_back({fmt::format("within {}", text_.source(p.within)), p.within});
        for (Clause& c : clauses) c.span.begin = token_before(c.span.begin).begin;  // its keyword
        std::uint32_t first = p.span.end;
        for (const Clause& c : clauses) first = std::min(first, c.span.begin);
        write_line(fmt::format("property {} at {} {{", text_.name(p.name), text_.name(p.at)),
                   token_before(first).end, first);
        ++indent_;
        for (std::size_t i = 0; i < clauses.size(); ++i) {
            start(clauses[i].span.begin, false);
            write_line(clauses[i].text, clauses[i].span.end,
                       i + 1 < clauses.size() ? clauses[i + 1].span.begin : p.span.end - 1);
        }
        close(p.span.end);
    }

    // --- steps

    bool comment_before(std::uint32_t offset) const {
        return next_comment_ < s_.comments.size() && s_.comments[next_comment_].begin < offset;
    }

    // Prints `{`, the steps, and `}` without ending that last line.
    void block(BlockId id) {
        const Block& b = s_[id];
        auto steps = s_.steps_of(id);
        if (steps.empty() && !comment_before(b.span.end)) {
            out_ += "{}";
            last_printed_ = b.span.end;
            return;
        }
        out_ += '{';
        end_line(b.span.begin + 1, steps.empty() ? b.span.end - 1 : s_[steps[0]].span.begin);
        ++indent_;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            start(s_[steps[i]].span.begin, false);
            step(s_[steps[i]], i + 1 < steps.size() ? s_[steps[i + 1]].span.begin : b.span.end - 1);
        }
        close_block(b.span.end - 1);
    }

    // The `}` of a block, without ending its line.
    void close_block(std::uint32_t brace) {
        start(brace, false);
        while (out_.ends_with("\n\n")) out_.pop_back();
        --indent_;
        begin_line();
        out_ += '}';
        last_printed_ = brace + 1;
    }

    // `next`: where the text after it begins.
    void step(const Step& s, std::uint32_t next) {
        auto blocks = s_.blocks_of(s);
        begin_line();
        switch (s.kind) {
            case StepKind::wrong: break;
            case StepKind::interaction: out_ += text_.interaction(s); break;
            case StepKind::jump: out_ += fmt::format("continue {}", text_.name(s.name)); break;
            case StepKind::let:
                out_ += "let ";
                if (s_[s.condition].kind != SyntaxExprKind::update)
                    out_ +=
                        fmt::format("{}{} = ", text_.name(s.name), s.type ? ": " + text_.type(s.type) : "");
                out_ += text_.expression(s.condition);
                break;
            case StepKind::signal: out_ += fmt::format("signal {}", text_.name(s.name)); break;
            case StepKind::wait: out_ += fmt::format("wait {}", text_.name(s.name)); break;
            case StepKind::call:
                out_ +=
                    fmt::format("do {}({})", text_.name(s.name),
                                s.arguments.count > 0 ? text_.arguments(s.arguments) : text_.list(s.roles));
                break;
            case StepKind::choice: branches("choice" + decider(s), blocks, " or "); break;
            case StepKind::par: branches("par", blocks, " and "); break;
            case StepKind::repeat: branches("repeat" + decider(s), blocks, ""); break;
            case StepKind::optional: branches("optional" + decider(s), blocks, ""); break;
            case StepKind::rec: branches(fmt::format("rec {}", text_.name(s.name)), blocks, ""); break;
            case StepKind::while_loop:
                branches(fmt::format("while {}", text_.expression(s.condition)), blocks, "");
                break;
            case StepKind::when:
                branches(fmt::format("when {}", text_.expression(s.condition)), blocks, "");
                break;
            case StepKind::try_interrupt: branches("try", blocks, " interrupt "); break;
            case StepKind::if_else: conditional(s); break;
            case StepKind::match: match(s); break;
        }
        end_line(s.span.end, next);
    }

    std::string decider(const Step& s) const {
        return s.role.id ? fmt::format(" at {}", text_.name(s.role)) : "";
    }

    void branches(std::string_view head, std::span<const BlockId> blocks, std::string_view separator) {
        out_ += head;
        out_ += ' ';
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (i > 0) out_ += separator;
            block(blocks[i]);
        }
    }

    // A block that holds nothing but the `if` of an `else if` has that step's own span.
    bool is_chain(BlockId id) const {
        auto steps = s_.steps_of(id);
        return steps.size() == 1 && s_[steps[0]].kind == StepKind::if_else &&
               s_[steps[0]].span == s_[id].span;
    }

    void conditional(const Step& first) {
        for (const Step* s = &first;;) {
            auto blocks = s_.blocks_of(*s);
            out_ += fmt::format("if {} ", text_.expression(s->condition));
            block(blocks[0]);
            if (blocks.size() < 2) return;
            out_ += " else ";
            if (!is_chain(blocks[1])) return block(blocks[1]);
            s = &s_[s_.steps_of(blocks[1])[0]];
        }
    }

    void match(const Step& s) {
        auto cases = s_.cases_of(s);
        auto blocks = s_.blocks_of(s);
        std::uint32_t end = s.span.end - 1;
        out_ += fmt::format("match {} ", text_.expression(s.condition));
        if (cases.empty() && !comment_before(end)) {
            out_ += "{}";
            return;
        }
        out_ += '{';
        std::uint32_t first = cases.empty() ? end : cases[0].span.begin;
        end_line(token_before(first).end, first);
        ++indent_;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            start(cases[i].span.begin, false);
            begin_line();
            out_ += text_.match_case(cases[i]) + ' ';
            block(blocks[i]);
            end_line(s_[blocks[i]].span.end, i + 1 < cases.size() ? cases[i + 1].span.begin : end);
        }
        close_block(end);
    }

    // --- wires

    void wire(const WireSyntax& w) {
        std::string framing = w.prefix ? "length-prefixed" : text_.source(w.framing.span);
        if (w.terminator.valid()) framing += " " + text_.source(w.terminator);
        std::string separator = " escapes ";
        for (const EscapeSyntax& e : Syntax::part(s_.escapes, w.escapes)) {
            framing += fmt::format("{}{}{} as {}", separator, text_.source(e.text),
                                   e.at_start ? " at start" : "", text_.source(e.written));
            separator = ", ";
        }
        if (w.prefix) framing += " " + text_.expression(w.prefix);
        auto layouts = Syntax::part(s_.layouts, w.layouts);
        if (layouts.empty() && !comment_before(w.span.end))
            return write_line(fmt::format("wire {} over {} {{}}", text_.name(w.name), framing), w.span.end);
        std::uint32_t first = layouts.empty() ? w.span.end - 1 : layouts[0].span.begin;
        write_line(fmt::format("wire {} over {} {{", text_.name(w.name), framing), token_before(first).end,
                   first);
        ++indent_;
        for (std::size_t i = 0; i < layouts.size(); ++i) {
            start(layouts[i].span.begin, false);
            layout(layouts[i], i + 1 < layouts.size() ? layouts[i + 1].span.begin : w.span.end - 1);
        }
        close(w.span.end);
    }

    void layout(const LayoutSyntax& l, std::uint32_t next) {
        std::string head = text_.name(l.message);
        if (l.has_fields) head += fmt::format("({})", text_.list(l.fields));
        begin_line();
        out_ += head + " = ";
        if (l.bare) {
            protobuf(s_.wire_items[Syntax::part(s_.wire_lists, l.items)[0]]);
        } else if (is_document(s_, l)) {
            document(Syntax::part(s_.wire_lists, l.items));
        } else if (!l.binary) {
            std::string items;
            for (std::uint32_t i : Syntax::part(s_.wire_lists, l.items))
                items += (items.empty() ? "" : " ") + text_item(s_.wire_items[i]);
            out_ += items;
        } else {
            binary_block(l.items, l.span.end);
        }
        end_line(l.span.end, next);
    }

    std::string text_item(const WireItemSyntax& i) const {
        return i.kind == WireItemKind::field ? fmt::format("{}:{}", text_.name(i.name), text_.source(i.text))
                                             : text_.source(i.text);
    }

    // What begins a line keeps beginning one, indented.
    void document(std::span<const std::uint32_t> items) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const WireItemSyntax& item = s_.wire_items[items[i]];
            bool breaks = i > 0 && line_of(s_.wire_items[items[i - 1]].span.end) != line_of(item.span.begin);
            if (breaks) {
                end_line(s_.wire_items[items[i - 1]].span.end, item.span.begin);
                ++indent_;
                start(item.span.begin, false);
                begin_line();
            } else if (i > 0) {
                out_ += ' ';
            }
            document_item(item);
            if (breaks) --indent_;
        }
    }

    void document_item(const WireItemSyntax& i) {
        switch (i.kind) {
            case WireItemKind::request:
                out_ += fmt::format("{} {}", text_.source(i.keyword), text_.source(i.text));
                break;
            case WireItemKind::status:
                if (i.name.id) out_ += text_.name(i.name) + ": ";
                out_ += status(text_.source(i.text));
                break;
            case WireItemKind::header:
                out_ += fmt::format("header {} = {}", text_.source(i.text), text_.expression(i.value));
                break;
            case WireItemKind::form:
                out_ += "form ";
                json_braces(i);
                break;
            case WireItemKind::text_body: out_ += "text " + text_.expression(i.value); break;
            case WireItemKind::bytes_body: out_ += "bytes " + text_.expression(i.value); break;
            case WireItemKind::any_body: out_ += "..."; break;
            default: out_ += "json "; json(i);
        }
    }

    // 201, 2xx or 400..499, without what may be around the dots.
    static std::string status(std::string_view text) {
        std::size_t first = text.find_first_not_of("0123456789x"), last = text.find_last_not_of("0123456789");
        if (first == std::string_view::npos) return std::string(text);
        return fmt::format("{}..{}", text.substr(0, first), text.substr(last + 1));
    }

    void protobuf(const WireItemSyntax& i) {
        out_ += "protobuf ";
        json_braces(i);
    }

    void protobuf_field(const WireItemSyntax& i) {
        std::string_view word = sources_.text(i.keyword);
        out_ += fmt::format("{}: {}{}{}", text_.expression(i.fixed), i.required ? "required " : "",
                            i.expanded ? "expanded " : "", i.closed ? "closed " : "");
        if (i.transform.id)
            out_ += fmt::format("map<{}, {}> ", text_.name(i.transform), word);
        else
            out_ += fmt::format("{} ", word);
        out_ += text_.name(i.name);
        if (word != "message" && word != "enum") return;
        out_ += ' ';
        json_braces(i);
    }

    void json(const WireItemSyntax& i) {
        auto inner = Syntax::part(s_.wire_lists, i.inner);
        if (i.kind == WireItemKind::json_object) {
            json_braces(i);
        } else if (i.kind == WireItemKind::protobuf_field) {
            protobuf_field(i);
        } else if (i.kind == WireItemKind::protobuf_member) {
            out_ += fmt::format("{} = {}", text_.name(i.name), text_.expression(i.fixed));
        } else if (i.kind == WireItemKind::protobuf_oneof) {
            out_ += "oneof ";
            json_braces(i);
        } else if (i.kind == WireItemKind::json_value) {
            out_ += text_.expression(i.value);
            if (i.transform.id) out_ += " as " + text_.name(i.transform);
        } else if (i.kind == WireItemKind::json_member) {
            out_ += fmt::format("{}{}: ", i.may_be_absent ? "optional " : "", text_.source(i.text));
            json(s_.wire_items[inner[0]]);
        } else {
            out_ += '[';
            for (std::size_t k = 0; k < inner.size(); ++k) {
                if (k > 0) out_ += ", ";
                json(s_.wire_items[inner[k]]);
            }
            if (i.kind == WireItemKind::json_each)
                out_ += fmt::format(" for {} in {}", text_.name(i.name), text_.expression(i.value));
            out_ += ']';
        }
    }

    // Members on one line if they are written so, else each on its own.
    void json_braces(const WireItemSyntax& i) {
        auto members = Syntax::part(s_.wire_lists, i.inner);
        bool one_line = line_of(i.span.begin) == line_of(i.span.end);
        if (members.empty() && !i.open) {
            out_ += "{}";
            return;
        }
        out_ += one_line ? "{ " : "{";
        std::uint32_t brace = i.span.end - 1;
        Token dots = token_before(brace);
        std::uint32_t after_members = i.open ? dots.begin : brace;
        auto begin_of = [&](std::size_t k) {
            return k < members.size() ? s_.wire_items[members[k]].span.begin : after_members;
        };
        if (!one_line) {
            end_line(token_before(begin_of(0)).end, begin_of(0));
            ++indent_;
        }
        for (std::size_t k = 0; k < members.size(); ++k) {
            const WireItemSyntax& m = s_.wire_items[members[k]];
            if (!one_line) {
                start(m.span.begin, false);
                begin_line();
            }
            json(m);
            bool last = k + 1 == members.size() && !i.open;
            if (!last) out_ += one_line ? ", " : ",";
            if (!one_line) end_line(m.span.end, begin_of(k + 1));
        }
        if (i.open && one_line) out_ += "...";
        if (i.open && !one_line) {
            start(dots.begin, false);
            write_line("...", dots.end, brace);
        }
        if (one_line) {
            out_ += " }";
            return;
        }
        start(brace, false);
        while (out_.ends_with("\n\n")) out_.pop_back();
        --indent_;
        begin_line();
        out_ += '}';
        last_printed_ = i.span.end;
    }

    // Items that share a line keep sharing it: they are the bits of one byte or word.
    void binary_block(Range items, std::uint32_t end) {
        auto all = Syntax::part(s_.wire_lists, items);
        if (all.empty() && !comment_before(end)) {
            out_ += "{}";
            return;
        }
        out_ += '{';
        std::uint32_t first = all.empty() ? end - 1 : s_.wire_items[all[0]].span.begin;
        end_line(token_before(first).end, first);
        ++indent_;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const WireItemSyntax& item = s_.wire_items[all[i]];
            bool continues = i > 0 && out_.ends_with("  ");
            if (!continues) {
                start(item.span.begin, false);
                begin_line();
            }
            binary_item(item);
            bool more =
                i + 1 < all.size() && line_of(s_.wire_items[all[i + 1]].span.begin) == line_of(item.span.end);
            if (more)
                out_ += "  ";
            else
                end_line(item.span.end, i + 1 < all.size() ? s_.wire_items[all[i + 1]].span.begin : end - 1);
        }
        start(end - 1, false);
        while (out_.ends_with("\n\n")) out_.pop_back();
        --indent_;
        begin_line();
        out_ += '}';
        last_printed_ = end;
    }

    static bool has_inner(const WireItemSyntax& i) {
        return i.kind == WireItemKind::conditional || i.kind == WireItemKind::repeat ||
               i.kind == WireItemKind::block || i.kind == WireItemKind::part;
    }

    // The text before the inner items.
    std::string head_of(const WireItemSyntax& i) const {
        if (i.kind == WireItemKind::conditional) return fmt::format("if {} ", text_.expression(i.condition));
        if (i.kind == WireItemKind::part) return fmt::format("{}: part ", text_.name(i.name));
        if (i.kind == WireItemKind::repeat && i.more)
            return fmt::format("repeat {} more {} ", text_.expression(i.size), text_.expression(i.more));
        if (i.kind == WireItemKind::repeat && i.text.valid())
            return fmt::format("repeat until {} ", text_.source(i.text));
        if (i.kind == WireItemKind::repeat)
            return i.size ? fmt::format("repeat {} ", text_.expression(i.size)) : "repeat ";
        if (!i.size) return "block varint ";
        return fmt::format("block {}{} ", text_.expression(i.size), i.little_endian ? " little" : "");
    }

    // A condition or repetition of a single item, written on one line, stays there.
    bool on_one_line(const WireItemSyntax& i) const {
        if (!has_inner(i)) return true;
        auto inner = Syntax::part(s_.wire_lists, i.inner);
        return inner.size() == 1 && line_of(i.span.begin) == line_of(i.span.end) &&
               on_one_line(s_.wire_items[inner[0]]);
    }

    void binary_item(const WireItemSyntax& i) {
        if (i.kind == WireItemKind::protobuf) return protobuf(i);
        bool bare = i.kind == WireItemKind::literal || i.kind == WireItemKind::pattern;
        if (bare || i.kind == WireItemKind::check) {
            out_ += i.kind == WireItemKind::check ? "check " + text_.expression(i.condition)
                                                  : text_.source(i.text);
            return;
        }
        if (has_inner(i)) {
            out_ += head_of(i);
            auto inner = Syntax::part(s_.wire_lists, i.inner);
            if (!on_one_line(i)) return binary_block(i.inner, i.span.end);
            out_ += "{ ";
            binary_item(s_.wire_items[inner[0]]);
            out_ += " }";
            return;
        }
        out_ += i.fixed ? text_.expression(i.fixed) : text_.name(i.name);
        switch (i.kind) {
            case WireItemKind::field: out_ += ":" + text_.source(i.text); break;
            case WireItemKind::decimal: out_ += ": decimal " + text_.source(i.text); break;
            case WireItemKind::line: out_ += ": line " + text_.source(i.text); break;
            case WireItemKind::varint:
                out_ += i.size ? ": varint " + text_.expression(i.size) : ": varint";
                break;
            case WireItemKind::byte_string:
                out_ += ": bytes " + (i.size ? text_.expression(i.size) : "rest");
                break;
            default: out_ += ": " + text_.expression(i.size);
        }
        if (i.little_endian) out_ += " little";
        if (i.value) out_ += fmt::format(" = {}", text_.expression(i.value));
        if (i.key) out_ += fmt::format(" xor {}", text_.expression(i.key));
        if (i.transform.id) out_ += fmt::format(" as {}", text_.name(i.transform));
    }

    const base::SourceMap& sources_;
    SyntaxText text_;
    const Syntax& s_;
    const std::vector<Token>& tokens_;
    std::string out_;
    std::size_t indent_ = 0;
    std::size_t next_comment_ = 0;
    std::uint32_t last_printed_ = 0;  // the source up to here is printed
};

}  // namespace

std::optional<std::string> format(const base::SourceMap& sources, base::FileId file,
                                  base::Diagnostics& diagnostics) {
    base::Names names;
    base::Diagnostics found;
    Syntax syntax = parse(sources, file, names, found);
    bool ok = found.ok();
    diagnostics.append(std::move(found));
    if (!ok) return std::nullopt;
    base::Diagnostics unheard;
    TokenList tokens = lex(sources, file, names, unheard);
    return Formatter(sources, names, syntax, tokens.tokens).run();
}

}  // namespace treaty::lang
