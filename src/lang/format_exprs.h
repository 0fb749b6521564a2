// Written expressions, types and arguments as text, one blank around operators, parentheses as written.
// Internal to lang/.
#pragma once

#include <string>

#include "base/names.h"
#include "base/source.h"
#include "lang/syntax.h"

namespace treaty::lang {

struct SyntaxText {
    const base::SourceMap& sources;
    const base::Names& names;
    const Syntax& syntax;

    std::string name(const Name& n) const { return std::string(names.text(n.id)); }
    std::string source(Span span) const { return std::string(sources.text(span)); }
    std::string expression(SyntaxExprId id) const;
    std::string comprehension(const SyntaxExpr& e) const;
    std::string type(TypeSyntaxId id) const;
    std::string field(const FieldSyntax& f) const;
    std::string fields(Range range) const;
    std::string list(Range names_range) const;
    std::string argument(const ArgumentSyntax& a) const;
    std::string arguments(Range range) const;
    std::string interaction(const Step& s) const;
    std::string match_case(const CaseSyntax& c) const;
    std::string pattern(const PatternSyntax& p) const;
};

}  // namespace treaty::lang
