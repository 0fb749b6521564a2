// .gc, g-choreographies: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/gc/gc.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("gc", data, size, treaty::formats::read_gc, treaty::formats::write_gc);
    return 0;
}
