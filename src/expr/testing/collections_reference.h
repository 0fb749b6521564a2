// For tests: operators on sets and maps of integers once more, on std::set and std::map.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "expr/pool.h"

namespace treaty::expr {

struct CollectionsReference {
    using Int = std::int64_t;
    using Set = std::set<Int>;
    using Map = std::map<Int, Int>;
    using Maybe = std::optional<Value>;

    static Set set(const Value& v) {
        Set result;
        for (const Value& item : v.items()) result.insert(item.integer());
        return result;
    }
    static Map map(const Value& v) {
        Map result;
        for (const Value& entry : v.items()) result[entry.items()[0].integer()] = entry.items()[1].integer();
        return result;
    }
    static Value value(const Set& all) {
        Sequence result;
        for (Int item : all) result.items.push_back(item);
        return result;
    }
    static Value value(const Map& all) {
        Sequence result;
        for (auto [k, v] : all) result.items.push_back(Sequence{{k, v}});
        return result;
    }

    // Whether the operator, with operands of these types, is one on sets or maps.
    static bool covers(const Pool& pool, ExprId e) {
        auto collection = [&](ExprId x) {
            TypeKind kind = pool.types().kind(pool[x].type);
            return kind == TypeKind::set || kind == TypeKind::map;
        };
        switch (pool[e].op) {
            case Op::set:
            case Op::map:
            case Op::without:
            case Op::difference:
            case Op::keys:
            case Op::values:
            case Op::to_set: return true;
            case Op::concat:
            case Op::at:
            case Op::size:
            case Op::with_item: return collection(pool.children(e)[0]);
            case Op::member: return collection(pool.children(e)[1]);
            default: return false;
        }
    }

    // None where there is no value.
    static Maybe apply(const Pool& pool, ExprId e, const std::vector<Value>& a) {
        auto children = pool.children(e);
        auto is_map = [&](std::size_t i) {
            return pool.types().kind(pool[children[i]].type) == TypeKind::map;
        };
        switch (pool[e].op) {
            case Op::set: {
                Set all;
                for (const Value& item : a) all.insert(item.integer());
                return value(all);
            }
            case Op::map: {
                Map all;
                for (std::size_t i = 0; i < a.size(); i += 2) all[a[i].integer()] = a[i + 1].integer();
                return value(all);
            }
            case Op::size: return Value(static_cast<Int>(is_map(0) ? map(a[0]).size() : set(a[0]).size()));
            case Op::member: return Value(set(a[1]).count(a[0].integer()) > 0);
            case Op::at: {
                Map all = map(a[0]);
                auto found = all.find(a[1].integer());
                return found == all.end() ? Maybe() : Maybe(found->second);
            }
            case Op::with_item: {
                Map all = map(a[0]);
                all[a[1].integer()] = a[2].integer();
                return value(all);
            }
            case Op::without:
                return is_map(0) ? less(map(a[0]), {a[1].integer()}) : less(set(a[0]), {a[1].integer()});
            case Op::difference: return is_map(0) ? less(map(a[0]), set(a[1])) : less(set(a[0]), set(a[1]));
            case Op::concat: {
                if (is_map(0)) {
                    Map all = map(a[1]);
                    all.merge(map(a[0]));  // keeps what is there
                    return value(all);
                }
                Set all = set(a[0]);
                all.merge(set(a[1]));
                return value(all);
            }
            case Op::keys: {
                Set all;
                for (auto [k, v] : map(a[0])) all.insert(k);
                return value(all);
            }
            case Op::values: {
                Sequence all;
                for (auto [k, v] : map(a[0])) all.items.push_back(v);
                return Value(all);
            }
            default: return value(set(a[0]));  // to_set, of a list
        }
    }

private:
    template <class C>
    static Maybe less(C all, const Set& gone) {
        for (Int key : gone) all.erase(key);
        return value(all);
    }
};

}  // namespace treaty::expr
