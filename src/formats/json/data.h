// Types, variables, functions and expressions of a model as JSON: the part that all models with data share.
//
// They are beside the model's own keys:
//     "types":       enumerations and records, in order of declaration
//     "variables":   name and type each; the rest refers to them by position
//     "functions":   name, parameters (variables), result and body each
//     "expressions": those too large to repeat; a number in the place of an expression means one of these
// An expression of up to max_inline parts is written where it is used; so the text is linear in the model
// although the pool shares equal expressions. An entry of "expressions" refers only to entries before it.
//
// Reading checks every reference and the types of every operation, and that functions and records do not
// contain themselves, so that what is built is what lang/ could have built. Cost: linear.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"
#include "formats/json/reader.h"
#include "formats/json/writer.h"
#include "model/net.h"
#include "model/protocol.h"

namespace treaty::formats {

class JsonDataWriter {
public:
    static constexpr std::size_t max_inline = 12;

    JsonDataWriter(JsonWriter& out, const expr::Pool& pool) : out_(out), pool_(pool) {}

    // `named`: enumerations and records to list first; the others are listed after them.
    void write_head(std::span<const expr::TypeId> named = {});
    void write_expressions();  // after everything that uses expressions

    void type(expr::TypeId id);
    void expression(expr::ExprId id);
    void condition(std::string_view key, expr::ExprId id);                             // nothing for none
    void arguments(std::string_view key, std::span<const model::Argument> arguments);  // nothing for none
    void assignments(std::string_view key, std::span<const model::Assignment> assignments);
    void variables(std::string_view key, std::span<const expr::VarId> variables);

private:
    void named_type(expr::TypeId id);
    void value(const expr::Value& value, expr::TypeId type);
    void node(expr::ExprId id);
    std::size_t size_of(expr::ExprId id);
    std::uint32_t shared(expr::ExprId id);

    JsonWriter& out_;
    const expr::Pool& pool_;
    std::vector<std::uint32_t> sizes_;  // by expression; 0: not known yet
    absl::flat_hash_map<expr::ExprId, std::uint32_t> shared_ids_;
    std::vector<expr::ExprId> shared_;
};

// Whether an object has such a part of its own.
bool has_data_part(Json object);

class JsonDataReader {
public:
    static constexpr std::size_t max_nesting = 200;  // of expressions written inside one another

    JsonDataReader(JsonReader& in, std::shared_ptr<expr::Types> types, std::shared_ptr<base::Names> names,
                   std::shared_ptr<expr::Pool> pool)
        : in_(in), types_(std::move(types)), names_(std::move(names)), pool_(std::move(pool)) {}

    void read(Json object);
    const std::vector<expr::TypeId>& named_types() const { return named_; }
    const std::shared_ptr<expr::Pool>& pool() const { return pool_; }

    // Each reports what is wrong and then gives something harmless or none.
    expr::TypeId type(Json value);
    expr::ExprId expression(Json value);
    expr::ExprId expression(Json value, expr::TypeId wanted);   // whose type fits
    expr::ExprId condition(Json object, std::string_view key);  // a boolean one; none if absent
    expr::VarId variable(Json value);
    expr::VarId variable(Json value, expr::TypeId wanted);
    std::vector<expr::VarId> variables(Json array);
    // `fields`: what the message carries, if that is known.
    std::vector<model::Argument> arguments(Json array, std::span<const expr::Field> fields,
                                           bool fields_known);
    std::vector<model::Assignment> assignments(Json array);
    base::NameId name(Json value) { return names_->intern(in_.text(value)); }

private:
    // A type as it is written: lists and optionals around a core, outermost first.
    struct Wrap {
        expr::TypeKind kind;
        expr::TypeId key;  // of a map
    };
    struct WrittenType {
        std::vector<Wrap> wraps;
        expr::TypeId core;
        std::uint32_t named = JsonReader::none_index;  // the core's position among the named types
    };
    struct WrittenRecord {
        std::vector<base::NameId> names;
        std::vector<WrittenType> types;
    };
    void read_types(Json array);
    void declare_type(Json value);
    WrittenRecord written_record(Json value);
    bool order_records(Json array, const std::vector<WrittenRecord>& records,
                       std::vector<std::uint32_t>& order);
    void read_functions(Json array);
    void define_functions(Json array);
    bool functions_terminate() const;
    WrittenType written_type(Json value);
    expr::TypeId key_type(Json map);
    expr::TypeId build(const WrittenType& written);
    expr::Value value(Json value, expr::TypeId type);
    expr::ExprId node(Json value);
    expr::ExprId operation(Json value);
    bool fits_function(expr::Op op, expr::TypeId type, const expr::Function& function,
                       const std::vector<expr::TypeId>& operands) const;

    JsonReader& in_;
    std::shared_ptr<expr::Types> types_;
    std::shared_ptr<base::Names> names_;
    std::shared_ptr<expr::Pool> pool_;
    std::vector<expr::TypeId> named_;
    absl::flat_hash_map<std::string, std::uint32_t> named_ids_;
    std::vector<std::size_t> named_depth_;
    absl::flat_hash_map<std::pair<expr::TypeId, base::NameId>, std::uint32_t> members_;  // of enumerations
    std::vector<expr::ExprId> shared_;
    std::size_t depth_ = 0;
};

}  // namespace treaty::formats
