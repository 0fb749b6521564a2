#include "wire/text_layout.h"

#include <cstring>

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "wire/formula.h"
#include "wire/number_pattern.h"

namespace treaty::wire {
namespace {

namespace forms = model::forms;
using solve::Automaton;
using solve::PatternKind;
using solve::PatternNode;
using solve::PatternTree;

std::shared_ptr<const re2::RE2> compile(const std::string& pattern) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_max_mem(std::int64_t{8} << 20);
    return std::make_shared<const re2::RE2>(pattern, options);
}

PatternTree tree_of(std::string_view literal) {
    PatternTree tree;
    PatternNode row;
    for (char c : literal) {
        PatternNode n;
        n.kind = PatternKind::set;
        n.set.set(static_cast<unsigned char>(c));
        n.written = static_cast<unsigned char>(c);
        n.is_written = true;
        row.children.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
        tree.nodes.push_back(n);
    }
    tree.root = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.push_back(row);
    return tree;
}

// What the text of an item matches; a form of binary layouts has none here.
const std::string& regex_of(const model::Item& item) {
    static const std::string none;
    if (const auto* pattern = model::as<forms::Pattern>(item)) return pattern->regex.pattern;
    if (const auto* field = model::as<forms::Text>(item)) return field->regex.pattern;
    return none;
}

// The trees one after the other, as one.
PatternTree joined(std::span<const PatternTree> trees) {
    PatternTree all;
    PatternNode row;
    for (const PatternTree& t : trees) {
        auto base = static_cast<std::uint32_t>(all.nodes.size());
        for (PatternNode n : t.nodes) {
            for (std::uint32_t& c : n.children) c += base;
            all.nodes.push_back(std::move(n));
        }
        row.children.push_back(base + t.root);
    }
    all.root = static_cast<std::uint32_t>(all.nodes.size());
    all.nodes.push_back(std::move(row));
    return all;
}

}  // namespace

TextLayout::~TextLayout() = default;
TextLayout::TextLayout(TextLayout&&) noexcept = default;

TextLayout::TextLayout(const expr::Pool& pool, const Layout& layout, const MessageShape& shape)
    : pool_(&pool), message_(layout.message.index) {
    for (const expr::Field& f : shape.fields) {
        types_.push_back(f.type);
        expr::TypeKind k = pool.types().kind(f.type);
        if (k != expr::TypeKind::string && k != expr::TypeKind::bytes) all_text_ = false;
    }
    std::string pattern;
    bool readable_trees = true;
    for (const model::Item& item : layout.items) {
        parts_.push_back(item_of(item, layout));
        TextItem& part = parts_.back();
        const auto* literal = model::as<forms::Literal>(item);
        const std::string& regex = regex_of(item);
        pattern += literal ? re2::RE2::QuoteMeta(literal->text) : "(" + regex + ")";
        part.group = groups_;
        if (!literal) groups_ += 1 + std::max(0, part.regex->NumberOfCapturingGroups());
        auto tree = literal ? base::Result(tree_of(literal->text)) : solve::read_pattern(regex);
        if (!tree) {
            readable_trees = false;
            part.matching = Matching::general;
            continue;
        }
        if (!literal) {
            classify(part, *tree);
            if (part.field == none) part.text = tree->simplest_text();
            bool number =
                part.field != none && pool.types().kind(types_[part.field]) == expr::TypeKind::integer;
            if (number) part.digits = one_length(*tree).value_or(0);
        }
        trees_.push_back(std::move(*tree));
    }
    whole_ = compile(pattern);
    if (readable_trees) {
        PatternTree all = joined(trees_);
        automaton_ = Automaton::of(std::span<const PatternTree>(&all, 1));
    }
    first_.fill(true);
    if (automaton_) {
        may_be_empty_ = automaton_->accepts(automaton_->initial());
        for (unsigned b = 0; b < 256; ++b)
            first_[b] = automaton_->distance(automaton_->next(
                            automaton_->initial(), static_cast<unsigned char>(b))) != Automaton::never;
    }
    find_exact();
}

TextLayout::TextItem TextLayout::item_of(const model::Item& item, const Layout& layout) {
    TextItem part;
    if (const auto* literal = model::as<forms::Literal>(item)) {
        part.text = literal->text;
        part.name = "text";
        return part;
    }
    part.matching = Matching::general;
    part.regex = compile(regex_of(item));
    const auto* field = model::as<forms::Text>(item);
    part.name = field && field->name ? pool_->names().text(field->name) : "pattern";
    for (std::size_t f = 0; f < layout.fields.size(); ++f)
        if (field && layout.fields[f] == field->variable) part.field = static_cast<std::uint32_t>(f);
    return part;
}

