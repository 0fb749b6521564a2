// One JSON value of a layout, ready to be read and written. Internal to wire/.
//
// Written, a document has no blanks, and its members have the order of the layout; an optional field without
// a value is null, or left out where its member may be absent. Read, members may have any order; an optional
// member may be absent or null. A number is an integer only if it is written as one: 1.0 is not. Faults name
// the place: `lines[2].sku: expected a string, found ...`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/wire.h"
#include "wire/json_text.h"

namespace treaty::wire {

// How well a value fits a layout that it does not match.
struct Fit {
    bool constants = true;    // none is another one, or missing
    std::size_t members = 0;  // of objects, at any depth, that are there and read as the layout has them
};

class JsonLayout {
public:
    // item, fields: of the layout; they must outlive it.
    JsonLayout(const expr::Pool& pool, const model::Item& item, std::span<const expr::VarId> fields)
        : pool_(&pool), item_(&item), fields_(fields) {}

    // The message's values, one per field. False if JSON cannot express one; its position is in `field`.
    bool write(std::span<const expr::Value> values, std::string& out, std::uint32_t& field) const;
    // Sets the fields that the value carries; those that are records must be records already (blank_value).
    bool read(std::string_view text, const Limits& limits, std::span<expr::Value> values,
              JsonFault& fault) const;
    // Each member is read by itself, as if the others were not there. Overwrites values.
    Fit fit(std::string_view text, const Limits& limits, std::span<expr::Value> values) const;

private:
    // Values under their variables: those of the fields, or the element of a list.
    template <class V>
    struct Scope {
        std::span<const expr::VarId> variables;
        std::span<V> values;
    };
    using Given = Scope<const expr::Value>;
    using Wanted = Scope<expr::Value>;

    bool write(const model::Item& item, const Given& given, std::string& out, std::uint32_t& field) const;
    bool write_each(const model::forms::JsonEach& each, const Given& given, std::string& out,
                    std::uint32_t& field) const;
    bool read(const model::Item& item, JsonText& text, const JsonMember& at, const Wanted& wanted) const;
    bool read_constant(const model::forms::JsonConstant& constant, JsonText& text,
                       const JsonMember& at) const;
    bool read_value(const model::forms::JsonValue& value, JsonText& text, const JsonMember& at,
                    const Wanted& wanted) const;
    bool read_object(const model::forms::JsonObject& object, JsonText& text, const JsonMember& at,
                     const Wanted& wanted) const;
    bool read_array(const model::forms::JsonArray& array, JsonText& text, const JsonMember& at,
                    const Wanted& wanted) const;
    bool read_each(const model::forms::JsonEach& each, JsonText& text, const JsonMember& at,
                   const Wanted& wanted) const;
    void fit(const model::Item& item, JsonText& text, const JsonMember& at, const Wanted& wanted,
             Fit& result) const;
    expr::TypeId type_of(const model::forms::Path& path) const;
    template <class V>
    V* find(const model::forms::Path& path, const Scope<V>& scope, std::size_t& root) const;

    const expr::Pool* pool_;
    const model::Item* item_;
    std::span<const expr::VarId> fields_;
};

// A value of the type to be filled in: records have all their fields.
expr::Value blank_value(const expr::Types& types, expr::TypeId type);

}  // namespace treaty::wire
