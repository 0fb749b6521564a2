#include "explore/testing/families.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"

namespace treaty::explore {
namespace {

// Machines of one system, written as lines "state peer!message state" or "state peer?message state".
class Writer {
public:
    Writer(std::string name, std::uint32_t bound) : name_(std::move(name)), bound_(bound) {}

    void machine(const std::string& role, const std::string& lines, std::uint32_t initial,
                 std::vector<std::uint32_t> finals) {
        model::RoleId me = alphabet_->role(role);
        model::MachineBuilder builder(role, alphabet_, me);
        std::uint32_t last = initial;
        std::istringstream numbers(lines);
        std::uint32_t from = 0, to = 0;
        for (std::string act; numbers >> from >> act >> to;) last = std::max({last, from, to});
        for (std::uint32_t f : finals) last = std::max(last, f);
        for (std::uint32_t s = 0; s <= last; ++s)
            builder.state(std::find(finals.begin(), finals.end(), s) != finals.end());
        std::istringstream text(lines);
        for (std::string act; text >> from >> act >> to;) {
            std::size_t mark = act.find_first_of("!?");
            model::RoleId peer = alphabet_->role(act.substr(0, mark));
            model::MessageId message = alphabet_->message(act.substr(mark + 1));
            model::LabelId label =
                act[mark] == '!' ? alphabet_->send(me, peer, message) : alphabet_->receive(peer, me, message);
            builder.edge(model::StateId(std::size_t(from)), label, model::StateId(std::size_t(to)));
        }
        builder.set_initial(model::StateId(std::size_t(initial)));
        auto machine = builder.finish();
        TREATY_CHECK(machine);
        machines_.push_back(std::move(*machine));
    }

