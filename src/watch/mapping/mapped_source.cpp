// Records from the lines of a log by a mapping.
//
// A line is one record, or with `json each` as many as its arrays have elements; they are gone through one by
// one, and of each only what its rules ask for is looked up. Where the mapping sorts, what was read is held
// in a heap and given in the order of time; the limit bounds what is held, not what can be read. Roles that
// are found by an id (`?`) are known when the record is given: both sides have been read by then.
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <queue>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include "base/utf8.h"
#include "expr/value_text.h"
#include "watch/json_node.h"
#include "watch/mapping/bind_mapping.h"
#include "watch/mapping/mapped_values.h"
#include "watch/source.h"

namespace treaty::watch {
namespace {

using simdjson::dom::element;

constexpr std::size_t kinds_kept = 20;      // of records that were not understood
constexpr std::size_t shown_columns = 160;  // of such a record
constexpr std::size_t looked_at = 200;      // bytes of such a record that determine its kind
constexpr std::size_t most_held = std::size_t{1} << 18;
constexpr std::size_t most_ids = std::size_t{1} << 20;
constexpr std::int64_t following_window_ns = 5'000'000'000;
constexpr std::int64_t half_a_year_ns = std::int64_t{183} * 86400 * 1'000'000'000;

// Lines that differ only in numbers are of one kind.
std::string kind_of(std::string_view line) {
    std::string kind;
    for (char c : line.substr(0, looked_at)) {
        bool digit = c >= '0' && c <= '9';
        if (digit && kind.ends_with('0')) continue;
        kind += digit ? '0' : c;
    }
    return kind;
}

class MappedSource : public Source {
public:
    MappedSource(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                 const SourceOptions& options)
        : lines_(std::move(lines)),
          vocabulary_(vocabulary),
          mapping_(*options.mapping),
          values_(mapping_),
          types_(*vocabulary.specification().types, *vocabulary.specification().names,
                 expr::OtherMembers::ignored),
          has_data_(!unmapped_field(mapping_, vocabulary)),
          window_ns_(mapping_.window_ns > 0 ? mapping_.window_ns
                     : options.follow       ? following_window_ns
                                            : 0),
          plans_(mapping_.rules.size()) {}

    ReadResult next(Record& record, std::string& fault) override {
        return mapping_.sorted ? next_sorted(record, fault) : next_read(record, fault);
    }

    bool has_data() const override { return has_data_; }
    void stop_following() override { lines_->stop_following(); }
    std::uint64_t unread() const override { return lines_->unread(); }
    std::uint64_t restarts() const override { return lines_->restarts(); }
    const std::vector<UnknownRecords>* unknown() const override { return &unknown_; }
    std::uint64_t left_out() const override { return left_out_; }

    // What is held to be sorted cannot be found again in the log.
    bool can_resume() const override { return lines_->seekable() && !mapping_.sorted; }
    Mark before_last() const override { return mark(given_of_line_ - 1); }
    Mark after_last() const override {
        if (given_ < items_there_ || leaf_ < leaves()) return mark(given_of_line_);
        return {lines_->offset(), lines_->number(), rest(0, years_, last_syslog_ns_)};
    }
    std::uint64_t known_by(const Mark& mark) const override { return lines_->known_by(mark.offset); }
    bool resume(const Mark& mark) override {
        skip_ = 0;
        years_ = 0;
        last_syslog_ns_ = INT64_MIN;
        std::string_view rest = mark.rest;
        if (!rest.empty() && !(take(rest, skip_) && take(rest, years_) && take(rest, last_syslog_ns_)))
            return false;
        items_there_ = given_ = leaf_ = given_of_line_ = 0;
        tree_.clear();
        return lines_->resume(mark.offset, mark.lines);
    }

private:
    // A record, or one that was not understood.
    struct Item {
        Record record;
        bool understood = true;
        bool asks = false;  // one of its roles is to be found by the id
        std::string text;   // of the record in the log, shortened; only if it may still be needed
        std::uint64_t number = 0;

        // The earliest first; of equal times, the one that was read first.
        bool operator<(const Item& other) const {
            std::int64_t a = record.time_ns.value_or(0), b = other.record.time_ns.value_or(0);
            return a != b ? a > b : number > other.number;
        }
    };

