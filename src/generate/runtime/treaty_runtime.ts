// What code that `treaty generate` writes for TypeScript needs at run time: ECMAScript 2022 and nothing else.
//
// A state of a role is an object. Each of its operations uses it up and returns a promise of the next one. What the
// compiler cannot see is checked when it happens, and the error names the line of the protocol.

// ---- Errors -----------------------------------------------------------------------------------------------------

// The protocol was not followed; the text begins with the line of the protocol.
export class ProtocolError extends Error {
  override name = "ProtocolError";
}
// A message has data that the protocol does not allow here.
export class DataError extends ProtocolError {
  override name = "DataError";
}
// Another message came than the protocol allows.
export class UnexpectedMessage extends ProtocolError {
  override name = "UnexpectedMessage";
}
// The peer has gone before the end of the protocol.
export class ConnectionClosed extends ProtocolError {
  override name = "ConnectionClosed";
}
// An operation of a state that an earlier operation has used up.
export class StateUsedTwice extends ProtocolError {
  override name = "StateUsedTwice";
}
// An expression has no value: a division by zero, an item outside its list, a number beyond 64 bits.
export class NoValue extends Error {
  override name = "NoValue";
}

// A condition without a value does not hold.
export function holds(condition: () => boolean): boolean {
  try {
    return condition();
  } catch (error) {
    if (error instanceof NoValue) return false;
    throw error;
  }
}

// ---- Links ------------------------------------------------------------------------------------------------------

export interface Message {
  readonly kind: string;
}

// A message that a state waits for.
export interface Awaited {
  readonly peer: string;
  readonly kind: string;
}

export interface Arrival {
  readonly sender: string;
  readonly message: Message;
}

// How a role reaches the others: implement this for a transport of your own. There is a queue for each peer.
export interface Link {
  send(to: string, message: Message): Promise<void>;
  // Takes the first message of the queue of a peer, as soon as it is awaited. If a message that is not awaited is
  // first, and no other peer can still send one that is, takes that. Undefined if all the peers are gone.
  receive(awaited: readonly Awaited[]): Promise<Arrival | undefined>;
  // The role sends nothing more. Calling it again does nothing.
  close(): void;
}

// All roles in one program.
export class MemoryNetwork {
  private readonly queues = new Map<string, Message[]>();
  private readonly closed = new Set<string>();
  private waiting: (() => void)[] = [];

  link(role: string): Link {
    return {
      send: async (to, message) => {
        this.queue(role, to).push(message);
        this.wake();
      },
      receive: async (awaited) => {
        for (;;) {
          const taken = this.take(role, awaited);
          if (taken !== "nothing yet") return taken;
          await new Promise<void>((resolve) => this.waiting.push(resolve));
        }
      },
      close: () => {
        this.closed.add(role);
        this.wake();
      },
    };
  }

  private queue(from: string, to: string): Message[] {
    const key = JSON.stringify([from, to]);
    let found = this.queues.get(key);
    if (!found) this.queues.set(key, (found = []));
    return found;
  }

  private take(role: string, awaited: readonly Awaited[]): Arrival | undefined | "nothing yet" {
    let undecided = false;
    let wrong: string | undefined;
    for (const peer of new Set(awaited.map((a) => a.peer))) {
      const queue = this.queue(peer, role);
      const first = queue[0];
      if (!first) {
        undecided ||= !this.closed.has(peer);
      } else if (awaited.some((a) => a.peer === peer && a.kind === first.kind)) {
        queue.shift();
        return { sender: peer, message: first };
      } else {
        wrong = peer;
      }
    }
    if (undecided) return "nothing yet";
    if (wrong === undefined) return undefined;
    const message = this.queue(wrong, role).shift();
    return message && { sender: wrong, message };
  }

  private wake(): void {
    const woken = this.waiting;
    this.waiting = [];
    for (const resolve of woken) resolve();
  }
}

// ---- States -----------------------------------------------------------------------------------------------------

// A link and what the role remembers.
export class Session<Data> {
  constructor(
    readonly link: Link,
    readonly data: Data,
  ) {}

