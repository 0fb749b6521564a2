// What code that `treaty generate` writes for C++ needs at run time. It needs the standard library and nothing else.
//
// A state of a role is a move-only object. Each of its operations uses it up and returns the next one. What the
// compiler cannot see is checked when it happens, and the error names the line of the protocol.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// clang reports the use of a state that was used before (-Wconsumed).
#if defined(__clang__)
#define TREATY_STATE [[nodiscard]] [[clang::consumable(unconsumed)]]
#define TREATY_USES_UP [[clang::callable_when("unconsumed")]] [[clang::set_typestate(consumed)]]
#else
#define TREATY_STATE [[nodiscard]]
#define TREATY_USES_UP
#endif

namespace treaty {

// ---- Errors -----------------------------------------------------------------------------------------------------

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct DataError : Error {  // a message has data that the protocol does not allow here
    using Error::Error;
};
struct UnexpectedMessage : Error {  // another message came than the protocol allows
    using Error::Error;
};
struct ConnectionClosed : Error {  // the peer has gone before the end of the protocol
    using Error::Error;
};
struct StateUsedTwice : Error {  // an operation of a state that an earlier operation has used up
    using Error::Error;
};

// An expression has no value: a division by zero, an item outside its list, a number beyond 64 bits.
struct NoValue : Error {
    NoValue() : Error("the expression has no value") {}
};

// A condition without a value does not hold.
template <class Condition>
bool holds(Condition&& condition) {
    try {
        return condition();
    } catch (const NoValue&) {
        return false;
    }
}

// ---- Links ------------------------------------------------------------------------------------------------------

// A message that a state waits for: by peer, and by position among the messages of the protocol.
struct Awaited {
    std::size_t peer;
    std::size_t message;
};

template <class T, class... Messages>
constexpr std::size_t position_in(const std::variant<Messages...>*) {
    std::size_t position = 0;
    static_cast<void>(((std::is_same_v<T, Messages> || (++position, false)) || ...));
    return position;
}
// Of a message among all of them.
template <class T, class Message>
inline constexpr std::size_t position = position_in<T>(static_cast<const Message*>(nullptr));

template <class Message>
struct Arrival {
    std::size_t from = 0;
    std::optional<Message> message;  // none: all the peers are gone

    template <class T>
    bool is(std::size_t peer) const {
        return from == peer && std::holds_alternative<T>(*message);
    }
    template <class T>
    T& get() {
        return std::get<T>(*message);
    }
};

// How a role reaches the others: implement this for a transport of your own. Roles are numbered as the protocol
// lists them. There is a queue for each peer.
template <class Message>
class Link {
public:
    virtual ~Link() = default;
    virtual void send(std::size_t to, Message message) = 0;
    // Takes the first message of the queue of a peer, as soon as it is awaited. If a message that is not awaited is
    // first, and no other peer can still send one that is, takes that.
    virtual Arrival<Message> receive(std::span<const Awaited> awaited) = 0;
    virtual void close() noexcept = 0;  // the role sends nothing more
};

// ---- States -----------------------------------------------------------------------------------------------------

template <class...>
inline constexpr bool never = false;

// Called when a state is destroyed although the protocol goes on. By default it reports the step and, in debug
// builds, ends the program.
using AbandonedHandler = void (*)(const char* step);

inline void report_abandoned(const char* step) {
    std::fprintf(stderr, "the protocol was abandoned: %s\n", step);
#ifndef NDEBUG
    std::abort();
#endif
}

inline AbandonedHandler& abandoned_handler() {
    static AbandonedHandler handler = report_abandoned;
    return handler;
}

// The base of all states of a role. Self: the state, which has `step`, and `may_end`: whether the role may stop there.
// Core: the session, with its link and its data; the link is closed with it.
template <class Self, class Core>
class TREATY_STATE State {
public:
    explicit State(std::unique_ptr<Core> core) : core_(std::move(core)) {}
    State(State&&) noexcept = default;
    State& operator=(State&& other) noexcept {
        if (this != &other) {
            leave();
            core_ = std::move(other.core_);
        }
        return *this;
    }
    ~State() { leave(); }

