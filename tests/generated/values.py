"""What the runtime computes, and what has no value: the same facts as in values.cpp and values.ts."""
from collections.abc import Callable

import treaty_runtime as rt


def has_value(function: Callable[[], object]) -> bool:
    def evaluated() -> bool:
        function()
        return True

    return rt.holds(evaluated)


most = 2**63 - 1
xs: tuple[int, ...] = (1, 2, 3)
m = {"b": 2, "a": 1}
assert rt.divide(-7, 2) == -4 and rt.modulo(-7, 2) == 1 and rt.modulo(7, -2) == -1
assert rt.add(0.5, 1.0) == 1.5 and rt.modulo(-7.5, 2.0) == 0.5
assert not has_value(lambda: rt.add(most, 1)) and not has_value(lambda: rt.divide(1, 0))
assert not has_value(lambda: rt.multiply(1e300, 1e300))
assert rt.min(1, 2) == 1 and rt.max(0.5, 0.25) == 0.5 and rt.abs(-3) == 3
assert rt.size("\u00e9") == 2
assert rt.slice("hello", 1, 3) == "el" and not has_value(lambda: rt.slice("a", 0, 2))
assert rt.take(xs, 2) == (1, 2) and rt.drop(xs, 5) == ()
assert rt.at(xs, 1) == 2 and not has_value(lambda: rt.at(xs, 3))
assert rt.with_item(xs, 0, 9) == (9, 2, 3)
assert rt.reverse(b"ab") == b"ba"
assert rt.index_of(xs, 2) == 1 and rt.index_of(xs, 9) is None and rt.index_of("abc", "c") == 2
assert rt.sum(xs) == 6 and rt.least(xs) == 1 and rt.greatest(xs) == 3
assert rt.member(3, xs) and rt.permutes(xs, (3, 2, 1))
assert rt.starts_with("abc", "ab") and not rt.ends_with("abc", "ab")
assert rt.upper("a\u00e9") == "A\u00e9" and rt.hex(b"\xff") == "ff"
assert rt.all(xs, lambda x: x > 0)
assert len(rt.select(xs, lambda x: x > 1)) == 2
assert rt.fold(xs, 0, lambda x, a: rt.add(x, a)) == 6
assert rt.at(m, "a") == 1 and len(rt.keys(m)) == 2 and len(rt.without(m, "a")) == 1
assert rt.values(rt.with_item(m, "a", 5)) == (5, 2)
two = rt.Pattern(bytes(256), ((1,), (2,), (-1,)), (False, False, True))  # any two characters, or bytes
assert rt.matches("\u00e9\u20ac", two) and not rt.matches("\u00e9", two) and not rt.matches("a\udcff", two)
assert rt.matches("\u00e9".encode(), two) and rt.matches(b"\xff\xff", two)