  // Closes the link if the work fails.
  async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.link.close();
      throw error;
    }
  }
}

// The base of all states of a role.
export abstract class State<Data> {
  // The name of the state, which keeps the types of states apart.
  abstract readonly state: string;
  // What the role does here, with the line of the protocol.
  abstract readonly step: string;

  constructor(private session: Session<Data> | undefined) {}

  // Whether it may be used; false once an operation has used it up.
  get alive(): boolean {
    return this.session !== undefined;
  }

  protected current(): Session<Data> {
    if (!this.session) throw new StateUsedTwice(`this state was used before: ${this.step}`);
    return this.session;
  }

  protected take(): Session<Data> {
    const session = this.current();
    this.session = undefined;
    return session;
  }
}

// The base of states in which nothing is left to do.
export abstract class Finished<Data> extends State<Data> {
  constructor(session: Session<Data>) {
    super(session);
    session.link.close();
  }
}

// A message, who sent it, and the state after it.
export interface Received<Kind extends string, M, Next> {
  readonly kind: Kind;
  readonly message: M;
  readonly next: Next;
  readonly sender: string;
}

// The peers have finished, as the protocol allows.
export interface Ended {
  readonly kind: "$ended";
}

export function check(fault: string | undefined): void {
  if (fault !== undefined) throw new DataError(fault);
}

// Runs assignments whose values may be beyond 64 bits.
export function remember(fault: string, assign: () => void): void {
  const done = holds(() => {
    assign();
    return true;
  });
  if (!done) throw new DataError(fault);
}

export function unexpected(step: string, arrival: Arrival | undefined): ProtocolError {
  if (!arrival) return new ConnectionClosed(`${step}, but the connection is closed`);
  return new UnexpectedMessage(`${step}, but ${arrival.message.kind} came from ${arrival.sender}`);
}

// For the default of a switch: does not compile if a case is missing.
export function assertNever(value: never): never {
  throw new Error(`a case is missing: ${JSON.stringify(value)}`);
}

// ---- Monitors ---------------------------------------------------------------------------------------------------

// By state, direction, peer and message, as in "SendOffer !buyer offer" for what is sent and "?" for what is received:
// the state after it, or a function that checks the data and returns that.
export type Rules<Data> = ReadonlyMap<string, string | ((data: Data, m: never) => string)>;

// The base of monitors: judges what a role sends and receives, one event after the other. An event that is not allowed
// changes nothing, so the program may go on without it.
export abstract class Monitor<Data> {
  constructor(
    protected state: string,
    protected readonly data: Data,
    private readonly steps: ReadonlyMap<string, string>,
    private readonly rules: Rules<Data>,
    private readonly awaitedBy: ReadonlyMap<string, readonly Awaited[]>,
  ) {}

  // The messages that the role may receive here.
  get awaited(): readonly Awaited[] {
    return this.awaitedBy.get(this.state) ?? [];
  }

  // What the role does next, with the line of the protocol.
  get step(): string {
    return this.steps.get(this.state) ?? this.state;
  }

  // Whether the role may stop here.
  abstract mayEnd(): boolean;

  // Undefined if the role may send this, otherwise why not.
  sent(to: string, message: Message): string | undefined {
    return this.judge(true, to, message);
  }

  // Undefined if the role may receive this, otherwise why not.
  received(sender: string, message: Message): string | undefined {
    return this.judge(false, sender, message);
  }

  // The same, as an error.
  take(sends: boolean, peer: string, message: Message): void {
    const rule = this.rules.get(`${this.state} ${sends ? "!" : "?"}${peer} ${message.kind}`);
    if (rule === undefined)
      throw new UnexpectedMessage(
        `${this.step}, but ${sends ? "sent" : "received"} ${message.kind} ${sends ? "to" : "from"} ${peer}`,
      );
    this.state = typeof rule === "string" ? rule : rule(this.data, message as never);
  }

