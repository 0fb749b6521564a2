#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/check.h"
#include "formats/aut/aut.h"
#include "formats/codes.h"
#include "formats/names.h"

namespace treaty::formats {
namespace {

using base::Span;

// States that no transition mentions cost memory but no text, so a header may not promise many of them.
constexpr std::uint64_t max_idle_states = 10'000'000;
constexpr std::uint64_t max_edges = 0xfffffff0u;

bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

class Reader {
public:
    Reader(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics)
        : text_(sources.text(file)),
          at_(text_.data()),
          end_(text_.data() + text_.size()),
          file_(file),
          diagnostics_(diagnostics),
          alphabet_(std::make_shared<model::Alphabet>()),
          builder_(std::string(stem_of(sources.path(file))), alphabet_) {}

    std::optional<model::Machine> run() {
        std::size_t errors = diagnostics_.errors();
        skip_empty_lines();
        const char* head = at_;
        if (!header()) {
            diagnostics_.report(codes::aut_header, line(head), "expected `des (first, transitions, states)`");
            return std::nullopt;
        }
        Span head_line = line(head);
        for (skip_empty_lines(); at_ < end_; skip_empty_lines())
            if (!transition()) fallback();
        if (!sizes_fit(head_line) || diagnostics_.errors() > errors) return std::nullopt;
        for (std::uint64_t i = 0; i < states_; ++i) builder_.state();
        builder_.set_initial(model::StateId(first_));
        auto machine = builder_.finish();
        TREATY_CHECK(machine.has_value());
        return machine;
    }

private:
    Span span(const char* begin, const char* end) const {
        return {file_, static_cast<std::uint32_t>(begin - text_.data()),
                static_cast<std::uint32_t>(end - text_.data())};
    }

    const char* line_end(const char* from) const {
        std::size_t found = text_.find('\n', static_cast<std::size_t>(from - text_.data()));
        return found == std::string_view::npos ? end_ : text_.data() + found;
    }

    // The line that begins at this position.
    Span line(const char* begin) const { return span(begin, line_end(begin)); }

    void skip_blanks() {
        while (at_ < end_ && blank(*at_)) ++at_;
    }
    void skip_empty_lines() {
        while (at_ < end_ && (blank(*at_) || *at_ == '\n')) ++at_;
    }
    bool sign(char c) {
        skip_blanks();
        if (at_ >= end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    // A number below 2^32; greater ones come out as that.
    bool number(std::uint64_t& value) {
        skip_blanks();
        const char* begin = at_;
        value = 0;
        for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_)
            if (value < 0x100000000u) value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
        return at_ > begin;
    }
    bool line_ends() {
        skip_blanks();
        return at_ == end_ || *at_ == '\n';
    }

    bool header() {
        if (!text_.substr(static_cast<std::size_t>(at_ - text_.data())).starts_with("des")) return false;
        at_ += 3;
        return sign('(') && number(first_) && sign(',') && number(promised_) && sign(',') &&
               number(states_) && sign(')') && line_ends();
    }

    // The usual form, which is nearly every line; leaves at_ where the line begins if it is another one.
    bool transition() {
        const char* begin = at_;
        std::uint64_t from, to;
        if (sign('(') && number(from) && sign(',')) {
            skip_blanks();
            if (at_ < end_ && *at_ == '"') {
                const char* label = ++at_;
                while (at_ < end_ && *at_ != '"' && *at_ != '\n') ++at_;
                std::string_view text(label, static_cast<std::size_t>(at_ - label));
                if (sign('"') && sign(',') && number(to) && sign(')') && line_ends()) {
                    edge(begin, from, text, to);
                    return true;
                }
            }
        }
        at_ = begin;
        return false;
    }

    // Any other form: the label is between the first comma and the last.
    void fallback() {
        const char* begin = at_;
        const char* end = line_end(begin);
        std::string_view whole(begin, static_cast<std::size_t>(end - begin));
        std::size_t first = whole.find(','), last = whole.rfind(',');
        std::uint64_t from, to;
        bool good = first != last && sign('(') && number(from) && sign(',') && at_ == begin + first + 1;
        if (good) {
            at_ = begin + last + 1;
            good = number(to) && sign(')') && line_ends();
        }
        at_ = end;
        if (!good) {
            diagnostics_.report(codes::aut_transition, span(begin, end), "this is not a transition")
                .help("write `(from, \"label\", to)`");
            return;
        }
        edge(begin, from, trim(whole.substr(first + 1, last - first - 1)), to);
    }

    static std::string_view trim(std::string_view label) {
        while (!label.empty() && blank(label.front())) label.remove_prefix(1);
        while (!label.empty() && blank(label.back())) label.remove_suffix(1);
        if (label.size() >= 2 && label.front() == '"' && label.back() == '"')
            label = label.substr(1, label.size() - 2);
        return label;
    }

    void edge(const char* begin, std::uint64_t from, std::string_view text, std::uint64_t to) {
        if (from >= states_ || to >= states_) {
            diagnostics_.report(
                codes::aut_state, line(begin),
                fmt::format("state {} is not below {}, the number of states in the first line",
                            from >= states_ ? from : to, states_));
            return;
        }
        if (text != last_label_ || edges_ == 0) {
            auto [known, added] = labels_.try_emplace(text, model::LabelId());
            if (added)
                known->second = text == "i" || text == "tau" ? alphabet_->silent() : alphabet_->plain(text);
            last_label_ = text;
            last_id_ = known->second;
        }
        ++edges_;
        builder_.edge(model::StateId(from), last_id_, model::StateId(to));
    }

    bool sizes_fit(Span head) {
        if (states_ == 0 || first_ >= states_) {
            diagnostics_.report(codes::aut_state, head,
                                states_ == 0
                                    ? "a machine needs at least one state"
                                    : fmt::format("the first state {} is not below {}", first_, states_));
            return false;
        }
        if (states_ > 2 * edges_ + max_idle_states || edges_ > max_edges) {
            diagnostics_.report(codes::aut_too_large, head,
                                fmt::format("{} states but only {} transitions", states_, edges_));
            return false;
        }
        if (edges_ != promised_ && diagnostics_.ok())
            diagnostics_.report(codes::aut_count, head,
                                fmt::format("there are {} transitions, not {}", edges_, promised_));
        return true;
    }

    std::string_view text_;
    const char* at_;
    const char* end_;
    base::FileId file_;
    base::Diagnostics& diagnostics_;
    std::shared_ptr<model::Alphabet> alphabet_;
    model::MachineBuilder builder_;
    absl::flat_hash_map<std::string_view, model::LabelId> labels_;
    std::string_view last_label_;
    model::LabelId last_id_;
    std::uint64_t first_ = 0, promised_ = 0, states_ = 0, edges_ = 0;
};

}  // namespace

std::optional<model::Machine> read_aut(const base::SourceMap& sources, base::FileId file,
                                       base::Diagnostics& diagnostics) {
    return Reader(sources, file, diagnostics).run();
}

}  // namespace treaty::formats
