#include "base/answer.h"

namespace treaty::base {

std::string_view to_string(Answer answer) {
    switch (answer) {
        case Answer::holds: return "holds";
        case Answer::fails: return "fails";
        case Answer::conditional: return "conditional";
        case Answer::undecided: return "undecided";
    }
    return "";
}

Exit exit_of(Answer answer) {
    switch (answer) {
        case Answer::holds: return Exit::holds;
        case Answer::fails:
        case Answer::conditional: return Exit::fails;
        case Answer::undecided: return Exit::undecided;
    }
    return Exit::fails;
}

}  // namespace treaty::base