void TextLayout::classify(TextItem& part, const PatternTree& tree) {
    const PatternNode& root = tree.nodes[tree.root];
    if (root.kind == PatternKind::repeat && root.greedy &&
        tree.nodes[root.children[0]].kind == PatternKind::set) {
        part.matching = Matching::run;
        part.low = root.low;
        part.high = root.high == PatternNode::no_bound ? std::string::npos : root.high;
        for (unsigned b = 0; b < 256; ++b) {
            part.set[b] = tree.nodes[root.children[0]].set[b];
            if (!part.set[b] && part.stops.size() < 4) part.stops += static_cast<char>(b);
        }
        part.few_stops = part.stops.size() < 4;
        return;
    }
    auto automaton = Automaton::of(std::span<const PatternTree>(&tree, 1), 500);
    if (!automaton) return;
    if (automaton->prefix_free()) part.matching = Matching::walk;
    part.automaton = std::move(automaton);
}

// A run must not be able to go on into what follows it: the sets of bytes that can come next are apart.
void TextLayout::find_exact() {
    greedy_ = true;
    for (const TextItem& p : parts_)
        if (p.matching == Matching::general) greedy_ = false;
    exact_ = greedy_ && trees_.size() == parts_.size();
    for (std::size_t i = 0; i < parts_.size() && exact_; ++i) {
        if (parts_[i].matching != Matching::run) continue;
        PatternTree rest = joined(std::span<const PatternTree>(trees_).subspan(i + 1));
        auto automaton = Automaton::of(std::span<const PatternTree>(&rest, 1));
        if (!automaton) exact_ = false;
        if (!exact_) break;
        for (unsigned b = 0; b < 256; ++b) {
            auto next = automaton->next(automaton->initial(), static_cast<unsigned char>(b));
            if (parts_[i].set[b] && automaton->distance(next) != Automaton::never) exact_ = false;
        }
    }
}

bool TextLayout::is_marker() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const TextItem& p) { return p.matching == Matching::literal; });
}

// A set that leaves out a few bytes only is searched for these.
std::size_t TextLayout::TextItem::run_from(std::string_view line, std::size_t at) const {
    std::size_t end = high == std::string::npos ? line.size() : std::min(line.size(), at + high);
    if (few_stops) {
        for (char stop : stops)
            if (const void* hit = std::memchr(line.data() + at, stop, end - at))
                end = static_cast<std::size_t>(static_cast<const char*>(hit) - line.data());
        return end;
    }
    while (at < end && set[static_cast<unsigned char>(line[at])]) ++at;
    return at;
}

bool TextLayout::walk(std::string_view line, std::vector<FieldView>& fields, bool& sure) const {
    std::size_t at = 0;
    sure = exact_;
    for (const TextItem& p : parts_) {
        std::size_t begin = at;
        switch (p.matching) {
            case Matching::literal:
                if (line.compare(at, p.text.size(), p.text) != 0) return false;
                at += p.text.size();
                break;
            case Matching::run: {
                at = p.run_from(line, at);
                if (at - begin < p.low) return false;
                break;
            }
            default: {
                Automaton::State s = p.automaton->initial();
                while (!p.automaton->accepts(s)) {
                    if (at == line.size()) return false;
                    s = p.automaton->next(s, static_cast<unsigned char>(line[at++]));
                    if (p.automaton->distance(s) == Automaton::never) return false;
                }
            }
        }
        if (p.field != none) fields[p.field].text = line.substr(begin, at - begin);
    }
    return at == line.size();
}

bool TextLayout::ask_regex(std::string_view line, std::vector<FieldView>& fields) const {
    if (!whole_->ok()) return false;
    absl::InlinedVector<re2::StringPiece, 16> groups(static_cast<std::size_t>(groups_));
    re2::StringPiece text(line.data(), line.size());
    if (!whole_->Match(text, 0, line.size(), re2::RE2::ANCHOR_BOTH, groups.data(), groups_)) return false;
    for (const TextItem& p : parts_)
        if (p.field != none) {
            const re2::StringPiece& g = groups[static_cast<std::size_t>(p.group)];
            fields[p.field].text = std::string_view(g.data(), g.size());
        }
    return true;
}

