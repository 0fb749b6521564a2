// Expressions of a script to values; processes to terms whose operands are not yet looked at.
//
// Evaluation is strict for data and lazy for processes: the operands of a process operator are remembered
// with the parameters they use (a `later` term) and evaluated when the events of the process are needed.
// Definitions without parameters are evaluated once. A fault in the script is reported with its place and
// thrown as Fault; a limit is thrown as Limit; both are caught by ProcessGraph and Script and never leave
// this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "base/diagnostic.h"
#include "base/limits.h"
#include "csp/scopes.h"
#include "csp/syntax.h"
#include "csp/values.h"

namespace treaty::csp {

struct Fault {};
struct Limit {
    base::StopReason reason;
    std::string why;
};

// The operators of process terms. Parts: operands, then the values in brackets.
enum class Term : std::uint8_t {
    stop,
    skip,
    ended,
    diverge,
    later,
    prefix,
    external,
    internal,
    sequential,
    sliding,
    interrupt,
    parallel,      // p, q (set)
    alphabetised,  // p, q (set, set)
    exception,     // p, q (set)
    linked,        // p, q (set of pairs)
    hide,          // p (set)
    rename,        // p (set of pairs)
    run,           // (set)
    chaos,         // (set)
};

using Environment = std::vector<std::pair<base::NameId, ValueId>>;

class Evaluator {
public:
    static constexpr std::size_t max_elements = 1'000'000;
    static constexpr int max_calls = 5000;
    static constexpr std::ptrdiff_t max_stack = std::ptrdiff_t(4) << 20;  // bytes
    static constexpr std::uint32_t max_nesting = 1000;

    Evaluator(const Syntax& syntax, const Scopes& scopes, base::Diagnostics& diagnostics);

    Values& values() { return values_; }
    void set_deadline(base::Deadline deadline) { deadline_ = deadline; }
    // Before anything is computed: how deep the stack is now. Computations inside each other are limited by
    // what they add to it.
    void enter() { stack_ = static_cast<const char*>(__builtin_frame_address(0)); }
    bool deep() const {
        return stack_ - static_cast<const char*>(__builtin_frame_address(0)) > max_stack ||
               calls_ > max_calls;
    }
    // After a Fault or a Limit: nothing is being computed any more.
    void recover() {
        busy_.clear();
        calls_ = 0;
    }

    ValueId evaluate(AstId id, Environment& env);
    ValueId evaluate(AstId id) {
        Environment none;
        return evaluate(id, none);
    }
    // The process itself: nothing `later` at the top, nor in operands that take part in its first step.
    ValueId head(ValueId process);

    ValueId term(Term op, std::span<const ValueId> parts, AstId node = {});
    static Term op(std::int64_t number) { return static_cast<Term>(number & 255); }
    Term op(ValueId process) const { return op(values_.number(process)); }
    AstId node(ValueId process) const {
        return AstId(static_cast<std::size_t>(values_.number(process) >> 8));
    }

    // The events a prefix offers, each with the process that follows.
    void offered(ValueId prefix, const std::function<void(ValueId event, ValueId next)>& take);

    // Faults are reported to `to` from now on; gives where they went before.
    base::Diagnostics& report_to(base::Diagnostics& to) { return *std::exchange(diagnostics_, &to); }

    // How many events a channel carries; nothing if they are infinitely many. The channel by its place in the
    // script.
    std::optional<std::uint64_t> event_count(std::size_t channel);
    std::vector<ValueId> events_of(std::size_t channel);
    // The elements of a set of events, each checked.
    std::vector<ValueId> events_in(AstId set);
    // Every complete event that begins with this channel, or part of an event; of a constructor every value.
    std::vector<ValueId> extensions(ValueId event, base::Span span);
    ValueId all_events(base::Span span);
    std::string print(ValueId value) const;
    bool is_process(ValueId value) const { return values_.kind(value) == Kind::process; }
    base::Span span_of(ValueId process) const;

private:
    struct Atom {
        base::NameId name;
        base::Span span;
        AstId type;
        bool channel;
        bool resolved = false;
        bool resolving = false;
        std::vector<ValueId> fields;  // what each may be
    };
    struct Function {
        const Definition* definition;
        std::int64_t let = -1;
    };

    [[noreturn]] void fail(const base::Code& code, base::Span span, std::string message);
    void count_step();
    void expect_kind(ValueId value, Kind kind, base::Span span);

    // evaluate.cpp
    ValueId name(const AstNode& node, Environment& env);
    ValueId global_value(std::uint32_t definition);
    ValueId local_value(ValueId local);
    Environment let_environment(std::int64_t let, std::span<const ValueId> kept);
    ValueId choose(const AstNode& node, Environment& env);
    ValueId let(AstId id, const AstNode& node, Environment& env);
    ValueId binary(const AstNode& node, Environment& env);
    ValueId arithmetic(Op op, ValueId left, ValueId right, base::Span span);
    bool compare(Op op, ValueId left, ValueId right, base::Span span);
    ValueId range(const AstNode& node, Environment& env);
    ValueId comprehension(const AstNode& node, Environment& env);
    ValueId apply(const AstNode& node, Environment& env);
    ValueId call(ValueId function, std::vector<ValueId> arguments, base::Span span);
    ValueId call_groups(ValueId function, std::size_t groups, std::vector<ValueId> arguments,
                        base::Span span);
    ValueId call_clauses(const Definition& d, const Environment& outer, std::vector<ValueId>& arguments,
                         base::Span span);
    bool call_clause(const Clause& clause, Environment& env, std::span<const ValueId> arguments);
    ValueId builtin(std::int64_t which, std::span<const ValueId> arguments, base::Span span);
    ValueId set_operation(std::string_view name, std::span<const ValueId> arguments, base::Span span);
    ValueId sequence_operation(std::string_view name, std::span<const ValueId> arguments, base::Span span);
    ValueId combined(std::string_view name, ValueId left, ValueId right, base::Span span);
    std::span<const ValueId> finite(ValueId set, base::Span span);
    ValueId sequences(ValueId elements);
    ValueId dot_operation(std::string_view name, ValueId of, base::Span span);
    ValueId subsets(ValueId set, base::Span span);
    std::vector<ValueId> elements(const AstNode& node, std::size_t count, Environment& env);
    // Calls f for every way to satisfy the qualifiers.
    enum class Order : std::uint8_t { any, matters };  // a set of several values has none
    void qualified(std::span<const AstId> qualifiers, Environment& env, const std::function<void()>& f,
                   Order order = Order::any);

