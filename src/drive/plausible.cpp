#include "drive/plausible.h"

#include <set>

#include "track/configuration.h"

namespace treaty::drive {
namespace {

using track::Marking;

constexpr std::size_t most_markings = 5000;

// The markings from which what this role says is next; everything else happens as it likes.
class OneRole {
public:
    OneRole(const Part& part, model::RoleId role) : part_(part), role_(role) { restart(); }

    void restart() { at_ = {track::initial_marking(part_.net)}; }

    // False if it can never be taken.
    bool say(model::MessageId message) {
        auto label = part_.input(role_, message);
        if (!label) return false;
        std::set<Marking> after;
        std::vector<Marking> todo(at_.begin(), at_.end());
        while (!todo.empty()) {
            if (at_.size() > most_markings) return given_up_ = true;
            Marking marking = std::move(todo.back());
            todo.pop_back();
            for (const model::Transition& t : part_.net.transitions()) {
                if (!track::enabled(marking, t)) continue;
                const model::Event& e = part_.event(t.label);
                Marking next = track::fired(marking, t);
                if (t.label == *label)
                    after.insert(std::move(next));
                else if ((e.kind != model::EventKind::receive || e.from != role_) && at_.insert(next).second)
                    todo.push_back(std::move(next));
            }
        }
        at_ = std::move(after);
        return !at_.empty();
    }
    bool given_up() const { return given_up_; }

private:
    const Part& part_;
    model::RoleId role_;
    std::set<Marking> at_;
    bool given_up_ = false;
};

}  // namespace

bool plausible(const Part& part, std::span<const Exchange> exchanges) {
    for (model::RoleId role : part.played) {
        OneRole one(part, role);
        for (const Exchange& e : exchanges) {
            if (e.to_component && e.opens_session) one.restart();
            if (!e.to_component || e.from != role || e.wrong) continue;
            if (!one.say(e.message)) return false;
            if (one.given_up()) break;
        }
    }
    return true;
}

}  // namespace treaty::drive
