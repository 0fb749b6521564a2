// What the runtime computes, and what has no value: the same facts as in values.py and values.ts.
#include "treaty_runtime.hpp"

static void expect(bool fact, int line) {
    if (fact) return;
    std::fprintf(stderr, "values.cpp:%d is not so\n", line);
    std::abort();
}
#define EXPECT(fact) expect((fact), __LINE__)

template <class Function>
bool has_value(Function function) {
    return treaty::holds([&] {
        function();
        return true;
    });
}

int main() {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> xs{1, 2, 3};
    const std::map<std::string, std::int64_t> m{{"a", 1}, {"b", 2}};
    EXPECT(treaty::divide(-7, 2) == -4 && treaty::modulo(-7, 2) == 1 && treaty::modulo(7, -2) == -1);
    EXPECT(treaty::add(0.5, 1.0) == 1.5 && treaty::modulo(-7.5, 2.0) == 0.5);
    EXPECT(!has_value([&] { return treaty::add(most, 1); }) &&
           !has_value([] { return treaty::divide(1, 0); }));
    EXPECT(!has_value([] { return treaty::multiply(1e300, 1e300); }));
    EXPECT(treaty::min(1, 2) == 1 && treaty::max(0.5, 0.25) == 0.5 && treaty::abs(-3) == 3);
    EXPECT(treaty::size(std::string("\303\251")) == 2);
    EXPECT(treaty::slice(std::string("hello"), 1, 3) == "el" &&
           !has_value([] { return treaty::slice(std::string("a"), 0, 2); }));
    EXPECT(treaty::take(xs, 2) == (std::vector<std::int64_t>{1, 2}) && treaty::drop(xs, 5).empty());
    EXPECT(treaty::at(xs, 1) == 2 && !has_value([&] { return treaty::at(xs, 3); }));
    EXPECT(treaty::with_item(xs, 0, 9) == (std::vector<std::int64_t>{9, 2, 3}));
    EXPECT(treaty::reverse(treaty::Bytes{"ab"}) == treaty::Bytes{"ba"});
    EXPECT(treaty::index_of(xs, 2) == 1 && !treaty::index_of(xs, 9) &&
           treaty::index_of(std::string("abc"), std::string("c")) == 2);
    EXPECT(treaty::sum(xs) == 6 && treaty::least(xs) == 1 && treaty::greatest(xs) == 3);
    EXPECT(treaty::member(3, xs) && treaty::permutes(xs, std::vector<std::int64_t>{3, 2, 1}));
    EXPECT(treaty::starts_with(std::string("abc"), std::string("ab")) &&
           !treaty::ends_with(std::string("abc"), std::string("ab")));
    EXPECT(treaty::upper("a\303\251") == "A\303\251" && treaty::hex(treaty::Bytes{"\377"}) == "ff");
    EXPECT(treaty::all(xs, [](const std::int64_t& x) -> bool { return x > 0; }));
    EXPECT(treaty::select(xs, [](const std::int64_t& x) -> bool { return x > 1; }).size() == 2);
    EXPECT(
        treaty::fold<std::int64_t>(xs, 0, [](const std::int64_t& x, const std::int64_t& a) -> std::int64_t {
            return treaty::add(x, a);
        }) == 6);
    EXPECT(treaty::at(m, "a") == 1 && treaty::keys(m).size() == 2 && treaty::without(m, "a").size() == 1);
    EXPECT(treaty::values(treaty::with_item(m, "a", 5)) == (std::vector<std::int64_t>{5, 2}));
    // Any two characters, or bytes.
    static constexpr std::uint16_t next[] = {1, 2, treaty::Pattern::dead};
    static constexpr bool accepting[] = {false, false, true};
    const treaty::Pattern two{{}, 1, next, accepting};
    EXPECT(treaty::matches(std::string("\303\251\342\202\254"), two) &&
           !treaty::matches(std::string("\303\251"), two));
    EXPECT(!treaty::matches(std::string("a\377"), two) && treaty::matches(treaty::Bytes{"\377\377"}, two));
}
