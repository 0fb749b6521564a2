#include "formats/diagram/lines.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::diagram {
namespace {

bool word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80);
}

std::string_view trimmed(std::string_view text) {
    std::size_t begin = text.find_first_not_of(" \t\r\f\v");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\f\v") - begin + 1);
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

// Words that begin a line without messages.
constexpr auto ignored = std::to_array<std::string_view>(
    {"activate",  "deactivate", "autonumber", "title",   "acctitle",       "accdescr",
     "link",      "links",      "properties", "details", "destroy",        "skinparam",
     "hide",      "show",       "header",     "footer",  "scale",          "newpage",
     "mainframe", "caption",    "left",       "right",   "sequencediagram"});
constexpr auto participants = std::to_array<std::string_view>(
    {"participant", "actor", "boundary", "control", "entity", "database", "collections", "queue"});
constexpr auto fragments = std::to_array<std::string_view>(
    {"alt", "opt", "loop", "par", "critical", "break", "group", "rect", "box", "par2", "par_over"});

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

struct Arrow {
    std::size_t begin = 0, end = 0;
    bool backwards = false, both = false, lost = false, dotted = false;
};

// A text of a message, with a blank for what breaks its lines, and without what only concerns its layout.
std::string plain_text(std::string_view text) {
    for (std::string_view setting : {"wrap:", "nowrap:"})
        if (text.starts_with(setting)) text = trimmed(text.substr(setting.size()));
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string_view rest = text.substr(i);
        std::size_t skipped = 0;
        if (rest.starts_with("\\n")) skipped = 2;
        for (std::string_view tag : {"<br>", "<br/>", "<br />"})
            if (lower(rest.substr(0, tag.size())) == tag) skipped = tag.size();
        // #35; and #lt; are characters.
        if (rest.starts_with('#')) {
            std::size_t end = 1;
            while (end < rest.size() && word_character(rest[end])) ++end;
            if (end > 1 && end < rest.size() && rest[end] == ';') skipped = end + 1;
        }
        out += skipped ? ' ' : text[i];
        if (skipped) i += skipped - 1;
    }
    return out;
}

// Where a statement of Mermaid ends: at a semicolon that does not end a character such as #35;.
std::size_t statement_end(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != ';') continue;
        std::size_t begin = i;
        while (begin > 0 && word_character(line[begin - 1])) --begin;
        if (begin == i || begin == 0 || line[begin - 1] != '#') return i;
    }
    return line.size();
}

class Reader {
public:
    Reader(const base::SourceMap& sources, base::FileId file, Dialect dialect, base::Diagnostics& diagnostics)
        : text_(sources.text(file)), file_(file), dialect_(dialect), diagnostics_(diagnostics) {}

    std::vector<Line> run() {
        for (std::size_t begin = 0; begin < text_.size();) {
            std::size_t end = std::min(text_.find('\n', begin), text_.size());
            std::string_view line = text_.substr(begin, end - begin);
            // Several statements on a line. A comment goes to the end of its line.
            if (dialect_ == Dialect::mermaid && !trimmed(line).starts_with("%%"))
                end = begin + statement_end(line);
            line = trimmed(text_.substr(begin, end - begin));
            begin = end + 1;
            if (line.empty()) continue;
            auto at = static_cast<std::uint32_t>(line.data() - text_.data());
            span_ = {file_, at, static_cast<std::uint32_t>(at + line.size())};
            if (!begun_)
                head(line);
            else if (!outside(line))
                one(line);
        }
        if (!begun_ && dialect_ == Dialect::mermaid)
            diagnostics_
                .report(codes::diagram_syntax,
                        {file_, 0, std::min<std::uint32_t>(1, static_cast<std::uint32_t>(text_.size()))},
                        "this file contains no sequence diagram")
                .help("a sequence diagram begins with the line `sequenceDiagram`");
        return std::move(lines_);
    }

private:
    void head(std::string_view line) {
        if (dialect_ == Dialect::mermaid) {
            begun_ = lower(line).starts_with("sequencediagram");
            return;
        }
        begun_ = true;
        if (!line.starts_with("@startuml")) {
            if (!outside(line)) one(line);
        }
    }

    // Comments, and lines inside of something that goes over several.
    bool outside(std::string_view line) {
        if (!until_.empty()) {
            std::string joined = lower(line);
            std::erase_if(joined, [](char c) { return c == ' ' || c == '\t'; });
            bool comment = until_ == "'/";
            if (comment ? joined.find(until_) != std::string::npos : joined == until_) until_.clear();
            return true;
        }
        if (dialect_ == Dialect::mermaid) return line.starts_with("%%");
        if (line.starts_with("/'")) {
            if (line.find("'/") == std::string_view::npos) until_ = "'/";
            return true;
        }
        if (line[0] == '!') {
            std::string word = lower(first_word(line.substr(1)));
            if (word != "theme" && word != "pragma")
                fault(codes::diagram_unsupported,
                      fmt::format("the preprocessor (`!{}`) is not supported", word));
            return true;
        }
        return line[0] == '\'' || line[0] == '@' || line.starts_with("==") || line.starts_with("...") ||
               line.starts_with("||");
    }

