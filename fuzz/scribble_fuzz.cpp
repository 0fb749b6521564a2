// .scr and .nuscr, global protocols of Scribble: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/scribble/scribble.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("scr", data, size, treaty::formats::read_scribble,
                             treaty::formats::write_scribble);
    return 0;
}