    model::System finish() {
        auto system = model::make_system(name_, std::move(machines_), {model::Mode::fifo, bound_});
        TREATY_CHECK(system);
        return std::move(*system);
    }

private:
    std::string name_;
    std::uint32_t bound_;
    std::shared_ptr<model::Alphabet> alphabet_ = std::make_shared<model::Alphabet>();
    std::vector<model::Machine> machines_;
};

}  // namespace

model::System pairs_family(std::uint32_t k, std::uint32_t bound) {
    Writer writer(fmt::format("pairs{}", k), bound);
    for (std::uint32_t i = 0; i < k; ++i) {
        std::string c = fmt::format("C{}", i), s = fmt::format("S{}", i);
        writer.machine(c, fmt::format("0 {0}!req 1  1 {0}?ok 0  1 {0}?err 0", s), 0, {0});
        writer.machine(s, fmt::format("0 {0}?req 1  1 {0}!ok 0  1 {0}!err 0", c), 0, {0});
    }
    return writer.finish();
}

model::System ring_family(std::uint32_t n, std::uint32_t tokens, std::uint32_t bound) {
    Writer writer(fmt::format("ring{}", n), bound);
    for (std::uint32_t i = 0; i < n; ++i)
        writer.machine(fmt::format("P{}", i),
                       fmt::format("0 P{}?token 1  1 P{}!token 0", (i + n - 1) % n, (i + 1) % n),
                       i < tokens ? 1 : 0, {});
    return writer.finish();
}

model::System atm_family(std::uint32_t k, std::uint32_t bound) {
    Writer writer(fmt::format("atm{}", k), bound);
    for (std::uint32_t i = 0; i < k; ++i) {
        std::string c = fmt::format("C{}", i), a = fmt::format("A{}", i), b = fmt::format("B{}", i);
        writer.machine(c,
                       fmt::format("0 {0}!auth 1  1 {0}?authFail 5  1 {0}?granted 2 "
                                   "2 {0}!withdraw 3  3 {0}?money 2  3 {0}?bye 2 "
                                   "2 {0}!checkBalance 4  4 {0}?balance 2 "
                                   "2 {0}!quit 6  6 {0}?card 5",
                                   a),
                       0, {5});
        writer.machine(
            a,
            fmt::format("0 {0}?auth 1  1 {1}!authReq 2  2 {1}?denied 3  3 {0}!authFail 15 "
                        "2 {1}?granted 4  4 {0}!granted 5 "
                        "5 {0}?withdraw 6  6 {1}!authWithdrawal 7  7 {1}?allow 8  8 {0}!money 5 "
                        "7 {1}?deny 9  9 {0}!bye 5 "
                        "5 {0}?checkBalance 10  10 {1}!getBalance 11  11 {1}?balance 12  12 {0}!balance 5 "
                        "5 {0}?quit 13  13 {1}!quit 14  14 {0}!card 15",
                        c, b),
            0, {15});
        writer.machine(b,
                       fmt::format("0 {0}?authReq 1  1 {0}!denied 5  1 {0}!granted 2 "
                                   "2 {0}?authWithdrawal 3  3 {0}!allow 2  3 {0}!deny 2 "
                                   "2 {0}?getBalance 4  4 {0}!balance 2  2 {0}?quit 5",
                                   a),
                       0, {5});
    }
    return writer.finish();
}

model::System buyer_family(std::uint32_t k, std::uint32_t bound) {
    Writer writer(fmt::format("buyer{}", k), bound);
    for (std::uint32_t i = 0; i < k; ++i) {
        std::string x = fmt::format("X{}", i), y = fmt::format("Y{}", i), s = fmt::format("S{}", i);
        writer.machine(x,
                       fmt::format("0 {0}!title 1  1 {0}?quote 2  2 {1}!share 3 "
                                   "3 {1}?again 0  3 {1}?deal 4  3 {1}?stop 4",
                                   s, y),
                       0, {4});
        writer.machine(y,
                       fmt::format("0 {1}?quote 1  1 {0}?share 2 "
                                   "2 {1}!ok 3  3 {1}?date 4  4 {0}!deal 7 "
                                   "2 {1}!retry 5  5 {0}!again 0 "
                                   "2 {1}!no 6  6 {0}!stop 7",
                                   x, s),
                       0, {7});
        writer.machine(s,
                       fmt::format("0 {0}?title 1  1 {0}!quote 2  2 {1}!quote 3 "
                                   "3 {1}?ok 4  4 {1}!date 5  3 {1}?retry 0  3 {1}?no 5",
                                   x, y),
                       0, {5});
    }
    return writer.finish();
}

model::System pipe_family(std::uint32_t n, std::uint32_t bound, std::uint32_t messages) {
    Writer writer(fmt::format("pipe{}", n), bound);
    for (std::uint32_t i = 0; i <= n; ++i) {
        std::string lines;
        for (std::uint32_t m = 0; m < messages; ++m) {
            if (i == 0)
                lines += fmt::format("0 P1!m{} 0 ", m);
            else if (i == n)
                lines += fmt::format("0 P{}?m{} 0 ", n - 1, m);
            else
                lines += fmt::format("0 P{0}?m{1} {2}  {2} P{3}!m{1} 0 ", i - 1, m, m + 1, i + 1);
        }
        writer.machine(fmt::format("P{}", i), lines, 0, {});
    }
    return writer.finish();
}

std::optional<model::System> named_family(std::string_view name) {
    std::size_t digits = name.find_first_of("0123456789");
    if (digits == std::string_view::npos) return std::nullopt;
    std::string_view family = name.substr(0, digits);
    std::uint32_t size = 0, extra = 0;
    auto [rest, error] = std::from_chars(name.data() + digits, name.data() + name.size(), size);
    if (error != std::errc() || size == 0 || size > 64) return std::nullopt;
    std::string_view suffix(rest, static_cast<std::size_t>(name.data() + name.size() - rest));
    if (suffix.size() > 1) std::from_chars(suffix.data() + 1, suffix.data() + suffix.size(), extra);
    if (!suffix.empty() && (extra == 0 || extra > 64)) return std::nullopt;
    if (family == "pairs" && suffix.empty()) return pairs_family(size, 1);
    if (family == "ring" && (suffix.empty() || suffix[0] == 'r'))
        return ring_family(size, extra ? extra : size / 2, 2);
    if (family == "atm" && suffix.empty()) return atm_family(size, 1);
    if (family == "buyer" && suffix.empty()) return buyer_family(size, 1);
    if (family == "pipe" && (suffix.empty() || suffix[0] == 'b'))
        return pipe_family(size, extra ? extra : 3, 2);
    return std::nullopt;
}

}  // namespace treaty::explore
