// Plays one role for a person or a program to talk to, and says at each step what the protocol allows.
//
// The opposite of a test: the role's own part is followed, so where it is is known; it sends what its part
// says, with data made from the protocol, and takes what comes if its part allows it. What it does not allow
// is said and left aside, and the conversation goes on from where it was. Choices are made by the seed. Used
// once.
#pragma once

#include <functional>

#include "drive/conversation.h"

namespace treaty::drive {

struct PlayOptions {
    std::chrono::milliseconds think{200};  // before it sends where it might also listen
    std::chrono::milliseconds silence{0};  // after which nobody is expected to speak any more; 0: never
    std::chrono::milliseconds startup{0};  // for others to be there; 0: any time
    std::size_t length = 100;              // messages after which it heads for the end
    base::Deadline deadline;               // of all sessions; asked whether to stop
};

struct Played {
    enum class End : std::uint8_t { finished, others_left, silence, stopped, not_reached, stuck };
    End end = End::finished;
    std::string reason;
    std::vector<Exchange> exchanges;  // to_component: towards the role that is played
    std::size_t refused = 0;          // messages and bytes that its part does not allow
};

// What it says while it plays.
struct PlayNews {
    enum class Kind : std::uint8_t { ready, sent, came, refused, now } kind;
    const Exchange* exchange = nullptr;  // sent, came, refused (if it was a message)
    std::string text;                    // refused: why; now: what is allowed
};

class Player {
public:
    using Tell = std::function<void(const PlayNews&)>;

    // The part is that of the role to be played, all others are met on the stage.
    Player(Part& part, Stage& stage, const PlayOptions& options, Tell tell);
    ~Player();

    Played run(std::uint64_t seed);

private:
    struct Move;

    base::Result<void> open();
    std::vector<Move> moves();
    bool send(const Move& move, expr::Choices& choices);
    bool listen(Time until);
    void take(Line& line);
    void take_message(Line& line);
    void say_what_is_allowed();
    void settle();
    void refuse(Line& line, std::string why, const Exchange* exchange = nullptr);
    bool all_left() const;
    Played finish(Played::End end, std::string reason);

    Part& part_;
    Stage& stage_;
    PlayOptions options_;
    Tell tell_;
    track::Tracker tracker_;
    std::vector<std::unique_ptr<Line>> lines_;
    std::size_t received_ = 0;
    Played played_;
};

}  // namespace treaty::drive