    // Whether it may be used; false once an operation has used it up.
    bool alive() const noexcept { return core_ != nullptr; }

protected:
    Core& core() const {
        if (!core_) throw StateUsedTwice(std::string("this state was used before: ") + Self::step);
        return *core_;
    }
    std::unique_ptr<Core> take() {
        core();
        return std::move(core_);
    }

private:
    void leave() noexcept {
        if (!core_) return;
        core_.reset();
        if (!Self::may_end && std::uncaught_exceptions() == 0) abandoned_handler()(Self::step);
    }

    std::unique_ptr<Core> core_;
};

// A session. Data: what the role remembers.
template <class Message, class Data>
struct Core {
    explicit Core(Link<Message>& to) : link(to) {}
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core() { link.close(); }

    Link<Message>& link;
    Data data{};
};

// A message, who sent it, and the state after it.
template <class Message, class Next>
struct [[nodiscard]] Received {
    std::size_t from;
    Message message;
    Next next;
};

inline std::string unexpected(const char* step, const char* message, const char* from) {
    return std::string(step) + ", but " + message + " came from " + from;
}
inline std::string gone(const char* step) { return std::string(step) + ", but the connection is closed"; }

// The peers have finished, as the protocol allows.
struct Ended {};

// Lambda expressions as one function for std::visit.
template <class... Functions>
struct overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

template <class Possibility, bool handled>
struct Handled {
    static_assert(handled, "match() has no handler for this possibility");
};

// std::visit for what receive() returns: one function for each possibility. A missing one is a short compile error.
template <class... Possible, class... Functions>
auto match(std::variant<Possible...>&& received, Functions&&... functions) {
    using All = overloaded<std::decay_t<Functions>...>;
    (static_cast<void>(Handled<Possible, std::is_invocable_v<All&, Possible>>()), ...);
    if constexpr ((std::is_invocable_v<All&, Possible> && ...))
        return std::visit(All{std::forward<Functions>(functions)...}, std::move(received));
}

// One of several states as one of all.
template <class Any, class... States>
Any widen(std::variant<States...>&& state) {
    return std::visit([](auto&& one) -> Any { return std::move(one); }, std::move(state));
}

template <class State>
inline constexpr bool is_end = requires { State::is_done; } || std::is_same_v<State, Ended>;

// Goes from state to state until the role has finished. The implementation has a function for each state, which returns
// the next one as Any.
template <class Any, class Implementation>
void play(Any state, Implementation implementation) {
    bool goes_on = true;
    while (goes_on)
        state = std::visit(
            [&](auto&& one) -> Any {
                using State = std::decay_t<decltype(one)>;
                goes_on = !is_end<State>;
                if constexpr (is_end<State>) return std::move(one);
                else return implementation(std::move(one));
            },
            std::move(state));
}

// ---- Monitors -----------------------------------------------------------------------------------------------------

// What a role did that the protocol does not allow. All texts are constants.
struct Violation {
    bool sent;            // or received
    const char* message;  // its name
    const char* peer;
    const char* rule;  // begins with the line of the protocol
    bool data;         // the message is allowed here, but not with this data

    std::string text() const {
        if (data) return rule;
        return std::string(rule) + (sent ? ", but sent " : ", but received ") + message + (sent ? " to " : " from ") +
               peer;
    }
};

// What a monitor says about an event: nothing if it is allowed.
using Judgement = std::optional<Violation>;

// An event that a monitor judges.
struct Event {
    bool sent;
    const char* message;
    const char* peer;

    Violation unexpected(const char* step) const { return {sent, message, peer, step, false}; }
    Violation breaks(const char* rule) const { return {sent, message, peer, rule, true}; }
};

// What all monitors have. roles: the number of them.
template <std::size_t roles>
class Monitor {
protected:
    // A state and a peer as one number, for a switch.
    template <class State>
    static constexpr std::size_t here(State state, std::size_t peer) {
        return peer < roles ? static_cast<std::size_t>(state) * roles + peer : static_cast<std::size_t>(-1);
    }
};

// ---- Handlers -----------------------------------------------------------------------------------------------------

// The base of roles that have a handler for each message. The monitor enforces the order: what is not allowed throws.
template <class Message, class Monitor>
class Handlers {
public:
    // The link must outlive it, and is closed with it.
    explicit Handlers(Link<Message>& link) : link_(link) {}
    Handlers(const Handlers&) = delete;
    Handlers& operator=(const Handlers&) = delete;
    virtual ~Handlers() { link_.close(); }

