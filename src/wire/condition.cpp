#include "wire/condition.h"

namespace treaty::wire {
namespace {

CellMap cells_of(const MessageShape& shape) {
    CellMap cells;
    for (std::size_t i = 0; i < shape.parameters.size(); ++i)
        cells[shape.parameters[i]] = static_cast<std::uint32_t>(i);
    return cells;
}

}  // namespace

Condition::Condition(const expr::Pool& pool, const MessageShape& shape)
    : formula_(shape.where ? Formula(pool, shape.where, cells_of(shape)) : Formula()) {}

bool Condition::holds(std::span<const FieldView> fields, Scratch& scratch) const {
    if (!formula_) return true;
    if (scratch.cells.size() < fields.size()) scratch.cells.resize(fields.size());
    for (std::uint32_t f : formula_.uses()) {
        Cell& cell = scratch.cells[f];
        cell = {fields[f].number, fields[f].text, fields[f].value};
        if (cell.value)
            if (auto* list = std::get_if<expr::Sequence>(&cell.value->v))
                cell.number = static_cast<std::int64_t>(list->items.size());
    }
    auto truth = formula_.number(scratch);
    return truth && *truth != 0;
}

std::vector<Condition> conditions_of(const expr::Pool& pool, std::span<const MessageShape> shapes) {
    std::vector<Condition> all;
    for (const MessageShape& shape : shapes) all.emplace_back(pool, shape);
    return all;
}

}  // namespace treaty::wire