bool TextLayout::typed(std::vector<FieldView>& fields) const {
    for (std::size_t i = 0; i < types_.size(); ++i)
        if (!field_of_text(*pool_, types_[i], fields[i].text, fields[i])) return false;
    return true;
}

bool TextLayout::match(std::string_view line, std::vector<FieldView>& fields) const {
    fields.resize(types_.size());
    bool sure = false;
    bool found = greedy_ && walk(line, fields, sure);
    if (!found && !sure) found = ask_regex(line, fields);
    return found && (all_text_ || typed(fields));
}

std::size_t TextLayout::fits_up_to(std::string_view line) const {
    if (!automaton_) return 0;
    Automaton::State s = automaton_->initial();
    for (std::size_t i = 0; i < line.size(); ++i) {
        s = automaton_->next(s, static_cast<unsigned char>(line[i]));
        if (automaton_->distance(s) == Automaton::never) return i;
    }
    return line.size();
}

// A number with room for so many digits is written with zeros in front, as it was read.
bool TextLayout::append(const TextItem& part, const expr::Value& value, std::string& out) const {
    std::size_t begin = out.size();
    if (!append_text(*pool_, types_[part.field], value, out)) return false;
    std::size_t written = out.size() - begin, sign = out[begin] == '-' ? 1 : 0;
    if (written < part.digits) out.insert(begin + sign, part.digits - written, '0');
    return true;
}

std::optional<EncodeFault> TextLayout::encode(std::span<const expr::Value> values, std::string& out) const {
    std::size_t start = out.size();
    for (const TextItem& p : parts_) {
        if (p.field == none) {
            out += p.text;
            continue;
        }
        std::size_t begin = out.size();
        if (!append(p, values[p.field], out))
            return EncodeFault{p.field, fmt::format("`{}` cannot be written as text", p.name)};
        std::string_view text = std::string_view(out).substr(begin);
        bool fits = true;
        if (p.matching == Matching::run) {
            fits = text.size() >= p.low && p.run_from(text, 0) == text.size();
        } else if (p.automaton) {
            fits = p.automaton->matches(text);
        } else {
            fits = re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *p.regex);
        }
        if (!fits)
            return EncodeFault{p.field, fmt::format("the text of `{}` does not match its pattern: {}", p.name,
                                                    readable(text))};
    }
    if (exact_) return std::nullopt;  // a text splits in one way, and a value has one text
    // Reading it back must give the same texts.
    std::vector<FieldView> back;
    std::string_view line = std::string_view(out).substr(start);
    bool same = match(line, back);
    std::string text;
    for (const TextItem& p : parts_) {
        if (!same || p.field == none) continue;
        text.clear();
        append(p, values[p.field], text);
        same = text == back[p.field].text;
    }
    if (same) return std::nullopt;
    return EncodeFault{none,
                       fmt::format("the line would be read back as different values: {}", readable(line))};
}

std::optional<std::vector<expr::Value>> TextLayout::reread(std::span<const expr::Value> values) const {
    std::string line;
    for (const TextItem& p : parts_) {
        if (p.field == none)
            line += p.text;
        else if (!append(p, values[p.field], line))
            return std::nullopt;
    }
    std::vector<FieldView> fields;
    if (!match(line, fields)) return std::nullopt;
    std::vector<expr::Value> result;
    for (std::size_t f = 0; f < types_.size(); ++f)
        result.push_back(value_of(pool_->types(), types_[f], {fields[f].number, fields[f].text, nullptr}));
    return result;
}

void TextLayout::explain(std::string_view line, const std::vector<FieldView>& fields,
                         std::vector<Piece>& pieces) const {
    auto place = [&](std::string name, std::string_view text) {
        auto begin = static_cast<std::uint64_t>(text.data() - line.data());
        PieceRole role = name.empty() ? PieceRole::tag : PieceRole::data;
        pieces.push_back({std::move(name), readable(text), begin * 8, (begin + text.size()) * 8, 0, role});
    };
    // The text between two fields is not needed.
    std::vector<const TextItem*> carried;
    for (const TextItem& p : parts_)
        if (p.field != none) carried.push_back(&p);
    std::size_t at = 0;
    for (const TextItem* p : carried) {
        std::string_view text = fields[p->field].text;
        auto begin = static_cast<std::size_t>(text.data() - line.data());
        if (begin > at) place("", line.substr(at, begin - at));
        place(p->name, text);
        at = begin + text.size();
    }
    if (at < line.size()) place("", line.substr(at));
}

}  // namespace treaty::wire
