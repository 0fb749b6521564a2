// One text layout made ready to match lines and to write them. Internal to wire/.
//
// A line is matched left to right, each part as far as it goes, which is right where a part cannot run into
// the next one (`exact`) and is what a greedy pattern means where it succeeds; where it fails otherwise, RE2
// decides on the whole line. Patterns are read as bytes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solve/automaton.h"
#include "wire/engine.h"

namespace re2 {
class RE2;
}

namespace treaty::wire {

class TextLayout {
public:
    TextLayout(const expr::Pool& pool, const Layout& layout, const MessageShape& shape);
    ~TextLayout();
    TextLayout(TextLayout&&) noexcept;

    MessageIndex message() const { return message_; }
    // Whether the line is this message; leaves the fields' texts in `fields`, by field of the message.
    bool match(std::string_view line, std::vector<FieldView>& fields) const;
    bool may_begin(std::string_view line) const {
        return line.empty() ? may_be_empty_ : first_[static_cast<unsigned char>(line[0])];
    }
    // How far the line could still be this message.
    std::size_t fits_up_to(std::string_view line) const;
    std::optional<EncodeFault> encode(std::span<const expr::Value> values, std::string& out) const;
    // The values that a line with these texts has when it is read: the texts may be divided in other places.
    std::optional<std::vector<expr::Value>> reread(std::span<const expr::Value> values) const;
    void explain(std::string_view line, const std::vector<FieldView>& fields,
                 std::vector<Piece>& pieces) const;

    // Whether it is one text, always the same: a marker among lines that are escaped.
    bool is_marker() const;
    // All lines of this layout; none if its automaton would be too large.
    const solve::Automaton* automaton() const { return automaton_ ? &*automaton_ : nullptr; }

private:
    enum class Matching : std::uint8_t {
        literal,  // exactly this text
        run,      // bytes of a set, as many as there are
        walk,     // an automaton none of whose texts begins another
        general,  // only RE2 can tell
    };
    struct TextItem {
        Matching matching = Matching::literal;
        std::string text;             // literal; pattern: what is written for it
        std::array<bool, 256> set{};  // run
        std::string stops;            // run: the bytes outside the set, if they are few
        bool few_stops = false;

        std::size_t run_from(std::string_view line, std::size_t at) const;  // where the run ends
        std::size_t low = 0, high = 0;
        std::optional<solve::Automaton> automaton;
        std::shared_ptr<const re2::RE2> regex;  // pattern, field
        std::uint32_t field = none;
        std::size_t digits = 0;  // a number whose texts all have this length; 0: as many as it needs
        int group = 0;           // in the whole line's regex
        std::string name;
    };
    static constexpr std::uint32_t none = 0xffffffffu;

    TextItem item_of(const model::Item& item, const Layout& layout);
    static void classify(TextItem& part, const solve::PatternTree& tree);
    bool append(const TextItem& part, const expr::Value& value, std::string& out) const;
    void find_exact();
    bool walk(std::string_view line, std::vector<FieldView>& fields, bool& sure) const;
    bool ask_regex(std::string_view line, std::vector<FieldView>& fields) const;
    bool typed(std::vector<FieldView>& fields) const;

    const expr::Pool* pool_;
    MessageIndex message_;
    std::vector<expr::TypeId> types_;  // of the message's fields
    std::vector<TextItem> parts_;
    std::vector<solve::PatternTree> trees_;  // a part each, where they could be read
    bool exact_ = false;    // each text splits into the parts in one way, and walking finds it
    bool greedy_ = false;   // walking can be tried
    bool all_text_ = true;  // every field holds text
    bool may_be_empty_ = true;
    std::array<bool, 256> first_{};
    std::optional<solve::Automaton> automaton_;
    std::shared_ptr<const re2::RE2> whole_;
    int groups_ = 1;
};

}  // namespace treaty::wire