    std::string rest(std::uint64_t skip, std::int64_t years, std::int64_t last_ns) const {
        if (skip == 0 && years == 0 && last_ns == INT64_MIN) return {};
        return fmt::format("{} {} {} ", skip, years, last_ns);
    }
    Mark mark(std::uint64_t skip) const {
        return {lines_->line_offset(), lines_->number() - 1, rest(skip, line_years_, line_last_ns_)};
    }
    template <class Number>
    static bool take(std::string_view& text, Number& into) {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
        auto used = static_cast<std::size_t>(end - text.data());
        if (error != std::errc() || used >= text.size()) return false;
        text.remove_prefix(used + 1);
        return true;
    }

    std::size_t leaves() const { return tree_.empty() ? 0 : tree_.size() / levels(); }
    std::size_t levels() const { return mapping_.each.size() + 1; }

    // The next record of the log, in the order of the log.
    ReadResult next_read(Record& record, std::string& fault) {
        Item* item = nullptr;
        if (ReadResult got = pull(item); got != ReadResult::record) return got;
        fault.clear();
        std::swap(record, item->record);
        record.source = item->record.source;
        return item->understood ? ReadResult::record : ReadResult::fault;
    }

    ReadResult next_sorted(Record& record, std::string& fault) {
        while (!full()) {
            Item* item = nullptr;
            ReadResult got = pull(item);
            if (got == ReadResult::wait) return got;
            if (got == ReadResult::end) break;
            if (!item->understood) {
                fault.clear();
                give(*item, record);
                return ReadResult::fault;
            }
            newest_ns_ = std::max(newest_ns_, item->record.time_ns.value_or(INT64_MIN));
            remember(item->record);
            held_.push_back(std::move(*item));
            std::push_heap(held_.begin(), held_.end());
        }
        if (held_.empty()) return ReadResult::end;
        std::pop_heap(held_.begin(), held_.end());
        Item item = std::move(held_.back());
        held_.pop_back();
        fault.clear();
        bool known = !item.asks || find_other_role(item.record);
        if (!known) note_unknown(item.record.line, item.text, "no other role has recorded this id");
        give(item, record);
        return known ? ReadResult::record : ReadResult::fault;
    }

    static void give(Item& item, Record& record) {
        item.record.source = record.source;
        record = std::move(item.record);
    }

    bool full() const {
        if (held_.size() >= most_held) return true;
        if (window_ns_ == 0 || held_.empty()) return false;
        std::int64_t age = 0;
        bool overflow = __builtin_sub_overflow(newest_ns_, held_.front().record.time_ns.value_or(0), &age);
        return overflow || age > window_ns_;
    }

    void remember(const Record& record) {
        model::RoleId observer = record.observer();
        if (record.correlation.empty() || !observer) return;
        if (observers_.size() >= most_ids) observers_.clear();
        auto& known = observers_[record.correlation];
        if (std::find(known.begin(), known.end(), observer) == known.end() && known.size() < 2)
            known.push_back(observer);
    }

    bool find_other_role(Record& record) const {
        model::RoleId observer = record.observer();
        auto known = observers_.find(record.correlation);
        if (known == observers_.end()) return false;
        for (model::RoleId role : known->second)
            if (role != observer) {
                (record.side == Side::received ? record.from : record.to) = role;
                return true;
            }
        return false;
    }

    // The next item of what was read, reading on where there is none.
    ReadResult pull(Item*& item) {
        while (true) {
            while (given_ < items_there_) {
                ++given_of_line_;
                item = &items_[given_++];
                if (skip_ == 0) return ReadResult::record;
                --skip_;  // given before the last restart
            }
            items_there_ = given_ = 0;
            if (leaf_ < leaves()) {
                values_.set_document(&tree_[leaf_++ * levels()], levels());
                apply_rules();
                continue;
            }
            bool too_long = false;
            Line got = lines_->next(line_, too_long);
            if (got != Line::line) return got == Line::wait ? ReadResult::wait : ReadResult::end;
            begin_line(too_long);
        }
    }

