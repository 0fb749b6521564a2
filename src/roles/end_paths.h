// How a role can get to the end of its part after one of its steps, and what the data must be for that.
//
// A path is a run of the role's own net from after the step to an end, shortest first. Its condition is
// computed backwards from the guards, predicates and assignments of the run (weakest precondition). It is
// about the fields of the step's message, what the role knows before the step, and values of later messages,
// which are assumed to be chosen helpfully. Parallel segments are done one after the other.
//
// The search is bounded: finding no path, or none whose condition can be satisfied, proves nothing. Results
// are cached by marking and step. Not safe for concurrent use.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"
#include "model/specification.h"
#include "roles/distances.h"
#include "track/configuration.h"

namespace treaty::roles {

class EndPaths {
public:
    struct Path {
        expr::ExprId condition;          // none: for any data
        std::vector<expr::VarId> later;  // values of later messages in it
        std::uint32_t steps = 0;
    };

    // Both must outlive it.
    EndPaths(model::Specification& specification, const model::Net& net);

    // Whether data matters at all for how the role gets to its end.
    bool depends_on_data() const { return depends_on_data_; }

    // The paths after this step, taken from this marking, with silent steps before it as needed. fields: the
    // variables for the fields of its message. Valid until the next call.
    const std::vector<Path>& after(const track::Marking& marking, model::TransitionId step,
                                   std::span<const expr::VarId> fields);

private:
    static constexpr std::size_t most_markings = 2000;  // tried in one search
    static constexpr std::size_t most_paths = 12;
    static constexpr std::size_t most_remembered = 5000;

    using Run = std::vector<model::TransitionId>;

    std::optional<track::Marking> fired_after_silence(track::Marking marking, model::TransitionId step) const;
    std::vector<Run> runs_to_end(const track::Marking& from, bool one_by_one) const;
    std::vector<model::TransitionId> enabled_in(const track::Marking& marking, bool one_by_one) const;
    Path path_of(const Run& run, model::TransitionId step, std::span<const expr::VarId> fields);
    void before_event(const model::Transition& t, Path& path);
    void require(Path& path, expr::ExprId condition);
    void undo_assignments(const model::Transition& t, Path& path);

    model::Specification& specification_;
    const model::Net& net_;
    EndDistance end_distance_;
    bool depends_on_data_ = false;
    absl::flat_hash_map<std::pair<track::Marking, model::TransitionId>, std::vector<Path>> known_;
};

}  // namespace treaty::roles