    void fault(const base::Code& code, std::string message) {
        diagnostics_.report(code, span_, std::move(message));
    }

    static std::string_view first_word(std::string_view line) {
        std::size_t end = 0;
        while (end < line.size() && word_character(line[end])) ++end;
        return line.substr(0, end);
    }

    void one(std::string_view line) {
        if (line.starts_with('&'))
            return fault(codes::diagram_unsupported, "messages at the same time (`&`) are not supported");
        std::string word = lower(first_word(line));
        std::string_view rest = trimmed(line.substr(word.size()));
        // A word of the notation is one only if it is not a role that sends or receives: `end -> B`.
        Arrow arrow = find_arrow(line);
        bool is_role = arrow.end != 0 && trimmed(line.substr(0, arrow.begin)).size() == word.size();
        if (!is_role && keyword(word, line, rest)) return;
        if (arrow.end == 0)
            return fault(codes::diagram_syntax,
                         fmt::format("`{}` is not a line of a sequence diagram", line.substr(0, 60)));
        message(line);
    }

    bool keyword(const std::string& word, std::string_view line, std::string_view rest) {
        if (word == "create")
            create(rest);
        else if (among(participants, word))
            participant(rest);
        else if (word == "note" || word == "hnote" || word == "rnote")
            note(word, line);
        else if (word == "ref")
            fault(codes::diagram_unsupported, "references to other diagrams (`ref`) are not supported");
        else if (word == "return")
            returns(rest);
        else if (word == "end")
            add({LineKind::close, span_});
        else if (word == "else" || word == "and" || word == "option")
            add({LineKind::split, span_, word, {}, {}, std::string(rest)});
        else if (among(fragments, word))
            add({LineKind::open,
                 span_,
                 word == "par2" || word == "par_over" ? "par" : word,
                 {},
                 {},
                 std::string(rest)});
        else if (word == "legend")
            until_ = "endlegend";
        else if (rest.empty() && (word == "title" || word == "header" || word == "footer"))
            until_ = "end" + word;
        else if ((word == "skinparam" || word == "accdescr") && rest.ends_with('{'))
            until_ = "}";
        else if (word == "autoactivate")
            auto_activate_ = lower(rest) != "off";
        else if (word == "activate" && dialect_ == Dialect::plantuml)
            activate(name_of(rest));
        else
            return among(ignored, word);
        return true;
    }

    void add(Line line) { lines_.push_back(std::move(line)); }

    // "Long name" as A, A as "Long name" (Mermaid: A as Long name), with colours and stereotypes after it.
    void participant(std::string_view rest) {
        std::string name, alias;
        std::string_view after = rest;
        name = take_name(after);
        after = trimmed(after);
        if (lower(after).starts_with("as ")) {
            std::string_view other = trimmed(after.substr(3));
            bool quoted_first = rest.starts_with('"');
            alias = dialect_ == Dialect::plantuml ? take_name(other) : std::string(other);
            // The short one is used in arrows.
            if (dialect_ == Dialect::plantuml && quoted_first) std::swap(name, alias);
        }
        if (name.empty()) return fault(codes::diagram_syntax, "expected the name of a participant");
        if (dialect_ == Dialect::plantuml && rest.ends_with('[')) until_ = "]";
        add({LineKind::participant, span_, {}, role(name)});
    }

    void create(std::string_view rest) {
        std::string word = lower(first_word(rest));
        participant(among(participants, word) ? trimmed(rest.substr(word.size())) : rest);
    }

    // `note over A` without a colon goes on to `end note`.
    void note(const std::string& word, std::string_view line) {
        bool text = line.find(':') != std::string_view::npos || line.find('"') != std::string_view::npos;
        if (dialect_ == Dialect::plantuml && !text) until_ = "end" + word;
    }

    void activate(const std::string& who) {
        for (auto at = lines_.rbegin(); at != lines_.rend(); ++at)
            if (at->kind == LineKind::message && at->to == who) return active_.push_back({at->from, who});
    }

    void returns(std::string_view text) {
        if (active_.empty()) return fault(codes::diagram_syntax, "`return` without an activation before it");
        auto [caller, callee] = active_.back();
        active_.pop_back();
        add({LineKind::message, span_, {}, callee, caller, std::string(text)});
    }

    std::string role(std::string_view text) {
        std::string name = name_of(text);
        return name.empty() ? "outside" : name;
    }

    static std::string take_name(std::string_view& text) {
        if (text.starts_with('"')) {
            std::size_t end = text.find('"', 1);
            std::string name(text.substr(1, end == std::string_view::npos ? end : end - 1));
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
            return name;
        }
        std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        std::string name(text.substr(0, end));
        text = text.substr(end);
        return name;
    }

