// The answers of `watch` for a terminal and as JSON.
#pragma once

#include <cstdio>

#include "api/check_properties.h"
#include "api/watch.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::WatchAnswer& answer);
Own own_part(const api::CheckPropertiesAnswer& answer);

// How a watch goes, in one line of the stream that is written anew each time; the last one stays.
void show_live(std::FILE* stream, const api::Progress& progress);

}  // namespace treaty::report
