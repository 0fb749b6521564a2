// Whether the roles of a protocol can get into trouble, decided by trying everything: the judge that verify
// is held to.
//
// All configurations of the slow projections over FIFO queues, each of at most `capacity` messages. From
// each: is there a role that may not stop and that no run moves again, or a message first in its queue that
// no run receives? And can the roles do something that is not a word of the protocol? Runs are cut where a
// queue would become longer; what may depend on such a run is not counted as trouble, and `bounded` tells
// that something was cut.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generate.h"
#include "slow_language.h"

namespace treaty::verdicts {

enum class Verdict { safe, trouble, not_judged };

struct SlowAnswer {
    Verdict verdict = Verdict::not_judged;
    bool bounded = false;    // a queue was cut, or the language was followed only so far
    std::string why;         // trouble: what; not judged: why not
    std::vector<Event> run;  // trouble: how to get there
    std::size_t configurations = 0;
};

struct SlowLimits {
    std::size_t capacity = 3;
    std::size_t configurations = 3'000;
    std::size_t words = 5'000;  // pairs of a configuration and a residual
};

// Everything that was made for a protocol, so that runs of others can be replayed on it.
class SlowJudge {
public:
    explicit SlowJudge(const File& file, const SlowLimits& limits = {});

    SlowAnswer decide();

    // Whether a run that another judge has found leads to trouble. Events are given without values, as "A
    // B!m": every choice of values that fits is tried. `word`: the trouble is that the last event is not
    // allowed. Nothing if the limits leave it open.
    std::optional<bool> confirms(const std::vector<std::string>& run, bool word);

    const Flow& flow() const { return flow_; }
    const Protocol& protocol() const { return protocol_; }
    const Projections& projections() const { return projections_; }
    // What the roles do together, a step at a time, for at most so many events.
    std::vector<Event> random_run(Random& random, std::size_t length) const;
    std::string print(const std::vector<Event>& run) const;

private:
    struct Configuration {
        std::vector<int> states;
        std::vector<std::vector<int>> queues;  // by from * roles + to
        std::string key() const;               // equal exactly for equal configurations of one protocol
        friend auto operator<=>(const Configuration&, const Configuration&) = default;
    };
    struct Space;

    Configuration initial() const;
    std::vector<std::pair<Event, Configuration>> steps(const Configuration& c, std::size_t capacity,
                                                       bool* cut) const;
    bool blocked_for_ever(const Configuration& c, Role role) const;
    void explore(Space& space, std::size_t capacity, std::size_t limit) const;
    std::optional<std::pair<std::size_t, std::string>> find_trouble(const Space& space) const;
    void compare_words(SlowAnswer& answer);
    std::string prefix_text(const Event& event) const;

    Protocol protocol_;
    SlowLimits limits_;
    Flow flow_;
    Projections projections_;
    std::size_t roles_;
};

}  // namespace treaty::verdicts