    void begin_line(bool too_long) {
        given_of_line_ = leaf_ = 0;
        line_years_ = years_;
        line_last_ns_ = last_syslog_ns_;
        tree_.clear();
        if (too_long) return not_understood("the line is too long");
        if (line_.empty()) return;
        if (mapping_.json) return parse();
        if (!values_.split(line_)) return not_understood("no pattern of the mapping matches");
        apply_rules();
    }

    void parse() {
        element document;
        if (parser_.parse(line_.data(), line_.size(), false).get(document))
            return not_understood("the line is not valid JSON");
        if (!document.is_object()) return not_understood("the line is not a JSON object");
        path_.assign(1, document);
        add_leaves(0);
        if (tree_.empty() && !found_array_) not_understood(fmt::format("it has no {}", mapping_.each[0]));
        found_array_ = false;
    }

    // Everything that the arrays from this level on have, with what it is in.
    void add_leaves(std::size_t level) {
        if (level == mapping_.each.size()) {
            tree_.insert(tree_.end(), path_.begin(), path_.end());
            return;
        }
        values_.set_document(path_.data() + level, 1);
        auto found = values_.member(mapping_.each[level]);
        simdjson::dom::array array;
        if (!found || found->get(array)) return;
        found_array_ = true;
        for (element item : array) {
            path_.push_back(item);
            add_leaves(level + 1);
            path_.pop_back();
        }
    }

    void apply_rules() {
        bool any = false;
        for (std::size_t i = 0; i < mapping_.rules.size(); ++i) {
            const MessageRule& rule = mapping_.rules[i];
            values_.begin(rule);
            if (!std::all_of(rule.conditions.begin(), rule.conditions.end(),
                             [&](const Condition& one) { return values_.holds(one); }))
                continue;
            any = true;
            if (rule.skip) {
                ++left_out_;
                return;
            }
            make(rule, i);
        }
        if (!any) not_understood("no message of the mapping applies");
    }

    // What the log has of the record: the line, or its part.
    std::string_view record_text() {
        if (levels() == 1 || tree_.empty() || leaf_ == 0) return line_;
        minified_ = simdjson::minify(tree_[leaf_ * levels() - 1]);
        return minified_;
    }

    // One more item; its record is new.
    Item& add() {
        if (items_there_ == items_.size()) items_.emplace_back();
        Item& item = items_[items_there_++];
        item.record.clear();
        item.understood = true;
        item.asks = false;
        item.record.line = lines_->number();
        item.number = number_++;
        return item;
    }

    void not_understood(const std::string& reason) {
        add().understood = false;
        if (skip_ == 0) note_unknown(lines_->number(), record_text(), reason);
    }

    void note_unknown(std::uint64_t line, std::string_view text, const std::string& reason) {
        std::string kind = kind_of(text) + '\n' + reason;
        auto known = kinds_.find(kind);
        if (known != kinds_.end()) {
            ++unknown_[known->second].count;
            return;
        }
        if (unknown_.size() >= kinds_kept) return;
        kinds_.emplace(std::move(kind), unknown_.size());
        unknown_.push_back({line,
                            base::shorten(base::printable(text.substr(0, 4 * shown_columns)), shown_columns),
                            reason, 1});
    }

    void make(const MessageRule& rule, std::size_t number) {
        Item& item = add();
        reason_.clear();
        if (parties(rule, item) && times(rule, item.record) && names(rule, item.record)) {
            if (item.asks) item.text = record_text().substr(0, 4 * shown_columns);
            if (item.record.message && has_data_) data(rule, number, item.record);
            return;
        }
        item.understood = false;
        if (skip_ == 0) note_unknown(lines_->number(), record_text(), reason_);
    }

    bool refuse(std::string reason) {
        reason_ = std::move(reason);
        return false;
    }
    bool lacks(std::string_view what) {
        return refuse(fmt::format("it has no {}, which `{}` needs", values_.missing(), what));
    }

    // A role, or none if it is to be found by the id. False after refusing.
    bool role(const Template& text, std::string_view what, model::RoleId& into) {
        auto name = values_.text(text);
        if (!name) return lacks(what);
        if (values_.other_role()) return true;
        into = vocabulary_.role(*name);
        if (!into) into = vocabulary_.role(transformed(*name, Transform::name));
        return into ? true : refuse(fmt::format("the protocol has no role {}", base::shorten(*name, 60)));
    }

