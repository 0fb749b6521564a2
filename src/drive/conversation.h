// One session: a conversation with the component on its stage, from its start to a verdict.
//
// In a loop: take what has come; decide whether to send, to listen or to end; do it. The tracker knows what
// the component may do and what it can take. The verdict is reached when a message comes that no
// configuration allows, when an expected message does not come, or when the component crashes. Used once.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <span>

#include "base/limits.h"
#include "drive/director.h"
#include "drive/role_connection.h"
#include "drive/session_result.h"
#include "drive/stage.h"
#include "roles/role_part.h"
#include "solve/choices.h"
#include "track/determined.h"

namespace treaty::drive {

// What a component may do with a message whose bytes were damaged.
struct CorruptMeans {
    bool refused = true;  // answer with a message that counts as a refusal
    bool ignored = true;  // go on as if nothing had come
    bool closed = true;   // close the connection
};

struct SessionOptions {
    std::chrono::milliseconds silence{
        2000};  // after that an expected message is missing, unless its step has a `within`
    std::chrono::milliseconds startup{60'000};
    std::chrono::milliseconds quiet{30};  // how long to listen where silence is allowed
    // How long the component may take after the last message to close its side and to end; 0: as long as
    // silence may last, where it can be expected to.
    std::chrono::milliseconds linger{0};
    std::size_t length = 20;  // messages after which a session heads for its end
    bool guided = false;      // prefer what leads to steps that were not seen yet
    bool note_values = true;  // count classes of values
    // challenge() damages the bytes of a message, instead of sending one that is not allowed.
    bool corrupt = false;
    CorruptMeans corrupt_means;
    bool spin = true;         // look again some times before going to sleep; not where others wait
                              // for the processor
    base::Deadline deadline;  // of all sessions
};

// Whether to look again some dozens of times before going to sleep: as long as that is what brings answers.
struct Spin {
    static constexpr int looks = 60;
    static constexpr int most = 16;

    bool worth_it() { return score > 0 || ++passed % 64 == 0; }
    void learn(bool helped) { score = helped ? std::min(score + 4, most) : std::max(score - 1, 0); }

    int score = most;
    unsigned passed = 0;
};

class Conversation {
public:
    Conversation(roles::RolePart& part, Stage& stage, const SessionOptions& options);
    ~Conversation();

    // director: decides what is sent; null: the seed decides. Must outlive the call.
    SessionResult run(std::uint64_t seed, Director* director = nullptr);
    // A conversation in which, at some point, one message is sent that the protocol does not allow: forbidden
    // there, or with data that breaks one condition. The component must reject it: by closing, by sending
    // nothing, by bytes that are not a message, or by a message that counts as a rejection. Or, if
    // SessionOptions::corrupt, a message whose bytes are damaged; where its end is still known, the
    // conversation goes on.
    SessionResult challenge(std::uint64_t seed);
    // Sends the messages to the component as they are, each after as many answers as it had to wait for.
    // inner: messages between the roles that are played are among them; then a message that its role may not
    // send is left out.
    // adapt: data that is not allowed here is replaced by the nearest that is.
    SessionResult replay(std::span<const Exchange> exchanges, bool inner, bool adapt = false);

private:
    struct Input;
    struct Chosen;

    bool stopped();
    void fail(Problem problem, std::string reason);
    void fail_silent();
    bool missing_one() const;

