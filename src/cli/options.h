// The options that every verb has and that concern only how it prints. The rest is in the context
// (api/context.h).
#pragma once

#include "draw/style.h"

namespace treaty::cli {

struct Options {
    bool json = false;
    draw::ColorChoice color = draw::ColorChoice::automatic;
};

}  // namespace treaty::cli
