"""What code that `treaty generate` writes for Python needs at run time: Python 3.11 and its standard library.

A state of a role is an object. Each of its operations uses it up and returns the next one. What a type checker cannot
see is checked when it happens, and the error names the line of the protocol.
"""
from __future__ import annotations

import builtins
import math
import threading
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Generic, TypeVar, cast, overload

T = TypeVar("T")
A = TypeVar("A")
K = TypeVar("K")
V = TypeVar("V")
C = TypeVar("C")
D = TypeVar("D")
H = TypeVar("H", bound="Handlers")
Number = TypeVar("Number", int, float)
Text = TypeVar("Text", str, bytes)


# ---- Errors ---------------------------------------------------------------------------------------------------------


class Error(Exception):
    """The protocol was not followed; the text begins with the line of the protocol."""


class DataError(Error):
    """A message has data that the protocol does not allow here."""


class UnexpectedMessage(Error):
    """Another message came than the protocol allows."""


class ConnectionClosed(Error):
    """The peer has gone before the end of the protocol."""


class StateUsedTwice(Error):
    """An operation of a state that an earlier operation has used up."""


class NoValue(Exception):
    """An expression has no value: a division by zero, an item outside its list, a number beyond 64 bits."""


class AbandonedWarning(RuntimeWarning):
    """A state was dropped although the protocol goes on."""


def holds(condition: Callable[[], bool]) -> bool:
    """A condition without a value does not hold."""
    try:
        return condition()
    except NoValue:
        return False


# ---- Links ----------------------------------------------------------------------------------------------------------


class Message(ABC):
    """The base of all messages."""

    __slots__ = ()

    @abstractmethod
    def fault(self) -> str | None:
        """Why no step allows this message; None if the data is as declared."""


# What a state waits for: a role, and the type of a message from it.
Awaited = Sequence[tuple[str, type[Message]]]


class Link(ABC):
    """How a role reaches the others: implement this for a transport of your own. There is a queue for each peer."""

    @abstractmethod
    def send(self, to: str, message: Message) -> None: ...

    @abstractmethod
    def receive(self, awaited: Awaited) -> tuple[str, Message] | None:
        """Takes the first message of the queue of a peer, as soon as it is awaited.

        If a message that is not awaited is first, and no other peer can still send one that is, takes that. None if all
        the peers are gone.
        """

    @abstractmethod
    def close(self) -> None:
        """The role sends nothing more. Calling it again does nothing."""


class MemoryNetwork:
    """All roles in one program, each in a thread of its own."""

    def __init__(self, roles: Iterable[str]) -> None:
        self._roles = tuple(roles)
        self._changed = threading.Condition()
        self._queues: dict[tuple[str, str], deque[Message]] = {(a, b): deque() for a in self._roles for b in self._roles}
        self._closed: set[str] = set()

    def link(self, role: str) -> Link:
        return _MemoryLink(self, role)


class _MemoryLink(Link):
    def __init__(self, network: MemoryNetwork, role: str) -> None:
        self._network = network
        self._role = role

    def send(self, to: str, message: Message) -> None:
        with self._network._changed:
            self._network._queues[self._role, to].append(message)
            self._network._changed.notify_all()

    def receive(self, awaited: Awaited) -> tuple[str, Message] | None:
        with self._network._changed:
            while True:
                undecided = False
                wrong: str | None = None
                for peer in dict.fromkeys(peer for peer, _ in awaited):
                    queue = self._network._queues[peer, self._role]
                    if not queue:
                        undecided = undecided or peer not in self._network._closed
                    elif builtins.any(p == peer and isinstance(queue[0], kind) for p, kind in awaited):
                        return peer, queue.popleft()
                    else:
                        wrong = peer
                if not undecided and wrong is not None:
                    return wrong, self._network._queues[wrong, self._role].popleft()
                if not undecided:
                    return None
                self._network._changed.wait()

    def close(self) -> None:
        with self._network._changed:
            self._network._closed.add(self._role)
            self._network._changed.notify_all()


# ---- States ---------------------------------------------------------------------------------------------------------


class Session(Generic[D]):
    """A link and what the role remembers. As a context it is closed by an error."""

    def __init__(self, link: Link, data: D) -> None:
        self.link = link
        self.data = data

    def __enter__(self) -> Session[D]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            self.link.close()


