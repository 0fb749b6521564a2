#include "wire/inner_ranges.h"

#include <fmt/format.h>

namespace treaty::wire {
namespace {

using expr::TypeKind;

class Finder {
public:
    explicit Finder(const expr::Pool& pool) : pool_(pool), types_(pool.types()) {}

    std::vector<InnerRange> run(std::span<const expr::Field> fields) {
        for (std::size_t f = 0; f < fields.size(); ++f) {
            field_ = f;
            inside(fields[f].type, std::string(pool_.names().text(fields[f].name)), 0);
        }
        return std::move(found_);
    }

private:
    // lists: how many of them enclose the place, which name its indices.
    void inside(expr::TypeId type, const std::string& place, std::size_t lists) {
        const expr::Type& t = types_[type];
        if (t.kind == TypeKind::record) {
            for (std::size_t k = 0; k < t.fields.size(); ++k)
                follow(k, t.fields[k].type, fmt::format("{}.{}", place, pool_.names().text(t.fields[k].name)),
                       lists);
        } else if (t.kind == TypeKind::list) {
            std::string index = lists < 3 ? std::string(1, "ijk"[lists]) : fmt::format("i{}", lists);
            follow(std::nullopt, t.element, fmt::format("{}[{}]", place, index), lists + 1);
        } else if (t.kind == TypeKind::optional) {
            follow(std::nullopt, t.element, fmt::format("value({})", place), lists);
        }
    }

    void follow(std::optional<std::size_t> step, expr::TypeId type, const std::string& place,
                std::size_t lists) {
        path_.push_back(step);
        const expr::Type& t = types_[type];
        if (t.low && *t.low != INT64_MIN)
            found_.push_back({field_, path_, *t.low - 1, fmt::format("{} >= {}", place, *t.low)});
        if (t.high && *t.high != INT64_MAX)
            found_.push_back({field_, path_, *t.high + 1, fmt::format("{} <= {}", place, *t.high)});
        inside(type, place, lists);
        path_.pop_back();
    }

    const expr::Pool& pool_;
    const expr::Types& types_;
    std::size_t field_ = 0;
    std::vector<std::optional<std::size_t>> path_;
    std::vector<InnerRange> found_;
};

using Path = std::span<const std::optional<std::size_t>>;

void places(expr::Value& value, Path path, std::vector<expr::Value*>& out) {
    if (path.empty()) return out.push_back(&value);
    auto& items = std::get<expr::Sequence>(value.v).items;
    if (path[0]) return places(items[*path[0]], path.subspan(1), out);
    for (expr::Value& item : items) places(item, path.subspan(1), out);
}

}  // namespace

std::vector<InnerRange> inner_ranges(const expr::Pool& pool, std::span<const expr::Field> fields) {
    return Finder(pool).run(fields);
}

bool overstep(const InnerRange& range, expr::Value& of_field, solve::Choices& choices) {
    std::vector<expr::Value*> found;
    places(of_field, range.path, found);
    if (found.empty()) return false;
    *found[choices.draw(found.size())] = range.beyond;
    return true;
}

}  // namespace treaty::wire
