#include "api/editor/message_repairs.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/editor/text_repairs.h"
#include "api/repair.h"
#include "choreo/codes.h"
#include "lang/codes.h"

namespace treaty::api {
namespace {

using lang::Step;
using lang::StepKind;

constexpr std::chrono::seconds longest_search{2};

class MessageRepairer {
public:
    MessageRepairer(const Workspace& workspace, const EditorDocument& document,
                    const QuickFixQuestion& question, const Context& context)
        : workspace_(workspace),
          d_(document),
          question_(question),
          context_(context),
          protocol_(document.protocol_at(question.place.begin)) {}

    std::vector<QuickFix> run() {
        if (!protocol_) return {};
        bool unknown_value = question_.code == base::to_string(lang::codes::unknowable);
        if (unknown_value) {
            std::vector<std::string> names = names_in(question_.message);
            if (names.size() >= 2) {
                carry(names[1]);
                tell(names[0], names[1]);
            }
        }
        if (unknown_value || is_about_branches() || question_.code.empty()) add_messages();
        return std::move(out_);
    }

private:
    bool is_about_branches() const {
        namespace codes = choreo::codes;
        for (const base::Code* code :
             {&codes::branches_alike, &codes::branch_untold, &codes::no_single_decider, &codes::acts_untold,
              &codes::loop_end_untold, &codes::first_messages_race})
            if (question_.code == base::to_string(*code)) return true;
        return false;
    }

    std::string type_of(std::string_view variable) const {
        for (const lang::Symbol& s : d_.index->symbols()) {
            bool value = s.kind == lang::SymbolKind::variable || s.kind == lang::SymbolKind::parameter;
            if (value && d_.text(s.name) == variable && !d_.type_text(s).empty())
                return std::string(d_.type_text(s));
        }
        return "int";
    }

    std::string indent_at(std::uint32_t offset) const {
        std::size_t start = offset == 0 ? std::string_view::npos : d_.text().rfind('\n', offset - 1);
        std::size_t begin = start == std::string_view::npos ? 0 : start + 1;
        std::size_t end = std::min(d_.text().find_first_not_of(" \t", begin), d_.text().size());
        return std::string(d_.text().substr(begin, end - begin));
    }

    TextEdit declaration(std::string_view message, std::string_view value) const {
        std::uint32_t at = protocol_->span.begin;
        return {{at, at}, fmt::format("message {}({}: {})\n\n", message, value, type_of(value))};
    }

    bool in_protocol(const Step& s) const {
        return d_.own(s.head) && protocol_->span.begin <= s.head.begin &&
               s.head.end <= d_.syntax[protocol_->body].span.end;
    }

    // The innermost step that holds the place.
    const Step* step_here() const {
        const Step* best = nullptr;
        for (const Step& s : d_.syntax.steps) {
            bool holds =
                in_protocol(s) && s.span.begin <= question_.place.begin && question_.place.end <= s.span.end;
            if (holds && (!best || s.span.begin > best->span.begin)) best = &s;
        }
        return best;
    }

    // "let `office -> depot: go` carry `n`": the message that the hint names, in its last step before the
    // place.
    void carry(const std::string& value) {
        std::size_t hint = question_.message.find("help: let `");
        if (hint == std::string::npos) return;
        std::vector<std::string> names = names_in(std::string_view(question_.message).substr(hint));
        if (names.size() < 2 || names[1] != value) return;
        const Step* carrier = nullptr;
        for (const Step& s : d_.syntax.steps) {
            auto to = lang::Syntax::part(d_.syntax.names, s.roles);
            bool same = s.kind == StepKind::interaction && in_protocol(s) && to.size() == 1 &&
                        fmt::format("{} -> {}: {}", d_.text(s.role.id), d_.text(to[0].id),
                                    d_.text(s.name.id)) == names[0];
            if (same && s.head.end <= question_.place.begin) carrier = &s;
        }
        if (!carrier || carrier->has_arguments) return;
        std::string_view message = d_.text(carrier->name.id);
        for (const lang::MessageSyntax& m : d_.syntax.messages)
            if (m.name.id == carrier->name.id) return;  // its data is used elsewhere, too
        std::uint32_t end = carrier->name.span.end;
        offer({fmt::format("Let `{}` carry `{}`", names[0], value),
               {declaration(message, value), {{end, end}, fmt::format("({})", value)}},
               true});
    }