    bool parties(const MessageRule& rule, Item& item) {
        Record& record = item.record;
        if (!rule.from.empty()) {
            model::RoleId observer;
            if (!role(rule.from, "from", record.from) || !role(rule.to, "to", record.to)) return false;
            if (!rule.seen_by.empty() && !role(rule.seen_by, "seen by", observer)) return false;
            if (observer && observer != record.from && observer != record.to)
                return refuse("the role that has seen it is neither its sender nor its receiver");
            record.side = !observer ? Side::both : observer == record.from ? Side::sent : Side::received;
        } else {
            auto direction = values_.text(rule.direction);
            if (!direction) return lacks("direction");
            bool sent = is_one_of(*direction, {"sent", "send", "out", "!"});
            if (!sent && !is_one_of(*direction, {"received", "receive", "in", "?"}))
                return refuse(fmt::format("the direction {} is neither sent nor received",
                                          base::shorten(*direction, 60)));
            record.side = sent ? Side::sent : Side::received;
            if (!role(rule.role, "role", sent ? record.from : record.to)) return false;
            if (!role(rule.peer, "peer", sent ? record.to : record.from)) return false;
        }
        item.asks = !record.from || !record.to;
        if (record.from == record.to)
            return refuse(record.from ? "a role cannot send to itself" : "no role is known");
        return true;
    }