class State(Generic[D]):
    """The base of all states of a role."""

    STEP: ClassVar[str]  # what the role does here, with the line of the protocol
    MAY_END: ClassVar[bool]  # whether the role may stop here

    def __init__(self, session: Session[D]) -> None:
        self._session: Session[D] | None = session

    def __del__(self) -> None:
        session = getattr(self, "_session", None)
        if session is not None:
            session.link.close()
            if not self.MAY_END:
                warnings.warn("the protocol was abandoned: " + self.STEP, AbandonedWarning)

    @property
    def alive(self) -> bool:
        """Whether it may be used; false once an operation has used it up."""
        return self._session is not None

    def _current(self) -> Session[D]:
        if self._session is None:
            raise StateUsedTwice("this state was used before: " + self.STEP)
        return self._session

    def _take(self) -> Session[D]:
        session = self._current()
        self._session = None
        return session


class Finished(State[D]):
    """The base of states in which nothing is left to do."""

    MAY_END = True

    def __init__(self, session: Session[D]) -> None:
        super().__init__(session)
        session.link.close()


@dataclass(frozen=True, slots=True)
class Ended:
    """The peers have finished, as the protocol allows."""


def check(fault: str | None) -> None:
    if fault is not None:
        raise DataError(fault)


def unexpected(step: str, arrival: tuple[str, Message] | None) -> Error:
    if arrival is None:
        return ConnectionClosed(step + ", but the connection is closed")
    return UnexpectedMessage(f"{step}, but {type(arrival[1]).__name__} came from {arrival[0]}")


# ---- Monitors -------------------------------------------------------------------------------------------------------

# By state, whether it is sent, peer and message: the state after it, or a method that checks the data and returns that.
Rules = dict[tuple[str, bool, str, type[Message]], "str | Callable[[Any, Any], str]"]


class Monitor(ABC):
    """The base of monitors: judges what a role sends and receives, one event after the other.

    An event that is not allowed changes nothing, so the program may go on without it.
    """

    STEPS: ClassVar[Mapping[str, str]]  # by state: what the role does there, with the line of the protocol
    RULES: ClassVar[Rules]
    AWAITED: ClassVar[Mapping[str, Awaited]]  # by state

    def __init__(self, state: str) -> None:
        self._state = state

    @property
    def awaited(self) -> Awaited:
        """The messages that the role may receive here."""
        return self.AWAITED.get(self._state, ())

    @property
    def step(self) -> str:
        """What the role does next, with the line of the protocol."""
        return self.STEPS[self._state]

    @abstractmethod
    def may_end(self) -> bool:
        """Whether the role may stop here."""

    def sent(self, to: str, message: Message) -> str | None:
        """None if the role may send this, otherwise why not."""
        return self._judge(True, to, message)

    def received(self, sender: str, message: Message) -> str | None:
        """None if the role may receive this, otherwise why not."""
        return self._judge(False, sender, message)

    def _judge(self, sends: bool, peer: str, message: Message) -> str | None:
        try:
            self.take(sends, peer, message)
        except Error as error:
            return str(error)
        return None

    def take(self, sends: bool, peer: str, message: Message) -> None:
        """The same, as an error."""
        rule = self.RULES.get((self._state, sends, peer, type(message)))
        if rule is None:
            event = f"sent {type(message).__name__} to" if sends else f"received {type(message).__name__} from"
            raise UnexpectedMessage(f"{self.step}, but {event} {peer}")
        self._state = rule if isinstance(rule, str) else rule(self, message)


class Handlers(ABC):
    """The base of roles that have a handler for each message. The monitor enforces the order: what is not allowed is raised.

    As a context it closes the link.
    """

    HANDLERS: ClassVar[Mapping[type[Message], str]]  # the names of methods

    def __init__(self, link: Link, monitor: Monitor) -> None:
        self.link = link
        self.monitor = monitor

    def send(self, to: str, message: Message) -> None:
        self.monitor.take(True, to, message)
        self.link.send(to, message)

    def arrived(self, sender: str, message: Message) -> None:
        """For an event loop: a message has arrived. Its handler is called."""
        self.monitor.take(False, sender, message)
        getattr(self, self.HANDLERS[type(message)])(message, sender)

    def run(self) -> None:
        """Receives and handles messages until nothing can be received: the role has to send something, or has finished."""
        while self.monitor.awaited:
            arrival = self.link.receive(self.monitor.awaited)
            if arrival is not None:
                self.arrived(*arrival)
            elif self.monitor.may_end():
                return
            else:
                raise unexpected(self.monitor.step, None)

    def __enter__(self: H) -> H:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.link.close()