    void send(std::size_t to, Message message) {
        if (auto violation = monitor_.sent(to, message)) refuse(*violation);
        link_.send(to, std::move(message));
    }
    // For an event loop: a message has arrived. Its handler is called.
    void arrived(std::size_t from, const Message& message) {
        if (auto violation = monitor_.received(from, message)) refuse(*violation);
        handle(from, message);
    }
    // Receives and handles messages until nothing can be received: the role has to send something, or has finished.
    void run() {
        for (auto awaited = monitor_.awaited(); !awaited.empty(); awaited = monitor_.awaited()) {
            Arrival<Message> arrival = link_.receive(awaited);
            if (arrival.message) arrived(arrival.from, *arrival.message);
            else if (monitor_.may_end()) return;
            else throw ConnectionClosed(gone(monitor_.step()));
        }
    }
    const Monitor& monitor() const { return monitor_; }

private:
    virtual void handle(std::size_t from, const Message& message) = 0;

    [[noreturn]] static void refuse(const Violation& violation) {
        if (violation.data) throw DataError(violation.text());
        throw UnexpectedMessage(violation.text());
    }

    Link<Message>& link_;
    Monitor monitor_;
};

// ---- Memory -------------------------------------------------------------------------------------------------------

// All roles in one program, each in a thread of its own. Must outlive its links.
template <class Message>
class MemoryNetwork {
public:
    explicit MemoryNetwork(std::size_t roles) : queues_(roles * roles), closed_(roles), count_(roles) {
        for (std::size_t r = 0; r < roles; ++r) links_.push_back(std::make_unique<MemoryLink>(*this, r));
    }
    Link<Message>& link(std::size_t role) { return *links_.at(role); }

private:
    class MemoryLink final : public Link<Message> {
    public:
        MemoryLink(MemoryNetwork& network, std::size_t role) : network_(network), role_(role) {}

        void send(std::size_t to, Message message) override {
            std::lock_guard lock(network_.mutex_);
            network_.queue(role_, to).push_back(std::move(message));
            network_.changed_.notify_all();
        }

        Arrival<Message> receive(std::span<const Awaited> awaited) override {
            std::unique_lock lock(network_.mutex_);
            for (;;) {
                bool undecided = false;
                std::optional<std::size_t> wrong;
                for (const Awaited& a : awaited) {
                    auto& queue = network_.queue(a.peer, role_);
                    if (queue.empty()) {
                        undecided = undecided || !network_.closed_[a.peer];
                    } else if (is_awaited(awaited, a.peer, queue.front().index())) {
                        return take(a.peer);
                    } else {
                        wrong = a.peer;
                    }
                }
                if (!undecided && wrong) return take(*wrong);
                if (!undecided) return {};
                network_.changed_.wait(lock);
            }
        }

        void close() noexcept override {
            std::lock_guard lock(network_.mutex_);
            network_.closed_[role_] = true;
            network_.changed_.notify_all();
        }

    private:
        static bool is_awaited(std::span<const Awaited> awaited, std::size_t peer, std::size_t message) {
            return std::any_of(awaited.begin(), awaited.end(), [&](const Awaited& a) {
                return a.peer == peer && a.message == message;
            });
        }
        Arrival<Message> take(std::size_t peer) {
            auto& queue = network_.queue(peer, role_);
            Arrival<Message> arrival{peer, std::move(queue.front())};
            queue.pop_front();
            return arrival;
        }
        MemoryNetwork& network_;
        std::size_t role_;
    };

