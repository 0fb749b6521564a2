#include "shapes.h"

#include <algorithm>
#include <numeric>

namespace treaty::verdicts {
namespace {

Step say(Role from, Role to, const std::string& message) {
    Step step;
    step.from = from;
    step.to = to;
    step.name = message;
    return step;
}

Step decide(Step::Kind kind, Role at, std::vector<Block> blocks) {
    Step step;
    step.kind = kind;
    step.from = at;
    step.blocks = std::move(blocks);
    return step;
}

Step loop(const std::string& name, Block body) {
    Step step;
    step.kind = Step::Kind::rec;
    step.name = name;
    step.blocks = {std::move(body)};
    return step;
}

Step again(const std::string& name) {
    Step step;
    step.kind = Step::Kind::jump;
    step.name = name;
    return step;
}

}  // namespace

Block people_shape(Random& random, unsigned roles) {
    std::vector<Role> cast(roles);
    std::iota(cast.begin(), cast.end(), 0u);
    for (unsigned i = roles; i > 1; --i) std::swap(cast[i - 1], cast[random.below(i)]);
    Role a = cast[0], b = cast[1], c = cast[roles > 2 ? 2 : 0], d = cast[roles > 3 ? 3 : 1];
    bool three = roles > 2;
    switch (random.below(9)) {
        case 0:  // request and response
            return {say(a, b, "request"),
                    decide(Step::Kind::choice, b, {{say(b, a, "ok")}, {say(b, a, "error")}})};
        case 1:  // something more, or not
            return {say(a, b, "order"), decide(Step::Kind::optional, a, {{say(a, b, "more")}})};
        case 2:  // again until it works
            return {loop("Retry", {say(a, b, "try"),
                                   decide(Step::Kind::choice, b,
                                          {{say(b, a, "done")}, {say(b, a, "failed"), again("Retry")}})})};
        case 3:  // only one branch concerns the third
            if (!three) return {say(a, b, "request")};
            return {decide(Step::Kind::choice, a,
                           {{say(a, b, "accept"), say(b, c, "notify")}, {say(a, b, "refuse")}})};
        case 4:  // two phases
            if (!three) return {say(a, b, "prepare"), say(b, a, "vote")};
            return {say(a, b, "prepare"), say(a, c, "prepare"), say(b, a, "vote"), say(c, a, "vote"),
                    decide(Step::Kind::choice, a,
                           {{say(a, b, "commit"), say(a, c, "commit")},
                            {say(a, b, "abort"), say(a, c, "abort")}})};
        case 5:  // ask several, collect the answers
            if (!three) return {say(a, b, "ask"), say(b, a, "answer")};
            return {say(a, b, "ask"), say(a, c, "ask"), say(b, a, "answer"), say(c, a, "answer")};
        case 6:  // a stream of items that is ended
            return {decide(Step::Kind::repeat, a, {{say(a, b, "item"), say(b, a, "ack")}}), say(a, b, "end")};
        case 7:  // an order that may be paid
            if (!three) return {say(a, b, "order"), say(b, a, "bill")};
            return {say(a, b, "order"), decide(Step::Kind::choice, b,
                                               {{say(b, a, "available"), say(a, c, "pay"), say(c, b, "paid")},
                                                {say(b, a, "soldOut")}})};
        default:  // the same answer in two branches
            return {say(a, b, "login"), decide(Step::Kind::choice, b,
                                               {{say(b, d == b ? a : d, "audit"), say(b, a, "welcome")},
                                                {say(b, a, "welcome")}})};
    }
}

}  // namespace treaty::verdicts
