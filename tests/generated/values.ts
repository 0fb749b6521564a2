// What the runtime computes, and what has no value: the same facts as in values.cpp and values.py, but for sets and maps.
import * as rt from "./treaty_runtime.js";

function expect(fact: boolean, what: string): void {
  if (!fact) throw new Error(`${what}: not so`);
}
function hasValue(operation: () => unknown): boolean {
  return rt.holds(() => {
    operation();
    return true;
  });
}

const most = 2n ** 63n - 1n;
const xs: readonly bigint[] = [1n, 2n, 3n];
expect(rt.divide(-7n, 2n) === -4n && rt.modulo(-7n, 2n) === 1n && rt.modulo(7n, -2n) === -1n, "integers");
expect(rt.add(0.5, 1.0) === 1.5 && rt.modulo(-7.5, 2.0) === 0.5, "reals");
expect(!hasValue(() => rt.add(most, 1n)) && !hasValue(() => rt.divide(1n, 0n)), "no integer");
expect(!hasValue(() => rt.multiply(1e300, 1e300)), "no real");
expect(rt.min(1n, 2n) === 1n && rt.max(0.5, 0.25) === 0.5 && rt.abs(-3n) === 3n, "min, max, abs");
expect(rt.size("\u00e9") === 2n, "size");
expect(rt.slice("hello", 1n, 3n) === "el" && !hasValue(() => rt.slice("a", 0n, 2n)), "slice");
expect(rt.equal(rt.take(xs, 2n), [1n, 2n]) && rt.drop(xs, 5n).length === 0, "take, drop");
expect(rt.at(xs, 1n) === 2n && !hasValue(() => rt.at(xs, 3n)), "at");
expect(rt.equal(rt.with_item(xs, 0n, 9n), [9n, 2n, 3n]), "with");
expect(rt.equal(rt.reverse(new Uint8Array([1, 2])), new Uint8Array([2, 1])), "reverse");
expect(rt.index_of(xs, 2n) === 1n && rt.index_of(xs, 9n) === null && rt.index_of("abc", "c") === 2n, "index_of");
expect(rt.sum(xs) === 6n && rt.least(xs) === 1n && rt.greatest(xs) === 3n, "sum, least, greatest");
expect(rt.member(3n, xs) && rt.permutes(xs, [3n, 2n, 1n]), "in, permutes");
expect(rt.starts_with("abc", "ab") && !rt.ends_with("abc", "ab"), "starts_with, ends_with");
expect(rt.upper("a\u00e9") === "A\u00e9" && rt.hex(new Uint8Array([255])) === "ff", "upper, hex");
expect(rt.all(xs, (x) => x > 0n), "all");
expect(rt.select(xs, (x) => x > 1n).length === 2, "select");
expect(rt.fold(xs, 0n, (x, a) => rt.add(x, a)) === 6n, "fold");

// Any two characters, or bytes.
const two: rt.Pattern = { classes: Array<number>(256).fill(0), next: [[1], [2], [-1]], accepting: [false, false, true] };
expect(rt.matches("\u00e9\u20ac", two) && !rt.matches("\u00e9", two), "characters");
expect(rt.matches(new TextEncoder().encode("\u00e9"), two) && rt.matches(new Uint8Array([255, 255]), two), "bytes");