  private judge(sends: boolean, peer: string, message: Message): string | undefined {
    try {
      this.take(sends, peer, message);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return error.message;
    }
    return undefined;
  }
}

// ---- Handlers ---------------------------------------------------------------------------------------------------

// The base of roles that have a handler for each message. The monitor enforces the order: what is not allowed is thrown.
export abstract class Handlers {
  constructor(
    private readonly link: Link,
    readonly monitor: Pick<Monitor<unknown>, "step" | "awaited" | "mayEnd" | "take">,
  ) {}

  async send(to: string, message: Message): Promise<void> {
    this.monitor.take(true, to, message);
    await this.link.send(to, message);
  }

  // For an event loop: a message has arrived. Its handler is called.
  async arrived(sender: string, message: Message): Promise<void> {
    this.monitor.take(false, sender, message);
    await this.handle(sender, message);
  }

  // Receives and handles messages until nothing can be received: the role has to send something, or has finished.
  async run(): Promise<void> {
    while (this.monitor.awaited.length > 0) {
      const arrival = await this.link.receive(this.monitor.awaited);
      if (arrival) await this.arrived(arrival.sender, arrival.message);
      else if (this.monitor.mayEnd()) return;
      else throw unexpected(this.monitor.step, undefined);
    }
  }

  close(): void {
    this.link.close();
  }

  protected abstract handle(sender: string, message: Message): Promise<void>;
}

// ---- Numbers ----------------------------------------------------------------------------------------------------

function inRange<N extends bigint | number>(n: N): N {
  if (typeof n === "number" ? !Number.isFinite(n) : BigInt.asIntN(64, n) !== n) throw new NoValue();
  return Object.is(n, -0) ? (0 as N) : n;
}
// The same function for int and for real.
function arithmetic(
  integers: (a: bigint, b: bigint) => bigint,
  reals: (a: number, b: number) => number,
): { (a: bigint, b: bigint): bigint; (a: number, b: number): number } {
  function compute(a: bigint, b: bigint): bigint;
  function compute(a: number, b: number): number;
  function compute(a: bigint | number, b: bigint | number): bigint | number {
    if (typeof a === "bigint" && typeof b === "bigint") return inRange(integers(a, b));
    return inRange(reals(Number(a), Number(b)));
  }
  return compute;
}
function nonZero<N extends bigint | number>(n: N): N {
  if (n == 0) throw new NoValue();
  return n;
}
function floorModulo(a: bigint, b: bigint): bigint {
  const r = a % nonZero(b);
  return r !== 0n && r < 0n !== b < 0n ? r + b : r;
}

export const add = arithmetic((a, b) => a + b, (a, b) => a + b);
export const subtract = arithmetic((a, b) => a - b, (a, b) => a - b);
export const multiply = arithmetic((a, b) => a * b, (a, b) => a * b);
// Rounded down for integers, as modulo is.
export const divide = arithmetic((a, b) => (a - floorModulo(a, b)) / b, (a, b) => a / nonZero(b));
export const modulo = arithmetic(floorModulo, (a, b) => {
  const r = a % nonZero(b);
  return r !== 0 && r < 0 !== b < 0 ? r + b : r;
});
export const min = arithmetic((a, b) => (a < b ? a : b), (a, b) => (a < b ? a : b));
export const max = arithmetic((a, b) => (a < b ? b : a), (a, b) => (a < b ? b : a));

export function negate(a: bigint): bigint;
export function negate(a: number): number;
export function negate(a: bigint | number): bigint | number {
  return inRange(-a);
}
export function abs(a: bigint): bigint;
export function abs(a: number): number;
export function abs(a: bigint | number): bigint | number {
  return inRange(a < 0 ? -a : a);
}

// ---- Order and equality -----------------------------------------------------------------------------------------

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; ++i) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

// Below, at or above zero, as a comes before, is, or comes after b: texts byte by byte, records field by field.
export function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareBytes(encoder.encode(a), encoder.encode(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "object" && typeof b === "object") {
    const left = Object.values(a);
    const right = Object.values(b);
    for (let i = 0; i < Math.min(left.length, right.length); ++i) {
      const difference = compare(left[i], right[i]);
      if (difference !== 0) return difference;
    }
    return left.length - right.length;
  }
  const [x, y] = [a as number, b as number];
  return x < y ? -1 : x > y ? 1 : 0;
}

