#include "api/answer.h"

namespace treaty::api {

base::Exit Answer::exit() const {
    if (verdict) return base::exit_of(*verdict);
    return environment_failed ? base::Exit::world_failed : base::Exit::bad_input;
}

}  // namespace treaty::api