    std::deque<Message>& queue(std::size_t from, std::size_t to) { return queues_[from * count_ + to]; }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::deque<Message>> queues_;
    std::vector<bool> closed_;
    std::size_t count_;
    std::vector<std::unique_ptr<MemoryLink>> links_;
};

// ---- Values -----------------------------------------------------------------------------------------------------

struct Bytes {
    std::string data;
    friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

inline const std::string& raw(const std::string& text) { return text; }
inline const std::string& raw(const Bytes& bytes) { return bytes.data; }
template <class T>
concept Text = std::is_same_v<T, std::string> || std::is_same_v<T, Bytes>;

inline std::int64_t add(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    if (__builtin_add_overflow(a, b, &r)) throw NoValue();
    return r;
}
inline std::int64_t subtract(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    if (__builtin_sub_overflow(a, b, &r)) throw NoValue();
    return r;
}
inline std::int64_t multiply(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    if (__builtin_mul_overflow(a, b, &r)) throw NoValue();
    return r;
}
inline std::int64_t negate(std::int64_t a) { return subtract(0, a); }
inline std::int64_t abs(std::int64_t a) { return a < 0 ? negate(a) : a; }
// Rounded down, as modulo is.
inline std::int64_t divide(std::int64_t a, std::int64_t b) {
    if (b == 0) throw NoValue();
    if (b == -1) return negate(a);
    return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}
inline std::int64_t modulo(std::int64_t a, std::int64_t b) {
    if (b == 0) throw NoValue();
    if (b == -1) return 0;
    return a % b + ((a % b != 0 && (a % b < 0) != (b < 0)) ? b : 0);
}

// Numbers that are written down are int, which becomes std::int64_t and not double, since these are templates.
template <std::floating_point R>
R finite(R r) {
    if (!std::isfinite(r)) throw NoValue();
    return r + 0.0;  // not -0.0
}
template <std::floating_point R>
R add(R a, R b) {
    return finite(a + b);
}
template <std::floating_point R>
R subtract(R a, R b) {
    return finite(a - b);
}
template <std::floating_point R>
R multiply(R a, R b) {
    return finite(a * b);
}
template <std::floating_point R>
R negate(R a) {
    return finite(-a);
}
template <std::floating_point R>
R abs(R a) {
    return finite(std::fabs(a));
}
template <std::floating_point R>
R divide(R a, R b) {
    if (b == 0) throw NoValue();
    return finite(a / b);
}
template <std::floating_point R>
R modulo(R a, R b) {
    if (b == 0) throw NoValue();
    R r = std::fmod(a, b);
    return finite(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}
inline std::int64_t min(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t max(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
template <std::floating_point R>
R min(R a, R b) {
    return a < b ? a : b;
}
template <std::floating_point R>
R max(R a, R b) {
    return a < b ? b : a;
}

// Texts, bytes and lists. An index is checked; one outside has no value.

template <class C>
std::int64_t size(const C& c) {
    if constexpr (Text<C>) return static_cast<std::int64_t>(raw(c).size());
    else return static_cast<std::int64_t>(c.size());
}
inline std::size_t index(std::int64_t i, std::size_t end) {
    if (i < 0 || static_cast<std::uint64_t>(i) >= end) throw NoValue();
    return static_cast<std::size_t>(i);
}
template <class T>
T at(const std::vector<T>& xs, std::int64_t i) {
    return xs[index(i, xs.size())];
}
template <class K, class V>
V at(const std::map<K, V>& m, const std::type_identity_t<K>& k) {
    auto found = m.find(k);
    if (found == m.end()) throw NoValue();
    return found->second;
}
inline std::string concat(const std::string& a, const std::string& b) { return a + b; }
inline Bytes concat(const Bytes& a, const Bytes& b) { return {a.data + b.data}; }
template <class T>
std::vector<T> concat(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
template <class T>
std::set<T> concat(std::set<T> a, const std::set<T>& b) {
    a.insert(b.begin(), b.end());
    return a;
}
template <class K, class V>
std::map<K, V> concat(const std::map<K, V>& a, std::map<K, V> b) {
    b.insert(a.begin(), a.end());
    return b;
}
template <class T>
bool member(const std::type_identity_t<T>& x, const std::vector<T>& xs) {
    return std::find(xs.begin(), xs.end(), x) != xs.end();
}
template <class T>
bool member(const std::type_identity_t<T>& x, const std::set<T>& xs) {
    return xs.contains(x);
}
template <class T>
bool permutes(std::vector<T> a, std::vector<T> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
}
template <Text T>
bool contains(const T& a, const T& b) {
    return raw(a).find(raw(b)) != std::string::npos;
}
template <Text T>
bool starts_with(const T& a, const T& b) {
    return raw(a).starts_with(raw(b));
}
template <Text T>
bool ends_with(const T& a, const T& b) {
    return raw(a).ends_with(raw(b));
}
inline std::string lower(std::string s) {
    for (char& c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return s;
}
inline std::string upper(std::string s) {
    for (char& c : s) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return s;
}
template <class T>
T sum(const std::vector<T>& xs) {
    T total = 0;
    for (const T& x : xs) total = add(total, x);
    return total;
}
template <class T>
std::vector<T> sorted(std::vector<T> xs) {
    std::sort(xs.begin(), xs.end());
    return xs;
}
template <class T>
T value(const std::optional<T>& o) {
    if (!o) throw NoValue();
    return *o;
}
template <class T>
T least(const std::vector<T>& xs) {
    if (xs.empty()) throw NoValue();
    return *std::min_element(xs.begin(), xs.end());
}
template <class T>
T greatest(const std::vector<T>& xs) {
    if (xs.empty()) throw NoValue();
    return *std::max_element(xs.begin(), xs.end());
}

inline std::string part(const std::string& s, std::size_t a, std::size_t n) { return s.substr(a, n); }
inline Bytes part(const Bytes& s, std::size_t a, std::size_t n) { return {s.data.substr(a, n)}; }
template <class T>
std::vector<T> part(const std::vector<T>& xs, std::size_t a, std::size_t n) {
    auto first = xs.begin() + static_cast<std::ptrdiff_t>(a);
    return {first, first + static_cast<std::ptrdiff_t>(n)};
}
template <class C>
C slice(const C& c, std::int64_t a, std::int64_t b) {
    if (a < 0 || a > b || b > treaty::size(c)) throw NoValue();
    return part(c, static_cast<std::size_t>(a), static_cast<std::size_t>(b - a));
}
template <class C>
C take(const C& c, std::int64_t n) {
    return slice(c, 0, std::clamp<std::int64_t>(n, 0, treaty::size(c)));
}
template <class C>
C drop(const C& c, std::int64_t n) {
    return slice(c, std::clamp<std::int64_t>(n, 0, treaty::size(c)), treaty::size(c));
}
template <class T>
std::vector<T> with_item(std::vector<T> xs, std::int64_t i, std::type_identity_t<T> x) {
    xs[index(i, xs.size())] = std::move(x);
    return xs;
}
template <class K, class V>
std::map<K, V> with_item(std::map<K, V> m, const std::type_identity_t<K>& k, std::type_identity_t<V> v) {
    m.insert_or_assign(k, std::move(v));
    return m;
}
template <class C>
C reverse(C c) {
    if constexpr (std::is_same_v<C, Bytes>) std::reverse(c.data.begin(), c.data.end());
    else std::reverse(c.begin(), c.end());
    return c;
}
template <Text T>
std::optional<std::int64_t> index_of(const T& s, const T& x) {
    auto found = raw(s).find(raw(x));
    if (found == std::string::npos) return std::nullopt;
    return static_cast<std::int64_t>(found);
}
template <class T>
std::optional<std::int64_t> index_of(const std::vector<T>& xs, const std::type_identity_t<T>& x) {
    auto found = std::find(xs.begin(), xs.end(), x);
    if (found == xs.end()) return std::nullopt;
    return static_cast<std::int64_t>(found - xs.begin());
}
inline std::string digits(std::int64_t n) { return std::to_string(n); }
inline Bytes to_bytes(const std::string& s) { return {s}; }
inline std::string to_text(const Bytes& b) { return b.data; }
inline std::string hex(const std::string& s) {
    std::string r;
    for (unsigned char c : s) r.append({"0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]});
    return r;
}
inline std::string hex(const Bytes& b) { return hex(b.data); }

template <class T>
std::set<T> without(std::set<T> s, const std::type_identity_t<T>& x) {
    s.erase(x);
    return s;
}
template <class K, class V>
std::map<K, V> without(std::map<K, V> m, const std::type_identity_t<K>& k) {
    m.erase(k);
    return m;
}
template <class T>
std::set<T> difference(std::set<T> a, const std::set<T>& b) {
    for (const T& x : b) a.erase(x);
    return a;
}
template <class K, class V>
std::map<K, V> difference(std::map<K, V> a, const std::set<K>& b) {
    for (const K& x : b) a.erase(x);
    return a;
}
template <class K, class V>
std::set<K> keys(const std::map<K, V>& m) {
    std::set<K> r;
    for (const auto& entry : m) r.insert(entry.first);
    return r;
}
template <class K, class V>
std::vector<V> values(const std::map<K, V>& m) {
    std::vector<V> r;
    for (const auto& entry : m) r.push_back(entry.second);
    return r;
}
template <class T>
std::set<T> to_set(const std::vector<T>& xs) {
    return {xs.begin(), xs.end()};
}

// all, any, each, select and fold go through a list, a set, or the keys of a map.
template <class C, class F>
void each_item(const C& c, F&& f) {
    for (const auto& x : c)
        if (!f(x)) return;
}
template <class K, class V, class F>
void each_item(const std::map<K, V>& m, F&& f) {
    for (const auto& x : m)
        if (!f(x.first)) return;
}
template <class C, class F>
bool all(const C& c, F&& f) {
    bool r = true;
    each_item(c, [&](const auto& x) { return r = f(x); });
    return r;
}
template <class C, class F>
bool any(const C& c, F&& f) {
    bool r = false;
    each_item(c, [&](const auto& x) { return !(r = f(x)); });
    return r;
}
template <class C, class F>
auto each(const C& c, F&& f) {
    using Item = std::decay_t<decltype(f(*c.begin()))>;
    std::vector<Item> r;
    each_item(c, [&](const auto& x) { return r.push_back(f(x)), true; });
    return r;
}
template <class T, class F>
std::vector<T> select(const std::vector<T>& c, F&& f) {
    std::vector<T> r;
    for (const T& x : c)
        if (f(x)) r.push_back(x);
    return r;
}
template <class A, class C, class F>
A fold(const C& c, std::type_identity_t<A> a, F&& f) {
    each_item(c, [&](const auto& x) { return a = f(x, a), true; });
    return a;
}

// ---- Patterns ---------------------------------------------------------------------------------------------------

// `text matches /pattern/` as the table of an automaton: one step per byte, whatever the text. State 0 is the first;
// what leads nowhere is `dead`.
struct Pattern {
    static constexpr std::uint16_t dead = 0xffff;
    std::array<std::uint8_t, 256> classes;  // of bytes that the pattern does not tell apart
    std::size_t class_count;
    const std::uint16_t* next;              // by state and class
    const bool* accepting;                  // by state
};

inline bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        auto byte = [&](std::size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
        unsigned char first = byte(i++);
        if (first < 0x80) continue;
        if (first < 0xc2 || first > 0xf4) return false;
        unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (byte(i) < low || byte(i) > high) return false;
        ++i;
        for (int more = first >= 0xf0 ? 2 : first >= 0xe0 ? 1 : 0; more > 0; --more)
            if ((byte(i++) & 0xc0) != 0x80) return false;
    }
    return true;
}

// characters: each character of UTF-8 beyond ASCII is one step, whatever it is: that of its first byte.
inline bool matches(std::string_view text, const Pattern& pattern, bool characters) {
    std::size_t state = 0;
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (characters && (byte & 0xc0) == 0x80) continue;
        state = pattern.next[state * pattern.class_count + pattern.classes[byte]];
        if (state == Pattern::dead) return false;
    }
    return pattern.accepting[state];
}
inline bool matches(const Bytes& bytes, const Pattern& pattern) { return matches(bytes.data, pattern, false); }
// A text that is not UTF-8 matches nothing.
inline bool matches(std::string_view text, const Pattern& pattern) { return is_utf8(text) && matches(text, pattern, true); }

}  // namespace treaty
