// Recursive descent over the pattern's text; nesting is bounded, so no pattern exhausts the stack.
#include "solve/pattern_tree.h"

#include <algorithm>
#include <array>

#include "base/hex.h"

namespace treaty::solve {
namespace {

constexpr unsigned max_depth = 100;
constexpr std::uint32_t max_repeat = 1000;

ByteSet range(unsigned low, unsigned high) {
    ByteSet set;
    for (unsigned b = low; b <= high; ++b) set.set(b);
    return set;
}

ByteSet digits() {
    return range('0', '9');
}
ByteSet words() {
    return range('a', 'z') | range('A', 'Z') | digits() | range('_', '_');
}
ByteSet blanks() {
    ByteSet set;
    for (unsigned char c : {' ', '\t', '\n', '\r', '\f'}) set.set(c);
    return set;
}

ByteSet fold(const ByteSet& set) {
    ByteSet both = set;
    for (unsigned c = 'a'; c <= 'z'; ++c) {
        if (set[c]) both.set(c - 32);
        if (set[c - 32]) both.set(c);
    }
    return both;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    base::Result<PatternTree> run() {
        skip_begin_anchors();
        tree_.root = either();
        if (at_ < text_.size()) fail("a parenthesis that does not match");
        if (!why_.empty()) return base::Fault{std::move(why_)};
        return std::move(tree_);
    }

private:
    bool more() const { return at_ < text_.size() && why_.empty(); }
    char peek() const { return text_[at_]; }
    bool accept(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    std::uint32_t fail(std::string why) {
        if (why_.empty()) why_ = std::move(why);
        return add({});
    }
    std::uint32_t add(PatternNode node) {
        tree_.nodes.push_back(std::move(node));
        return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    }

    // An anchor at either end has no effect on a text that is matched as a whole.
    void skip_begin_anchors() {
        if (accept("(?i)")) fold_ = true;
        while (accept("^") || accept("\\A")) {
        }
    }

    std::uint32_t either() {
        if (++depth_ > max_depth) return fail("groups nest too deeply");
        bool fold_before = fold_, dot_before = dot_all_;
        PatternNode node;
        node.kind = PatternKind::either;
        node.children.push_back(row());
        while (more() && accept("|")) node.children.push_back(row());
        --depth_;
        fold_ = fold_before;
        dot_all_ = dot_before;
        return node.children.size() == 1 ? node.children[0] : add(std::move(node));
    }

    std::uint32_t row() {
        PatternNode node;
        while (more() && peek() != '|' && peek() != ')') {
            if (end_anchor()) continue;
            std::uint32_t part = atom();
            if (!why_.empty()) break;
            if (part != nothing) node.children.push_back(repetitions(part));
        }
        return node.children.size() == 1 ? node.children[0] : add(std::move(node));
    }

    bool end_anchor() {
        bool last = (depth_ == 1) && (text_.substr(at_) == "$" || text_.substr(at_) == "\\z");
        if (last) at_ = text_.size();
        return last;
    }

    std::uint32_t atom() {
        if (accept("(")) return group();
        if (accept("[")) return set_node(char_class());
        if (accept(".")) return set_node(dot_all_ ? ByteSet().set() : ~range('\n', '\n'));
        if (accept("\\")) return escape();
        if (peek() == '^' || peek() == '$') return fail("an anchor in the middle");
        if (peek() == '*' || peek() == '+' || peek() == '?') return fail("a repetition of nothing");
        return letter(static_cast<unsigned char>(text_[at_++]));
    }

    std::uint32_t letter(unsigned char byte) {
        PatternNode node;
        node.kind = PatternKind::set;
        node.set.set(byte);
        if (fold_) node.set = fold(node.set);
        node.written = byte;
        node.is_written = true;
        return add(std::move(node));
    }

    std::uint32_t set_node(const ByteSet& set) {
        PatternNode node;
        node.kind = PatternKind::set;
        node.set = set;
        return add(std::move(node));
    }

    // After the parenthesis. Flags without a body hold to the end of the enclosing group.
    std::uint32_t group() {
        if (accept("?P<") || accept("?<")) {
            while (more() && peek() != '>') ++at_;
            if (!accept(">")) return fail("a group without a name");
        } else if (accept("?")) {
            bool on = true, fold_flag = fold_, dot_flag = dot_all_;
            while (more() && peek() != ':' && peek() != ')') {
                char flag = text_[at_++];
                if (flag == '-')
                    on = false;
                else if (flag == 'i')
                    fold_flag = on;
                else if (flag == 's')
                    dot_flag = on;
                else
                    return fail("a flag that is not known");
            }
            if (accept(")")) {
                fold_ = fold_flag;
                dot_all_ = dot_flag;
                return nothing;
            }
            if (!accept(":")) return fail("a group that is not closed");
            bool fold_before = fold_, dot_before = dot_all_;
            fold_ = fold_flag;
            dot_all_ = dot_flag;
            std::uint32_t inner = either();
            fold_ = fold_before;
            dot_all_ = dot_before;
            return accept(")") ? inner : fail("a group that is not closed");
        }
        std::uint32_t inner = either();
        return accept(")") ? inner : fail("a group that is not closed");
    }

    std::uint32_t escape() {
        if (!more()) return fail("a backslash at the end");
        if (accept("Q")) {
            PatternNode node;
            while (more() && !accept("\\E"))
                node.children.push_back(letter(static_cast<unsigned char>(text_[at_++])));
            return add(std::move(node));
        }
        ByteSet set;
        if (class_escape(set)) return set_node(set);
        auto byte = byte_escape();
        return byte ? letter(*byte) : fail("an escape that is not known");
    }

    // \d and the like, after the backslash.
    bool class_escape(ByteSet& set) {
        switch (peek()) {
            case 'd': set = digits(); break;
            case 'D': set = ~digits(); break;
            case 'w': set = words(); break;
            case 'W': set = ~words(); break;
            case 's': set = blanks(); break;
            case 'S': set = ~blanks(); break;
            case 'C': set.set(); break;
            default: return false;
        }
        ++at_;
        return true;
    }

    std::optional<unsigned char> byte_escape() {
        char c = text_[at_++];
        switch (c) {
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'f': return '\f';
            case 'v': return '\v';
            case 'a': return '\a';
            case 'x': return hex_escape();
            default: break;
        }
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (word || static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
        return static_cast<unsigned char>(c);
    }

    std::optional<unsigned char> hex_escape() {
        bool braces = accept("{");
        unsigned value = 0, count = 0;
        while (more() && (braces || count < 2) && base::hex_digit(peek()) >= 0 && count < 8) {
            value = value * 16 + static_cast<unsigned>(base::hex_digit(text_[at_++]));
            ++count;
        }
        if ((braces && !accept("}")) || count == 0 || value > 0xff) return std::nullopt;
        return static_cast<unsigned char>(value);
    }

    // After the bracket.
    ByteSet char_class() {
        bool negated = accept("^");
        ByteSet set;
        bool first = true;
        while (more() && (first || peek() != ']')) {
            first = false;
            if (named_class(set)) continue;
            ByteSet escaped;
            if (peek() == '\\') {
                ++at_;
                if (!more()) break;
                if (class_escape(escaped)) {
                    set |= escaped;
                    continue;
                }
                --at_;
            }
            auto low = class_byte();
            if (!low) break;
            auto high = low;
            if (at_ + 1 < text_.size() && peek() == '-' && text_[at_ + 1] != ']') {
                ++at_;
                high = class_byte();
                if (!high || *high < *low) {
                    fail("a range that is not one");
                    break;
                }
            }
            set |= range(*low, *high);
        }
        if (!accept("]")) fail("a class that is not closed");
        if (fold_) set = fold(set);
        return negated ? ~set : set;
    }

    std::optional<unsigned char> class_byte() {
        if (!more()) return std::nullopt;
        if (peek() != '\\') {
            auto byte = static_cast<unsigned char>(text_[at_++]);
            if (byte >= 0x80) {
                fail("a class with characters beyond ASCII");
                return std::nullopt;
            }
            return byte;
        }
        ++at_;
        auto byte = more() ? byte_escape() : std::nullopt;
        if (!byte) fail("an escape that is not known");
        return byte;
    }

    bool named_class(ByteSet& set) {
        struct Named {
            std::string_view name;
            ByteSet bytes;
        };
        const std::array<Named, 9> all{{{"[:alpha:]", range('a', 'z') | range('A', 'Z')},
                                        {"[:digit:]", digits()},
                                        {"[:alnum:]", range('a', 'z') | range('A', 'Z') | digits()},
                                        {"[:lower:]", range('a', 'z')},
                                        {"[:upper:]", range('A', 'Z')},
                                        {"[:space:]", blanks() | range('\v', '\v')},
                                        {"[:word:]", words()},
                                        {"[:xdigit:]", range('a', 'f') | range('A', 'F') | digits()},
                                        {"[:print:]", range(' ', '~')}}};
        if (peek() != '[') return false;
        for (const Named& n : all)
            if (accept(n.name)) {
                set |= n.bytes;
                return true;
            }
        if (text_.substr(at_).starts_with("[:")) fail("a class that is not known");
        return false;
    }

    std::uint32_t repetitions(std::uint32_t part) {
        while (more()) {
            PatternNode node;
            node.kind = PatternKind::repeat;
            node.high = PatternNode::no_bound;
            if (accept("*"))
                node.low = 0;
            else if (accept("+"))
                node.low = 1;
            else if (accept("?"))
                node.high = 1;
            else if (!counted(node))
                return part;
            node.greedy = !accept("?");
            node.children.push_back(part);
            part = add(std::move(node));
        }
        return part;
    }

    // {n}, {n,} or {n,m}; anything else in braces is literal text.
    bool counted(PatternNode& node) {
        if (!more() || peek() != '{') return false;
        std::size_t i = at_ + 1;
        auto number = [&](std::uint32_t& value) {
            std::size_t begin = i;
            value = 0;
            while (i < text_.size() && text_[i] >= '0' && text_[i] <= '9' && i - begin < 6)
                value = value * 10 + static_cast<std::uint32_t>(text_[i++] - '0');
            return i > begin;
        };
        if (!number(node.low)) return false;
        node.high = node.low;
        if (i < text_.size() && text_[i] == ',') {
            ++i;
            if (!number(node.high)) node.high = PatternNode::no_bound;
        }
        if (i >= text_.size() || text_[i] != '}') return false;
        at_ = i + 1;
        bool large = node.low > max_repeat || (node.high != PatternNode::no_bound && node.high > max_repeat);
        if (large || node.high < node.low) fail("a repetition out of bounds");
        return true;
    }

    static constexpr std::uint32_t nothing = 0xffffffffu;
    std::string_view text_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
    bool fold_ = false;
    bool dot_all_ = false;
    std::string why_;
    PatternTree tree_;
};

void append_simplest(const PatternTree& tree, std::uint32_t id, std::string& out) {
    constexpr std::size_t longest = 4096;
    const PatternNode& n = tree.nodes[id];
    if (out.size() > longest) return;
    switch (n.kind) {
        case PatternKind::set: {
            if (n.is_written) {
                out += static_cast<char>(n.written);
                return;
            }
            for (unsigned r = 0; r < 256; ++r)
                if (n.set[nth_simplest(r)]) {
                    out += static_cast<char>(nth_simplest(r));
                    return;
                }
            return;
        }
        case PatternKind::either: append_simplest(tree, n.children[0], out); return;
        case PatternKind::repeat:
            for (std::uint32_t i = 0; i < n.low; ++i) append_simplest(tree, n.children[0], out);
            return;
        case PatternKind::row:
            for (std::uint32_t c : n.children) append_simplest(tree, c, out);
    }
}

constexpr std::array<unsigned char, 256> by_simplicity() {
    std::array<unsigned char, 256> order{};
    std::array<bool, 256> used{};
    std::size_t n = 0;
    auto put = [&](unsigned c) {
        if (used[c]) return;
        used[c] = true;
        order[n++] = static_cast<unsigned char>(c);
    };
    for (unsigned c = 'a'; c <= 'z'; ++c) put(c);
    for (unsigned c = '0'; c <= '9'; ++c) put(c);
    for (unsigned c = 'A'; c <= 'Z'; ++c) put(c);
    for (unsigned c = ' '; c <= '~'; ++c) put(c);
    for (unsigned c = 0; c < 256; ++c) put(c);
    return order;
}

constexpr std::array<unsigned char, 256> order = by_simplicity();

constexpr std::array<unsigned char, 256> ranks() {
    std::array<unsigned char, 256> rank{};
    for (unsigned i = 0; i < 256; ++i) rank[order[i]] = static_cast<unsigned char>(i);
    return rank;
}

constexpr std::array<unsigned char, 256> rank_of = ranks();

}  // namespace

base::Result<PatternTree> read_pattern(std::string_view pattern) {
    return Reader(pattern).run();
}

std::string PatternTree::simplest_text() const {
    std::string out;
    append_simplest(*this, root, out);
    return out;
}

unsigned simplicity(unsigned char byte) {
    return rank_of[byte];
}

unsigned char nth_simplest(unsigned rank) {
    return order[rank & 255u];
}

}  // namespace treaty::solve