# ---- Numbers --------------------------------------------------------------------------------------------------------


def _in_range(n: Number) -> Number:
    if isinstance(n, int):
        if not -(2**63) <= n < 2**63:
            raise NoValue
        return n
    if not math.isfinite(n):
        raise NoValue
    return n + 0.0  # not -0.0


def add(a: Number, b: Number) -> Number:
    return _in_range(a + b)


def subtract(a: Number, b: Number) -> Number:
    return _in_range(a - b)


def multiply(a: Number, b: Number) -> Number:
    return _in_range(a * b)


def negate(a: Number) -> Number:
    return _in_range(-a)


def abs(a: Number) -> Number:
    return _in_range(-a if a < 0 else a)


def divide(a: Number, b: Number) -> Number:
    """Rounded down for integers, as modulo is."""
    if b == 0:
        raise NoValue
    if isinstance(a, int) and isinstance(b, int):
        return _in_range(a // b)
    return _in_range(a / b)


def modulo(a: Number, b: Number) -> Number:
    if b == 0:
        raise NoValue
    return _in_range(a % b)


def min(a: Number, b: Number) -> Number:
    return a if a < b else b


def max(a: Number, b: Number) -> Number:
    return b if a < b else a


# ---- Texts, bytes and lists -----------------------------------------------------------------------------------------
# The size of a text, and places in it, count bytes of UTF-8. An index is checked; one outside has no value.


def _raw(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _whole(collection: object) -> Any:
    return _raw(collection) if isinstance(collection, str) else collection


def _like(collection: C, part: Any) -> C:
    return cast(C, _text(part) if isinstance(collection, str) else part)


def _key(item: object) -> Any:
    return (item is not None, item)


def _ordered(collection: Iterable[T]) -> Sequence[T]:
    """The items in the order of the protocol: lists as they are, sets and the keys of maps ascending."""
    return collection if isinstance(collection, tuple) else builtins.sorted(collection, key=_key)


def size(collection: object) -> int:
    return len(_whole(collection))


def _index(i: int, end: int) -> int:
    if not 0 <= i < end:
        raise NoValue
    return i


@overload
def at(collection: tuple[T, ...], i: int) -> T: ...
@overload
def at(collection: Mapping[K, V], i: K) -> V: ...
def at(collection: Any, i: Any) -> Any:
    if isinstance(collection, tuple):
        return collection[_index(i, len(collection))]
    if i not in collection:
        raise NoValue
    return collection[i]


def concat(a: C, b: C) -> C:
    whole: Any = a
    if isinstance(a, (frozenset, dict)):
        return cast(C, whole | b)
    return cast(C, whole + b)


def member(x: T, xs: Iterable[T]) -> bool:
    return x in xs


def permutes(a: tuple[T, ...], b: tuple[T, ...]) -> bool:
    return builtins.sorted(a, key=_key) == builtins.sorted(b, key=_key)


def contains(a: Text, b: Text) -> bool:
    return b in a


def starts_with(a: Text, b: Text) -> bool:
    return a.startswith(b)


def ends_with(a: Text, b: Text) -> bool:
    return _raw(a).endswith(_raw(b))


def lower(s: str) -> str:
    return _text(_raw(s).lower())


def upper(s: str) -> str:
    return _text(_raw(s).upper())


def sum(xs: tuple[Number, ...]) -> Number:
    total = cast(Number, 0)
    for x in xs:
        total = add(total, x)
    return total


def sorted(xs: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(builtins.sorted(xs, key=_key))


def value(optional: T | None) -> T:
    if optional is None:
        raise NoValue
    return optional


def least(xs: tuple[T, ...]) -> T:
    if not xs:
        raise NoValue
    return builtins.min(xs, key=_key)


def greatest(xs: tuple[T, ...]) -> T:
    if not xs:
        raise NoValue
    return builtins.max(xs, key=_key)


def slice(collection: C, a: int, b: int) -> C:
    whole = _whole(collection)
    if not 0 <= a <= b <= len(whole):
        raise NoValue
    return _like(collection, whole[a:b])


def take(collection: C, n: int) -> C:
    return slice(collection, 0, builtins.max(0, builtins.min(n, size(collection))))


def drop(collection: C, n: int) -> C:
    return slice(collection, builtins.max(0, builtins.min(n, size(collection))), size(collection))


@overload
def with_item(collection: tuple[T, ...], i: int, x: T) -> tuple[T, ...]: ...
@overload
def with_item(collection: dict[K, V], i: K, x: V) -> dict[K, V]: ...
def with_item(collection: Any, i: Any, x: Any) -> Any:
    if isinstance(collection, dict):
        return {**collection, i: x}
    _index(i, len(collection))
    return (*collection[:i], x, *collection[i + 1 :])


def reverse(collection: C) -> C:
    return _like(collection, _whole(collection)[::-1])


@overload
def index_of(collection: str, x: str) -> int | None: ...
@overload
def index_of(collection: bytes, x: bytes) -> int | None: ...
@overload
def index_of(collection: tuple[T, ...], x: T) -> int | None: ...
def index_of(collection: Any, x: Any) -> int | None:
    if isinstance(collection, tuple):
        return collection.index(x) if x in collection else None
    found = _raw(collection).find(_raw(x))
    return None if found < 0 else found


def digits(n: int) -> str:
    return str(n)


def to_bytes(s: str) -> bytes:
    return _raw(s)


def to_text(b: bytes) -> str:
    return _text(b)


def hex(s: str | bytes) -> str:
    return _raw(s).hex()


# ---- Sets and maps --------------------------------------------------------------------------------------------------


@overload
def without(collection: frozenset[T], x: T) -> frozenset[T]: ...
@overload
def without(collection: dict[K, V], x: K) -> dict[K, V]: ...
def without(collection: Any, x: Any) -> Any:
    if isinstance(collection, frozenset):
        return collection - {x}
    return {k: v for k, v in collection.items() if k != x}


@overload
def difference(a: frozenset[T], b: frozenset[T]) -> frozenset[T]: ...
@overload
def difference(a: dict[K, V], b: frozenset[K]) -> dict[K, V]: ...
def difference(a: Any, b: Any) -> Any:
    if isinstance(a, frozenset):
        return a - b
    return {k: v for k, v in a.items() if k not in b}


def keys(m: Mapping[K, V]) -> frozenset[K]:
    return frozenset(m)


def values(m: Mapping[K, V]) -> tuple[V, ...]:
    return tuple(m[k] for k in _ordered(m))


def to_set(xs: tuple[T, ...]) -> frozenset[T]:
    return frozenset(xs)


def all(collection: Iterable[T], f: Callable[[T], bool]) -> bool:
    return builtins.all(f(x) for x in _ordered(collection))


def any(collection: Iterable[T], f: Callable[[T], bool]) -> bool:
    return builtins.any(f(x) for x in _ordered(collection))


def each(collection: Iterable[T], f: Callable[[T], V]) -> tuple[V, ...]:
    return tuple(f(x) for x in _ordered(collection))


def select(collection: Iterable[T], f: Callable[[T], bool]) -> tuple[T, ...]:
    return tuple(x for x in _ordered(collection) if f(x))


def fold(collection: Iterable[T], a: A, f: Callable[[T, A], A]) -> A:
    for x in _ordered(collection):
        a = f(x, a)
    return a


# ---- Patterns -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pattern:
    """`text matches /pattern/` as the table of an automaton: one step per byte, whatever the text."""

    classes: bytes  # by byte: those that the pattern does not tell apart have one class
    next: tuple[tuple[int, ...], ...]  # by state and class; -1: no text goes on like this
    accepting: tuple[bool, ...]  # by state


def matches(text: str | bytes, pattern: Pattern) -> bool:
    """Whether all of it matches. A text that is not UTF-8 never does."""
    if isinstance(text, str) and not text.isascii():
        if builtins.any("\ud800" <= c <= "\udfff" for c in text):
            return False
        text = bytes(ord(c) if ord(c) < 0x80 else 0xFF for c in text)  # one step per character
    state = 0
    for byte in _raw(text):
        state = pattern.next[state][pattern.classes[byte]]
        if state < 0:
            return False
    return pattern.accepting[state]