    bool match(AstId pattern, ValueId value, Environment& env);
    bool match_sequence(const AstNode& pattern, ValueId value, Environment& env);
    bool match_dot(const AstNode& pattern, ValueId value, Environment& env);
    void dotted_parts(const AstNode& pattern, std::vector<AstId>& into) const;
    bool names_constant(AstId pattern) const;  // of a channel or constructor
    std::vector<ValueId> captured(AstId id, const Environment& env) const;
    Environment restored(AstId id, std::span<const ValueId> parts) const;

    // types.cpp
    Atom& atom(ValueId value);
    void resolve(Atom& atom);
    std::vector<ValueId> apart(const std::vector<ValueId>& fields, const Atom& atom);
    std::vector<ValueId> whole_values(ValueId value);
    [[noreturn]] void not_a_product(const Atom& atom);
    void type_fields(AstId type, std::vector<ValueId>& into, std::uint32_t nesting = 0);
    ValueId type_set(AstId type);
    ValueId field_values(const AstNode& node, Environment& env);
    ValueId datatype_set(std::uint32_t index, base::Span span);
    void product(std::span<const ValueId> fields, std::size_t from, std::vector<ValueId>& prefix,
                 base::Span span, std::vector<ValueId>& into);
    std::size_t component_end(std::span<const ValueId> flat, std::size_t at);
    std::vector<ValueId> components(ValueId value);  // head first
    ValueId check_event(ValueId event, base::Span span);
    ValueId check_dot(ValueId value, base::Span span);
    std::size_t arity(ValueId head);  // how many fields it has, without looking at what they may be
    std::size_t type_arity(AstId type, std::vector<std::uint32_t>& inside) const;
    bool listable(ValueId head);
    bool listable(AstId type, std::vector<std::uint32_t>& inside);
    std::size_t check_component(std::span<const ValueId> flat, std::size_t at, base::Span span);
    std::size_t missing(ValueId component);
    void check_fields(std::span<const ValueId> parts, std::size_t count, base::Span span);
    std::vector<ValueId> rest(std::span<const ValueId> parts, base::Span span);
    // What may follow a channel or constructor of which the rest is missing: one component, or all.
    enum class Follow : std::uint8_t { next, all };
    std::vector<ValueId> following(ValueId head, std::span<const ValueId> left, Follow how, base::Span span);
    std::vector<ValueId> joined(std::span<const ValueId> parts, ValueId more);
    struct Offer;
    void add_fields(AstId field, Offer& offer);
    void offer_fields(Offer& offer, std::size_t field);
    void offer_with(Offer& offer, std::size_t field, ValueId value);
    void offer_input(Offer& offer, std::size_t field);
    [[noreturn]] void any_input(ValueId set, base::Span span);

    // processes.cpp
    ValueId process(AstId id, const AstNode& node, Environment& env);
    ValueId later(AstId id, const Environment& env);
    ValueId event_set(AstId id, Environment& env);
    ValueId renaming(const AstNode& node, Environment& env);
    ValueId links(AstId id, Environment& env);
    void add_pairs(const AstNode& pair, Environment& env, std::vector<ValueId>& into);
    ValueId replicated(const AstNode& node, Environment& env);
    ValueId fold(Term op, std::vector<ValueId> operands, std::span<const ValueId> extra, std::size_t begin,
                 std::size_t end);
    ValueId fold_alphabetised(const std::vector<ValueId>& operands, const std::vector<ValueId>& sets,
                              std::size_t begin, ValueId* alphabet);

    const Syntax& syntax_;
    const Scopes& scopes_;
    base::Diagnostics* diagnostics_;
    Values values_;
    base::Deadline deadline_;
    std::uint64_t steps_ = 0;
    int calls_ = 0;
    const char* stack_ = nullptr;
    std::vector<Atom> atoms_;
    absl::flat_hash_map<base::NameId, std::uint32_t> atom_ids_;
    std::vector<Function> functions_;
    std::vector<std::uint32_t> let_functions_;  // of each let: index of its first definition in functions_
    std::vector<ValueId> globals_;              // values of definitions without parameters
    absl::flat_hash_map<ValueId, ValueId> locals_;
    absl::flat_hash_map<ValueId, ValueId> heads_;
    absl::flat_hash_set<ValueId> checked_dots_;
    absl::flat_hash_set<std::uint64_t> busy_;  // being computed: asking again is a recursion without an event
    ValueId all_events_;
};

}  // namespace treaty::csp
