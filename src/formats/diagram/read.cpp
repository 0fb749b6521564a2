// Blocks of lines into the syntax tree of the Treaty language, which is then resolved like any .treaty file.
#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/diagram/diagram.h"
#include "formats/diagram/lines.h"
#include "formats/names.h"
#include "lang/codes.h"
#include "lang/resolve.h"
#include "lang/syntax.h"

namespace treaty::formats {
namespace diagram {
namespace {

using lang::BlockId;
using lang::Name;
using lang::Step;
using lang::StepId;
using lang::StepKind;

using Steps = std::vector<StepId>;

class Builder {
public:
    Builder(std::vector<Line> lines, base::Names& names, base::Diagnostics& diagnostics, base::FileId file)
        : lines_(std::move(lines)), names_(names), diagnostics_(diagnostics) {
        out_.file = file;
    }

    lang::Syntax run(std::string_view name, base::Span whole) {
        for (const Line& l : lines_) {
            if (l.kind == LineKind::participant) role(l.from, l.span);
            if (l.kind == LineKind::message) role(l.from, l.span), role(l.to, l.span);
        }
        Steps steps = block(0, {});
        while (at_ < lines_.size()) {  // what closes nothing
            diagnostics_.report(codes::diagram_syntax, lines_[at_].span, "no block is open here");
            ++at_;
            Steps more = block(0, {});
            steps.insert(steps.end(), more.begin(), more.end());
        }
        lang::ProtocolSyntax p;
        p.span = whole;
        p.name = {names_.intern(name), whole};
        p.roles = append(out_.names, roles_);
        p.body = add_block(whole, steps);
        out_.items.push_back({lang::ItemKind::protocol, 0});
        out_.protocols.push_back(p);
        return std::move(out_);
    }

private:
    template <class T>
    static lang::Range append(std::vector<T>& table, const std::vector<T>& items) {
        lang::Range range{static_cast<std::uint32_t>(table.size()), static_cast<std::uint32_t>(items.size())};
        table.insert(table.end(), items.begin(), items.end());
        return range;
    }
    BlockId add_block(base::Span span, const Steps& steps) {
        lang::Block b;
        b.span = span;
        b.steps = append(out_.step_lists, steps);
        out_.blocks.push_back(b);
        return BlockId(out_.blocks.size() - 1);
    }
    StepId add_step(Step s, base::Span span) {
        s.span = s.head = span;
        out_.steps.push_back(s);
        return StepId(out_.steps.size() - 1);
    }
    StepId add_step(StepKind kind, base::Span span, const std::vector<Steps>& parts) {
        Step s;
        s.kind = kind;
        std::vector<BlockId> blocks;
        for (const Steps& part : parts) blocks.push_back(add_block(span, part));
        s.blocks = append(out_.block_lists, blocks);
        return add_step(s, span);
    }

    void role(const std::string& name, base::Span span) {
        base::NameId id = names_.intern(name);
        bool known = std::any_of(roles_.begin(), roles_.end(), [&](const Name& n) { return n.id == id; });
        if (!known) roles_.push_back({id, span});
    }

    // Texts that differ are different messages, also where their names would be the same.
    base::NameId message_name(const std::string& text) {
        std::string_view before = std::string_view(text).substr(0, text.find('('));
        std::string name = name_of(before);
        if (name.empty()) name = name_of(text);
        if (name.empty()) name = "message";
        std::string key(before);
        auto [known, added] = messages_.try_emplace(key);
        if (!added) return known->second;
        std::string free = name;
        for (int i = 2; !taken_.try_emplace(free, true).second; ++i) free = fmt::format("{}_{}", name, i);
        return known->second = names_.intern(free);
    }

    void not_said(const Line& line, std::string_view what) {
        diagnostics_.report(
            codes::diagram_not_said, line.span,
            line.text.empty() ? std::string(what) : fmt::format("{}: `{}`", what, line.text.substr(0, 80)));
    }

    // Up to the line that ends or splits the block, which is left. `loop`: the name of the loop whose body
    // this is.
    Steps block(std::uint32_t depth, base::NameId loop) {
        Steps steps;
        if (depth > lang::max_block_depth) {
            diagnostics_.report(
                codes::diagram_syntax, lines_[at_ - 1].span,
                fmt::format("blocks are nested deeper than {} levels", lang::max_block_depth));
            at_ = lines_.size();
            cut_off_ = true;
            return steps;
        }
        while (at_ < lines_.size()) {
            const Line& line = lines_[at_];
            if (line.kind == LineKind::close || line.kind == LineKind::split) break;
            ++at_;
            if (line.kind == LineKind::message)
                message(line, steps);
            else if (line.kind == LineKind::open && line.word == "break") {
                leave(line, depth, loop, steps);
                return steps;
            } else if (line.kind == LineKind::open)
                fragment(line, depth, steps);
        }
        if (loop) steps.push_back(go_back(loop, lines_[at_ == 0 ? 0 : at_ - 1].span));
        return steps;
    }

    StepId go_back(base::NameId loop, base::Span span) {
        Step s;
        s.kind = StepKind::jump;
        s.name = {loop, span};
        return add_step(s, span);
    }

