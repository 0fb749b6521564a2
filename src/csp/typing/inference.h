// The inside of check_types(): a walk over the script that puts what each construct requires to the solver.
// Sources: declarations.cpp (definitions, channels, datatypes, assertions), annotations.cpp, expressions.cpp,
// processes.cpp, patterns.cpp, messages.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/diagnostic.h"
#include "csp/scopes.h"
#include "csp/syntax.h"
#include "csp/typing/dependencies.h"
#include "csp/typing/solver.h"

namespace treaty::csp::typing {

class Inference {
public:
    Inference(const Syntax& syntax, const Scopes& scopes, base::Diagnostics& diagnostics);

    void run();

private:
    using Scheme = Solver::Scheme;
    using Part = Solver::Part;

    // A type that an annotation gives: for the uses of the definition, and for checking its clauses. Inside
    // them, the type variables of the annotation keep their meaning.
    struct Declared {
        Scheme scheme;
        TypeId rigid;
        absl::flat_hash_map<base::NameId, TypeId> variables;
    };
    // Bindings of names are undone at the end of the scope.
    class Scope {
    public:
        explicit Scope(Inference& inference) : inference_(inference), before_(inference.bound_.size()) {}
        ~Scope() {
            for (auto& bound = inference_.bound_; bound.size() > before_; bound.pop_back())
                inference_.locals_[bound.back()].pop_back();
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Inference& inference_;
        std::size_t before_;
    };

    // messages.cpp
    void report(base::Span span, const Why& why, TypeId found, TypeId expected);
    std::string described(TypeId type) const;
    base::Diagnostic* say(const base::Code& code, base::Span span, std::string message);
    // What was found is what is expected; reports it if not. Gives what the rest of the script goes on with.
    bool expect(TypeId found, TypeId expected, base::Span span, Why why);
    bool expect(AstId expression, TypeId expected, Why why);
    void expect_needs(TypeId type, Needs needs, base::Span span, std::string_view what);
    std::string name_of(AstId expression) const;
    std::string text(base::NameId name) const { return std::string(syntax_.names.text(name)); }

    // declarations.cpp
    void prepare();
    void infer_global(std::span<const std::uint32_t> group);
    std::vector<std::vector<std::uint32_t>> dependencies();
    std::size_t node_of(const Global& global) const;
    TypeId element_type(AstId type, std::string_view what);
    TypeId carrier(AstId type, TypeId result, std::string_view what);
    void carried(std::uint32_t node, TypeId type);
    void subtypes();
    TypeId definition_type(const Definition& definition, const Declared* declared);
    void infer_clauses(const Definition& definition, TypeId type, const Declared* declared);
    void infer_clause(const Definition& definition, const Clause& clause, TypeId type, bool declared);
    bool same_parameters(const Definition& definition, const Clause& clause);
    TypeId let(const AstNode& node);
    void infer_local(const Declarations& declarations, std::span<const std::uint32_t> group,
                     const absl::flat_hash_map<base::NameId, Declared>& annotated);
    void assertion(const Assertion& assertion);
    void settle(std::size_t from);

    // annotations.cpp
    absl::flat_hash_map<base::NameId, Declared> annotations(const Declarations& declarations);
    Declared declared(const Annotation& annotation);
    void check_nametypes();
    struct Variables {
        const Annotation& annotation;
        bool rigid;
        absl::flat_hash_map<base::NameId, TypeId> known = {};
    };
    TypeId written(TypeNodeId type, Variables& variables);
    TypeId written_name(const TypeNode& node, Variables& variables);

    // expressions.cpp
    TypeId infer(AstId id);
    TypeId value(const AstNode& node);
    TypeId name(const AstNode& node);
    TypeId builtin(std::string_view name);
    TypeId function(std::vector<TypeId> parameters, TypeId result);
    TypeId elements(const AstNode& node, std::size_t count, bool set);
    TypeId range(const AstNode& node);
    TypeId comprehension(const AstNode& node);
    TypeId events_of(const AstNode& node);
    TypeId extendable(TypeId of, base::Span span);
    TypeId apply(const AstNode& node);
    TypeId unary(const AstNode& node, TypeId operand, TypeId result, std::string_view takes);
    TypeId binary(const AstNode& node);
    TypeId choose(const AstNode& node);
    TypeId lambda(const AstNode& node);
    TypeId dot(const AstNode& node);
    TypeId join(std::vector<Part> parts, std::span<const AstId> places);
    void qualifiers(std::span<const AstId> all, bool ordered);
    TypeId field_values(const AstNode& node);

    // processes.cpp
    TypeId process(const AstNode& node);
    void expect_process(AstId id);
    void expect_events(AstId id);
    void prefix(const AstNode& node);
    void communication(const AstNode& node);
    void input(const AstNode& field, bool last, std::vector<Part>& parts, std::uint32_t place);
    void pair(const AstNode& node);
    void replicated(const AstNode& node);

    // patterns.cpp
    TypeId pattern(AstId id, Needs needs = 0);
    TypeId dotted_pattern(const AstNode& node);
    void pattern_parts(const AstNode& node, std::vector<AstId>& into) const;
    void bind(base::NameId name, Scheme scheme);

    const Syntax& syntax_;
    const Scopes& scopes_;
    base::Diagnostics& diagnostics_;
    Solver solver_;
    Types& types_;
    UsedNames used_;
    StackBound stack_;
    TypeId integer_, boolean_, character_, process_, event_, unknown_;
    std::vector<Scheme> channels_, constructors_, nametypes_, definitions_;
    struct ConstructorPlace {
        std::uint32_t datatype, index;
    };
    std::vector<ConstructorPlace> constructor_places_;
    std::vector<TypeId> datatypes_;  // of each declaration; of a subtype that of its constructors
    absl::flat_hash_map<base::NameId, Declared> annotated_;
    std::vector<const Declared*> inside_;  // the annotated definitions around what is inferred
    std::vector<std::pair<base::NameId, TypeId>> annotated_types_;  // of nametypes
    absl::flat_hash_map<base::NameId, std::vector<Scheme>> locals_;
    std::vector<base::NameId> bound_;
    std::set<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint32_t>> reported_;
};

}  // namespace treaty::csp::typing