export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b) === 0;
}

// ---- Texts, bytes and lists -------------------------------------------------------------------------------------
// The size of a text, and places in it, count bytes of UTF-8. An index is checked; one outside has no value.

type Text = string | Uint8Array;
type List<T> = readonly T[];

function raw(text: Text): Uint8Array {
  return typeof text === "string" ? encoder.encode(text) : text;
}
function isText(value: unknown): value is Text {
  return typeof value === "string" || value instanceof Uint8Array;
}
function part(collection: Text | List<unknown>, a: number, b: number): Text | List<unknown> {
  if (typeof collection === "string") return decoder.decode(raw(collection).slice(a, b));
  return collection.slice(a, b);
}
function length(collection: Text | List<unknown>): number {
  return isText(collection) ? raw(collection).length : collection.length;
}
function find(text: Uint8Array, wanted: Uint8Array): number {
  for (let i = 0; i + wanted.length <= text.length; ++i)
    if (compareBytes(text.subarray(i, i + wanted.length), wanted) === 0) return i;
  return -1;
}

export function size(collection: Text | List<unknown>): bigint {
  return BigInt(length(collection));
}
export function at<T>(xs: List<T>, i: bigint): T {
  if (i < 0n || i >= BigInt(xs.length)) throw new NoValue();
  return xs[Number(i)] as T;
}
export function concat(a: string, b: string): string;
export function concat(a: Uint8Array, b: Uint8Array): Uint8Array;
export function concat<T>(a: List<T>, b: List<T>): List<T>;
export function concat(a: Text | List<unknown>, b: Text | List<unknown>): Text | List<unknown> {
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const both = new Uint8Array(a.length + b.length);
    both.set(a);
    both.set(b, a.length);
    return both;
  }
  return [...(a as List<unknown>), ...(b as List<unknown>)];
}
export function member<T>(x: T, xs: List<T>): boolean {
  return xs.some((y) => equal(x, y));
}
export function permutes<T>(a: List<T>, b: List<T>): boolean {
  return equal(sorted(a), sorted(b));
}
export function contains<T extends Text>(a: T, b: T): boolean {
  return find(raw(a), raw(b)) >= 0;
}
export function starts_with<T extends Text>(a: T, b: T): boolean {
  return compareBytes(raw(a).subarray(0, raw(b).length), raw(b)) === 0;
}
export function ends_with<T extends Text>(a: T, b: T): boolean {
  const [whole, end] = [raw(a), raw(b)];
  return whole.length >= end.length && compareBytes(whole.subarray(whole.length - end.length), end) === 0;
}
export function lower(s: string): string {
  return s.replace(/[A-Z]/g, (c) => c.toLowerCase());
}
export function upper(s: string): string {
  return s.replace(/[a-z]/g, (c) => c.toUpperCase());
}
export function sum(xs: List<bigint>): bigint;
export function sum(xs: List<number>): number;
export function sum(xs: List<bigint> | List<number>): bigint | number {
  const [first] = xs;
  if (typeof first === "number") return (xs as List<number>).reduce((a, b) => add(a, b), 0);
  return (xs as List<bigint>).reduce((a, b) => add(a, b), 0n);
}
export function sorted<T>(xs: List<T>): List<T> {
  return [...xs].sort(compare);
}
export function value<T>(optional: T | null): T {
  if (optional === null) throw new NoValue();
  return optional;
}
export function least<T>(xs: List<T>): T {
  return at(sorted(xs), 0n);
}
export function greatest<T>(xs: List<T>): T {
  return at(sorted(xs), BigInt(xs.length) - 1n);
}
export function slice(collection: string, a: bigint, b: bigint): string;
export function slice(collection: Uint8Array, a: bigint, b: bigint): Uint8Array;
export function slice<T>(collection: List<T>, a: bigint, b: bigint): List<T>;
export function slice(collection: Text | List<unknown>, a: bigint, b: bigint): Text | List<unknown> {
  if (a < 0n || a > b || b > size(collection)) throw new NoValue();
  return part(collection, Number(a), Number(b));
}
function clamp(n: bigint, end: number): number {
  return n < 0n ? 0 : n > BigInt(end) ? end : Number(n);
}
export function take(collection: string, n: bigint): string;
export function take(collection: Uint8Array, n: bigint): Uint8Array;
export function take<T>(collection: List<T>, n: bigint): List<T>;
export function take(collection: Text | List<unknown>, n: bigint): Text | List<unknown> {
  return part(collection, 0, clamp(n, length(collection)));
}
export function drop(collection: string, n: bigint): string;
export function drop(collection: Uint8Array, n: bigint): Uint8Array;
export function drop<T>(collection: List<T>, n: bigint): List<T>;
export function drop(collection: Text | List<unknown>, n: bigint): Text | List<unknown> {
  return part(collection, clamp(n, length(collection)), length(collection));
}
export function with_item<T>(xs: List<T>, i: bigint, x: T): List<T> {
  at(xs, i);
  return xs.map((y, j) => (BigInt(j) === i ? x : y));
}
export function reverse(collection: string): string;
export function reverse(collection: Uint8Array): Uint8Array;
export function reverse<T>(collection: List<T>): List<T>;
export function reverse(collection: Text | List<unknown>): Text | List<unknown> {
  if (typeof collection === "string") return decoder.decode(raw(collection).reverse());
  return collection instanceof Uint8Array ? collection.slice().reverse() : [...collection].reverse();
}
export function index_of(collection: string, x: string): bigint | null;
export function index_of(collection: Uint8Array, x: Uint8Array): bigint | null;
export function index_of<T>(collection: List<T>, x: T): bigint | null;
export function index_of(collection: Text | List<unknown>, x: unknown): bigint | null {
  const found =
    isText(collection) && isText(x)
      ? find(raw(collection), raw(x))
      : (collection as List<unknown>).findIndex((y) => equal(x, y));
  return found < 0 ? null : BigInt(found);
}
export function digits(n: bigint): string {
  return n.toString();
}
export function to_bytes(s: string): Uint8Array {
  return raw(s);
}
export function to_text(b: Uint8Array): string {
  return decoder.decode(b);
}
export function hex(s: Text): string {
  return [...raw(s)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function all<T>(xs: List<T>, f: (x: T) => boolean): boolean {
  return xs.every((x) => f(x));
}
export function any<T>(xs: List<T>, f: (x: T) => boolean): boolean {
  return xs.some((x) => f(x));
}
export function each<T, U>(xs: List<T>, f: (x: T) => U): List<U> {
  return xs.map((x) => f(x));
}
export function select<T>(xs: List<T>, f: (x: T) => boolean): List<T> {
  return xs.filter((x) => f(x));
}
export function fold<T, A>(xs: List<T>, a: A, f: (x: T, a: A) => A): A {
  return xs.reduce((before: A, x) => f(x, before), a);
}

// ---- Patterns ---------------------------------------------------------------------------------------------------

// `text matches /pattern/` as the table of an automaton: one step per byte, whatever the text.
export interface Pattern {
  readonly classes: readonly number[]; // by byte: those that the pattern does not tell apart have one class
  readonly next: readonly (readonly number[])[]; // by state and class; -1: no text goes on like this
  readonly accepting: readonly boolean[]; // by state
}

// A character beyond ASCII is one step, whatever it is: that of its first byte.
export function matches(text: Text, pattern: Pattern): boolean {
  let state = 0;
  for (const byte of raw(text)) {
    if (typeof text === "string" && (byte & 0xc0) === 0x80) continue;
    state = pattern.next[state]?.[pattern.classes[byte] ?? -1] ?? -1;
    if (state < 0) return false;
  }
  return pattern.accepting[state] ?? false;
}
