// Properties of traffic, judged as messages pass (001 section 4.2): a verdict for each match of a context.
//
// A context of n steps is matched by n consecutive messages of the role's traffic; every message may begin a
// match, so matches overlap. Then one of the consequences must (or must not) be among the next `within`
// messages, or, where a time is given, among those of that time. A match that the traffic leaves open is
// inconclusive. A global property is judged from the verdicts of its parts (table 4.2): inconclusive unless
// every premise passed; then it passes if one of the conclusions did (negated: fails), and while none did and
// one is still open it is inconclusive.
//
// Memory: at most n + within open matches a property and session. Cost a message: one step for each open
// match, and one look at the properties whose context begins with this message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "model/property.h"
#include "model/specification.h"
#include "watch/record.h"

namespace treaty::watch {

enum class Verdict : std::uint8_t { pass, fail, inconclusive };
std::string_view to_string(Verdict verdict);

struct VerdictCounts {
    std::uint64_t pass = 0, fail = 0, inconclusive = 0;

    void add(Verdict verdict) {
        ++(verdict == Verdict::pass ? pass : verdict == Verdict::fail ? fail : inconclusive);
    }
    // Of a whole log: a failure decides, then a pass.
    Verdict overall() const {
        return fail > 0 ? Verdict::fail : pass > 0 ? Verdict::pass : Verdict::inconclusive;
    }
};

// One verdict as it falls: the messages are those of the context and the one that decided, by line.
struct PropertyVerdict {
    std::uint32_t property = 0;  // position in the specification
    Verdict verdict = Verdict::pass;
    std::vector<std::uint64_t> lines;
};

// The local properties of a specification over one session.
class PropertyMonitor {
public:
    explicit PropertyMonitor(const model::Specification& specification);

    // Takes one message of a role's traffic; `fallen` gets the verdicts it decides.
    void feed(model::RoleId role, const Record& record, std::vector<PropertyVerdict>& fallen);
    // The traffic is over: open matches are inconclusive, and so is a property that never matched.
    void finish(std::vector<PropertyVerdict>& fallen);

    const std::vector<VerdictCounts>& counts() const { return counts_; }  // by property
    // Of a property of any kind, so far.
    Verdict verdict(std::uint32_t property) const;

private:
    struct Match {
        expr::Environment environment;
        std::size_t matched = 0;  // steps of the context
        std::uint64_t left = 0;   // messages, once the context is matched
        std::int64_t deadline_ns = 0;
        std::vector<std::uint64_t> lines;
    };

    bool matches(const model::MessagePattern& pattern, const Record& record,
                 expr::Environment& environment) const;
    bool step(std::uint32_t property, Match& match, const Record& record,
              std::vector<PropertyVerdict>& fallen);
    bool advance(std::uint32_t property, Match& match, const Record& record);
    void decide(std::uint32_t property, Match& match, Verdict verdict, std::vector<PropertyVerdict>& fallen);

    const model::Specification* specification_;
    std::vector<std::vector<Match>> open_;  // by property
    std::vector<VerdictCounts> counts_;
};

}  // namespace treaty::watch
