// The most general component that passes every test of a suite.
//
// A component sees nothing but its own events. What it can know after some of them is a set of configurations
// of all that it does not see: the test machines, the channels, what the tester has seen. Where the tests
// have finitely many runs, so has everything that passes them: a message that no test machine can still
// receive is left over. From a set the component may go on with every event after which all is still well,
// and the more it may do the fewer runs end too early; so doing whatever is not yet fatal passes if anything
// does, and the histories of that component are those of all components that pass. This is the game of one
// player with little knowledge, solved by looking at each set once, the last ones first.
//
// Beside it each configuration follows the role's projection with the same events: the first event that the
// projection does not have there leaves the protocol. reference() is empty from then on.
//
// Cost: as many sets as there are different states of knowledge, exponential at worst; bounded, and
// complete() says whether the bound was met.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "testgen/comply.h"
#include "testgen/success.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

class PassingComponents {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    // global: the verdict of an Observer; else the local one.
    PassingComponents(const TestSuite& suite, const ComplianceOptions& options, bool global,
                      std::size_t most_configurations = 400'000);

    // Whether everything was looked at; if not, why.
    bool complete() const { return stopped_ == base::StopReason::none; }
    base::StopReason stopped() const { return stopped_; }
    // Whether something harmless was left out: uncounted messages, in channels that need not be empty.
    bool pruned() const { return pruned_; }
    std::size_t knowledge_count() const { return nodes_.size(); }
    std::size_t configuration_count() const { return configurations_.size(); }

    // A component passes: the first set is won. Its number is 0.
    bool exists() const { return complete() && nodes_[0].won; }
    using Step = std::pair<model::LabelId, std::uint32_t>;
    // What a component may do there: the events after which it can still pass.
    std::vector<Step> good_steps(std::uint32_t set) const;
    // Whether a component that does these next, and nothing else, ends well wherever a run ends here; and
    // whether it has to call this an end itself.
    struct Ending {
        bool well = false;
        bool final = false;
    };
    Ending ends(std::uint32_t set, const std::vector<Step>& steps) const;
    // Whether a run that is here was successful and is not a run of the protocol.
    bool wrong(std::uint32_t set) const;
    // A successful configuration in which the projection would have to go on: all steps but those that are
    // possible in it, so that a component which takes only those stops there. Nothing if there is none that
    // may be taken.
    bool stops_early(std::uint32_t set, std::vector<Step>& rest) const;
    // The steps that the projection would take in one of the configurations.
    std::vector<Step> reference_steps(std::uint32_t set) const;

private:
    struct Configuration {
        explore::Configuration at;
        std::uint32_t observed, reference;
        bool passed;
        friend bool operator==(const Configuration&, const Configuration&) = default;
        template <typename H>
        friend H AbslHashValue(H h, const Configuration& c) {
            return H::combine(std::move(h), c.at, c.observed, c.reference, c.passed);
        }
    };
    struct OwnMove {
        model::LabelId label;
        std::uint32_t target;
        bool by_itself;  // the component sends; else it takes part, and `optional` says if the other must
        bool optional;
    };
    struct Moves {
        bool known = false, lost = false;
        bool waits = true;  // no other machine has to move, and none waits where it could send
        std::vector<std::uint32_t> unseen;
        std::vector<OwnMove> own;
    };
    struct Node {
        std::vector<std::uint32_t> configurations;
        std::vector<Step> steps;
        bool lost = false, won = false;
    };

    void build_machines(const TestSuite& suite);
    std::vector<std::uint32_t> most_received(const TestSuite& suite, std::size_t reader,
                                             const explore::Channel& channel) const;
    bool fine(const Configuration& c) const;
    bool surplus(const explore::Configuration& at, std::size_t channel) const;
    std::uint32_t intern(Configuration c);
    const Moves& moves_of(std::uint32_t configuration);
    void add_move(std::uint32_t from, const explore::Stepping::Move& move, Moves& into);
    std::uint32_t close(std::vector<std::uint32_t> set);
    void expand(std::uint32_t node);
    void solve();
    bool ended(std::uint32_t configuration, const std::vector<Step>& steps, bool final) const;

    ComplianceOptions options_;
    bool global_, whole_;
    model::RoleId cut_;
    const model::Machine* projection_;
    std::vector<model::Machine> machines_;           // anything, then the tests
    std::vector<SplitMachine> splits_;               // where the tests come from
    std::vector<std::vector<bool>> success_states_;  // of the tests' machines
    std::unique_ptr<explore::Stepping> stepping_;
    std::unique_ptr<Observer> observer_;
    std::unique_ptr<Success> success_;
    std::vector<std::size_t> receiver_;  // by channel: the test machine that reads it; 0: the component
    std::vector<std::vector<std::uint32_t>>
        receives_;  // by channel: by state of its reader, how many at most
    std::vector<Configuration> configurations_;
    std::vector<Moves> moves_;
    absl::flat_hash_map<Configuration, std::uint32_t> ids_;
    std::vector<Node> nodes_;
    absl::flat_hash_map<std::vector<std::uint32_t>, std::uint32_t> node_ids_;
    std::size_t most_;
    bool pruned_ = false;
    base::StopReason stopped_ = base::StopReason::none;
};

}  // namespace treaty::testgen
