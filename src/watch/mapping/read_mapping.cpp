// A mapping is read line by line: a statement is one line, so that a regular expression can be written as it
// is, to the end of its line, without quotes or escapes. Statements before the first `message` hold for all
// messages; those after it, for the message above them. `like NAME` reads a mapping that comes with Treaty
// first; what follows replaces what it defines.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/limits.h"
#include "watch/codes.h"
#include "watch/mapping/mapping.h"

namespace treaty::watch {

std::optional<std::string> Template::constant() const {
    std::string text;
    for (const Part& part : parts) {
        if (!part.alternatives.empty()) return std::nullopt;
        text += part.text;
    }
    return text;
}

namespace {

constexpr std::size_t most_patterns = 200;
constexpr std::size_t most_components = 8;  // of a path: they can be grouped in 2^7 ways
constexpr std::size_t most_levels = 8;      // of `each`
constexpr std::int64_t pattern_memory = std::int64_t{8} << 20;

constexpr std::array<std::string_view, 17> statements{
    "like", "lines", "json", "let",       "names",  "sort", "message", "skip", "when",
    "time", "from",  "role", "direction", "fields", "peer", "session", "id"};

std::string_view trimmed(std::string_view text) {
    auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

bool is_word(std::string_view text) {
    auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits) &&
           !(text[0] >= '0' && text[0] <= '9');
}

// Cuts the first word off. Blanks in braces do not end a word.
std::string_view take_word(std::string_view& text) {
    std::size_t depth = 0, i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == '{') ++depth;
        if (text[i] == '}' && depth > 0) --depth;
        if (depth == 0 && (text[i] == ' ' || text[i] == '\t')) break;
    }
    std::string_view word = text.substr(0, i);
    text = trimmed(text.substr(i));
    return word;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    while (true) {
        auto at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + separator.size());
    }
}

std::optional<Transform> transform_named(std::string_view name) {
    if (name == "lower") return Transform::lower;
    if (name == "upper") return Transform::upper;
    if (name == "name") return Transform::name;
    if (name == "path") return Transform::path;
    if (name == "route") return Transform::route;
    return std::nullopt;
}