    bool start();
    std::vector<wire::MessageIndex> can_come_to(model::RoleId role) const;
    void step(solve::Choices& choices);
    void follow(solve::Choices& choices);
    bool send_before_due(solve::Choices& choices);
    bool await_due(solve::Choices& choices);
    bool listen_for_the_unexpected();
    void listen_or_end();
    bool wait_out_silence();
    void give_up_waiting();
    bool sends_no_more() const;
    void await_turn(const Exchange& next);
    bool waits_for_turn(const Exchange& next);
    void tell_again(const Exchange& inner);
    bool listen(Clock::duration how_long);
    Clock::duration patience_at_start() const;
    std::size_t unread_by_it() const;
    void take_all();
    void answer_open_requests();
    void take(RoleConnection& connection);
    std::span<const wire::MessageIndex> expected_now(model::RoleId role);
    void undecodable(RoleConnection& connection);
    void connection_ended(RoleConnection& connection);
    void came(RoleConnection& connection, model::MessageId message, std::vector<expr::Value> values);
    void came_wrongly(const RoleConnection& connection, Problem problem, const std::string& rest);
    // Which of the messages that the component can take are sent.
    enum class Which : std::uint8_t {
        any,
        immediate,     // those that it takes before it sends anything more
        beside,        // those that it may be waiting for although it must send something else
        interrupting,  // those that it takes now, but that cross or cut off what it must send
    };
    bool send_something(solve::Choices& choices, Which which = Which::any);
    void to_component(std::vector<Input>& inputs, const std::vector<roles::Peers::Send>& sends, Which which);
    bool wanted(const model::Event& event) const;
    bool interrupt(solve::Choices& choices);
    bool wants_to_interrupt(const std::vector<Input>& interruptions,
                            std::span<const track::ExpectedOutput> outputs, solve::Choices& choices);
    bool may_wait_for_something();
    model::TransitionId step_in_part(model::LabelId label, model::NodeId node);
    bool tell(const Input& input, std::optional<std::vector<expr::Value>> values, solve::Choices& choices);
    Chosen choose(const std::vector<Input>& inputs, solve::Choices& choices);
    Chosen towards_end(const std::vector<Input>& inputs, solve::Choices& choices);
    std::size_t towards_unseen(const std::vector<Input>& inputs, solve::Choices& choices);
    std::size_t by_profile(const std::vector<Input>& inputs, solve::Choices& choices);
    bool send_input(const Input& input, std::optional<std::vector<expr::Value>> values,
                    solve::Choices& choices);
    void send(Exchange exchange);
    bool may_be_sent(const Exchange& exchange, model::LabelId label);
    bool adapt(Exchange& exchange, model::LabelId label);
    // A step by which the component takes a message now, whatever else happens first.
    struct PossibleInput {
        model::LabelId label;
        model::TransitionId transition;
        expr::Environment environment;
    };
    std::vector<PossibleInput> possible_inputs();
    static PossibleInput draw_one(std::vector<PossibleInput>& inputs, solve::Choices& choices);
    struct Wrong;
    std::optional<Wrong> forbidden(solve::Choices& choices);
    std::optional<Wrong> broken(solve::Choices& choices);
    bool is_wrong(model::LabelId label, std::span<const expr::Value> values);
    bool reads_as_allowed(const Exchange& exchange);
    std::set<model::MessageId> usual_answers(model::LabelId label) const;
    void send_wrong(Exchange exchange);
    void judge_reaction(const Exchange& wrong);
    bool see_crash(bool closed);
    std::optional<Exchange> corrupted(solve::Choices& choices);
    base::Result<bool> send_in_pieces(RoleConnection& connection, Exchange& exchange);
    void send_corrupted(Exchange exchange);
    enum class Reaction : std::uint8_t { none, refused, closed };
    Reaction await_reaction(const Exchange& wrong, Clock::duration how_long);
    void judge_corrupted(const Exchange& wrong, bool keeps_frame, bool incomplete);
    void judge_after_corruption();
    bool take_late_refusal(const RoleConnection& connection, model::MessageId message,
                           const std::vector<expr::Value>& values);
    void end_conversation();
    void cut_off();
    void rest_at_end(const RoleConnection& connection);
    void unread_at_end(const RoleConnection& connection);
    void await_reading();
    void look_at_component();
    void see_it_end();
    void await_its_end();
    void look_for_it(bool closed);
    void see_whether_gone();
    bool fail_gone(model::RoleId role, const std::string& sign);
    Clock::duration patience();
    std::string expectation();
    std::string why_not_allowed();
    std::string_view component_name() const;
    void note(const Exchange& exchange);
    track::Determined& determined();
    bool may_overflow(std::span<const expr::Value> values) const;
    bool takes(model::LabelId input, std::span<const expr::Value> values);
    bool told_later(std::size_t exchange) const;
    void settle_steps(bool last_is_wrong);
    void credit(std::size_t exchange);
    void credit_taken();
    bool all_may_end();
    RoleConnection* connection_of(model::RoleId role);
    SessionResult finish();

    roles::RolePart& part_;
    Stage& stage_;
    const SessionOptions& options_;
    Director* director_ = nullptr;
    track::Tracker tracker_;
    std::optional<track::Determined>
        determined_;                     // made when it is asked, and follows when it is asked again
    std::size_t followed_ = 0;           // exchanges that it has seen
    std::optional<roles::Peers> peers_;  // none: replaying, or nothing is known of them
    std::vector<bool> credited_;         // by exchange: its step is counted
    // By exchange: which steps it may be, as far as the role knows that is played.
    std::vector<std::vector<model::NodeId>> steps_;
    bool settled_ = false;  // no later message can show which steps they were
    std::vector<std::unique_ptr<RoleConnection>> connections_;
    std::vector<Transport*> open_;  // these two are kept for their memory
    std::vector<wire::MessageIndex> now_;
    Clock::duration to_end_{};  // how long the component gets to end by itself
    Clock::duration at_end_{};  // the same after a complete conversation
    Spin spin_;
    bool has_read_ = false;  // the component, something of what was sent
    std::uint32_t received_ = 0;
    std::optional<std::uint32_t> interrupted_after_;  // received_ at the last interruption
    std::size_t most_messages_;                       // the session is cut off after so many
    bool over_ = false;
    bool broken_off_ = false;   // a connection was closed in the middle of a message
    bool corrupted_ = false;    // after a message with damaged bytes the conversation went on
    bool refusal_due_ = false;  // and it may still be refused
    bool adapts_ = false;       // replaying: data that is not allowed is replaced
    bool silent_ = false;       // it has been silent for so long that nothing is on its way
    std::string obstacle_;      // why the last attempt to send a message failed
    SessionResult outcome_;
};

}  // namespace treaty::drive