    // A message of its own, from the role that has got the value first.
    void tell(const std::string& role, const std::string& value) {
        const Step* here = step_here();
        const Step* binding = nullptr;
        for (const Step& s : d_.syntax.steps)
            for (const lang::ArgumentSyntax& a : lang::Syntax::part(d_.syntax.arguments, s.arguments))
                if (s.kind == StepKind::interaction && in_protocol(s) && a.bind.id &&
                    d_.text(a.bind.id) == value && s.head.end <= question_.place.begin)
                    binding = &s;
        if (!here || !binding || d_.text(binding->role.id) == role) return;
        std::string message = free_name(fmt::format("tell_{}", value));
        std::string step = fmt::format("{} -> {}: {}({})", d_.text(binding->role.id), role, message, value);
        std::uint32_t at = here->span.begin;
        offer({fmt::format("Add `{}`", step),
               {declaration(message, value), {{at, at}, step + "\n" + indent_at(at)}},
               out_.empty()});
    }

    std::string free_name(std::string name) const {
        std::set<std::string_view> taken;
        for (const lang::Symbol& s : d_.index->symbols()) taken.insert(d_.text(s.name));
        while (taken.contains(name)) name += "_";
        return name;
    }

    void add_messages() {
        RepairQuestion question;
        question.file = question_.file;
        question.protocol = std::string(d_.text(protocol_->name.id));
        auto roles = lang::Syntax::part(d_.syntax.names, protocol_->roles);
        if (roles.empty()) return;
        question.roles = std::string(d_.text(roles[0].id));
        Context context = context_;
        context.deadline = context.deadline.part(longest_search);
        context.time_limited = true;
        RepairAnswer answer = repair(workspace_, question, context);
        if (answer.added.empty() || answer.graph || answer.verdict != Verdict::holds) return;
        QuickFix fix;
        for (const AddedInteraction& one : answer.added)
            if (!insert(one, fix.edits)) return;
        fix.title = answer.added.size() == 1 ? fmt::format("Add `{}`", answer.added[0].interaction)
                                             : fmt::format("Add {} messages so that the roles can play {}",
                                                           answer.added.size(), question.protocol);
        offer(std::move(fix));
    }

    // False if it has no place that can be named by a line.
    bool insert(const AddedInteraction& one, std::vector<TextEdit>& edits) const {
        if (!one.neighbour.empty() || one.each_round) return false;
        std::size_t colon = one.interaction.find(": "), open = one.interaction.find('(');
        if (open != std::string::npos)
            edits.push_back(declaration(
                std::string_view(one.interaction).substr(colon + 2, open - colon - 2),
                std::string_view(one.interaction).substr(open + 1, one.interaction.size() - open - 2)));
        if (one.at_end) {
            std::uint32_t brace = d_.syntax[protocol_->body].span.end - 1;
            edits.push_back({{brace, brace}, fmt::format("  {}\n{}", one.interaction, indent_at(brace))});
            return true;
        }
        for (const Step& s : d_.syntax.steps) {
            if (!in_protocol(s) || d_.sources.line_number(s.head.file, s.head.begin) != one.line) continue;
            std::uint32_t at = one.after ? s.span.end : s.span.begin;
            std::string indent = indent_at(s.span.begin);
            edits.push_back({{at, at},
                             one.after ? fmt::format("\n{}{}", indent, one.interaction)
                                       : fmt::format("{}\n{}", one.interaction, indent)});
            return true;
        }
        return false;
    }

    // How many errors a text has; the steps of reading only.
    std::size_t errors_in(std::string text) const {
        Workspace trial([this](const std::string& path) { return workspace_.read(path); });
        trial.set_overlay(question_.file, std::move(text));
        auto document = trial.open(question_.file);
        std::size_t count = 0;
        for (const base::Diagnostic& one : document->diagnostics.all())
            count += one.code->severity == base::Severity::error;
        return count;
    }

    void offer(QuickFix fix) {
        std::vector<TextEdit> edits = fix.edits;
        std::stable_sort(edits.begin(), edits.end(),
                         [](const TextEdit& a, const TextEdit& b) { return a.range < b.range; });
        std::string text(d_.text());
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
            text.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
        std::size_t before = errors_in(std::string(d_.text())), after = errors_in(std::move(text));
        if (after < before || (after == 0 && before == 0)) out_.push_back(std::move(fix));
    }

    const Workspace& workspace_;
    const EditorDocument& d_;
    const QuickFixQuestion& question_;
    const Context& context_;
    const lang::ProtocolSyntax* protocol_;
    std::vector<QuickFix> out_;
};

}  // namespace

std::vector<QuickFix> message_repairs(const Workspace& workspace, const EditorDocument& document,
                                      const QuickFixQuestion& question, const Context& context) {
    return MessageRepairer(workspace, document, question, context).run();
}

}  // namespace treaty::api