    void message(const Line& line, Steps& steps) {
        if (line.from == line.to) {
            diagnostics_.report(codes::diagram_left_out, line.span,
                                fmt::format("the action inside `{}` is left out", line.from));
            return;
        }
        Step s;
        s.kind = StepKind::interaction;
        s.name = {message_name(line.text), line.span};
        s.role = {names_.intern(line.from), line.span};
        s.roles = append(out_.names, std::vector<Name>{{names_.intern(line.to), line.span}});
        steps.push_back(add_step(s, line.span));
    }

    // The blocks of a fragment, past its end.
    std::vector<Steps> parts_of(const Line& open, std::uint32_t depth, base::NameId loop) {
        std::vector<Steps> parts{block(depth + 1, loop)};
        while (at_ < lines_.size() && lines_[at_].kind == LineKind::split) {
            ++at_;
            parts.push_back(block(depth + 1, loop));
        }
        if (at_ < lines_.size())
            ++at_;
        else if (!cut_off_)
            diagnostics_.report(codes::diagram_syntax, open.span,
                                fmt::format("this `{}` has no `end`", open.word));
        return parts;
    }

    // Whether the block that begins here has a break of its own.
    bool breaks() const {
        std::size_t open = 0;
        for (std::size_t i = at_; i < lines_.size(); ++i) {
            if (lines_[i].kind == LineKind::open && open++ == 0 && lines_[i].word == "break") return true;
            if (lines_[i].kind == LineKind::close && open-- == 0) return false;
        }
        return false;
    }

    void fragment(const Line& open, std::uint32_t depth, Steps& steps) {
        Line line = open;
        base::NameId loop;
        if (line.word == "loop" && breaks()) loop = names_.intern(fmt::format("Loop{}", ++loops_));
        std::vector<Steps> parts = parts_of(line, depth, loop);
        if (line.word == "loop" && loop) {
            not_said(line, "the loop continues until its `break`");
            Step s;
            s.kind = StepKind::rec;
            s.name = {loop, line.span};
            s.blocks = append(out_.block_lists, std::vector<BlockId>{add_block(line.span, parts[0])});
            steps.push_back(add_step(s, line.span));
        } else if (line.word == "loop") {
            not_said(line,
                     "the diagram does not state who decides on another round; assuming the first sender");
            steps.push_back(add_step(StepKind::repeat, line.span, {parts[0]}));
        } else if (line.word == "opt" || (line.word == "alt" && parts.size() == 1)) {
            not_said(line, "the diagram does not state who decides; assuming the first sender");
            steps.push_back(add_step(StepKind::optional, line.span, {parts[0]}));
        } else if (line.word == "par" && parts.size() > 1) {
            steps.push_back(add_step(StepKind::par, line.span, parts));
        } else if (parts.size() > 1) {
            not_said(line, "the diagram does not state who decides; assuming the first sender");
            steps.push_back(add_step(StepKind::choice, line.span, parts));
        } else {
            steps.insert(steps.end(), parts[0].begin(), parts[0].end());
        }
    }

    // break: its steps, or the rest of the block around it.
    void leave(const Line& open, std::uint32_t depth, base::NameId loop, Steps& steps) {
        Line line = open;
        std::vector<Steps> parts = parts_of(line, depth, {});
        Steps rest = block(depth + 1, loop);
        not_said(line, "the diagram does not state who decides to leave; assuming the first sender");
        steps.push_back(add_step(StepKind::choice, line.span, {parts[0], rest}));
    }

    std::vector<Line> lines_;
    base::Names& names_;
    base::Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    std::size_t loops_ = 0;
    bool cut_off_ = false;  // nested too deep, and reported
    lang::Syntax out_;
    std::vector<Name> roles_;
    absl::flat_hash_map<std::string, base::NameId> messages_;  // by their text
    absl::flat_hash_map<std::string, bool> taken_;
};

std::optional<model::Specification> read(const base::SourceMap& sources, base::FileId file, Dialect dialect,
                                         base::Diagnostics& diagnostics) {
    model::Specification spec;
    base::Diagnostics found;
    std::vector<Line> lines = lines_of(sources, file, dialect, found);
    bool empty =
        std::none_of(lines.begin(), lines.end(), [](const Line& l) { return l.kind == LineKind::message; });
    if (empty && found.ok())
        found.report(codes::diagram_syntax, {file, 0, 1}, "this diagram contains no message");
    std::optional<model::Specification> resolved;
    if (!empty) {
        base::Span whole{
            file, 0,
            static_cast<std::uint32_t>(std::min(sources.text(file).find('\n'), sources.text(file).size()))};
        lang::Syntax syntax = Builder(std::move(lines), *spec.names, found, file)
                                  .run(identifier_of(stem_of(sources.path(file))), whole);
        resolved = lang::resolve(sources, syntax, std::move(spec), found);
    }
    bool ok = found.ok();
    found.sort_by_place();
    diagnostics.append(std::move(found));
    if (!ok) return std::nullopt;
    return resolved;
}

}  // namespace
}  // namespace diagram

std::optional<model::Specification> read_mermaid(const base::SourceMap& sources, base::FileId file,
                                                 base::Diagnostics& diagnostics) {
    return diagram::read(sources, file, diagram::Dialect::mermaid, diagnostics);
}

std::optional<model::Specification> read_plantuml(const base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics) {
    return diagram::read(sources, file, diagram::Dialect::plantuml, diagnostics);
}

}  // namespace treaty::formats