    // The arrow of the line, before the text after the colon; end 0: none.
    Arrow find_arrow(std::string_view line) const {
        std::string_view before = line.substr(0, colon(line));
        if (dialect_ == Dialect::mermaid) return mermaid_arrow(before);
        return plantuml_arrow(before);
    }

    static std::size_t colon(std::string_view line) {
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '"') quoted = !quoted;
            if (line[i] == ':' && !quoted) return i;
        }
        return line.size();
    }

    static Arrow mermaid_arrow(std::string_view before) {
        static constexpr auto arrows = std::to_array<std::string_view>(
            {"<<-->>", "<<->>", "-->>", "->>", "--x", "-x", "--)", "-)", "-->", "->"});
        for (std::size_t i = 0; i < before.size(); ++i)
            for (std::string_view a : arrows)
                if (before.substr(i).starts_with(a))
                    return {i, i + a.size(), false, a[0] == '<', a.back() == 'x', a[1] == '-'};
        return {};
    }

    // [x o]? < or \ /, dashes with a style in brackets between them, > or \ /, [x o]?
    static Arrow plantuml_arrow(std::string_view before) {
        bool quoted = false;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (before[i] == '"') quoted = !quoted;
            if (quoted || before[i] != '-') continue;
            std::size_t begin = i, end = i;
            while (begin > 0 && std::string_view("<\\/").find(before[begin - 1]) != std::string_view::npos)
                --begin;
            bool left = begin < i;
            bool lost = begin > 1 && before[begin - 1] == 'x' && before[begin - 2] == ' ';
            if (lost || (begin > 1 && before[begin - 1] == 'o' && before[begin - 2] == ' ')) --begin;
            while (end < before.size() && (before[end] == '-' || before[end] == '[')) {
                if (before[end] == '[') end = std::min(before.find(']', end), before.size() - 1);
                ++end;
            }
            std::size_t dashes = end;
            while (end < before.size() &&
                   std::string_view(">\\/").find(before[end]) != std::string_view::npos)
                ++end;
            bool right = end > dashes;
            if (end < before.size() && (before[end] == 'x' || before[end] == 'o') &&
                (end + 1 == before.size() || before[end + 1] == ' ')) {
                lost = lost || before[end] == 'x';
                ++end;
            }
            bool dotted = before.substr(begin, end - begin).find("--") != std::string_view::npos;
            if (left || right || lost) return {begin, end, left && !right, left && right, lost, dotted};
        }
        return {};
    }

    void message(std::string_view line) {
        Arrow arrow = find_arrow(line);
        std::size_t text_at = colon(line);
        std::string_view left = trimmed(line.substr(0, arrow.begin));
        std::string_view right = trimmed(line.substr(arrow.end, text_at - arrow.end));
        std::string text =
            plain_text(text_at < line.size() ? trimmed(line.substr(text_at + 1)) : std::string_view());
        bool activates = auto_activate_ && !arrow.dotted;
        if (dialect_ == Dialect::mermaid) {
            if (right.starts_with('+') || right.starts_with('-')) right = trimmed(right.substr(1));
        } else {
            for (std::string_view mark : {"++", "--", "**", "!!"})
                if (std::size_t at = right.find(mark); at != std::string_view::npos) {
                    activates = activates || mark == "++";
                    right = trimmed(right.substr(0, at));
                }
        }
        if (arrow.both)
            return fault(codes::diagram_unsupported, "arrows in both directions are not supported");
        if (arrow.lost)
            return fault(codes::diagram_unsupported, "lost messages (arrows with a cross) are not supported");
        std::string from = role(unquoted(left)), to = role(unquoted(right));
        if (arrow.backwards) std::swap(from, to);
        if (activates) active_.push_back({from, to});
        add({LineKind::message, span_, {}, std::move(from), std::move(to), std::move(text)});
    }

    static std::string_view unquoted(std::string_view text) {
        if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
            return text.substr(1, text.size() - 2);
        return text;
    }

    std::string_view text_;
    base::FileId file_;
    Dialect dialect_;
    base::Diagnostics& diagnostics_;
    base::Span span_;  // of the line that is being read
    bool begun_ = false;
    bool auto_activate_ = false;  // PlantUML: every message activates
    std::string until_;           // what ends a comment or a note that goes over several lines
    std::vector<std::pair<std::string, std::string>> active_;  // PlantUML: caller and callee
    std::vector<Line> lines_;
};

}  // namespace

std::string name_of(std::string_view text) {
    std::string name;
    for (char c : text) {
        bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (fits)
            name += c;
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    std::size_t end = name.find_last_not_of('_');
    if (end == std::string::npos) return {};
    if (!text.empty() && text.back() != '_') name.resize(end + 1);
    return name;
}

std::vector<Line> lines_of(const base::SourceMap& sources, base::FileId file, Dialect dialect,
                           base::Diagnostics& diagnostics) {
    return Reader(sources, file, dialect, diagnostics).run();
}

}  // namespace treaty::formats::diagram
