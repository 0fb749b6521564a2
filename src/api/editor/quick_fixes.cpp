#include "api/editor/quick_fixes.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "api/editor/fixer.h"
#include "api/editor/message_repairs.h"
#include "api/editor/text_repairs.h"
#include "base/suggest.h"
#include "choreo/codes.h"
#include "expr/operators.h"
#include "formats/import.h"
#include "lang/codes.h"

namespace treaty::api {
namespace {

using lang::SymbolId;
using lang::SymbolKind;
using Candidates = std::vector<std::string_view>;

class NameFixer : private Fixer<NameFixer> {
    friend Fixer<NameFixer>;

public:
    using Fixer::Fixer;

    std::vector<QuickFix> run(const std::string& code) {
        static const Table all{
            {base::to_string(lang::codes::unexpected_character), &NameFixer::other_sign},
            {base::to_string(lang::codes::unexpected_item), &NameFixer::item_word},
            {base::to_string(lang::codes::assignment_in_expression), &NameFixer::compare},
            {base::to_string(lang::codes::separator), &NameFixer::remove},
            {base::to_string(lang::codes::unknown_role), &NameFixer::role},
            {base::to_string(lang::codes::undeclared_message), &NameFixer::declare_message},
            {base::to_string(lang::codes::unknown_type), &NameFixer::type},
            {base::to_string(lang::codes::unknown_name), &NameFixer::value},
            {base::to_string(lang::codes::unknown_function), &NameFixer::function},
            {base::to_string(lang::codes::unknown_loop), &NameFixer::loop},
            {base::to_string(lang::codes::unknown_protocol), &NameFixer::protocol},
            {base::to_string(lang::codes::misspelt_message), &NameFixer::declared_message},
            {base::to_string(lang::codes::unknown_message), &NameFixer::message},
            {base::to_string(lang::codes::unknown_field), &NameFixer::field},
            {base::to_string(lang::codes::unknown_property), &NameFixer::property},
            {base::to_string(lang::codes::idle_role), &NameFixer::remove_role},
            {base::to_string(lang::codes::cannot_import), &NameFixer::import},
            {base::to_string(lang::codes::wrong_decider), &NameFixer::other_decider},
            {base::to_string(choreo::codes::other_decider), &NameFixer::first_sender_decides},
        };
        return fixes(all, code);
    }

private:
    // The nearest of the names, found as the diagnostic's own hint is.
    void meant(Candidates candidates) {
        std::string_view wrong = written();
        if (wrong.size() < 2) return;
        std::erase_if(candidates, [](std::string_view candidate) { return candidate.size() < 2; });
        std::sort(candidates.begin(), candidates.end());
        std::string_view best = base::nearest(wrong, candidates);
        if (!best.empty() && best != wrong) change_to(best);
    }

    Candidates named(std::initializer_list<SymbolKind> kinds, bool declared_only = false) const {
        Candidates result;
        for (const lang::Symbol& s : d_.index->symbols()) {
            bool wanted = std::find(kinds.begin(), kinds.end(), s.kind) != kinds.end();
            if (wanted && (s.is_declared || !declared_only)) result.push_back(d_.text(s.name));
        }
        return result;
    }

    void other_sign() {
        static const std::map<std::string_view, std::string_view> words{
            {"&&", "and"}, {"||", "or"}, {"%", "mod"}, {"!", "not "}, {"\u2192", "->"}};
        if (auto word = words.find(written()); word != words.end()) change_to(word->second);
    }

    void item_word() {
        meant({"message", "const", "enum", "record", "type", "function", "predicate", "protocol", "wire",
               "property"});
    }

    void compare() { change_to("=="); }

    void remove() { add(fmt::format("Remove `{}`", written()), place_, ""); }

    void role() {
        const lang::ProtocolSyntax* p = d_.protocol_at(place_.begin);
        if (!p) return meant(named({SymbolKind::role}));
        auto names = lang::Syntax::part(d_.syntax.names, p->roles);
        Candidates roles;
        for (const lang::Name& n : names) roles.push_back(d_.text(n.id));
        meant(std::move(roles));
        if (names.empty()) return;
        std::uint32_t end = names.back().span.end;
        add(fmt::format("Add role `{}` to {}", written(), d_.text(p->name.id)), {end, end},
            fmt::format(", {}", written()), false);
    }

    void type() {
        Candidates types = named({SymbolKind::alias, SymbolKind::enumeration, SymbolKind::record});
        for (std::string_view basic :
             {"bool", "int", "real", "string", "bytes", "list", "optional", "set", "map"})
            types.push_back(basic);
        meant(std::move(types));
    }

    void value() {
        Candidates values = named({SymbolKind::constant, SymbolKind::member});
        for (SymbolId id : d_.index->visible(d_.file, place_.begin))
            values.push_back(d_.text(d_.symbol(id).name));
        meant(std::move(values));
    }

    void function() {
        Candidates functions = named({SymbolKind::function});
        for (const expr::Operator& o : expr::operators())
            if (o.notation == expr::Notation::function) functions.push_back(o.name);
        meant(std::move(functions));
    }

    void loop() { meant(named({SymbolKind::loop})); }
    void protocol() { meant(named({SymbolKind::protocol})); }
    void declared_message() { meant(named({SymbolKind::message}, true)); }
    void message() { meant(named({SymbolKind::message})); }
    void field() { meant(named({SymbolKind::field})); }
    void property() { meant(named({SymbolKind::property})); }

