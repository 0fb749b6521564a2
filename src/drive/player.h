// Plays one role for a person or a program to talk to, and reports at each step what the protocol allows.
//
// The opposite of a test: the role's own part is followed, so its position is known. It sends what its part
// allows, with data made from the protocol, and takes what comes if its part allows it. A message that is not
// allowed is reported and ignored, and the conversation continues. One that came early, before messages of
// other roles that are slower, waits until its turn comes. Choices are made by the seed. Used once.
#pragma once

#include <functional>
#include <map>

#include "drive/conversation.h"

namespace treaty::drive {

struct PlayOptions {
    std::chrono::milliseconds think{200};  // before it sends where it might also listen
    std::chrono::milliseconds silence{0};  // ends the conversation after so long without a message; 0: never
    std::chrono::milliseconds startup{0};  // for the others to connect; 0: no limit
    std::size_t length = 100;              // messages after which it ends as soon as the protocol allows
    base::Deadline deadline;               // of all sessions
};

struct Played {
    enum class End : std::uint8_t { finished, others_left, silence, stopped, not_reached, stuck };
    End end = End::finished;
    std::string reason;
    std::vector<Exchange> exchanges;  // to_component: towards the role that is played
    std::size_t refused = 0;          // messages and bytes that its part does not allow
};

// What it reports while it plays.
struct PlayNews {
    enum class Kind : std::uint8_t { ready, sent, came, refused, now } kind;
    const Exchange* exchange = nullptr;  // sent, came, refused (if it was a message)
    std::string text;                    // refused: why; now: what is allowed
};

class Player {
public:
    using Tell = std::function<void(const PlayNews&)>;

    // The part is that of the role to be played; all others are on the stage.
    Player(roles::RolePart& part, Stage& stage, const PlayOptions& options, Tell tell);
    ~Player();

    Played run(std::uint64_t seed);

private:
    struct Move;

    base::Result<void> open();
    std::vector<Move> moves();
    bool send(const Move& move, solve::Choices& choices);
    bool listen(Time until);
    void take(RoleConnection& connection);
    void take_message(RoleConnection& connection);
    void take_early(RoleConnection& connection);
    void accept(Exchange exchange);
    bool may_receive();
    void say_what_is_allowed();
    void answer_open_requests();
    void refuse(RoleConnection& connection, std::string why, const Exchange* exchange = nullptr);
    bool all_left() const;  // a role whose early message waits is not listened to
    Played finish(Played::End end, std::string reason);

    roles::RolePart& part_;
    Stage& stage_;
    PlayOptions options_;
    Tell tell_;
    track::Tracker tracker_;
    std::vector<std::unique_ptr<RoleConnection>> connections_;
    std::map<const RoleConnection*, Exchange> early_;  // the next message of each, whose turn is later
    std::size_t received_ = 0;
    Played played_;
};

}  // namespace treaty::drive
