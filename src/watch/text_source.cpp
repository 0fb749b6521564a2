// The text form of Nguyen 2013, listing 5.1: the address of the service, then two lines per event:
//
//   29/08/2013 15:17:30.320 (1377782250320)
//   SEND | http://localhost:8082/ode/processes/warehouse | | sell
//
// A sending is identified by the number in brackets after its time, a reception by the third column. Data is
// not recorded.
#include "base/timestamp.h"
#include "watch/source.h"

namespace treaty::watch {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

class TextSource : public Source {
public:
    TextSource(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary, model::RoleId owner)
        : lines_(std::move(lines)), vocabulary_(vocabulary), owner_(owner) {
        note_begin();
    }

    ReadResult next(Record& record, std::string& fault) override {
        std::string_view line;
        bool too_long = false;
        Line got = Line::line;
        while ((got = lines_->next(line, too_long)) == Line::line) {
            line = trimmed(line);
            if (line.empty() && !too_long) continue;
            record.clear();
            record.line = lines_->number();
            if (line.find('|') != std::string_view::npos) {
                before_ = begin_;
                bool understood = event(line, record, fault);
                time_.reset();
                identity_.clear();
                note_begin();
                return understood ? ReadResult::record : ReadResult::fault;
            }
            if (auto time = base::parse_time(line)) {
                begin_ = {lines_->line_offset(), lines_->number() - 1, owner_text()};
                time_ = time;
                auto open = line.find('('), close = line.rfind(')');
                identity_.clear();
                if (open != std::string_view::npos && close != std::string_view::npos && close > open)
                    identity_ = line.substr(open + 1, close - open - 1);
                continue;
            }
            if (model::RoleId role = vocabulary_.role(line)) {
                owner_ = role;
                note_begin();
                continue;
            }
            before_ = begin_;
            note_begin();
            fault = "expected an address, a time or an event";
            return ReadResult::fault;
        }
        return got == Line::wait ? ReadResult::wait : ReadResult::end;
    }

    bool has_data() const override { return false; }
    void stop_following() override { lines_->stop_following(); }
    std::uint64_t unread() const override { return lines_->unread(); }
    std::uint64_t restarts() const override { return lines_->restarts(); }
    bool can_resume() const override { return lines_->seekable(); }
    Mark before_last() const override { return before_; }
    Mark after_last() const override { return begin_; }
    std::uint64_t known_by(const Mark& mark) const override { return lines_->known_by(mark.offset); }
    bool resume(const Mark& mark) override {
        if (!mark.rest.empty()) owner_ = vocabulary_.role(mark.rest);
        time_.reset();
        identity_.clear();
        bool there = lines_->resume(mark.offset, mark.lines);
        note_begin();
        return there;
    }

private:
    // Where the next event begins: with its time, which is on the line before.
    void note_begin() { begin_ = {lines_->offset(), lines_->number(), owner_text()}; }
    std::string owner_text() const {
        return owner_ ? std::string(vocabulary_.specification().alphabet->name(owner_)) : std::string();
    }

    bool event(std::string_view line, Record& record, std::string& fault) {
        std::string_view columns[4];
        for (std::size_t i = 0; i < 4; ++i) {
            auto bar = line.find('|');
            columns[i] = trimmed(line.substr(0, bar));
            line = bar == std::string_view::npos ? std::string_view() : line.substr(bar + 1);
        }
        bool sending = columns[0] == "SEND";
        if (!sending && columns[0] != "RECEIVE") return refuse(fault, "expected SEND or RECEIVE");
        record.side = sending ? Side::sent : Side::received;
        model::RoleId partner = vocabulary_.role(columns[1]);
        record.from = sending ? owner_ : partner;
        record.to = sending ? partner : owner_;
        if (!record.from || !record.to || record.from == record.to)
            return refuse(fault, "the record does not name two roles of the protocol");
        if (columns[3].empty()) return refuse(fault, "the record has no operation");
        vocabulary_.set_message(record, columns[3]);
        record.time_ns = time_;
        record.correlation = sending ? identity_ : std::string(columns[2]);
        return true;
    }
    static bool refuse(std::string& fault, std::string_view why) {
        fault = why;
        return false;
    }

    std::unique_ptr<LineReader> lines_;
    const Vocabulary& vocabulary_;
    model::RoleId owner_;
    std::optional<std::int64_t> time_;
    std::string identity_;
    Mark before_, begin_;
};

}  // namespace

std::unique_ptr<Source> text_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    const SourceOptions& options) {
    return std::make_unique<TextSource>(std::move(lines), vocabulary, options.owner);
}

}  // namespace treaty::watch