std::optional<TimeForm> time_form_named(std::string_view name) {
    if (name == "rfc3339") return TimeForm::rfc3339;
    if (name == "seconds") return TimeForm::seconds;
    if (name == "milliseconds") return TimeForm::milliseconds;
    if (name == "microseconds") return TimeForm::microseconds;
    if (name == "nanoseconds") return TimeForm::nanoseconds;
    if (name == "syslog") return TimeForm::syslog;
    if (name == "access_log") return TimeForm::access_log;
    return std::nullopt;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool has_other_role(const Template& text) {
    for (const Template::Part& part : text.parts)
        for (const Template::Alternative& one : part.alternatives)
            if (one.kind == Template::Alternative::Kind::other_role) return true;
    return false;
}

using Scope = std::vector<std::pair<std::string, std::size_t>>;

class MappingReader {
public:
    MappingReader(base::SourceMap& sources, base::Diagnostics& diagnostics)
        : sources_(sources), diagnostics_(diagnostics) {}

    std::shared_ptr<const Mapping> read(base::FileId file) {
        std::size_t before = diagnostics_.errors();
        if (sources_.text(file).size() > mapping_limit)
            report(codes::mapping_unreadable, {file, 0, 0}, "a mapping has at most 1 MB");
        else
            read_file(file);
        if (diagnostics_.errors() == before) finish(file);
        if (diagnostics_.errors() != before) return nullptr;
        return std::make_shared<const Mapping>(std::move(mapping_));
    }

private:
    base::Diagnostic& report(const base::Code& code, base::Span span, std::string message) {
        return diagnostics_.report(code, span, std::move(message));
    }
    base::Diagnostic& wrong(base::Span span, std::string message) {
        return report(codes::mapping_unreadable, span, std::move(message));
    }
    // The place of a part of the file that is being read.
    base::Span at(std::string_view part) const {
        auto begin = static_cast<std::uint32_t>(part.data() - text_.data());
        return {file_, begin, begin + static_cast<std::uint32_t>(part.size())};
    }

    void read_file(base::FileId file) {
        base::FileId outer_file = std::exchange(file_, file);
        std::string_view outer_text = std::exchange(text_, sources_.text(file));
        mapping_.text += text_;
        std::string_view rest = text_;
        while (!rest.empty()) {
            auto end = rest.find('\n');
            std::string_view line = trimmed(rest.substr(0, end));
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
            if (!line.empty() && line[0] != '#') statement(line);
        }
        file_ = outer_file;
        text_ = outer_text;
    }

    void statement(std::string_view line) {
        std::string_view rest = line;
        std::string_view word = take_word(rest);
        bool known = std::find(statements.begin(), statements.end(), word) != statements.end();
        bool arrow = line.find("->") != std::string_view::npos;
        if (table_ && arrow && (!known || rest.starts_with("->"))) return table_case(line);
        table_ = nullptr;
        if (is_field(word, rest)) return field(line);
        if (!known) {
            if (arrow)
                wrong(at(line), "a translation belongs under `let NAME {VALUE}` or `names`");
            else
                wrong(at(word), fmt::format("unknown statement {}", word))
                    .help(fmt::format("a line begins with one of: {}; or it is FIELD = VALUE",
                                      fmt::join(statements, ", ")));
            return;
        }
        if (rest.empty() && word != "json" && word != "names" && word != "sort" && word != "skip") {
            wrong(at(line), fmt::format("`{}` needs something after it", word));
            return;
        }
        if (!declaration(word, rest, line)) rule_statement(word, rest, line);
    }

    static bool is_field(std::string_view word, std::string_view rest) {
        auto equals = word.find('=');
        return (equals != std::string_view::npos && is_word(word.substr(0, equals))) ||
               (is_word(word) && rest.starts_with("="));
    }

    // What a mapping consists of, apart from what is about messages.
    bool declaration(std::string_view word, std::string_view rest, std::string_view line) {
        if (word == "like") {
            like(rest);
        } else if (word == "lines") {
            lines(rest);
        } else if (word == "json") {
            json(rest);
        } else if (word == "let") {
            let(rest);
        } else if (word == "names") {
            mapping_.names = {};
            table_ = &mapping_.names;
        } else if (word == "sort") {
            sort(rest);
        } else if (word == "message" || word == "skip") {
            begin_rule(word, rest, line);
        } else {
            return false;
        }
        return true;
    }

    void like(std::string_view name) {
        if (file_ == inner_) {
            wrong(at(name), "a mapping that comes with Treaty cannot build on another one");
            return;
        }
        if (split_known_ || !mapping_.rules.empty()) {
            wrong(at(name), "`like` comes first");
            return;
        }
        auto text = ready_made_mapping(name);
        if (!text) {
            report(codes::mapping_name, at(name), fmt::format("no mapping is called {}", name))
                .help(fmt::format("known: {}", fmt::join(ready_made_mappings(), ", ")));
            return;
        }
        inner_ = sources_.add(std::string(name), std::string(*text));
        read_file(inner_);
        inherited_ = mapping_.rules.size();
        inherited_split_ = true;
        inner_ = {};
        rule_ = nullptr;
        table_ = nullptr;
    }

    void lines(std::string_view text) {
        if (inherited_split_) {
            mapping_.lines.clear();
            mapping_.json = false;
            inherited_split_ = false;
        }
        if (mapping_.json) {
            wrong(at(text), "the records are JSON already: a mapping has `json` or `lines`");
            return;
        }
        split_known_ = true;
        if (auto made = pattern(text, globals_)) mapping_.lines.push_back(std::move(*made));
    }

    void json(std::string_view rest) {
        inherited_split_ = false;
        if (!mapping_.lines.empty()) {
            wrong(at(rest), "the records are lines already: a mapping has `json` or `lines`");
            return;
        }
        split_known_ = mapping_.json = true;
        mapping_.each.clear();
        if (rest.empty()) return;
        std::string_view word = take_word(rest);
        if (word != "each" || rest.empty()) {
            wrong(at(word), "expected `json` or `json each MEMBER, MEMBER`");
            return;
        }
        for (std::string_view level : split(rest, ",")) {
            if (level.empty()) wrong(at(rest), "expected `json each MEMBER, MEMBER`");
            if (is_path(level)) mapping_.each.emplace_back(level);
        }
        if (mapping_.each.size() > most_levels)
            wrong(at(rest), fmt::format("at most {} arrays in each other", most_levels));
    }

    bool is_path(std::string_view path) {
        if (std::count(path.begin(), path.end(), '.') < static_cast<std::ptrdiff_t>(most_components))
            return true;
        wrong(at(path), fmt::format("a path has at most {} parts", most_components));
        return false;
    }

    void sort(std::string_view rest) {
        mapping_.sorted = true;
        mapping_.window_ns = 0;
        if (rest.empty()) return;
        std::string_view word = take_word(rest);
        auto duration = word == "within" ? base::parse_duration(std::string(rest)) : std::nullopt;
        if (duration && duration->count() > 0)
            mapping_.window_ns = duration->count();
        else
            wrong(at(word), "expected `sort` or `sort within 10s`");
    }

    std::optional<Pattern> pattern(std::string_view text, Scope& scope) {
        if (++patterns_ > most_patterns) {
            wrong(at(text), fmt::format("a mapping has at most {} regular expressions", most_patterns));
            return std::nullopt;
        }
        re2::RE2::Options options(re2::RE2::Latin1);  // any byte is a character: logs may hold any bytes
        options.set_log_errors(false);
        options.set_max_mem(pattern_memory);
        Pattern made;
        auto regex = std::make_shared<re2::RE2>(with_named_groups(text), options);
        if (!regex->ok()) {
            report(codes::mapping_pattern, at(text), fmt::format("{}", regex->error()))
                .help("the syntax is that of RE2; a named group is (?P<name>...)");
            return std::nullopt;
        }
        if (regex->NumberOfCapturingGroups() > static_cast<int>(most_pattern_groups)) {
            report(codes::mapping_pattern, at(text),
                   fmt::format("a regular expression has at most {} groups", most_pattern_groups));
            return std::nullopt;
        }
        for (const auto& [name, group] : regex->NamedCapturingGroups())
            made.groups.push_back({group, slot_in(scope, name)});
        made.regex = std::move(regex);
        return made;
    }

    // (?<name>...), as other libraries write it, is (?P<name>...).
    static std::string with_named_groups(std::string_view text) {
        std::string out;
        bool escaped = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            bool group = !escaped && text.substr(i).starts_with("(?<") && i + 3 < text.size() &&
                         is_word(text.substr(i + 3, 1));
            escaped = !escaped && text[i] == '\\';
            out += text[i];
            if (!group) continue;
            out += "?P<";
            i += 2;
        }
        return out;
    }

    std::size_t slot_in(Scope& scope, const std::string& name) {
        for (const auto& [known, slot] : scope)
            if (known == name) return slot;
        scope.emplace_back(name, mapping_.slots.size());
        mapping_.slots.push_back({Slot::Kind::group, name, 0});
        return scope.back().second;
    }

    Scope& scope() { return rule_ ? rule_->scope : globals_; }

    std::optional<std::size_t> find(std::string_view name) const {
        const Scope* own = rule_ ? &rule_->scope : nullptr;
        for (const Scope* scope : {own, &globals_}) {
            if (!scope) continue;
            for (const auto& [known, slot] : *scope)
                if (known == name) return slot;
        }
        return std::nullopt;
    }

    // The slot of a name in a template; in JSON, any other name is the path of a member.
    std::optional<std::size_t> slot_of(std::string_view name) {
        if (auto slot = find(name)) return slot;
        if (mapping_.json) {
            if (!is_path(name)) return std::nullopt;
            if (auto known = members_.find(std::string(name)); known != members_.end()) return known->second;
            members_.emplace(name, mapping_.slots.size());
            mapping_.slots.push_back({Slot::Kind::member, std::string(name), 0});
            return mapping_.slots.size() - 1;
        }
        std::vector<std::string_view> known;
        for (const auto& [one, slot] : globals_) known.push_back(one);
        if (rule_)
            for (const auto& [one, slot] : rule_->scope) known.push_back(one);
        std::sort(known.begin(), known.end());
        base::Diagnostic& unknown =
            report(codes::mapping_name, at(name), fmt::format("unknown value {}", name));
        if (!split_known_ && !inherited_split_)
            unknown.help("a mapping begins with `lines`, `json` or `like`");
        else
            unknown.help(fmt::format("the values here are: {}", fmt::join(known, ", ")));
        return std::nullopt;
    }

    Template parse(std::string_view text) {
        Template made;
        made.span = at(text);
        std::string constant;
        auto flush = [&] {
            if (!constant.empty()) made.parts.push_back({std::exchange(constant, {}), {}, Transform::none});
        };
        for (std::size_t i = 0; i < text.size(); ++i) {
            bool twice = i + 1 < text.size() && text[i + 1] == text[i];
            if ((text[i] == '{' || text[i] == '}') && twice) {
                constant += text[i++];
            } else if (text[i] == '{') {
                auto end = text.find('}', i);
                if (end == std::string_view::npos) {
                    wrong(at(text.substr(i)), "`{` without `}` (a brace itself is written twice)");
                    return made;
                }
                flush();
                made.parts.push_back(value_part(text.substr(i + 1, end - i - 1)));
                i = end;
            } else if (text[i] == '}') {
                wrong(at(text.substr(i, 1)), "`}` without `{` (a brace itself is written twice)");
                return made;
            } else {
                constant += text[i];
            }
        }
        flush();
        if (made.parts.empty()) made.parts.push_back({});
        return made;
    }

    // "route a or b or 'c'".
    Template::Part value_part(std::string_view text) {
        Template::Part part;
        std::string_view rest = trimmed(text), all = rest;
        if (auto blank = rest.find(' '); blank != std::string_view::npos) {
            auto transform = transform_named(rest.substr(0, blank));
            std::string_view after = trimmed(rest.substr(blank));
            if (transform && !after.starts_with("or ")) {
                part.transform = *transform;
                rest = after;
            }
        }
        for (std::string_view one : split(rest, " or ")) {
            Template::Alternative made;
            if (one == "?") {
                made.kind = Template::Alternative::Kind::other_role;
            } else if (one.size() >= 2 && one.front() == '\'' && one.back() == '\'') {
                made.kind = Template::Alternative::Kind::constant;
                made.text = one.substr(1, one.size() - 2);
            } else if (one.empty() || one.find_first_of(" \t{") != std::string_view::npos) {
                wrong(at(all.empty() ? text : all), "expected a value: {NAME}, {NAME or NAME}, {lower NAME}")
                    .help("what can be done with a value: lower, upper, name, path, route");
                continue;
            } else if (auto slot = slot_of(one)) {
                made.slot = *slot;
            } else {
                continue;
            }
            part.alternatives.push_back(std::move(made));
        }
        // Something was reported; a part without alternatives would be a constant.
        if (part.alternatives.empty())
            part.alternatives.emplace_back().kind = Template::Alternative::Kind::constant;
        return part;
    }

    Template role(std::string_view text) {
        if (text != "?") return parse(text);
        Template made;
        made.span = at(text);
        made.parts.emplace_back().alternatives.emplace_back().kind = Template::Alternative::Kind::other_role;
        return made;
    }

    // let NAME = TEMPLATE, or let NAME TEMPLATE with translations under it.
    void let(std::string_view rest) {
        std::string_view name = take_word(rest);
        bool plain = rest.starts_with("=");
        if (plain) rest = trimmed(rest.substr(1));
        if (!is_word(name) || rest.empty()) {
            wrong(at(name), "expected `let NAME = VALUE`, or `let NAME VALUE` with translations under it");
            return;
        }
        Definition made;
        made.text = parse(rest);
        Scope& into = scope();
        auto known =
            std::find_if(into.begin(), into.end(), [&](const auto& one) { return one.first == name; });
        if (known != into.end() && mapping_.slots[known->second].kind == Slot::Kind::definition) {
            made.slot = known->second;
            std::size_t number = mapping_.slots[made.slot].definition;
            mapping_.definitions[number] = std::move(made);
            if (!plain) table_ = &mapping_.definitions[number].translation;
            return;
        }
        if (known != into.end()) {
            report(codes::mapping_name, at(name), fmt::format("{} is the name of a group already", name));
            return;
        }
        made.slot = mapping_.slots.size();
        into.emplace_back(std::string(name), made.slot);
        mapping_.slots.push_back({Slot::Kind::definition, std::string(name), mapping_.definitions.size()});
        if (rule_) rule_->definitions.push_back(mapping_.definitions.size());
        mapping_.definitions.push_back(std::move(made));
        if (!plain) table_ = &mapping_.definitions.back().translation;
    }

    void table_case(std::string_view line) {
        auto arrow = line.find("->");
        std::string_view key = trimmed(line.substr(0, arrow)), value = trimmed(line.substr(arrow + 2));
        if (key.empty() || value.empty()) {
            wrong(at(line), "expected `TEXT -> TEXT`, or `else -> TEXT`");
            return;
        }
        if (key == "else") {
            table_->otherwise = parse(value);
            return;
        }
        for (const auto& [known, text] : table_->cases)
            if (known == key) {
                wrong(at(key), fmt::format("{} is translated twice", key)).label(text.span, "first here");
                return;
            }
        table_->cases.emplace_back(std::string(key), parse(value));
    }

    void begin_rule(std::string_view word, std::string_view rest, std::string_view line) {
        if (word == "skip" && !rest.empty()) {
            wrong(at(rest), "`skip` takes nothing on its line; its conditions are on the lines under it");
            return;
        }
        mapping_.rules.emplace_back();
        rule_ = &mapping_.rules.back();
        rule_->span = at(line);
        rule_->skip = word == "skip";
        if (!rule_->skip) rule_->name = parse(rest);
    }

    void rule_statement(std::string_view word, std::string_view rest, std::string_view line) {
        MessageRule& into = rule_ ? *rule_ : defaults_;
        if (word == "when") {
            condition(rest, line);
        } else if (word == "time") {
            if (auto rule = time(rest)) into.time = std::move(rule);
        } else if (word == "session") {
            into.session = parse(rest);
        } else if (word == "id") {
            into.id = parse(rest);
        } else if (word == "from") {
            parties(rest, into);
        } else if (word == "role") {
            into.role = role(rest);
        } else if (word == "peer") {
            into.peer = role(rest);
        } else if (word == "direction") {
            into.direction = parse(rest);
        } else if (word == "fields") {
            if (!mapping_.json) {
                wrong(at(line), "`fields` is for JSON: it names the member that has the fields");
            } else if (is_path(rest)) {
                into.fields_of = rest;
            }
        }
    }

    // from A to B, and perhaps: seen by C
    void parties(std::string_view rest, MessageRule& into) {
        std::string_view all = rest;
        std::string_view from = take_word(rest), to_word = take_word(rest), to = take_word(rest);
        std::string_view seen = take_word(rest), by = take_word(rest), observer = take_word(rest);
        bool fits = to_word == "to" && !to.empty() && rest.empty() &&
                    (seen.empty() || (seen == "seen" && by == "by" && !observer.empty()));
        if (!fits) {
            wrong(at(all), "expected `from ROLE to ROLE`, or `from ROLE to ROLE seen by ROLE`");
            return;
        }
        into.from = role(from);
        into.to = role(to);
        into.seen_by = seen.empty() ? Template{} : parse(observer);
    }

    std::optional<TimeRule> time(std::string_view rest) {
        std::string_view all = rest;
        TimeRule rule;
        rule.at = parse(take_word(rest));
        auto form = [&](TimeForm& into) {
            if (!rest.starts_with("as ")) return true;
            take_word(rest);
            std::string_view name = take_word(rest);
            auto known = time_form_named(name);
            if (known) into = *known;
            if (!known)
                wrong(at(name), fmt::format("unknown form of time {}", name))
                    .help(
                        "known: rfc3339, seconds, milliseconds, microseconds, nanoseconds, syslog, "
                        "access_log");
            return known.has_value();
        };
        if (!form(rule.form)) return std::nullopt;
        if (rest.starts_with("year ")) {
            take_word(rest);
            std::string_view digits = take_word(rest);
            rule.year = number<int>(digits).value_or(0);
            if (rule.year < 1970 || rule.year > 2200 || rule.form != TimeForm::syslog) {
                wrong(at(digits), "expected `time {VALUE} as syslog year 2026`");
                return std::nullopt;
            }
        }
        if (rest.starts_with("plus ") || rest.starts_with("minus ")) {
            rule.sign = take_word(rest) == "plus" ? 1 : -1;
            rule.offset = parse(take_word(rest));
            if (!form(rule.offset_form)) return std::nullopt;
        }
        if (rest.empty()) return rule;
        wrong(at(all), "expected `time {VALUE} as FORM`, and perhaps `plus {VALUE} as FORM`");
        return std::nullopt;
    }

    void condition(std::string_view rest, std::string_view line) {
        if (!rule_) {
            wrong(at(line), "a condition belongs under `message` or `skip`");
            return;
        }
        std::string_view all = rest;
        Condition made;
        made.value = parse(take_word(rest));
        std::string_view word = take_word(rest);
        bool fits = true;
        if (word == "matches") {
            made.kind = Condition::Kind::matches;
            auto regex = pattern(rest, rule_->scope);
            if (!regex) return;
            made.pattern = std::move(*regex);
        } else if (word == "in") {
            made.kind = Condition::Kind::in;
            auto dots = rest.find("..");
            auto least = number<std::int64_t>(trimmed(rest.substr(0, dots)));
            auto most = dots == std::string_view::npos ? std::nullopt
                                                       : number<std::int64_t>(trimmed(rest.substr(dots + 2)));
            fits = least && most && *least <= *most;
            made.least = least.value_or(0);
            made.most = most.value_or(0);
        } else if (word == "exists" && rest.empty()) {
            made.kind = Condition::Kind::exists;
        } else if (word == "is" && rest == "missing") {
            made.kind = Condition::Kind::missing;
        } else if (word == "is") {
            if (rest.starts_with("not ")) {
                made.kind = Condition::Kind::is_not;
                take_word(rest);
            }
            for (std::string_view one : split(rest, " or ")) made.texts.emplace_back(one);
        } else {
            fits = false;
        }
        if (fits)
            rule_->conditions.push_back(std::move(made));
        else
            wrong(at(all), "this is not a condition")
                .help(
                    "write one of: {VALUE} is TEXT or TEXT, {VALUE} is not TEXT, {VALUE} in 200..299, "
                    "{VALUE} matches REGEX, {VALUE} exists, {VALUE} is missing");
    }

    void field(std::string_view line) {
        auto equals = line.find('=');
        std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
        if (!rule_ || rule_->skip) {
            wrong(at(line), "a field belongs under `message`");
            return;
        }
        for (const FieldRule& known : rule_->fields)
            if (known.field == name) {
                wrong(at(name), fmt::format("the field {} is given twice", name))
                    .label(known.span, "first here");
                return;
            }
        rule_->fields.push_back({std::string(name), parse(value), at(name)});
    }

    // Fills in what holds for all messages, and checks that nothing is missing.
    void finish(base::FileId file) {
        base::Span whole{file, 0, 0};
        if (mapping_.rules.size() > inherited_) {
            // The file has messages of its own: of the mapping it builds on, only what is left out stays.
            auto own = mapping_.rules.begin() + static_cast<std::ptrdiff_t>(inherited_);
            bool messages =
                std::any_of(own, mapping_.rules.end(), [](const MessageRule& r) { return !r.skip; });
            std::size_t number = 0;
            if (messages)
                std::erase_if(mapping_.rules,
                              [&](const MessageRule& r) { return number++ < inherited_ && !r.skip; });
        }
        if (!mapping_.json && mapping_.lines.empty())
            report(codes::mapping_incomplete, whole, "the mapping does not state how a record is split")
                .help("begin with `lines REGEX`, `json`, or `like NAME`");
        bool messages = std::any_of(mapping_.rules.begin(), mapping_.rules.end(),
                                    [](const MessageRule& r) { return !r.skip; });
        if (!messages)
            report(codes::mapping_incomplete, whole, "the mapping has no messages")
                .help("add `message NAME` with its conditions, and `from ROLE to ROLE`");
        // What is left out is left out, whatever else it might be.
        std::stable_partition(mapping_.rules.begin(), mapping_.rules.end(),
                              [](const MessageRule& r) { return r.skip; });
        for (MessageRule& rule : mapping_.rules)
            if (!rule.skip) complete(rule);
    }

    void complete(MessageRule& rule) {
        if (!rule.time) rule.time = defaults_.time;
        if (rule.session.empty()) rule.session = defaults_.session;
        if (rule.id.empty()) rule.id = defaults_.id;
        if (rule.fields_of.empty()) rule.fields_of = defaults_.fields_of;
        bool own = !rule.role.empty() || !rule.peer.empty() || !rule.direction.empty();
        if (rule.from.empty() && !own && !defaults_.from.empty()) {
            rule.from = defaults_.from;
            rule.to = defaults_.to;
            rule.seen_by = defaults_.seen_by;
        } else if (rule.from.empty()) {
            if (rule.role.empty()) rule.role = defaults_.role;
            if (rule.peer.empty()) rule.peer = defaults_.peer;
            if (rule.direction.empty()) rule.direction = defaults_.direction;
        }
        bool named =
            !rule.from.empty() || (!rule.role.empty() && !rule.peer.empty() && !rule.direction.empty());
        if (!named)
            report(codes::mapping_incomplete, rule.span, "this message has no sender")
                .help("add `from ROLE to ROLE`; or `role`, `peer` and `direction`");
        bool asks = false;
        for (const Template* one : {&rule.from, &rule.to, &rule.peer}) asks = asks || has_other_role(*one);
        if (asks && (rule.id.empty() || !mapping_.sorted || !rule.time))
            report(codes::mapping_incomplete, rule.span,
                   "`?`, the role that has recorded the same id, needs `id`, `time` and `sort`");
        if (asks && !rule.from.empty() && rule.seen_by.empty())
            report(codes::mapping_incomplete, rule.span, "`?` needs `seen by ROLE`");
        if (mapping_.sorted && !rule.time)
            report(codes::mapping_incomplete, rule.span, "`sort` needs the `time` of every message");
        for (const auto& name : globals_)
            if (std::none_of(rule.scope.begin(), rule.scope.end(),
                             [&](const auto& one) { return one.first == name.first; }))
                rule.scope.push_back(name);
    }

    base::SourceMap& sources_;
    base::Diagnostics& diagnostics_;
    base::FileId file_, inner_;
    std::string_view text_;
    Mapping mapping_;
    MessageRule defaults_;
    MessageRule* rule_ = nullptr;   // that statements are about; none: all
    Translation* table_ = nullptr;  // that translations are added to
    Scope globals_;
    absl::flat_hash_map<std::string, std::size_t> members_;  // of JSON records, by path
    std::size_t inherited_ = 0;                              // rules of the mapping that this one builds on
    bool inherited_split_ = false;                           // how records are split comes from there
    bool split_known_ = false;
    std::size_t patterns_ = 0;
};

}  // namespace

std::shared_ptr<const Mapping> read_mapping(base::FileId file, base::SourceMap& sources,
                                            base::Diagnostics& diagnostics) {
    return MappingReader(sources, diagnostics).read(file);
}

}  // namespace treaty::watch
