// Reading goes in two passes: the lines into raw machines of names, because an index may speak of a machine
// further down; then each raw machine into a Machine.

#include <charconv>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/check.h"
#include "base/suggest.h"
#include "formats/codes.h"
#include "formats/fsa/fsa.h"
#include "formats/names.h"
#include "formats/silent.h"

namespace treaty::formats {
namespace {

using base::Span;

constexpr std::size_t silent_budget = 20'000'000;
constexpr std::size_t max_machines = 10'000;

struct Word {
    std::string_view text;
    Span span;
};

struct RawTransition {
    Word from, to, message;
    std::uint32_t partner = 0;
    char direction = 0;  // '!', '?', or 't' for a silent one
    Span line;
};

struct RawMachine {
    Word name;  // its text may be empty
    Span head;
    Word marking;
    bool has_marking = false;
    std::vector<RawTransition> transitions;
};

class Reader {
public:
    Reader(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics)
        : sources_(sources), text_(sources.text(file)), file_(file), diagnostics_(diagnostics) {}

    std::optional<model::System> run() {
        std::size_t errors = diagnostics_.errors();
        for (std::size_t begin = 0; begin < text_.size();) {
            std::size_t end = std::min(text_.find('\n', begin), text_.size());
            split(begin, end);
            if (!words_.empty() && !words_[0].text.starts_with("--")) line();
            begin = end + 1;
        }
        if (open_) unended(machines_.back().head);
        if (machines_.empty() && diagnostics_.errors() == errors)
            diagnostics_.report(codes::fsa_empty, span(0, text_.size()), "this file contains no machine")
                .help("a machine begins with a line `.outputs Name`");
        if (machines_.size() > max_machines) {
            diagnostics_.report(codes::fsa_too_large, machines_[max_machines].head,
                                fmt::format("more than {} machines", max_machines));
            return std::nullopt;
        }
        check_names();
        for (std::size_t i = 0; i < machines_.size(); ++i) check_machine(i);
        if (diagnostics_.errors() > errors) return std::nullopt;
        return build();
    }

private:
    Span span(std::size_t begin, std::size_t end) const {
        return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }

    // The words of a line, with their places; line_ is the line without blanks around it.
    void split(std::size_t begin, std::size_t end) {
        words_.clear();
        auto blank = [&](std::size_t i) {
            char c = text_[i];
            return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
        };
        for (std::size_t i = begin; i < end;) {
            if (blank(i)) {
                ++i;
                continue;
            }
            std::size_t start = i;
            while (i < end && !blank(i)) ++i;
            words_.push_back({text_.substr(start, i - start), span(start, i)});
        }
        if (!words_.empty()) line_ = cover(words_.front().span, words_.back().span);
    }

    void line() {
        std::string_view first = words_[0].text;
        if (first == ".outputs") return outputs();
        if (first[0] != '.' || !open_) {
            if (open_) return transition();
            if (!told_outside_) {
                diagnostics_.report(codes::fsa_line, line_, "this line is outside a machine")
                    .help("a machine begins with `.outputs Name` and ends with `.end`");
            }
            told_outside_ = true;
            return;
        }
        RawMachine& m = machines_.back();
        if (first == ".state" && words_.size() == 2 && words_[1].text == "graph") {
            // says nothing that the transitions do not say, wherever they are
        } else if (first == ".marking") {
            marking(m);
        } else if (first == ".end" && words_.size() == 1) {
            open_ = false;
            told_outside_ = false;
        } else {
            diagnostics_.report(codes::fsa_line, line_, fmt::format("`{}` is not a line of a machine", first))
                .help("known: `.outputs`, `.state graph`, `.marking` and `.end`");
        }
    }

    void outputs() {
        if (open_) unended(line_);
        RawMachine m;
        m.head = line_;
        if (words_.size() == 2) m.name = words_[1];
        if (words_.size() > 2)
            diagnostics_.report(codes::fsa_line, line_, "the name of a machine must not contain blanks");
        machines_.push_back(std::move(m));
        open_ = true;
    }

    void unended(Span at) {
        diagnostics_
            .report(codes::fsa_end, at,
                    at == machines_.back().head ? "this machine has no `.end`"
                                                : "a machine begins, but the one above has no `.end`")
            .help("add a line `.end`");
        open_ = false;
    }

    void marking(RawMachine& m) {
        if (words_.size() != 2) {
            diagnostics_.report(codes::fsa_marking, line_, "`.marking` names one state");
        } else if (m.has_marking) {
            diagnostics_.report(codes::fsa_marking, line_, "this machine has a second `.marking`")
                .label(m.marking.span, "first here");
        } else {
            m.marking = words_[1];
        }
        m.has_marking = true;
    }

    void transition() {
        RawMachine& m = machines_.back();
        RawTransition t;
        t.line = line_;
        std::string_view middle = words_.size() >= 2 ? words_[1].text : std::string_view();
        if (words_.size() == 3 && (middle == "tau" || middle == "break")) {
            t.from = words_[0];
            t.to = words_[2];
            t.direction = 't';
            m.transitions.push_back(t);
            return;
        }
        bool direction = words_.size() == 5 && (words_[2].text == "!" || words_[2].text == "?");
        if (!direction) {
            diagnostics_.report(codes::fsa_transition, line_, "this is not a transition")
                .help(
                    "write `state index ! message state` or `state tau state`, with blanks between all five");
            return;
        }
        t.from = words_[0];
        t.message = words_[3];
        t.to = words_[4];
        t.direction = words_[2].text[0];
        auto [end, fault] = std::from_chars(middle.data(), middle.data() + middle.size(), t.partner);
        if (fault == std::errc::invalid_argument || end != middle.data() + middle.size()) {
            diagnostics_
                .report(codes::fsa_transition, words_[1].span, fmt::format("`{}` is not a number", middle))
                .help("the other machine is given by its position in the file, counted from 0");
            return;
        }
        if (fault != std::errc()) t.partner = static_cast<std::uint32_t>(-1);
        t.line = words_[1].span;
        m.transitions.push_back(t);
    }

