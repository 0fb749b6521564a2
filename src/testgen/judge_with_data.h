// Mutants of protocols with data, judged with it: changes of data, and changes of steps that are right
// without.
//
// First for all values at once (all_values.h): if the mutant passes, no role can tell, and that is proved. If
// a run goes wrong for some values, these are tried, and only what happens then is a verdict (value_judge.h).
// Where neither decides, some values of each type are tried. A change of data that is then still open is
// undecided. A change of steps stays what it is without data if these values show nothing, and the
// explanation says which they are; if none could be tried it is undecided, too. A mutant that takes more
// rounds of a loop than the tests do is judged with others that have twice as many. Work is bounded, for each
// mutant and for all together. Adds to the pool and to the alphabet: not safe for concurrent use.
#pragma once

#include <memory>
#include <optional>

#include "testgen/all_values.h"
#include "testgen/mutation.h"
#include "testgen/value_judge.h"
#include "testgen/valued.h"

namespace treaty::testgen {

class DataJudge {
public:
    DataJudge(const Projections& projections, model::RoleId cut, const MutationOptions& options);

    void judge(const Mutant& mutant, MutantVerdict& verdict);

private:
    // A protocol in which mutants are judged. There is no reference if it is the projection itself.
    struct World {
        World(const Projections& projections, model::RoleId cut, const MutationOptions& options);
        const Projections& projections;
        ValuedProtocol valued;
        std::optional<AllValues> all;  // if there are machines
        ValueJudge values;
        const model::Machine* reference = nullptr;
        std::size_t crowded = 0;  // how often there were too many combinations of values to try
    };
    World* world(bool more_rounds);
    AllValuesAnswer for_all_values(World& world, const model::Machine& mutant);
    static bool shown(World& world, const Mutant& mutant, const AllValuesAnswer& answer,
                      MutantVerdict& verdict);
    static MutantVerdict with_some(World& world, const Mutant& mutant);

    const Projections& projections_;
    model::RoleId cut_;
    MutationOptions options_;
    std::optional<Projections> longer_;            // with more rounds of each loop
    std::unique_ptr<World> world_, longer_world_;  // when they are needed
    bool no_longer_ = false;                       // there is no such world
    std::size_t work_;                             // configurations, for all mutants together
};

}  // namespace treaty::testgen
