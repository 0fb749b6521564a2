// .aut, labelled transition systems: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/aut/aut.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("aut", data, size, treaty::formats::read_aut, treaty::formats::write_aut);
    return 0;
}