    std::string name(std::size_t i) const {
        return machines_[i].name.text.empty() ? fmt::format("M{}", i) : std::string(machines_[i].name.text);
    }

    void check_names() {
        absl::flat_hash_map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < machines_.size(); ++i) {
            auto [first, added] = seen.try_emplace(name(i), i);
            if (added) continue;
            diagnostics_
                .report(codes::fsa_name_twice, machines_[i].head,
                        fmt::format("a second machine `{}`", name(i)))
                .label(machines_[first->second].head, "first here");
        }
    }

    void check_machine(std::size_t i) {
        const RawMachine& m = machines_[i];
        if (!m.has_marking) {
            diagnostics_
                .report(codes::fsa_marking, m.head, fmt::format("machine `{}` has no initial state", name(i)))
                .help("name it in a line `.marking state`");
        }
        bool known = m.transitions.empty() || m.marking.text.empty();
        for (const RawTransition& t : m.transitions) {
            known = known || t.from.text == m.marking.text || t.to.text == m.marking.text;
            if (t.direction != 't') check_partner(i, t);
        }
        if (known) return;
        auto& d =
            diagnostics_.report(codes::fsa_marking, m.marking.span,
                                fmt::format("no transition uses the initial state `{}`", m.marking.text));
        std::vector<std::string_view> states;
        for (const RawTransition& t : m.transitions) {
            if (states.size() < 1000) states.insert(states.end(), {t.from.text, t.to.text});
        }
        std::string_view near = base::nearest(m.marking.text, states);
        if (!near.empty()) d.help(fmt::format("did you mean `{}`?", near));
    }

    void check_partner(std::size_t i, const RawTransition& t) {
        if (t.partner == i) {
            diagnostics_
                .report(codes::fsa_partner, t.line, fmt::format("machine `{}` talks to itself", name(i)))
                .help(fmt::format("{} is its own position; positions count from 0", i));
        } else if (t.partner >= machines_.size()) {
            diagnostics_.report(codes::fsa_partner, t.line, "there is no machine at this position")
                .help(fmt::format("the file has {} machine{}, at 0 to {}", machines_.size(),
                                  machines_.size() == 1 ? "" : "s", machines_.size() - 1));
        }
    }

    // Second pass.

    std::optional<model::System> build() {
        alphabet_ = std::make_shared<model::Alphabet>();
        for (std::size_t i = 0; i < machines_.size(); ++i) alphabet_->role(name(i));
        std::vector<model::Machine> machines;
        for (std::size_t i = 0; i < machines_.size(); ++i) {
            model::Machine machine = build_machine(i);
            if (has_silent_step(machine)) {
                auto visible = without_silent_steps(machine, silent_budget);
                if (!visible) {
                    diagnostics_.report(
                        codes::fsa_too_large, machines_[i].head,
                        fmt::format("machine `{}` is too large without its silent steps", name(i)));
                    return std::nullopt;
                }
                machine = std::move(*visible);
            }
            machines.push_back(std::move(machine));
        }
        auto system = model::make_system(std::string(stem_of(sources_.path(file_))), std::move(machines), {});
        TREATY_CHECK(system.has_value());
        return system;
    }

    model::Machine build_machine(std::size_t i) {
        const RawMachine& m = machines_[i];
        model::RoleId self(i);
        model::MachineBuilder builder(name(i), alphabet_, self);
        absl::flat_hash_map<std::string_view, model::StateId> states;
        std::vector<bool> moves;
        auto state = [&](std::string_view text) {
            auto [known, added] = states.try_emplace(text, model::StateId());
            if (added) {
                known->second = builder.state(false, std::string(text));
                moves.push_back(false);
            }
            return known->second;
        };
        state(m.marking.text);
        for (const RawTransition& t : m.transitions) {
            model::StateId from = state(t.from.text), to = state(t.to.text);
            moves[from.index] = true;
            model::LabelId label = alphabet_->silent();
            if (t.direction != 't') {
                model::MessageId message = alphabet_->message(t.message.text);
                model::RoleId partner(t.partner);
                label = t.direction == '!' ? alphabet_->send(self, partner, message)
                                           : alphabet_->receive(partner, self, message);
            }
            builder.edge(from, label, to);
        }
        for (std::size_t s = 0; s < moves.size(); ++s) builder.set_final(model::StateId(s), !moves[s]);
        auto machine = builder.finish();
        TREATY_CHECK(machine.has_value());
        return std::move(*machine);
    }

    const base::SourceMap& sources_;
    std::string_view text_;
    base::FileId file_;
    base::Diagnostics& diagnostics_;
    std::vector<Word> words_;
    Span line_;
    std::vector<RawMachine> machines_;
    bool open_ = false;
    bool told_outside_ = false;
    std::shared_ptr<model::Alphabet> alphabet_;
};

}  // namespace

std::optional<model::System> read_fsa(const base::SourceMap& sources, base::FileId file,
                                      base::Diagnostics& diagnostics) {
    return Reader(sources, file, diagnostics).run();
}

}  // namespace treaty::formats
