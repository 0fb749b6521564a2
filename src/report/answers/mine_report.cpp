#include "report/answers.h"

#include "api/mine.h"
#include "report/answers/unknown_records.h"

namespace treaty::report {

Own own_part(const api::MineAnswer& answer) {
    Own own;
    if (!answer.verdict) return own;
    own.text = answer.protocol;
    own.fields = {{"messages", answer.messages},
                  {"sessions", answer.sessions},
                  {"words", answer.words},
                  {"interactions", answer.interactions},
                  {"k", answer.ahead},
                  {"states", answer.states},
                  {"garbled", answer.garbled},
                  {"cut", answer.cut},
                  {"protocol", answer.protocol},
                  {"left_out", answer.left_out},
                  {"unknown", to_json(answer.unknown)}};
    return own;
}

}  // namespace treaty::report