    static bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), text) != words.end();
    }

    bool times(const MessageRule& rule, Record& record) {
        if (!rule.time) return true;
        auto text = values_.text(rule.time->at);
        if (!text) return lacks("time");
        record.time_ns = time_of(*text, *rule.time);
        if (!record.time_ns) return refuse(fmt::format("cannot read the time {}", base::shorten(*text, 60)));
        if (rule.time->sign == 0) return true;
        auto offset = values_.text(rule.time->offset);
        if (!offset) return lacks("time");
        auto duration = read_time(*offset, rule.time->offset_form, 0);
        std::int64_t sum = 0;
        bool fits =
            duration && !(rule.time->sign > 0 ? __builtin_add_overflow(*record.time_ns, *duration, &sum)
                                              : __builtin_sub_overflow(*record.time_ns, *duration, &sum));
        if (!fits) return refuse(fmt::format("{} is not a duration", base::shorten(*offset, 60)));
        record.time_ns = sum;
        return true;
    }

    std::optional<std::int64_t> time_of(std::string_view text, const TimeRule& rule) {
        bool without_year = rule.form == TimeForm::syslog && text.size() > 3 && text[3] == ' ';
        if (!without_year) {
            // The messages of a line, and often the lines of a second, have the same time.
            if (text == same_text_ && rule.form == same_form_) return same_time_;
            same_text_ = text;
            same_form_ = rule.form;
            return same_time_ = read_time(text, rule.form, 0);
        }
        int first = rule.year > 0 ? rule.year : 2000;
        auto read = [&] { return read_time(text, rule.form, first + static_cast<int>(years_)); };
        auto time = read();
        // From December to January the year is the next one.
        if (time && last_syslog_ns_ != INT64_MIN && *time < last_syslog_ns_ - half_a_year_ns) {
            ++years_;
            time = read();
        }
        if (time) last_syslog_ns_ = *time;
        return time;
    }

    bool names(const MessageRule& rule, Record& record) {
        if (!rule.session.empty()) {
            auto session = values_.text(rule.session);
            if (!session) return lacks("session");
            record.session = *session;
        }
        if (!rule.id.empty()) {
            auto id = values_.text(rule.id);
            if (!id) return lacks("id");
            record.correlation = *id;
        }
        auto name = values_.text(rule.name);
        if (!name) return lacks("message");
        name_ = *name;
        auto renamed = values_.translated(mapping_.names, name_, made_);
        if (!renamed) {
            name_ = transformed(name_, Transform::name);
            renamed = values_.translated(mapping_.names, name_, made_);
        }
        vocabulary_.set_message(record, renamed ? std::string_view(made_) : std::string_view(name_));
        return true;
    }

    const std::vector<FieldSource>& plan(const MessageRule& rule, std::size_t number,
                                         model::MessageId message) {
        auto [at, added] = plans_[number].try_emplace(message.index);
        if (added) at->second = field_sources(mapping_, rule, vocabulary_.specification(), message);
        return at->second;
    }

    void data(const MessageRule& rule, std::size_t number, Record& record) {
        const model::Specification& specification = vocabulary_.specification();
        const auto& fields = specification.message(record.message).fields;
        if (fields.empty()) return;
        const std::vector<FieldSource>& sources = plan(rule, number, record.message);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            found_.reset();
            auto value = value_of(sources[i], fields[i].type);
            if (!value) {
                record.misfit = misfit_of(specification, fields[i], found_);
                return;
            }
            record.values.push_back(std::move(*value));
        }
    }

    std::optional<expr::Value> value_of(const FieldSource& source, expr::TypeId type) {
        std::optional<element> part;
        std::optional<std::string_view> text;
        if (source.kind == FieldSource::Kind::member) {
            part = values_.member(source.path);
        } else if (source.kind == FieldSource::Kind::slot) {
            text = values_.text(source.slot);
        } else {
            part = values_.part(*source.text);
            if (!part) text = values_.text(*source.text);
        }
        std::string_view written;
        if (part) {
            if (auto value = types_.read(JsonNode(*part), type)) return value;
            if (!part->get(written)) text = written;  // "42" is 42 where a number is due
            minified_ = simdjson::minify(*part);
            found_ = minified_;
        } else if (text) {
            found_ = *text;
        }
        return value_of_text(text, type);
    }

    std::optional<expr::Value> value_of_text(std::optional<std::string_view> text, expr::TypeId type) const {
        const model::Specification& specification = vocabulary_.specification();
        const expr::Type& kind = (*specification.types)[type];
        if (kind.kind == expr::TypeKind::optional) {
            if (!text) return expr::Value(expr::Sequence{});
            auto inner = expr::value_of_text(*text, kind.element, *specification.types, *specification.names);
            if (!inner) return std::nullopt;
            return expr::Value(expr::Sequence{{std::move(*inner)}});
        }
        return text ? expr::value_of_text(*text, type, *specification.types, *specification.names)
                    : std::nullopt;
    }

    std::unique_ptr<LineReader> lines_;
    const Vocabulary& vocabulary_;
    const Mapping& mapping_;
    MappedValues values_;
    expr::JsonValues<JsonNode> types_;
    bool has_data_;
    std::int64_t window_ns_;
    std::vector<absl::flat_hash_map<std::uint32_t, std::vector<FieldSource>>> plans_;  // by rule and message
    simdjson::dom::parser parser_;

    std::string_view line_;
    std::vector<element> path_, tree_;  // tree: the records of a line, each with what it is in
    std::size_t leaf_ = 0;
    bool found_array_ = false;
    std::vector<Item> items_;  // of what was read last; their memory is used again
    std::size_t items_there_ = 0, given_ = 0;
    std::uint64_t given_of_line_ = 0, skip_ = 0, number_ = 0, left_out_ = 0;
    std::int64_t years_ = 0, line_years_ = 0;  // that have begun since the first record
    std::int64_t last_syslog_ns_ = INT64_MIN, line_last_ns_ = INT64_MIN;

    std::string same_text_;  // the last time that was read
    TimeForm same_form_ = TimeForm::automatic;
    std::optional<std::int64_t> same_time_;

    std::vector<Item> held_;  // a heap: the earliest first
    std::int64_t newest_ns_ = INT64_MIN;
    absl::flat_hash_map<std::string, absl::InlinedVector<model::RoleId, 2>> observers_;  // by id

    std::vector<UnknownRecords> unknown_;
    absl::flat_hash_map<std::string, std::size_t> kinds_;
    std::string reason_, name_, made_, minified_;
    std::optional<std::string_view> found_;
};

}  // namespace

std::unique_ptr<Source> mapped_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                      const SourceOptions& options) {
    return std::make_unique<MappedSource>(std::move(lines), vocabulary, options);
}

}  // namespace treaty::watch