    void import() {
        std::string_view text = written();
        std::size_t open = text.find('"'), close = text.rfind('"');
        if (open == std::string_view::npos || close <= open) return;
        TextRange inside{place_.begin + static_cast<std::uint32_t>(open) + 1,
                         place_.begin + static_cast<std::uint32_t>(close)};
        std::string_view path = text.substr(open + 1, close - open - 1);
        constexpr std::string_view prefix = "library/";
        if (!path.starts_with(prefix)) return;
        std::string_view best = base::nearest(path.substr(prefix.size()), formats::library_names());
        if (!best.empty())
            add(fmt::format("Change to `library/{}`", best), inside, fmt::format("library/{}", best));
    }

    // Each role that is only listed, with one comma.
    void remove_role() {
        const lang::ProtocolSyntax* p = d_.protocol_at(place_.begin);
        auto names = p ? lang::Syntax::part(d_.syntax.names, p->roles) : std::span<const lang::Name>();
        for (std::size_t i = 0; i < names.size() && names.size() > 1; ++i) {
            const lang::Mention* listed = d_.index->at(d_.file, names[i].span.begin);
            if (!listed || d_.index->of(listed->symbol).size() > 1) continue;
            TextRange range = i > 0 ? TextRange{names[i - 1].span.end, names[i].span.end}
                                    : TextRange{names[0].span.begin, names[1].span.begin};
            add(fmt::format("Remove role `{}`", d_.text(names[i].id)), range, "");
        }
    }

    // The type that a value shows by its form; an int where it shows none, as in the diagnostic's hint.
    std::string_view type_of(lang::SyntaxExprId id) const {
        if (!id) return "int";
        switch (d_.syntax[id].kind) {
            case lang::SyntaxExprKind::string: return "string";
            case lang::SyntaxExprKind::bytes: return "bytes";
            case lang::SyntaxExprKind::real: return "real";
            case lang::SyntaxExprKind::boolean: return "bool";
            case lang::SyntaxExprKind::name:
                for (SymbolId known : d_.index->visible(d_.file, place_.begin)) {
                    const lang::Symbol& s = d_.symbol(known);
                    if (s.name == d_.syntax[id].name && !d_.type_text(s).empty()) return d_.type_text(s);
                }
                return "int";
            default: return "int";
        }
    }

    void declare_message() {
        for (const lang::Step& s : d_.syntax.steps) {
            bool here = s.kind == lang::StepKind::interaction && d_.own(s.name.span) &&
                        s.name.span.begin == place_.begin;
            if (!here) continue;
            std::vector<std::string> fields;
            for (const lang::ArgumentSyntax& a : lang::Syntax::part(d_.syntax.arguments, s.arguments)) {
                base::NameId named = a.field.id ? a.field.id : a.bind.id;
                std::string name =
                    named ? std::string(d_.text(named)) : fmt::format("field{}", fields.size() + 1);
                fields.push_back(fmt::format("{}: {}", name, type_of(a.value)));
            }
            const lang::ProtocolSyntax* p = d_.protocol_at(place_.begin);
            std::uint32_t at = p ? p->span.begin : 0;
            add(fmt::format("Declare message `{}`", written()), {at, at},
                fmt::format("message {}({})\n\n", written(), fmt::join(fields, ", ")));
            return;
        }
    }

    // The innermost step with `at` that holds this place.
    const lang::Step* decided_around() const {
        const lang::Step* best = nullptr;
        for (const lang::Step& s : d_.syntax.steps) {
            bool decided = s.kind == lang::StepKind::choice || s.kind == lang::StepKind::repeat ||
                           s.kind == lang::StepKind::optional;
            bool holds = d_.own(s.span) && s.span.begin <= place_.begin && place_.end <= s.span.end;
            if (decided && s.role.id && holds && (!best || s.span.begin > best->span.begin)) best = &s;
        }
        return best;
    }

    void let_decide(const lang::Step& step, base::NameId role) {
        if (role == step.role.id) return;
        add(fmt::format("Let `{}` decide", d_.text(role)), {step.role.span.begin, step.role.span.end},
            std::string(d_.text(role)));
    }

    void other_decider() {
        const lang::Step* around = decided_around();
        for (const lang::Step& s : d_.syntax.steps)
            if (around && s.kind == lang::StepKind::interaction && d_.own(s.head) &&
                s.head.begin == place_.begin)
                return let_decide(*around, s.role.id);
    }

    void first_sender_decides() {
        const lang::Step* around = decided_around();
        if (!around) return;
        for (lang::BlockId b : d_.syntax.blocks_of(*around))
            for (lang::StepId s : d_.syntax.steps_of(b))
                if (d_.syntax[s].kind == lang::StepKind::interaction)
                    return let_decide(*around, d_.syntax[s].role.id);
    }
};

}  // namespace

std::vector<QuickFix> quick_fixes(const Workspace& workspace, const QuickFixQuestion& question,
                                  const Context& context) {
    auto document = read_for_editor(workspace, question.file);
    if (!document || question.place.begin > question.place.end) return {};
    std::vector<QuickFix> result = NameFixer(*document, question.place).run(question.code);
    auto add = [&](std::vector<QuickFix> more) {
        std::move(more.begin(), more.end(), std::back_inserter(result));
    };
    add(text_repairs(*document, question));
    add(message_repairs(workspace, *document, question, context));
    return result;
}

}  // namespace treaty::api
